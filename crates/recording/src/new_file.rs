//! A new file beside a recording, that no other user can have planted, read or exchanged.
use crate::{RecordingError, trusted_path};
use rustix::fs::{AtFlags, Mode, OFlags, Uid, fchown, fstat, openat, statat, unlinkat};
use std::{
    ffi::OsString,
    fs::File,
    io::{self, Write},
    os::fd::OwnedFd,
    path::Path,
};

/// A file that is being written. Unless all of it was, nothing of it stays.
#[derive(Debug)]
pub struct NewFile {
    file: File,
    directory: OwnedFd,
    name: OsString,
    is_whole: bool,
}

impl NewFile {
    /// Makes it, for this user alone (mode 0600); with `sudo` for the user who called it, who is to look at
    /// it.
    ///
    /// # Errors
    ///
    /// Where something is there, or another user can change a directory on the way.
    pub fn create(path: &Path) -> Result<NewFile, RecordingError> {
        NewFile::create_for(path, trusted_path::sudo_caller())
    }

    fn create_for(path: &Path, caller: Option<u32>) -> Result<NewFile, RecordingError> {
        let (directory, name) = trusted_path::parent(path)?;
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(&directory, &name, flags, Mode::RUSR | Mode::WUSR);
        let file: File = file.map_err(|error| RecordingError::io(path, "create", error))?.into();
        if let Some(caller) = caller {
            // Where the file system knows no owners it is whose all files there are.
            let _ = fchown(&file, Some(Uid::from_raw(caller)), None);
        }
        Ok(NewFile { file, directory, name, is_whole: false })
    }

    /// All of it was written: it stays. Its size in bytes.
    ///
    /// # Errors
    ///
    /// Where it was removed, or the kernel does not tell.
    pub fn keep(mut self) -> io::Result<u64> {
        let bytes = self.file.metadata()?.len();
        if !self.has_its_name() {
            return Err(io::ErrorKind::NotFound.into());
        }
        self.is_whole = true;
        Ok(bytes)
    }

    /// Whether it is there still: it may be written for as long as a recording takes.
    fn has_its_name(&self) -> bool {
        let named = statat(&self.directory, &self.name, AtFlags::SYMLINK_NOFOLLOW);
        let own = fstat(&self.file);
        named.is_ok_and(|named| {
            own.is_ok_and(|own| (named.st_dev, named.st_ino) == (own.st_dev, own.st_ino))
        })
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if !self.is_whole && self.has_its_name() {
            let _ = unlinkat(&self.directory, &self.name, AtFlags::empty());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        fs::{self, Permissions},
        os::unix::fs::{MetadataExt, PermissionsExt},
    };

    #[test]
    fn it_is_for_its_user_alone_and_stays_only_whole() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("page.html");
        let mut half = NewFile::create(&path).unwrap();
        half.write_all(b"half").unwrap();
        drop(half);
        assert!(!path.exists());
        let mut whole = NewFile::create(&path).unwrap();
        whole.write_all(b"whole").unwrap();
        assert_eq!(whole.keep().unwrap(), 5);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(NewFile::create(&path).is_err(), "what is there is never overwritten");
    }

    #[test]
    fn what_has_taken_its_name_meanwhile_stays() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("page.html");
        for is_written in [false, true] {
            let file = NewFile::create(&path).unwrap();
            fs::remove_file(&path).unwrap();
            fs::write(&path, "another").unwrap();
            if is_written {
                assert_eq!(file.keep().unwrap_err().kind(), io::ErrorKind::NotFound);
            } else {
                drop(file);
            }
            assert_eq!(fs::read_to_string(&path).unwrap(), "another");
            fs::remove_file(&path).unwrap();
        }
    }

    /// It was root's, and the browser of the user who called `sudo` could not open it.
    #[test]
    fn with_sudo_it_is_the_callers() {
        const CALLER: u32 = 65_534;
        if !rustix::process::geteuid().is_root() {
            println!("SKIPPED: not root");
            return;
        }
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("page.html");
        NewFile::create_for(&path, Some(CALLER)).unwrap().keep().unwrap();
        let status = fs::metadata(&path).unwrap();
        assert_eq!((status.uid(), status.mode() & 0o777), (CALLER, 0o600));
    }

    /// What is said where a page is to be written to `PATH` below `DIR/open`, which has this mode.
    #[track_caller]
    fn check(mode: u32, path: &str, wanted: &str) {
        let directory = tempfile::tempdir().unwrap();
        let here = directory.path().canonicalize().unwrap();
        let open = here.join("open");
        fs::create_dir_all(open.join("below")).unwrap();
        for (path, mode) in [(open.join("below"), 0o755), (open.clone(), mode)] {
            fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        }
        let said = match NewFile::create(&open.join(path)) {
            Ok(file) => file.keep().map_or_else(|it| it.to_string(), |_| "fine".into()),
            Err(error) => error.to_string().replace(&*here.to_string_lossy(), "DIR"),
        };
        assert_eq!(said, wanted, "{mode:o} {path}");
    }

    #[test]
    fn it_is_not_made_where_others_can_put_something_else_there() {
        for path in ["page.html", "below/page.html", "missing/page.html"] {
            let refused =
                format!("refusing to write to `DIR/open/{path}`: others may write to `DIR/open`");
            check(0o777, path, &refused);
            check(0o770, path, &refused);
        }
        // The sticky bit keeps others from moving what is not theirs.
        check(0o1777, "page.html", "fine");
        check(0o1777, "below/page.html", "fine");
        check(0o755, "page.html", "fine");
        check(0o755, "missing/page.html", "no such directory: `DIR/open/missing`");
    }
}
