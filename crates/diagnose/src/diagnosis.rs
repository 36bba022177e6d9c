//! What came out of a whole input.
use crate::{Advice, Attribution, Cause, Certainty, Culprit, Evidence, Verdict};
use recording::{Clock, Coverage};
use std::time::Duration;

/// One file or directory that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputSummary {
    /// As the user named it.
    pub path: String,
    /// `gc-log` or `recording`.
    pub kind: &'static str,
    /// Bytes read.
    pub bytes: u64,
    /// Log lines read (also those inside a recording).
    pub lines: u64,
    /// Log lines that no reader understood and that are not known to be of no interest.
    pub lines_unrecognised: u64,
}

/// The JVM, as far as the input tells. Empty strings and zeros where it does not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JvmSummary {
    /// Main class or jar.
    pub main: String,
    /// Process id.
    pub pid: u32,
    /// Version.
    pub version: String,
    /// `serial`, `parallel`, `cms`, `g1`, `shenandoah`, `zgc`, `epsilon`.
    pub collector: String,
    /// Stop-the-world GC threads.
    pub gc_threads: u32,
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
}

/// A [`Count`] under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Kind of collection or GC cause.
    pub name: String,
    /// Its pauses.
    pub count: Count,
}

/// Statistics over every stop, each once, with the collection inside it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PauseStatistics {
    /// Number, sum, longest.
    pub all: Count,
    /// Mean; zero where there are none.
    pub mean: Duration,
    /// Median. Percentiles are from a histogram with 3 significant digits.
    pub p50: Duration,
    /// 90th percentile.
    pub p90: Duration,
    /// 99th percentile.
    pub p99: Duration,
    /// 99.9th percentile.
    pub p99_9: Duration,
    /// How many lasted longer than each of 100 ms, 250 ms, 500 ms, 1 s, 2 s.
    pub over: [u64; 5],
    /// Time to safepoint, where known.
    pub time_to_safepoint: Count,
}

impl PauseStatistics {
    /// The thresholds of [`over`](PauseStatistics::over) with the names used in JSON.
    pub const OVER: [(&'static str, Duration); 5] = [
        ("100ms", Duration::from_millis(100)),
        ("250ms", Duration::from_millis(250)),
        ("500ms", Duration::from_millis(500)),
        ("1s", Duration::from_secs(1)),
        ("2s", Duration::from_secs(2)),
    ];
}

/// Statistics over collection pauses alone, from the GC log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GcStatistics {
    /// Stop-the-world collection pauses; one nested in another is a part of it.
    pub pauses: Count,
    /// By kind: `young`, `mixed`, `full`, `remark`, `cleanup`, …, most time first.
    pub by_kind: Vec<Named>,
    /// By GC cause: `G1 Evacuation Pause`, …, most time first.
    pub by_cause: Vec<Named>,
    /// Concurrent cycles started.
    pub concurrent_cycles: u64,
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
pub struct Place {
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
    /// Its time in all pauses.
    pub time: Duration,
    /// Its largest part of one pause.
    pub longest: Duration,
    /// `time` as a share of all stopped time, 0 to 1.
    pub share: f64,
    /// Refinements, most time first.
    pub mechanisms: Vec<MechanismShare>,
    /// Where most of its time was spent, where known.
    pub place: Option<Place>,
    /// What happened, one to three sentences for a tired person, each with its full stop.
    pub story: Vec<String>,
    /// Who did it; most to blame first.
    pub culprits: Vec<Culprit>,
    /// What proves it.
    pub evidence: Vec<Evidence>,
    /// What to do.
    pub advice: Vec<Advice>,
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
    /// The clock of [`Pause::start_ns`](crate::Pause::start_ns).
    pub clock: Clock,
    /// How long the input covers.
    pub span: Duration,
    /// Every stop, in order of time, each with its account.
    pub pauses: Vec<Attribution>,
    /// Statistics over them.
    pub statistics: PauseStatistics,
    /// Statistics over the collections of the log; `None` where there was no GC log.
    pub gc: Option<GcStatistics>,
    /// Causes that struck. Faults come first, most time first; then the ordinary costs.
    pub findings: Vec<Finding>,
    /// Stopped time that no cause could claim.
    pub unattributed: Duration,
    /// What is known of that time, most first; at most ten.
    pub unexplained: Vec<Unexplained>,
    /// The verdict on every cause, in the order of reports.
    pub watched: Vec<Watched>,
    /// What was watched, lost, unreadable.
    pub coverage: Coverage,
}
