//! A directory for tests in which disks are made.
use crate::{Cleanup, WorkDir};
use spawn::Afterwards;
use std::{path::Path, time::Duration};
use tempfile::TempDir;

/// First what the journals below it promise, as the next start of a lab does it. Then, as a killed test
/// may have come to no journal: swap space, loop devices and mounts below it, and the directory. A loop
/// device that is in use goes with the last of its users, and cannot be found any more once the file
/// system of its file is unmounted. Programs that a killed test had started may just have made
/// something, so they get a moment, and it is looked again.
const REMOVE: &str = r#"
    below() { awk -v d="$1/" -v n="$2" -v o="$3" 'index($n, d) == 1 { print $o }' "$4"; }
    [ -d "$1" ] || exit 0
    export WHYPAUSE_LAB_TEST_CLEANED="$1"
    sleep 0.1
    "$2" --exact test_dir::cleaner_of_the_tests
    for _ in 1 2 3; do
        sleep 0.1
        below "$1" 1 1 /proc/swaps | while read -r it; do swapoff "$it"; done
        losetup -l -n -O NAME,BACK-FILE | below "$1" 2 1 - | while read -r it; do losetup -d "$it"; done
        below "$1" 2 2 /proc/self/mounts | sort -r | while read -r it; do umount -l "$it"; done
    done
    rm -rf --one-file-system "$1""#;

/// On a disk of this host. It goes away with the value, and all that was made in it also when the tests
/// are killed.
pub(crate) struct TestDir {
    // goes first: mostly there is nothing left to do
    directory: TempDir,
    _afterwards: Afterwards,
}

impl TestDir {
    pub(crate) fn new() -> TestDir {
        let directory = tempfile::tempdir_in("/var/tmp").unwrap();
        let program = std::env::current_exe().unwrap();
        let patience = Duration::from_secs(30);
        let afterwards = Afterwards::run(REMOVE, [directory.path(), &program], patience);
        TestDir { directory, _afterwards: afterwards.unwrap() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }
}

/// Not a test of its own: the next start of every lab that was below the directory of the variable.
#[test]
fn cleaner_of_the_tests() {
    let Some(directory) = std::env::var_os("WHYPAUSE_LAB_TEST_CLEANED") else { return };
    for entry in std::fs::read_dir(directory).unwrap().flatten() {
        if entry.path().join("journal").exists() {
            let dir = WorkDir::open(&entry.path()).unwrap();
            let (cleanup, _) = Cleanup::open(&dir).unwrap();
            drop(cleanup);
        }
    }
    // the rest of the program of the tests is not wanted
    std::process::exit(0);
}
