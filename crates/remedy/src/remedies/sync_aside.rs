//! # Sync files in a thread that no request waits for
//!
//! ## What it changes
//! In the code: requests hand over what is to be on the disk, and one thread syncs it for all that came meanwhile (group commit).
//! No lock that requests need is held in `FileChannel.force`.
//!
//! ## What it costs
//! A request that must know that its data is on the disk waits for the next sync of that thread.
//!
//! ## References
//! JDK `java.nio.channels.FileChannel.force`; Linux `fsync(2)`.
use crate::{Advice, Remedy};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "sync-aside",
    title: "Sync files in a thread that no request waits for",
    summary: "A thread that syncs for many requests waits once for all of them, and holds no lock meanwhile.",
    page: diagnose::page!("sync_aside.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(_situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    vec![Advice::in_code(
        "sync in one thread for many requests, and outside of locks that they need",
        "a request then waits for one sync at most",
    )]
}
