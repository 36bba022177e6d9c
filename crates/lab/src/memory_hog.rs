//! A process that holds memory and goes on using all of it.
use crate::{
    Cleanup, Disturbance, Jdk, LabError, Running, Takes, process, small_file, workloads::Workload,
};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// A Java program of the lab that fills memory with data and touches it again and again.
#[derive(Debug)]
pub struct MemoryHog {
    running: Running,
    said: PathBuf,
}

impl MemoryHog {
    /// Starts it with this many MiB, in the control group behind `entrance`.
    ///
    /// # Errors
    /// [`LabError::Step`] where it cannot be started.
    pub fn start(
        cleanup: &mut Cleanup,
        (jdk, classes): (&Jdk, &Path),
        mib: u32,
        entrance: PathBuf,
        output: &Path,
    ) -> Result<MemoryHog, LabError> {
        cleanup.needs(&Takes::Hog { mib })?;
        let mut command = spawn::command(jdk.java());
        command.args(["-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xint"]);
        command.arg(format!("-Xmx{}m", mib + mib / 4 + 64)).arg("-cp").arg(classes);
        command.arg(Workload::MemoryHog.main_class()).arg(format!("mib={mib}"));
        process::join(&mut command, vec![entrance]);
        process::yield_cpu(&mut command);
        let said = output.join("hog.err");
        let running = Running::start(cleanup, command, &output.join("hog.out"), &said)?;
        Ok(MemoryHog { running, said })
    }
}

impl Disturbance for MemoryHog {
    fn keep_going(&mut self, _: &mut Cleanup) -> Result<(), LabError> {
        let Some(status) = self.running.ended()? else { return Ok(()) };
        let message = small_file::last_line(&self.said).unwrap_or_else(|| status.to_string());
        Err(LabError::Program { program: "the memory hog".into(), message })
    }

    fn stop(&mut self, patience: Duration) {
        self.running.end(patience);
    }
}
