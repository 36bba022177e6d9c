//! A small file system of its own, that can be filled, and made to wait.
//!
//! A file system that is frozen stays so when the process that froze it is killed, and every writer to
//! it waits for ever: so it is thawed and removed also when this process is gone.
use crate::{PATIENCE, process::runs};
use rustix::mount::{MountFlags, mount};
use spawn::Afterwards;
use std::{
    ffi::CString,
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
};

const REMOVE: &str = "\
fsfreeze -u \"$1/disk\"; umount -l \"$1/disk\"; rm -rf --one-file-system \"$1\"";

/// A mounted file system, which only its owner may enter. Goes away with the value, and with the
/// process.
#[derive(Debug)]
pub struct Disk {
    at: PathBuf,
    _afterwards: Afterwards,
    directory: tempfile::TempDir,
}

impl Disk {
    fn unmounted() -> Disk {
        let directory = tempfile::tempdir_in("/dev/shm").unwrap();
        let at = directory.path().join("disk");
        fs::create_dir(&at).unwrap();
        let afterwards = Afterwards::run(REMOVE, [directory.path()], PATIENCE).unwrap();
        Disk { at, _afterwards: afterwards, directory }
    }

    /// ext4 on a loop device, whose image is in memory. `None`, and the reason is printed, where
    /// there can be none.
    #[must_use]
    pub fn ext4(bytes: u64) -> Option<Disk> {
        let disk = Disk::unmounted();
        let image = disk.directory.path().join("image");
        File::create(&image).unwrap().set_len(bytes).unwrap();
        let [image, at] = [&image, &disk.at].map(|it| it.to_str().unwrap());
        if runs("mkfs.ext4", ["-q", "-m0", image]) && runs("mount", ["-o", "loop", image, at]) {
            return Some(disk);
        }
        println!("SKIPPED: no ext4 on a loop device can be had here");
        None
    }

    /// tmpfs. `None`, and the reason is printed, where there can be none.
    #[must_use]
    pub fn in_memory(bytes: u64) -> Option<Disk> {
        let disk = Disk::unmounted();
        let options = CString::new(format!("size={bytes},mode=0700")).unwrap();
        match mount("tmpfs", &disk.at, "tmpfs", MountFlags::empty(), Some(&*options)) {
            Ok(()) => Some(disk),
            Err(error) => {
                println!("SKIPPED: no small file system could be mounted: {error}");
                None
            }
        }
    }

    /// Where it is mounted.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.at
    }

    /// Fills the file system until this many bytes are free, or a little more.
    pub fn fill(&self, free: u64) {
        let mut ballast = File::create(self.at.join("ballast")).unwrap();
        let page = [1; 4096];
        while ballast.write_all(&page).is_ok() {}
        let length = ballast.metadata().unwrap().len();
        ballast.set_len(length.saturating_sub(free)).unwrap();
        ballast.sync_all().unwrap();
    }

    /// Whatever writes to it waits until the value goes. Everything on it is on the disk then.
    #[must_use]
    pub fn freeze(&self) -> Frozen<'_> {
        assert!(runs("fsfreeze", ["-f".as_ref(), self.at.as_os_str()]));
        Frozen(self)
    }
}

/// Thaws the disk when it goes. Let it go before whatever waits.
#[derive(Debug)]
pub struct Frozen<'a>(&'a Disk);

impl Drop for Frozen<'_> {
    fn drop(&mut self) {
        let _ = runs("fsfreeze", ["-u".as_ref(), self.0.at.as_os_str()]);
    }
}
