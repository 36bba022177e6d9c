//! A directory for tests in which disks are made.
use spawn::Afterwards;
use std::{path::Path, time::Duration};
use tempfile::TempDir;

/// Swap space, loop devices and mounts below it, groups in journals, and then the directory. A loop
/// device that is in use goes with the last of its users, and cannot be found any more once the file
/// system of its file is unmounted. Programs that a killed test had started may just have made
/// something, so they get a moment, and it is looked again.
const REMOVE: &str = r#"
    below() { awk -v d="$1/" -v n="$2" -v o="$3" 'index($n, d) == 1 { print $o }' "$4"; }
    groups() {
        find "$1" -name journal -exec grep -aoh '/sys/fs/cgroup/[^"]*whypause-lab-[^"]*' {} + |
            sort -ru | while read -r it; do [ ! -d "$it" ] || echo "$it"; done
    }
    [ -d "$1" ] || exit 0
    for n in 1 2 3 4 5 6 7 8 9; do
        [ $n -le 3 ] || [ -n "$(groups "$1")" ] || break
        sleep 0.$n
        below "$1" 1 1 /proc/swaps | while read -r it; do swapoff "$it"; done
        losetup -l -n -O NAME,BACK-FILE | below "$1" 2 1 - | while read -r it; do
            # stays with the name of the device
            echo 0 > "/sys/block/${it#/dev/}/queue/stable_writes"
            losetup -d "$it"
        done
        below "$1" 2 2 /proc/self/mounts | sort -r | while read -r it; do umount -l "$it"; done
        groups "$1" | while read -r it; do rmdir "$it"; done
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
        let patience = Duration::from_secs(30);
        let afterwards = Afterwards::run(REMOVE, [directory.path()], patience);
        TestDir { directory, _afterwards: afterwards.unwrap() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }
}
