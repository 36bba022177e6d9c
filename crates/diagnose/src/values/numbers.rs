//! Numbers of an answer: counts, percentiles, and what was summed of collections and of the heap.
use crate::{Bounds, Quantiles, RatioSums};
use std::time::Duration;

/// Number, sum and longest of some pauses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// How many.
    pub count: u64,
    /// Their sum.
    pub total: Duration,
    /// The longest.
    pub max: Duration,
}

impl Count {
    /// Counts one more.
    pub fn add(&mut self, duration: Duration) {
        self.count += 1;
        self.total += duration;
        self.max = self.max.max(duration);
    }

    /// The count of a single duration.
    pub(crate) fn of(duration: Duration) -> Count {
        Count { count: 1, total: duration, max: duration }
    }

    /// The mean; `None` where there are none.
    #[must_use]
    pub fn mean(&self) -> Option<Duration> {
        let nanos = self.total.as_nanos().checked_div(u128::from(self.count))?;
        Some(Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX)))
    }
}

/// A [`Count`] under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Kind of collection or GC cause.
    pub name: String,
    /// Its pauses.
    pub count: Count,
}

/// Statistics over collection pauses alone, from the GC log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GcStatistics {
    /// Stop-the-world collection pauses; one nested in another is a part of it.
    pub pauses: Count,
    /// Their percentiles.
    pub percentiles: Quantiles,
    /// Between which lengths these lie.
    pub bounds: Bounds,
    /// Sum of the squares of their lengths, in seconds squared.
    pub squares: f64,
    /// Sum of the squares of those that end marking, in seconds squared: see
    /// [`remarks`](GcStatistics::remarks).
    pub remark_squares: f64,
    /// By kind: `young`, `mixed`, `full`, `remark`, `cleanup`, …, most time first.
    pub by_kind: Vec<Named>,
    /// By GC cause: `G1 Evacuation Pause`, …, most time first.
    pub by_cause: Vec<Named>,
    /// By phase, where phases are logged: `copying`, `reference-processing`, …, most time first.
    pub by_phase: Vec<Named>,
    /// CPU times, where they are logged.
    pub cpu: Option<CpuSums>,
    /// References met, where they are logged.
    pub references: Option<ReferenceSums>,
    /// Concurrent cycles started.
    pub concurrent_cycles: u64,
    /// Those of them that are of the young generation alone (ZGC, Shenandoah).
    pub young_cycles: u64,
    /// How long those cycles took that ended.
    pub cycle_time: Count,
    /// Mean time from the begin of one to the begin of the next.
    pub cycle_interval: Option<Duration>,
    /// Waits of single threads for memory; no pauses.
    pub allocation_stalls: Count,
    /// Collections in which G1's evacuation failed.
    pub evacuation_failures: u64,
    /// Collections in which a promotion failed.
    pub promotion_failures: u64,
    /// Concurrent mode failures of CMS.
    pub concurrent_mode_failures: u64,
    /// Humongous objects of G1, where any were seen.
    pub humongous: Option<HumongousStatistics>,
}

/// CPU times of all collections that have them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuSums {
    /// How many collections.
    pub collections: u64,
    /// In user mode.
    pub user: Duration,
    /// In the kernel.
    pub sys: Duration,
    /// On the clock.
    pub real: Duration,
}

/// References that all collections met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReferenceSums {
    /// Number of collections that reported them.
    pub collections: u64,
    /// Soft, weak, final, phantom and weak JNI references.
    pub counts: [u64; 5],
}

impl ReferenceSums {
    /// What [`counts`](ReferenceSums::counts) are, in order.
    pub const KINDS: [&'static str; 5] = ["soft", "weak", "final", "phantom", "jni-weak"];
}

/// Humongous objects of G1: of more than half a region each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HumongousStatistics {
    /// Collections that such an allocation asked for.
    pub collections: u64,
    /// The most regions that such objects had before a collection.
    pub most_regions: u64,
    /// Requests whose size was logged.
    pub requests: u64,
    /// The largest of them in bytes.
    pub largest_bytes: Option<u64>,
    /// The size of a region in bytes, where known.
    pub region_size_bytes: Option<u64>,
    /// The smallest region with which none of the requests would be humongous, in bytes; `None`
    /// where no size was logged or none is large enough.
    pub region_size_needed_bytes: Option<u64>,
}

/// The heap over the whole log. All sizes in bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryStatistics {
    /// What was allocated between collections.
    pub allocated_bytes: u64,
    /// The same in bytes per second of the log's span; `None` where that is not known.
    pub allocation_rate: Option<f64>,
    /// Whether that is all of it: a concurrent collector hides what is allocated while it frees.
    pub allocation_is_exact: bool,
    /// Allocated bytes beside seconds, between each two collections.
    pub allocation: RatioSums,
    /// What young collections moved to the old generation.
    pub promoted_bytes: Option<u64>,
    /// The same in bytes per second.
    pub promotion_rate: Option<f64>,
    /// Promoted bytes beside seconds, between each two collections that tell.
    pub promotion: RatioSums,
    /// The most in use before a collection.
    pub most_used_bytes: u64,
    /// The largest heap.
    pub most_capacity_bytes: u64,
    /// The heap's limit, where the log says.
    pub max_heap_bytes: Option<u64>,
    /// What is live.
    pub live: Option<LiveSet>,
    /// Generations, where the log has them.
    pub generations: Vec<GenerationSizes>,
    /// The heap over time, at most 512 points.
    pub points: Vec<HeapPoint>,
}

/// What was in use after collections of the old generation: full ones, the last mixed ones of a
/// sequence, cycles of ZGC and Shenandoah. Bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LiveSet {
    /// How many such collections there were.
    pub samples: u64,
    /// After the first.
    pub first: u64,
    /// After the last.
    pub last: u64,
    /// The least.
    pub least: u64,
    /// The most.
    pub most: u64,
    /// The slope of a straight line through all samples, in bytes per hour; `None` below five
    /// samples or ten minutes.
    pub growth_per_hour: Option<f64>,
}

/// A generation over the whole log. Bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GenerationSizes {
    /// `young`, `eden`, `old`, `metaspace`.
    pub name: &'static str,
    /// The most in use before a collection.
    pub most_before: u64,
    /// The most in use after one.
    pub most_after: u64,
    /// In use after the last one.
    pub last_after: u64,
    /// Its smallest size.
    pub least_capacity: Option<u64>,
    /// Its largest size.
    pub most_capacity: Option<u64>,
}

/// The heap around one collection. Bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeapPoint {
    /// When, on the diagnosis' clock.
    pub at_ns: u64,
    /// In use before.
    pub before: u64,
    /// In use after.
    pub after: u64,
    /// Its size.
    pub capacity: Option<u64>,
}

/// Where it happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WaitLocation {
    /// Thread that waited, such as `VM Thread`.
    pub thread: String,
    /// In what: `write()`, `a page fault`; empty where that says nothing.
    pub call: String,
    /// File; empty where none or unknown.
    pub path: String,
    /// File system type of the file.
    pub file_system: String,
    /// Device name of the file.
    pub device: String,
    /// The kernel functions that show it, innermost first, for those who want to see.
    pub stack: Vec<String>,
}

/// How much of some intervals was spent in collections, as an application counted it: sums, of which no
/// single pause is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CollectionShares {
    /// Intervals.
    pub count: u64,
    /// In collections.
    pub spent: Duration,
    /// Length of the intervals.
    pub within: Duration,
    /// Of the interval with the largest share: in collections, and its length.
    pub worst: (Duration, Duration),
}

/// The pauses that end marking: of CMS and G1, of ZGC, of Shenandoah.
const REMARKS: [&str; 3] = ["remark", "mark-end", "final-mark"];

/// Kinds that are collections and not steps of a concurrent cycle.
const COLLECTIONS: [&str; 4] = ["young", "mixed", "full", "degenerated"];

impl GcStatistics {
    /// Pauses of one kind, such as `full`.
    #[must_use]
    pub fn of_kind(&self, kind: &str) -> Count {
        self.of_kinds(&[kind])
    }

    /// Pauses that end marking, whatever the collector calls them: `remark` of CMS and G1,
    /// `mark-end` of ZGC, `final-mark` of Shenandoah.
    #[must_use]
    pub fn remarks(&self) -> Count {
        self.of_kinds(&REMARKS)
    }

    /// Concurrent cycles of the whole heap or of the old generation.
    #[must_use]
    pub fn old_cycles(&self) -> u64 {
        self.concurrent_cycles.saturating_sub(self.young_cycles)
    }

    /// Collections, each once: young, mixed, full and degenerated ones. A collector whose pauses
    /// are steps of a cycle (ZGC, Shenandoah) collects once a cycle.
    #[must_use]
    pub fn collections(&self) -> u64 {
        let pauses = self.of_kinds(&COLLECTIONS).count;
        let young = self.of_kinds(&["young", "mixed"]).count;
        if young == 0 { pauses.max(self.concurrent_cycles) } else { pauses }
    }

    fn of_kinds(&self, kinds: &[&str]) -> Count {
        let mut sum = Count::default();
        for it in self.by_kind.iter().filter(|it| kinds.contains(&it.name.as_str())) {
            sum.count += it.count.count;
            sum.total += it.count.total;
            sum.max = sum.max.max(it.count.max);
        }
        sum
    }
}

/// A piece of stopped time that no cause claimed, with what was seen of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unexplained {
    /// A phrase: `GC Thread#1 blocked in a page fault: folio_wait_bit_common < do_swap_page`.
    pub what: String,
    /// Length of the piece.
    pub time: Duration,
}

/// How often something comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rhythm {
    /// Time from one to the next, usually.
    pub period: Duration,
    /// How many times it came.
    pub times: usize,
    /// How many times it would have been due and did not come.
    pub missing: usize,
}
