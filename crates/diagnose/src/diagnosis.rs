//! What came out of a whole input.
use crate::{
    Attribution, Bounds, Cause, Certainty, Culprit, Detail, Evidence, HostLine, InputSummary,
    Opened, PauseStatistics, Quantiles, RatioSums, Rhythm, Situation, Suspect, Verdict,
};
use recording::{Clock, Coverage};
use std::time::Duration;

/// The JVM, as far as the input tells. Empty strings and zeros where it does not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JvmSummary {
    /// Main class or jar.
    pub main: String,
    /// Process id.
    pub pid: u32,
    /// Version.
    pub version: String,
    /// `serial`, `parallel`, `cms`, `g1`, `shenandoah`, `zgc`, `epsilon`,
    /// `native-image`.
    pub collector: String,
    /// Stop-the-world GC threads.
    pub gc_threads: u32,
}

/// How much of some intervals was spent in collections, as an application counted it: sums, of which no
/// single pause is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CollectionShares {
    /// Intervals.
    pub count: u64,
    /// In collections.
    pub spent: Duration,
    /// Of so long.
    pub within: Duration,
    /// Of the interval with the largest share: in collections, and its length.
    pub worst: (Duration, Duration),
}

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

    /// Of one.
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
    /// How many collections told of them.
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

/// A refinement of a cause: how exactly the time was lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MechanismShare {
    /// `journal-commit`, `stable-page-writeback`, `dirty-throttling`, `block-queue-wait`, …
    pub id: &'static str,
    /// For the middle of a sentence: `a journal commit`.
    pub phrase: &'static str,
    /// How much of the cause's time.
    pub time: Duration,
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

/// One cause over the whole input.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Which.
    pub cause: &'static Cause,
    /// The least certain of its parts, if that is more than a tenth of its time.
    pub certainty: Certainty,
    /// In how many pauses it took part.
    pub pauses: u64,
    /// How many of these are hiccups ([`PauseKind::Hiccup`](crate::PauseKind::Hiccup)) and no stops.
    pub hiccups: u64,
    /// Its time in all pauses.
    pub time: Duration,
    /// Its largest part of one pause.
    pub longest: Duration,
    /// Sum of the squares of its parts, in seconds squared.
    pub squares: f64,
    /// `time` as a share of all stopped time, 0 to 1.
    pub share: f64,
    /// Refinements, most time first.
    pub mechanisms: Vec<MechanismShare>,
    /// Where most of its time was spent, where known.
    pub place: Option<WaitLocation>,
    /// What happened, one to three sentences for a tired person, each with its full stop.
    pub story: Vec<String>,
    /// Who did it; most to blame first.
    pub culprits: Vec<Culprit>,
    /// What proves it.
    pub evidence: Vec<Evidence>,
    /// How often it comes back, where a log does not explain its pauses and they come like clockwork.
    pub rhythm: Option<Rhythm>,
    /// What threads lost outside the pauses, summed over them: it is in no pause and no share.
    pub lost_outside: Duration,
    /// Where a log shows that something waited and not for what: which causes it may be, most likely
    /// first, and then the unlikely ones.
    pub suspects: Vec<Suspect>,
    /// What its remedies need to know besides.
    pub detail: Detail,
}

impl Finding {
    /// One of which nothing is known but its cause: it took part in no pause.
    #[must_use]
    pub fn of_cause(cause: &'static Cause) -> Finding {
        Finding {
            cause,
            certainty: Certainty::Inferred,
            pauses: 0,
            hiccups: 0,
            time: Duration::ZERO,
            longest: Duration::ZERO,
            squares: 0.0,
            share: 0.0,
            mechanisms: Vec::new(),
            place: None,
            story: Vec::new(),
            culprits: Vec::new(),
            evidence: Vec::new(),
            rhythm: None,
            lost_outside: Duration::ZERO,
            suspects: Vec::new(),
            detail: Detail::None,
        }
    }
}

/// What is known of a cause, whether it struck or not.
#[derive(Clone, Debug)]
pub struct Watched {
    /// Which.
    pub cause: &'static Cause,
    /// Present, absent or unknown.
    pub verdict: Verdict,
}

/// A piece of stopped time that no cause claimed, with what was seen of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unexplained {
    /// A phrase: `GC Thread#1 blocked in a page fault: folio_wait_bit_common < do_swap_page`.
    pub what: String,
    /// How much.
    pub time: Duration,
}

/// Everything that is known about an input.
#[derive(Clone, Debug)]
pub struct Diagnosis {
    /// What was read.
    pub inputs: Vec<InputSummary>,
    /// The JVM.
    pub jvm: JvmSummary,
    /// What remedies are fitted to.
    pub situation: Situation,
    /// The clock of [`Pause::start_ns`](crate::Pause::start_ns).
    pub clock: Clock,
    /// How long the input covers.
    pub span: Duration,
    /// Stops and hiccups in order of time, each with its account: all of a recording, and of a log
    /// as many of the longest as [`Keep`](crate::Keep) says.
    pub pauses: Vec<Attribution>,
    /// The longest pauses in order of time: of a log those that are in `pauses`, of a recording those
    /// that kept the slices of their threads.
    pub opened: Vec<Opened>,
    /// What the host did over time, as far as a recording has readings of it.
    pub host_lines: Vec<HostLine>,
    /// Statistics over every pause, also those that are not in `pauses`.
    pub statistics: PauseStatistics,
    /// Statistics over the collections of the log; `None` where there was no GC log.
    pub gc: Option<GcStatistics>,
    /// The heap over the log; `None` where there was no log or none with sizes.
    pub memory: Option<MemoryStatistics>,
    /// Causes that struck, most time first; of two with the same time a fault before an ordinary cost.
    pub findings: Vec<Finding>,
    /// What the collections took of a stop whose own line was cut off at the end of the log. How
    /// long that stop was is not known, so it is not in `statistics`.
    pub cut_stop: Option<Duration>,
    /// How many more runs of a JVM begin within the log.
    pub restarts: u64,
    /// What an application counted of its collections over whole intervals; `None` where it did not.
    pub shares: Option<CollectionShares>,
    /// What is known of the stopped time that no cause could claim, most first; at most ten.
    pub unexplained: Vec<Unexplained>,
    /// The verdict on every cause, in the order of reports.
    pub watched: Vec<Watched>,
    /// What was watched, lost, unreadable.
    pub coverage: Coverage,
}
