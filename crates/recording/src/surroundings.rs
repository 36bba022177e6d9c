//! Rows about what surrounds the JVM: its control group, who uses memory, its counters file.
use crate::{Interval, MonoTime};
use std::time::Duration;

/// The limits that bind the JVM: of its control group or of an ancestor, whichever is strictest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CgroupFact {
    /// Version of the hierarchy with the CPU controller: 1 or 2; 0 where unknown.
    pub version: u32,
    /// Path of the group whose CPU quota binds, or the JVM's own where none does.
    pub cpu_path: String,
    /// CPU time that the group may use in each period (`cpu.max`, `cpu.cfs_quota_us`); `None` where
    /// there is no limit.
    pub cpu_quota: Option<Duration>,
    /// Length of a period; 100 ms by default.
    pub cpu_period: Duration,
    /// CPU time that may be saved up for later (`cpu.max.burst`, `cpu.cfs_burst_us`).
    pub cpu_burst: Duration,
    /// Path of the group whose memory limit binds, or the JVM's own where none does.
    pub memory_path: String,
    /// Most memory (`memory.max`, `memory.limit_in_bytes`); `None` where there is no limit.
    pub memory_max_bytes: Option<u64>,
    /// Memory above which the group is slowed down (`memory.high`, version 2 only).
    pub memory_high_bytes: Option<u64>,
}

impl CgroupFact {
    /// How many CPUs' worth of time the quota gives, in thousandths; `None` without a quota.
    #[must_use]
    pub fn milli_cpus(&self) -> Option<u64> {
        let period = self.cpu_period.as_nanos().max(1);
        self.cpu_quota.map(|it| u64::try_from(it.as_nanos() * 1000 / period).unwrap_or(u64::MAX))
    }
}

/// Memory of one process at one instant. Only the largest and those that grow are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryFact {
    /// When it was read.
    pub at: MonoTime,
    /// Process id (host).
    pub pid: u32,
    /// Process name (`comm`).
    pub name: String,
    /// As [`WriterFact::command_line`](crate::WriterFact::command_line).
    pub command_line: String,
    /// Path of its control group in the hierarchy with the memory controller.
    pub cgroup: String,
    /// Resident (`VmRSS`).
    pub resident_bytes: u64,
    /// Swapped out (`VmSwap`).
    pub swapped_bytes: u64,
}

/// CPU time that one process used in an interval.
///
/// Two kinds of rows: runs of other processes inside of stops, while a thread of the JVM waited for a CPU,
/// as the scheduler's events tell them (with a `cpu`); and for each second those that used most, as
/// `/proc/PID/stat` counts them (without).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CpuUserFact {
    /// The run, or the second.
    pub interval: Interval,
    /// Process id (host).
    pub pid: u32,
    /// Process name (`comm`).
    pub name: String,
    /// As [`WriterFact::command_line`](crate::WriterFact::command_line). Empty in rows of one run.
    pub command_line: String,
    /// Path of its control group in the hierarchy with the CPU controller. Empty in rows of one run.
    pub cgroup: String,
    /// The CPU that one of its threads had all that time; `None` where it is a sum over its threads.
    pub cpu: Option<u32>,
    /// CPU time of its threads together.
    pub used: Duration,
    /// The CPUs on which its main thread may run, as in `Cpus_allowed_list` of `/proc/PID/status`:
    /// `0-3,8`. Empty where unknown.
    pub cpus_allowed: String,
}

/// Where one counter lies in the JVM's file of performance counters (`/tmp/hsperfdata_*/PID`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerfCounterFact {
    /// Its name, such as `sun.rt.safepoints`.
    pub name: String,
    /// Byte offset of its value in the file.
    pub offset: u64,
    /// Bytes of its value.
    pub length: u64,
}
