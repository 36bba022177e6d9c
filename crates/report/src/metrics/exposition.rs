//! The text that is scraped.
use super::{
    All, Label, Series,
    numbers::{BUCKETS, Numbers, OfCause, STALL_WAITING},
};
use diagnose::Count;
use prometheus_client::{
    collector::Collector,
    encoding::{
        DescriptorEncoder, EncodeMetric, MetricEncoder, NoLabelSet, prometheus_text,
        text as openmetrics,
    },
    metrics::{MetricType, exemplar::CounterWithExemplar},
    registry::{Registry, Unit},
};
use std::{
    fmt,
    sync::atomic::AtomicU64,
    time::{Duration, SystemTime},
};

/// A format that Prometheus reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exposition {
    /// The text format 0.0.4, which everything reads.
    Prometheus,
    /// OpenMetrics 1.0, which has units and exemplars.
    OpenMetrics,
}

impl Exposition {
    /// The one that a request with this header `Accept` likes best; where it is all the same, and where
    /// there is no header, the one that everything reads.
    #[must_use]
    pub fn accepted(accept: Option<&str>) -> Exposition {
        let liking = |names: &[&str]| {
            let ranges = accept.unwrap_or("*/*").split(',');
            let likings = ranges.filter_map(|range| {
                let mut parts = range.split(';').map(str::trim);
                let name = parts.next()?.to_ascii_lowercase();
                let q = parts.find_map(|it| it.strip_prefix("q="));
                let q = q.map_or(1.0, |it| it.parse::<f64>().unwrap_or(0.0));
                names.contains(&name.as_str()).then_some(q)
            });
            likings.fold(0.0, f64::max)
        };
        let openmetrics = liking(&["application/openmetrics-text"]);
        let text = liking(&["text/plain"]);
        if openmetrics > text { Exposition::OpenMetrics } else { Exposition::Prometheus }
    }

    /// Its media type.
    #[must_use]
    pub fn content_type(self) -> &'static str {
        match self {
            Exposition::Prometheus => prometheus_text::CONTENT_TYPE,
            Exposition::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        }
    }
}

pub(super) fn text(all: &All, format: Exposition, now: SystemTime) -> String {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(Snapshot { all: all.clone(), now }));
    let mut out = String::new();
    let result = match format {
        Exposition::Prometheus => prometheus_text::encode(&mut out, &registry),
        Exposition::OpenMetrics => openmetrics::encode(&mut out, &registry),
    };
    result.expect("a text grows as long as it has to");
    out
}

/// The numbers at one instant.
#[derive(Debug)]
struct Snapshot {
    all: All,
    now: SystemTime,
}

impl Collector for Snapshot {
    fn encode(&self, encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let mut out = Out { encoder, all: &self.all };
        out.stops()?;
        out.causes()?;
        out.stalls()?;
        out.rest(self.now)?;
        out.recorder()
    }
}

struct Out<'e, 'a> {
    encoder: DescriptorEncoder<'e>,
    all: &'a All,
}

impl Out<'_, '_> {
    /// One metric of all JVMs.
    fn each(
        &mut self,
        (name, help): (&str, &str),
        unit: Option<&Unit>,
        kind: MetricType,
        one: impl Fn(&Label, &Series, &mut MetricEncoder<'_>) -> fmt::Result,
    ) -> fmt::Result {
        let mut metric = self.encoder.encode_descriptor(name, help, unit, kind)?;
        for (label, series) in &self.all.jvms {
            one(label, series, &mut metric)?;
        }
        Ok(())
    }

    fn stops(&mut self) -> fmt::Result {
        let name = ("whypause_stw_pause", "How long application threads were stopped, each stop");
        self.each(name, Some(&Unit::Seconds), MetricType::Histogram, |jvm, it, metric| {
            histogram(metric.encode_family(&jvm.own())?, it.numbers.counted.all, it.numbers.buckets)
        })?;
        let name = (
            "whypause_stw_phase",
            "Time stopped: to_safepoint until all threads had stopped, stopped after that",
        );
        self.each(name, Some(&Unit::Seconds), MetricType::Counter, |jvm, it, metric| {
            let it = &it.numbers;
            for (phase, time) in
                [("to_safepoint", it.reaching), ("stopped", it.counted.all.total - it.reaching)]
            {
                counter(&mut metric.encode_family(&jvm.and("phase", phase))?, time)?;
            }
            Ok(())
        })
    }

    fn causes(&mut self) -> fmt::Result {
        let name = (
            "whypause_stw_attributed",
            "Time stopped, by what stopped it; the causes add up to the total",
        );
        self.each(name, Some(&Unit::Seconds), MetricType::Counter, |jvm, it, metric| {
            for (cause, of) in it.numbers.by_cause() {
                let cause = cause.replace('-', "_");
                by_cause(metric.encode_family(&jvm.and("cause", &cause))?, of)?;
            }
            Ok(())
        })
    }

    fn stalls(&mut self) -> fmt::Result {
        let name = (
            "whypause_thread_stall",
            "Threads by time that could not go on while the JVM ran, by what they waited for",
        );
        self.each(name, Some(&Unit::Seconds), MetricType::Counter, |jvm, it, metric| {
            for (cause, time) in it.numbers.stalls.iter().flat_map(|it| &it.by_cause) {
                let cause = cause.replace('-', "_");
                counter(&mut metric.encode_family(&jvm.and("cause", &cause))?, *time)?;
            }
            Ok(())
        })?;
        let name = ("whypause_thread_stall_waiting", STALL_WAITING);
        self.each(name, Some(&Unit::Seconds), MetricType::Counter, |jvm, it, metric| {
            let Some(stalls) = &it.numbers.stalls else { return Ok(()) };
            counter(&mut metric.encode_family(&jvm.own())?, stalls.waiting)
        })?;
        let name = (
            "whypause_thread_stall_episode",
            "The longest stall of each episode: threads that stood for one reason at one time",
        );
        self.each(name, Some(&Unit::Seconds), MetricType::Histogram, |jvm, it, metric| {
            let Some(stalls) = &it.numbers.stalls else { return Ok(()) };
            histogram(metric.encode_family(&jvm.own())?, stalls.episodes, stalls.buckets)
        })
    }

    fn rest(&mut self, now: SystemTime) -> fmt::Result {
        type Count = (&'static str, &'static str, fn(&Numbers) -> u64);
        let counts: [Count; 2] = [
            ("whypause_stw_limit_exceeded", "Stops of whypause_stw_limit_seconds or more", |it| {
                it.limit_exceeded
            }),
            ("whypause_recorder_dropped_events", "Events and rows that were lost", |it| {
                it.dropped_events
            }),
        ];
        for (name, help, count) in counts {
            self.each((name, help), None, MetricType::Counter, |jvm, it, metric| {
                let count = count(&it.numbers);
                let labels = jvm.own();
                let mut metric = metric.encode_family(&labels)?;
                metric.encode_counter::<NoLabelSet, u64, f64>(&count, None)
            })?;
        }
        let name = ("whypause_stw_longest", "The longest stop of the last minute or two");
        self.each(name, Some(&Unit::Seconds), MetricType::Gauge, |jvm, it, metric| {
            let longest = it.numbers.longest(now).as_secs_f64();
            metric.encode_family(&jvm.own())?.encode_gauge(&longest)
        })?;
        let name = ("whypause_watched_jvms", "JVMs that are watched");
        self.each(name, None, MetricType::Gauge, |jvm, it, metric| {
            metric.encode_family(&jvm.own())?.encode_gauge(&it.jvms)
        })
    }

    fn recorder(&mut self) -> fmt::Result {
        let (encoder, recorder) = (&mut self.encoder, self.all.recorder);
        let (unit, kind) = (Some(&Unit::Seconds), MetricType::Counter);
        let name = "whypause_recorder_cpu";
        let help = "CPU time of whypause itself; that of its programs in the kernel is not in it";
        counter(&mut encoder.encode_descriptor(name, help, unit, kind)?, recorder.cpu)?;
        let (name, help) =
            ("whypause_unwatched_jvms", "JVMs that are left out, as there are too many");
        let mut left_out = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
        left_out.encode_gauge(&self.all.left_out)?;
        let (name, unit) = ("whypause_recorder_peak_resident", Some(&Unit::Bytes));
        let help = "The most memory that whypause itself has had";
        let mut peak = encoder.encode_descriptor(name, help, unit, MetricType::Gauge)?;
        peak.encode_gauge(&recorder.peak_bytes)?;
        let (name, unit) = ("whypause_stw_limit", Some(&Unit::Seconds));
        let help = "From which length on a stop exceeds the limit and is recorded in detail";
        let mut limit = encoder.encode_descriptor(name, help, unit, MetricType::Gauge)?;
        limit.encode_gauge(&self.all.limit.as_secs_f64())?;
        let (name, help) = ("whypause_build", "The version of whypause");
        let mut build = encoder.encode_descriptor(name, help, None, MetricType::Info)?;
        build.encode_info(&[("version", env!("CARGO_PKG_VERSION"))])
    }
}

fn histogram(
    mut metric: MetricEncoder<'_>,
    all: Count,
    buckets: [u64; BUCKETS.len() + 1],
) -> fmt::Result {
    let bounds = BUCKETS.iter().map(Duration::as_secs_f64).chain([f64::INFINITY]);
    let buckets: Vec<(f64, u64)> = bounds.zip(buckets).collect();
    metric.encode_histogram::<NoLabelSet>(all.total.as_secs_f64(), all.count, &buckets, None)
}

fn counter(metric: &mut MetricEncoder<'_>, time: Duration) -> fmt::Result {
    metric.encode_counter::<NoLabelSet, f64, f64>(&time.as_secs_f64(), None)
}

/// With the last example, where there is one: only OpenMetrics shows it.
fn by_cause(metric: MetricEncoder<'_>, of: OfCause<'_>) -> fmt::Result {
    // A counter that was raised twice: only so can an exemplar be made.
    let counter = CounterWithExemplar::<Vec<(&str, String)>, f64, AtomicU64>::default();
    let example = of.example.map_or(Duration::ZERO, |it| it.time);
    counter.inc_by(of.time.saturating_sub(example).as_secs_f64(), None, None);
    if let Some(it) = of.example {
        counter.inc_by(it.time.as_secs_f64(), Some(it.labels()), it.at);
    }
    counter.encode(metric)
}
