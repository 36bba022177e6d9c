//! What can go wrong in the lab.
use std::{fmt, io};

/// What this host lacks to run a part of the lab, and how to get it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// What is missing; lower case, one line, without a full stop.
    pub lacks: String,
    /// What to do about it; may be empty.
    pub hint: String,
}

impl Reason {
    /// A reason with a hint.
    pub fn new(lacks: impl Into<String>, hint: impl Into<String>) -> Reason {
        Reason { lacks: lacks.into(), hint: hint.into() }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lacks)
    }
}

/// Why a run of the lab ended without a verdict.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// What was asked for does not exist.
    #[error("{message}")]
    Usage {
        /// One line.
        message: String,
        /// What exists instead.
        hint: String,
    },
    /// The host lacks something.
    #[error("the lab cannot run here: {0}")]
    CannotRun(Reason),
    /// Others use this host, and the user has not allowed the lab to run beside them.
    #[error("this host is in use: {0}")]
    InUse(String),
    /// A fault of the program: it was about to take something that it had not said before.
    #[error("not done, as it was not announced: {0}")]
    NotAnnounced(String),
    /// Another lab runs on this host; two would disturb each other.
    #[error("another lab is running (pid {pid})")]
    Busy {
        /// Its process id; 0 where unknown.
        pid: u32,
        /// Whether it only cleans up after one that was killed.
        cleaning: bool,
    },
    /// A step failed.
    #[error("cannot {doing}: {source}")]
    Step {
        /// What was being done.
        doing: String,
        /// The operating system's answer.
        source: io::Error,
    },
    /// A program that the lab uses failed.
    #[error("`{program}` failed: {message}")]
    Program {
        /// Its name.
        program: String,
        /// The last line it said, or its exit status.
        message: String,
    },
    /// Something that the lab did could not be undone.
    #[error("left behind: {0}")]
    LeftBehind(String),
    /// Ctrl-C or a termination signal.
    #[error("interrupted")]
    Interrupted,
}

impl LabError {
    /// Turns the operating system's answer into an error of the step `doing`.
    pub(crate) fn step<E: Into<io::Error>>(doing: impl Into<String>) -> impl FnOnce(E) -> LabError {
        let doing = doing.into();
        move |source| LabError::Step { doing, source: source.into() }
    }

    /// What to do about it, where there is something to do.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        let hint = match self {
            LabError::Usage { hint, .. } => hint.as_str(),
            LabError::CannotRun(reason) => reason.hint.as_str(),
            LabError::InUse(_) => {
                "the lab would take memory and CPUs from them; with `--on-this-host` it runs anyway"
            }
            LabError::Busy { .. } => "wait for it to end, or end it with Ctrl-C",
            LabError::LeftBehind(_) => "`whypause lab clean` tries again",
            _ => "",
        };
        (!hint.is_empty()).then_some(hint)
    }
}

impl From<spawn::Error> for LabError {
    fn from(error: spawn::Error) -> LabError {
        match error {
            spawn::Error::Start { program, source } => {
                LabError::Step { doing: format!("start `{program}`"), source }
            }
            spawn::Error::Wait { program, source } => {
                LabError::Step { doing: format!("wait for `{program}`"), source }
            }
            spawn::Error::Late { program, limit, .. } => {
                let message = format!("not done within {limit:?}, it was killed");
                LabError::Program { program, message }
            }
            spawn::Error::Ended { program, status, .. } => {
                LabError::Program { program, message: status.to_string() }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_what_and_hints_only_where_it_helps() {
        let missing = Reason::new("no loop devices", "modprobe loop");
        let error = LabError::CannotRun(missing);
        assert_eq!(error.to_string(), "the lab cannot run here: no loop devices");
        assert_eq!(error.hint(), Some("modprobe loop"));
        assert_eq!(LabError::Interrupted.hint(), None);
    }
}
