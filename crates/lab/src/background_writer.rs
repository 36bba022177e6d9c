//! The other process: writes files to a disk as fast as the disk takes them, as a backup, a log
//! shipper or a compaction does.
use crate::{Cleanup, Disturbance, LabError, Running, process};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// How many files it writes in turn.
const FILES: u32 = 6;

/// MiB per file: many times what a limited disk writes in a second, so that a sync always has a
/// queue before it, and six of them fit on a disk of 1 GiB.
const FILE_MIB: u32 = 40;

/// How it writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Writing {
    /// MiB per file.
    pub file_mib: u32,
    /// Whether each file is synced at its end; otherwise the kernel writes it when it likes.
    pub syncs: bool,
    /// A control group to write in, by the file that lets one join it.
    pub group: Option<PathBuf>,
}

impl Default for Writing {
    fn default() -> Writing {
        Writing { file_mib: FILE_MIB, syncs: true, group: None }
    }
}

/// Runs `dd` again and again. A program of its own, so that a recording can name it as the
/// culprit.
#[derive(Debug)]
pub struct BackgroundWriter {
    dir: PathBuf,
    said: PathBuf,
    how: Writing,
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
        how: Writing,
        dir: &Path,
        said: &Path,
    ) -> Result<BackgroundWriter, LabError> {
        let mut writer = BackgroundWriter {
            dir: dir.to_path_buf(),
            said: said.to_path_buf(),
            how,
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
        let mut command = spawn::command("dd");
        command.arg("if=/dev/zero").arg(format!("of={}", file.display()));
        command.args(["bs=1M", &format!("count={}", self.how.file_mib)]);
        if self.how.syncs {
            command.arg("conv=fsync");
        }
        if let Some(group) = &self.how.group {
            process::join(&mut command, vec![group.clone()]);
            process::yield_cpu(&mut command);
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
