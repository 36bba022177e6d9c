//! Pauses that an application noticed by itself, in the order of its log.
//!
//! They are the pauses of a log that has no line of a collection or a stop. Beside such lines
//! `joined` finds those that the JVM does not report; where the two have no clock in common they
//! are only counted.
use crate::{CollectionShares, log::joined::Joined};
use gclog::{
    ClockJump, CollectionShare, Failures, GcEvent, Monitor, MonitorPause, Stamp, Transition,
};
use std::time::Duration;

/// Number kept until it is clear whether the JVM's own lines follow. A log with more before
/// the first of those is the application's.
const PENDING: usize = 4096;

/// Joins the reports of several monitors, or two lines of one, about the same pause.
///
/// Nothing of them goes to the clock of the log before they are pauses of it: the JVM's own lines
/// may be on another.
#[derive(Debug, Default)]
pub(crate) struct Noticed {
    pending: Vec<MonitorPause>,
    is_decided: bool,
    seen: u64,
    used: u64,
    /// Who noticed them.
    monitors: Vec<Monitor>,
    /// Intervals of which only the sum of the collections is known.
    shares: CollectionShares,
    /// The wall clock was set, as a monitor says that looks at two.
    pub(crate) jumps: crate::Count,
    /// Those beside lines of the JVM.
    pub(crate) joined: Joined,
    /// Number of lines that reported those.
    to_join: u64,
    /// How many were noticed by the wall clock alone, which may have been set.
    pub(crate) by_clock: u64,
}

impl Noticed {
    /// Takes the next one. `beside`: the JVM has written lines of its own.
    pub(crate) fn add(&mut self, pause: MonitorPause, beside: bool) {
        self.seen += 1;
        self.by_clock += u64::from(pause.may_be_clock);
        self.saw(pause.monitor);
        match self.pending.last_mut() {
            Some(last) if is_same(last, &pause) => join(last, pause),
            // The last one is complete.
            Some(last) if beside => {
                let last = std::mem::replace(last, pause);
                self.join_later(last);
            }
            _ => {
                self.pending.push(pause);
                one_after_another(&mut self.pending);
            }
        }
        self.is_decided |= self.pending.len() > PENDING;
    }

    /// A stop or a collection of the JVM: pauses that wait for it are the same as it, or come beside it.
    #[inline]
    pub(crate) fn stop(&mut self, end: &Stamp, length: Duration, is_collection: bool) {
        if !self.pending.is_empty() {
            self.pass_on();
        }
        self.is_decided = false;
        if let Some(end_ns) = end.wall_ns {
            self.joined.stop(end_ns, length, is_collection);
        }
    }

    /// All are complete, and beside lines of the JVM.
    #[cold]
    pub(crate) fn pass_on(&mut self) {
        for pause in std::mem::take(&mut self.pending) {
            self.join_later(pause);
        }
    }

    fn join_later(&mut self, pause: MonitorPause) {
        self.to_join += u64::from(self.joined.noticed(pause));
    }

    /// The names of those that noticed, as they are in the log.
    pub(crate) fn monitors(&self) -> String {
        self.monitors.iter().map(|it| it.class()).collect::<Vec<_>>().join(", ")
    }

    /// The application counted collections over an interval: no pause is known of it.
    pub(crate) fn share(&mut self, share: &CollectionShare) {
        self.saw(share.monitor);
        let (spent, within) = (share.spent, share.within);
        let sums = &mut self.shares;
        let (most, of) = sums.worst;
        // Of two with the same share the longer.
        let (this, known) = (spent.as_nanos() * of.as_nanos(), most.as_nanos() * within.as_nanos());
        if sums.count == 0 || (this, within) > (known, of) {
            sums.worst = (spent, within);
        }
        sums.count += 1;
        sums.spent += spent;
        sums.within += within;
    }

    /// What it counted so; `None` where it did not.
    pub(crate) fn shares(&self) -> Option<CollectionShares> {
        Some(self.shares).filter(|it| it.count > 0)
    }

    /// The clock that the log's dates are from jumped.
    pub(crate) fn jump(&mut self, jump: &ClockJump) {
        self.saw(jump.monitor);
        self.jumps.add(jump.by);
    }

    fn saw(&mut self, monitor: Monitor) {
        if !self.monitors.contains(&monitor) {
            self.monitors.push(monitor);
        }
    }

    /// Those that are pauses by now, except for the last one, of which a line may still come.
    pub(crate) fn ready(&mut self) -> Vec<MonitorPause> {
        let count = if self.is_decided { self.pending.len().saturating_sub(1) } else { 0 };
        self.take(count)
    }

    /// The log is over, and had no line of the JVM's own.
    pub(crate) fn rest(&mut self) -> Vec<MonitorPause> {
        self.take(self.pending.len())
    }

    /// Number of lines that reported a pause and are no pause in the account.
    pub(crate) fn only_counted(&self) -> u64 {
        if self.used > 0 { 0 } else { self.seen - self.joined.hiccups.min(self.seen) }
    }

    /// Whether any of them is a pause in the account.
    pub(crate) fn are_used(&self) -> bool {
        self.used > 0
    }

    fn take(&mut self, count: usize) -> Vec<MonitorPause> {
        self.used += count as u64;
        self.pending.drain(..count).collect()
    }
}

/// What a monitor that looks at collections alone tells, as one of them: what it does not say is not there.
pub(crate) fn collection(pause: &MonitorPause) -> Option<GcEvent> {
    // It does not say how full the heap may be: it was at least as full as before.
    let sizes = pause.old.or(pause.heap);
    let heap = sizes.map(|it| Transition { capacity: it.capacity.or(Some(it.before)), ..it });
    Some(GcEvent {
        stamp: pause.stamp,
        start: None,
        collector: None,
        kind: pause.collection?,
        cause: None,
        gc_id: 0,
        duration: pause.duration,
        cpu: None,
        heap,
        generations: Vec::new(),
        failures: Failures::default(),
        phases: Vec::new(),
        steps: Vec::new(),
        references: None,
        tenuring: None,
        nested: false,
    })
}

/// Collections of one monitor that overlap: their lines were written late, all at once. They ended one
/// after another, the last one at the time of its line.
fn one_after_another(pauses: &mut [MonitorPause]) {
    for at in (1..pauses.len()).rev() {
        let (before, [next, ..]) = pauses.split_at_mut(at) else { return };
        let Some(last) = before.last_mut() else { return };
        let (Some(this), Some((begin_ns, _))) = (window(last), window(next)) else { return };
        if !are_two_collections(last, next) || this.1 <= begin_ns {
            return;
        }
        last.stamp.wall_ns = i64::try_from(begin_ns).ok();
    }
}

/// A monitor of collections has one line for each of them.
fn are_two_collections(a: &MonitorPause, b: &MonitorPause) -> bool {
    a.monitor == b.monitor && a.collection.is_some() && b.collection.is_some()
}

/// When it began and ended, in nanoseconds since 1970.
fn window(of: &MonitorPause) -> Option<(i128, i128)> {
    let end_ns = i128::from(of.stamp.wall_ns?);
    let length_ns = i128::try_from(of.duration.as_nanos()).ok()?;
    Some((end_ns - length_ns, end_ns))
}

/// Whether two report one pause: they overlap by more than half of the shorter.
fn is_same(a: &MonitorPause, b: &MonitorPause) -> bool {
    if are_two_collections(a, b) {
        return false;
    }
    let (Some(a), Some(b)) = (window(a), window(b)) else { return false };
    let shared_ns = a.1.min(b.1) - a.0.max(b.0);
    shared_ns * 2 > (a.1 - a.0).min(b.1 - b.0)
}

/// Keeps the longer, and what either knows of collections.
fn join(last: &mut MonitorPause, other: MonitorPause) {
    let gc_time = last.gc_time.max(other.gc_time);
    let gc_count = last.gc_count.max(other.gc_count);
    if other.duration > last.duration {
        *last = other;
    }
    (last.gc_time, last.gc_count) = (gc_time, gc_count);
}

#[cfg(test)]
mod tests {
    use crate::{
        PauseKind,
        as_text::log::{diagnose, pause},
    };

    fn neo4j(at: &str, pause_ms: u64, gc_ms: u64) -> String {
        format!(
            "2023-08-25 08:23:{at}+0000 WARN  [c] Detected VM stop-the-world pause: {{pauseTime={pause_ms}, gcTime={gc_ms}, gcCount={}}}\n",
            u8::from(gc_ms > 0)
        )
    }

    /// Pauses as `kind total = collection + unattributed`, all in milliseconds.
    #[track_caller]
    fn check(log: &str, expected: &[&str]) {
        let pauses = diagnose(log).pauses;
        let reported = pauses.iter().map(|it| {
            let collection = it.pause.collection.unwrap_or_default().as_millis();
            let rest = it.unattributed.as_millis();
            let is_hiccup = it.pause.kind == PauseKind::Hiccup;
            let kind = if is_hiccup { "hiccup" } else { "gc" };
            format!("{kind} {} = {collection} + {rest}", it.pause.duration.as_millis())
        });
        assert_eq!(reported.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn what_was_collected_is_the_collectors_and_the_rest_nobody_knows() {
        check(&neo4j("33.328", 444, 0), &["hiccup 444 = 0 + 444"]);
        check(&neo4j("33.328", 444, 122), &["hiccup 444 = 122 + 322"]);
        check(&neo4j("33.328", 714, 727), &["hiccup 714 = 714 + 0"]);
    }

    #[test]
    fn beside_a_gc_log_they_are_not_counted_again() {
        let gc = pause(9_000, 1, "Young (Normal) (G1 Evacuation Pause) 99M->9M(100M)", 20);
        let noticed = neo4j("33.328", 444, 0);
        for log in [format!("{gc}{noticed}"), format!("{noticed}{gc}")] {
            check(&log, &["gc 20 = 20 + 0"]);
            let notes = format!("{:?}", diagnose(&log).coverage);
            assert!(notes.contains("the application measured itself"), "{notes}");
        }
    }

    /// A young collection that ended at this time of the day.
    fn dated(at: &str, took_ms: u64) -> String {
        format!(
            "[2023-08-25T{at}+0000][info][gc] GC(1) Pause Young (Normal) (G1 Evacuation Pause) 99M->9M(100M) {took_ms}.000ms\n"
        )
    }

    fn hadoop(at: &str, pause_ms: u64) -> String {
        format!(
            "2023-08-25 {at},100 WARN util.JvmPauseMonitor: Detected pause in JVM or host machine (eg GC): pause of approximately {pause_ms}ms\nNo GCs detected\n"
        )
    }

    #[test]
    fn a_pause_that_no_line_of_the_jvm_tells_was_dropped_beside_a_gc_log() {
        let gc = dated("08:00:00.000", 20) + &dated("09:00:00.000", 20);
        let noticed = hadoop("08:30:00", 5_000);
        check(
            &(gc.clone() + &noticed),
            &["gc 20 = 20 + 0", "hiccup 5000 = 0 + 5000", "gc 20 = 20 + 0"],
        );
        let among = dated("08:00:00.000", 20) + &noticed + &dated("09:00:00.000", 20);
        check(&among, &["gc 20 = 20 + 0", "hiccup 5000 = 0 + 5000", "gc 20 = 20 + 0"]);
        // Before the first line of the JVM its zone is not known.
        check(
            &(noticed.replace(",100", ",100+0000") + &gc),
            &["gc 20 = 20 + 0", "hiccup 5000 = 0 + 5000", "gc 20 = 20 + 0"],
        );
        check(&(noticed + &gc), &["gc 20 = 20 + 0", "gc 20 = 20 + 0"]);
    }

    #[test]
    fn a_stop_that_both_tell_counts_once() {
        let told = |stop_ms| {
            let gc = dated("08:00:00.000", 20) + &dated("08:30:00.000", stop_ms);
            gc + &hadoop("08:30:00", 5_000)
        };
        check(&told(2_500), &["gc 20 = 20 + 0", "gc 2500 = 2500 + 0"]);
        check(&told(2_499), &["gc 20 = 20 + 0", "gc 2499 = 2499 + 0", "hiccup 2501 = 0 + 2501"]);
    }

    #[test]
    fn pause_after_the_last_jvm_line_is_reported_within_ten_minutes() {
        let after = |at| dated("08:00:00.000", 20) + &hadoop(at, 5_000);
        check(&after("08:09:59"), &["gc 20 = 20 + 0", "hiccup 5000 = 0 + 5000"]);
        check(&after("08:10:01"), &["gc 20 = 20 + 0"]);
    }

    #[test]
    fn collections_that_the_log_does_not_have_are_of_another_clock() {
        let gc = dated("08:00:00.000", 20) + &dated("09:00:00.000", 20);
        let cassandra = "INFO  [Service Thread] 2023-08-25 08:30:03,130 GCInspector.java:284 - G1 Young Generation GC in 2345ms.  G1 Eden Space: 3470786560 -> 0;\n";
        check(&(gc + cassandra), &["gc 20 = 20 + 0", "gc 20 = 20 + 0"]);
    }

    #[test]
    fn a_gc_log_stays_one_beside_what_was_noticed() {
        let log =
            dated("08:00:00.000", 20) + &hadoop("08:00:05", 4_000) + &dated("08:00:09.000", 20);
        let diagnosis = diagnose(&log);
        assert!(diagnosis.coverage.has(recording::Source::GcLog));
        assert_eq!(diagnosis.statistics.hiccups.count, 1);
        let notes = format!("{:?}", diagnosis.coverage.notes);
        assert!(notes.contains("2 of 4 lines tell of pauses (JvmPauseMonitor)"), "{notes}");
        assert!(!notes.contains("not counted again"), "{notes}");
    }

    #[test]
    fn an_application_log_says_which_of_its_lines_were_used() {
        let log = "started\n".repeat(90_000) + &neo4j("33.328", 444, 0) + &neo4j("43.328", 444, 0);
        let notes = format!("{:?}", diagnose(&log).coverage.notes);
        assert!(notes.contains("2 of 90,002 lines tell of pauses (VmPauseMonitor)"), "{notes}");
    }

    #[test]
    fn the_clock_of_a_log_is_that_of_the_jvm_and_not_of_a_monitor_before_it() {
        let gc = pause(9_000, 1, "Young (Normal) (G1 Evacuation Pause) 99M->9M(100M)", 20);
        let starts = diagnose(&(neo4j("33.328", 444, 0) + &gc)).pauses;
        assert_eq!(starts[0].pause.start_ns, 8_980_000_000);
    }

    #[test]
    fn two_monitors_of_one_process_tell_of_one_pause() {
        let log = "2019-06-24 16:47:28,787 WARN org.apache.hadoop.hbase.util.Sleeper: We slept 258006ms instead of 3000ms, this is likely due to a long garbage collecting pause
2019-06-24 16:47:28,788 WARN org.apache.hadoop.hbase.util.JvmPauseMonitor: Detected pause in JVM or host machine (eg GC): pause of approximately 257656ms
No GCs detected
2019-06-24 16:48:28,788 WARN org.apache.hadoop.hbase.util.JvmPauseMonitor: Detected pause in JVM or host machine (eg GC): pause of approximately 1000ms
GC pool 'ParNew' had collection(s): count=1 time=900ms
";
        check(log, &["hiccup 257656 = 0 + 257656", "hiccup 1000 = 900 + 100"]);
    }

    #[test]
    fn collections_whose_lines_were_written_at_once_came_one_after_another() {
        let line = |took_ms| {
            format!(
                "2022-09-28T03:33:55.349Z\tINFO\tService Thread\tio.airlift.stats.JmxGcMonitor\tMajor GC: application 51ms, stopped {took_ms}ms: 49.47GB -> 49.35GB\n"
            )
        };
        let log = line(9_101) + &line(9_176) + &line(9_016);
        check(
            &log,
            &["hiccup 9101 = 9101 + 0", "hiccup 9176 = 9176 + 0", "hiccup 9016 = 9016 + 0"],
        );
        assert_eq!(diagnose(&log).span.as_millis(), 27_293);
    }

    #[test]
    fn bursts_are_pauses_of_their_own() {
        let log = neo4j("33.328", 393, 0) + &neo4j("34.310", 399, 0) + &neo4j("34.754", 207, 0);
        check(&log, &["hiccup 393 = 0 + 393", "hiccup 399 = 0 + 399", "hiccup 207 = 0 + 207"]);
    }

    #[test]
    fn a_log_of_many_is_read_in_bounded_memory() {
        let line = |n: u64| neo4j(&format!("{:02}.000", n % 60), 10, 0);
        let log: String = (0..5_000)
            .map(|n| line(n).replace("08:23", &format!("{:02}:{:02}", 8 + n / 3600, n / 60 % 60)))
            .collect();
        assert_eq!(diagnose(&log).statistics.all.count, 5_000);
    }
}
