//! The other process: writes files to a disk as fast as the disk takes them, as a backup, a log
//! shipper or a compaction does.
use crate::{Cleanup, Disturbance, LabError, Running};
use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

/// How many files it writes in turn.
const FILES: u32 = 6;

/// MiB per file: many times what a limited disk writes in a second, so that a sync always has a
/// queue before it, and six of them fit on a disk of 1 GiB.
const FILE_MIB: u32 = 40;

/// Runs `dd … conv=fsync` again and again. A program of its own, so that whoever looks for the
/// culprit can find it.
#[derive(Debug)]
pub struct BackgroundWriter {
    dir: PathBuf,
    said: PathBuf,
    file_mib: u32,
    syncs: bool,
    running: Option<Running>,
    rounds: u32,
}

impl BackgroundWriter {
    /// Starts to write into `dir`; what `dd` says goes to the file `said`.
    ///
    /// # Errors
    /// [`LabError::Step`] where `dd` cannot be started.
    pub fn start(
        cleanup: &mut Cleanup,
        dir: &Path,
        said: &Path,
    ) -> Result<BackgroundWriter, LabError> {
        BackgroundWriter::with_files_of(cleanup, FILE_MIB, dir, said)
    }

    /// As [`start`](BackgroundWriter::start), but leaves it to the kernel when the data are
    /// written.
    ///
    /// # Errors
    /// As [`start`](BackgroundWriter::start).
    pub fn without_sync(
        cleanup: &mut Cleanup,
        dir: &Path,
        said: &Path,
    ) -> Result<BackgroundWriter, LabError> {
        BackgroundWriter::new(cleanup, FILE_MIB, false, dir, said)
    }

    /// As [`start`](BackgroundWriter::start), with files of another size.
    ///
    /// # Errors
    /// As [`start`](BackgroundWriter::start).
    pub fn with_files_of(
        cleanup: &mut Cleanup,
        file_mib: u32,
        dir: &Path,
        said: &Path,
    ) -> Result<BackgroundWriter, LabError> {
        BackgroundWriter::new(cleanup, file_mib, true, dir, said)
    }

    fn new(
        cleanup: &mut Cleanup,
        file_mib: u32,
        syncs: bool,
        dir: &Path,
        said: &Path,
    ) -> Result<BackgroundWriter, LabError> {
        let mut writer = BackgroundWriter {
            dir: dir.to_path_buf(),
            said: said.to_path_buf(),
            file_mib,
            syncs,
            running: None,
            rounds: 0,
        };
        writer.keep_going(cleanup)?;
        Ok(writer)
    }

    /// Files begun so far.
    #[must_use]
    pub fn rounds(&self) -> u32 {
        self.rounds
    }
}

impl Disturbance for BackgroundWriter {
    /// Starts the next file where the last one is done.
    ///
    /// # Errors
    /// [`LabError::Program`] where `dd` failed: a disk that is full or gone makes no pauses.
    fn keep_going(&mut self, cleanup: &mut Cleanup) -> Result<(), LabError> {
        if let Some(running) = &mut self.running {
            match running.ended()? {
                None => return Ok(()),
                Some(status) if status.success() => {}
                Some(status) => {
                    let message = format!("{status}, see `{}`", self.said.display());
                    return Err(LabError::Program { program: "dd".into(), message });
                }
            }
        }
        let file = self.dir.join(format!("background-{}", self.rounds % FILES));
        let mut command = Command::new("dd");
        command.arg("if=/dev/zero").arg(format!("of={}", file.display()));
        command.args(["bs=1M", &format!("count={}", self.file_mib)]);
        if self.syncs {
            command.arg("conv=fsync");
        }
        self.running = Some(Running::start(cleanup, command, &self.said, &self.said)?);
        self.rounds += 1;
        Ok(())
    }

    /// What is under way on a slow disk ends when the disk lets go of it.
    fn stop(&mut self, patience: Duration) {
        if let Some(mut running) = self.running.take() {
            running.end(patience);
        }
    }
}
