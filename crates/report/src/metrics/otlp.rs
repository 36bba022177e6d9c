//! The same numbers as an OTLP message, which is pushed.
//!
//! Names go on from those of OpenTelemetry's conventions for JVMs, where `jvm.gc.duration` is the nearest:
//! it has the collections alone, and not why threads waited. Sums are cumulative, so a message that was
//! lost is made good by the next.
//!
//! What is counted together has one resource from the first message to the last: `service.name` and
//! `service.instance.id` are what tells series apart for those who read them (`job` and `instance` in
//! Prometheus). So the process id of a JVM is none of its attributes: the next one of its name goes on with
//! its sums.
mod proto;

use super::{
    All, Label, Series,
    numbers::{BUCKETS, Example, STALL_WAITING, Stalls},
};
use diagnose::Count;
use prost::Message;
use proto::{
    AnyValue, CUMULATIVE, Data, Exemplar, Gauge, Histogram, HistogramDataPoint, KeyValue, Metric,
    Number, NumberDataPoint, Request, Resource, ResourceMetrics, Scope, ScopeMetrics, Sum, Value,
};
use std::time::{Duration, SystemTime};

/// The media type of the message.
pub const CONTENT_TYPE: &str = "application/x-protobuf";
/// Who measured.
const NAME: &str = "whypause";

pub(super) fn message(all: &All, host: &str, now: SystemTime) -> Vec<u8> {
    let jvms = all.jvms.iter().map(|(Label { jvm, user, place }, series)| {
        let place = if place.is_empty() { String::new() } else { format!("/{place}") };
        let instance = format!("{jvm}/{user}{place}@{host}");
        let attributes = [
            ("service.name", jvm.as_str()),
            ("service.instance.id", instance.as_str()),
            ("process.owner", user.as_str()),
            ("host.name", host),
        ];
        resource(&attributes, of_jvm(series, now))
    });
    // Several may watch one host, and each has its own costs.
    let instance = format!("{NAME}/{}@{host}", std::process::id());
    let instance = ("service.instance.id", instance.as_str());
    let own = [("service.name", NAME), instance, ("host.name", host)];
    let own = resource(&own, of_recorder(all, now));
    let resource_metrics = jvms.chain([own]).collect();
    Request { resource_metrics }.encode_to_vec()
}

fn resource(attributes: &[(&str, &str)], metrics: Vec<Metric>) -> ResourceMetrics {
    let attributes = attributes.iter().map(|(key, value)| attribute(key, text(value))).collect();
    let scope = Scope { name: NAME.into(), version: env!("CARGO_PKG_VERSION").into() };
    let scope_metrics = vec![ScopeMetrics { scope: Some(scope), metrics }];
    ResourceMetrics { resource: Some(Resource { attributes }), scope_metrics }
}

fn of_jvm(series: &Series, now: SystemTime) -> Vec<Metric> {
    let numbers = &series.numbers;
    let at = Point { since: series.since, now };
    let point = |value| at.of(value);
    let causes = numbers.by_cause().into_iter().map(|(cause, of)| {
        let exemplars = of.example.into_iter().map(example).collect();
        let point = NumberDataPoint { exemplars, ..point(seconds(of.time)) };
        by("whypause.cause", &cause.replace('-', "_"), point)
    });
    let phases = [
        ("to_safepoint", numbers.reaching),
        ("stopped", numbers.counted.all.total - numbers.reaching),
    ];
    let phases = phases.map(|(phase, time)| by("whypause.phase", phase, point(seconds(time))));
    let mut metrics = vec![
        histogram(
            "whypause.jvm.stw.duration",
            "How long application threads were stopped, each stop",
            (numbers.counted.all, numbers.buckets),
            at,
        ),
        sum(
            "whypause.jvm.stw.cause.time",
            "Time stopped, by what stopped it",
            "s",
            causes.collect(),
        ),
        sum(
            "whypause.jvm.stw.phase.time",
            "Time stopped: until all threads had stopped, and after that",
            "s",
            phases.into(),
        ),
        sum(
            "whypause.jvm.stw.limit_exceeded",
            "Stops over the limit",
            "{stop}",
            vec![point(count(numbers.limit_exceeded))],
        ),
        sum(
            "whypause.recorder.dropped_events",
            "Events and rows that were lost",
            "{event}",
            vec![point(count(numbers.dropped_events))],
        ),
        gauge(
            "whypause.jvm.stw.longest",
            "The longest stop of the last minute or two",
            "s",
            point(seconds(numbers.longest(now))),
        ),
    ];
    metrics.extend(numbers.stalls.iter().flat_map(|it| of_stalls(it, at)));
    metrics
}

fn of_stalls(stalls: &Stalls, at: Point) -> [Metric; 3] {
    let causes = stalls.by_cause.iter();
    let causes = causes
        .map(|(cause, time)| by("whypause.cause", &cause.replace('-', "_"), at.of(seconds(*time))));
    [
        sum(
            "whypause.jvm.thread_stall.cause.time",
            "Threads by time that could not go on while the JVM ran, by what they waited for",
            "s",
            causes.collect(),
        ),
        sum(
            "whypause.jvm.thread_stall.waiting.time",
            STALL_WAITING,
            "s",
            vec![at.of(seconds(stalls.waiting))],
        ),
        histogram(
            "whypause.jvm.thread_stall.episode.duration",
            "The longest stall of each episode: threads that stood for one reason at one time",
            (stalls.episodes, stalls.buckets),
            at,
        ),
    ]
}

/// The point of what has this attribute.
fn by(key: &str, value: &str, point: NumberDataPoint) -> NumberDataPoint {
    NumberDataPoint { attributes: vec![attribute(key, text(value))], ..point }
}

fn of_recorder(all: &All, now: SystemTime) -> Vec<Metric> {
    let (recorder, since) = (all.recorder, all.began);
    let point = |value| Point { since, now }.of(value);
    let cpu = vec![point(seconds(recorder.cpu))];
    vec![
        sum("whypause.recorder.cpu.time", "CPU time of whypause itself", "s", cpu),
        gauge(
            "whypause.recorder.memory.peak",
            "The most memory that whypause itself has had",
            "By",
            point(count(recorder.peak_bytes)),
        ),
        gauge(
            "whypause.unwatched_jvms",
            "JVMs that are left out, as there are too many",
            "{jvm}",
            point(count(all.left_out)),
        ),
    ]
}

fn histogram(
    name: &str,
    about: &str,
    (all, buckets): (Count, [u64; BUCKETS.len() + 1]),
    at: Point,
) -> Metric {
    let point = HistogramDataPoint {
        start_time_unix_nano: nanos(at.since),
        time_unix_nano: nanos(at.now),
        count: all.count,
        sum: Some(all.total.as_secs_f64()),
        bucket_counts: buckets.to_vec(),
        explicit_bounds: BUCKETS.iter().map(Duration::as_secs_f64).collect(),
    };
    let data = Histogram { data_points: vec![point], aggregation_temporality: CUMULATIVE };
    metric(name, about, "s", Data::Histogram(data))
}

/// Since when and until when something was counted.
#[derive(Clone, Copy)]
struct Point {
    since: SystemTime,
    now: SystemTime,
}

impl Point {
    fn of(self, value: Number) -> NumberDataPoint {
        NumberDataPoint {
            start_time_unix_nano: nanos(self.since),
            time_unix_nano: nanos(self.now),
            value: Some(value),
            ..NumberDataPoint::default()
        }
    }
}

fn sum(name: &str, about: &str, unit: &str, data_points: Vec<NumberDataPoint>) -> Metric {
    let sum = Sum { data_points, aggregation_temporality: CUMULATIVE, is_monotonic: true };
    metric(name, about, unit, Data::Sum(sum))
}

fn gauge(name: &str, about: &str, unit: &str, point: NumberDataPoint) -> Metric {
    let point = NumberDataPoint { start_time_unix_nano: 0, ..point };
    metric(name, about, unit, Data::Gauge(Gauge { data_points: vec![point] }))
}

fn metric(name: &str, about: &str, unit: &str, data: Data) -> Metric {
    Metric { name: name.into(), description: about.into(), unit: unit.into(), data: Some(data) }
}

fn example(it: &Example) -> Exemplar {
    let labels = it.labels().into_iter();
    Exemplar {
        filtered_attributes: labels.map(|(key, value)| attribute(key, text(&value))).collect(),
        time_unix_nano: it.at.map_or(0, nanos),
        value: Some(it.time.as_secs_f64()),
    }
}

fn attribute(key: &str, value: AnyValue) -> KeyValue {
    KeyValue { key: key.into(), value: Some(value) }
}

fn text(value: &str) -> AnyValue {
    AnyValue { value: Some(Value::String(value.into())) }
}

fn seconds(time: Duration) -> Number {
    Number::Double(time.as_secs_f64())
}

fn count(value: u64) -> Number {
    Number::Int(i64::try_from(value).unwrap_or(i64::MAX))
}

fn nanos(at: SystemTime) -> u64 {
    let since = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
