//! # Sync of a file blocked (fsync, fdatasync)
//!
//! ## What happens
//! A thread asks the kernel to have a file on the disk before it goes on (`fsync`, `fdatasync`, `FileChannel.force`, `RandomAccessFile` in mode `rwd`).
//! The call returns when the disk has written the file's pages, and in most file systems a commit of the journal as well, which holds what others have changed meanwhile.
//! So it takes as long as all that is queued before it, no matter which process wrote that.
//! The JVM is not stopped and no GC log shows it: only the thread stands still, and every thread that needs a lock which it holds.
//!
//! ## What proves it
//! The thread is blocked in the kernel in one of these calls, on a file of a disk, while no stop is under way.
//!
//! ## What looks alike
//! `file-write-blocked`: the thread only writes, and the file system makes it wait.
//! `mapped-file-fault`: the thread touches a page of a mapped file.
//! `remote-file-system-wait`: the file is with a server.
//! `gc-log-write-blocked`: the JVM's own log, and all threads stand still.
//!
//! ## References
//! Linux `fs/sync.c`, `fs/jbd2/commit.c`, `fsync(2)`; JDK `sun.nio.ch.FileChannelImpl.force`.
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
    id: "file-sync-blocked",
    title: "Sync of a file blocked (fsync, fdatasync)",
    short: "fsync blocked",
    needs: &[Source::Scheduler, Source::KernelStacks],
    nature: Nature::Fault,
    class: Class::Disk,
    remedies: &["sync-aside", "background-io"],
    page: crate::page!("file_sync_blocked.rs"),
    of_stalls: true,
    claims: Claims::Segments(claims),
    explain,
    ..Cause::BASE
};

fn claims(case: &Case<'_>, segment: &Segment<'_>) -> bool {
    case.is_stall() && segment.waits_for(Wait::FileSync)
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    stalled::on_disk(tally, index, false)
}
