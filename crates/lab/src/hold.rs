//! A fault that goes on until it is ended, so that anything can be tried on it: `whypause lab
//! hold`.
use crate::{
    Collector, Jdk, LabError, Output, RunOptions, Running, Scenario, Staged, Variant, bench::Bench,
    once, output::Progress, run::Plan, stage::END_PATIENCE,
};
use std::{
    ffi::OsString,
    path::Path,
    process::{Command, ExitStatus},
    time::{Duration, Instant},
};

/// What stands for the process id of the JVM in a command.
const PID: &str = "%pid";
/// A word that stands for the JVM's own command line, with another name for its log.
const JAVA: &str = "%java";

/// What to hold.
#[derive(Clone, Debug)]
pub struct HoldOptions {
    /// Id of a scenario.
    pub scenario: String,
    /// Name of a variant.
    pub variant: String,
    /// Feature release or path of a JDK; 17, or the newest, where `None`.
    pub jdk: Option<String>,
    /// The collector's name; the scenario's first where `None`.
    pub collector: Option<String>,
    /// For how long; where `None`, until interrupted or the command has ended.
    pub time: Option<Duration>,
    /// What to run meanwhile; `%pid` in it stands for the process id of the JVM, and the word
    /// `%java` for its command line, with which the same can be started once more.
    pub command: Vec<OsString>,
    /// Whether to run although others use this host.
    pub on_this_host: bool,
}

/// Makes the fault and keeps it going. Answers how the command ended, where there was one. Everything
/// that was changed on the host is undone when it returns, however it returns.
///
/// # Errors
/// Any [`LabError`]; an interrupt is none where no command was given: it is how this ends.
pub fn hold(
    options: &HoldOptions,
    output: &mut Output<'_>,
) -> Result<Option<ExitStatus>, LabError> {
    let wanted = RunOptions {
        variants: vec![options.variant.clone()],
        jdks: options.jdk.iter().cloned().collect(),
        collector: options.collector.clone(),
        ..RunOptions::new(&options.scenario)
    };
    let Plan { scenario, variants, jdks, collector, .. } = Plan::new(&wanted)?;
    let variant = variants[0];
    let jdk = jdks.iter().find(|it| variant.fits(it)).unwrap_or(&jdks[0]);
    let mut bench = Bench::open(options.on_this_host, (scenario.takes)(), output)?;
    let mut progress = Progress::start(output, scenario.warm_up);
    let held = Held { options, scenario, variant, jdk, collector };
    let ended = held.run(&mut bench, &mut progress);
    progress.step("cleaning up");
    let cleaned = bench.cleanup.undo_all();
    drop(progress);
    let ended = match ended {
        Err(LabError::Interrupted) if options.command.is_empty() => None,
        other => other?,
    };
    cleaned?;
    Ok(ended)
}

struct Held<'a> {
    options: &'a HoldOptions,
    scenario: &'static Scenario,
    variant: &'static Variant,
    jdk: &'a Jdk,
    collector: Collector,
}

impl Held<'_> {
    fn run(
        &self,
        bench: &mut Bench,
        progress: &mut Progress<'_, '_>,
    ) -> Result<Option<ExitStatus>, LabError> {
        let fast = bench.fast.join("held");
        std::fs::create_dir(&fast).map_err(LabError::step("create a directory"))?;
        progress.step(&format!("JDK {}: {}", self.jdk.label(), self.variant.what));
        let mut staged = (self.variant.set_up)(&mut bench.stage(self.jdk, self.collector, &fast))?;
        self.keep_going(bench, &mut staged, Some(self.scenario.warm_up), None)?;
        let pid = staged.jvm.pid();
        let log = staged.jvm.gc_log().display();
        progress.say(&format!("pid {pid}, GC log {log}; Ctrl-C ends it"));
        let java = java(pid, staged.jvm.gc_log());
        let mut running = self.start(bench, pid, &java)?;
        let ended = self.keep_going(bench, &mut staged, self.options.time, running.as_mut());
        // It may have something to take back.
        if let Some(mut running) = running {
            running.end(END_PATIENCE);
        }
        once::end(&mut bench.cleanup, staged, &fast);
        ended
    }

    /// What the command writes goes where the lab writes.
    fn start(
        &self,
        bench: &mut Bench,
        pid: u32,
        java: &[String],
    ) -> Result<Option<Running>, LabError> {
        let Some((program, arguments)) = self.options.command.split_first() else {
            return Ok(None);
        };
        let mut command: Command = spawn::command(program);
        for argument in arguments {
            match argument.to_str() {
                Some(JAVA) => command.args(java),
                Some(text) => command.arg(text.replace(PID, &pid.to_string())),
                None => command.arg(argument),
            };
        }
        let running = Running::start_here(&mut bench.cleanup, command)?;
        if let Some(isolation) = bench.recorders.as_ref() {
            isolation.admit(running.pid(), &[])?;
        }
        Ok(Some(running))
    }

    fn keep_going(
        &self,
        bench: &mut Bench,
        staged: &mut Staged,
        time: Option<Duration>,
        mut running: Option<&mut Running>,
    ) -> Result<Option<ExitStatus>, LabError> {
        let begun = Instant::now();
        let patience = Duration::from_secs(86_400);
        let ended = bench.interrupt.wait(patience, || {
            staged.keep_going(&mut bench.cleanup)?;
            if let Some(running) = &mut running
                && let Some(status) = running.ended()?
            {
                return Ok(Some(Some(status)));
            }
            Ok(time.is_some_and(|it| begun.elapsed() >= it).then_some(None))
        })?;
        Ok(ended.flatten())
    }
}

/// The command line of a JVM with another name for its log: two JVMs that write to one take it away
/// from each other.
fn java(pid: u32, log: &Path) -> Vec<String> {
    let line = crate::small_file::read(Path::new(&format!("/proc/{pid}/cmdline")));
    let another = log.with_file_name("again.log");
    let [log, another] = [log, &another].map(|it| it.display().to_string());
    let words = line.split_terminator('\0');
    words.map(|it| it.replace(&log, &another)).collect()
}
