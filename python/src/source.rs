//! What is read: paths, bytes in memory, or what a file object of Python gave.
use pyo3::{
    Bound, PyAny, PyResult,
    pybacked::PyBackedBytes,
    types::{PyAnyMethods, PyBytes, PyBytesMethods},
};
use std::{
    fs::File,
    io::{self, Cursor, Read, Write},
    os::unix::fs::FileExt,
    path::PathBuf,
    sync::Arc,
};

/// What a file object gives up to here stays in memory, the rest goes to a temporary file without a name.
const MOST_IN_MEMORY: usize = 64 << 20;
/// How much it is asked for at once.
const AT_ONCE: usize = 1 << 20;

/// What is read, any number of times.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Paths(Vec<PathBuf>),
    /// The bytes of a log, and what to call it.
    Bytes(Arc<PyBackedBytes>, String),
    /// The same in a file.
    Spooled(Arc<File>, String),
}

impl Source {
    /// From the bytes or the file object `given`; the latter is read to its end now, as no other thread may do
    /// it: it belongs to Python.
    pub(crate) fn of(given: &Bound<'_, PyAny>, name: String) -> PyResult<Source> {
        if let Ok(bytes) = given.extract() {
            return Ok(Source::Bytes(Arc::new(bytes), name));
        }
        let mut file = None;
        let mut begin = Vec::new();
        loop {
            let chunk = given.call_method1("read", (AT_ONCE,))?;
            let chunk = chunk.cast::<PyBytes>()?.as_bytes();
            if chunk.is_empty() {
                break;
            }
            if file.is_none() && begin.len() + chunk.len() > MOST_IN_MEMORY {
                let mut made = tempfile::tempfile()?;
                made.write_all(&std::mem::take(&mut begin))?;
                file = Some(made);
            }
            match &mut file {
                Some(file) => file.write_all(chunk)?,
                None => begin.extend_from_slice(chunk),
            }
        }
        Ok(match file {
            Some(file) => Source::Spooled(Arc::new(file), name),
            None => Source::Bytes(Arc::new(PyBytes::new(given.py(), &begin).into()), name),
        })
    }

    /// Its bytes from the begin on, and its name; nothing of paths.
    pub(crate) fn reader(&self) -> Option<(Box<dyn Read + Send>, &str)> {
        match self {
            Source::Paths(_) => None,
            Source::Bytes(bytes, name) => {
                Some((Box::new(Cursor::new(Shared(bytes.clone()))), name))
            }
            Source::Spooled(file, name) => {
                Some((Box::new(FromBegin { file: file.clone(), at: 0 }), name))
            }
        }
    }
}

/// Bytes that Python owns.
struct Shared(Arc<PyBackedBytes>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// A file from its begin on, wherever others are in it.
struct FromBegin {
    file: Arc<File>,
    at: u64,
}

impl Read for FromBegin {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(into, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}
