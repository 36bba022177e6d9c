//! # Journal commit
//!
//! ## What happens
//! A journaling file system collects metadata changes in a transaction and commits it every few seconds, or when a process calls `fsync`.
//! Even a plain `write()` to a log changes metadata: the file's modification time.
//! If the inode's block belongs to a transaction that is being committed, the writer must wait until that block is on the disk.
//! The block stands in the device's queue behind everything that other processes wrote.
//!
//! ## What proves it
//! A kernel stack of the blocked thread with a function in which the journal makes it wait, such as `do_get_write_access`, `jbd2_log_wait_commit` or `xlog_grant_head_wait`, inside `write()` or a page fault.
//! On ext4 the typical path is `file_update_time` → `ext4_dirty_inode` → `jbd2_journal_get_write_access` → `do_get_write_access`.
//!
//! ## What looks alike
//! `stable-page-writeback`: the page itself, not the metadata, is on its way to the disk.
//! `dirty-throttling`: the kernel puts the writer to sleep because too much memory is dirty.
//!
//! ## Remedies
//! Take the file off the journaled disk (tmpfs), or write it from a thread that no other thread waits for (asynchronous logging).
//! A longer `commit=` interval makes it rarer and longer; a separate file system takes it out of the way of other writers.
//!
//! ## References
//! Linux `fs/jbd2/transaction.c` (`do_get_write_access`, `add_transaction_credits`), `fs/jbd2/commit.c`, `fs/xfs/xfs_log.c`, `fs/btrfs/transaction.c`.
//! Zhuang et al., "OS-Caused Large JVM Pauses", scenario II.
use crate::Mechanism;

pub(super) static MECHANISM: Mechanism = Mechanism {
    id: "journal-commit",
    title: "Journal commit",
    phrase: "a journal commit",
    causes: &[
        "gc-log-write-blocked",
        "mapped-file-fault",
        "hsperfdata-write-blocked",
        "deleted-file-unmap",
    ],
    page: crate::page!("journal_commit.rs"),
    frames: &[
        "do_get_write_access",
        "start_this_handle",
        "add_transaction_credits",
        "wait_transaction_locked",
        "wait_transaction_switching",
        "__jbd2_log_wait_for_space",
        "jbd2_log_wait_commit",
        "jbd2_journal_commit_transaction",
        "ext4_fc_commit",
        "jbd2_fc_wait_bufs",
        "xlog_grant_head_wait",
        "xlog_grant_head_check",
        "xfs_log_reserve",
        "xlog_wait_on_iclog",
        "xlog_state_get_iclog_space",
        "xfs_log_force",
        "xfs_log_force_seq",
        "xfs_log_force_lsn",
        "xfs_buf_lock",
        "wait_current_trans",
        "btrfs_commit_transaction",
        "btrfs_wait_for_commit",
        "btrfs_start_transaction",
        "btrfs_throttle",
    ],
    below: &[],
};

#[cfg(test)]
mod tests {
    use crate::mechanisms::check;

    #[test]
    fn the_time_stamp_of_a_log_waits_for_the_journal() {
        check(
            "io_schedule bit_wait_io do_get_write_access jbd2_journal_get_write_access ext4_dirty_inode file_update_time_flags ext4_buffered_write_iter vfs_write",
            "journal-commit",
        );
    }

    #[test]
    fn a_new_transaction_waits_for_the_old_one() {
        check(
            "wait_transaction_locked add_transaction_credits start_this_handle ext4_dirty_inode",
            "journal-commit",
        );
    }

    #[test]
    fn other_file_systems_commit_too() {
        check("xlog_grant_head_wait xlog_grant_head_check xfs_log_reserve", "journal-commit");
        check("down xfs_buf_lock xfs_buf_find xfs_trans_read_buf_map", "journal-commit");
        check("btrfs_throttle btrfs_buffered_write", "journal-commit");
        check("wait_current_trans start_transaction btrfs_start_transaction", "journal-commit");
    }

    #[test]
    fn an_inode_lock_is_no_journal() {
        check("rwsem_down_write_slowpath ext4_buffered_write_iter vfs_write", "inode-lock");
    }
}
