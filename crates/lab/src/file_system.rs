//! The file system on a slow disk.
use crate::{Reason, process};
use std::{path::Path, process::Command};

/// The file system on a slow disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileSystem {
    /// ext4 with a journal.
    Ext4,
    /// ext4 without a journal.
    Ext4WithoutJournal,
    /// XFS.
    Xfs,
    /// Btrfs.
    Btrfs,
}

impl FileSystem {
    /// As in `mount -t`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            FileSystem::Ext4 | FileSystem::Ext4WithoutJournal => "ext4",
            FileSystem::Xfs => "xfs",
            FileSystem::Btrfs => "btrfs",
        }
    }

    /// Whether this host can make and mount it.
    ///
    /// # Errors
    /// The program, or the part of the kernel, that is missing.
    pub fn can_run(self) -> Result<(), Reason> {
        let program = self.maker();
        let mut version = spawn::command(program);
        version.arg("-V");
        if process::output(version).is_err() {
            let package = match self {
                FileSystem::Ext4 | FileSystem::Ext4WithoutJournal => "e2fsprogs",
                FileSystem::Xfs => "xfsprogs",
                FileSystem::Btrfs => "btrfs-progs",
            };
            let hint = format!("install the package {package} (Debian)");
            return Err(Reason::new(format!("`{program}` is not installed"), hint));
        }
        let known = || {
            let list = std::fs::read_to_string("/proc/filesystems").unwrap_or_default();
            list.lines().any(|line| line.split_whitespace().last() == Some(self.name()))
        };
        if !known() {
            let mut load = spawn::command("modprobe");
            load.arg(self.name());
            // what it says is asked of the kernel in the next line
            drop(process::output(load));
        }
        if known() {
            return Ok(());
        }
        let lacks = format!("the kernel does not know the file system {}", self.name());
        Err(Reason::new(lacks, "install the package of the kernel's further modules"))
    }

    fn maker(self) -> &'static str {
        match self {
            FileSystem::Ext4 | FileSystem::Ext4WithoutJournal => "mkfs.ext4",
            FileSystem::Xfs => "mkfs.xfs",
            FileSystem::Btrfs => "mkfs.btrfs",
        }
    }

    /// The command that makes it on `device`. Everything is initialised at once: what is left for
    /// later would be written in the background of the experiment.
    pub(crate) fn make(self, device: &Path) -> Command {
        let mut command = spawn::command(self.maker());
        match self {
            FileSystem::Ext4 | FileSystem::Ext4WithoutJournal => {
                let now = "nodiscard,lazy_itable_init=0,lazy_journal_init=0";
                command.args(["-q", "-F", "-E", now]);
                if self == FileSystem::Ext4WithoutJournal {
                    command.args(["-O", "^has_journal"]);
                }
            }
            FileSystem::Xfs | FileSystem::Btrfs => {
                command.args(["-q", "-f", "-K"]);
            }
        }
        command.arg("--").arg(device);
        command
    }
}
