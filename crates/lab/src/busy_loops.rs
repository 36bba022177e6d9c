//! Processes that do nothing but use CPUs.
use crate::{Cleanup, Disturbance, LabError, Running};
use std::{path::Path, time::Duration};

/// Several endless loops, each a process of its own, so that a recording can name one as the
/// culprit.
#[derive(Debug)]
pub struct BusyLoops {
    running: Vec<Running>,
}

impl BusyLoops {
    /// Starts `count` of them; what they say goes to the file `said`.
    ///
    /// # Errors
    /// [`LabError::Step`] where one cannot be started.
    pub fn start(cleanup: &mut Cleanup, count: u32, said: &Path) -> Result<BusyLoops, LabError> {
        let one = |_| {
            let mut command = spawn::command("sh");
            command.args(["-c", "while :; do :; done"]);
            Running::start(cleanup, command, said, said)
        };
        Ok(BusyLoops { running: (0..count).map(one).collect::<Result<_, _>>()? })
    }
}

impl Disturbance for BusyLoops {
    fn keep_going(&mut self, _: &mut Cleanup) -> Result<(), LabError> {
        for running in &mut self.running {
            if let Some(status) = running.ended()? {
                return Err(LabError::Program {
                    program: "sh".into(),
                    message: status.to_string(),
                });
            }
        }
        Ok(())
    }

    fn stop(&mut self, patience: Duration) {
        for mut running in self.running.drain(..) {
            running.end(patience);
        }
    }
}
