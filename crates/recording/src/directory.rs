//! The directory of a recording: every file operation goes through its descriptor.
//!
//! Others may own a directory above it (`/dev/shm`), so nothing is reached by path twice, no
//! symbolic link inside is followed, and new files are created exclusively.
use crate::{RecordingError, part::Part, trusted_path};
use rustix::{
    fs::{self, AtFlags, FileType, FlockOperation, Mode, OFlags},
    io::Errno,
};
use std::{
    ffi::{OsStr, OsString},
    fs::File,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
};

/// Most files that are looked at in a directory; a recording of a day has about 2,000.
const MAX_FILES: usize = 200_000;
/// Names that are tried for a new directory before giving up.
const MAX_NAMES: u32 = 1000;

/// An open directory.
#[derive(Debug)]
pub(crate) struct Directory {
    fd: OwnedFd,
    path: PathBuf,
    /// The directory that holds it and its name there, where it was made here.
    made: Option<(OwnedFd, OsString)>,
    /// Whether what is written is to be on storage.
    syncs: bool,
}

impl Drop for Directory {
    fn drop(&mut self) {
        // A child of another thread that has not begun its program yet has the descriptor as well, and
        // with it the lock, if it is not given back.
        let _ = fs::flock(&self.fd, FlockOperation::Unlock);
    }
}

impl Directory {
    /// Makes a new directory with mode 0700, or takes an empty one, and locks it. Refused where
    /// another user can change it or one above it.
    pub(crate) fn create(path: &Path) -> Result<Directory, RecordingError> {
        let (parent, name) = trusted_path::parent(path)?;
        match fs::mkdirat(&parent, &name, Mode::RWXU) {
            Ok(()) => return Directory::enter_new(parent, &name, path),
            Err(Errno::EXIST) => {}
            Err(Errno::NOENT) => return Err(no_parent(path)),
            Err(error) => return Err(RecordingError::io(path, "create the directory", error)),
        }
        let directory = Directory::open_at(&parent, &name, path)?.locked()?;
        trusted_path::verify_end(path, &directory.fd)?;
        if directory.names()?.is_empty() {
            return Ok(directory);
        }
        Err(RecordingError::NotEmpty { path: path.into() })
    }

    /// Makes a directory that did not exist: `name` in `place`, or else `name-2`, `name-3` and so
    /// on, so that two that begin in the same second do not meet.
    pub(crate) fn create_new(place: &Path, name: &str) -> Result<Directory, RecordingError> {
        let path = place.join(name);
        let (parent, _) = trusted_path::parent(&path)?;
        for number in 1..=MAX_NAMES {
            let name = if number == 1 { name.to_owned() } else { format!("{name}-{number}") };
            let path = place.join(&name);
            match fs::mkdirat(&parent, &name, Mode::RWXU) {
                Ok(()) => return Directory::enter_new(parent, OsStr::new(&name), &path),
                Err(Errno::EXIST) => {}
                Err(error) => return Err(RecordingError::io(path, "create the directory", error)),
            }
        }
        Err(RecordingError::io(path, "create the directory", Errno::EXIST))
    }

    /// Opens a directory to keep others in, or makes it with mode 0700. Refused where another user can
    /// change it or one above it.
    pub(crate) fn make(path: &Path) -> Result<Directory, RecordingError> {
        let (parent, name) = trusted_path::parent(path)?;
        match fs::mkdirat(&parent, &name, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(Errno::NOENT) => return Err(no_parent(path)),
            Err(error) => return Err(RecordingError::io(path, "create the directory", error)),
        }
        let directory = Directory::open_at(&parent, &name, path)?;
        trusted_path::verify_end(path, &directory.fd)?;
        Ok(directory)
    }

    /// Removes a recording in this directory with all its files, unless it is being written. What else
    /// there is stays, and the directory with it.
    pub(crate) fn remove_recording(&self, name: &str) -> Result<(), RecordingError> {
        let path = self.path.join(name);
        let inside = Directory::open_at(&self.fd, OsStr::new(name), &path)?.locked()?;
        inside.names()?.iter().try_for_each(|it| inside.remove(it))?;
        fs::unlinkat(&self.fd, name, AtFlags::REMOVEDIR)
            .map_err(|error| RecordingError::io(path, "remove", error))
    }

    fn enter_new(parent: OwnedFd, name: &OsStr, path: &Path) -> Result<Directory, RecordingError> {
        let mut directory = Directory::open_at(&parent, name, path)?.locked()?;
        trusted_path::verify_end(path, &directory.fd)?;
        directory.made = Some((parent, name.to_owned()));
        Ok(directory)
    }

    fn open_at(parent: &OwnedFd, name: &OsStr, path: &Path) -> Result<Directory, RecordingError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = fs::openat(parent, name, flags, Mode::empty());
        let fd = fd.map_err(|error| match cannot_open(path, error) {
            RecordingError::NotARecording { path, .. } => RecordingError::NotADirectory { path },
            other => other,
        })?;
        Ok(Directory { fd, path: path.into(), made: None, syncs: true })
    }

    /// Opens a directory in this one. A link is none.
    pub(crate) fn inside(&self, name: &str) -> Result<Directory, RecordingError> {
        Directory::open_at(&self.fd, OsStr::new(name), &self.path.join(name))
    }

    /// Removes a directory in this one if it is empty, and says nothing otherwise.
    pub(crate) fn remove_if_empty(&self, name: &str) {
        let _ = fs::unlinkat(&self.fd, name, AtFlags::REMOVEDIR);
    }

    /// Removes it if it was made here and is empty; one that was there before stays.
    pub(crate) fn discard(&self) {
        if let Some((parent, name)) = &self.made {
            // What is not empty is not ours alone any more, and what is gone need not be removed.
            let _ = fs::unlinkat(parent, name, AtFlags::REMOVEDIR);
        }
    }

    /// Whether it was removed since it was opened.
    pub(crate) fn is_removed(&self) -> bool {
        fs::fstat(&self.fd).is_ok_and(|status| status.st_nlink == 0)
    }

    /// Opens it to read. A link to it is followed: the user named it.
    pub(crate) fn open(path: &Path) -> Result<Directory, RecordingError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = fs::open(path, flags, Mode::empty()).map_err(|error| cannot_open(path, error))?;
        Ok(Directory { fd, path: path.into(), made: None, syncs: true })
    }

    fn locked(self) -> Result<Directory, RecordingError> {
        match fs::flock(&self.fd, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(self),
            Err(Errno::WOULDBLOCK) => Err(RecordingError::InUse { path: self.path.clone() }),
            // Not every file system can lock; two writers still cannot create the same file.
            Err(_) => Ok(self),
        }
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes that its file system has left for this user, or `None` where that is unknown.
    pub(crate) fn free_bytes(&self) -> Option<u64> {
        let system = fs::fstatvfs(&self.fd).ok()?;
        system.f_bavail.checked_mul(system.f_frsize)
    }

    /// Names of its entries, at most [`MAX_FILES`].
    fn names(&self) -> Result<Vec<String>, RecordingError> {
        self.some_names(MAX_FILES)
    }

    /// Names of its entries, at most this many.
    pub(crate) fn some_names(&self, most: usize) -> Result<Vec<String>, RecordingError> {
        let failed = |error| RecordingError::io(&self.path, "list", error);
        let mut names = Vec::new();
        for entry in fs::Dir::read_from(&self.fd).map_err(failed)?.take(most) {
            let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
            if name != "." && name != ".." {
                names.push(name);
            }
        }
        Ok(names)
    }

    /// The parts of the recording in it, oldest first.
    pub(crate) fn parts(&self) -> Result<Vec<Part>, RecordingError> {
        let mut parts: Vec<Part> =
            self.names()?.iter().filter_map(|name| Part::parse(name)).collect();
        parts.sort();
        Ok(parts)
    }

    /// Creates a file that must not exist.
    pub(crate) fn create_file(&self, name: &str) -> Result<File, RecordingError> {
        let flags =
            OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        fs::openat(&self.fd, name, flags, Mode::RUSR | Mode::WUSR)
            .map(File::from)
            .map_err(|error| self.error(name, "create", error))
    }

    /// Opens a file to read. Anything but a regular file is refused, and never waited for.
    pub(crate) fn open_file(&self, name: &str) -> Result<File, RecordingError> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let fd = fs::openat(&self.fd, name, flags, Mode::empty())
            .map_err(|error| self.error(name, "read", error))?;
        let status = fs::fstat(&fd).map_err(|error| self.error(name, "read", error))?;
        if FileType::from_raw_mode(status.st_mode) == FileType::RegularFile {
            return Ok(File::from(fd));
        }
        Err(self.error(name, "read", Errno::INVAL))
    }

    /// Whether there is a regular file of this name.
    pub(crate) fn is_file(&self, name: &str) -> bool {
        let status = fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW);
        status.is_ok_and(|it| FileType::from_raw_mode(it.st_mode) == FileType::RegularFile)
    }

    /// Locks a file for as long as it is open, if no other process has: whether that is so. `None` where its file
    /// system knows no locks.
    pub(crate) fn lock_file(file: &File) -> Option<bool> {
        match fs::flock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Some(true),
            Err(Errno::WOULDBLOCK) => Some(false),
            Err(_) => None,
        }
    }

    /// Length of a file, or 0 where there is none.
    pub(crate) fn bytes(&self, name: &str) -> u64 {
        fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW)
            .map_or(0, |status| u64::try_from(status.st_size).unwrap_or(0))
    }

    /// What a file takes on storage: of a length that is mostly a hole it is little.
    pub(crate) fn stored_bytes(&self, name: &str) -> u64 {
        fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW).map_or(0, |status| {
            let blocks = u64::try_from(status.st_blocks).unwrap_or(0).saturating_mul(512);
            u64::try_from(status.st_size).unwrap_or(0).min(blocks)
        })
    }

    /// Renames a file, replacing what had the name.
    pub(crate) fn rename(&self, from: &str, to: &str) -> Result<(), RecordingError> {
        fs::renameat(&self.fd, from, &self.fd, to)
            .map_err(|error| self.error(from, "rename", error))
    }

    /// Renames, where nothing has the new name.
    pub(crate) fn rename_new(&self, from: &str, to: &str) -> Result<(), RecordingError> {
        let renamed = fs::renameat_with(&self.fd, from, &self.fd, to, fs::RenameFlags::NOREPLACE);
        let renamed = match renamed {
            // NFS has no such flag. No other process gives the same name at the same moment.
            Err(Errno::INVAL) => match fs::statat(&self.fd, to, AtFlags::SYMLINK_NOFOLLOW) {
                Err(Errno::NOENT) => fs::renameat(&self.fd, from, &self.fd, to),
                Ok(_) => Err(Errno::EXIST),
                Err(error) => Err(error),
            },
            renamed => renamed,
        };
        renamed.map_err(|error| self.error(to, "create", error))
    }

    /// Removes a file if it is there.
    pub(crate) fn remove(&self, name: &str) -> Result<(), RecordingError> {
        match fs::unlinkat(&self.fd, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(self.error(name, "remove", error)),
        }
    }

    /// Nothing is waited for until it is on storage, from now on.
    pub(crate) fn without_sync(self) -> Directory {
        // Not by an update of fields: the lock goes where one is dropped.
        let mut it = self;
        it.syncs = false;
        it
    }

    /// Whether files are to be synced.
    pub(crate) fn syncs(&self) -> bool {
        self.syncs
    }

    /// Waits until the names are on storage.
    pub(crate) fn sync(&self) -> Result<(), RecordingError> {
        if !self.syncs {
            return Ok(());
        }
        fs::fsync(&self.fd).map_err(|error| RecordingError::io(&self.path, "sync", error))
    }

    /// The error for a file inside.
    pub(crate) fn error(
        &self,
        name: &str,
        wanted: &'static str,
        error: impl Into<std::io::Error>,
    ) -> RecordingError {
        RecordingError::io(self.path.join(name), wanted, error)
    }
}

fn no_parent(path: &Path) -> RecordingError {
    let parent = path.parent().filter(|it| !it.as_os_str().is_empty());
    RecordingError::NoSuchDirectory { path: parent.unwrap_or(path).into() }
}

fn cannot_open(path: &Path, error: Errno) -> RecordingError {
    let link = path.symlink_metadata().is_ok_and(|status| status.is_symlink());
    match error {
        Errno::NOENT => RecordingError::NoSuchDirectory { path: path.into() },
        Errno::LOOP | Errno::NOTDIR if link => {
            RecordingError::Unsafe { path: path.into(), why: "it is a symbolic link" }
        }
        Errno::NOTDIR => {
            RecordingError::NotARecording { path: path.into(), why: "is no directory" }
        }
        error => RecordingError::io(path, "open", error),
    }
}
