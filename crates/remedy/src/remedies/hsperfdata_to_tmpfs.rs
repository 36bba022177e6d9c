//! # Keep the JVM's counters on a file system in memory
//!
//! ## What it changes
//! A tmpfs is mounted over the directory before any JVM of this user starts.
//!
//! ## What it costs
//! It hides the files of JVMs that run already, until they are started again.
//! It goes at a reboot, so for good it takes a mount unit or a line in `/etc/fstab`.
//!
//! ## How to see that it helped
//! `findmnt -T /tmp/hsperfdata_USER` says tmpfs, and `whypause ps` lists the JVM.
//!
//! ## How to undo it
//! `umount /tmp/hsperfdata_USER` once its JVMs have ended.
//!
//! ## References
//! HotSpot `os/posix/perfMemory_posix.cpp`.
use crate::{Action, Advice, Command, Remedy};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "hsperfdata-to-tmpfs",
    title: "Keep the JVM's counters on a file system in memory",
    summary: "A memory file system on `/tmp/hsperfdata_USER`, where tools need the file.",
    file: include_str!("hsperfdata_to_tmpfs.rs"),
    advise,
};

fn advise(situation: &Situation, finding: &Finding) -> Vec<Advice> {
    let (Some(jvm), Some(place)) = (&situation.jvm, &finding.place) else { return Vec::new() };
    let Some((directory, _)) = place.path.rsplit_once('/') else { return Vec::new() };
    let mount = Command::new("mount")
        .args(["-t", "tmpfs", "-o"])
        .arg(format!("size=4m,mode=0755,uid={}", jvm.uid))
        .arg("tmpfs")
        .path(directory);
    vec![Advice::at_next_start(
        Action::run([mount]),
        "before the JVM starts: it hides the files of JVMs that run already, and goes at a reboot",
    )]
}
