//! A file system in memory for everything that must not touch the slow disk: recordings, class
//! files, the output of the workloads.
use crate::{Cleanup, LabError, Takes, Undo, WorkDir};
use rustix::mount::MountFlags;
use std::{ffi::CString, path::PathBuf};

/// Holds the recordings of one run, each some tens of MiB.
pub(crate) const SIZE_MIB: u32 = 1024;

/// Where it is, in the work directory.
pub(crate) const NAME: &str = "fast";

/// Mounts a tmpfs at `fast` in the work directory, and answers its path. Its own mount, and not
/// `/dev/shm` or `/run`: those may be small or, in a container, on a disk.
///
/// # Errors
/// [`LabError::Step`] where it cannot be mounted.
pub fn mount(cleanup: &mut Cleanup, dir: &WorkDir) -> Result<PathBuf, LabError> {
    cleanup.needs(&Takes::Recordings)?;
    let target = dir.path().join(NAME);
    cleanup.promise(Undo::Remove { path: target.clone() })?;
    let doing = || format!("mount tmpfs on `{}`", target.display());
    std::fs::create_dir(&target).map_err(LabError::step(doing()))?;
    cleanup.promise(Undo::Unmount { target: target.clone() })?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    let options = CString::new(format!("size={SIZE_MIB}m,mode=0700")).expect("no zero byte");
    rustix::mount::mount("whypause-lab", &target, "tmpfs", flags, Some(&*options))
        .map_err(LabError::step(doing()))?;
    Ok(target)
}
