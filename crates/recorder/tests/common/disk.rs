//! A file system of its own, on a loop device in memory, that can be made to wait.
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// ext4 on a loop device. Goes away with the value.
pub(crate) struct Disk {
    mount: PathBuf,
    _directory: tempfile::TempDir,
}

fn run(program: &str, arguments: &[&str]) -> bool {
    let output = Command::new(program).args(arguments).output();
    output.is_ok_and(|it| it.status.success())
}

impl Disk {
    /// `None`, and the reason is printed, where there can be none.
    pub(crate) fn new() -> Option<Disk> {
        let directory = tempfile::tempdir_in("/dev/shm").unwrap();
        let (image, mount) = (directory.path().join("image"), directory.path().join("disk"));
        fs::File::create(&image).unwrap().set_len(48 << 20).unwrap();
        fs::create_dir(&mount).unwrap();
        let [image, at] = [&image, &mount].map(|it| it.to_str().unwrap());
        if run("mkfs.ext4", &["-q", image]) && run("mount", &["-o", "loop", image, at]) {
            return Some(Disk { mount, _directory: directory });
        }
        println!("SKIPPED: no ext4 on a loop device can be had here");
        None
    }

    pub(crate) fn path(&self) -> &Path {
        &self.mount
    }

    /// Whatever writes to it waits until the value goes. Everything on it is on the disk then.
    pub(crate) fn freeze(&self) -> Frozen<'_> {
        assert!(run("fsfreeze", &["-f", self.mount.to_str().unwrap()]));
        Frozen(self)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = run("umount", &["-l", self.mount.to_str().unwrap()]);
    }
}

/// Thaws the disk when it goes. Let it go before whatever waits.
pub(crate) struct Frozen<'a>(&'a Disk);

impl Drop for Frozen<'_> {
    fn drop(&mut self) {
        let _ = run("fsfreeze", &["-u", self.0.mount.to_str().unwrap()]);
    }
}
