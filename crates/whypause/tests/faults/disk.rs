//! No space left while a JVM is recorded.
//!
//! That each write of all is once the first to fail is a test of the crate `recording`; here the
//! whole program runs into it.
use crate::support::{
    PATIENCE, Random, Stage, check, record, said, times, wait, wait_until_it_records,
};
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};
use spawn::Afterwards;
use std::{
    ffi::CString,
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
};

const BYTES: u64 = 8 << 20;

/// A small file system; gone when dropped.
struct Small {
    at: PathBuf,
    _afterwards: Afterwards,
}

impl Small {
    /// In memory, or ext4 on a loop device.
    fn new(stage: &Stage, ext4: bool) -> Option<Small> {
        let at = stage.directory("small");
        fs::create_dir_all(&at).unwrap();
        // also where this process is killed, which cannot unmount anything then
        let afterwards = Afterwards::run("umount -l \"$1\"", [&at], PATIENCE).unwrap();
        if ext4 {
            let image = stage.directory("image");
            File::create(&image).unwrap().set_len(BYTES).unwrap();
            let run = |program: &str, arguments: &[&Path]| {
                let mut command = spawn::command(program);
                command.args(arguments);
                spawn::run(command, PATIENCE).is_ok_and(|it| it.status.success())
            };
            let made = run("mkfs.ext4", &["-q".as_ref(), "-m0".as_ref(), &image])
                && run("mount", &["-o".as_ref(), "loop".as_ref(), &image, &at]);
            if !made {
                println!("SKIPPED: no ext4 on a loop device can be had here");
                return None;
            }
            let _ = fs::remove_dir(at.join("lost+found"));
        } else {
            let options = CString::new(format!("size={BYTES},mode=0700")).unwrap();
            if let Err(error) = mount("tmpfs", &at, "tmpfs", MountFlags::empty(), Some(&*options)) {
                println!("SKIPPED: no small file system could be mounted: {error}");
                return None;
            }
        }
        Some(Small { at, _afterwards: afterwards })
    }

    /// Leaves so many bytes free, or a little more.
    fn fill(&self, free: u64) {
        let mut ballast = File::create(self.at.join("ballast")).unwrap();
        let page = [1; 4096];
        while ballast.write_all(&page).is_ok() {}
        let length = ballast.metadata().unwrap().len();
        ballast.set_len(length.saturating_sub(free)).unwrap();
        ballast.sync_all().unwrap();
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = unmount(&self.at, UnmountFlags::DETACH);
    }
}

#[test]
fn a_disk_that_fills_up_leaves_a_recording_that_says_what_it_lacks() {
    let Some(stage) = Stage::new() else { return };
    let jvm = stage.jvm();
    let mut random = Random::new();
    let all = times(2, 60);
    let mut lost = 0;
    for number in 0..all {
        let Some(small) = Small::new(&stage, number % 2 == 1) else { return };
        let directory = small.at.join("rec");
        let mut recorder = record(&directory, &["-p", &jvm.pid(), "-d", "3s"]);
        wait_until_it_records(&directory, &mut recorder);
        small.fill(random.below(64) * 4096);
        let status = wait(&mut recorder);
        let said = said(&directory);
        assert!(status.success(), "{said}");
        let coverage = check(&directory).expect("a recording");
        assert_eq!(coverage.end, "the time given was over", "{said}");
        if coverage.lost_rows > 0 {
            lost += 1;
            let told = "rows left out, writing failed: no space left; the rest can be read";
            assert!(said.contains(told), "{said}");
        }
    }
    println!("{lost} of {all} recordings lost rows on a full disk");
}

#[test]
fn a_disk_that_is_full_from_the_begin_is_told_and_left_as_it_was() {
    let Some(stage) = Stage::new() else { return };
    let jvm = stage.jvm();
    let Some(small) = Small::new(&stage, false) else { return };
    small.fill(64 << 10);
    let directory = small.at.join("rec");
    let status = wait(&mut record(&directory, &["-p", &jvm.pid(), "-d", "1s"]));
    let said = said(&directory);
    assert_eq!(status.code(), Some(2), "{said}");
    assert!(said.contains("cannot reserve space for"), "{said}");
    assert!(!directory.exists());
}
