//! When nothing is ruled out: decided here, for all causes.
//!
//! "It was watched for and did not strike" is as firm as what was seen is complete. Time that no
//! cause explains may be any cause's whose rules do not know this form of it, and what was lost may
//! have shown any of them.
use crate::{Attribution, Diagnosis, InputSummary, Verdict, text};
use recording::Coverage;
use std::{fmt, time::Duration};

/// More than this share of the stopped time without a cause is more than the remainders of a
/// millisecond and less that are left of most pauses: on recordings of known faults these are at
/// most 0.6 %.
const SMALL_SHARE: f64 = 0.05;
/// Less than this in all is negligible, whatever its share: a pause half as long as
/// those that a report lists unasked (50 ms).
const SMALL_TIME: Duration = Duration::from_millis(25);
/// A pause that would be listed for its unexplained part alone asks for a cause, however small that
/// part comes in addition to all other pauses.
const LISTED: Duration = Duration::from_millis(50);
/// One stop of 10 ms with a few GC threads has about this number of rows and events: more may be a whole
/// stop that nothing saw.
const SMALL_LOSS: u64 = 100;
/// One lost event in this number, of the millions of a long recording, is no pattern.
const BORNE_EVENTS: u64 = 1_000;

/// Why a cause that was not seen is not ruled out, though all of its sources ran.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Doubt {
    /// Number of rows that were not written.
    LostRows(u64),
    /// Number of events that the kernel did not hand over.
    LostEvents(u64),
    /// Number of messages that the JVM did not write, as it reports (`-Xlog:async`).
    LostMessages(u64),
    /// Number of files that are missing from the middle of a rotated set.
    LostFiles(u64),
    /// Number of lines of a GC log that were not understood, or only in part.
    LinesNotRead(u64),
    /// Number of collections with a begin and no end.
    WithoutEnd(u64),
    /// Stopped time without a cause.
    Unexplained(Duration),
}

impl Doubt {
    /// Whether there may have been pauses that are in no number.
    #[must_use]
    pub fn is_of_pauses(self) -> bool {
        matches!(
            self,
            Doubt::LostMessages(_)
                | Doubt::LostFiles(_)
                | Doubt::LinesNotRead(_)
                | Doubt::WithoutEnd(_)
        )
    }
}

impl fmt::Display for Doubt {
    /// A clause: `111 messages of the log were dropped by the JVM`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (count, one, of, what) = match *self {
            Doubt::Unexplained(time) => {
                return write!(f, "{} of the stopped time is unexplained", text::duration(time));
            }
            Doubt::LostRows(rows) => (rows, "row", "", "lost"),
            Doubt::LostEvents(events) => (events, "event", "", "lost"),
            Doubt::LostMessages(n) => (n, "message", " of the log", "dropped by the JVM"),
            Doubt::LostFiles(n) => (n, "file", " of the rotated log", "not there"),
            Doubt::LinesNotRead(n) => (n, "line", " of the log", "not understood"),
            Doubt::WithoutEnd(n) => (n, "collection", " in the log", "without an end"),
        };
        let verb = if count == 1 { "was" } else { "were" };
        write!(f, "{}{of} {verb} {what}", text::counted(count, one))
    }
}

impl Diagnosis {
    /// Why a cause that was not seen is not ruled out; `None` where it is.
    #[must_use]
    pub fn doubt(&self) -> Option<Doubt> {
        let all = self.statistics.all.total;
        let lost = lost(&self.coverage).or_else(|| self.lost_of_log());
        lost.or_else(|| unexplained(self.statistics.unattributed, all, &self.pauses))
    }

    /// What of its log is not there or was not understood: any stop may have been in it.
    #[must_use]
    pub fn lost_of_log(&self) -> Option<Doubt> {
        self.inputs.iter().find_map(lost_of_log)
    }

    /// Takes back what was ruled out and must not be.
    pub(crate) fn doubted(mut self) -> Diagnosis {
        let Some(doubt) = self.doubt() else { return self };
        // What a log tells of a collection it tells whatever else is unexplained.
        let of_all = !matches!(doubt, Doubt::Unexplained(_));
        for it in &mut self.watched {
            if it.verdict == Verdict::Absent && (of_all || !it.cause.shows_in_log()) {
                it.verdict = Verdict::Unknown(Vec::new());
            }
        }
        self
    }
}

fn lost(coverage: &Coverage) -> Option<Doubt> {
    let (rows, events) = (coverage.lost_rows, coverage.lost_events);
    let many_events = events > SMALL_LOSS && events > coverage.switches / BORNE_EVENTS;
    let events = many_events.then_some(Doubt::LostEvents(events));
    (rows > SMALL_LOSS).then_some(Doubt::LostRows(rows)).or(events)
}

pub(crate) fn lost_of_log(input: &InputSummary) -> Option<Doubt> {
    let messages = Some(input.messages_dropped).filter(|it| *it > 0).map(Doubt::LostMessages);
    let files = u64::try_from(input.files_missing.len()).unwrap_or(u64::MAX);
    let files = Some(files).filter(|it| *it > 0).map(Doubt::LostFiles);
    let lines = Some(input.lines_not_read()).filter(|it| *it > 0).map(Doubt::LinesNotRead);
    // One that was under way when a recording ended was seen by other means.
    let is_log = input.kind == "gc-log";
    let without_end = Some(input.unfinished).filter(|it| *it > 0 && is_log);
    let without_end = without_end.map(Doubt::WithoutEnd);
    messages.or(files).or(lines).or(without_end)
}

fn unexplained(rest: Duration, stopped: Duration, pauses: &[Attribution]) -> Option<Doubt> {
    let is_much = rest > SMALL_TIME && rest.as_secs_f64() > stopped.as_secs_f64() * SMALL_SHARE;
    let is_listed = pauses.iter().any(|it| it.unattributed >= LISTED);
    (is_much || is_listed).then_some(Doubt::Unexplained(rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::as_text::facts::diagnosis_since;

    /// One stop of a second, of which the collector's work explains all but `rest`, and what is said
    /// of a cause that was not seen.
    fn check(rest_us: u64, loss: fn(&mut Coverage), host: &str, log: &str) {
        let text = format!(
            "jvm 17 g1
            thread 1 vm-thread VM Thread
            safepoint 0us 1000000us op G1CollectForAllocation 0us 1000000us vm 1
            1 on-cpu 0us {}us",
            1_000_000 - rest_us
        );
        let mut diagnosis = diagnosis_since(&text, "0ms");
        assert_eq!(diagnosis.statistics.unattributed, Duration::from_micros(rest_us), "{text}");
        loss(&mut diagnosis.coverage);
        let diagnosis = diagnosis.doubted();
        let verdict = |id: &str| match diagnosis.watched.iter().find(|it| it.cause.id == id) {
            Some(it) if it.verdict == Verdict::Absent => "absent",
            Some(it) if it.verdict == Verdict::Unknown(Vec::new()) => "unknown",
            other => panic!("{other:?}"),
        };
        assert_eq!((verdict("swap-in"), verdict("full-gc")), (host, log), "{rest_us}");
    }

    #[test]
    fn unexplained_time_lets_nothing_of_the_host_be_ruled_out() {
        check(0, |_| {}, "absent", "absent");
        check(49_999, |_| {}, "absent", "absent");
        check(50_001, |_| {}, "unknown", "absent");
    }

    #[test]
    fn both_sides_of_each_threshold_of_time() {
        let check = |rest_ms: u64, stopped_ms: u64, doubted: bool| {
            let (rest, all) = (Duration::from_millis(rest_ms), Duration::from_millis(stopped_ms));
            assert_eq!(unexplained(rest, all, &[]).is_some(), doubted, "{rest_ms} of {stopped_ms}");
        };
        check(25, 30, false);
        check(26, 30, true);
        check(26, 520, false);
        check(26, 519, true);
    }

    #[test]
    fn what_a_log_lacks_is_named() {
        let lost = |input| lost_of_log(&input).map(|it| it.to_string());
        let none = || InputSummary { kind: "gc-log", ..InputSummary::default() };
        assert_eq!(lost(none()), None);
        let said = lost(InputSummary { lines_malformed: 1, lines_unknown_pause: 1, ..none() });
        assert_eq!(said.as_deref(), Some("2 lines of the log were not understood"));
        let said = lost(InputSummary { unfinished: 1, ..none() });
        assert_eq!(said.as_deref(), Some("1 collection in the log was without an end"));
        assert_eq!(lost(InputSummary { unfinished: 1, kind: "recording", ..none() }), None);
        let said = lost(InputSummary { messages_dropped: 111, unfinished: 1, ..none() });
        assert_eq!(said.as_deref(), Some("111 messages of the log were dropped by the JVM"));
    }

    #[test]
    fn both_sides_of_each_threshold_of_losses() {
        check(0, |it| it.lost_rows = 100, "absent", "absent");
        check(0, |it| it.lost_rows = 101, "unknown", "unknown");
        check(0, |it| it.lost_events = 100, "absent", "absent");
        check(0, |it| it.lost_events = 101, "unknown", "unknown");
        check(0, |it| (it.lost_events, it.switches) = (101, 101_000), "absent", "absent");
        check(0, |it| (it.lost_events, it.switches) = (102, 101_000), "unknown", "unknown");
    }
}
