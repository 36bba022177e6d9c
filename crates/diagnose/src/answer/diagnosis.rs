//! What came out of a whole input.
use crate::{
    Attribution, Cause, CollectionShares, Finding, GcStatistics, HostLine, InputSummary,
    MemoryStatistics, Opened, PauseStatistics, Situation, Stalls, Unexplained, Verdict,
};
use recording::{Clock, Coverage, Source};
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

/// What is known of a cause, whether it struck or not.
#[derive(Clone, Debug)]
pub struct Watched {
    /// Which.
    pub cause: &'static Cause,
    /// Present, absent or unknown.
    pub verdict: Verdict,
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
    /// What threads stood for while the JVM was not stopped; `None` where that was not recorded.
    pub stalls: Option<Stalls>,
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

impl Diagnosis {
    /// Whether the input reports pauses at all. A log without a single one may be of ZGC, which
    /// logs them only if asked for its phases or for safepoints, or of an unknown collector. A recording
    /// may have neither probes nor counters nor a log.
    #[must_use]
    pub fn can_show_pauses(&self) -> bool {
        let is_log = self.inputs.iter().any(|it| it.kind == "gc-log");
        let in_part = |&it: &recording::Source| self.coverage.ran(it) && !self.coverage.has(it);
        let in_part = STOP_SOURCES.iter().any(in_part);
        let logs_all = !matches!(self.jvm.collector.as_str(), "" | "zgc");
        let unseen = in_part || self.lacks_for_stops().is_some();
        let lost = self.lost_of_log().is_some();
        self.statistics.all.count > 0 || (!unseen && !lost && (!is_log || logs_all))
    }

    /// The source for want of which a recording cannot say that the JVM was not stopped. `None` where
    /// it can, and for other inputs.
    #[must_use]
    pub fn lacks_for_stops(&self) -> Option<recording::Source> {
        self.inputs.iter().find(|it| it.kind == "recording")?;
        let recorded = |source| self.coverage.has(source);
        lacks_for_stops(self.statistics.all.count > 0, &recorded)
    }

    /// Statistics over the collections, where the input could have reported any: a log of safepoint
    /// lines alone has none, which does not mean that there were none.
    #[must_use]
    pub fn collections_seen(&self) -> Option<&GcStatistics> {
        let reported = |gc: &&GcStatistics| {
            gc.pauses.count + gc.concurrent_cycles > 0 || !self.jvm.collector.is_empty()
        };
        self.gc.as_ref().filter(reported)
    }
}

/// Any of these tells when the application was stopped. Every JVM can be made to write a log.
pub(crate) const STOP_SOURCES: [Source; 4] =
    [Source::SafepointProbes, Source::SafepointSymbols, Source::SafepointCounters, Source::GcLog];

/// Whether any source of stops ran: without one a time without pauses says nothing.
#[must_use]
pub fn sees_stops(coverage: &Coverage) -> bool {
    STOP_SOURCES.iter().any(|it| coverage.ran(*it))
}

/// Sources without which a recording that shows `pauses` is no proof that there were no others: those that
/// would have reported a stop, and where there was none at all, one that lasted all the time.
pub(crate) fn lacks_for_stops(pauses: bool, recorded: &dyn Fn(Source) -> bool) -> Option<Source> {
    match STOP_SOURCES.iter().any(|&it| recorded(it)) {
        false => Some(Source::GcLog),
        true => (!pauses && !recorded(Source::StopState)).then_some(Source::StopState),
    }
}
