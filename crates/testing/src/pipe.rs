//! A pipe with a name, of which the test is the reader.
use std::{fs::File, fs::OpenOptions, os::unix::fs::OpenOptionsExt, path::Path};

/// Makes a pipe there, open for both ends, so that its end is never that of the file, and without waiting: what is
/// not in it is not waited for.
///
/// # Panics
/// Where none can be made there.
#[must_use]
pub fn pipe(path: &Path) -> File {
    let kind = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, path, kind, 0o600.into(), 0).expect("a pipe");
    let nonblocking = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags(nonblocking).open(path).expect("both ends")
}
