//! With which rights a JVM is recorded.
//!
//! The JVM of every run has lost all capabilities before its first instruction, so that a
//! recorder without any is its equal, as a process of the same ordinary user would be.
#![allow(unsafe_code, reason = "`pre_exec` is the only way to change the rights of a child")]
use rustix::thread::{self, CapabilitySet};
use std::{os::unix::process::CommandExt, process::Command};

/// With which rights a JVM is recorded.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    serde::Serialize,
    serde::Deserialize,
    strum::VariantArray,
)]
#[serde(rename_all = "kebab-case")]
pub enum Privilege {
    /// With those of the lab, which may use eBPF.
    #[default]
    Privileged,
    /// With no more than the JVM has itself.
    Unprivileged,
}

impl Privilege {
    /// Both.
    pub const ALL: &'static [Privilege] = <Privilege as strum::VariantArray>::VARIANTS;

    /// As the user names it.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Privilege::Privileged => "privileged",
            Privilege::Unprivileged => "unprivileged",
        }
    }
}

/// Takes all capabilities from the child of `command`: what it executes starts with none, though
/// its user id stays (`man 7 capabilities`, "Transformation of capabilities during execve").
pub(crate) fn drop_all(command: &mut Command) {
    // SAFETY: the closure runs between fork and exec and only makes system calls; it neither
    // allocates nor takes a lock.
    unsafe {
        command.pre_exec(|| {
            spawn::keep_in_bounding_set(CapabilitySet::empty())?;
            let sets = thread::CapabilitySets {
                inheritable: CapabilitySet::empty(),
                ..thread::capabilities(None)?
            };
            Ok(thread::set_capabilities(None, sets)?)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_that_lost_its_rights_has_no_capability() {
        if !rustix::process::geteuid().is_root() {
            return eprintln!("SKIPPED: only root has capabilities to lose");
        }
        let mut command = spawn::command("grep");
        drop_all(command.args(["Cap[PEB]", "/proc/self/status"]));
        let said = spawn::run(command, std::time::Duration::from_secs(60)).unwrap().stdout;
        let said = String::from_utf8(said).unwrap();
        let sets: Vec<_> = said.lines().filter_map(|it| it.split_once(":\t")).collect();
        assert_eq!(sets.len(), 3, "{said}");
        assert!(sets.iter().all(|(_, bits)| bits.bytes().all(|it| it == b'0')), "{said}");
    }
}
