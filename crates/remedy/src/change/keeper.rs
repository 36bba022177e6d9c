//! A process that copies a log from memory to a disk, and outlives whoever started it.
use super::{ChangeError, Host, Kind, Needs, Process, Value};
use crate::{Action, Command};
use serde::{Deserialize, Serialize};

/// A keeper of one log of a running JVM.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keep {
    /// The JVM whose log it is. The keeper ends with it.
    pub process: Process,
    /// User and group of the JVM: the keeper has their rights and no others.
    pub owner: (u32, u32),
    /// The directory of the log below `/dev/shm` of the JVM.
    pub directory: String,
    /// The log's name in it.
    pub file: String,
    /// The directory that it is copied to, as the JVM sees it.
    pub to: String,
    /// How often it is copied, in milliseconds.
    pub period_ms: u64,
}

impl Kind for Keep {
    fn subject(&self) -> String {
        format!("copy of {} in {} of {}", self.file, self.to, self.process)
    }

    fn wanted(&self) -> Value {
        Some("running".into())
    }

    fn now(&self, _host: &Host<'_>) -> Result<Value, ChangeError> {
        Ok(None)
    }

    fn set(&self, _value: &Value, _host: &Host<'_>) -> Result<(), ChangeError> {
        Ok(())
    }

    fn by_hand(&self, value: &Value) -> Action {
        let path = format!("/dev/shm/{}/{}", self.directory, self.file);
        match value {
            Some(_) => {
                let keeper = Command::new("whypause").args(["fix", "gc-log-keeper"]).path(&path);
                Action::run([keeper.path(&self.to).arg("--apply")])
            }
            None => Action::say("end the process that copies it, once all of it is copied"),
        }
    }

    fn needs(&self) -> Needs {
        Needs::TheJvmsUser(self.owner.0)
    }
}
