//! Opens the directory above a new one component by component; rejects one that another user could change.
//!
//! The recorder runs as root beside untrusted users. The owner of a directory above the
//! recording, or a user who may write to one, can move what is below it away and put something else there,
//! such as a link, or a recording with false facts. So every directory from `/` on is
//! opened once, looked at, and held while the next is opened inside it: nothing is reached by path
//! twice. Of links those of this user and of root are followed, and of these only their target is
//! walked the same way.
use crate::RecordingError;
use rustix::{
    fs::{self, CWD, FileType, Mode, OFlags, Stat},
    io::Errno,
    process::geteuid,
};
use std::{
    env,
    ffi::{OsStr, OsString},
    io,
    os::{fd::OwnedFd, unix::ffi::OsStringExt},
    path::{Component, Path, PathBuf},
};

/// Links followed at most, as the kernel does (`MAXSYMLINKS` of `include/linux/namei.h`).
const MAX_LINKS: u32 = 40;

/// The directory that holds a path's last name, open, and that name. The name is `.` where the
/// path ends in none.
///
/// # Errors
///
/// [`RecordingError::UnsafePath`] where another user can change a directory on the way,
/// [`RecordingError::NoSuchDirectory`], [`RecordingError::Permission`], [`RecordingError::Io`].
pub(crate) fn parent(path: &Path) -> Result<(OwnedFd, OsString), RecordingError> {
    let failed = |error: io::Error| RecordingError::io(path, "find", error);
    let whole = std::path::absolute(path).map_err(failed)?;
    let (above, name) = match (whole.parent(), whole.file_name()) {
        (Some(above), Some(name)) => (above, name),
        _ => (&*whole, OsStr::new(".")),
    };
    let mut walk = Walk::start(path)?;
    walk.down(above)?;
    Ok((walk.at, name.to_owned()))
}

/// Verifies that a directory that is to be written to is one that others cannot change.
pub(crate) fn verify_end(path: &Path, fd: &OwnedFd) -> Result<(), RecordingError> {
    let status = fs::fstat(fd).map_err(|error| RecordingError::io(path, "inspect", error))?;
    let refuse = |why| Err(RecordingError::Unsafe { path: path.into(), why });
    if !Trusted::here(path)?.has(status.st_uid) {
        return refuse("it belongs to another user");
    }
    // The sticky bit keeps others from removing what is in it, not from adding to it.
    if mode(&status).intersects(Mode::WGRP | Mode::WOTH) {
        return refuse("others may write to it");
    }
    Ok(())
}

fn mode(status: &Stat) -> Mode {
    Mode::from_raw_mode(status.st_mode)
}

/// Users who may change what is on the way.
#[derive(Debug)]
struct Trusted(Vec<u32>);

impl Trusted {
    /// Root and this user; the caller of [sudo](sudo_caller), who chose the path; and the owner of `/`, who
    /// can replace everything below it (in a user namespace that is not 0).
    fn here(path: &Path) -> Result<Trusted, RecordingError> {
        let root = fs::stat("/").map_err(|error| RecordingError::io(path, "find", error))?;
        let mut users = vec![0, geteuid().as_raw(), root.st_uid];
        users.extend(sudo_caller());
        Ok(Trusted(users))
    }

    fn has(&self, uid: u32) -> bool {
        self.0.contains(&uid)
    }
}

/// The user for whom this is root, by `sudo`; `None` where that is not known for certain.
pub(crate) fn sudo_caller() -> Option<u32> {
    let variable = env::var("SUDO_UID").ok().filter(|_| geteuid().is_root());
    let login = std::fs::read_to_string("/proc/self/loginuid").unwrap_or_default();
    caller(variable.as_deref(), &login)
}

/// Who called sudo, if by the kernel that user has logged in here (`loginuid`): any user may
/// have put the variable into the environment of a service, or of a shell that root has taken over.
fn caller(sudo_uid: Option<&str>, login: &str) -> Option<u32> {
    let caller: u32 = sudo_uid?.parse().ok()?;
    (login.trim().parse() == Ok(caller)).then_some(caller)
}

/// One directory after another, from `/`.
struct Walk<'a> {
    /// What the user asked for.
    requested: &'a Path,
    trusted: Trusted,
    at: OwnedFd,
    /// Where `at` is, for messages.
    shown: PathBuf,
    links: u32,
}

impl<'a> Walk<'a> {
    fn start(requested: &'a Path) -> Result<Walk<'a>, RecordingError> {
        let failed = |error| RecordingError::io(requested, "find", error);
        let at = open(CWD, OsStr::new("/")).map_err(failed)?;
        let trusted = Trusted::here(requested)?;
        let mut walk = Walk { requested, trusted, at, shown: "/".into(), links: 0 };
        walk.enter(open(CWD, OsStr::new("/")).map_err(failed)?, "/".into())?;
        Ok(walk)
    }

    fn down(&mut self, path: &Path) -> Result<(), RecordingError> {
        for component in path.components() {
            match component {
                Component::RootDir => self.step(OsStr::new("/"))?,
                Component::ParentDir => self.step(OsStr::new(".."))?,
                Component::Normal(name) => self.step(name)?,
                Component::CurDir | Component::Prefix(_) => {}
            }
        }
        Ok(())
    }

    fn step(&mut self, name: &OsStr) -> Result<(), RecordingError> {
        let shown = match name.as_encoded_bytes() {
            b".." => self.shown.parent().unwrap_or(Path::new("/")).to_owned(),
            _ => self.shown.join(name),
        };
        let fd = open(&self.at, name).map_err(|error| match error {
            Errno::NOENT => RecordingError::NoSuchDirectory { path: shown.clone() },
            error => RecordingError::io(&shown, "inspect", error),
        })?;
        let status = self.status(&fd)?;
        match FileType::from_raw_mode(status.st_mode) {
            FileType::Symlink => self.follow(&fd, &status, &shown),
            FileType::Directory => self.enter(fd, shown),
            _ => Err(RecordingError::io(shown, "inspect", Errno::NOTDIR)),
        }
    }

    fn enter(&mut self, fd: OwnedFd, shown: PathBuf) -> Result<(), RecordingError> {
        let status = self.status(&fd)?;
        if !self.trusted.has(status.st_uid) {
            return self.refuse("another user owns", &shown);
        }
        // With the sticky bit others may add to it, but not move what is ours.
        let by_others = mode(&status).intersects(Mode::WGRP | Mode::WOTH);
        if by_others && !mode(&status).contains(Mode::SVTX) {
            return self.refuse("others may write to", &shown);
        }
        (self.at, self.shown) = (fd, shown);
        Ok(())
    }

    fn follow(
        &mut self,
        link: &OwnedFd,
        status: &Stat,
        shown: &Path,
    ) -> Result<(), RecordingError> {
        if !self.trusted.has(status.st_uid) {
            return self.refuse("another user made the link", shown);
        }
        self.links += 1;
        if self.links > MAX_LINKS {
            return Err(RecordingError::io(shown, "follow", Errno::LOOP));
        }
        let target = fs::readlinkat(link, "", Vec::new());
        let target = target.map_err(|error| RecordingError::io(shown, "follow", error))?;
        self.down(Path::new(&OsString::from_vec(target.into_bytes())))
    }

    fn status(&self, fd: &OwnedFd) -> Result<Stat, RecordingError> {
        fs::fstat(fd).map_err(|error| RecordingError::io(self.requested, "inspect", error))
    }

    fn refuse(&self, why: &'static str, above: &Path) -> Result<(), RecordingError> {
        Err(RecordingError::UnsafePath { path: self.requested.into(), why, above: above.into() })
    }
}

/// Opens whatever has this name, itself if it is a link, without touching it.
fn open(at: impl std::os::fd::AsFd, name: &OsStr) -> Result<OwnedFd, Errno> {
    fs::openat(at, name, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_called_sudo_is_believed_only_where_the_kernel_says_so() {
        assert_eq!(caller(Some("1000"), "1000"), Some(1000));
        assert_eq!(caller(Some("1000"), "1000\n"), Some(1000));
        assert_eq!(caller(Some("1000"), "1001"), None);
        // Nobody has logged in: a service, or a container.
        assert_eq!(caller(Some("1000"), "4294967295"), None);
        assert_eq!(caller(Some("1000"), ""), None);
        assert_eq!(caller(None, "1000"), None);
        assert_eq!(caller(Some("x"), "x"), None);
    }
    use rustix::fs::{Gid, Uid};
    use std::os::unix::fs::{PermissionsExt, symlink};

    /// Another user; `nobody` on Debian.
    const NOBODY: u32 = 65_534;

    /// What `prepare` made below a new directory DIR, and what is said of `DIR/PATH`.
    fn check(prepare: impl FnOnce(&Path), path: &str, wanted: &str) {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let here = dir.path().canonicalize().expect("it exists");
        prepare(&here);
        let said = match parent(&here.join(path)) {
            Ok((_, name)) => format!("fine, {}", name.display()),
            Err(error) => error.to_string().replace(&*here.to_string_lossy(), "DIR"),
        };
        assert_eq!(said, wanted);
    }

    fn make(path: &Path, mode: u32) {
        std::fs::create_dir(path).expect("mkdir");
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).expect("chmod");
    }

    #[test]
    fn who_may_write_to_a_directory_above_decides() {
        check(|_| {}, "rec", "fine, rec");
        check(|_| {}, "rec/.", "fine, rec");
        check(|_| {}, "a/rec", "no such directory: `DIR/a`");
        check(|dir| make(&dir.join("a"), 0o755), "a/rec", "fine, rec");
        check(|dir| make(&dir.join("a"), 0o1777), "a/rec", "fine, rec");
        let refused = "refusing to write to `DIR/a/b/rec`: others may write to `DIR/a`";
        for mode in [0o777, 0o775, 0o757] {
            let both = |dir: &Path| {
                make(&dir.join("a"), mode);
                make(&dir.join("a/b"), 0o755);
            };
            check(both, "a/b/rec", refused);
            // Leaving it again does not make it safe: `b/..` is where its owner wants it.
            check(
                both,
                "a/b/../rec",
                "refusing to write to `DIR/a/b/../rec`: others may write to `DIR/a`",
            );
        }
    }

    #[test]
    fn links_are_walked_like_what_they_lead_to() {
        let leading = |to: &'static str, mode: u32| {
            move |dir: &Path| {
                make(&dir.join("there"), mode);
                symlink(to, dir.join("link")).expect("a link");
            }
        };
        check(leading("there", 0o755), "link/rec", "fine, rec");
        check(leading("./../../tmp", 0o755), "link/../rec", "fine, rec");
        let refused = "refusing to write to `DIR/link/rec`: others may write to `DIR/there`";
        check(leading("there", 0o777), "link/rec", refused);
        check(
            |dir| symlink("link", dir.join("link")).expect("a link"),
            "link/rec",
            "cannot follow `DIR/link`: Too many levels of symbolic links (os error 40)",
        );
        check(
            |dir| std::fs::write(dir.join("file"), "").expect("writing"),
            "file/rec",
            "cannot inspect `DIR/file`: Not a directory (os error 20)",
        );
    }

    #[test]
    fn what_another_user_owns_is_refused() {
        if !geteuid().is_root() {
            println!("SKIPPED: not root");
            return;
        }
        let give = |path: &Path| {
            let (user, group) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
            let flags = fs::AtFlags::SYMLINK_NOFOLLOW;
            fs::chownat(CWD, path, Some(user), Some(group), flags).expect("chown");
        };
        let theirs = |dir: &Path| {
            make(&dir.join("a"), 0o700);
            make(&dir.join("a/b"), 0o700);
            give(&dir.join("a"));
        };
        check(theirs, "a/rec", "refusing to write to `DIR/a/rec`: another user owns `DIR/a`");
        check(theirs, "a/b/rec", "refusing to write to `DIR/a/b/rec`: another user owns `DIR/a`");
        let link = |dir: &Path| {
            make(&dir.join("there"), 0o755);
            symlink("there", dir.join("link")).expect("a link");
            give(&dir.join("link"));
        };
        let refused = "refusing to write to `DIR/link/rec`: another user made the link `DIR/link`";
        check(link, "link/rec", refused);
    }
}
