//! What a thread waits for that is blocked in the kernel, by all that was seen of it.
use super::{
    outputs,
    sampled::{self, Fault},
};
use crate::{
    facts::{
        index::Index,
        stacks::{Sign, Signs},
        syscalls::{self, FileCall},
    },
    mechanisms,
};
use recording::{FileKey, Interval, KernelWorkKind, OffCpuCause, ThreadRole, ThreadSlice};
use strum::VariantArray;

/// Something that a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::VariantArray)]
pub(crate) enum Wait {
    /// Another thread, a timer, or work.
    Thread,
    /// A page of the JVM's file of counters.
    Counters,
    /// Memory that comes back from swap.
    Swap,
    /// To be below `memory.high` again.
    MemoryHigh,
    /// Pages that are put together for a large one.
    Compaction,
    /// Memory that is freed.
    Reclaim,
    /// The file or stream that the GC log is written to.
    Log,
    /// A page that another task moves, or that is moved nearer.
    Migration,
    /// A page of a file that the application has mapped.
    MappedPage,
    /// The blocks of a deleted file to be given back.
    Unmap,
    /// The `mmap_lock`.
    MmapLock,
    /// What was written to be on the disk.
    FileSync,
    /// A file that is written to, made longer or shorter, or given or taken a name.
    FileWrite,
    /// A file, or what there is to know of it, to be read from the disk.
    FileRead,
    /// The process that reads a pipe or a terminal.
    Output,
    /// Room in the send buffer of a socket.
    Socket,
    /// A server of files, in the network or a process of this host.
    FileServer,
}

/// All that a stretch waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Waits(u32);

impl Waits {
    /// Of a stretch of which no more is known than whether it is a wait for a thread.
    pub(crate) fn for_thread(is_idle: bool) -> Waits {
        Waits::default().with(Wait::Thread, is_idle)
    }

    /// Whether this is among them.
    pub(crate) fn has(self, wait: Wait) -> bool {
        self.0 & bit(wait) != 0
    }

    /// And what the kernel's work, which it did itself, was for.
    pub(crate) fn with_work(
        self,
        index: &Index<'_>,
        work: KernelWorkKind,
        interval: Interval,
    ) -> Waits {
        let reclaims = work == KernelWorkKind::DirectReclaim;
        self.with(Wait::Compaction, work == KernelWorkKind::Compaction)
            .with(Wait::Reclaim, reclaims)
            .with(Wait::MemoryHigh, reclaims && only_for_soft_limit(index, interval))
    }

    fn with(self, wait: Wait, is_shown: bool) -> Waits {
        if is_shown { Waits(self.0 | bit(wait)) } else { self }
    }
}

fn bit(wait: Wait) -> u32 {
    1 << wait as u16
}

/// Whether the files of a file system of this type are with a server, in the network or a process of this host.
fn is_served(file_system: &str) -> bool {
    const SERVED: [&str; 12] = [
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "smbfs",
        "ceph",
        "9p",
        "afs",
        "lustre",
        "gfs2",
        "ocfs2",
        "glusterfs",
    ];
    SERVED.contains(&file_system) || file_system == "fuse" || file_system.starts_with("fuse.")
}

/// Whether a thread that frees memory in `interval` does so for the soft limit, as there is no other
/// limit and the host has enough. The kernel counts reclaim for a group nowhere else (`mm/vmscan.c`,
/// `do_try_to_free_pages`).
fn only_for_soft_limit(index: &Index<'_>, interval: Interval) -> bool {
    let group = index.facts.and_then(|it| it.cgroup.as_ref());
    group.is_some_and(|it| it.memory_high_bytes.is_some() && it.memory_max_bytes.is_none())
        && index.growth("vmstat.allocstall", &[interval]) == Some(0)
}

/// What was seen of a thread that is blocked in the kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocked<'a> {
    pub(crate) slice: &'a ThreadSlice,
    pub(crate) role: ThreadRole,
    /// Whether only samples show it.
    pub(crate) is_sampled: bool,
    /// The part of the slice that is asked for.
    pub(crate) interval: Interval,
}

impl<'a> Blocked<'a> {
    /// Of a slice of a thread that is blocked.
    pub(crate) fn of(index: &Index<'_>, slice: &'a ThreadSlice) -> Blocked<'a> {
        let role = index.role(slice.tid);
        Blocked { slice, role, is_sampled: slice.sampled, interval: slice.interval }
    }

    /// What it waits for.
    pub(crate) fn waits(&self, index: &Index<'_>) -> Waits {
        let signs = index.signs(self.slice.stack);
        let ThreadSlice { entered, stack, .. } = *self.slice;
        let sampled = || sampled::fault(index, self.role, entered, stack, self.interval);
        let fault = self.is_sampled.then(sampled).flatten();
        let shown = Wait::VARIANTS.iter().copied();
        shown.fold(Waits::default(), |all, it| all.with(it, self.is_for(it, index, signs, fault)))
    }

    fn is_for(&self, wait: Wait, index: &Index<'_>, signs: Signs, fault: Option<Fault>) -> bool {
        let any = |of: &[Sign]| of.iter().any(|it| signs.has(*it));
        let migrates = any(&[Sign::Migration, Sign::Balancing]);
        match wait {
            // The recorder takes no stack of such a wait, and it is no block in the kernel.
            Wait::Thread => false,
            Wait::Counters => self.is_counters(index, signs, fault),
            Wait::Swap => fault == Some(Fault::Swap) || signs.has(Sign::SwapIn) && !migrates,
            Wait::MemoryHigh => signs.has(Sign::OverHigh),
            Wait::Compaction => self.is_compaction(signs),
            Wait::Reclaim => {
                fault == Some(Fault::Reclaim)
                    || any(&[Sign::ForHost, Sign::ForGroup, Sign::Reclaim])
            }
            Wait::Log => self.is_log(index),
            Wait::Migration => migrates,
            Wait::MappedPage => self.is_mapped_page(signs, fault),
            // One that renames or removes a file gives back blocks as well, of no mapping.
            Wait::Unmap => {
                signs.has(Sign::Evict) && signs.has(Sign::LastUse) && !self.is_on_path(index)
            }
            Wait::MmapLock => self.is_mmap_lock(signs),
            Wait::FileSync => self.is_file_call(FileCall::Sync, index, signs),
            Wait::FileWrite => self.is_file_call(FileCall::Write, index, signs),
            Wait::FileRead => self.is_file_call(FileCall::Read, index, signs),
            Wait::Output => {
                let is_stream = self.is_standard_stream(index);
                let is_writer = || self.is_unseen_write(index) || self.is_sampled_writer(index);
                signs.has(Sign::OutputFull)
                    || is_stream && (signs.has(Sign::SendBuffer) || is_writer())
            }
            Wait::Socket => {
                let is_sent = signs.has(Sign::SendBuffer) && !self.is_standard_stream(index);
                let is_writer = || self.is_unseen_write(index) || self.is_sampled_writer(index);
                is_sent || self.is_of_socket(index) && is_writer()
            }
            Wait::FileServer => self.is_file_server(index, signs),
        }
    }

    fn is_fault(&self) -> bool {
        self.slice.entered == Some(OffCpuCause::PageFault)
    }

    /// Where the kernel does not tell the file: the JVM's own threads write to no other mapping of a
    /// file, so it is that one if it is on a disk. Java threads may write to any.
    fn is_counters(&self, index: &Index<'_>, signs: Signs, fault: Option<Fault>) -> bool {
        let is_fault = self.is_fault() || self.is_sampled && self.slice.entered.is_none();
        if !is_fault {
            return false;
        }
        let is_told = self.slice.fault_offset.is_some() || index.is_counters_file(self.slice.file);
        let is_only_one = || {
            self.slice.file.is_none()
                && self.role != ThreadRole::Java
                && signs.has(Sign::MakeWritable)
                && index.counters_file_on_disk().is_some()
        };
        is_told || fault == Some(Fault::Counters) || is_only_one()
    }

    fn is_compaction(&self, signs: Signs) -> bool {
        let moves = self.is_fault() && signs.has(Sign::Moving) && !signs.has(Sign::Balancing);
        signs.has(Sign::Compaction) || moves
    }

    /// Java threads write many files; the JVM's own threads, at a safepoint, write only logs.
    fn is_log(&self, index: &Index<'_>) -> bool {
        let log = index.jvm.and_then(|jvm| jvm.gc_log_file);
        if !syscalls::is_log_call(index.architecture(), self.slice.entered) {
            return self.slice.entered.is_none() && self.is_sampled_log(index, log);
        }
        let is_log = || log.is_some() && self.slice.file == log;
        let is_stream = || outputs::is_log_stream(index, self.slice);
        self.role != ThreadRole::Java || is_log() || is_stream()
    }

    /// A sample may know the file, or no more than the function of a file system in which the thread
    /// sleeps. The JVM's own threads write to two files, the log and the counters: where these are not
    /// on a disk, it can only be the log.
    fn is_sampled_log(&self, index: &Index<'_>, log: Option<FileKey>) -> bool {
        if !self.is_sampled || self.role == ThreadRole::Java {
            return false;
        }
        match self.slice.file {
            Some(_) => self.slice.file == log,
            // The JVM's own threads write to no pipe, terminal or socket but their log.
            None if mechanisms::is_pipe_full(index, self.slice.stack) => true,
            None => {
                log.is_some()
                    && index.counters_file_on_disk().is_none()
                    && mechanisms::of_stack(index, self.slice.stack).is_some()
            }
        }
    }

    /// A sample has one function of the stack at most; but a fault for which a file is known is one on
    /// that file.
    fn is_mapped_page(&self, signs: Signs, fault: Option<Fault>) -> bool {
        let is_of_file = self.is_sampled && self.slice.file.is_some();
        self.is_fault()
            && (signs.has(Sign::FileFault) || is_of_file || fault == Some(Fault::Mapped))
    }

    /// Whether it is in such a call on a file of a disk. A call on a descriptor whose file is not known may be
    /// on anything, but where its stack goes through a file system; one on a name is on a file.
    fn is_file_call(&self, call: FileCall, index: &Index<'_>, signs: Signs) -> bool {
        if syscalls::file_call(index.architecture(), self.slice.entered) != Some(call) {
            return false;
        }
        let has_reader = signs.has(Sign::OutputFull) || signs.has(Sign::SendBuffer);
        if has_reader || self.is_sampled_writer(index) {
            return false;
        }
        let file = self.slice.file.and_then(|key| index.file(key));
        let elsewhere = file.is_some_and(|it| {
            matches!(it.file_system.as_str(), "tmpfs" | "ramfs" | "tcp" | "unix")
        }) || self.is_standard_stream(index);
        let is_on_path = self.is_on_path(index);
        // Only files are synced.
        let is_known = self.slice.file.is_some() || is_on_path || call == FileCall::Sync;
        let is_shown = || {
            signs.has(Sign::Page)
                || signs.has(Sign::Queue)
                || mechanisms::of_stack(index, self.slice.stack).is_some()
        };
        !elsewhere && (is_known || is_shown()) && !self.is_file_server(index, signs)
    }

    /// Whether it is in a call on the name of a file.
    fn is_on_path(&self, index: &Index<'_>) -> bool {
        let (architecture, entered) = (index.architecture(), self.slice.entered);
        let takes_descriptor = matches!(entered, Some(OffCpuCause::Syscall(number))
            if architecture.takes_descriptor(number));
        syscalls::file_call(architecture, entered).is_some() && !takes_descriptor
    }

    /// Whether a server of files is waited for: its protocol is in the stack, or the file is one of its.
    fn is_file_server(&self, index: &Index<'_>, signs: Signs) -> bool {
        let file = self.slice.file.and_then(|key| index.file(key));
        signs.has(Sign::FileServer) || file.is_some_and(|it| is_served(&it.file_system))
    }

    /// A write whose begin was not seen has no stack, and where it is on what others read it waits for them.
    fn is_unseen_write(&self, index: &Index<'_>) -> bool {
        let call = syscalls::file_call(index.architecture(), self.slice.entered);
        self.slice.stack.is_none() && call == Some(FileCall::Write)
    }

    /// A sample of one that waits for its reader has of the stack no more than where it sleeps.
    fn is_sampled_writer(&self, index: &Index<'_>) -> bool {
        self.is_sampled && mechanisms::is_pipe_full(index, self.slice.stack)
    }

    fn is_of_socket(&self, index: &Index<'_>) -> bool {
        let file = self.slice.file.and_then(|key| index.file(key));
        file.is_some_and(|it| matches!(it.file_system.as_str(), "tcp" | "unix"))
    }

    fn is_standard_stream(&self, index: &Index<'_>) -> bool {
        self.slice.fd.is_some_and(|fd| outputs::of_fd(index, fd).is_some())
    }

    fn is_mmap_lock(&self, signs: Signs) -> bool {
        if self.is_fault() {
            signs.has(Sign::MmapLockShared) && !signs.has(Sign::MmapLockHeld)
        } else {
            signs.has(Sign::MmapLockAlone) && signs.has(Sign::MmapCalls)
        }
    }
}
