//! # Wait for a server of files (NFS, SMB, FUSE)
//!
//! ## What happens
//! A thread uses a file of a network file system, or of one that a process of this host serves (FUSE), and sleeps until that server answers.
//! A server that is slow or gone holds the thread for as long, often without any limit, and no signal ends the wait.
//! The JVM is not stopped: only the thread stands still, and every thread that needs a lock which it holds.
//!
//! ## What proves it
//! The thread is blocked in the kernel with a stack through the protocol of such a file system, or on a file of one, while no stop is under way.
//!
//! ## What looks alike
//! `file-read-blocked`, `file-write-blocked`, `file-sync-blocked`: the file is on a disk of this host.
//!
//! ## References
//! Linux `net/sunrpc/sched.c`, `fs/nfs/`, `fs/smb/client/transport.c`, `fs/fuse/dev.c` (`request_wait_answer`).
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
    id: "remote-file-system-wait",
    title: "Wait for a server of files (NFS, SMB, FUSE)",
    short: "file server",
    needs: &[Source::Scheduler, Source::KernelStacks],
    nature: Nature::Fault,
    class: Class::Disk,
    remedies: &["local-files"],
    page: crate::page!("remote_file_system_wait.rs"),
    of_stalls: true,
    claims: Claims::Segments(claims),
    explain,
    ..Cause::BASE
};

fn claims(case: &Case<'_>, segment: &Segment<'_>) -> bool {
    case.is_stall() && segment.waits_for(Wait::FileServer)
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    stalled::elsewhere(tally, index)
}
