//! The Java programs that the lab runs. Their class files are inside this program.
use crate::{LabError, Reason};
use std::path::Path;

/// Path and bytes of each class file; empty where the build had no javac.
static CLASSES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/classes.rs"));

/// A program, by its main class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    /// Allocates steadily.
    AllocLoad,
    /// Reads random bytes of a file while it allocates.
    MappedReader,
    /// Runs long counted loops while it allocates.
    CountedLoop,
    /// Holds memory and goes on using all of it.
    MemoryHog,
    /// Two threads that hand objects to each other.
    Handoff,
    /// Maps files, deletes them, and lets go of them.
    DeletedMaps,
    /// Touches random places of a large array.
    RandomTouch,
    /// Makes many weak references while it allocates.
    WeakRefs,
    /// Logs much while it allocates.
    AccessLog,
    /// Forces many small records to files.
    FsyncStorm,
    /// Forces records to a file while it holds a lock.
    LockConvoy,
    /// Sends over many connections.
    SocketFull,
    /// Reads from these connections.
    SocketPeer,
}

impl Workload {
    /// The main class.
    #[must_use]
    pub fn main_class(self) -> &'static str {
        match self {
            Workload::AllocLoad => "whypause.workloads.AllocLoad",
            Workload::MappedReader => "whypause.workloads.MappedReader",
            Workload::CountedLoop => "whypause.workloads.CountedLoop",
            Workload::MemoryHog => "whypause.workloads.MemoryHog",
            Workload::Handoff => "whypause.workloads.Handoff",
            Workload::DeletedMaps => "whypause.workloads.DeletedMaps",
            Workload::RandomTouch => "whypause.workloads.RandomTouch",
            Workload::WeakRefs => "whypause.workloads.WeakRefs",
            Workload::AccessLog => "whypause.workloads.AccessLog",
            Workload::FsyncStorm => "whypause.workloads.FsyncStorm",
            Workload::LockConvoy => "whypause.workloads.LockConvoy",
            Workload::SocketFull => "whypause.workloads.SocketFull",
            Workload::SocketPeer => "whypause.workloads.SocketPeer",
        }
    }
}

/// Whether this program carries the workloads.
///
/// # Errors
/// That it was built without them.
pub fn can_run() -> Result<(), Reason> {
    if CLASSES.is_empty() {
        let lacks = "this whypause was built without a Java compiler, so it has no workloads";
        return Err(Reason::new(lacks, "build it on a machine with javac"));
    }
    Ok(())
}

/// Writes the class files below `dir`, which then is a class path.
///
/// # Errors
/// [`LabError::CannotRun`] where there are none, [`LabError::Step`] where they cannot be written.
pub fn unpack(dir: &Path) -> Result<(), LabError> {
    can_run().map_err(LabError::CannotRun)?;
    for (name, bytes) in CLASSES {
        let file = dir.join(name);
        let parent = file.parent().unwrap_or(dir);
        std::fs::create_dir_all(parent)
            .and_then(|()| std::fs::write(&file, bytes))
            .map_err(LabError::step(format!("write `{}`", file.display())))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_workload_is_carried_and_is_readable_by_jdk_8() {
        if let Err(reason) = can_run() {
            println!("SKIPPED: {reason}");
            return;
        }
        for workload in [
            Workload::AllocLoad,
            Workload::MappedReader,
            Workload::CountedLoop,
            Workload::MemoryHog,
            Workload::Handoff,
            Workload::DeletedMaps,
            Workload::RandomTouch,
            Workload::WeakRefs,
            Workload::AccessLog,
            Workload::FsyncStorm,
            Workload::LockConvoy,
            Workload::SocketFull,
            Workload::SocketPeer,
        ] {
            let file = format!("{}.class", workload.main_class().replace('.', "/"));
            let (_, bytes) = CLASSES.iter().find(|(name, _)| *name == file).unwrap();
            // class file format 52 is that of JDK 8
            assert_eq!(bytes[..8], [0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 52], "{file}");
        }
    }
}
