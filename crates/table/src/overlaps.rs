//! Which pauses of a log a recording has, too; and which of a recording another one has. Rows that were written before
//! are like a recording.
use crate::PauseRow;

/// What a log and a recording may differ by in the length of one stop: the larger of 2 ms and a tenth.
const LENGTH_NS: (u64, u64) = (2_000_000, 10);
/// A shorter stop proves nothing: there are many of that length.
const LEAST_PROOF_NS: i64 = 1_000_000;
/// By what the start of a stop may be off: a log says when it ended, in milliseconds.
const START_NS: u64 = 5_000_000;

/// The times of one host that were recorded.
#[derive(Debug, Default)]
pub(crate) struct Recorded {
    spans: Vec<Span>,
    /// All of their time, in order and without overlaps: every pause of a log is looked up.
    merged: Vec<(i64, i64)>,
}

/// From when until when one recording saw stops.
#[derive(Debug)]
struct Span {
    from: i64,
    until: i64,
    /// Start and length of its longest stop.
    longest: Option<(i64, i64)>,
    jvm: JvmKey,
    /// Whether rows of hours say that it was observed: it does not count once more.
    is_counted: bool,
}

/// Process id and name of a JVM.
pub(crate) type JvmKey = (Option<u32>, Option<String>);

impl Recorded {
    /// Adds a recording of a JVM, which has a process id and a name; returns those of its rows that no earlier one has.
    pub(crate) fn add(
        &mut self,
        (from, until): (i64, i64),
        jvm: JvmKey,
        rows: Vec<PauseRow>,
    ) -> Vec<PauseRow> {
        let same = |it: &&Span| it.jvm == jvm;
        let seen: Vec<(i64, i64)> =
            self.spans.iter().filter(same).map(|it| (it.from, it.until)).collect();
        let is_new = |row: &PauseRow| {
            row.start_ns
                .is_none_or(|at| !seen.iter().any(|(from, until)| (*from..*until).contains(&at)))
        };
        let stops =
            rows.iter().filter(|it| it.kind != "hiccup" && it.duration_ns >= LEAST_PROOF_NS);
        let longest = stops.max_by_key(|it| it.duration_ns);
        let longest = longest.and_then(|it| Some((it.start_ns?, it.duration_ns)));
        self.spans.push(Span { from, until, longest, jvm, is_counted: false });
        rows.into_iter().filter(is_new).collect()
    }

    /// Adds the time between the first and the last of these pauses, as rows of a JVM have it.
    pub(crate) fn add_rows(&mut self, jvm: JvmKey, of: &Stops, is_counted: bool) {
        if let Some((from, until)) = of.span {
            self.spans.push(Span { from, until, longest: of.longest, jvm, is_counted });
        }
    }

    /// The times of JVMs of this name that rows of hours count.
    pub(crate) fn counted(&self, main: Option<&String>) -> Vec<(i64, i64)> {
        let of = self.spans.iter().filter(|it| it.is_counted && it.jvm.1.as_ref() == main);
        of.map(|it| (it.from, it.until)).collect()
    }

    /// All of them are there.
    pub(crate) fn sort(&mut self) {
        self.spans.sort_by_key(|it| (it.from, it.until));
        for it in &self.spans {
            match self.merged.last_mut() {
                Some(last) if it.from <= last.1 => last.1 = last.1.max(it.until),
                _ => self.merged.push((it.from, it.until)),
            }
        }
    }

    /// Whether that time was recorded.
    pub(crate) fn holds(&self, at: Option<i64>) -> bool {
        at.is_some_and(|at| {
            let place = self.merged.partition_point(|it| it.0 <= at);
            place > 0 && at < self.merged[place - 1].1
        })
    }

    /// Of rows of a log that lie in recorded times, in order: those that no recording of its JVM has. Adds the times of
    /// this JVM that are counted already to `counted`.
    pub(crate) fn others(
        &self,
        rows: Vec<PauseRow>,
        counted: &mut Vec<(i64, i64)>,
    ) -> Vec<PauseRow> {
        let proven: Vec<&Span> = self.spans.iter().filter(|it| it.is_of_log(&rows)).collect();
        counted.extend(proven.iter().filter(|it| it.is_counted).map(|it| (it.from, it.until)));
        let is_other =
            |row: &PauseRow| row.start_ns.is_none_or(|at| !proven.iter().any(|it| it.holds(at)));
        rows.into_iter().filter(is_other).collect()
    }

    /// What of these times lies outside of all of `logs`, without overlaps.
    pub(crate) fn outside(spans: &mut [(i64, i64)], logs: &[(i64, i64)]) -> Vec<(i64, i64)> {
        spans.sort_unstable();
        let mut covered: Vec<(i64, i64)> = logs.to_vec();
        covered.sort_unstable();
        let mut outside = Vec::new();
        let mut until = i64::MIN;
        for &(from, to) in spans.iter() {
            let mut from = from.max(until);
            until = until.max(to);
            for &(log_from, log_to) in &covered {
                if log_to <= from || log_from >= to {
                    continue;
                }
                if log_from > from {
                    outside.push((from, log_from));
                }
                from = from.max(log_to);
            }
            if from < to {
                outside.push((from, to));
            }
        }
        outside
    }
}

/// Of some pauses: from the first's begin until the last's end, and start and length of the longest that proves
/// something.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stops {
    span: Option<(i64, i64)>,
    longest: Option<(i64, i64)>,
}

impl Stops {
    /// Adds a pause, which is a stop unless it is a hiccup.
    pub(crate) fn add(&mut self, start: i64, length: i64, is_stop: bool) {
        let end = start.saturating_add(length);
        let (from, until) = self.span.unwrap_or((start, end));
        self.span = Some((from.min(start), until.max(end)));
        if is_stop && length >= LEAST_PROOF_NS && self.longest.is_none_or(|it| it.1 < length) {
            self.longest = Some((start, length));
        }
    }
}

impl Span {
    fn holds(&self, at: i64) -> bool {
        (self.from..self.until).contains(&at)
    }

    /// Whether its longest stop is one of these.
    fn is_of_log(&self, rows: &[PauseRow]) -> bool {
        let Some((start, length)) = self.longest else { return false };
        rows.iter().any(|row| {
            let unsure = LENGTH_NS.0.max(length.unsigned_abs() / LENGTH_NS.1);
            row.duration_ns.abs_diff(length) <= unsure
                && row.start_ns.is_some_and(|at| at.abs_diff(start) <= START_NS.max(unsure))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::tests::row;

    const MS: i64 = 1_000_000;

    fn starts(rows: &[PauseRow]) -> Vec<i64> {
        rows.iter().map(|it| it.start_ns.expect("a time") / MS).collect()
    }

    fn recorded() -> Recorded {
        let mut recorded = Recorded::default();
        let rows = vec![row(1_000 * MS, 2 * MS), row(1_500 * MS, 300 * MS)];
        recorded.add((900 * MS, 2_000 * MS), (Some(7), None), rows);
        recorded.sort();
        recorded
    }

    #[test]
    fn what_a_recording_of_the_same_jvm_has_is_left_out_of_the_log() {
        // The stamps of a log are in milliseconds, and its lengths those of the JVM.
        let log = vec![row(999 * MS, 2 * MS), row(1_502 * MS, 299 * MS), row(1_990 * MS, MS)];
        assert!(log.iter().all(|it| recorded().holds(it.start_ns)));
        assert_eq!(starts(&recorded().others(log, &mut Vec::new())), [0; 0]);
        assert!(!recorded().holds(Some(2_000 * MS)) && !recorded().holds(None));
    }

    #[test]
    fn a_log_of_another_jvm_keeps_what_it_says_of_that_time() {
        let log = vec![row(999 * MS, 2 * MS), row(1_700 * MS, 299 * MS)];
        assert_eq!(starts(&recorded().others(log, &mut Vec::new())), [999, 1_700]);
        let log = vec![row(1_500 * MS, 340 * MS)];
        assert_eq!(starts(&recorded().others(log, &mut Vec::new())), [1_500]);
    }

    #[test]
    fn recordings_that_overlap_have_a_pause_once() {
        let mut recorded = recorded();
        let rows = || vec![row(1_500 * MS, 300 * MS), row(2_500 * MS, 100 * MS)];
        let again = recorded.add((1_400 * MS, 3_000 * MS), (Some(7), None), rows());
        assert_eq!(starts(&again), [2_500]);
        let other = recorded.add((1_400 * MS, 3_000 * MS), (Some(8), None), rows());
        assert_eq!(starts(&other), [1_500, 2_500]);
    }

    #[test]
    fn times_outside_of_logs_are_counted_once() {
        let outside = |spans: &[(i64, i64)], logs: &[(i64, i64)]| {
            Recorded::outside(&mut spans.to_vec(), logs)
        };
        assert_eq!(outside(&[(5, 9), (0, 6)], &[]), [(0, 6), (6, 9)]);
        assert_eq!(outside(&[(0, 10)], &[(2, 4), (6, 7)]), [(0, 2), (4, 6), (7, 10)]);
        assert_eq!(outside(&[(3, 4)], &[(2, 9)]), [(0, 0); 0]);
    }
}
