//! # Write to a file blocked
//!
//! ## What happens
//! A thread writes to a file, or creates, renames, truncates or removes one.
//! That goes to memory and is quick, until the file system makes the thread wait: for a commit of the journal, for a page that is on its way to the disk, for a lock on the file, or because too much memory is dirty.
//! The disk need not be busy with the application's own data: what any process writes to the same file system is enough.
//! The JVM is not stopped: only the thread stands still, and every thread that needs a lock which it holds.
//!
//! ## What proves it
//! The thread is blocked in the kernel in such a call, on a file of a disk or in a stack through a file system, while no stop is under way.
//!
//! ## What looks alike
//! `file-sync-blocked`: the thread asks to have the file on the disk.
//! `output-write-blocked`: it writes to a pipe or a terminal.
//! `direct-reclaim`: it waits for memory to write into.
//!
//! ## References
//! Linux `fs/jbd2/transaction.c`, `mm/page-writeback.c` (`balance_dirty_pages`), `fs/namei.c`.
use crate::{
    Cause, Class, Nature,
    account::tally::Tally,
    case::{Case, Segment},
    cause::{Claims, Explanation},
    culprits::stalled,
    facts::index::Index,
    wait::Wait,
};
use recording::Source;

pub(super) static CAUSE: Cause = Cause {
    id: "file-write-blocked",
    title: "Write to a file blocked",
    short: "file write blocked",
    needs: &[Source::Scheduler, Source::KernelStacks],
    nature: Nature::Fault,
    class: Class::Disk,
    remedies: &["background-io", "compressed-logging"],
    page: crate::page!("file_write_blocked.rs"),
    of_stalls: true,
    claims: Claims::Segments(claims),
    explain,
    ..Cause::BASE
};

fn claims(case: &Case<'_>, segment: &Segment<'_>) -> bool {
    case.is_stall() && segment.waits_for(Wait::FileWrite)
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    stalled::on_disk(tally, index, false)
}
