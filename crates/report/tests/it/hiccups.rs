//! How pauses that are no stops are reported: the number of stops must equal that of the JVM's own
//! log.
use crate::fixtures::{diagnosis, finding, log_alone, pause};
use diagnose::{Attribution, Diagnosis, Finding, Gate, PauseKind, compare};
use expect_test::expect;
use recording::{Source, SourceState};
use report::{Options, Style, check, csv, json, markdown, terminal};
use serde_json::{Value, json};

fn hiccup(at: u64, length: u64) -> Attribution {
    let mut it = pause(at, length, &[("hsperfdata-write-blocked", length)]);
    it.pause.kind = PauseKind::Hiccup;
    it.pause.operation = "".into();
    it.pause.collection = None;
    it
}

/// A finding of `pauses`, `hiccups` of which are hiccups.
fn found(id: &str, pauses: u64, hiccups: u64) -> Finding {
    Finding { hiccups, ..finding(id, pauses, 100 * pauses, 0.5) }
}

/// Three stops, two hiccups, and a finding in each way.
fn mixed() -> Diagnosis {
    let mut pauses: Vec<_> = (0..3).map(|n| pause(n * 900, 60, &[("gc-work", 60)])).collect();
    pauses.extend([hiccup(3000, 600), hiccup(4000, 1500)]);
    let mut it = diagnosis(pauses);
    it.findings = vec![
        found("hsperfdata-write-blocked", 2, 2),
        found("cfs-throttling", 4, 1),
        found("swap-in", 1, 1),
        found("gc-work", 3, 0),
    ];
    it
}

/// The log of an application, which noticed all of its pauses by itself.
fn application() -> Diagnosis {
    let mut it = log_alone();
    it.pauses.iter_mut().for_each(|it| it.pause.kind = PauseKind::Hiccup);
    it.statistics.hiccups = it.statistics.all;
    it.findings = vec![found("gc-work", 2, 2)];
    it.statistics.time_to_safepoint = diagnose::Count::default();
    it.coverage.sources.insert(Source::GcLog, SourceState::Missing("none of it".into()));
    it
}

fn text(it: &Diagnosis) -> String {
    terminal::render(it, &Options { full: true, ..Options::default() })
}

/// The text up to the blank line behind the list of pauses.
fn begin(it: &Diagnosis) -> String {
    let text = text(it);
    text.split("\n\n").take(2).collect::<Vec<_>>().join("\n\n")
}

const WHAT: &str = "hiccup: application threads did not run, though no safepoint was under way";

#[test]
fn the_head_counts_stops_and_hiccups_apart_and_says_what_a_hiccup_is() {
    expect![[r#"
        200 ms of 2.28 s stopped: something took time. Measured.
          next start   -XX:+PerfDisableSharedMem

        orders · pid 4242 · JDK 17.0.15 · G1, 2 GC threads · 60 s ·
        3 stops and 2 hiccups
        stopped 2.28 s (3.8 %) · longest 1.50 s · 5 over 50 ms · explained 100 %
        hiccup: application threads did not run, though no safepoint was under way"#]]
    .assert_eq(&begin(&mixed()));
}

#[test]
fn one_of_each_and_hiccups_alone() {
    let head = |pauses| text(&diagnosis(pauses)).replace('\n', " ");
    assert!(
        head(vec![pause(0, 60, &[]), hiccup(90, 60)]).contains(" · 1 stop and 1 hiccup stopped ")
    );
    assert!(head(vec![hiccup(0, 60)]).contains(" · 1 hiccup stopped "));
    assert!(head(vec![hiccup(0, 60), hiccup(90, 60)]).contains(" · 2 hiccups stopped "));
}

#[test]
fn without_hiccups_no_word_is_said_of_them() {
    let text = text(&diagnosis(vec![pause(0, 60, &[]), pause(90, 60, &[])]));
    assert!(text.contains(" · 2 stops\nstopped ") && !text.contains("hiccup"), "{text}");
}

#[test]
fn a_finding_is_in_stops_in_hiccups_or_in_pauses() {
    let text = text(&mixed());
    for part in
        ["200 ms in 2 hiccups", "400 ms in 4 pauses", "100 ms in 1 hiccup", "300 ms in 3 stops"]
    {
        assert!(text.contains(&format!("{part} · 50 % · measured")), "{part}: {text}");
    }
}

#[test]
fn short_hiccups_are_reported_as_such() {
    let none_long = |pauses| {
        let text = text(&diagnosis(pauses));
        text.lines().find(|it| it.starts_with("No pause")).expect("there is none").to_owned()
    };
    assert_eq!(none_long(vec![hiccup(0, 30)]), "No pause over 50 ms: the only hiccup took 30 ms.");
    assert_eq!(
        none_long(vec![hiccup(0, 30), pause(90, 20, &[])]),
        "No pause over 50 ms: the longest of 1 stop and 1 hiccup took 30 ms."
    );
}

#[test]
fn what_an_application_noticed_is_reported_as_ever() {
    let text = text(&application());
    assert!(text.contains(" · 2 pauses noticed\n"), "{text}");
    assert!(text.contains("200 ms in 2 stops"), "{text}");
    assert!(!text.contains("hiccup:") && !text.contains(" hiccup "), "{text}");
    let markdown = markdown::render(&application(), &Options::default());
    assert!(markdown.contains("| G1CollectForAllocation |"), "{markdown}");
}

#[test]
fn a_hiccup_takes_its_columns_from_the_parts_and_not_from_the_page() {
    let style = Style { width: 70, ..Style::PLAIN };
    let text = terminal::render(&mixed(), &Options { style, full: true, ..Options::default() });
    // What is to be done is never broken: no line begins with a name that somebody chose.
    let mut lines = text.lines().take_while(|it| !it.starts_with("   fix "));
    assert!(lines.all(|it| it.chars().count() <= 70), "{text}");
    assert!(text.contains("1.50 s hiccup   1.50 s hsperfdata"), "{text}");
}

#[test]
fn markdown_has_the_same_words() {
    let text = markdown::render(&mixed(), &Options::default());
    assert!(text.contains(" · 3 stops and 2 hiccups\n"), "{text}");
    assert!(text.contains(&format!("\n\n{WHAT}\n\n| at (UTC) |")), "{text}");
    assert!(text.contains("| 600 ms | hiccup | 600 ms hsperfdata write blocked |"), "{text}");
    assert!(text.contains("**200 ms in 2 hiccups**") && text.contains("**400 ms in 4 pauses**"));
}

#[test]
fn json_counts_them_over_all_and_in_each_cause() {
    let mut out = Vec::new();
    let it = mixed();
    json::write(&it, &mut &it.pauses[..], &Options::default(), &mut out).expect("a Vec takes all");
    let it: Value = serde_json::from_slice(&out).expect("valid JSON");
    let expected = json!({"count": 2, "total_ns": 2_100_000_000_u64, "max_ns": 1_500_000_000_u64});
    assert_eq!(it["pauses"]["hiccups"], expected);
    assert_eq!(it["pauses"]["count"], 5, "all pauses, as ever");
    let causes = it["causes"].as_array().expect("a list");
    let counts = causes.iter().map(|it| (it["pauses"].clone(), it["hiccups"].clone()));
    let expected = [(2, 2), (4, 1), (1, 1), (3, 0)].map(|(a, b)| (json!(a), json!(b)));
    assert_eq!(counts.collect::<Vec<_>>(), expected);
    assert_eq!(it["longest"][0]["kind"], "hiccup");
}

#[test]
fn csv_names_the_kind() {
    let mut out = Vec::new();
    csv::write(&mixed(), &mut out).expect("a Vec takes all");
    let text = String::from_utf8(out).expect("UTF-8");
    assert_eq!(text.matches(",hiccup,").count(), 2, "{text}");
}

fn checked(run: &Diagnosis, gate: &str) -> String {
    let gate = Gate::parse(gate).expect("a gate");
    let options = Options::default();
    check::terminal::render(&check::judge("rec", run, &[gate], &[], &options), &options)
}

#[test]
fn a_gate_that_blames_hiccups_says_what_they_are() {
    let longest = checked(&mixed(), "max>1s");
    assert!(longest.contains("worst: 1.50 s at 14:02:45.118 UTC, a hiccup, of which"), "{longest}");
    assert!(longest.ends_with(&format!("\n{WHAT}\n")), "{longest}");
    let mut run = mixed();
    run.findings.truncate(1);
    let mostly = checked(&run, "total>1s");
    assert!(mostly.contains("mostly: hsperfdata write blocked, 200 ms in 2 hiccups"), "{mostly}");
    assert!(mostly.contains(WHAT), "{mostly}");
    assert!(!checked(&run, "total>9s").contains("hiccup"), "nobody is blamed");
    run.findings = vec![found("cfs-throttling", 4, 1)];
    assert!(!checked(&run, "total>1s").contains("hiccup"), "pauses need no explanation");
}

#[test]
fn hiccups_are_no_collections() {
    let alone = "its pauses are collections alone";
    let without_stops = |mut it: Diagnosis| {
        it.statistics.time_to_safepoint = diagnose::Count::default();
        checked(&it, "max>9s")
    };
    assert!(!without_stops(diagnosis(vec![hiccup(0, 60)])).contains(alone));
    assert!(without_stops(diagnosis(vec![hiccup(0, 60), pause(90, 60, &[])])).contains(alone));
    let noticed = checked(&application(), "max>9s");
    assert!(!noticed.contains(alone), "an application notices other pauses, too: {noticed}");
    assert!(noticed.contains("those that the application"), "{noticed}");
}

#[test]
fn a_comparison_says_it_once() {
    let (before, after) = (mixed(), diagnosis(vec![pause(0, 60, &[])]));
    let text = report::compare::terminal::render(&compare(&before, &after), &Options::default());
    assert!(text.contains("3 stops and 2 hiccups"), "{text}");
    assert_eq!(text.matches(WHAT).count(), 1, "{text}");
    let markdown = report::compare::markdown::render(&compare(&after, &before));
    assert_eq!(markdown.matches(WHAT).count(), 1, "{markdown}");
    assert!(!report::compare::markdown::render(&compare(&after, &after)).contains("hiccup"));
}
