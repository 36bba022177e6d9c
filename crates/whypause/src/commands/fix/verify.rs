//! Before and after, side by side.
use crate::{
    Exit, Failure,
    args::{CompareArgs, FixArgs, Format, JsonFlag},
    commands::{compare, explain},
    console::Console,
    interrupt::Interrupt,
    target::Started,
};
use recorder::Jvm;
use remedy::{FLAGS_VARIABLE, Remedy};
use report::Redactor;
use std::{
    ffi::OsString,
    path::PathBuf,
    time::{Duration, Instant},
};

/// How long what was changed is given to take effect: writes that were under way end.
const SETTLE: Duration = Duration::from_secs(2);
/// How much longer than asked a recording may take to begin and end.
const PATIENCE: Duration = Duration::from_secs(60);
/// How soon the end is noticed.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// A recording that goes away with this value.
#[derive(Debug)]
pub(super) struct Temporary {
    pub(super) path: PathBuf,
}

impl Temporary {
    /// Records a JVM, in memory: by a process of its own, which gives up its rights once it has
    /// begun, and this one needs them still.
    pub(super) fn record(
        pid: u32,
        time: Duration,
        interrupt: &Interrupt,
        console: &Console,
    ) -> Result<Temporary, Failure> {
        let directory = recording::default_directory()?.path;
        let now = jiff::Zoned::now().strftime("fix-%Y%m%d-%H%M%S").to_string();
        let path = recording::new_directory(&directory, &now)?;
        let recording = Temporary { path };
        let mut command = spawn::command("/proc/self/exe");
        command.args(["record", "--max-size", "64M", "-p", &pid.to_string()]);
        command.args(["-d", &format!("{}ms", time.as_millis()), "-o"]).arg(&recording.path);
        let mut running = spawn::Running::start_heard(command).map_err(failed)?;
        let until = Instant::now() + time + PATIENCE;
        let mut asked = false;
        let status = loop {
            if let Some(status) = running.ended().map_err(failed)? {
                break status;
            }
            if interrupt.came() && !asked {
                asked = true;
                running.terminate();
            }
            if Instant::now() >= until {
                let message =
                    format!("recording did not end within {}", report::duration(time + PATIENCE));
                return Err(Failure::input(message, ""));
            }
            std::thread::sleep(POLL_INTERVAL);
        };
        let said = String::from_utf8_lossy(&running.stderr()).into_owned();
        if !status.success() {
            let error = said.lines().find_map(|it| it.strip_prefix("error: "));
            let hint = said.lines().find_map(|it| it.strip_prefix("hint: "));
            let error = error.unwrap_or("recording failed").to_owned();
            return Err(Failure::input(error, hint.unwrap_or_default()));
        }
        let worth = |it: &&str| it.starts_with("recorded ") || it.starts_with("no eBPF");
        said.lines().filter(worth).for_each(|it| console.say(it));
        Ok(recording)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // It is in memory, below our own directory, and small.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

fn failed(error: spawn::Error) -> Failure {
    Failure::input(error.to_string(), "")
}

/// Records again, and compares.
pub(super) fn after(
    args: &FixArgs,
    (pid, before): &(u32, Temporary),
    interrupt: &Interrupt,
    console: &Console,
) -> Result<Exit, Failure> {
    let time = args.verify.unwrap_or_default();
    settle(interrupt);
    if !interrupt.came() {
        console.say(&format!("after: recording for {}", report::duration(time)));
        let after = Temporary::record(*pid, time, interrupt, console)?;
        if !interrupt.came() {
            return compare(before, &after, console);
        }
    }
    console.say("interrupted: applied, but not compared");
    Ok(Exit::Interrupted)
}

fn settle(interrupt: &Interrupt) {
    let begun = Instant::now();
    while begun.elapsed() < SETTLE && !interrupt.came() {
        std::thread::sleep(POLL_INTERVAL);
    }
}

fn compare(before: &Temporary, after: &Temporary, console: &Console) -> Result<Exit, Failure> {
    let args = CompareArgs {
        before: before.path.clone(),
        after: after.path.clone(),
        format: Format::Text,
        json: JsonFlag::default(),
        redact: false,
    };
    compare::run(&args, console)
}

/// For flags of the next start: starts the command as it is, and then with the flags, and compares.
/// Each time it is asked to end once it was recorded.
pub(super) fn start_twice(
    args: &FixArgs,
    remedy: &'static Remedy,
    interrupt: &Interrupt,
    console: &Console,
) -> Result<Exit, Failure> {
    let mut flags = Vec::new();
    let mut goes: Vec<String> = Vec::new();
    let mut recordings = Vec::new();
    for what in ["before", "after"] {
        if what == "after" {
            console.say(&format!("with {}", flags.join(" ")));
        }
        let command: Vec<OsString> = args
            .command
            .iter()
            .filter(|it| !goes.iter().any(|gone| it.as_os_str() == gone.as_str()))
            .cloned()
            .collect();
        let (started, jvm) = Started::with_flags(&command, &options(&flags), interrupt)?;
        let recorded = one_start(args, &jvm, what, interrupt, console);
        console.say(&started.wait(|| true)?);
        let recorded = recorded?;
        if interrupt.came() {
            return Ok(Exit::Interrupted);
        }
        if flags.is_empty() {
            (flags, goes) = flags_for(remedy, &recorded, console)?;
        }
        recordings.push(recorded);
        if flags.is_empty() {
            return Err(Failure::input(
                format!("`{}` has no flag for this JVM, or it has it already", remedy.id),
                "leave the command out, and name a running JVM with -p",
            ));
        }
    }
    compare(&recordings[0], &recordings[1], console)
}

fn one_start(
    args: &FixArgs,
    jvm: &Jvm,
    what: &str,
    interrupt: &Interrupt,
    console: &Console,
) -> Result<Temporary, Failure> {
    let time = args.verify.unwrap_or_default();
    // Its start is another load than its work.
    settle(interrupt);
    console.say(&format!("{what}: recording for {}", report::duration(time)));
    Temporary::record(jvm.pid, time, interrupt, console)
}

/// The flags of the second start by what the first one showed, and those of the command that go.
fn flags_for(
    remedy: &Remedy,
    first: &Temporary,
    console: &Console,
) -> Result<(Vec<String>, Vec<String>), Failure> {
    let diagnosis = explain::one(&first.path, &mut Redactor::new(false, None), console)?;
    let goes = match remedy.works == remedy::Works::Diagnosis {
        true => remedy::flag_line(&diagnosis).replaces,
        false => Vec::new(),
    };
    Ok((remedy.start_flags(&diagnosis), goes))
}

/// What is added to the environment; nothing where there are no flags.
fn options(flags: &[String]) -> Vec<(&'static str, String)> {
    if flags.is_empty() {
        return Vec::new();
    }
    let before = std::env::var(FLAGS_VARIABLE).unwrap_or_default();
    vec![(FLAGS_VARIABLE, format!("{before} {}", flags.join(" ")).trim().to_owned())]
}
