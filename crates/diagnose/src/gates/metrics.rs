//! What a gate can ask about: another number has its name here, and its value in `measure.rs`.

/// A number of a run that a gate can ask about.
#[derive(Debug, PartialEq, Eq)]
pub struct Metric {
    /// As it is written, with what goes in its parentheses: `max`, `over(TIME)`, `cause(ID)`.
    pub name: &'static str,
    /// What it is, for the list of metrics; one phrase.
    pub meaning: &'static str,
    /// A gate on it.
    pub example: &'static str,
    /// In which units it can be had.
    pub(super) kinds: &'static [MetricKind],
}

/// A unit in which a metric can be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricKind {
    /// `200ms`, `2s`.
    Time,
    /// `3`.
    Count,
    /// `10/h`, `2/min`, `0.5/s`.
    Rate,
    /// `5%`.
    Share,
    /// `512MiB`.
    Bytes,
    /// `1GiB/s`.
    ByteRate,
}

impl MetricKind {
    /// A value of this unit, as it is typed.
    #[must_use]
    pub fn example(self) -> &'static str {
        match self {
            MetricKind::Time => "200ms",
            MetricKind::Count => "3",
            MetricKind::Rate => "10/h",
            MetricKind::Share => "5%",
            MetricKind::Bytes => "512MiB",
            MetricKind::ByteRate => "1GiB/s",
        }
    }
}

impl Metric {
    /// The name without its parentheses.
    #[must_use]
    pub fn word(&self) -> &'static str {
        self.name.split('(').next().unwrap_or_default()
    }

    /// The units in which it can be had, by example: `10/h`, `3`.
    #[must_use]
    pub fn units(&self) -> Vec<&'static str> {
        self.kinds.iter().map(|it| it.example()).collect()
    }
}

use MetricKind::{ByteRate, Bytes, Count, Rate, Share, Time};

const EVENTS: &[MetricKind] = &[Count, Rate];

const fn metric(
    name: &'static str,
    kinds: &'static [MetricKind],
    example: &'static str,
    meaning: &'static str,
) -> Metric {
    Metric { name, meaning, example, kinds }
}

/// All metrics, in the order of the list.
#[must_use]
pub fn metrics() -> &'static [Metric] {
    &METRICS
}

#[rustfmt::skip]
static METRICS: [Metric; 34] = [
    metric("max", &[Time], "max>200ms", "the longest pause"),
    metric("mean", &[Time], "mean>20ms", "the mean of all pauses"),
    metric("p50", &[Time], "p50>10ms", "the median of all pauses"),
    metric("p90", &[Time], "p90>50ms", "the 90th percentile of all pauses"),
    metric("p99", &[Time], "p99>100ms", "the 99th percentile of all pauses"),
    metric("p99.9", &[Time], "p99.9>1s", "the 99.9th percentile of all pauses"),
    metric("total", &[Time], "total>5s", "the total of all pauses"),
    metric("count", EVENTS, "count>1000", "how many pauses"),
    metric("over(TIME)", EVENTS, "over(200ms)>3", "how many pauses longer than TIME"),
    metric("stopped", &[Share], "stopped>5%", "all pauses as a share of the time"),
    metric("throughput", &[Share], "throughput<95%", "the share of the time without pauses"),
    metric("unexplained", &[Time, Share], "unexplained>2s", "stopped time without a cause; share of the stopped time"),
    metric("cause(ID)", &[Time, Share, Count], "cause(full-gc)>0s", "stopped time of one cause; share of the stopped time; pauses; of causes of stalls, those"),
    metric("tts.max", &[Time], "tts.max>100ms", "the longest time to safepoint"),
    metric("tts.mean", &[Time], "tts.mean>1ms", "the mean of all times to safepoint"),
    metric("tts.total", &[Time], "tts.total>1s", "the total of all times to safepoint"),
    metric("gc.max", &[Time], "gc.max>200ms", "the longest collection pause"),
    metric("gc.mean", &[Time], "gc.mean>20ms", "the mean of all collection pauses"),
    metric("gc.p50", &[Time], "gc.p50>10ms", "the median of all collection pauses"),
    metric("gc.p90", &[Time], "gc.p90>50ms", "the 90th percentile of all collection pauses"),
    metric("gc.p99", &[Time], "gc.p99>100ms", "the 99th percentile of all collection pauses"),
    metric("gc.p99.9", &[Time], "gc.p99.9>1s", "the 99.9th percentile of all collection pauses"),
    metric("gc.total", &[Time], "gc.total>5s", "the total of all collection pauses"),
    metric("remark.max", &[Time], "remark.max>100ms", "the longest pause that ends marking"),
    metric("collections", EVENTS, "collections>2/s", "collections, or cycles of ZGC and Shenandoah"),
    metric("full", EVENTS, "full>0", "full collections"),
    metric("cycles", EVENTS, "cycles>10/h", "concurrent cycles, without those of a young generation"),
    metric("stalls", &[Time], "stalls>250ms", "the longest stall of a thread while the JVM ran"),
    metric("stalls.total", &[Time], "stalls.total>10s", "threads by time that stalled while the JVM ran"),
    metric("stalls.threads", &[Count], "stalls.threads>4", "how many threads stalled while the JVM ran"),
    metric("allocation", &[ByteRate], "allocation>1GiB/s", "what the application allocates"),
    metric("promotion", &[ByteRate], "promotion>50MiB/s", "what goes to the old generation"),
    metric("live", &[Share, Bytes], "live>80%", "the most that was live; share of the heap's limit"),
    metric("heap", &[Share, Bytes], "heap>90%", "the most in use before a collection; share of the heap's limit"),
];
