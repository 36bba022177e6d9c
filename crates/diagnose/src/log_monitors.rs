//! Pauses that an application noticed by itself, in the order of its log.
//!
//! They are the pauses of a log that has no line of a collection or a stop. Beside such lines they
//! would be counted twice, so there they are only counted.
use gclog::MonitorPause;

/// So many are kept until it is clear whether the JVM's own lines follow. A log with more before
/// the first of those is the application's.
const PENDING: usize = 4096;

/// Joins what several monitors, or two lines of one, tell of the same pause.
///
/// Nothing of them goes to the clock of the log before they are pauses of it: the JVM's own lines
/// may be on another.
#[derive(Debug, Default)]
pub(crate) struct Noticed {
    pending: Vec<MonitorPause>,
    is_decided: bool,
    seen: u64,
    used: u64,
}

impl Noticed {
    /// Takes the next one.
    pub(crate) fn add(&mut self, pause: MonitorPause) {
        self.seen += 1;
        match self.pending.last_mut() {
            Some(last) if is_same(last, &pause) => join(last, pause),
            _ => self.pending.push(pause),
        }
        self.is_decided |= self.pending.len() > PENDING;
    }

    /// The JVM's own lines are there, and tell of these pauses.
    pub(crate) fn drop_all(&mut self) {
        self.pending.clear();
        self.is_decided = false;
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

    /// How many lines told of a pause and are no pause in the account.
    pub(crate) fn only_counted(&self) -> u64 {
        if self.used > 0 { 0 } else { self.seen }
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

/// Whether two tell of one pause: they overlap by more than half of the shorter.
fn is_same(a: &MonitorPause, b: &MonitorPause) -> bool {
    let window = |it: &MonitorPause| {
        let end_ns = i128::from(it.stamp.wall_ns?);
        let length_ns = i128::try_from(it.duration.as_nanos()).ok()?;
        Some((end_ns - length_ns, end_ns))
    };
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
        log_text::{diagnose, pause},
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
