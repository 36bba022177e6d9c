//! The lab's private directory, and the lock that keeps two labs apart.
use crate::{Interrupt, LabError, Reason};
use rustix::fs::{Mode, OFlags};
use std::{
    fs::{DirBuilder, File, OpenOptions, TryLockError},
    io::{Read, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// A directory that only this user can enter, locked for as long as this value lives.
#[derive(Debug)]
pub struct WorkDir {
    path: PathBuf,
    _lock: File,
}

/// What the lock says of one who only cleans up, after its process id.
const CLEANING: &str = " cleans up";

/// Cleaning up takes no longer, unless something resists: each change has 20 s.
const CLEANING_PATIENCE: Duration = Duration::from_secs(60);

/// Where the lab of this user works: `/var/tmp/whypause-lab-UID`. `/var/tmp` and not `/tmp`,
/// because the latter is often in memory, and swap space must not be.
#[must_use]
pub fn default_path() -> PathBuf {
    PathBuf::from(format!("/var/tmp/whypause-lab-{}", rustix::process::geteuid().as_raw()))
}

impl WorkDir {
    /// Creates the directory where there is none, checks that no other user planted it, and locks
    /// it.
    ///
    /// # Errors
    /// [`LabError::Busy`] while another lab holds it, [`LabError::CannotRun`] where the path is
    /// not a directory of this user alone.
    pub fn open(path: &Path) -> Result<WorkDir, LabError> {
        WorkDir::open_as(path, "")
    }

    /// The same for one who only cleans up, and says so to others.
    ///
    /// # Errors
    /// As [`open`](WorkDir::open).
    pub(crate) fn open_to_clean(path: &Path) -> Result<WorkDir, LabError> {
        WorkDir::open_as(path, CLEANING)
    }

    /// As [`open`](WorkDir::open), as soon as no other process cleans up any more.
    ///
    /// # Errors
    /// The same, and [`LabError::Interrupted`].
    pub(crate) fn open_when_clean(path: &Path, interrupt: &Interrupt) -> Result<WorkDir, LabError> {
        let opened = interrupt.wait(CLEANING_PATIENCE, || match WorkDir::open(path) {
            Err(LabError::Busy { cleaning: true, .. }) => Ok(None),
            result => result.map(Some),
        })?;
        opened.map_or_else(|| WorkDir::open(path), Ok)
    }

    fn open_as(path: &Path, word: &str) -> Result<WorkDir, LabError> {
        match DirBuilder::new().mode(0o700).create(path) {
            Err(e) if e.kind() != std::io::ErrorKind::AlreadyExists => {
                return Err(LabError::step(format!("create `{}`", path.display()))(e));
            }
            _ => {}
        }
        check_private(path)?;
        Ok(WorkDir { path: path.to_path_buf(), _lock: lock(&path.join("lock"), word)? })
    }

    /// The directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// A planted link or a directory that others may write would let them choose what root mounts
/// and removes.
fn check_private(path: &Path) -> Result<(), LabError> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::RDONLY | OFlags::CLOEXEC;
    let opened = rustix::fs::open(path, flags, Mode::empty());
    let private = opened.map(File::from).and_then(|dir| {
        let about = rustix::fs::fstat(&dir)?;
        Ok(about.st_uid == rustix::process::geteuid().as_raw() && about.st_mode & 0o077 == 0)
    });
    if private == Ok(true) {
        return Ok(());
    }
    let lacks = format!("`{}` is not a directory of this user alone", path.display());
    Err(LabError::CannotRun(Reason::new(lacks, "check what it is, then remove it")))
}

fn lock(path: &Path, word: &str) -> Result<File, LabError> {
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
        .map_err(LabError::step(format!("open `{}`", path.display())))?;
    match lock_soon(&file) {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            let _ = file.read_to_string(&mut holder);
            let pid = holder.split_ascii_whitespace().next().and_then(|it| it.parse().ok());
            let cleaning = holder.ends_with(CLEANING);
            return Err(LabError::Busy { pid: pid.unwrap_or(0), cleaning });
        }
        Err(TryLockError::Error(e)) => {
            return Err(LabError::step(format!("lock `{}`", path.display()))(e));
        }
    }
    let say = file.set_len(0).and_then(|()| write!(file, "{}{word}", std::process::id()));
    say.map_err(LabError::step(format!("write `{}`", path.display())))?;
    Ok(file)
}

/// A killed run's last child may hold the lock for a moment, between its fork and its exec.
fn lock_soon(file: &File) -> Result<(), TryLockError> {
    let until = Instant::now() + Duration::from_millis(500);
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if Instant::now() < until => {
                std::thread::sleep(Duration::from_millis(10));
            }
            result => return result,
        }
    }
}

/// Whether `path` is on a file system that keeps its data on a disk and has `bytes` to spare.
///
/// # Errors
/// A [`Reason`] that names the path.
pub fn has_room(path: &Path, bytes: u64) -> Result<(), Reason> {
    /// `f_type` of ext2/3/4, XFS, Btrfs, F2FS and of overlayfs, which lies on one of those
    /// (`include/uapi/linux/magic.h`).
    const ON_DISK: [i64; 5] = [0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x794C_7630];
    let parent = path.parent().unwrap_or(path);
    let about = rustix::fs::statfs(parent)
        .map_err(|e| Reason::new(format!("cannot inspect `{}`: {e}", parent.display()), ""))?;
    if !ON_DISK.contains(&about.f_type) {
        let lacks = format!("`{}` is not on a disk file system", parent.display());
        return Err(Reason::new(lacks, "mount a disk there, ext4 for instance"));
    }
    let free = about.f_bavail.saturating_mul(about.f_bsize.unsigned_abs());
    if free < bytes {
        let lacks = format!(
            "`{}` has {} MiB free of {} MiB needed",
            parent.display(),
            free >> 20,
            bytes >> 20
        );
        return Err(Reason::new(lacks, "make room there"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn two_labs_do_not_run_at_once() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("lab");
        let first = WorkDir::open(&path).unwrap();
        let pid = std::process::id();
        let busy = |is: bool| matches!(WorkDir::open(&path), Err(LabError::Busy { pid: it, cleaning }) if it == pid && cleaning == is);
        assert!(busy(false));
        drop(first);
        let cleans = WorkDir::open_to_clean(&path).unwrap();
        assert!(busy(true));
        let waits = std::thread::spawn({
            let path = path.clone();
            move || WorkDir::open_when_clean(&path, &Interrupt::listen().unwrap()).map(drop)
        });
        drop(cleans);
        waits.join().unwrap().unwrap();
        assert!(WorkDir::open(&path).is_ok());
    }

    #[test]
    fn a_planted_link_or_an_open_directory_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("lab");
        let elsewhere = parent.path().join("elsewhere");
        std::fs::create_dir(&elsewhere).unwrap();
        symlink(&elsewhere, &path).unwrap();
        assert!(matches!(WorkDir::open(&path), Err(LabError::CannotRun(_))));
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o777)).unwrap();
        assert!(matches!(WorkDir::open(&path), Err(LabError::CannotRun(_))));
    }

    #[test]
    fn memory_is_not_a_disk_and_a_full_disk_is_no_place() {
        let shm = has_room(Path::new("/dev/shm/lab"), 1).unwrap_err();
        assert_eq!(shm.lacks, "`/dev/shm` is not on a disk file system");
        let full = has_room(Path::new("/var/tmp/lab"), u64::MAX);
        assert!(full.is_err());
    }
}
