//! An unmount takes what the disk needs, and not for ever.
use super::*;
use std::time::Duration;

/// Opens the file of a slow disk, which its server answers while it has a connection.
fn answers(path: &Path) -> bool {
    match std::fs::File::open(path.join("slow.disk/served/image")) {
        Ok(_) => true,
        Err(e) => {
            assert_eq!(e.kind(), std::io::ErrorKind::NotConnected, "{e}");
            false
        }
    }
}

/// Unmounts a disk with a MiB that is not written yet and, by this limit, can or cannot be; with a copy
/// of the mount in another namespace or without. Only what can be is waited for to its end.
fn check_unmount(limit: Option<Limit>, copied: bool, patience: Duration) {
    let (_parent, path) = work_dir();
    let dir = WorkDir::open(&path).unwrap();
    let (mut cleanup, _) = Cleanup::open(&dir).unwrap();
    let disk = SlowDisk::create(&mut cleanup, &dir, "slow", SMALL_DISK).unwrap();
    let container = copied.then(copy_of_the_mounts);
    if let Some(limit) = limit {
        disk.limit(limit).unwrap();
    }
    std::fs::write(disk.mount_point().join("unwritten"), vec![1; 1 << 20]).unwrap();
    assert!(answers(&path));
    undo::unmount_within(&path, disk.mount_point(), patience).unwrap();
    // a disk that answers no more was waited for in vain: nothing else ends its connection
    assert_eq!(answers(&path), limit.is_none(), "{limit:?}, copied: {copied}");
    assert!(!is_mount_point(disk.mount_point()).unwrap());
    cleanup.undo_all().unwrap();
    assert!(!is_mount_point(&path.join("slow.disk/served")).unwrap());
    drop(container);
}

#[test]
fn unmount_waits_for_a_disk_but_not_for_ever() {
    if let Err(reason) = slow_disk::can_run() {
        println!("SKIPPED: {reason}");
        return;
    }
    for copied in [false, true] {
        check_unmount(None, copied, testing::PATIENCE);
        check_unmount(Some(Limit::Writes(0)), copied, Duration::from_secs(1));
    }
}
