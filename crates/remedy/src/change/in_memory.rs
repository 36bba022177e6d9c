//! That what a JVM has is in memory, and not in swap. It is brought back at once, and there is
//! nothing to take back: what becomes of it then is the kernel's.
use super::{ChangeError, Host, Kind, Process, Value};
use crate::Action;
use diagnose::text;
use recorder::BroughtIn;
use serde::{Deserialize, Serialize};
use std::io;

/// A JVM always has some pages in swap that it never touches.
const LITTLE_BYTES: u64 = 1 << 20;

const IN_MEMORY: &str = "in memory";

/// That the memory of a JVM is in memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InMemory {
    /// The JVM.
    pub process: Process,
}

impl InMemory {
    /// What of it is in swap, in bytes.
    ///
    /// # Errors
    /// [`ChangeError::Gone`] where it has ended.
    pub fn swapped_bytes(&self, host: &Host<'_>) -> Result<u64, ChangeError> {
        let jvm = self.process.jvm(host)?;
        recorder::swapped_bytes(host.roots, &jvm).map_err(|error| self.failed(error))
    }

    fn failed(&self, error: io::Error) -> ChangeError {
        match error.kind() {
            io::ErrorKind::NotFound => self.process.gone(),
            _ => ChangeError::Refused(format!("memory of {}: {error}", self.process)),
        }
    }
}

/// In words, as it is compared with what is wanted.
fn value(swapped_bytes: u64) -> Value {
    Some(match swapped_bytes < LITTLE_BYTES {
        true => IN_MEMORY.into(),
        false => format!("{} in swap", text::memory(swapped_bytes)),
    })
}

impl Kind for InMemory {
    fn subject(&self) -> String {
        format!("swapped memory of {}", self.process)
    }

    fn process(&self) -> Option<&Process> {
        Some(&self.process)
    }

    fn wanted(&self) -> Value {
        Some(IN_MEMORY.into())
    }

    fn now(&self, host: &Host<'_>) -> Result<Value, ChangeError> {
        Ok(value(self.swapped_bytes(host)?))
    }

    /// What there is no memory for stays where it is: that is no failure of the rest.
    fn set(&self, value: &Value, host: &Host<'_>) -> Result<(), ChangeError> {
        if *value != self.wanted() {
            return Ok(());
        }
        let jvm = self.process.jvm(host)?;
        let done = recorder::bring_in(host.roots, &jvm, host.interrupt);
        match done.map_err(|error| self.failed(error))? {
            BroughtIn::All | BroughtIn::NoRoom | BroughtIn::Interrupted => Ok(()),
        }
    }

    fn by_hand(&self, _value: &Value) -> Action {
        Action::say("no command brings back one process; swapoff does it for all of the host")
    }

    /// What is in swap changes by itself.
    fn reads_as_set(&self) -> bool {
        false
    }

    fn is_set(&self, now: &Value) -> bool {
        *now == self.wanted()
    }

    /// There is nothing to take back, whatever it is by then.
    fn are_same(&self, _a: &Value, _b: &Value) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_swap_is_brought_in_though_there_is_nothing_to_take_back() {
        let process = Process { pid: 1, start_ticks: 1, name: "a".into() };
        let change = InMemory { process };
        let swapped = value(716 << 20);
        assert!(!change.is_set(&swapped) && change.is_set(&value(0)));
        assert!(change.are_same(&swapped, &value(0)));
    }

    #[test]
    fn a_mebibyte_is_swapped_and_less_is_not() {
        assert_eq!(value((1 << 20) - 1).as_deref(), Some("in memory"));
        assert_eq!(value(1 << 20).as_deref(), Some("1 MiB in swap"));
        assert_eq!(value(716 << 20).as_deref(), Some("716 MiB in swap"));
    }
}
