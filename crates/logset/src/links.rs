//! Opening a file that was named, or found.
use rustix::fs::{Mode, OFlags};
use std::{fs::File, io, path::Path};

/// What to do where a path's last part is a symbolic link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Links {
    /// The user named it.
    Follow,
    /// It was found, and another user may have put it there.
    Refuse,
}

/// Opens a file for reading. What was found must be a regular file, and still be one now.
pub(crate) fn open(path: &Path, links: Links) -> io::Result<File> {
    if links == Links::Follow {
        return File::open(path);
    }
    // Without NONBLOCK, opening a FIFO waits for ever.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = File::from(rustix::fs::open(path, flags | OFlags::CLOEXEC, Mode::empty())?);
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    Ok(file)
}
