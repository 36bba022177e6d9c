//! Pieces of a log that can be put anywhere: whole stops, and with a concurrent cycle the stops in it.
use super::line::Line;
use std::{collections::BTreeSet, ops::Range};

/// Lines that belong together, with times and numbers of collections that count from its begin.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// In their order.
    pub(crate) lines: Vec<PieceLine>,
    /// How many numbers of collections it takes.
    pub(crate) collections: u32,
    /// From the begin of its first stop, or its first line, to its last line.
    pub(crate) length_ns: i64,
    /// Heap in use before its first collection and after its last one, in KiB.
    pub(crate) heap: Option<(u64, u64)>,
    /// The longest of its stops.
    pub(crate) longest_stop_ns: i64,
    /// About what it takes in a log.
    pub(crate) bytes: u64,
    /// Where its begin is on the clock of the lines that it was made of.
    pub(crate) origin_ns: i64,
    /// The number that its first collection had there.
    pub(crate) first_collection: u32,
}

/// A line of a piece.
#[derive(Clone, Debug)]
pub(crate) struct PieceLine {
    /// When it was written, from the begin of the piece.
    pub(crate) at_ns: i64,
    /// Its level and its tags, in brackets.
    pub(crate) head: String,
    /// Which collection of the piece it is about, from 0.
    pub(crate) collection: Option<u32>,
    /// The message, without `GC(12)`.
    pub(crate) message: String,
    /// Of the end of a stop: how long that was.
    pub(crate) stop_ns: Option<i64>,
}

/// A line that is written within this is in time; dates are to the millisecond.
const IN_TIME_NS: i64 = 1_000_000;
/// What a date, an uptime and a line's end take.
const DECORATIONS_BYTES: usize = 30 + 13 + 8;

impl Piece {
    /// Of lines between two cuts.
    pub(crate) fn of(lines: &[Line]) -> Piece {
        let numbers = || lines.iter().filter_map(|it| Some(it.collection()?.0));
        let first_collection = numbers().min().unwrap_or(0);
        let collections = numbers().max().map_or(0, |last| last - first_collection + 1);
        let begins = lines.iter().map(|it| it.at_ns - it.stop_ns().unwrap_or(0));
        let origin_ns = begins.min().unwrap_or(0);
        let lines: Vec<PieceLine> =
            lines.iter().map(|it| piece_line(it, origin_ns, first_collection)).collect();
        let heaps: Vec<(u64, u64)> = lines.iter().filter_map(|it| heap(&it.message)).collect();
        let text = |it: &PieceLine| it.head.len() + it.message.len() + DECORATIONS_BYTES;
        Piece {
            collections,
            length_ns: lines.last().map_or(0, |it| it.at_ns),
            heap: heaps.first().zip(heaps.last()).map(|(first, last)| (first.0, last.1)),
            longest_stop_ns: lines.iter().filter_map(|it| it.stop_ns).max().unwrap_or(0),
            bytes: lines.iter().map(|it| text(it) as u64).sum(),
            origin_ns,
            first_collection,
            lines,
        }
    }

    /// Whether a line has this in it.
    pub(crate) fn says(&self, text: &str) -> bool {
        self.lines.iter().any(|it| it.message.contains(text))
    }
}

fn piece_line(line: &Line, origin_ns: i64, first_collection: u32) -> PieceLine {
    let (collection, message) = match line.collection() {
        Some((number, rest)) => (Some(number - first_collection), rest.to_owned()),
        None => (None, line.message.clone()),
    };
    PieceLine {
        at_ns: line.at_ns - origin_ns,
        head: format!("[{}][{}] ", line.level, line.tags),
        collection,
        message,
        stop_ns: line.stop_ns(),
    }
}

/// Heap in use before and after, in KiB: `22M->6M(40M)` of a pause.
fn heap(message: &str) -> Option<(u64, u64)> {
    let words = message.strip_prefix(" Pause ")?;
    words.split(' ').find_map(|word| {
        let (before, after) = word.split_once("->")?;
        Some((kib(before)?, kib(after.split('(').next()?)?))
    })
}

fn kib(text: &str) -> Option<u64> {
    let unit = text.chars().next_back()?;
    let number: u64 = text.strip_suffix(unit)?.parse().ok()?;
    match unit {
        'K' => Some(number),
        'M' => Some(number << 10),
        'G' => Some(number << 20),
        _ => None,
    }
}

/// Where lines can be cut: behind a stop, or behind a concurrent cycle, while nothing else goes on.
fn cuts(lines: &[Line]) -> Vec<usize> {
    let (mut cycles, mut in_stop, mut awaits_cycle) = (BTreeSet::new(), false, false);
    let mut cuts = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let mut is_end = false;
        if line.stop_ns().is_some() {
            (in_stop, is_end) = (false, true);
        } else if line.tags.starts_with("safepoint") {
            in_stop = true;
        }
        if let Some((number, rest)) = line.collection() {
            in_stop |= rest.starts_with(" Pause ");
            awaits_cycle |= rest.starts_with(" Pause Young (Concurrent Start)");
            if is_cycle(rest) {
                awaits_cycle = false;
                match rest.ends_with("ms") {
                    true => is_end |= cycles.remove(&number) && !in_stop,
                    false => _ = cycles.insert(number),
                }
            }
        }
        if is_end && cycles.is_empty() && !in_stop && !awaits_cycle {
            cuts.push(index + 1);
        }
    }
    cuts
}

fn is_cycle(message: &str) -> bool {
    [" Concurrent Mark Cycle", " Concurrent Undo Cycle", " Concurrent Cycle"]
        .iter()
        .any(|it| message.starts_with(it))
}

/// The lines before the first collection, and the pieces behind those.
pub(crate) fn pieces(lines: &[Line]) -> (&[Line], Vec<Piece>) {
    let is_of_work =
        |it: &Line| it.collection().is_some() || it.tags.trim_end().starts_with("safepoint");
    let begin = lines.iter().position(is_of_work).unwrap_or(lines.len());
    let (init, work) = lines.split_at(begin);
    let mut before = 0;
    let each = cuts(work).into_iter().map(|end| {
        let piece = Piece::of(&work[before..end]);
        before = end;
        piece
    });
    (init, each.collect())
}

/// Which of these lines, of the middle of a log, are whole collections and stops: runs without a stop whose line came
/// late. A thread without a CPU may write it long after the stop, and then its date is that of another time.
pub(crate) fn whole(lines: &[Line]) -> Vec<Range<usize>> {
    let mut ends = cuts(lines);
    // One that begins between two stops lacks nothing of its first one.
    let begins_one = |it: &Line| matches!(it.tags.trim_end(), "gc,start" | "safepoint,cleanup");
    if lines.first().is_some_and(begins_one) {
        ends.insert(0, 0);
    }
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (start, end) in ends.iter().zip(ends.iter().skip(1)) {
        match runs.last_mut() {
            _ if has_late_line(&lines[*start..*end]) => {}
            Some(run) if run.end == *start => run.end = *end,
            _ => runs.push(*start..*end),
        }
    }
    runs
}

/// Whether a stop seems to have begun after its collection.
fn has_late_line(lines: &[Line]) -> bool {
    let mut collection_begin_ns = None;
    lines.iter().any(|line| {
        if let Some((_, rest)) = line.collection()
            && heap(rest).is_some()
        {
            collection_begin_ns = Some(line.at_ns - length_ns(rest));
        }
        let Some(stop_ns) = line.stop_ns() else { return false };
        let begin_ns = line.at_ns - stop_ns;
        collection_begin_ns.take().is_some_and(|it| begin_ns > it + IN_TIME_NS)
    })
}

/// How long a pause was, by the end of its message: `… 22M->6M(40M) 7.878ms`.
fn length_ns(message: &str) -> i64 {
    let last = message.rsplit(' ').next().and_then(|it| it.strip_suffix("ms"));
    let micros = last.and_then(|it| it.replace('.', "").parse::<i64>().ok());
    micros.unwrap_or(0) * 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(texts: &[&str]) -> Vec<Line> {
        texts.iter().map(|it| Line::parse(it).expect("a line")).collect()
    }

    const LOG: [&str; 9] = [
        "[0.001s][gc,init] Version: 17",
        "[0.100s][gc,start] GC(4) Pause Young (Concurrent Start) (G1 Humongous Allocation)",
        "[0.109s][gc      ] GC(4) Pause Young (Concurrent Start) (G1 Humongous Allocation) 22M->6M(40M) 9.0ms",
        "[0.110s][safepoint] Safepoint \"A\", Time since last: 5 ns, Total: 20000000 ns",
        "[0.111s][gc] GC(5) Concurrent Mark Cycle",
        "[0.112s][safepoint] Safepoint \"B\", Time since last: 5 ns, Total: 100 ns",
        "[0.113s][gc] GC(5) Concurrent Mark Cycle 2.000ms",
        "[0.200s][safepoint] Safepoint \"C\", Time since last: 5 ns, Total: 100 ns",
        "[0.300s][gc,start] GC(6) Pause Young (Normal)",
    ];

    #[test]
    fn a_cycle_stays_with_the_stops_that_it_began_and_has_in_it() {
        let lines = lines(&LOG);
        let (init, pieces) = pieces(&lines);
        assert_eq!(init.len(), 1);
        let counts: Vec<(usize, u32)> =
            pieces.iter().map(|it| (it.lines.len(), it.collections)).collect();
        assert_eq!(counts, [(6, 2), (1, 0)]);
    }

    #[test]
    fn times_count_from_the_begin_of_the_first_stop() {
        let (lines, wanted) = (lines(&LOG), (20_000_000, 23_000_000));
        let piece = Piece::of(&lines[1..7]);
        assert_eq!((piece.lines[2].at_ns, piece.length_ns), wanted);
        assert_eq!((piece.origin_ns, piece.first_collection), (90_000_000, 4));
        assert_eq!(piece.heap, Some((22 << 10, 6 << 10)));
        assert_eq!(piece.lines[3].collection, Some(1));
    }

    #[test]
    fn of_the_middle_of_a_log_what_is_not_whole_is_left_out() {
        let lines = lines(&LOG);
        assert_eq!(whole(&lines[2..]), vec![5..6; 1]);
        assert_eq!(whole(&lines[1..]), vec![0..7; 1]);
        assert_eq!(whole(&lines[..3]), []);
    }

    #[test]
    fn a_stop_whose_line_came_late_divides_runs() {
        let stop = |at: &str, collected: &str| {
            [
                format!("[{collected}s][gc] GC(1) Pause Young (Normal) (G1) 2M->1M(4M) 3.000ms"),
                format!(
                    "[{at}s][safepoint] Safepoint \"A\", Time since last: 5 ns, Total: 4000000 ns"
                ),
            ]
        };
        let texts = [
            stop("1.001", "1.000"),
            stop("2.001", "2.000"),
            stop("3.066", "3.000"),
            stop("4.001", "4.000"),
        ];
        let texts: Vec<&str> = texts.iter().flatten().map(String::as_str).collect();
        assert_eq!(whole(&lines(&texts)), [2..4, 6..8]);
    }
}
