//! A file system of its own, on a loop device in memory, that can be made to wait.
//!
//! A file system that is frozen stays so when whoever froze it is killed, and everybody who writes to
//! it waits for ever: so it is thawed and removed also when this process is gone.
use super::{PATIENCE, runs};
use spawn::Afterwards;
use std::{
    fs,
    path::{Path, PathBuf},
};

const REMOVE: &str = "\
fsfreeze -u \"$1/disk\"; umount -l \"$1/disk\"; rm -rf --one-file-system \"$1\"";

/// ext4 on a loop device. Goes away with the value, and with the process.
pub(crate) struct Disk {
    mount: PathBuf,
    _afterwards: Afterwards,
    _directory: tempfile::TempDir,
}

impl Disk {
    /// `None`, and the reason is printed, where there can be none.
    pub(crate) fn new() -> Option<Disk> {
        let directory = tempfile::tempdir_in("/dev/shm").unwrap();
        let (image, mount) = (directory.path().join("image"), directory.path().join("disk"));
        let afterwards = Afterwards::run(REMOVE, [directory.path()], PATIENCE).unwrap();
        fs::File::create(&image).unwrap().set_len(48 << 20).unwrap();
        fs::create_dir(&mount).unwrap();
        let [image, at] = [&image, &mount].map(|it| it.to_str().unwrap());
        if runs("mkfs.ext4", &["-q", image]) && runs("mount", &["-o", "loop", image, at]) {
            return Some(Disk { mount, _afterwards: afterwards, _directory: directory });
        }
        println!("SKIPPED: no ext4 on a loop device can be had here");
        None
    }

    pub(crate) fn path(&self) -> &Path {
        &self.mount
    }

    /// Whatever writes to it waits until the value goes. Everything on it is on the disk then.
    pub(crate) fn freeze(&self) -> Frozen<'_> {
        assert!(runs("fsfreeze", &["-f", self.mount.to_str().unwrap()]));
        Frozen(self)
    }
}

/// Thaws the disk when it goes. Let it go before whatever waits.
pub(crate) struct Frozen<'a>(&'a Disk);

impl Drop for Frozen<'_> {
    fn drop(&mut self) {
        let _ = runs("fsfreeze", &["-u", self.0.mount.to_str().unwrap()]);
    }
}
