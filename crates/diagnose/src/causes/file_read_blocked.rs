//! # Read from a disk blocked
//!
//! ## What happens
//! A thread reads a file whose pages are not in memory, or looks for a file whose directory is not, and sleeps until the disk has read them.
//! A busy disk, or one that others fill with requests, makes that long.
//! The JVM is not stopped: only the thread stands still, and every thread that needs a lock which it holds.
//!
//! ## What proves it
//! The thread is blocked in the kernel in `read`, `pread` or the like on a file of a disk, while no stop is under way.
//!
//! ## What looks alike
//! `mapped-file-fault`: the file is mapped, and the thread waits in a page fault.
//! `swap-in`: the memory of the JVM itself comes back from swap.
//! `remote-file-system-wait`: the file is with a server.
//!
//! ## References
//! Linux `mm/filemap.c` (`filemap_read`), `block/blk-core.c`.
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
    id: "file-read-blocked",
    title: "Read from a disk blocked",
    short: "disk read",
    needs: &[Source::Scheduler, Source::KernelStacks],
    nature: Nature::Fault,
    class: Class::Disk,
    remedies: &["background-io"],
    page: crate::page!("file_read_blocked.rs"),
    of_stalls: true,
    claims: Claims::Segments(claims),
    explain,
    ..Cause::BASE
};

fn claims(case: &Case<'_>, segment: &Segment<'_>) -> bool {
    case.is_stall() && segment.waits_for(Wait::FileRead)
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    stalled::on_disk(tally, index, true)
}
