//! # Stable page writeback
//!
//! ## What happens
//! Some devices need a page to stay unchanged while it is written, because they checksum it.
//! A thread that wants to change such a page again must wait until the write has ended.
//! A log's last page is changed by every line, so the log's writer meets this often.
//!
//! ## What proves it
//! A kernel stack of the blocked thread with `folio_wait_stable`, `folio_wait_writeback` or an older name of them.
//! `/sys/block/DEVICE/queue/stable_writes` is 1 on a device that needs it.
//!
//! ## What looks alike
//! `journal-commit`: the metadata, not the page, is on its way to the disk; on most of today's disks this is the one that occurs.
//! `dirty-throttling`: the kernel puts the writer to sleep because too much memory is dirty.
//!
//! ## Remedies
//! Put the file on tmpfs or on a device that needs no stable pages, or write it from a thread that no other thread waits for (asynchronous logging).
//!
//! ## References
//! Linux `mm/page-writeback.c` (`folio_wait_stable`), `Documentation/ABI/stable/sysfs-block` (`stable_writes`).
//! Zhuang et al., "OS-Caused Large JVM Pauses", scenario II, first cause.
use crate::Mechanism;

pub(super) static MECHANISM: Mechanism = Mechanism {
    id: "stable-page-writeback",
    title: "Stable page writeback",
    phrase: "a page that was being written to the disk",
    causes: &["gc-log-write-blocked", "hsperfdata-write-blocked", "mapped-file-fault"],
    page: crate::page!("stable_page_writeback.rs"),
    frames: &[
        "folio_wait_stable",
        "wait_for_stable_page",
        "folio_wait_writeback",
        "wait_on_page_writeback",
        "wait_on_page_writeback_killable",
        "folio_wait_writeback_killable",
    ],
    below: &[],
};

#[cfg(test)]
mod tests {
    use crate::mechanisms::check;

    #[test]
    fn a_page_on_its_way_to_the_disk_must_not_change() {
        check(
            "io_schedule folio_wait_bit folio_wait_writeback __filemap_get_folio ext4_da_write_begin generic_perform_write",
            "stable-page-writeback",
        );
    }

    #[test]
    fn xfs_and_btrfs_wait_in_the_same_way() {
        check(
            "io_schedule folio_wait_bit folio_wait_writeback __filemap_get_folio iomap_write_begin iomap_file_buffered_write xfs_file_buffered_write vfs_write ksys_write",
            "stable-page-writeback",
        );
        check(
            "io_schedule folio_wait_bit folio_wait_writeback __filemap_get_folio prepare_one_folio btrfs_buffered_write btrfs_do_write_iter vfs_write ksys_write",
            "stable-page-writeback",
        );
    }

    #[test]
    fn a_page_that_is_being_read_is_another_wait() {
        check("io_schedule folio_wait_bit_common filemap_fault __do_fault", "none");
    }
}
