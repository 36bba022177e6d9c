//! Text and Markdown: totals, and the time of each cause.
use super::{
    of,
    read::{after, is_percent, length, number_at_end},
};
use serde_json::Value;

/// Characters of the totals at most.
const TOTALS: usize = 120;

/// From here on a pause is long, where nothing else is said.
const LONG_NS: u64 = 50_000_000;

/// The words of an answer, without the marks of Markdown.
fn words(said: &str) -> String {
    let said = said.replace("**", "").replace("## ", "").replace(['\\', '|'], "");
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(super) fn check(said: &str, json: &Value, name: &str) {
    let said = words(said);
    totals(&said, json, name);
    causes(&said, json, name);
    collections(&said, json, name);
}

fn totals(said: &str, json: &Value, name: &str) {
    let pauses = &json["pauses"];
    let count = of(pauses, "/count");
    if count == 0 {
        return;
    }
    let hiccups = of(pauses, "/hiccups/count");
    // The totals begin with this, behind the line of the JVM, which ends with what is counted.
    let totals = said.match_indices(" stopped ").find_map(|(at, it)| {
        let (before, rest) = (&said[..at], &said[at + it.len()..]);
        let shown = length(rest)?;
        let is_total = rest.contains(" over ") && rest.split(" · ").count() > 1;
        is_total.then_some((before, shown, rest))
    });
    let (before, stopped, rest) = totals.unwrap_or_else(|| panic!("{name}: no totals: {said}"));
    assert!(stopped.is(of(pauses, "/total_ns")), "{name}: stopped {stopped:?} {pauses}");
    let stops = before.strip_suffix(" noticed").unwrap_or(before);
    let counts = stops.rsplit(" · ").next().expect("one is there");
    let told: u64 =
        counts.split(" and ").filter_map(|it| number_at_end(it.rsplit_once(' ')?.0)).sum();
    assert_eq!(told, count, "{name}: {counts}");
    if let Some(shown) = counts.split(" and ").find(|it| it.contains("hiccup")) {
        assert_eq!(
            number_at_end(shown.rsplit_once(' ').expect("two words").0),
            Some(hiccups),
            "{name}"
        );
    }
    let rest: String = rest.chars().take(TOTALS).collect();
    let rest = rest.as_str();
    let long = json["longest"].as_array().expect("all pauses").iter();
    let long = long.filter(|it| of(it, "/duration_ns") >= LONG_NS).count() as u64;
    let told = rest.split(" over 50 ms").next().and_then(number_at_end);
    assert_eq!(told, Some(long), "{name}: {rest:.99}");
    if count > 1 {
        let longest = after(rest, "longest ").and_then(length).expect("the longest");
        assert!(longest.is(of(pauses, "/max_ns")), "{name}: longest {longest:?}");
    }
    if let Some(p99) = after(rest, "p99 ").and_then(length) {
        assert!(p99.is(of(pauses, "/p99_ns").min(of(pauses, "/max_ns"))), "{name}: p99 {p99:?}");
    }
    let in_collections = rest.split_once(" in collections").map(|(before, _)| before);
    let share = in_collections.and_then(|it| it.rsplit(" · ").next());
    if let Some(explained) = after(rest, "explained ").or(share) {
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        let part = 1.0 - of(json, "/unattributed_ns") as f64 / of(pauses, "/total_ns") as f64;
        assert!(is_percent(explained, part), "{name}: {explained} {part}");
    }
}

fn causes(said: &str, json: &Value, name: &str) {
    let mut number = 0;
    for it in json["causes"].as_array().expect("causes") {
        let title = it["title"].as_str().expect("a title");
        let next = number + 1;
        let heading = [format!(" {next} {title} "), format!(" {next}. {title} ")];
        let Some(rest) = heading.iter().find_map(|it| after(said, it)) else { continue };
        number = next;
        if of(it, "/time_ns") == 0 {
            continue;
        }
        let Some(shown) = length(rest) else { panic!("{name}: {title}: {rest:.80}") };
        assert!(shown.is(of(it, "/time_ns")), "{name}: {title} {shown:?}, {}", it["time_ns"]);
        let (pauses, hiccups) = (of(it, "/pauses"), of(it, "/hiccups"));
        let extent = after(rest, " in ").expect("in so many");
        let extent = extent.split(['·', '(']).next().expect("one is there").trim();
        let told: Option<u64> =
            extent.split(" and ").map(|it| number_at_end(it.rsplit_once(' ')?.0)).sum();
        if let Some(told) = told {
            assert_eq!(told, pauses, "{name}: {title} in {extent}, {hiccups} hiccups");
        }
    }
    assert!(number > 0 || json["causes"].as_array().is_some_and(Vec::is_empty), "{name}: {said}");
}

/// Of a log: `collections 41 pauses, 1.02 s; median …, longest …`.
fn collections(said: &str, json: &Value, name: &str) {
    let is_row = |rest: &&str| {
        let so_many = rest.split_once(' ');
        so_many.is_some_and(|(count, rest)| {
            number_at_end(count).is_some() && rest.starts_with("pause")
        })
    };
    let mut rests = said.match_indices(" collections ").map(|(at, it)| &said[at + it.len()..]);
    let Some(rest) = rests.find(is_row) else { return };
    let (count, rest) = rest.split_once(" pause").expect("so many");
    assert_eq!(number_at_end(count), Some(of(json, "/gc/pauses/count")), "{name}");
    let rest = after(rest, ", ").expect("and their time");
    assert!(length(rest).expect("a time").is(of(json, "/gc/pauses/total_ns")), "{name}");
    if of(json, "/gc/pauses/count") == 1 {
        // Its time is the longest as well.
        assert_eq!(of(json, "/gc/pauses/max_ns"), of(json, "/gc/pauses/total_ns"), "{name}");
        return;
    }
    let longest = after(rest, "longest ").and_then(length).expect("the longest");
    assert!(longest.is(of(json, "/gc/pauses/max_ns")), "{name}");
}
