//! What a log tells: one value per collection, stop, cycle and fact about the JVM.
use crate::{
    ClockJump, CollectionShare, FreeSpace, GcKind, Generation, MonitorPause, PhaseTime, References,
    Stamp, Step, Tenuring, Transition,
};
use std::time::Duration;

/// One thing that the log tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A stop-the-world collection, or one stop-the-world phase of a concurrent one.
    Gc(Box<GcEvent>),
    /// A stop of all application threads, for whatever reason.
    Safepoint(Safepoint),
    /// A fact about the JVM, as it prints at its start.
    Jvm(JvmEvent),
    /// A concurrent cycle began or ended.
    ConcurrentCycle(ConcurrentCycle),
    /// An application thread had to wait for memory while the others went on.
    AllocationStall(AllocationStall),
    /// An object too large for an ordinary place was asked for.
    HumongousAllocation(HumongousAllocation),
    /// How CMS's free memory lies about.
    FreeSpace(FreeSpace),
    /// A pause that the application noticed by itself.
    MonitorPause(MonitorPause),
    /// The application says how much of an interval was spent in collections.
    CollectionShare(CollectionShare),
    /// The application noticed that the wall clock jumped.
    ClockJump(ClockJump),
}

/// A garbage collector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Collector {
    /// `-XX:+UseSerialGC`.
    Serial,
    /// `-XX:+UseParallelGC`.
    Parallel,
    /// `-XX:+UseConcMarkSweepGC`, until JDK 13.
    Cms,
    /// `-XX:+UseG1GC`.
    G1,
    /// `-XX:+UseShenandoahGC`.
    Shenandoah,
    /// `-XX:+UseZGC`.
    Zgc,
    /// `-XX:+UseEpsilonGC`, which collects nothing.
    Epsilon,
    /// The serial one of a `GraalVM` native image, whose program is no HotSpot JVM.
    NativeImage,
}

impl Collector {
    /// The name used in reports.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Collector::Serial => "serial",
            Collector::Parallel => "parallel",
            Collector::Cms => "cms",
            Collector::G1 => "g1",
            Collector::Shenandoah => "shenandoah",
            Collector::Zgc => "zgc",
            Collector::Epsilon => "epsilon",
            Collector::NativeImage => "native-image",
        }
    }
}

/// CPU time of all threads of the process during a collection, in addition to the time that passed.
///
/// HotSpot prints hundredths of a second and rounds, so `real` may differ from the pause by 10 ms.
/// On Linux `user` and `sys` are process-wide (`times(2)`): threads that are not the collector's
/// count too, and so do JIT compilers, which go on during a safepoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CpuTimes {
    /// In user mode.
    pub user: Duration,
    /// In the kernel.
    pub sys: Duration,
    /// That passed on the clock.
    pub real: Duration,
}

/// How a collection failed to do what it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Failures {
    /// G1 ran out of space to copy into (`To-space exhausted`, `Evacuation Failure: Allocation`,
    /// `to-space overflow`).
    pub evacuation: bool,
    /// Survivors did not fit into the old generation (`promotion failed`; Serial, ParNew).
    pub promotion: bool,
    /// The old generation filled up before CMS had freed it (`concurrent mode failure`), so that
    /// a full collection did it in a pause. `concurrent mode interrupted` is none: that collection was
    /// requested explicitly.
    pub concurrent_mode: bool,
    /// G1 left regions where they were that native code had pinned (`Evacuation Failure: Pinned`, JDK 22
    /// and later): no lack of space.
    pub pinned: bool,
}

impl Failures {
    /// Whether nothing failed.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self == Failures::default()
    }
}

/// One stop-the-world collection pause.
///
/// # Source
///
/// The `gc` tag's closing line, which `GCTraceTimeImpl` prints
/// (`src/hotspot/share/gc/shared/gcTraceTime.cpp`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GcEvent {
    /// Of the closing line, thus the end of the collection. Its begin is `duration` earlier.
    pub stamp: Stamp,
    /// Of the line with tag `gc,start`, where one was logged.
    pub start: Option<Stamp>,
    /// The collector, where the log said or showed it up to this line.
    pub collector: Option<Collector>,
    /// What kind of pause.
    pub kind: GcKind,
    /// The GC cause as printed, such as `G1 Evacuation Pause` or `System.gc()`. Remark and
    /// cleanup have none, nor have the pauses of ZGC and Shenandoah; for a degenerated collection
    /// it is where its cycle stood, such as `Outside of Cycle`.
    pub cause: Option<Box<str>>,
    /// The number in `GC(n)`. A concurrent cycle's pauses share one.
    pub gc_id: u64,
    /// How long, exact to the microsecond as printed.
    pub duration: Duration,
    /// Of the `gc,cpu` line of the same id, where there was one.
    pub cpu: Option<CpuTimes>,
    /// Whole heap in bytes, rounded to the unit printed.
    pub heap: Option<Transition>,
    /// Generations, where `gc,heap` was logged, in the order of the log.
    pub generations: Vec<Generation>,
    /// What failed in it.
    pub failures: Failures,
    /// How long its parts took (`gc,phases`, `-XX:+PrintGCDetails` of G1), in the log's order.
    pub phases: Vec<PhaseTime>,
    /// Those parts that followed each other, under the log's own names.
    pub steps: Vec<Step>,
    /// How many references of each kind it met, where the log says (`gc,ref`,
    /// `-XX:+PrintReferenceGC`).
    pub references: Option<References>,
    /// How long objects stay young, where the log says (`gc,age`,
    /// `-XX:+PrintTenuringDistribution`).
    pub tenuring: Option<Tenuring>,
    /// It ran inside another pause, which contains its time: statistics must not count it again.
    pub nested: bool,
}

impl GcEvent {
    /// When it began, as the log says or else computed from its end.
    #[must_use]
    pub fn begin(&self) -> Stamp {
        self.stamp.earlier(self.duration)
    }
}

/// One stop of all application threads as the JVM logged it.
///
/// All durations are exact as printed: nanoseconds from JDK 13 on, tenths of a microsecond before.
/// What a JDK does not print is `None`, never zero.
///
/// | JDK | printed |
/// |---|---|
/// | 8, 11 | `time_to_safepoint`, `total`; JDK 11 with `safepoint+cleanup` also `cleanup` |
/// | 13 to 16 | `time_to_safepoint` (with the cleanup in it), `at_safepoint`, `total` |
/// | 17 | the same, and `cleanup` apart |
/// | 21 | the same, and `leaving`, in later updates |
/// | 25 | no `cleanup` any more; `leaving`, `threads` |
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Safepoint {
    /// Of the line, which is written when the stop ends. Its begin is `total` earlier.
    pub stamp: Stamp,
    /// HotSpot's name of the VM operation, such as `G1CollectForAllocation`. Empty where the log
    /// does not say: JDK 8, and JDK 11 without the line before.
    pub vm_operation: Box<str>,
    /// From the request until all threads had stopped (`Reaching safepoint`, `Stopping threads
    /// took`). An upper bound where `cleanup` is inside it.
    pub time_to_safepoint: Option<Duration>,
    /// Housekeeping at the begin of the stop.
    pub cleanup: Option<Duration>,
    /// The VM operation itself. On JDK 8 and 11 not printed: `total` less `time_to_safepoint` is
    /// an upper bound there.
    pub at_safepoint: Option<Duration>,
    /// From the end of the operation until the threads were let go.
    pub leaving: Option<Duration>,
    /// All of it.
    pub total: Duration,
    /// Since the end of the stop before this one.
    pub since_last: Option<Duration>,
    /// How many threads were there.
    pub threads: Option<SafepointThreads>,
}

impl Safepoint {
    /// When it began, computed from its end.
    #[must_use]
    pub fn begin(&self) -> Stamp {
        self.stamp.earlier(self.total)
    }
}

/// The threads at a safepoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SafepointThreads {
    /// Java threads that ran, and had to be waited for, when the safepoint was requested.
    pub runnable: u32,
    /// All Java threads.
    pub total: u32,
}

/// A fact about the JVM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JvmEvent {
    /// Of the line.
    pub stamp: Stamp,
    /// What.
    pub fact: InitFact,
}

/// What a JVM tells about itself at its start (mostly tag `gc,init`, JDK 16 and later).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InitFact {
    /// Such as `17.0.15+6-LTS`.
    Version(Box<str>),
    /// Which collector it uses.
    Collector(Collector),
    /// CPUs of the host, and those that the JVM may use.
    Cpus {
        /// Of the host.
        total: u32,
        /// For the JVM.
        available: u32,
    },
    /// Memory of the host or the container, in bytes, rounded to 1 MiB.
    MemoryBytes(u64),
    /// Threads for stop-the-world work.
    ParallelWorkers(u32),
    /// Threads for concurrent work.
    ConcurrentWorkers(u32),
    /// Size of a G1 region in bytes.
    RegionSizeBytes(u64),
    /// The largest heap in bytes.
    MaxHeapBytes(u64),
    /// The flags that are not at their default, as printed (`CommandLine flags:`).
    Flags(Box<str>),
    /// Whether all pages of the heap were touched at the start (`Pre-touch:`).
    PreTouch(bool),
    /// Whether the JVM asks for transparent huge pages (`Large Page Support:`).
    TransparentHugePages(bool),
    /// Swap space of the host when the JVM started, in bytes.
    Swap {
        /// All of it.
        total_bytes: u64,
        /// What was not used.
        free_bytes: u64,
    },
}

/// What a concurrent cycle works on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CycleScope {
    /// The heap, or the old generation (CMS, G1, Shenandoah, ZGC of one generation).
    #[default]
    Whole,
    /// The young generation alone (`Minor Collection` of ZGC, `Concurrent cycle (Young)` of
    /// Shenandoah).
    Young,
    /// The old generation alone (Shenandoah).
    Old,
}

/// A concurrent cycle began or ended. It is no pause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConcurrentCycle {
    /// Of the line.
    pub stamp: Stamp,
    /// The number in `GC(n)`; the cycle's pauses have the same.
    pub gc_id: u64,
    /// What it works on.
    pub scope: CycleScope,
    /// The GC cause, where printed (ZGC: `Allocation Rate`, `Proactive`, …).
    pub cause: Option<Box<str>>,
    /// Whole heap before and after, in bytes; known at the end only, and only of ZGC and
    /// Shenandoah.
    pub heap: Option<Transition>,
    /// Begin or end.
    pub edge: CycleEdge,
}

/// One end of a concurrent cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CycleEdge {
    /// It begins. The end may be missing where the log or the JVM ends before it.
    Begin,
    /// It ends, or was given up because of a full collection.
    End {
        /// How long it took; `None` where the log has neither this nor the begin.
        duration: Option<Duration>,
    },
}

/// An application thread waited for the collector to free memory (`Allocation Stall` of ZGC).
/// Other threads went on, so it is no pause of the application as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllocationStall {
    /// Of the line, at the end of the wait.
    pub stamp: Stamp,
    /// The thread's name.
    pub thread: Box<str>,
    /// How long it waited.
    pub duration: Duration,
}

/// An object of half a G1 region or more was asked for, and the log says how large it was
/// (`allocation request` of `-XX:+PrintAdaptiveSizePolicy` and `gc,ergo=debug`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HumongousAllocation {
    /// Of the line.
    pub stamp: Stamp,
    /// Size of the object in bytes.
    pub bytes: u64,
}
