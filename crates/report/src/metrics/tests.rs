//! Stops go in, text comes out.
use super::*;
use diagnose::{Certainty, Part, Pause, PauseKind, Times};
use opentelemetry_proto::tonic::{
    collector::metrics::v1::ExportMetricsServiceRequest, common::v1::any_value,
    metrics::v1::ResourceMetrics,
};
use prost::Message;
use std::borrow::Cow;

const NOW: SystemTime = SystemTime::UNIX_EPOCH;
const LIMIT: Duration = Duration::from_millis(50);

/// A stop of this many milliseconds, with these parts; the rest is unattributed.
fn stop(ms: u64, parts: &[(&str, u64)]) -> Attribution {
    let cause = |id| *diagnose::causes().iter().find(|it| it.id == id).unwrap();
    let parts: Vec<Part> = parts
        .iter()
        .map(|(id, ms)| Part {
            cause: cause(*id),
            time: Duration::from_millis(*ms),
            certainty: Certainty::Measured,
        })
        .collect();
    let duration = Duration::from_millis(ms);
    let unattributed = duration - parts.iter().map(|it| it.time).sum::<Duration>();
    let pause = Pause {
        kind: PauseKind::Safepoint,
        start_ns: 0,
        start_wall_ns: Some(1_700_000_000_500_000_000),
        times: Times::Known,
        duration,
        reaching: Duration::from_millis(ms / 4),
        operation: Cow::Borrowed("G1CollectForAllocation"),
        collection: None,
        detailed: duration >= LIMIT,
        cut: Default::default(),
    };
    Attribution { pause, parts, unattributed, symptom: None, collected: None }
}

fn lines(metrics: &Metrics, format: Exposition) -> Vec<String> {
    metrics.text(format, NOW).lines().map(str::to_owned).collect()
}

#[track_caller]
fn has(lines: &[String], wanted: &[&str]) {
    for line in wanted {
        assert!(lines.iter().any(|it| it == line), "{line}\n\n{}", lines.join("\n"));
    }
}

#[test]
fn every_stop_is_counted_and_its_causes_are_all_of_it() {
    let metrics = Metrics::new(LIMIT, NOW);
    let jvm = metrics.jvm("orders.Main", "app", "", NOW);
    jvm.add(&stop(100, &[("gc-log-write-blocked", 80), ("gc-work", 10)]), NOW);
    jvm.add(&stop(4, &[("gc-work", 3)]), NOW);
    jvm.add(&stop(20_000, &[("gc-work", 20_000)]), NOW);
    has(
        &lines(&metrics, Exposition::Prometheus),
        &[
            "# TYPE whypause_stw_pause_seconds histogram",
            r#"whypause_stw_pause_seconds_sum{jvm="orders.Main",user="app"} 20.104"#,
            r#"whypause_stw_pause_seconds_count{jvm="orders.Main",user="app"} 3"#,
            r#"whypause_stw_pause_seconds_bucket{jvm="orders.Main",user="app",le="0.001"} 0"#,
            r#"whypause_stw_pause_seconds_bucket{jvm="orders.Main",user="app",le="0.005"} 1"#,
            r#"whypause_stw_pause_seconds_bucket{jvm="orders.Main",user="app",le="0.1"} 2"#,
            r#"whypause_stw_pause_seconds_bucket{jvm="orders.Main",user="app",le="10"} 2"#,
            r#"whypause_stw_pause_seconds_bucket{jvm="orders.Main",user="app",le="+Inf"} 3"#,
            r#"whypause_stw_phase_seconds_total{jvm="orders.Main",user="app",phase="to_safepoint"} 5.026"#,
            r#"whypause_stw_phase_seconds_total{jvm="orders.Main",user="app",phase="stopped"} 15.078"#,
            r#"whypause_stw_attributed_seconds_total{jvm="orders.Main",user="app",cause="gc_log_write_blocked"} 0.08"#,
            r#"whypause_stw_attributed_seconds_total{jvm="orders.Main",user="app",cause="gc_work"} 20.013"#,
            r#"whypause_stw_attributed_seconds_total{jvm="orders.Main",user="app",cause="unexplained"} 0.01"#,
            r#"whypause_stw_attributed_seconds_total{jvm="orders.Main",user="app",cause="not_recorded_in_detail"} 0.001"#,
            r#"whypause_stw_limit_exceeded_total{jvm="orders.Main",user="app"} 2"#,
            r#"whypause_stw_longest_seconds{jvm="orders.Main",user="app"} 20.0"#,
            "whypause_stw_limit_seconds 0.05",
        ],
    );
}

/// Two threads that wait for a disk for this long, the second one a third as long.
fn stalls(ms: u64) -> Vec<diagnose::Episode> {
    let text = format!(
        "stalls 10ms
         thread 1 vm-thread VM Thread
         thread 7 java appender-1
         thread 8 java appender-2
         7 blocked 0ms {ms}ms fdatasync a.log stack jbd2_log_wait_commit ext4_sync_file
         8 blocked 0ms {}ms fdatasync a.log stack jbd2_log_wait_commit ext4_sync_file",
        ms / 3
    );
    diagnose::facts_text::diagnose(&text).stalls.unwrap().episodes
}

#[test]
fn stalls_are_counted_by_cause_and_by_the_longest_of_each_episode() {
    let metrics = Metrics::new(LIMIT, NOW);
    let jvm = metrics.jvm("Orders", "app", "", NOW);
    for ms in [300, 30] {
        stalls(ms).iter().for_each(|it| jvm.add_stalls(it));
    }
    let mut unexplained = stalls(3_000).remove(0);
    unexplained.cause = None;
    unexplained.waiting.time = Duration::from_millis(1_500);
    jvm.add_stalls(&unexplained);
    has(
        &lines(&metrics, Exposition::Prometheus),
        &[
            "# TYPE whypause_thread_stall_seconds_total counter",
            r#"whypause_thread_stall_seconds_total{jvm="Orders",user="app",cause="file_sync_blocked"} 0.44"#,
            r#"whypause_thread_stall_seconds_total{jvm="Orders",user="app",cause="unexplained"} 4.0"#,
            r#"whypause_thread_stall_waiting_seconds_total{jvm="Orders",user="app"} 1.5"#,
            "# TYPE whypause_thread_stall_episode_seconds histogram",
            r#"whypause_thread_stall_episode_seconds_sum{jvm="Orders",user="app"} 3.33"#,
            r#"whypause_thread_stall_episode_seconds_count{jvm="Orders",user="app"} 3"#,
            r#"whypause_thread_stall_episode_seconds_bucket{jvm="Orders",user="app",le="0.025"} 0"#,
            r#"whypause_thread_stall_episode_seconds_bucket{jvm="Orders",user="app",le="0.05"} 1"#,
            r#"whypause_thread_stall_episode_seconds_bucket{jvm="Orders",user="app",le="0.5"} 2"#,
            r#"whypause_stw_pause_seconds_count{jvm="Orders",user="app"} 0"#,
        ],
    );
}

/// No stall is not the same as none that was looked for.
#[test]
fn where_threads_are_not_watched_no_stalls_are_counted() {
    let metrics = Metrics::new(LIMIT, NOW);
    let mut jvm = metrics.jvm("Orders", "app", "", NOW);
    let has_series = || {
        let text = metrics.text(Exposition::Prometheus, NOW);
        let pushed = pushed(&metrics);
        let names = pushed[0].scope_metrics.iter().flat_map(|it| &it.metrics);
        let is_pushed = names.into_iter().any(|it| it.name.contains("thread_stall"));
        (text.contains("whypause_thread_stall_episode_seconds_count{"), is_pushed)
    };
    jvm.add_coverage(&Coverage::default());
    assert_eq!(has_series(), (false, false));
    let stalls_over = Some(Duration::from_millis(10));
    jvm.add_coverage(&Coverage { stalls_over, ..Coverage::default() });
    assert_eq!(has_series(), (true, true));
}

#[test]
fn open_metrics_has_units_an_example_of_each_cause_and_an_end() {
    let metrics = Metrics::new(LIMIT, NOW);
    let jvm = metrics.jvm("orders.Main", "app", "", NOW);
    jvm.add(&stop(100, &[("gc-log-write-blocked", 80)]), NOW);
    jvm.add(&stop(4, &[("vm-operation", 4)]), NOW);
    let lines = lines(&metrics, Exposition::OpenMetrics);
    let prefix = r#"whypause_stw_attributed_seconds_total{jvm="orders.Main",user="app",cause="#;
    let example = r#"{stopped_seconds="0.100000",operation="G1CollectForAllocation"}"#;
    has(
        &lines,
        &[
            "# UNIT whypause_stw_pause_seconds seconds",
            &format!(r#"{prefix}"gc_log_write_blocked"}} 0.08 # {example} 0.08 1700000000.5"#),
            &format!(r#"{prefix}"vm_operation"}} 0.004"#),
        ],
    );
    assert_eq!(lines.last().map(String::as_str), Some("# EOF"));
}

#[test]
fn what_a_jvm_chose_breaks_no_line_and_no_bound() {
    let metrics = Metrics::new(LIMIT, NOW);
    let evil = format!("a\"}} 1\nb\\ \u{202e}{}", "x".repeat(10_000));
    let mut kept = vec![metrics.jvm(&evil, "app", "", NOW)];
    let text = metrics.text(Exposition::Prometheus, NOW);
    let label = text.lines().find(|it| it.starts_with("whypause_watched_jvms{")).unwrap();
    assert!(label.starts_with(r#"whypause_watched_jvms{jvm="a\"} 1 b\\ \\u{202e}xxx"#), "{label}");
    assert!(label.len() < 200 && label.ends_with("} 1"), "{label}");
    kept.extend((0..300).map(|n| metrics.jvm(&format!("jvm{n}"), "app", "", NOW)));
    let text = metrics.text(Exposition::Prometheus, NOW);
    let labels = text.lines().filter(|it| it.starts_with("whypause_watched_jvms{"));
    assert_eq!(labels.count(), MOST_JVMS + 1);
    assert!(text.contains(r#"whypause_watched_jvms{jvm="other",user="other"} 173"#));
}

/// A name is no identity: the user who starts a process chooses it.
#[test]
fn a_jvm_of_another_user_with_the_same_name_is_counted_apart() {
    let metrics = Metrics::new(LIMIT, NOW);
    let [app, eve] = ["app", "eve"].map(|user| metrics.jvm("Orders", user, "", NOW));
    app.add(&stop(1, &[]), NOW);
    eve.add(&stop(9_000, &[]), NOW);
    has(
        &lines(&metrics, Exposition::Prometheus),
        &[
            r#"whypause_stw_pause_seconds_sum{jvm="Orders",user="app"} 0.001"#,
            r#"whypause_stw_pause_seconds_sum{jvm="Orders",user="eve"} 9.0"#,
        ],
    );
}

#[test]
fn series_go_two_minutes_after_the_last_jvm_of_their_name() {
    let metrics = Metrics::new(LIMIT, NOW);
    let (first, second) = (metrics.jvm("a", "app", "", NOW), metrics.jvm("a", "app", "", NOW));
    first.add(&stop(1, &[]), NOW);
    second.add(&stop(1, &[]), NOW);
    drop(first);
    has(
        &lines(&metrics, Exposition::Prometheus),
        &[
            r#"whypause_stw_pause_seconds_count{jvm="a",user="app"} 2"#,
            r#"whypause_watched_jvms{jvm="a",user="app"} 1"#,
        ],
    );
    drop(second);
    let gone = r#"whypause_watched_jvms{jvm="a",user="app"} 0"#;
    has(&lines(&metrics, Exposition::Prometheus), &[gone]);
    let is_there = |at| metrics.text(Exposition::Prometheus, at).contains("jvm=");
    let limit = NOW + AFTERWARDS;
    assert!(is_there(limit - Duration::from_nanos(1)) && !is_there(limit));
}

#[test]
fn losses_are_counted_once_though_they_are_told_as_sums() {
    let metrics = Metrics::new(LIMIT, NOW);
    let mut jvm = metrics.jvm("", "app", "", NOW);
    for lost_events in [3, 3, 5] {
        let recorder_cpu = Duration::from_millis(250);
        jvm.add_coverage(&Coverage { lost_events, recorder_cpu, ..Coverage::default() });
    }
    has(
        &lines(&metrics, Exposition::Prometheus),
        &[
            r#"whypause_recorder_dropped_events_total{jvm="java",user="app"} 5"#,
            "whypause_recorder_cpu_seconds_total 0.25",
            &format!(r#"whypause_build_info{{version="{}"}} 1"#, env!("CARGO_PKG_VERSION")),
        ],
    );
}

#[test]
fn who_likes_open_metrics_best_gets_it() {
    let check = |accept| Exposition::accepted(accept);
    let prometheus =
        "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2";
    assert_eq!(check(Some(prometheus)), Exposition::OpenMetrics);
    assert_eq!(check(Some("application/openmetrics-text; version=1.0.0")), Exposition::OpenMetrics);
    assert_eq!(
        check(Some("text/plain;q=0.9, application/openmetrics-text;q=0.5")),
        Exposition::Prometheus
    );
    assert_eq!(check(Some("text/html,*/*;q=0.8")), Exposition::Prometheus);
    assert_eq!(check(Some("application/openmetrics-text;q=0")), Exposition::Prometheus);
    assert_eq!(check(None), Exposition::Prometheus);
}

#[test]
fn the_message_that_is_pushed_has_the_same_numbers() {
    use opentelemetry_proto::tonic::metrics::v1::{
        Metric, NumberDataPoint, metric::Data, number_data_point::Value,
    };
    let metrics = Metrics::new(LIMIT, NOW);
    let jvm = metrics.jvm("orders.Main", "app", "", NOW);
    jvm.add(&stop(100, &[("gc-log-write-blocked", 80), ("gc-work", 20)]), NOW);
    stalls(300).iter().for_each(|it| jvm.add_stalls(it));
    let bytes = metrics.otlp("node7", NOW + Duration::from_secs(9));
    let request = ExportMetricsServiceRequest::decode(&bytes[..]).unwrap();
    let [of_jvm, own] = &request.resource_metrics[..] else { panic!("{request:?}") };
    for (key, value) in [
        ("service.name", "orders.Main"),
        ("service.instance.id", "orders.Main/app@node7"),
        ("process.owner", "app"),
        ("host.name", "node7"),
    ] {
        assert_eq!(attribute(of_jvm, key), value, "{key}");
    }
    let all: Vec<&Metric> = of_jvm.scope_metrics.iter().flat_map(|it| &it.metrics).collect();
    let units: Vec<_> = all.iter().map(|it| (it.name.as_str(), it.unit.as_str())).collect();
    assert_eq!(
        units,
        [
            ("whypause.jvm.stw.duration", "s"),
            ("whypause.jvm.stw.cause.time", "s"),
            ("whypause.jvm.stw.phase.time", "s"),
            ("whypause.jvm.stw.limit_exceeded", "{stop}"),
            ("whypause.recorder.dropped_events", "{event}"),
            ("whypause.jvm.stw.longest", "s"),
            ("whypause.jvm.thread_stall.cause.time", "s"),
            ("whypause.jvm.thread_stall.waiting.time", "s"),
            ("whypause.jvm.thread_stall.episode.duration", "s"),
        ]
    );
    let Some(Data::Histogram(stops)) = &all[0].data else { panic!("{:?}", all[0]) };
    let point = &stops.data_points[0];
    assert_eq!((point.count, point.sum), (1, Some(0.1)));
    assert_eq!((point.bucket_counts.len(), point.explicit_bounds.len()), (13, 12));
    assert_eq!((point.start_time_unix_nano, point.time_unix_nano), (0, 9_000_000_000));
    let Some(Data::Sum(causes)) = &all[1].data else { panic!("{:?}", all[1]) };
    let seconds = |it: &NumberDataPoint| match it.value {
        Some(Value::AsDouble(it)) => it,
        _ => f64::NAN,
    };
    assert!(causes.is_monotonic && causes.aggregation_temporality == 2);
    assert_eq!(causes.data_points.iter().map(seconds).collect::<Vec<_>>(), [0.08, 0.02]);
    assert_eq!(causes.data_points[0].exemplars.len(), 1);
    let Some(Data::Sum(causes)) = &all[6].data else { panic!("{:?}", all[6]) };
    assert_eq!(causes.data_points.iter().map(seconds).collect::<Vec<_>>(), [0.4]);
    let Some(Data::Histogram(episodes)) = &all[8].data else { panic!("{:?}", all[8]) };
    let point = &episodes.data_points[0];
    assert_eq!((point.count, point.sum), (1, Some(0.3)));
    assert_eq!(attribute(own, "service.name"), "whypause");
    assert!(attribute(own, "service.instance.id").ends_with("@node7"));
}

/// The value of an attribute of a resource.
#[track_caller]
fn attribute(of: &ResourceMetrics, key: &str) -> String {
    let attributes = &of.resource.as_ref().unwrap().attributes;
    let found = attributes.iter().find(|it| it.key == key).and_then(|it| it.value.clone());
    match found.and_then(|it| it.value) {
        Some(any_value::Value::StringValue(it)) => it,
        other => panic!("{key}: {other:?}"),
    }
}

fn pushed(metrics: &Metrics) -> Vec<ResourceMetrics> {
    let bytes = metrics.otlp("node7", NOW);
    ExportMetricsServiceRequest::decode(&bytes[..]).unwrap().resource_metrics
}

/// What reads OTLP knows a series by these two, and took them for one.
#[test]
fn jvms_of_two_users_with_one_name_are_two_instances() {
    let metrics = Metrics::new(LIMIT, NOW);
    let _both = ["app", "eve"].map(|user| metrics.jvm("Orders", user, "", NOW));
    let instances = |it: &ResourceMetrics| attribute(it, "service.instance.id");
    let instances: Vec<String> = pushed(&metrics).iter().take(2).map(instances).collect();
    assert_eq!(instances, ["Orders/app@node7", "Orders/eve@node7"]);
}

/// It had the id of the first process, and none once there was a second one: a new series with old sums.
#[test]
fn sums_that_go_on_have_one_resource_from_the_first_to_the_last() {
    let metrics = Metrics::new(LIMIT, NOW);
    let first = metrics.jvm("Orders", "app", "", NOW);
    let before = pushed(&metrics)[0].resource.clone();
    let second = metrics.jvm("Orders", "app", "", NOW);
    assert_eq!(pushed(&metrics)[0].resource, before);
    drop((first, second));
    let _third = metrics.jvm("Orders", "app", "", NOW);
    assert_eq!(pushed(&metrics)[0].resource, before);
}

#[test]
fn two_pods_of_one_service_have_series_of_their_own() {
    let metrics = Metrics::new(Duration::from_millis(50), NOW);
    let _both = ["pod 0f3c", "pod 77aa"].map(|place| metrics.jvm("Orders", "app", place, NOW));
    let text = metrics.text(Exposition::OpenMetrics, NOW);
    for place in ["pod 0f3c", "pod 77aa"] {
        let line = format!(r#"whypause_watched_jvms{{jvm="Orders",user="app",place="{place}"}} 1"#);
        assert!(text.contains(&line), "{text}");
    }
}
