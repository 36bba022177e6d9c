//! A process that copies a log from memory to a disk, and outlives whoever started it.
use super::{ChangeError, Host, Kind, Needs, Process, Value};
use crate::Action;
use serde::{Deserialize, Serialize};

/// A keeper of one log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keep {
    /// The JVM whose log it is.
    pub process: Process,
}

impl Kind for Keep {
    fn subject(&self) -> String {
        format!("copy of the log of {}", self.process)
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
    fn by_hand(&self, _value: &Value) -> Action {
        Action::say("")
    }
    fn needs(&self) -> Needs {
        Needs::Root
    }
}
