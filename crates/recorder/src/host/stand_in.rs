//! Who stands in for a JVM: what a process may be that works in its place.
use super::{Jvm, Roots, process::ProcessDir, rights::Rights};
use spawn::Identity;
use std::{fs::File, io};

/// What a process that works for a JVM takes on, so that it can do no more than the JVM itself.
#[derive(Debug)]
pub struct StandIn {
    /// Its user and groups, and what its capabilities are worth here.
    pub identity: Identity,
    /// Its mount namespace, where that is another one than ours.
    pub mounts: Option<File>,
}

/// What the process that works for this JVM is to take on.
///
/// # Errors
/// Where the JVM has ended, or it may not be known.
pub fn stand_in_for(roots: &Roots, jvm: &Jvm) -> io::Result<StandIn> {
    let dir = ProcessDir::open(roots, jvm.pid)?;
    let identity = Rights::of(&dir)?.identity();
    let mounts = match super::sees_our_mounts(roots, jvm)? {
        true => None,
        false => Some(dir.file("ns/mnt")?),
    };
    match dir.is_there() {
        true => Ok(StandIn { identity, mounts }),
        false => Err(io::ErrorKind::NotFound.into()),
    }
}
