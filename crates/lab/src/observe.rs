//! Records and explains a JVM by running the program itself, so that the lab tests what users
//! run.
use crate::{
    Cleanup, Interrupt, Isolation, LabError, Privilege, Running, Staged,
    control_group::Weighed,
    explained::Explained,
    output::Progress,
    privilege,
    small_file::{last_line, read},
};
use std::{
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

/// How much longer than asked the program may take to attach, seal and end.
const RECORD_PATIENCE: Duration = Duration::from_secs(60);

/// How long it may take to explain.
const EXPLAIN_PATIENCE: Duration = Duration::from_secs(120);

/// The program, and where its output goes.
#[derive(Debug)]
pub(crate) struct Observer<'a> {
    pub(crate) program: &'a Path,
    pub(crate) interrupt: &'a Interrupt,
    /// A directory of this run alone.
    pub(crate) output: &'a Path,
    /// A group with the CPU weight of the JVM's, if the JVM has one: on a slow host a recorder with
    /// less would hardly get a CPU that the JVM wants as well.
    pub(crate) isolation: Option<&'a Isolation>,
    /// With which rights to record, all at the same time.
    pub(crate) privileges: &'a [Privilege],
}

impl Observer<'_> {
    /// A file or directory of what is seen with these rights.
    fn place(&self, name: &str, privilege: Privilege) -> PathBuf {
        self.output.join(match privilege {
            Privilege::Privileged => name.to_owned(),
            Privilege::Unprivileged => format!("{}-{name}", privilege.id()),
        })
    }

    /// `whypause record --self-cost -p PID -d TIME -o DIR`, once for each kind of rights.
    pub(crate) fn record(
        &self,
        cleanup: &mut Cleanup,
        staged: &mut Staged,
        time: Duration,
        progress: &Progress<'_, '_>,
    ) -> Result<(), LabError> {
        let _weighed = Weighed::begin(cleanup);
        let begun = Instant::now();
        let mut all = Vec::new();
        for privilege in self.privileges {
            let command = self.recording(*privilege, staged.jvm.pid(), time);
            let output = self.place("record", *privilege);
            all.push(self.start(cleanup, command, "record", &output)?);
        }
        for program in &mut all {
            let keep_going = |cleanup: &mut Cleanup| {
                progress.waited(begun.elapsed().min(time));
                staged.keep_going(cleanup)
            };
            self.finish(cleanup, program, time + RECORD_PATIENCE, keep_going)?;
        }
        Ok(())
    }

    fn recording(&self, privilege: Privilege, pid: u32, time: Duration) -> Command {
        let mut command = spawn::command(self.program);
        command.args(["record", "--self-cost", "-p", &pid.to_string()]);
        command.args(["-d", &format!("{}ms", time.as_millis()), "-o"]);
        command.arg(self.place("recording", privilege));
        if privilege == Privilege::Unprivileged {
            privilege::drop_all(&mut command);
        }
        command
    }

    /// `whypause explain --format json --all-pauses DIR`.
    pub(crate) fn explain(
        &self,
        cleanup: &mut Cleanup,
        privilege: Privilege,
    ) -> Result<Explained, LabError> {
        let output = self.place("explain", privilege);
        self.explain_input(cleanup, &self.place("recording", privilege), &output)
    }

    /// `whypause explain --format json --all-pauses gc.log`.
    pub(crate) fn explain_log(
        &self,
        cleanup: &mut Cleanup,
        log: &Path,
    ) -> Result<Explained, LabError> {
        self.explain_input(cleanup, log, &self.output.join("log-explain"))
    }

    fn explain_input(
        &self,
        cleanup: &mut Cleanup,
        input: &Path,
        output: &Path,
    ) -> Result<Explained, LabError> {
        let mut command = spawn::command(self.program);
        command.args(["explain", "--format", "json", "--all-pauses"]);
        command.arg(input);
        let mut program = self.start(cleanup, command, "explain", output)?;
        self.finish(cleanup, &mut program, EXPLAIN_PATIENCE, |_| Ok(()))?;
        Explained::parse(&read(&program.stdout))
    }

    /// Starts it with its output in `OUTPUT.out` and `OUTPUT.err`.
    fn start(
        &self,
        cleanup: &mut Cleanup,
        command: Command,
        verb: &'static str,
        output: &Path,
    ) -> Result<Program, LabError> {
        let (stdout, stderr) = (output.with_extension("out"), output.with_extension("err"));
        let running = Running::start(cleanup, command, &stdout, &stderr)?;
        if let Some(isolation) = self.isolation {
            isolation.admit(running.pid(), &[])?;
        }
        Ok(Program { running, verb, stdout, stderr })
    }

    /// Waits for its end.
    fn finish(
        &self,
        cleanup: &mut Cleanup,
        program: &mut Program,
        patience: Duration,
        mut keep_going: impl FnMut(&mut Cleanup) -> Result<(), LabError>,
    ) -> Result<(), LabError> {
        let ended = self.interrupt.wait(patience, || {
            keep_going(cleanup)?;
            program.running.ended()
        })?;
        let message = match ended {
            Some(status) if status.success() => return Ok(()),
            Some(status) => last_error(&program.stderr).unwrap_or_else(|| status.to_string()),
            None => format!("not done after {} s", patience.as_secs()),
        };
        Err(LabError::Program { program: format!("whypause {}", program.verb), message })
    }
}

/// The program at work.
#[derive(Debug)]
struct Program {
    running: Running,
    verb: &'static str,
    stdout: PathBuf,
    stderr: PathBuf,
}

/// The line that says `error:`, or the last one.
fn last_error(stderr: &Path) -> Option<String> {
    let text = read(stderr);
    let error = text.lines().find_map(|line| line.strip_prefix("error: ").map(str::to_owned));
    error.or_else(|| last_line(stderr))
}
