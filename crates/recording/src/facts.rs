//! The rows of the tables, and a batch of them. A new fact is a field here and a column of its table.
use crate::{
    CgroupFact, Clock, ClockOffset, Coverage, CpuUserFact, FileKey, Interval, LogLine, MemoryFact,
    MonoTime, OutputFact, OutputReaderFact, PackedLines, PerfCounterFact, ThreadFact, ThreadSlice,
};
use std::{borrow::Cow, time::Duration};

/// The JVM that was recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JvmFact {
    /// Process id in the host's initial pid namespace.
    pub pid: u32,
    /// Process id as the JVM itself sees it; differs in a container.
    pub pid_in_namespace: u32,
    /// User id of the process.
    pub uid: u32,
    /// Main class or jar, without path, as a person would name the service.
    pub main: String,
    /// The program and what it runs: `/usr/bin/java kafka.Kafka`. Earlier recorders kept the
    /// whole command line; what looks like a secret in it is masked when it is read.
    pub command_line: String,
    /// Version as the JVM prints it, such as `17.0.15+6-Debian-1deb12u1`. Empty where unknown.
    pub version: String,
    /// Vendor or distribution. Empty where unknown.
    pub vendor: String,
    /// `g1`, `parallel`, `serial`, `cms`, `zgc`, `shenandoah`, `epsilon`; empty where unknown.
    pub collector: String,
    /// Flags given: `-XX:…`, `-X…`, `-verbose:…`, from the command line, argument files,
    /// `JAVA_TOOL_OPTIONS` and the like, in the order in which HotSpot applies them: of two
    /// settings of one flag the later one holds.
    pub flags: Vec<String>,
    /// Stop-the-world GC threads seen or configured; 0 where unknown.
    pub gc_threads: u32,
    /// Path of libjvm.so as the JVM sees it.
    pub libjvm: String,
    /// The GC log's path as the JVM sees it, where one was found. Empty otherwise.
    pub gc_log: String,
    /// The file behind `gc_log`.
    pub gc_log_file: Option<FileKey>,
    /// cgroup path of the process (the CPU controller's hierarchy).
    pub cgroup: String,
    /// The CPUs on which its main thread may run, as in `Cpus_allowed_list` of `/proc/PID/status`:
    /// `0-3,8`. Empty where unknown, as in recordings of earlier versions.
    pub cpus_allowed: String,
    /// When the process started, within 10 ms (`/proc/PID/stat` field 22).
    pub started: MonoTime,
}

/// The host that was recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostFact {
    /// Node name.
    pub name: String,
    /// Kernel release, as `uname -r`.
    pub kernel: String,
    /// `PRETTY_NAME` of os-release.
    pub os: String,
    /// Architecture, as `uname -m`.
    pub architecture: String,
    /// CPUs online.
    pub cpus: u32,
    /// Memory in bytes.
    pub memory_bytes: u64,
    /// Version of whypause that recorded.
    pub recorder_version: String,
    /// Id of the boot (`/proc/sys/kernel/random/boot_id`). Empty in recordings of earlier versions.
    pub boot_id: String,
}

/// A VM operation run inside a safepoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VmOperationFact {
    /// HotSpot's name, such as `G1CollectForAllocation`. At most 63 bytes.
    pub name: String,
    /// From `vmops__begin` to `vmops__end`.
    pub interval: Interval,
}

/// What the VM thread did in a safepoint, summed in the kernel. Kept for every safepoint, also
/// for those whose slices were not kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SafepointTotals {
    /// On a CPU.
    pub on_cpu: Duration,
    /// Runnable, not throttled.
    pub runnable: Duration,
    /// Runnable and throttled.
    pub throttled: Duration,
    /// Blocked in something other than waiting for a thread.
    pub blocked: Duration,
    /// Waiting for another thread (futex), as for its GC workers.
    pub waiting: Duration,
}

/// Which ends of a stop lie outside of the recording. Its times are then those of the part inside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cut {
    /// It had begun before the recording.
    pub begin: bool,
    /// It was not over when the recording ended.
    pub end: bool,
}

impl Cut {
    /// Neither: all of the stop was seen.
    pub const WHOLE: Cut = Cut { begin: false, end: false };

    /// Whether a part of the stop was not seen, so that it was longer than its times say.
    #[must_use]
    pub fn is_part(self) -> bool {
        self.begin || self.end
    }
}

/// One safepoint as the probes saw it.
///
/// HotSpot resumes Java before it fires `safepoint__end` on JDK 17, 21 and 25 and after it on
/// JDK 11 (`SafepointSynchronize::end`, `SafepointTracing::end`). The effective end of the stop
/// is `resumed` where it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SafepointFact {
    /// `safepoint__begin`.
    pub begin: MonoTime,
    /// The first wake-up of a Java thread by the VM thread after the last `vmops__end`. `None`
    /// where no Java thread had to be woken.
    pub resumed: Option<MonoTime>,
    /// `safepoint__end`.
    pub end_probe: MonoTime,
    /// The thread that fired the probes.
    pub vm_tid: u32,
    /// Operations run inside, in order. JDK 11 to 14 may run several.
    pub operations: Vec<VmOperationFact>,
    /// Whether the slices of this safepoint were kept.
    pub detailed: bool,
    /// What the VM thread did from `begin` to the first operation.
    pub reaching: SafepointTotals,
    /// What the VM thread did from the first operation to `end_probe`.
    pub operating: SafepointTotals,
    /// How much the throttled time of the JVM's cgroup and its ancestors grew from `begin` to
    /// `end_probe`. Booked by the kernel when throttling ends, and summed over CPUs, so it may be
    /// late and may exceed wall time.
    pub cgroup_throttled: Duration,
    /// Whether its begin or its end was not recorded. `begin` is then when the recording began, and
    /// `end_probe` when it ended.
    pub cut: Cut,
}

/// A kernel stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackFact {
    /// Key, unique in the recording.
    pub id: u32,
    /// Function names without offsets and without compiler suffixes (`.constprop.0`, …),
    /// innermost first.
    pub frames: Vec<String>,
}

/// A file behind a descriptor or mapping of the JVM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFact {
    /// Device and inode.
    pub key: FileKey,
    /// Path as the JVM sees it; ends in ` (deleted)` where the file has no name any more.
    pub path: String,
    /// File system type of the mount, such as `ext4`, `xfs`, `tmpfs`.
    pub file_system: String,
    /// The device's name, such as `sdb1` or `loop3`; `tmpfs` and the like where there is none.
    pub device_name: String,
    /// Mount point as the JVM sees it.
    pub mount_point: String,
    /// Whether the JVM has it mapped.
    pub mapped: bool,
    /// Names of the block devices that its bytes pass, uppermost first: that of the file system, and
    /// those beneath it (the disk of a partition, what a dm, RAID or loop device lies on). Empty where
    /// there is none, and in recordings of earlier versions.
    pub devices: Vec<String>,
}

/// Which kernel work a thread did inside its slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum KernelWorkKind {
    /// Freeing memory for its own allocation, for the host or for its cgroup.
    DirectReclaim,
    /// Moving pages to make a large free block.
    Compaction,
}

impl KernelWorkKind {
    /// The name used in tables.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            KernelWorkKind::DirectReclaim => "direct-reclaim",
            KernelWorkKind::Compaction => "compaction",
        }
    }

    /// The kind with this [`id`](KernelWorkKind::id).
    #[must_use]
    pub fn from_id(id: &str) -> Option<KernelWorkKind> {
        [KernelWorkKind::DirectReclaim, KernelWorkKind::Compaction]
            .into_iter()
            .find(|kind| kind.id() == id)
    }
}

/// An interval of kernel work, laid over the slices of its thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelWork {
    /// Thread id (host).
    pub tid: u32,
    /// Which work.
    pub kind: KernelWorkKind,
    /// From the begin tracepoint to the end tracepoint.
    pub interval: Interval,
}

/// Where a Java thread was that had not stopped a millisecond after it was asked to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeFact {
    /// Thread id (host).
    pub tid: u32,
    /// When the clock of its CPU found it there.
    pub at: MonoTime,
    /// Address of the instruction.
    pub address: u64,
    /// The compiled method that this belongs to, as the JVM's `Compiler.codelist` has it:
    /// `demo.Orders.sum([D)D`. What was inlined into it is not distinguished. Empty where it is
    /// compiled code that belongs to no method: mostly an intrinsic, such as a large array copy.
    pub method: String,
}

/// The Java stack of a thread that was late or stood still, from a thread dump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JavaStackFact {
    /// Thread id (host).
    pub tid: u32,
    /// From when the JVM requested the safepoint of the dump until the last thread had stopped; of a thread that
    /// stood still, for how long it surely did so, the dump included.
    pub reaching: Interval,
    /// As in the dump, innermost first: `demo.Orders.sum(Orders.java:12)`. At most 32.
    pub frames: Vec<String>,
}

/// One value of a host counter.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// When it was read.
    pub at: MonoTime,
    /// Which, such as `psi.io.some_us`, `disk.sdb1.write_ms`, `vmstat.nr_dirty`. The unit is in
    /// the name's last part. Cumulative counters stay cumulative.
    pub counter: String,
    /// Value.
    pub value: u64,
}

/// Bytes that one process sent towards storage in an interval (`write_bytes` of `/proc/PID/io`:
/// counted when a page is dirtied, so it names the process and not the kernel's flusher), or had read
/// from there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriterFact {
    /// Over which time the bytes were counted.
    pub interval: Interval,
    /// Process id (host).
    pub pid: u32,
    /// Process name (`comm`).
    pub name: String,
    /// Program and at most its script's name, cut at 256 bytes; older recordings have more, with
    /// what looks like a secret masked. Empty where the process was gone.
    pub command_line: String,
    /// cgroup path.
    pub cgroup: String,
    /// Bytes written.
    pub bytes: u64,
    /// Bytes read from storage (`read_bytes`); 0 in recordings of earlier versions.
    pub read_bytes: u64,
    /// Device number (as in `st_dev`) of a file it had open for writing, largest first choice, or,
    /// where it had none, for reading; `None` where none could be read.
    pub device: Option<u64>,
    /// Path of that file as the process sees it. Empty where unknown.
    pub path: String,
    /// The block devices beneath that file, as [`FileFact::devices`].
    pub devices: Vec<String>,
}

/// A batch of facts: rows of every table, in the order they became known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// At most one row matters: a later one replaces an earlier one.
    pub jvm: Option<JvmFact>,
    /// Likewise.
    pub host: Option<HostFact>,
    /// Likewise.
    pub cgroup: Option<CgroupFact>,
    /// Clock offsets.
    pub clocks: Vec<ClockOffset>,
    /// Threads. A later row of the same tid replaces an earlier one.
    pub threads: Vec<ThreadFact>,
    /// Safepoints.
    pub safepoints: Vec<SafepointFact>,
    /// Slices.
    pub slices: Vec<ThreadSlice>,
    /// Stacks. A later row of the same id replaces an earlier one.
    pub stacks: Vec<StackFact>,
    /// Files. A later row of the same key replaces an earlier one.
    pub files: Vec<FileFact>,
    /// The layout of the JVM's counters file.
    pub perf_counters: Vec<PerfCounterFact>,
    /// Reclaim and compaction.
    pub kernel_work: Vec<KernelWork>,
    /// Code of late threads.
    pub code: Vec<CodeFact>,
    /// Java stacks of late threads.
    pub java_stacks: Vec<JavaStackFact>,
    /// GC log lines.
    pub log_lines: Vec<LogLine>,
    /// The lines before those, where a recording has more than a few.
    pub packed_lines: PackedLines,
    /// Host counters.
    pub samples: Vec<Sample>,
    /// Writers.
    pub writers: Vec<WriterFact>,
    /// Users of memory.
    pub memory: Vec<MemoryFact>,
    /// Users of CPUs.
    pub cpu_users: Vec<CpuUserFact>,
    /// Where the standard streams lead. A later row of the same descriptor replaces an earlier one.
    pub outputs: Vec<OutputFact>,
    /// Who can read what is written there.
    pub output_readers: Vec<OutputReaderFact>,
    /// The state of coverage so far: a later one replaces an earlier one.
    pub coverage: Option<Coverage>,
}

impl Facts {
    /// Number of rows in all tables.
    #[must_use]
    pub fn rows(&self) -> usize {
        usize::from(self.jvm.is_some())
            + usize::from(self.host.is_some())
            + usize::from(self.cgroup.is_some())
            + usize::from(self.coverage.is_some())
            + self.clocks.len()
            + self.threads.len()
            + self.safepoints.len()
            + self.slices.len()
            + self.stacks.len()
            + self.files.len()
            + self.perf_counters.len()
            + self.kernel_work.len()
            + self.code.len()
            + self.java_stacks.len()
            + self.log_line_count()
            + self.samples.len()
            + self.writers.len()
            + self.memory.len()
            + self.cpu_users.len()
            + self.outputs.len()
            + self.output_readers.len()
    }

    /// Adds the rows of `other`.
    pub fn append(&mut self, other: Facts) {
        self.jvm = other.jvm.or(self.jvm.take());
        self.host = other.host.or(self.host.take());
        self.cgroup = other.cgroup.or(self.cgroup.take());
        self.coverage = other.coverage.or(self.coverage.take());
        self.clocks.extend(other.clocks);
        self.threads.extend(other.threads);
        self.safepoints.extend(other.safepoints);
        self.slices.extend(other.slices);
        self.stacks.extend(other.stacks);
        self.files.extend(other.files);
        self.perf_counters.extend(other.perf_counters);
        self.kernel_work.extend(other.kernel_work);
        self.code.extend(other.code);
        self.java_stacks.extend(other.java_stacks);
        if !other.packed_lines.is_empty() {
            self.pack_log_lines();
            self.packed_lines.append(other.packed_lines);
        }
        self.log_lines.extend(other.log_lines);
        self.samples.extend(other.samples);
        self.writers.extend(other.writers);
        self.memory.extend(other.memory);
        self.cpu_users.extend(other.cpu_users);
        self.outputs.extend(other.outputs);
        self.output_readers.extend(other.output_readers);
    }

    /// The offset from the monotonic to the wall clock with the smallest uncertainty.
    #[must_use]
    pub fn wall_offset(&self) -> Option<&ClockOffset> {
        self.clocks
            .iter()
            .filter(|it| it.from == Clock::Monotonic && it.to == Clock::Wall)
            .min_by_key(|it| it.uncertainty)
    }

    /// Number of GC log lines, packed or not.
    #[must_use]
    pub fn log_line_count(&self) -> usize {
        self.packed_lines.len() + self.log_lines.len()
    }

    /// Packs the lines of the GC log. How many bytes those take that were not packed before.
    pub fn pack_log_lines(&mut self) -> u64 {
        self.packed_lines.push(&std::mem::take(&mut self.log_lines))
    }

    /// The lines of the GC log in blocks, from the first to the last.
    pub fn log_blocks(&self) -> impl Iterator<Item = Cow<'_, [LogLine]>> {
        let packed = self.packed_lines.blocks().map(Cow::Owned);
        packed.chain([Cow::Borrowed(self.log_lines.as_slice())])
    }

    /// Shows each line of the GC log, from the first to the last.
    pub fn each_log_line(&self, mut visit: impl FnMut(&LogLine)) {
        self.log_blocks().for_each(|block| block.iter().for_each(&mut visit));
    }
}
