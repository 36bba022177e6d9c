//! Before and after, side by side.
use crate::{
    Exit, Failure,
    args::{CompareArgs, FixArgs, Format, Means, RecordArgs, WhichJvm, Windows},
    commands::{compare, record},
    console::Console,
    interrupt::Interrupt,
};
use remedy::Remedy;
use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

/// How long what was changed is given to take effect: writes that were under way end.
const SETTLE: Duration = Duration::from_secs(2);

/// A recording that goes away with this value.
#[derive(Debug)]
pub(super) struct Temporary {
    pub(super) path: PathBuf,
}

impl Temporary {
    /// Records a JVM, in memory.
    pub(super) fn record(
        pid: u32,
        time: Duration,
        console: &Console,
    ) -> Result<Temporary, Failure> {
        let jvm = WhichJvm { pid: Some(pid.to_string()), matching: None };
        Temporary::of(jvm, Vec::new(), time, console)
    }

    fn of(
        jvm: WhichJvm,
        command: Vec<std::ffi::OsString>,
        time: Duration,
        console: &Console,
    ) -> Result<Temporary, Failure> {
        let place = recording::default_place()?.path;
        let now = jiff::Zoned::now().strftime("fix-%Y%m%d-%H%M%S%.3f").to_string();
        let path = recording::new_directory(&place, &now)?;
        let recording = Temporary { path: path.clone() };
        let args = RecordArgs {
            jvm,
            duration: Some(time),
            output: Some(path),
            detail_over: Duration::from_millis(10),
            max_size: 64 << 20,
            self_cost: false,
            windows: Windows::Auto,
            redact: false,
            means: Means::default(),
            command,
        };
        record::run_quietly(&args, console)?;
        Ok(recording)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // It is in memory, below our own directory, and small.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// Records again, and compares.
pub(super) fn after(
    args: &FixArgs,
    (pid, before): &(u32, Temporary),
    interrupt: &Interrupt,
    console: &Console,
) -> Result<Exit, Failure> {
    let time = args.verify.unwrap_or_default();
    let begun = Instant::now();
    while begun.elapsed() < SETTLE && !interrupt.came() {
        std::thread::sleep(Duration::from_millis(50));
    }
    if !interrupt.came() {
        console.say("after:");
        let after = Temporary::record(*pid, time, console)?;
        if !interrupt.came() {
            return compare(before, &after, console);
        }
    }
    console.say("interrupted: it is changed, and was not compared");
    Ok(Exit::Interrupted)
}

fn compare(before: &Temporary, after: &Temporary, console: &Console) -> Result<Exit, Failure> {
    let args = CompareArgs {
        before: before.path.clone(),
        after: after.path.clone(),
        format: Format::Text,
        redact: false,
    };
    compare::run(&args, console)
}

/// For a flag of the next start: starts the command as it is, and then with the flag.
pub(super) fn start_twice(
    _args: &FixArgs,
    remedy: &'static Remedy,
    _interrupt: &Interrupt,
    _console: &Console,
) -> Result<Exit, Failure> {
    Err(Failure::input(format!("`{}` takes no command", remedy.id), ""))
}
