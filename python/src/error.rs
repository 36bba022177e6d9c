//! What went wrong, in the words of the program.
use arrow_schema::ArrowError;
use pyo3::{PyErr, Python, create_exception, exceptions::PyValueError, types::PyAnyMethods};

create_exception!(
    whypause,
    WhypauseError,
    PyValueError,
    "An input that cannot be read, or bytes that are something else.\n\n\
     Its text is what the program `whypause` says, with `hint: …` on a line of its own where there is one.\n\
     `message` and `hint` are the two alone; `hint` is empty where there is none."
);

/// What went wrong, and what to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Error {
    pub(crate) message: String,
    /// Empty where nothing helps.
    pub(crate) hint: String,
}

impl Error {
    pub(crate) fn new(message: impl Into<String>, hint: impl Into<String>) -> Error {
        Error { message: message.into(), hint: hint.into() }
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)?;
        if self.hint.is_empty() { Ok(()) } else { write!(f, "\nhint: {}", self.hint) }
    }
}

impl std::error::Error for Error {}

impl From<input::Error> for Error {
    fn from(error: input::Error) -> Error {
        Error::new(error.to_string(), error.hint())
    }
}

impl From<Error> for ArrowError {
    fn from(error: Error) -> ArrowError {
        ArrowError::ExternalError(Box::new(error))
    }
}

impl From<Error> for PyErr {
    fn from(error: Error) -> PyErr {
        let raised = PyErr::new::<WhypauseError, _>(error.to_string());
        Python::attach(|py| {
            let value = raised.value(py);
            // An exception takes any attribute; were it not so, the text would say it all the same.
            let _ = value.setattr("message", error.message);
            let _ = value.setattr("hint", error.hint);
        });
        raised
    }
}
