//! What a process may do that root starts for another user.
use rustix::{
    io::Errno,
    process::{
        DumpableBehavior, Gid, Resource, Rlimit, Uid, getegid, geteuid, set_dumpable_behavior,
        setrlimit,
    },
    thread::{
        CapabilitySet, CapabilitySets, LinkNameSpaceType, capabilities,
        clear_ambient_capability_set, move_into_link_name_space,
        remove_capability_from_bounding_set, set_capabilities, set_no_new_privs, set_thread_groups,
        set_thread_res_gid, set_thread_res_uid,
    },
};
use std::{fs::File, io, os::fd::AsFd, process::Command};

/// The variables that do no harm wherever they are read, and without which programs are found in other
/// places and say things in other words.
const HARMLESS: [&str; 3] = ["PATH", "LANG", "TZ"];

/// Capabilities that have to do with files, but for those that make devices of them.
const OF_FILES: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::DAC_READ_SEARCH)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID);

/// Leaves a child only the harmless variables of this process: the user it runs as can read them in
/// `/proc/PID/environ`.
pub fn without_environment(command: &mut Command) {
    command.env_clear();
    for name in HARMLESS {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
}

/// A user, its groups, and what of root's rights it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// User.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Further groups.
    pub groups: Vec<u32>,
    /// Capabilities, as in `CapEff` of `/proc/PID/status`. Only those that have to do with files count.
    pub capabilities: u64,
}

impl Identity {
    /// A user of whom no more is known.
    #[must_use]
    pub fn of_user(uid: u32, gid: u32) -> Identity {
        Identity { uid, gid, groups: Vec::new(), capabilities: 0 }
    }

    /// This process's user, with what of its rights has to do with files.
    #[must_use]
    pub fn own() -> Identity {
        let all = capabilities(None).map_or(0, |it| it.effective.bits());
        Identity {
            uid: geteuid().as_raw(),
            gid: getegid().as_raw(),
            groups: Vec::new(),
            capabilities: all,
        }
    }

    /// Makes this process the user's, for good: neither it nor a program that it executes gets anything
    /// else back, the user can neither trace it nor take its descriptors, and where it fails it leaves no
    /// file with its memory. `mounts` is another mount namespace to be in from then on, where this process
    /// may go there; the working directory stays.
    ///
    /// To be called while there is one thread.
    ///
    /// # Errors
    /// Where the kernel refuses. The process must end then.
    pub fn assume(&self, mounts: Option<&File>) -> io::Result<()> {
        set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
        setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
        let own = capabilities(None)?;
        // Who may not is held to what it holds (`mntns_install` of `fs/namespace.c`).
        let may_move = CapabilitySet::SYS_ADMIN | CapabilitySet::SYS_CHROOT;
        if let Some(mounts) = mounts.filter(|_| own.effective.contains(may_move)) {
            let here = File::open(".")?;
            move_into_link_name_space(mounts.as_fd(), Some(LinkNameSpaceType::Mount))?;
            rustix::process::fchdir(&here)?;
        }
        let theirs = CapabilitySet::from_bits_truncate(self.capabilities);
        let kept = OF_FILES & theirs & own.permitted;
        clear_ambient_capability_set()?;
        if own.effective.contains(CapabilitySet::SETPCAP) {
            keep_in_bounding_set(kept)?;
        }
        let was_root = geteuid().is_root();
        if geteuid().as_raw() != self.uid || was_root {
            let groups: Vec<Gid> = self.groups.iter().copied().map(Gid::from_raw).collect();
            let (uid, gid) = (Uid::from_raw(self.uid), Gid::from_raw(self.gid));
            set_thread_groups(&groups)?;
            set_thread_res_gid(gid, gid, gid)?;
            set_thread_res_uid(uid, uid, uid)?;
        }
        // A user that is not root has none of them by now.
        let kept = if self.uid == 0 { kept } else { CapabilitySet::empty() };
        let sets = CapabilitySets {
            effective: kept,
            permitted: kept,
            inheritable: CapabilitySet::empty(),
        };
        set_capabilities(None, sets)?;
        set_no_new_privs(true)?;
        // The kernel has set it anew with the user.
        set_dumpable_behavior(DumpableBehavior::NotDumpable)
            .map_err(Into::into)
            .and_then(|()| self.is_assumed(kept, was_root))
    }

    fn is_assumed(&self, kept: CapabilitySet, was_root: bool) -> io::Result<()> {
        let has_group = getegid().as_raw() == self.gid || !was_root;
        let has = capabilities(None)?.permitted;
        match geteuid().as_raw() == self.uid && has_group && has == kept {
            true => Ok(()),
            false => Err(io::ErrorKind::PermissionDenied.into()),
        }
    }
}

/// Gives up all rights of this thread for good: neither it nor what it starts from now on has a capability, be
/// its user root. What is its user's stays its own.
///
/// # Errors
/// Where the kernel refuses. Nothing must be started for others then.
pub fn without_rights() -> io::Result<()> {
    let none = CapabilitySet::empty();
    let own = capabilities(None)?;
    if own.effective.contains(CapabilitySet::SETPCAP) {
        keep_in_bounding_set(none)?;
    }
    let nothing = CapabilitySets { effective: none, permitted: none, inheritable: none };
    if own.permitted != none || own.inheritable != none {
        // The ambient ones go with the permitted.
        set_capabilities(None, nothing)?;
    }
    set_no_new_privs(true)?;
    Ok(())
}

/// No program that this thread executes, or that a process executes which it starts, ever gets another
/// capability than these. Takes no lock and no memory, so a child may call it before it executes a program.
///
/// # Errors
/// Without `CAP_SETPCAP`, where there is one to take away.
pub fn keep_in_bounding_set(kept: CapabilitySet) -> io::Result<()> {
    for number in 0..u64::BITS {
        let one = CapabilitySet::from_bits_retain(1 << number);
        if kept.contains(one) {
            continue;
        }
        match remove_capability_from_bounding_set(one) {
            // Numbers that this kernel does not know.
            Ok(()) | Err(Errno::INVAL) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
