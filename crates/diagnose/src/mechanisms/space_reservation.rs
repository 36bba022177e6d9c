//! # Space reservation
//!
//! ## What happens
//! Btrfs sets space aside before it accepts data or metadata, because it never overwrites in place and cannot know yet where a block will go.
//! When what is set aside nears what there is, the writer must wait until others have written theirs out and given the rest back; a file system that is nearly full, or whose metadata is, does this all the time.
//!
//! ## What proves it
//! A kernel stack of the blocked thread with `btrfs_reserve_data_bytes`, `btrfs_reserve_metadata_bytes` or `handle_reserve_ticket`.
//!
//! ## What looks alike
//! `journal-commit`: the writer waits for a transaction to end; waiting for space often starts one.
//! `dirty-throttling`: the limit is on memory and not on the disk.
//!
//! ## Remedies
//! Leave the file system free space (`btrfs filesystem usage`), balance its metadata, or put the file elsewhere.
//!
//! ## References
//! Linux `fs/btrfs/space-info.c` (`handle_reserve_ticket`), `fs/btrfs/delalloc-space.c`.
use crate::Mechanism;

pub(super) static MECHANISM: Mechanism = Mechanism {
    id: "space-reservation",
    title: "Space reservation",
    phrase: "free space that the file system could set aside",
    causes: &["gc-log-write-blocked", "mapped-file-fault"],
    page: crate::page!("space_reservation.rs"),
    frames: &[
        "handle_reserve_ticket",
        "wait_reserve_ticket",
        "__reserve_bytes",
        "reserve_metadata_bytes",
        "btrfs_reserve_data_bytes",
        "btrfs_reserve_metadata_bytes",
        "btrfs_delalloc_reserve_metadata",
    ],
    below: &[],
};

#[cfg(test)]
mod tests {
    use crate::mechanisms::check;

    #[test]
    fn a_writer_waits_for_space() {
        check(
            "wait_reserve_ticket handle_reserve_ticket __reserve_bytes btrfs_reserve_metadata_bytes btrfs_buffered_write",
            "space-reservation",
        );
        check("btrfs_reserve_data_bytes btrfs_check_data_free_space", "space-reservation");
    }

    #[test]
    fn a_commit_that_frees_space_is_waited_for_because_of_the_space() {
        let frames = "btrfs_commit_transaction flush_space btrfs_reserve_metadata_bytes btrfs_start_transaction";
        check(frames, "space-reservation");
    }

    #[test]
    fn a_transaction_that_must_end_first_is_a_commit() {
        check("wait_current_trans start_transaction btrfs_dirty_inode", "journal-commit");
    }
}
