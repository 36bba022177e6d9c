//! # Block layer queue
//!
//! ## What happens
//! Before a request goes to a disk it needs a free slot (tag) of the disk's queue, and the permission of the I/O controllers.
//! The number of slots is fixed, and a process that writes much can fill them all; writeback throttling (`wbt`), `io.latency` and `io.cost` let some wait on purpose, and `io.max` limits the bytes or requests a second of a control group.
//! The thread sleeps before its request has even reached the disk.
//!
//! ## What proves it
//! A kernel stack of the blocked thread with `blk_mq_get_tag`, `rq_qos_wait` or `__blk_throtl_bio`.
//!
//! ## What looks alike
//! `journal-commit`: the thread waits for the request of another process.
//! `dirty-throttling`: the limit is on memory that is not yet written, not on requests.
//!
//! ## Remedies
//! Take the file to another device, or give the service's group a guarantee (`io.latency`, `io.weight`) and the neighbours a limit (`io.max`).
//! Where `__blk_throtl_bio` is in the stack the JVM's own group has the limit.
//!
//! ## References
//! Linux `block/blk-mq-tag.c` (`blk_mq_get_tag`), `block/blk-rq-qos.c` (`rq_qos_wait`), `block/blk-throttle.c`, `Documentation/admin-guide/cgroup-v2.rst` (IO).
use crate::Mechanism;

pub(super) static MECHANISM: Mechanism = Mechanism {
    id: "block-queue-wait",
    title: "Block layer queue",
    phrase: "a free slot in the disk's queue",
    causes: &[
        "gc-log-write-blocked",
        "mapped-file-fault",
        "hsperfdata-write-blocked",
        "swap-in",
        "deleted-file-unmap",
    ],
    page: crate::page!("block_queue_wait.rs"),
    frames: &[
        "blk_mq_get_tag",
        "blk_mq_get_request",
        "rq_qos_wait",
        "__rq_qos_throttle",
        "wbt_wait",
        "__blk_throtl_bio",
        "blk_throtl_bio",
        "blkcg_maybe_throttle_current",
        "blkcg_maybe_throttle_blkg",
    ],
    below: &[],
};

#[cfg(test)]
mod tests {
    use crate::mechanisms::check;

    #[test]
    fn no_place_in_the_queue() {
        check(
            "io_schedule blk_mq_get_tag __blk_mq_alloc_requests blk_mq_submit_bio submit_bio_noacct ext4_mpage_readpages filemap_fault",
            "block-queue-wait",
        );
        check("io_schedule rq_qos_wait wbt_wait __rq_qos_throttle", "block-queue-wait");
    }

    #[test]
    fn a_journal_that_waits_for_the_queue_waits_for_the_queue() {
        check("io_schedule blk_mq_get_tag jbd2_journal_commit_transaction", "block-queue-wait");
    }

    #[test]
    fn a_request_under_way_is_none() {
        check("io_schedule folio_wait_bit_common filemap_fault", "none");
    }
}
