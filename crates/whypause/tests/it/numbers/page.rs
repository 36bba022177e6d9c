//! The page and the metrics.
use super::{
    of,
    read::{is_percent, length},
};
use report::metrics::{Exposition, Metrics};
use serde_json::Value;
use std::{collections::BTreeMap, path::Path, time::Duration, time::SystemTime};

/// The model that is inside a page.
fn model(html: &str) -> Value {
    let (_, rest) =
        html.split_once("<script type=\"application/json\" id=\"data\">").expect("data");
    let (data, _) = rest.split_once("</script>").expect("it ends");
    serde_json::from_str(data).expect("JSON")
}

pub(super) fn check(html: &str, json: &Value, name: &str) {
    let page = model(html);
    for part in ["pauses", "throughput", "span_ns", "gc", "clock"] {
        assert_eq!(page["numbers"][part], json[part], "{name}: {part}");
    }
    columns(&page, json, name);
    cards(&page, json, name);
    stalls(&page["stalls"], &json["stalls"], name);
    let mut causes = json["causes"].as_array().expect("causes").iter();
    for it in page["answer"]["findings"].as_array().expect("findings") {
        let cause = usize::try_from(of(it, "/cause")).expect("a place");
        let id = &page["causes"][cause]["id"];
        let cause = causes.find(|it| it["id"] == *id).expect("the causes are in the same order");
        let extent = it["extent"].as_str().expect("a text");
        if of(cause, "/time_ns") > 0 {
            let shown = length(extent.trim_start_matches("at least ")).expect("a time");
            assert!(shown.is(of(cause, "/time_ns")), "{name}: {extent}, {cause}");
        }
    }
}

/// The lists from which the page draws: whole microseconds.
fn columns(page: &Value, json: &Value, name: &str) {
    let columns = &page["pauses"];
    let numbers = |name: &str| {
        let list = columns[name].as_array().expect("a list");
        list.iter().map(|it| it.as_u64().expect("a number")).collect::<Vec<_>>()
    };
    let pauses = &json["pauses"];
    let count = of(columns, "/count");
    assert_eq!(count + of(columns, "/left_out"), of(pauses, "/count"), "{name}");
    let lengths = numbers("length_us");
    let near = |us: u64, ns: u64| (us * 1_000).abs_diff(ns) <= 1_000 * count.max(1);
    assert!(near(lengths.iter().sum(), of(pauses, "/total_ns")), "{name}: lengths");
    assert!(near(lengths.iter().copied().max().unwrap_or(0), of(pauses, "/max_ns")), "{name}");
    let mut sums: BTreeMap<u64, u64> = BTreeMap::new();
    let parts = numbers("parts");
    let mut parts = parts.into_iter();
    while let Some(of_pause) = parts.next() {
        for _ in 0..of_pause {
            let (cause, us) = (parts.next().expect("a cause"), parts.next().expect("its time"));
            *sums.entry(cause).or_default() += us;
        }
    }
    for (cause, us) in sums {
        let id = &page["causes"][usize::try_from(cause).expect("a place")]["id"];
        let causes = json["causes"].as_array().expect("causes");
        let told =
            causes.iter().find(|it| it["id"] == *id).unwrap_or_else(|| panic!("{name}: {id}"));
        assert!(near(us, of(told, "/time_ns")), "{name}: {id} {us} µs, {}", told["time_ns"]);
    }
}

/// Episodes as far as they are on the page: whole microseconds of each stall.
fn stalls(page: &Value, json: &Value, name: &str) {
    if page.is_null() {
        assert!(json.is_null() || json["count"] == 0, "{name}: {json}");
        return;
    }
    assert_eq!(page["episode_count"], json["episodes"], "{name}");
    let episodes = page["episodes"].as_array().expect("a list");
    for it in episodes {
        let kept = it["members"].as_array().expect("a list").len() as u64 / 5;
        assert_eq!(kept + of(it, "/left_out"), of(it, "/stalls"), "{name}: {it}");
    }
    if episodes.len() as u64 == of(json, "/episodes") {
        let count: u64 = episodes.iter().map(|it| of(it, "/stalls")).sum();
        assert_eq!(count, of(json, "/count"), "{name}");
        let sum: f64 = episodes.iter().filter_map(|it| it["time_us"].as_f64()).sum();
        let time = json["time_ns"].as_f64().expect("a number");
        assert!((sum * 1e3 - time).abs() < 1e3, "{name}: {sum} µs, {time} ns");
    }
}

fn cards(page: &Value, json: &Value, name: &str) {
    let pauses = &json["pauses"];
    for card in page["answer"]["cards"].as_array().expect("cards") {
        let (value, label) =
            (card["value"].as_str().expect("it"), card["label"].as_str().expect("it"));
        let is_right = match label {
            it if it.starts_with("stopped") => {
                length(value).is_some_and(|it| it.is(of(pauses, "/total_ns")))
            }
            "longest" => length(value).is_some_and(|it| it.is(of(pauses, "/max_ns"))),
            it if it.starts_with("p99 ") => {
                length(value).is_some_and(|it| it.is(of(pauses, "/p99_ns")))
            }
            "throughput" => is_percent(value, json["throughput"].as_f64().expect("a share")),
            "explained" | "in collections" => {
                #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
                let rest =
                    of(json, "/unattributed_ns") as f64 / of(pauses, "/total_ns").max(1) as f64;
                is_percent(value, 1.0 - rest)
            }
            it if it.ends_with(" or longer") => {
                let columns = &page["pauses"];
                let limit = columns["limit_ms"].as_f64().expect("a number") * 1e3;
                let lengths = columns["length_us"].as_array().expect("a list").iter();
                let long = lengths.filter(|it| it.as_f64().is_some_and(|us| us >= limit)).count();
                value.replace(',', "").parse() == Ok(long)
            }
            it if it.starts_with("longest stall of ") => {
                length(value).is_some_and(|it| it.is(of(json, "/stalls/max_ns")))
            }
            it => panic!("{name}: what is {it}?"),
        };
        assert!(is_right, "{name}: {value} {label}: {pauses}");
    }
}

/// The sum of a metric whose labels have all of these.
fn metric(text: &str, metric: &str, labels: &str) -> f64 {
    let lines = text.lines().filter(|it| {
        let (head, tail) = it.split_at(it.len().min(metric.len()));
        head == metric && tail.starts_with(['{', ' ']) && tail.contains(labels)
    });
    lines
        .map(|it| it.rsplit(' ').next().and_then(|it| it.parse::<f64>().ok()).expect("a number"))
        .sum()
}

/// The metrics of a watch that would have seen the pauses of a recording.
pub(super) fn check_metrics(input: &Path, json: &Value, name: &str) {
    let recording = recording::Recording::open(input).expect("a recording");
    let diagnosis = diagnose::diagnose_recording(&recording);
    let now = SystemTime::now();
    let metrics = Metrics::new(Duration::from_millis(100), now);
    let counted = metrics.jvm("Main", "app", "", now);
    diagnosis.pauses.iter().for_each(|it| counted.add(it, now));
    let stalls = diagnosis.stalls.iter().flat_map(|it| &it.episodes);
    stalls.for_each(|it| counted.add_stalls(it));
    let text = metrics.text(Exposition::Prometheus, now);
    let near = |seconds: f64, ns: u64| {
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        let wanted = ns as f64 / 1e9;
        (seconds - wanted).abs() < 1e-6
    };
    let count = metric(&text, "whypause_stw_pause_seconds_count", "");
    assert!((count - pauses_of(json)).abs() < 0.5, "{name}: {count}: {text}");
    let total = of(json, "/pauses/total_ns");
    assert!(near(metric(&text, "whypause_stw_pause_seconds_sum", ""), total), "{name}: {text}");
    if json["stalls"].is_object() {
        let told = metric(&text, "whypause_thread_stall_seconds_total", "");
        assert!(near(told, of(json, "/stalls/time_ns")), "{name}: {told}");
        let waiting = metric(&text, "whypause_thread_stall_waiting_seconds_total", "");
        assert!(near(waiting, of(json, "/stalls/waiting/time_ns")), "{name}: {waiting}");
    }
    let by_cause = "whypause_stw_attributed_seconds_total";
    assert!(near(metric(&text, by_cause, ""), total), "{name}: the causes are not all of it");
    for it in
        json["causes"].as_array().expect("causes").iter().filter(|it| it["nature"] != "symptom")
    {
        let id = it["id"].as_str().expect("an id").replace('-', "_");
        let label = format!("cause=\"{id}\"");
        let told = metric(&text, by_cause, &label);
        assert!(near(told, of(it, "/time_ns")), "{name}: {label} {told} {}", it["time_ns"]);
    }
    let unexplained = metric(&text, by_cause, "cause=\"unexplained\"")
        + metric(&text, by_cause, "cause=\"not_recorded_in_detail\"");
    assert!(near(unexplained, of(json, "/unattributed_ns")), "{name}: {unexplained}");
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
fn pauses_of(json: &Value) -> f64 {
    of(json, "/pauses/count") as f64
}
