//! A file system in memory for everything that must not touch the slow disk: recordings, class
//! files, the output of the workloads.
use crate::{Cleanup, LabError, Undo, WorkDir};
use rustix::mount::MountFlags;
use std::path::PathBuf;

/// Holds the recordings of one run, each some tens of MiB.
const SIZE: &std::ffi::CStr = c"size=1g,mode=0700";

/// Mounts a tmpfs at `fast` in the work directory, and answers its path. Its own mount, and not
/// `/dev/shm` or `/run`: those may be small or, in a container, on a disk.
///
/// # Errors
/// [`LabError::Step`] where it cannot be mounted.
pub fn mount(cleanup: &mut Cleanup, dir: &WorkDir) -> Result<PathBuf, LabError> {
    let target = dir.path().join("fast");
    cleanup.promise(Undo::Remove { path: target.clone() })?;
    let doing = || format!("mount tmpfs on `{}`", target.display());
    std::fs::create_dir(&target).map_err(LabError::step(doing()))?;
    cleanup.promise(Undo::Unmount { target: target.clone() })?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    rustix::mount::mount("whypause-lab", &target, "tmpfs", flags, Some(SIZE))
        .map_err(LabError::step(doing()))?;
    Ok(target)
}
