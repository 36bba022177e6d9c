//! The rights of another process, for whatever that process names.
//!
//! A process may name any file of its root, also one that only we may read. What it names is
//! therefore opened by a process aside that has its user, its groups and no more capabilities than it
//! has: the kernel decides, as if the process itself had opened the file.
use super::{process::ProcessDir, status::Status};
use crate::aside::{self, Kind, Passed};
use rustix::{
    fs::Stat,
    process::{Gid, Uid},
    thread::{
        CapabilitySet, capabilities, set_capabilities, set_thread_groups, set_thread_res_gid,
        set_thread_res_uid,
    },
};
use std::{io, os::fd::RawFd, path::Path};

/// What the kernel lets a process do with files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rights {
    uid: u32,
    gid: u32,
    groups: Vec<u32>,
    capabilities: CapabilitySet,
}

/// Whose rights are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// The process's own: the kernel decides.
    Them,
    /// Ours, because we may not take theirs (`CAP_SETUID` and `CAP_SETGID`): only what the mode
    /// bits show that they might do as well.
    Us,
}

/// What a permission is asked for, as in the bits of a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Permission {
    Read = 4,
    /// Looking up a name in a directory.
    Search = 1,
}

/// Capabilities that open files (`CAP_FS_SET` of `include/linux/capability.h`).
const OF_FILES: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::DAC_READ_SEARCH)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::LINUX_IMMUTABLE)
    .union(CapabilitySet::MKNOD)
    .union(CapabilitySet::MAC_OVERRIDE);

const KIND: Kind = Kind::with_thread(c"whypause-opener", None);

impl Rights {
    /// Those that the process has now.
    ///
    /// # Errors
    /// Where they cannot be read, or are just being changed (`PermissionDenied`).
    pub(crate) fn of(dir: &ProcessDir) -> io::Result<Rights> {
        let text = dir.text("status", Status::LIMIT_BYTES)?;
        let status = Status(&text);
        let unsettled = || io::Error::from(io::ErrorKind::PermissionDenied);
        let (uid, gid) = status.file_ids().ok_or_else(unsettled)?;
        let groups = status.groups().ok_or_else(unsettled)?;
        // In a user namespace of its own its capabilities are none over files of ours.
        let ours = std::fs::read_link(Path::new("/proc/self/ns/user")).ok();
        let is_ours = ours.is_some_and(|ours| dir.link("ns/user").is_ok_and(|it| ours == *it));
        let theirs = status.bits("CapEff").filter(|_| is_ours).unwrap_or(0);
        Ok(Rights { uid, gid, groups, capabilities: CapabilitySet::from_bits_retain(theirs) })
    }

    /// Those of a user of whom no more is known: no group and no capability.
    pub(crate) fn of_user(uid: u32, gid: u32) -> Rights {
        Rights { uid, gid, groups: Vec::new(), capabilities: CapabilitySet::empty() }
    }

    /// The same for a process that has them for good.
    pub(super) fn identity(&self) -> spawn::Identity {
        spawn::Identity {
            uid: self.uid,
            gid: self.gid,
            groups: self.groups.clone(),
            capabilities: self.capabilities.bits(),
        }
    }

    /// User and group.
    pub(crate) fn ids(&self) -> (u32, u32) {
        (self.uid, self.gid)
    }

    /// The user.
    pub(crate) fn uid(&self) -> u32 {
        self.uid
    }

    /// Does something with these rights, in a process aside, which has the descriptors of `kept`, and
    /// waits for it.
    ///
    /// # Errors
    /// Those of `work`; `TimedOut` where a file system does not answer.
    pub(crate) fn run<T: Passed>(
        &self,
        kept: &[RawFd],
        work: impl FnOnce(By) -> io::Result<T>,
    ) -> io::Result<T> {
        self.run_after(Rights::assume, kept, work)
    }

    /// The same with the identity that the other end of a socket sees as that user: also the
    /// effective user and group are its. The real user stays, so that no other user can trace the
    /// process, and no capability is left to it.
    pub(crate) fn run_as_user<T: Passed>(
        &self,
        kept: &[RawFd],
        work: impl FnOnce(By) -> io::Result<T>,
    ) -> io::Result<T> {
        self.run_after(Rights::become_user, kept, work)
    }

    fn run_after<T: Passed>(
        &self,
        take: fn(Rights) -> io::Result<By>,
        kept: &[RawFd],
        work: impl FnOnce(By) -> io::Result<T>,
    ) -> io::Result<T> {
        let rights = self.clone();
        aside::run(KIND, kept, move || {
            let by = take(rights)?;
            aside::die_with_parent()?;
            work(by)
        })
    }

    /// Takes the rights, for the calling thread alone.
    fn assume(self) -> io::Result<By> {
        // Not the C library's: those change all threads of the process.
        let groups: Vec<Gid> = self.groups.iter().copied().map(Gid::from_raw).collect();
        let has_groups = set_thread_groups(&groups).is_ok();
        let has_gid = set_file_id(libc::SYS_setfsgid, self.gid);
        let has_uid = set_file_id(libc::SYS_setfsuid, self.uid);
        let is_same_user = rustix::process::geteuid().as_raw() == self.uid;
        if !has_uid || !(is_same_user || has_groups && has_gid) {
            return Ok(By::Us);
        }
        // The kernel drops them only where root becomes somebody else.
        let mut sets = capabilities(None)?;
        sets.effective &= !(OF_FILES & !self.capabilities);
        set_capabilities(None, sets)?;
        Ok(By::Them)
    }

    fn become_user(self) -> io::Result<By> {
        let (uid, gid) = (Uid::from_raw(self.uid), Gid::from_raw(self.gid));
        let by = self.assume()?;
        if by == By::Them && rustix::process::geteuid() != uid {
            set_thread_res_gid(None::<Gid>, gid, None::<Gid>)?;
            set_thread_res_uid(None::<Uid>, uid, None::<Uid>)?;
        }
        Ok(by)
    }

    /// Whether the mode bits of a file let this process do something.
    pub(crate) fn may(&self, of: &Stat, permission: Permission) -> bool {
        let shift = if of.st_uid == self.uid {
            6
        } else if of.st_gid == self.gid || self.groups.contains(&of.st_gid) {
            3
        } else {
            0
        };
        let has = OF_FILES & self.capabilities;
        let by_mode = of.st_mode >> shift & permission as u32 != 0;
        by_mode || has.intersects(CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH)
    }
}

/// Sets the user or the group that the kernel checks for files. Says whether it is so now.
#[allow(unsafe_code, reason = "no library has these calls for one thread")]
fn set_file_id(call: libc::c_long, id: u32) -> bool {
    // SAFETY: takes a number, touches no memory, and changes the calling thread alone.
    unsafe { libc::syscall(call, id) };
    // It never fails and always answers the one before; nobody has the id of -1, so that changes
    // nothing.
    // SAFETY: as above.
    let now = unsafe { libc::syscall(call, u32::MAX) };
    u32::try_from(now) == Ok(id)
}

#[cfg(test)]
mod tests;
