//! What a slow disk is and can do: its size, its queue, its limits and its file system.
use crate::{Reason, tool};
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
        if tool::output(version).is_err() {
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
            drop(tool::output(load));
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

/// What kind of disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskOptions {
    /// Its size, of which only what is not zero takes memory.
    pub size_bytes: u64,
    /// File system.
    pub file_system: FileSystem,
    /// Options of the file system for mounting, such as `commit=1`; may be empty.
    pub mount_options: &'static str,
    /// Whether pages under writeback must not be changed, as checksumming devices demand.
    /// The file system looks at it when it is mounted.
    pub stable_writes: bool,
    /// How much unwritten data of this disk the kernel allows, about; its own limits where `None`.
    pub unwritten_bytes: Option<u64>,
    /// How much of it may be other than zero, in MiB: the memory that it takes at most.
    pub stored_mib: u32,
    /// Its queue.
    pub queue: Queue,
}

/// What may be under way to a disk at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queue {
    /// Requests; the kernel takes up to 128 for a loop device.
    pub requests: u32,
    /// The largest request, in KiB.
    pub kib: u32,
}

/// What the disk can do. Reads do not wait for writes, nor writes for reads. Where it can do none, who asks
/// waits until the limit changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// Bytes written per second.
    WriteBytes(u64),
    /// Bytes read per second.
    ReadBytes(u64),
    /// Reads per second.
    Reads(u64),
    /// Writes per second.
    Writes(u64),
}
