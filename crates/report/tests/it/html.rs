//! The page: one file that runs nothing but its own script, whatever names are in it.
use crate::{
    fixtures::{cause, diagnosis, ms, pause, slow_log},
    hostile::{EVIL, named},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use diagnose::Diagnosis;
use report::{Options, html};
use serde_json::Value;
use sha2::{Digest, Sha256};

pub(crate) fn page(it: &Diagnosis) -> String {
    let mut out = Vec::new();
    html::write(it, &mut &it.pauses[..], &Options::default(), &mut out).expect("memory takes all");
    String::from_utf8(out).expect("UTF-8")
}

/// What is between the first `begin` and the next `end`.
#[track_caller]
fn between<'a>(page: &'a str, begin: &str, end: &str) -> &'a str {
    let (_, rest) = page.split_once(begin).expect("it begins");
    rest.split_once(end).expect("it ends").0
}

pub(crate) fn data(page: &str) -> Value {
    let text = between(page, "<script type=\"application/json\" id=\"data\">", "</script>");
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn the_policy_names_the_script_and_the_style_by_their_hashes() {
    let page = page(&slow_log());
    let policy = between(&page, "<meta http-equiv=\"Content-Security-Policy\" content=\"", "\">");
    assert!(policy.starts_with("default-src 'none'; "), "{policy}");
    let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
    let style = hash(between(&page, "<style>", "</style>"));
    let script = hash(between(&page, "</script>\n<script>", "</script>"));
    assert!(policy.contains(&format!("script-src {script};")), "{policy}");
    assert!(policy.contains(&format!("style-src {style};")), "{policy}");
    for open in ["unsafe", "http", "*"] {
        assert!(!policy.contains(open), "{policy}");
    }
}

#[test]
fn no_name_is_markup_or_ends_the_data() {
    let page = page(&named(EVIL));
    assert_eq!(page.matches("<script").count(), 2, "the data and the page's own");
    assert_eq!(page.matches("</script>").count(), 2 + page.matches("<script").count() - 2);
    let without_code = page.replace(between(&page, "</script>\n<script>", "</script>"), "");
    assert!(!without_code.contains("<img"), "{without_code}");
    let answer = data(&page)["answer"].to_string();
    assert!(answer.contains("<img"), "whoever parses it gets the name: {answer}");
}

#[test]
fn a_comparison_is_a_page_with_the_pauses_of_both_runs() {
    let (before, after) = (named(EVIL), slow_log());
    let pauses = [&before, &after].map(|it| {
        let options = Options::default();
        html::compared::pauses_of(it, &mut &it.pauses[..], &options).expect("memory gives all")
    });
    let mut out = Vec::new();
    let compared = diagnose::compare(&before, &after);
    let options = Options::default();
    html::compared::write(&compared, pauses, &options, &mut out).expect("memory takes all");
    let page = String::from_utf8(out).expect("UTF-8");
    assert_eq!(page.matches("<script").count(), 2, "the data and the page's own");
    let without_code = page.replace(between(&page, "</script>\n<script>", "</script>"), "");
    assert!(!without_code.contains("<img"), "{without_code}");
    let text = between(&page, "<main id=\"page\">\n<pre>", "</pre>");
    assert!(text.contains("time stopped per hour, by"), "{text}");
    let begin = "<script type=\"application/json\" id=\"compare\">";
    let data: Value = serde_json::from_str(between(&page, begin, "</script>")).expect("JSON");
    for (run, of) in [&before, &after].into_iter().enumerate() {
        assert_eq!(data["runs"][run]["pauses"]["count"], of.pauses.len());
    }
    let causes = data["causes"].as_array().expect("a list");
    let log = causes.iter().find(|it| it["name"] == "GC log write blocked").expect("it is there");
    assert_eq!(log["class"], "disk");
    assert!(log["after"]["text"].as_str().expect("text").contains(" in "), "{log}");
    assert_eq!(data["cards"][0]["label"], "of the time stopped");
}

#[test]
fn without_scripts_the_answer_is_there_as_text() {
    let page = page(&slow_log());
    let text = between(&page, "<main id=\"page\">\n<pre>", "</pre>");
    assert!(text.starts_with(&report::verdict(&slow_log())[..30]), "{text}");
}

/// Its length was shown as if all of it had been seen.
#[test]
fn a_stop_that_the_recording_cut_is_marked() {
    let mut cut = pause(1_000, 500, &[]);
    cut.pause.cut.end = true;
    let it = diagnosis(vec![pause(0, 20, &[]), cut]);
    assert_eq!(data(&page(&it))["pauses"]["kind"], "sc");
}

#[test]
fn every_pause_is_on_the_page_with_its_parts() {
    let it = diagnosis(vec![
        pause(0, 20, &[("gc-work", 15)]),
        pause(1_000, 500, &[("gc-log-write-blocked", 480), ("gc-work", 20)]),
        pause(1_000, 3, &[]),
    ]);
    let data = data(&page(&it));
    let pauses = &data["pauses"];
    assert_eq!(pauses["count"], 3);
    assert_eq!(pauses["start_us"], serde_json::json!([0, 1_000_000, 0]));
    assert_eq!(pauses["length_us"], serde_json::json!([20_000, 500_000, 3_000]));
    assert_eq!(pauses["kind"], "sss");
    assert_eq!(pauses["collected"], "yyy");
    let sums = pauses["sums"]["cause_us"].as_array().expect("a list");
    let sum: f64 = sums.iter().map(|it| it.as_f64().expect("a number")).sum();
    assert!((sum - 515_000.0).abs() < 1.0 && pauses["sums"]["rest_us"] == 8_000.0, "{pauses}");
    let causes = data["causes"].as_array().expect("a list");
    let number = |id: &str| causes.iter().position(|it| it["id"] == id).expect("it is there");
    let (log, work) = (number("gc-log-write-blocked"), number("gc-work"));
    let parts = serde_json::json!([1, work, 15_000, 2, log, 480_000, work, 20_000, 0]);
    assert_eq!(pauses["parts"], parts);
    assert_eq!(causes[log]["class"], "disk");
    assert_eq!(pauses["origin_wall_ms"], 1_795_269_761_118.0);
}

#[test]
fn a_card_counts_the_pauses_of_the_limit() {
    let it = diagnosis([49, 50, 900].map(|length| pause(length * 1_000, length, &[])).into());
    let data = data(&page(&it));
    let cards = data["answer"]["cards"].as_array().expect("a list");
    let long = cards.iter().find(|it| it["label"] == "50 ms or longer").expect("it is there");
    assert_eq!(long["value"], "2");
}

#[test]
fn what_two_causes_advise_is_there_once_with_the_time_of_both() {
    let mut it = slow_log();
    let twice = it.findings[0].clone();
    it.findings.push(diagnose::Finding { cause: cause("hsperfdata-write-blocked"), ..twice });
    let data = data(&page(&it));
    let answer = &data["answer"];
    let list = answer["to_do"].as_array().expect("a list");
    let keys: Vec<_> = list.iter().map(|it| (it["when"].clone(), it["text"].clone())).collect();
    let mut once = keys.clone();
    once.dedup();
    assert_eq!(once, keys, "none is there twice");
    assert!(!list.is_empty() && list.len() >= answer["steps"].as_array().map_or(0, Vec::len));
    assert_eq!(list[0]["text"], answer["steps"][0]["text"], "the verdict's step comes first");
    for it in list {
        assert!(it["saves"].as_str().is_some_and(|it| it.contains(" of pauses: ")), "{it}");
    }
}

#[test]
fn where_the_verdict_advises_nothing_there_is_no_list() {
    let mut it = diagnosis(vec![pause(0, 4, &[("gc-log-write-blocked", 3)])]);
    it.findings.push(diagnose::Finding { time: ms(3), ..slow_log().findings[0].clone() });
    let data = data(&page(&it));
    assert_eq!(data["answer"]["steps"], serde_json::json!([]));
    assert_eq!(data["answer"]["to_do"], serde_json::json!([]));
}
