//! Where recordings are kept by default.
//!
//! Memory comes first: a recorder that writes to the disk under suspicion waits with the JVM, and
//! makes its pauses worse.
use crate::{RecordingError, directory::Directory, trusted_path};
use rustix::{
    fs::{self, FileType, Mode, OFlags},
    io::Errno,
    process::geteuid,
};
use std::{
    env,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
};

/// `TMPFS_MAGIC` of `include/uapi/linux/magic.h`.
const TMPFS_MAGIC: u64 = 0x0102_1994;
/// `RAMFS_MAGIC` of the same file.
const RAMFS_MAGIC: u64 = 0x8584_58f6;

/// A directory of this user's own, to create recordings in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordingDirectory {
    /// The directory. It exists, belongs to this user and has mode 0700.
    pub path: PathBuf,
    /// Whether it is in memory. Where not, recording writes to a disk, and should say so.
    pub in_memory: bool,
    /// Bytes left there.
    pub free_bytes: u64,
}

/// The first of these that is in memory, or else the first that can be had:
/// `/run/whypause` (root only), `/dev/shm/whypause-UID`, `$XDG_RUNTIME_DIR/whypause`,
/// `/var/tmp/whypause-UID`. Creates it.
///
/// # Errors
///
/// The last one, where none of them can be had.
pub fn default_directory() -> Result<RecordingDirectory, RecordingError> {
    first_of(&candidates())
}

/// The one of these in which this user has this file, with something in it; or else the first. What another
/// user has put in the way of one for a while, or a variable that was set, hides nothing.
///
/// # Errors
///
/// Those of [`default_directory`].
pub fn directory_with(file: &str) -> Result<PathBuf, RecordingError> {
    match of_these_with(&candidates(), file) {
        Some(path) => Ok(path),
        None => default_directory().map(|it| it.path),
    }
}

fn of_these_with(candidates: &[PathBuf], file: &str) -> Option<PathBuf> {
    let is_own = |path: &PathBuf| {
        fs::lstat(path).is_ok_and(|it| {
            let mode = Mode::from_raw_mode(it.st_mode);
            FileType::from_raw_mode(it.st_mode) == FileType::Directory
                && it.st_uid == geteuid().as_raw()
                && !mode.intersects(Mode::WGRP | Mode::WOTH)
        })
    };
    let has = |path: &PathBuf| fs::lstat(path.join(file)).is_ok_and(|it| it.st_size > 0);
    candidates.iter().find(|it| is_own(it) && has(it)).cloned()
}

fn candidates() -> Vec<PathBuf> {
    let uid = geteuid();
    let own = format!("whypause-{}", uid.as_raw());
    let mut candidates = Vec::new();
    if uid.is_root() {
        candidates.push(PathBuf::from("/run/whypause"));
    }
    candidates.push(Path::new("/dev/shm").join(&own));
    let runtime = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|it| it.is_absolute());
    candidates.extend(runtime.map(|it| it.join("whypause")));
    candidates.push(Path::new("/var/tmp").join(&own));
    candidates
}

/// Makes a directory that did not exist: `name` in `place`, or `name-2` and so on.
///
/// # Errors
///
/// [`RecordingError::UnsafePath`] where another user can change `place`,
/// [`RecordingError::Permission`], [`RecordingError::Io`].
pub fn new_directory(place: &Path, name: &str) -> Result<PathBuf, RecordingError> {
    Directory::create_new(place, name).map(|made| made.path().to_owned())
}

fn first_of(candidates: &[PathBuf]) -> Result<RecordingDirectory, RecordingError> {
    let mut second_best: Option<&PathBuf> = None;
    let mut failure =
        RecordingError::NoSuchDirectory { path: candidates.first().cloned().unwrap_or_default() };
    for path in candidates {
        // Looked at through its parent first, so that nothing is created that is not used.
        if !path.parent().is_some_and(is_in_memory) {
            second_best = second_best.or(path.parent().filter(|it| it.is_dir()).map(|_| path));
            continue;
        }
        match take(path) {
            Ok(place) => return Ok(place),
            Err(error) => failure = error,
        }
    }
    second_best.map_or(Err(failure), |path| take(path))
}

fn is_in_memory(path: &Path) -> bool {
    fs::statfs(path).is_ok_and(|system| is_memory_type(system.f_type as u64))
}

fn is_memory_type(magic: u64) -> bool {
    // The type is signed on some architectures and has 32 bits of meaning.
    matches!(magic & 0xffff_ffff, TMPFS_MAGIC | RAMFS_MAGIC)
}

/// Creates the directory, or verifies that the one that is there is this user's own.
fn take(path: &Path) -> Result<RecordingDirectory, RecordingError> {
    let (parent, name) = trusted_path::parent(path)?;
    match fs::mkdirat(&parent, &name, Mode::RWXU) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(error) => return Err(RecordingError::io(path, "create the directory", error)),
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let fd = fs::openat(&parent, &name, flags, Mode::empty()).map_err(|error| match error {
        Errno::LOOP | Errno::NOTDIR => {
            RecordingError::Unsafe { path: path.into(), why: "it is a symbolic link or a file" }
        }
        error => RecordingError::io(path, "open", error),
    })?;
    verify(path, &fd)?;
    let failed = |error| RecordingError::io(path, "inspect", error);
    let space = fs::fstatvfs(&fd).map_err(failed)?;
    let system = fs::fstatfs(&fd).map_err(failed)?;
    Ok(RecordingDirectory {
        path: path.into(),
        in_memory: is_memory_type(system.f_type as u64),
        free_bytes: space.f_bavail.saturating_mul(space.f_frsize),
    })
}

fn verify(path: &Path, fd: &OwnedFd) -> Result<(), RecordingError> {
    let refuse = |why| Err(RecordingError::Unsafe { path: path.into(), why });
    let status = fs::fstat(fd).map_err(|error| RecordingError::io(path, "inspect", error))?;
    if FileType::from_raw_mode(status.st_mode) != FileType::Directory {
        return refuse("it is no directory");
    }
    if status.st_uid != geteuid().as_raw() {
        return refuse("it belongs to another user");
    }
    if Mode::from_raw_mode(status.st_mode).intersects(Mode::RWXG | Mode::RWXO) {
        return refuse("others may use it, its mode must be 0700");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    /// What becomes of `prepare`d `whypause` in a new directory.
    fn check(prepare: impl FnOnce(&Path), wanted: &str) {
        let parent = tempfile::tempdir().expect("a temporary directory");
        let path = parent.path().join("whypause");
        prepare(&path);
        let said = match first_of(std::slice::from_ref(&path)) {
            Ok(_) => "taken".to_owned(),
            Err(error) => error.to_string().replace(&*path.to_string_lossy(), "DIR"),
        };
        assert_eq!(said, wanted);
    }

    #[test]
    fn a_new_place_is_private() {
        let parent = tempfile::tempdir().expect("a temporary directory");
        let place = first_of(&[parent.path().join("whypause")]).expect("a place");
        let mode = place.path.metadata().expect("it exists").permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        assert!(place.free_bytes > 0);
    }

    #[test]
    fn what_was_kept_is_found_though_another_place_can_be_had_by_now() {
        let parent = tempfile::tempdir().expect("a temporary directory");
        let places = ["first", "empty", "with", "others"].map(|it| parent.path().join(it));
        let kept = "fix/changes";
        for place in &places {
            std::fs::create_dir_all(place.join("fix")).expect("a directory");
        }
        assert_eq!(of_these_with(&places, kept), None);
        std::fs::write(places[1].join(kept), "").expect("written");
        std::fs::write(places[2].join(kept), "x").expect("written");
        assert_eq!(of_these_with(&places, kept).as_ref(), Some(&places[2]));
        let others = std::fs::Permissions::from_mode(0o777);
        std::fs::set_permissions(&places[2], others).expect("changed");
        assert_eq!(of_these_with(&places, kept), None);
    }

    #[test]
    fn what_somebody_else_may_have_planted_is_refused() {
        check(|_| {}, "taken");
        check(|path| fs::mkdir(path, Mode::RWXU).expect("mkdir"), "taken");
        check(
            |path| symlink("/tmp", path).expect("link"),
            "refusing to write to `DIR`: it is a symbolic link or a file",
        );
        check(
            |path| {
                fs::mkdir(path, Mode::RWXU).expect("mkdir");
                std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).expect("chmod");
            },
            "refusing to write to `DIR`: others may use it, its mode must be 0700",
        );
    }

    #[test]
    fn memory_is_preferred_and_missing_parents_are_passed_over() {
        let parent = tempfile::tempdir().expect("a temporary directory");
        let here = parent.path().join("whypause");
        let place = first_of(&[parent.path().join("missing/whypause"), here.clone()]);
        assert_eq!(place.expect("a place").path, here);
        assert!(first_of(&[parent.path().join("missing/whypause")]).is_err());
    }
}
