//! # Inode lock
//!
//! ## What happens
//! Only one thread at a time may write to a file; the kernel takes the file's inode lock around each write.
//! The thread that holds the lock may be waiting for the disk, or for the journal, and all other writers wait for that thread.
//! A log that is being copied over, truncated or synced by another program meets this, and so do two threads that write to one file.
//!
//! ## What proves it
//! A kernel stack of the blocked thread with a wait for a lock (`rwsem_down_write_slowpath`) below the file system's write (`ext4_buffered_write_iter`, `xfs_ilock`, `btrfs_inode_lock`).
//!
//! ## What looks alike
//! `journal-commit`: the thread has the lock and waits for the journal; it is what the holder often does.
//! `mmap-lock-contention`: a lock, too, but of the address space and not of a file.
//!
//! ## Remedies
//! Leave the file to one writer: rotate by renaming (not by `copytruncate`), and do not `fsync` or truncate a file that another process writes.
//! Writing from a thread that no other thread waits for (asynchronous logging) helps as ever.
//!
//! ## References
//! Linux `kernel/locking/rwsem.c`, `fs/ext4/file.c` (`ext4_buffered_write_iter`), `fs/xfs/xfs_inode.c` (`xfs_ilock`), `fs/btrfs/inode.c` (`btrfs_inode_lock`).
use crate::Mechanism;

pub(super) static MECHANISM: Mechanism = Mechanism {
    id: "inode-lock",
    title: "Inode lock",
    phrase: "another writer of the same file",
    causes: &["gc-log-write-blocked"],
    page: crate::page!("inode_lock.rs"),
    frames: &[
        "rwsem_down_write_slowpath",
        "rwsem_down_write_failed",
        "rwsem_down_read_slowpath",
        "rwsem_down_read_failed",
        "down_write",
        "down_read",
    ],
    below: BELOW,
};

/// Writes and faults of file systems take the file's lock; elsewhere a lock is another lock.
const BELOW: &[&str] = &[
    "ext4_buffered_write_iter",
    "ext4_file_write_iter",
    "ext4_filemap_fault",
    "ext4_page_mkwrite",
    "xfs_ilock",
    "xfs_file_buffered_write",
    "btrfs_inode_lock",
    "btrfs_buffered_write",
    "generic_file_write_iter",
    "do_truncate",
];

#[cfg(test)]
mod tests {
    use crate::mechanisms::check;

    #[test]
    fn inode_lock_held_by_another_writer_is_recognized() {
        check(
            "rwsem_down_write_slowpath down_write ext4_buffered_write_iter vfs_write",
            "inode-lock",
        );
        check(
            "rwsem_down_write_slowpath down_write xfs_ilock xfs_file_buffered_write",
            "inode-lock",
        );
        check("rwsem_down_write_failed ext4_file_write_iter", "inode-lock");
        check("rwsem_down_write_slowpath btrfs_inode_lock btrfs_buffered_write", "inode-lock");
    }

    #[test]
    fn the_lock_of_the_address_space_is_another() {
        check("rwsem_down_write_slowpath down_write_killable vm_mmap_pgoff", "none");
        check("rwsem_down_read_slowpath lock_mm_and_find_vma do_user_addr_fault", "none");
    }

    #[test]
    fn a_writer_that_waits_for_the_journal_has_the_lock() {
        check("do_get_write_access ext4_dirty_inode ext4_buffered_write_iter", "journal-commit");
    }
}
