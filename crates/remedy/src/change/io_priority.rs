//! How urgent the kernel takes a process's reads and writes to be (`ioprio_set(2)`).
use super::{ChangeError, Host, Kind, Process, Value, has_ended, run};
use crate::{Action, Command};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The class and priority of all threads of a process, by `ionice`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IoPriority {
    /// The process.
    pub process: Process,
    /// As `ionice` says it: `idle`, `best-effort: prio 7`.
    pub to: String,
}

/// The priority of a process for which none was set.
const NONE: &str = "none";

/// The arguments of `ionice` for what it says; `None` for what it would never say.
fn arguments(said: &str) -> Option<Vec<String>> {
    let (class, rest) = said.split_once(':').unwrap_or((said, ""));
    let class = match class.trim() {
        "none" => "0",
        "realtime" => "1",
        "best-effort" => "2",
        "idle" => "3",
        _ => return None,
    };
    let priority = rest.trim().strip_prefix("prio ").and_then(|it| it.parse::<u8>().ok());
    let mut arguments = vec!["-c".to_owned(), class.to_owned()];
    if let Some(priority) = priority.filter(|_| matches!(class, "1" | "2")) {
        arguments.extend(["-n".to_owned(), priority.to_string()]);
    }
    Some(arguments)
}

impl IoPriority {
    /// It belongs to a thread, and a process writes with all of its threads.
    fn threads(&self, host: &Host<'_>) -> Vec<String> {
        let tasks = std::fs::read_dir(host.roots.proc.join(format!("{}/task", self.process.pid)));
        let names = tasks
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|it| it.file_name().into_string().ok());
        names.collect()
    }
}

impl Kind for IoPriority {
    fn subject(&self) -> String {
        format!("I/O priority of {}", self.process)
    }

    fn process(&self) -> Option<&Process> {
        Some(&self.process)
    }

    fn wanted(&self) -> Value {
        Some(self.to.clone())
    }

    fn now(&self, _host: &Host<'_>) -> Result<Value, ChangeError> {
        let held = self.process.held()?;
        let said = run(&["ionice", "-p", &self.process.pid.to_string()])?;
        if has_ended(&held, Duration::ZERO) {
            return Err(self.process.gone());
        }
        // The number behind `none` is no choice of anybody's: the kernel derives it from `nice`.
        let said = if said.starts_with(NONE) { NONE } else { said.trim() };
        Ok(Some(said.to_owned()))
    }

    fn set(&self, value: &Value, host: &Host<'_>) -> Result<(), ChangeError> {
        let held = self.process.held()?;
        let said = value.as_deref().unwrap_or(NONE);
        let unknown = || ChangeError::Refused(format!("`{said}` is no I/O priority"));
        let mut argv = vec!["ionice".to_owned()];
        argv.extend(arguments(said).ok_or_else(unknown)?);
        argv.push("-p".into());
        argv.extend(self.threads(host));
        let argv: Vec<&str> = argv.iter().map(String::as_str).collect();
        run(&argv)?;
        self.process.was_meant(&held, "changed")
    }

    fn by_hand(&self, value: &Value) -> Action {
        let arguments = arguments(value.as_deref().unwrap_or(NONE)).unwrap_or_default();
        let command = Command::new("ionice").args(arguments).arg("-p");
        Action::run([command.arg(self.process.pid.to_string())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ionice_says_it_can_be_told() {
        let check = |said: &str, expected: &str| {
            assert_eq!(arguments(said).unwrap().join(" "), expected, "{said}");
        };
        check("idle", "-c 3");
        check("none: prio 4", "-c 0");
        check("best-effort: prio 7", "-c 2 -n 7");
        check("realtime: prio 0", "-c 1 -n 0");
        assert_eq!(arguments("unknown: prio 4"), None);
        assert_eq!(arguments(""), None);
    }
}
