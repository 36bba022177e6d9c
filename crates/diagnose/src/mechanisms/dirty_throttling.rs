//! # Dirty throttling
//!
//! ## What happens
//! When more memory is dirty than the kernel allows (`vm.dirty_ratio`, or a limit of the device), the kernel makes threads that dirty pages sleep, each for a while, until the disk has caught up.
//! It makes no difference that the log wrote a hundred bytes and another process wrote gigabytes: any thread that dirties a page may be put to sleep.
//!
//! ## What proves it
//! A kernel stack of the blocked thread with `balance_dirty_pages`.
//!
//! ## What looks alike
//! `journal-commit` and `stable-page-writeback`: the wait is for one block or page, not for the sum of all.
//!
//! ## Remedies
//! Make writeback start earlier (`vm.dirty_background_bytes`), limit the process that dirties the memory, or take the log off the disk.
//!
//! ## References
//! Linux `mm/page-writeback.c` (`balance_dirty_pages`), `Documentation/admin-guide/sysctl/vm.rst` (`dirty_ratio`).
use crate::Mechanism;

pub(super) static MECHANISM: Mechanism = Mechanism {
    id: "dirty-throttling",
    title: "Dirty throttling",
    phrase: "the kernel's limit on dirty pages",
    causes: &["gc-log-write-blocked", "hsperfdata-write-blocked", "mapped-file-fault"],
    page: crate::page!("dirty_throttling.rs"),
    frames: &[
        "balance_dirty_pages",
        "balance_dirty_pages_ratelimited",
        "balance_dirty_pages_ratelimited_flags",
    ],
    below: &[],
};

#[cfg(test)]
mod tests {
    use crate::mechanisms::check;

    #[test]
    fn a_writer_put_to_sleep() {
        check(
            "schedule_timeout io_schedule_timeout balance_dirty_pages balance_dirty_pages_ratelimited_flags generic_perform_write",
            "dirty-throttling",
        );
    }

    #[test]
    fn plain_sleep_is_not_dirty_throttling() {
        check("schedule_timeout msleep", "none");
    }
}
