//! The kernel side: eBPF programs on the JVM's safepoint probes and on the scheduler, and what
//! becomes of their records.
//!
//! Records are drained on a timer and never wake a thread. Those of slices are kept as bytes and
//! thrown away unread unless the pause they belong to is wanted in detail.
mod budget;
#[cfg(feature = "bpf")]
mod clock;
mod elf;
mod inbox;
mod libjvm;
#[cfg(feature = "bpf")]
mod live;
#[cfg(feature = "bpf")]
mod load;
#[cfg(feature = "bpf")]
mod probe_guard;
#[cfg_attr(not(feature = "bpf"), path = "absent.rs")]
mod program;
mod record;
#[cfg(feature = "bpf")]
mod refusal;
#[cfg(feature = "bpf")]
mod ring;
mod roles;
mod runs;
mod slices;
#[cfg(feature = "bpf")]
mod small;
mod stacks;
mod symbols;
mod threads;
mod usdt;
mod variable;
mod windows;

pub(crate) use budget::Budget;
pub(crate) use inbox::Inbox;
use libjvm::Function;
pub(crate) use libjvm::Libjvm;
#[cfg(fuzzing)]
pub(crate) use libjvm::read_libjvm;
#[cfg(feature = "bpf")]
pub(crate) use load::KernelError;
pub(crate) use program::Kernel;
#[cfg(not(feature = "bpf"))]
pub(crate) use program::KernelError;
pub(crate) use record::Slice;
pub(crate) use slices::{Raw, Resolved, descriptor, entered, kernel_work, thread_slices};
pub(crate) use stacks::Stacks;
pub(crate) use symbols::Symbols;
pub(crate) use threads::Threads;
use usdt::Site;
pub(crate) use windows::without_totals;

use crate::host::ProbedLibrary;
use recording::{MonoTime, SafepointTotals, VmOperationFact};
use std::{fs::File, sync::Arc, time::Duration};

/// How the begin and end of safepoints are seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Windows {
    /// By USDT probes, by symbols where there are none.
    #[default]
    Auto,
    /// By USDT probes only.
    Usdt,
    /// By functions of the symbol table only.
    Symbols,
}

/// The JVM to attach to.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// Process id in the initial pid namespace.
    pub(crate) pid: u32,
    /// Its `libjvm.so`, or why that cannot be opened.
    pub(crate) libjvm: Result<Arc<File>, String>,
    /// The same, to look for who would be in the way of probes in it.
    pub(crate) probed: ProbedLibrary,
    pub(crate) windows: Windows,
    /// Whether the kernel shall measure the programs' run time, which itself costs.
    pub(crate) measure: bool,
    /// Where the JVM has its file of performance counters mapped (first address, end), if faults
    /// on it may wait for a disk.
    pub(crate) counters: Option<(u64, u64)>,
    /// Whether to look at the code of threads that stop late.
    pub(crate) late_code: bool,
    /// From how long on the waits of threads are sent that are in no stop; zero for none.
    pub(crate) stalls_over: Duration,
    /// The number of its threads, where many JVMs are recorded at once, so that each is to take little
    /// memory of the kernel.
    pub(crate) small_for: Option<usize>,
    /// The CPUs on which it may run.
    pub(crate) cpus: Vec<i32>,
    /// A program that the kernel is made to refuse.
    #[cfg(test)]
    pub(crate) refuse: Option<&'static str>,
    /// Whether the kernel is taken for one without the tracepoint `mm_filemap_fault`.
    #[cfg(test)]
    pub(crate) without_tracepoint: bool,
}

/// Counters of the kernel side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counters {
    /// Context switches to or from a thread of the JVM.
    pub(crate) switches: u64,
    /// Records for which there was no room in the ring buffer.
    pub(crate) lost: u64,
    /// Stacks that could not be taken.
    pub(crate) lost_stacks: u64,
    /// Switches to a thread that were not seen and estimated from its run time.
    pub(crate) repaired: u64,
    /// Stalls that were not sent: more than there is room for.
    pub(crate) dropped_stalls: u64,
}

/// The stop under way, as the kernel side has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OpenStop {
    /// When it began, or the recording where that came later.
    pub(crate) begin: MonoTime,
    pub(crate) vm_tid: u32,
    /// The operation under way; its end is its begin.
    pub(crate) operation: Option<VmOperationFact>,
    /// What the VM thread did so far, up to its last switch.
    pub(crate) reaching: SafepointTotals,
    pub(crate) operating: SafepointTotals,
}

/// What is said where no safepoint can be seen.
pub(crate) const NO_WINDOWS: &str = "this libjvm has neither USDT probes nor a symbol table";

/// What the programs have cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RunTime {
    /// Name, calls, time in them.
    pub(crate) programs: Vec<(String, u64, Duration)>,
}

impl RunTime {
    pub(crate) fn total(&self) -> Duration {
        self.programs.iter().map(|(_, _, time)| *time).sum()
    }
}
