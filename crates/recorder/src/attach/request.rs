//! The file that makes SIGQUIT an attach request and not a request for a thread dump.
use super::ConnectionError;
use crate::host::{By, ProcessDir, Rights};
use rustix::{
    fd::OwnedFd,
    fs::{AtFlags, Mode, OFlags, openat, unlinkat},
};
use std::{io, os::fd::AsRawFd};

/// Removed when dropped.
#[derive(Debug)]
pub(super) struct Request {
    rights: Rights,
    directory: OwnedFd,
    name: String,
}

impl Request {
    /// HotSpot looks in its working directory and in `/tmp`. It demands that the file belongs to
    /// its own user (or root, since JDK 11), so it is made with its rights.
    pub(super) fn place(process: &ProcessDir, pid_inside: u32) -> Result<Request, ConnectionError> {
        let name = format!(".attach_pid{pid_inside}");
        // `/tmp` first: a write to the working directory may be one to the disk that is slow
        let in_tmp = process.directory_inside("/tmp");
        let mut failed = None;
        for directory in [in_tmp, process.working_directory()] {
            let rights = Rights::of(process)?;
            match directory.and_then(|it| Request::in_directory(rights, it, name.clone())) {
                Ok(request) => return Ok(request),
                Err(error) => failed = Some(error),
            }
        }
        Err(failed.map_or(ConnectionError::NotResponding, ConnectionError::from))
    }

    fn in_directory(rights: Rights, directory: OwnedFd, name: String) -> io::Result<Request> {
        rights.run(&[directory.as_raw_fd()], |by| {
            if by == By::Us && !rustix::process::geteuid().is_root() {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
            // never through a link that somebody has planted, and never over a file that is there
            let flags = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::WRONLY;
            openat(&directory, &name, flags | OFlags::CLOEXEC, Mode::RUSR | Mode::WUSR)?;
            Ok(())
        })?;
        Ok(Request { rights, directory, name })
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        // HotSpot has removed it where it understood
        let _ = self.rights.run(&[self.directory.as_raw_fd()], |_| {
            Ok(unlinkat(&self.directory, &self.name, AtFlags::empty())?)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn directory(path: &std::path::Path) -> OwnedFd {
        fs::File::open(path).unwrap().into()
    }

    fn me() -> Rights {
        let (uid, gid) = (rustix::process::geteuid(), rustix::process::getegid());
        Rights::of_user(uid.as_raw(), gid.as_raw())
    }

    #[test]
    fn a_request_is_not_written_through_a_planted_link() {
        let root = tempfile::tempdir().unwrap();
        let victim = root.path().join("victim");
        let tmp = root.path().join("tmp");
        fs::create_dir(&tmp).unwrap();
        std::os::unix::fs::symlink(&victim, tmp.join(".attach_pid7")).unwrap();
        assert!(Request::in_directory(me(), directory(&tmp), ".attach_pid7".into()).is_err());
        assert!(!victim.exists());
    }

    #[test]
    fn a_request_goes_away_when_it_is_dropped() {
        let root = tempfile::tempdir().unwrap();
        let request = Request::in_directory(me(), directory(root.path()), ".attach_pid7".into());
        let request = request.unwrap();
        assert!(root.path().join(".attach_pid7").exists());
        drop(request);
        assert!(!root.path().join(".attach_pid7").exists());
    }

    #[test]
    fn a_request_is_not_made_where_the_jvm_may_not_write() {
        if !rustix::process::geteuid().is_root() {
            println!("SKIPPED: not root");
            return;
        }
        let root = tempfile::tempdir().unwrap();
        let nobody = Rights::of_user(65534, 65534);
        let made = Request::in_directory(nobody, directory(root.path()), ".attach_pid7".into());
        assert!(made.is_err());
    }
}
