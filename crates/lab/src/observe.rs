//! Records and explains a JVM by running the program itself, so that the lab tests what users
//! run.
use crate::{
    Cleanup, Interrupt, LabError, Running, Staged,
    explained::Explained,
    jvm::{last_line, read},
    output::Progress,
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
    /// Whether to record without eBPF.
    pub(crate) without_ebpf: bool,
}

impl Observer<'_> {
    /// The recording.
    pub(crate) fn recording(&self) -> PathBuf {
        self.output.join("recording")
    }

    /// `whypause record --self-cost [--without-ebpf] -p PID -d TIME -o DIR`.
    pub(crate) fn record(
        &self,
        cleanup: &mut Cleanup,
        staged: &mut Staged,
        time: Duration,
        progress: &Progress<'_, '_>,
    ) -> Result<(), LabError> {
        let mut command = Command::new(self.program);
        command.args(["record", "--self-cost", "-p", &staged.jvm.pid().to_string()]);
        command.args(["-d", &format!("{}ms", time.as_millis()), "-o"]).arg(self.recording());
        command.args(self.without_ebpf.then_some("--without-ebpf"));
        let begun = Instant::now();
        let keep_going = |cleanup: &mut Cleanup| {
            progress.waited(begun.elapsed().min(time));
            staged.keep_going(cleanup)
        };
        self.run(cleanup, command, "record", time + RECORD_PATIENCE, keep_going)?;
        Ok(())
    }

    /// `whypause explain --format json --all-pauses DIR`.
    pub(crate) fn explain(&self, cleanup: &mut Cleanup) -> Result<Explained, LabError> {
        let mut command = Command::new(self.program);
        command.args(["explain", "--format", "json", "--all-pauses"]).arg(self.recording());
        let json = self.run(cleanup, command, "explain", EXPLAIN_PATIENCE, |_| Ok(()))?;
        Explained::parse(&json)
    }

    /// Runs it to its end and answers its stdout.
    fn run(
        &self,
        cleanup: &mut Cleanup,
        command: Command,
        verb: &str,
        patience: Duration,
        mut keep_going: impl FnMut(&mut Cleanup) -> Result<(), LabError>,
    ) -> Result<String, LabError> {
        let stdout = self.output.join(format!("{verb}.out"));
        let stderr = self.output.join(format!("{verb}.err"));
        let mut running = Running::start(cleanup, command, &stdout, &stderr)?;
        let ended = self.interrupt.wait(patience, || {
            keep_going(cleanup)?;
            running.ended()
        })?;
        let message = match ended {
            Some(status) if status.success() => return Ok(read(&stdout)),
            Some(status) => last_error(&stderr).unwrap_or_else(|| status.to_string()),
            None => format!("not done after {} s", patience.as_secs()),
        };
        Err(LabError::Program { program: format!("whypause {verb}"), message })
    }
}

/// The line that says `error:`, or the last one.
fn last_error(stderr: &Path) -> Option<String> {
    let text = read(stderr);
    let error = text.lines().find_map(|line| line.strip_prefix("error: ").map(str::to_owned));
    error.or_else(|| last_line(stderr))
}
