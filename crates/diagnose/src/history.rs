//! What a log tells over time: sums, trends, and the circumstances of each collection.
//!
//! Everything here sees one event after the other and keeps a bounded amount, whatever the length
//! of the log.
mod collected;
mod collection;
pub(crate) mod collection_traits;
mod cycles;
mod eden;
mod failures;
mod humongous;
mod jvm;
mod kinds;
mod memory;
mod pressure;
mod sizes;
mod sums;
mod usual;

pub use collected::Collected;
pub(crate) use collection::{Circumstances, Collection, lacks_cpu_time};
pub(crate) use eden::{EdenShrink, reference_time};
pub(crate) use humongous::Humongous;
pub(crate) use jvm::LogJvm;
pub(crate) use kinds::{is_full, is_remark, kind};
pub(crate) use pressure::Pressure;
pub(crate) use sizes::Sizes;
pub(crate) use sums::{GcSums, taken};
pub(crate) use usual::Beyond;

use crate::{GcStatistics, MemoryStatistics, text};
use gclog::{AllocationStall, ConcurrentCycle, FreeSpace, GcEvent, InitFact};
use std::time::Duration;

/// The sums and trends of one log.
#[derive(Debug, Default)]
pub(crate) struct History {
    pub(crate) jvm: LogJvm,
    pub(crate) sums: sums::GcSums,
    pub(crate) memory: memory::Memory,
    pub(crate) humongous: Humongous,
    pub(crate) stalls: crate::Count,
    /// Its pauses are those that an application noticed: of the JVM it has no line.
    pub(crate) is_of_application: bool,
    /// How many stops the log shows.
    pub(crate) stops: u64,
    /// How long the application ran between collections, and how long those took, where it says so.
    pub(crate) between: (Duration, Duration),
    /// Collections that left regions where they were that native code had pinned.
    pinned: u64,
    /// The thread that waited longest for memory.
    pub(crate) most_stalled: Box<str>,
    cycles: cycles::Cycles,
    eden: eden::EdenWatch,
    failures: failures::OldWatch,
    pressure: pressure::PressureWatch,
    pub(crate) usual: usual::Usual,
}

impl History {
    /// A collection that began at `begin_ns`, in the order of the log. One nested in another is
    /// counted with that one, but what it did to the heap is its own.
    pub(crate) fn collection(&mut self, gc: &GcEvent, begin_ns: u64) -> Circumstances {
        let region = self.jvm.region_size_bytes();
        let sizes = Sizes::of(gc, region);
        self.jvm.seen(gc);
        self.pinned += u64::from(gc.failures.pinned);
        if !gc.nested {
            self.sums.add(gc);
        }
        self.humongous.collection(gc);
        self.usual.add(gc, &sizes);
        let promoted = self.memory.collection(gc, &sizes, begin_ns);
        Circumstances {
            eden_shrunk: self.eden.collection(gc, &sizes),
            pressure: self.pressure.collection(gc, begin_ns, self.memory.last_live()),
            old: self.failures.collection(gc, &sizes, promoted),
            // Known once some collections of its kind were seen.
            beyond: None,
            undisturbed: None,
            workers: 0,
        }
    }

    /// That regions were pinned; `None` where none was.
    pub(crate) fn said_of_pinned(&self) -> Option<String> {
        (self.pinned > 0).then(|| {
            format!(
                "{} left regions in place that native code had pinned (JNI critical sections): that is no \
                 lack of free regions",
                text::counted(self.pinned, "collection")
            )
        })
    }

    /// Adds how a collection compares with the earlier ones of its log.
    pub(crate) fn compare(&self, collection: &mut Collection) {
        let Collection { gc, around } = collection;
        if gc.duration >= usual::MIN_BEYOND {
            around.beyond = self.usual.beyond(gc, &Sizes::of(gc, self.jvm.region_size_bytes()));
        }
        if lacks_cpu_time(gc) {
            around.undisturbed = self.usual.undisturbed(gc.kind);
            around.workers = self.jvm.at_once();
        }
    }

    /// A concurrent cycle began or ended.
    pub(crate) fn cycle(&mut self, cycle: &ConcurrentCycle, at_ns: u64) {
        self.cycles.edge(cycle, at_ns);
        self.memory.cycle(cycle, at_ns);
    }

    /// A thread waited for memory.
    pub(crate) fn stall(&mut self, stall: &AllocationStall) {
        if stall.duration > self.stalls.max {
            self.most_stalled = stall.thread.clone();
        }
        self.stalls.add(stall.duration);
    }

    /// A line of CMS about its free lists.
    pub(crate) fn free_space(&mut self, free: &FreeSpace) {
        self.failures.free_space(free);
    }

    /// A line of the JVM about itself.
    pub(crate) fn fact(&mut self, fact: &InitFact) {
        self.jvm.fact(fact);
    }

    /// Another JVM, or the same one started again, writes from here on.
    pub(crate) fn restart(&mut self) {
        self.memory.restart();
        self.eden.restart();
        self.failures = failures::OldWatch::default();
        self.usual = usual::Usual::default();
        self.pressure = pressure::PressureWatch::default();
        self.cycles.restart();
    }

    /// The collapse of eden after the slowest reference phase, if there was one.
    pub(crate) fn worst_eden_shrink(&self) -> Option<EdenShrink> {
        self.eden.worst()
    }

    /// Statistics over the collections of the log.
    pub(crate) fn gc_statistics(&self) -> GcStatistics {
        self.statistics_of(&self.sums)
    }

    /// Statistics over collections of the log that are counted elsewhere.
    pub(crate) fn statistics_of(&self, collections: &GcSums) -> GcStatistics {
        let mut statistics = collections.finish();
        self.cycles.finish(&mut statistics);
        statistics.allocation_stalls = self.stalls;
        statistics.humongous = self.humongous.statistics(self.jvm.region_size_bytes());
        statistics
    }

    /// Statistics over the memory, over `span` of running time.
    pub(crate) fn memory_statistics(&self, span: Duration) -> Option<MemoryStatistics> {
        self.memory.finish(&self.jvm, span)
    }
}
