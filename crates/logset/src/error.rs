//! Why an input cannot be used.
use std::{fmt, io, path::Path};

/// What is wrong with an input, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    message: String,
    hint: String,
}

impl Error {
    pub(crate) fn new(message: impl Into<String>, hint: impl Into<String>) -> Error {
        Error { message: message.into(), hint: hint.into() }
    }

    /// The system refused to do something with the file.
    #[must_use]
    pub fn file(path: &Path, error: &io::Error) -> Error {
        let path = path.display();
        match error.kind() {
            io::ErrorKind::NotFound => Error::new(
                format!("no such file or directory: `{path}`"),
                "give a GC log, a recording made by `whypause record`, or `-` for standard input",
            ),
            io::ErrorKind::PermissionDenied => Error::new(
                format!("no permission to read `{path}`"),
                "logs and recordings often belong to another user: try sudo",
            ),
            _ => Error::new(format!("cannot read `{path}`: {}", reason(error)), ""),
        }
    }

    /// What to do about it; empty where there is nothing to say.
    #[must_use]
    pub fn hint(&self) -> &str {
        &self.hint
    }
}

/// The system's message without `(os error 5)`, in lower case as all messages are.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
