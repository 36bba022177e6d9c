//! What went wrong, in one line, and what to do about it, in another.
use crate::Exit;
use std::{io, path::Path};

/// Why a command ended early.
#[derive(Debug, PartialEq, Eq)]
pub enum Failure {
    /// Something to say.
    Said {
        /// One lower-case line without a full stop.
        message: String,
        /// What to do about it; likewise.
        hint: Option<String>,
        /// How the program ends.
        exit: Exit,
    },
    /// The reader of the output is gone, as in `whypause explain gc.log | head`. Nothing is wrong, and
    /// no message is written.
    OutputClosed,
}

impl Failure {
    /// Wrong arguments, bad input, or a host that refuses.
    pub fn input(message: impl Into<String>, hint: impl Into<String>) -> Failure {
        Failure::Said { message: message.into(), hint: some(hint.into()), exit: Exit::Usage }
    }

    /// Sound input that cannot answer the question.
    pub fn not_enough(message: impl Into<String>, hint: impl Into<String>) -> Failure {
        Failure::Said { message: message.into(), hint: some(hint.into()), exit: Exit::NotEnough }
    }

    /// The system refused to do something with `path`.
    pub fn file(path: &Path, error: &io::Error) -> Failure {
        let path = path.display();
        match error.kind() {
            io::ErrorKind::NotFound => Failure::input(
                format!("no such file or directory: `{path}`"),
                "give a GC log, a recording made by `whypause record`, or `-` for standard input",
            ),
            io::ErrorKind::PermissionDenied => Failure::input(
                format!("no permission to read `{path}`"),
                "logs and recordings often belong to another user: try sudo",
            ),
            _ => Failure::input(format!("cannot read `{path}`: {}", reason(error)), ""),
        }
    }

    /// How the program ends.
    #[must_use]
    pub fn exit(&self) -> Exit {
        match self {
            Failure::Said { exit, .. } => *exit,
            Failure::OutputClosed => Exit::Fine,
        }
    }
}

fn some(hint: String) -> Option<String> {
    Some(hint).filter(|hint| !hint.is_empty())
}

/// The system's message without `(os error 5)`, in lower case as all messages are.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// Errors of writing the output.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::OutputClosed,
            _ => Failure::input(format!("cannot write the output: {}", reason(&error)), ""),
        }
    }
}

impl From<recording::RecordingError> for Failure {
    fn from(error: recording::RecordingError) -> Failure {
        Failure::input(error.to_string(), error.hint().unwrap_or_default())
    }
}

impl From<input::Error> for Failure {
    fn from(error: input::Error) -> Failure {
        Failure::input(error.to_string(), error.hint())
    }
}

impl From<lab::LabError> for Failure {
    fn from(error: lab::LabError) -> Failure {
        let exit = match error {
            lab::LabError::Interrupted => Exit::Interrupted,
            _ => Exit::Usage,
        };
        let hint = error.hint().map(ToOwned::to_owned);
        Failure::Said { message: error.to_string(), hint, exit }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_systems_words_are_made_ours() {
        let error = io::Error::from_raw_os_error(5);
        assert_eq!(reason(&error), "input/output error");
    }

    #[test]
    fn a_closed_pipe_is_no_error() {
        let failure = Failure::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!(failure.exit().code(), 0);
    }
}
