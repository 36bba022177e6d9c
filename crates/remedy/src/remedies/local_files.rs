//! # Keep files that requests wait for on a disk of the host
//!
//! ## What it changes
//! What requests read and write is on a disk of the host; the files of the server are used by threads that no request waits for.
//!
//! ## What it costs
//! The files must be copied, and what is only on the host is lost with it.
//!
//! ## References
//! Linux `nfs(5)`; `nfsiostat` and `mountstats` show the times of an NFS server.
use crate::{Advice, Remedy};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "local-files",
    title: "Keep files that requests wait for on a disk of the host",
    summary: "A disk of the host answers also while a server of files does not.",
    page: diagnose::page!("local_files.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(_situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    vec![Advice::in_code(
        "keep files that requests wait for on a disk of the host",
        "a server that does not answer then holds up no request",
    )]
}
