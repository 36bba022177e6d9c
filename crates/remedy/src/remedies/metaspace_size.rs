//! # A threshold above what class metadata takes
//!
//! ## What it changes
//! `-XX:MetaspaceSize`: it is a threshold and reserves nothing.
//!
//! ## What it costs
//! None.
//! Metadata that grows for ever is a leak of class loaders: see `jcmd PID VM.classloader_stats`.
//!
//! ## How to undo it
//! Leave the flag out at the next start.
//!
//! ## References
//! HotSpot `memory/metaspace.cpp` (`MetaspaceGC`).
use crate::{Advice, Remedy, jvm};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "metaspace-size",
    title: "A threshold above what class metadata takes",
    summary: "`-XX:MetaspaceSize` above what the service uses when it has warmed up; then the first collection for it never comes.",
    page: diagnose::page!("metaspace_size.rs"),
    advise,
    ..Remedy::BASE
};

/// What is left above what was in use.
const HEADROOM_PERCENT: u64 = 150;

fn advise(situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    let Some(used) = situation.metaspace_bytes else { return Vec::new() };
    let mebibytes = ((used / 100 * HEADROOM_PERCENT) >> 20).next_multiple_of(64).max(64);
    let name =
        if situation.feature().is_some_and(|it| it < 8) { "PermSize" } else { "MetaspaceSize" };
    let note = "half as much again as was in use; a threshold, not a reservation";
    jvm::flag(situation, &format!("-XX:{name}={mebibytes}m"), note).into_iter().collect()
}
