//! Why an input tells nothing.

/// What is wrong, in one lower-case line; [`hint`](Error::hint) says what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    message: String,
    hint: String,
}

impl Error {
    /// With what to do about it, which may be empty.
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> Error {
        Error { message: message.into(), hint: hint.into() }
    }

    /// What to do about it; empty where there is nothing to say.
    #[must_use]
    pub fn hint(&self) -> &str {
        &self.hint
    }
}

impl From<logset::Error> for Error {
    fn from(error: logset::Error) -> Error {
        Error::new(error.to_string(), error.hint())
    }
}

impl From<recording::RecordingError> for Error {
    fn from(error: recording::RecordingError) -> Error {
        Error::new(error.to_string(), error.hint().unwrap_or_default())
    }
}
