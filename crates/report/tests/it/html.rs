//! The page: one file that runs nothing but its own script, whatever names are in it.
use crate::{
    fixtures::{diagnosis, pause, slow_log},
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
fn a_comparison_is_a_page_without_scripts() {
    let (before, after) = (named(EVIL), slow_log());
    let mut out = Vec::new();
    let compared = diagnose::compare(&before, &after);
    report::compare::html::write(&compared, &mut out).expect("memory takes all");
    let page = String::from_utf8(out).expect("UTF-8");
    assert!(page.contains("script-src 'none';"), "{page}");
    assert!(!page.contains("<script") && !page.contains("<img"), "{page}");
    assert!(page.contains("<td class=\"number\">"), "{page}");
}

#[test]
fn without_scripts_the_answer_is_there_as_text() {
    let page = page(&slow_log());
    let text = between(&page, "<main id=\"page\">\n<pre>", "</pre>");
    assert!(text.starts_with(&report::verdict(&slow_log())[..30]), "{text}");
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
    let causes = data["causes"].as_array().expect("a list");
    let number = |id: &str| causes.iter().position(|it| it["id"] == id).expect("it is there");
    let (log, work) = (number("gc-log-write-blocked"), number("gc-work"));
    let parts = serde_json::json!([1, work, 15_000, 2, log, 480_000, work, 20_000, 0]);
    assert_eq!(pauses["parts"], parts);
    assert_eq!(causes[log]["class"], "disk");
    assert_eq!(pauses["origin_wall_ms"], 1_795_269_761_118.0);
}
