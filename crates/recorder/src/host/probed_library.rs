//! Who would keep the kernel from setting or removing a probe in a library.
//!
//! The kernel takes the `mmap_lock` of every process that has the file mapped, one
//! after the other, and keeps all processes of the host from forking meanwhile
//! (`register_for_each_vma` of `kernel/events/uprobes.c`, with `dup_mmap_sem`). Where one of them
//! never lets its lock go, no process can be started on the host any more: the lab has seen it. So it
//! is looked before.
use super::{
    Roots,
    jvm::Jvm,
    maps,
    process::{ProcessDir, pids, responds},
};
use crate::aside::not_responding;
use recording::FileKey;
use std::ops::ControlFlow;

/// A library in which there are to be probes, or are.
#[derive(Clone, Debug)]
pub(crate) struct ProbedLibrary {
    roots: Roots,
    key: FileKey,
}

impl ProbedLibrary {
    pub(crate) fn of(roots: &Roots, jvm: &Jvm) -> ProbedLibrary {
        let (device, inode) = (jvm.libjvm_mapping.device, jvm.libjvm_mapping.inode);
        ProbedLibrary { roots: roots.clone(), key: FileKey { device, inode } }
    }

    /// The library with this key, of the processes under these roots.
    pub(crate) fn at(roots: &Roots, key: FileKey) -> ProbedLibrary {
        ProbedLibrary { roots: roots.clone(), key }
    }

    /// Where its processes are found.
    pub(crate) fn roots(&self) -> &Roots {
        &self.roots
    }

    /// Which file it is.
    pub(crate) fn key(&self) -> FileKey {
        self.key
    }

    /// A process that does not respond and has the library mapped, or may have: its id and name.
    pub(crate) fn blocker(&self) -> Option<(u32, String)> {
        let pid =
            pids(&self.roots).unwrap_or_default().into_iter().find(|pid| self.is_kept_by(*pid));
        pid.map(|pid| {
            let name = ProcessDir::open(&self.roots, pid).and_then(|dir| dir.text("comm", 64));
            (pid, name.map(|it| it.trim_end().to_owned()).unwrap_or_default())
        })
    }

    fn is_kept_by(&self, pid: u32) -> bool {
        let Ok(dir) = ProcessDir::open(&self.roots, pid) else { return false };
        match self.is_mapped_by(&dir) {
            Ok(mapped) => mapped && !responds(&dir),
            // Of others nothing more can be known, and the kernel will not wait for who has ended.
            Err(error) => not_responding(&error).is_some(),
        }
    }

    fn is_mapped_by(&self, dir: &ProcessDir) -> std::io::Result<bool> {
        let mut mapped = false;
        maps::each(dir, &mut |it| {
            mapped = (it.device, it.inode) == (self.key.device, self.key.inode);
            if mapped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(mapped)
    }
}
