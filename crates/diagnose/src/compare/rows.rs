//! The rows of a comparison: what each number is, and which test fits it. Another number is a row here.
use super::{
    causes::per,
    row::{Row, Significance},
    significance::{self, Moments},
};
use crate::{
    Bounds, Count, Diagnosis, GcStatistics, MemoryStatistics, PauseStatistics, Quantiles, Stalls,
    Value,
};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

/// What is the highest of all that was seen has no error that one could know.
const SINGLE: Significance = Significance::Unknown("single value");
/// A concurrent collector hides what is allocated while it frees.
const LOWER_BOUND: Significance = Significance::Unknown("lower bound");

/// What counts as a stall in one run does not in the other.
const OTHER_LIMIT: Significance = Significance::Unknown("recorded from other lengths on");

/// All rows, in the order of reading.
pub(super) fn all(before: &Diagnosis, after: &Diagnosis) -> Vec<Row> {
    let mut rows = lengths(before, after);
    rows.extend(collector(before, after));
    rows.extend(stopped(before, after));
    rows.extend(reaching(before, after));
    rows.extend(stalls(before, after));
    rows.extend(memory(before, after));
    rows
}

/// A row of two values, unless neither is known.
fn row(
    id: &'static str,
    name: &'static str,
    values: (Option<Value>, Option<Value>),
    test: impl FnOnce() -> Significance,
) -> Option<Row> {
    let (before, after) = values;
    let significance = match values {
        (None, None) => return None,
        (None, _) | (_, None) => Significance::Unknown("not known"),
        (a, b) if a == b => Significance::WithinNoise,
        _ => test(),
    };
    Some(Row { id, name, before, after, events: None, significance })
}

/// The same with the number of events behind the two values.
fn of_events(events: (u64, u64), row: Option<Row>) -> Option<Row> {
    row.map(|it| Row { events: Some(events), ..it })
}

/// Lengths of the pauses that both runs know.
pub(super) struct Lengths {
    pub(super) all: Count,
    squares: f64,
    of: Quantiles,
    bounds: Bounds,
}

/// Whether one run knows every stop and the other only its collections, so that these are what can
/// be compared.
pub(super) fn of_collections(before: &Diagnosis, after: &Diagnosis) -> bool {
    let stops = |it: &Diagnosis| it.statistics.time_to_safepoint.count > 0;
    stops(before) != stops(after)
        && before.collections_seen().is_some()
        && after.collections_seen().is_some()
}

pub(super) fn lengths_of(it: &Diagnosis, collections: bool) -> Lengths {
    match (&it.gc, &it.statistics) {
        (Some(gc), _) if collections => {
            Lengths { all: gc.pauses, squares: gc.squares, of: gc.percentiles, bounds: gc.bounds }
        }
        (_, all) => {
            Lengths { all: all.all, squares: all.squares, of: all.quantiles, bounds: all.bounds }
        }
    }
}

fn lengths(before: &Diagnosis, after: &Diagnosis) -> Vec<Row> {
    let collections = of_collections(before, after);
    let (a, b) = (lengths_of(before, collections), lengths_of(after, collections));
    let at = |of: fn(&Quantiles) -> Duration| {
        let value = |it: &Lengths| (it.all.count > 0).then(|| Value::Time(of(&it.of)));
        (value(&a), value(&b))
    };
    let events = (a.all.count, b.all.count);
    let mut rows: Vec<Row> = [
        row("mean", "pauses, mean", (mean(a.all), mean(b.all)), || {
            significance::means(Moments::of(a.all, a.squares), Moments::of(b.all, b.squares))
        }),
        of_events(
            events,
            row("p50", "pauses, median", at(|it| it.p50), || {
                significance::bounds(a.bounds.p50, b.bounds.p50)
            }),
        ),
        of_events(
            events,
            row("p99", "pauses, p99", at(|it| it.p99), || {
                significance::bounds(a.bounds.p99, b.bounds.p99)
            }),
        ),
        of_events(
            events,
            row("p99.9", "pauses, p99.9", at(|it| it.p99_9), || {
                significance::bounds(a.bounds.p99_9, b.bounds.p99_9)
            }),
        ),
        row("max", "pauses, longest", (longest(a.all), longest(b.all)), || SINGLE),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !collections {
        rows.extend(OVER.into_iter().filter_map(|it| over(it, before, after)));
    }
    rows
}

/// A count of long pauses: id, name, and which of [`PauseStatistics::OVER`].
pub(super) type Limit = (&'static str, &'static str, usize);

/// Those that are compared.
pub(super) const OVER: [Limit; 3] = [
    ("over(100ms)", "pauses over 100 ms", 0),
    ("over(250ms)", "pauses over 250 ms", 1),
    ("over(1s)", "pauses over 1 s", 3),
];

fn over((id, name, limit): Limit, before: &Diagnosis, after: &Diagnosis) -> Option<Row> {
    let [a, b] = [before, after].map(|it| (it.statistics.over[limit], it.span));
    // The first of them says that there were none; the others need not.
    if limit > 0 && a.0 + b.0 == 0 {
        return None;
    }
    let rates = (rate(a.0, a.1), rate(b.0, b.1));
    of_events((a.0, b.0), row(id, name, rates, || significance::rates(a, b)))
}

fn mean(it: Count) -> Option<Value> {
    it.mean().map(Value::Time)
}

fn longest(it: Count) -> Option<Value> {
    (it.count > 0).then_some(Value::Time(it.max))
}

fn rate(count: u64, span: Duration) -> Option<Value> {
    #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
    (!span.is_zero()).then(|| Value::PerSecond(count as f64 / span.as_secs_f64()))
}

/// Collections and cycles.
fn collector(before: &Diagnosis, after: &Diagnosis) -> Vec<Row> {
    let events = |id, name, count: fn(&GcStatistics) -> u64| {
        let of = |it: &Diagnosis| (it.gc.as_ref().map_or(0, count), it.span);
        let value = |it: &Diagnosis| rate(count(it.collections_seen()?), it.span);
        let test = || significance::rates(of(before), of(after));
        let events = (of(before).0, of(after).0);
        of_events(events, row(id, name, (value(before), value(after)), test))
    };
    let remarks = |it: &Diagnosis| it.gc.as_ref().map(GcStatistics::remarks);
    let moments = |it: &Diagnosis| {
        it.gc
            .as_ref()
            .map_or_else(Moments::default, |gc| Moments::of(gc.remarks(), gc.remark_squares))
    };
    let (a, b) = (remarks(before).unwrap_or_default(), remarks(after).unwrap_or_default());
    [
        events("collections", "collections", GcStatistics::collections),
        events("full", "full collections", |gc| gc.of_kind("full").count),
        events("cycles", "concurrent cycles", GcStatistics::old_cycles),
        row("remark.mean", "remark, mean", (mean(a), mean(b)), || {
            significance::means(moments(before), moments(after))
        }),
        row("remark.max", "remark, longest", (longest(a), longest(b)), || SINGLE),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// How much of the time the application was stopped, and how much of that nothing explained.
fn stopped(before: &Diagnosis, after: &Diagnosis) -> Vec<Row> {
    let collections = of_collections(before, after);
    let (a, b) = (lengths_of(before, collections), lengths_of(after, collections));
    let (a, b) = ((a.all, a.squares, before.span), (b.all, b.squares, after.span));
    let test = || {
        let of = |it: (Count, f64, Duration), run: &Diagnosis| {
            let all = Moments::of(it.0, it.1);
            let lengths = run.pauses.iter().filter(|_| !collections);
            let longest = lengths.map(|it| it.pause.duration.as_secs_f64()).collect();
            significance::Stopped { longest, all, span: it.2 }
        };
        significance::stopped(&of(a, before), &of(b, after))
    };
    let known = |it: (Count, f64, Duration)| it.0.total <= it.2;
    let time = |it: (Count, f64, Duration)| {
        per(it.0.total, it.2, SECOND).filter(|_| known(it)).map(Value::TimePerSecond)
    };
    let ran = |it: (Count, f64, Duration)| {
        let stopped = it.0.total.as_secs_f64() / it.2.as_secs_f64();
        (known(it) && !it.2.is_zero()).then_some(Value::Share(1.0 - stopped))
    };
    let unexplained = |it: &PauseStatistics| it.unattributed_share.ratio().map(Value::Share);
    let (x, y) = (&before.statistics, &after.statistics);
    [
        row("stopped", "time stopped", (time(a), time(b)), test),
        row("throughput", "throughput", (ran(a), ran(b)), test),
        row("unexplained", "unexplained", (unexplained(x), unexplained(y)), || {
            significance::ratios(&x.unattributed_share, &y.unattributed_share)
        }),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn reaching(before: &Diagnosis, after: &Diagnosis) -> Vec<Row> {
    let of = |it: &Diagnosis| it.statistics.time_to_safepoint;
    // A log may know that there were stops, but of none how long it took to reach it.
    let known = |it: Count| if it.total.is_zero() { Count::default() } else { it };
    let (a, b) = (known(of(before)), known(of(after)));
    let moments = |it: &Diagnosis| Moments::of(of(it), it.statistics.time_to_safepoint_squares);
    [
        row("tts.mean", "time to safepoint, mean", (mean(a), mean(b)), || {
            significance::means(moments(before), moments(after))
        }),
        row("tts.max", "time to safepoint, longest", (longest(a), longest(b)), || SINGLE),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Stalls of threads while the JVM ran, where both runs recorded them.
fn stalls(before: &Diagnosis, after: &Diagnosis) -> Vec<Row> {
    let (Some(a), Some(b)) = (&before.stalls, &after.stalls) else { return Vec::new() };
    if a.count + b.count == 0 {
        return Vec::new();
    }
    let time = |it: &Stalls, span| per(it.time, span, SECOND).map(Value::TimePerSecond);
    let test = || {
        if a.over != b.over {
            return OTHER_LIMIT;
        }
        if before.coverage.dropped_stalls() + after.coverage.dropped_stalls() > 0 {
            return LOWER_BOUND;
        }
        significance::stopped(&episodes(a, before.span), &episodes(b, after.span))
    };
    let longest = |it: &Stalls| Some(Value::Time(it.longest));
    [
        row("stalls", "stalls of threads, longest", (longest(a), longest(b)), || SINGLE),
        of_events(
            (a.episode_count, b.episode_count),
            row(
                "stalls.total",
                "stalls, threads by time",
                (time(a, before.span), time(b, after.span)),
                test,
            ),
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Threads that stand at the same time for the same reason are one event: they are not independent of each
/// other.
fn episodes(it: &Stalls, span: Duration) -> significance::Stopped {
    let longest: Vec<f64> = it.episodes.iter().map(|it| it.time.as_secs_f64()).collect();
    let all = Count { count: it.episode_count, total: it.time, max: Duration::ZERO };
    let squares: f64 = longest.iter().map(|it| it * it).sum();
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
    let rest = it.episode_count.saturating_sub(longest.len() as u64) as f64;
    // Of many the shortest are not at hand: they count as equal ones.
    let left = it.time.as_secs_f64() - longest.iter().sum::<f64>();
    let squares = if rest > 0.0 { squares + left * left / rest } else { squares };
    significance::Stopped { longest, all: Moments::of(all, squares), span }
}

fn memory(before: &Diagnosis, after: &Diagnosis) -> Vec<Row> {
    let (a, b) = (before.memory.as_ref(), after.memory.as_ref());
    let both = a.zip(b);
    let values = |of: fn(&MemoryStatistics) -> Option<Value>| (a.and_then(of), b.and_then(of));
    let test = |of: fn(&MemoryStatistics, &MemoryStatistics) -> Significance| {
        move || both.map_or(SINGLE, |(a, b)| of(a, b))
    };
    [
        row(
            "allocation",
            "allocated",
            values(|it| it.allocation_rate.map(Value::BytesPerSecond)),
            test(|a, b| match a.allocation_is_exact && b.allocation_is_exact {
                true => significance::ratios(&a.allocation, &b.allocation),
                false => LOWER_BOUND,
            }),
        ),
        row(
            "promotion",
            "promoted",
            values(|it| it.promotion_rate.map(Value::BytesPerSecond)),
            test(|a, b| significance::ratios(&a.promotion, &b.promotion)),
        ),
        row(
            "live",
            "live set, most",
            values(|it| it.live.map(|live| Value::Bytes(live.most))),
            test(live),
        ),
        row(
            "heap",
            "heap in use, most",
            values(|it| Some(Value::Bytes(it.most_used_bytes))),
            || SINGLE,
        ),
        row(
            "heap.limit",
            "heap, limit",
            values(|it| it.max_heap_bytes.map(Value::Bytes)),
            // Somebody set it: there is no noise in it.
            || Significance::MoreThanNoise,
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn live(a: &MemoryStatistics, b: &MemoryStatistics) -> Significance {
    let range =
        |it: &MemoryStatistics| it.live.map_or((0, 0, 0), |it| (it.samples, it.least, it.most));
    significance::ranges(range(a), range(b))
}
