//! A process that asks for everything on a disk to be written, several times a second.
use crate::{BackgroundWriter, Cleanup, Disturbance, LabError, Running};
use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// Time from the end of one `sync` to the next.
const PAUSE: Duration = Duration::from_millis(200);

/// Runs `sync -f` again and again, beside a writer: pages that the JVM changes are written, and so
/// write-protected, in seconds instead of in half minutes.
#[derive(Debug)]
pub struct SyncLoop {
    dir: PathBuf,
    said: PathBuf,
    writer: BackgroundWriter,
    running: Option<Running>,
    next: Instant,
}

impl SyncLoop {
    /// Syncs the file system of `dir` while `writer` writes to it; what it says goes to `said`.
    #[must_use]
    pub fn new(writer: BackgroundWriter, dir: &Path, said: &Path) -> SyncLoop {
        SyncLoop {
            dir: dir.to_path_buf(),
            said: said.to_path_buf(),
            writer,
            running: None,
            next: Instant::now(),
        }
    }
}

impl Disturbance for SyncLoop {
    fn keep_going(&mut self, cleanup: &mut Cleanup) -> Result<(), LabError> {
        self.writer.keep_going(cleanup)?;
        if let Some(running) = &mut self.running {
            match running.ended()? {
                None => return Ok(()),
                Some(status) if status.success() => self.next = Instant::now() + PAUSE,
                Some(status) => {
                    let message = format!("{status}, see `{}`", self.said.display());
                    return Err(LabError::Program { program: "sync".into(), message });
                }
            }
            self.running = None;
        }
        if Instant::now() >= self.next {
            let mut command = spawn::command("sync");
            command.arg("-f").arg(&self.dir);
            self.running = Some(Running::start(cleanup, command, &self.said, &self.said)?);
        }
        Ok(())
    }

    fn stop(&mut self, patience: Duration) {
        self.writer.stop(patience);
        if let Some(mut running) = self.running.take() {
            running.end(patience);
        }
    }
}
