//! Threads of the JVM and what they did.
use crate::{Interval, MonoTime};
use std::time::Duration;

/// What a thread is for, as far as its name or its deeds tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, strum::VariantArray)]
pub enum ThreadRole {
    /// The thread that runs VM operations: the one that fires the safepoint probes.
    VmThread,
    /// Stop-the-world worker of the collector (`GC Thread#0`, `ParGC Thread#`, `ZWorker`, …).
    GcWorker,
    /// Concurrent worker of the collector (`G1 Conc#0`, `G1 Main Marker`, `G1 Refine#0`, …).
    GcConcurrent,
    /// C1 or C2.
    Compiler,
    /// Other native threads of the JVM that need not stop (`VM Periodic Tas`, `G1 Service`,
    /// `AsyncLog Threa`, `Signal Dispatch` is a Java thread and is not here).
    VmInternal,
    /// A thread that runs Java code and must stop at a safepoint. Also every thread whose name
    /// says nothing: names of application threads are free.
    Java,
}

impl ThreadRole {
    /// All roles.
    pub const ALL: &'static [ThreadRole] = <ThreadRole as strum::VariantArray>::VARIANTS;

    /// The name used in tables.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            ThreadRole::VmThread => "vm-thread",
            ThreadRole::GcWorker => "gc-worker",
            ThreadRole::GcConcurrent => "gc-concurrent",
            ThreadRole::Compiler => "compiler",
            ThreadRole::VmInternal => "vm-internal",
            ThreadRole::Java => "java",
        }
    }

    /// The role with this [`id`](ThreadRole::id).
    #[must_use]
    pub fn from_id(id: &str) -> Option<ThreadRole> {
        ThreadRole::ALL.iter().copied().find(|role| role.id() == id)
    }
}

/// One thread of the JVM. Thread ids are those of the host's initial pid namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadFact {
    /// Thread id.
    pub tid: u32,
    /// Name as the kernel has it: at most 15 bytes (`task_struct.comm`).
    pub name: String,
    /// What it is for.
    pub role: ThreadRole,
    /// When it was first seen.
    pub first_seen: MonoTime,
}

/// Which file: device and inode, as in `stat(2)`. The key of [`FileFact`](crate::FileFact).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileKey {
    /// Device number as in `st_dev` (`makedev` encoding of the C library).
    pub device: u64,
    /// Inode number.
    pub inode: u64,
}

/// State of a thread over a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, strum::VariantArray)]
pub enum ThreadState {
    /// Running on a CPU.
    OnCpu,
    /// Wants a CPU and has none, because others have it.
    Runnable,
    /// Wants a CPU and has none, because its cgroup's quota is used up.
    Throttled,
    /// Waits in the kernel: for a disk, a lock, another thread, or for work.
    Blocked,
    /// Stopped by a signal, a tracer or the freezer.
    Stopped,
}

impl ThreadState {
    /// All states.
    pub const ALL: &'static [ThreadState] = <ThreadState as strum::VariantArray>::VARIANTS;

    /// The name used in tables.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            ThreadState::OnCpu => "on-cpu",
            ThreadState::Runnable => "runnable",
            ThreadState::Throttled => "throttled",
            ThreadState::Blocked => "blocked",
            ThreadState::Stopped => "stopped",
        }
    }

    /// The state with this [`id`](ThreadState::id).
    #[must_use]
    pub fn from_id(id: &str) -> Option<ThreadState> {
        ThreadState::ALL.iter().copied().find(|state| state.id() == id)
    }
}

/// In what a blocked thread entered the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OffCpuCause {
    /// A system call, with its number on this architecture.
    Syscall(i32),
    /// A page fault: the thread touched memory and made no call.
    PageFault,
}

/// Who let a thread go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    /// Its process (host).
    pub pid: u32,
    /// Its thread.
    pub tid: u32,
    /// The system call it was in, with its number on this architecture.
    pub call: Option<i32>,
    /// Name of the thread (`comm`); empty where it is not known.
    pub name: String,
}

/// One thread in one state.
///
/// Slices of one thread do not overlap. They are kept in detail only around pauses that were
/// wanted in detail (see [`SafepointFact::detailed`](crate::SafepointFact)). Outside of those, waits
/// of 10 ms and more are kept where the thread was throttled or stopped, or blocked in a page fault
/// or in a call on its memory. Between them there are gaps, which mean "not kept", never "idle".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadSlice {
    /// Thread id (host).
    pub tid: u32,
    /// Begin and end of the slice.
    pub interval: Interval,
    /// In which state.
    pub state: ThreadState,
    /// For `OnCpu`: time inside the slice in which the thread was runnable in waits too short to
    /// keep apart (each under 50 µs, as in a yield storm). Zero otherwise.
    pub merged_wait: Duration,
    /// For `Blocked` and `Stopped`: how it entered the kernel.
    pub entered: Option<OffCpuCause>,
    /// For `Blocked` in a call whose first argument is a descriptor: that descriptor.
    pub fd: Option<u32>,
    /// The file behind `fd`, or the file whose page the fault waits for.
    pub file: Option<FileKey>,
    /// For a page fault on the JVM's file of performance counters: where in the file.
    pub fault_offset: Option<u64>,
    /// Kernel stack at the switch-out, a key into `stacks`. `None` where it was waiting for work
    /// (futex, poll, sleep, …) and none was taken.
    pub stack: Option<u32>,
    /// For `Stopped`: whether a freezer held it: that of its control group, or that of a host that is
    /// suspended. Otherwise it was a signal or a tracer, which the stack tells apart.
    pub frozen: bool,
    /// For `Blocked`: the thread of this JVM that woke it, through a futex. `None` where it was
    /// woken by an interrupt, by a thread outside the JVM, or in another way.
    pub woken_by: Option<u32>,
    /// For `Blocked` where no signal could have woken it: the thread that did. It held the lock of the kernel that
    /// was waited for; where that was anything else, it is any thread that an interrupt came upon.
    pub released_by: Option<Release>,
    /// For `Runnable`: process id and name of the process that had the CPU longest meanwhile, where
    /// that is known.
    pub cpu_holder: Option<(u32, String)>,
    /// For `OnCpu`: how much of it the CPU did not run the thread, because the hypervisor had taken
    /// it or an interrupt was served (wall time less `sum_exec_runtime`).
    pub taken: Duration,
    /// Whether it was put together from periodic samples: its edges, and short states between two
    /// samples, are not known exactly.
    pub sampled: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_find_their_value() {
        for &role in ThreadRole::ALL {
            assert_eq!(ThreadRole::from_id(role.id()), Some(role));
        }
        for &state in ThreadState::ALL {
            assert_eq!(ThreadState::from_id(state.id()), Some(state));
        }
    }
}
