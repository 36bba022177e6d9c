//! Many hosts, for people and for programs.
use expect_test::{expect, expect_file};
use fleet::{Answer, Fleet, answer};
use report::{Options, Style};
use std::sync::Arc;
use table::{CauseSum, CulpritSum, Hour, Jvm, Lengths, Origin, SourceKind, Worst};

const MS: u64 = 1_000_000;
const HOUR_NS: u64 = 3_600_000_000_000;
/// 2026-03-02, a Monday, in hours since 1970.
const FIRST_HOUR: i64 = 20_514 * 24;

/// An hour of a host in which the log was blocked for so many milliseconds.
fn hour(name: &str, rack: &str, at: i64, blocked_ms: u64) -> Hour {
    let origin = Origin {
        host: name.to_owned(),
        labels: [("rack".to_owned(), rack.to_owned())].into(),
        kernel: Some("6.1.0".into()),
        source: format!("/logs/{name}/gc.log"),
        kind: SourceKind::Recording,
        ..Origin::default()
    };
    let jvm = Jvm { version: Some("21.0.4".into()), pid: Some(7), ..Jvm::default() };
    let start_ns = Some((FIRST_HOUR + at) * 3_600_000_000_000 + 754_118_000_000);
    let mut it = Hour {
        origin: Arc::new(origin),
        jvm: Arc::new(jvm),
        coverage: Arc::default(),
        hour: Some(FIRST_HOUR + at),
        covered_ns: HOUR_NS,
        recorded_ns: HOUR_NS,
        pauses: 1,
        stopped_ns: 20 * MS,
        longest_ns: 20 * MS,
        lengths: Lengths::default(),
        causes: [("gc-work".to_owned(), CauseSum { pauses: 1, ns: 20 * MS, longest_ns: 20 * MS })]
            .into(),
        unexplained_ns: 0,
        culprits: Vec::new(),
        worst: Vec::new(),
    };
    it.lengths.add(20 * MS);
    if blocked_ms > 0 {
        let ns = blocked_ms * MS;
        it.pauses += 1;
        it.stopped_ns += ns;
        it.longest_ns = it.longest_ns.max(ns);
        it.lengths.add(ns);
        let cause = "gc-log-write-blocked".to_owned();
        it.causes.insert(cause.clone(), CauseSum { pauses: 1, ns, longest_ns: ns });
        let (kind, who) = ("process".to_owned(), "backup".to_owned());
        it.worst.push(Worst {
            start_ns,
            duration_ns: ns,
            cause: Some(cause.clone()),
            certainty: Some("measured".into()),
            mechanism: Some("journal-commit".into()),
            culprit: Some((kind.clone(), who.clone())),
            file: Some("/var/log/gc.log".into()),
            source: it.origin.source.clone(),
        });
        it.culprits.push(CulpritSum { cause, kind, name: who, pauses: 1, ns: ns / 2 });
    }
    it
}

/// Twenty hosts and five days; on six of them, of one rack, the log is blocked from the third day on.
pub(crate) fn racks() -> Answer {
    let mut fleet = Fleet::new();
    for host in 0..20_u64 {
        let rack = if host < 6 { "r1" } else { "r2" };
        for day in 0..5 {
            let blocked_ms = if host < 6 && day >= 2 { 900 + 10 * host } else { 0 };
            for of_day in [3, 14] {
                fleet.add(hour(&format!("kafka-{host:02}"), rack, day * 24 + of_day, blocked_ms));
            }
        }
    }
    fleet.unread("/logs/kafka-20/gc.log", "no GC log");
    answer(&fleet)
}

#[test]
fn differences_come_first_and_each_says_what_to_open() {
    expect![[r#"
        GC log write blocked on all 6 hosts with rack=r1 since Wed 2026-03-04.

        20 hosts · 20 JVMs · 20 inputs · 2026-03-02 to 2026-03-06 (UTC)
        236 pauses · 37.3 s stopped · longest 950 ms · p50 20 ms · p99 950 ms ·
        0 % unexplained

        1  GC log write blocked on all 6 hosts with rack=r1 since Wed 2026-03-04
           rate   552 ms stopped per hour observed, 0 s on the other hosts; 33.3 s in
                  total
           since  Wed 2026-03-04 (UTC): 0 s per hour before, 920 ms since
           how    Journal commit
           who    process backup: 50 % of the time
           worst  950 ms on kafka-05 at 2026-03-04 03:12:34.118 UTC
           next   whypause explain /logs/kafka-05/gc.log

           Each difference is chance with a probability below 1 %, after correction for
           2 comparisons (rank-sum tests with hosts as units). Rates are means over
           hosts, without the tenth of them that has most.

          per hour  host      longest  p99  p99.9  mostly
            590 ms  kafka-05  950 ms   –    –      GC log write blocked
            584 ms  kafka-04  940 ms   –    –      GC log write blocked
            578 ms  kafka-03  930 ms   –    –      GC log write blocked
            572 ms  kafka-02  920 ms   –    –      GC log write blocked
            566 ms  kafka-01  910 ms   –    –      GC log write blocked

            time  cause                 hosts  pauses  longest  by day
          33.3 s  GC log write blocked  6      36      950 ms   ··███
          4.00 s  GC work               20     200     20 ms    █████

            time  culprit         hosts  cause
          16.7 s  process backup  6      GC log write blocked

        1 input not read: /logs/kafka-20/gc.log (no GC log)
    "#]]
    .assert_eq(&report::fleet::text(&racks(), &Options::default()));
}

#[test]
fn all_of_it() {
    let style = Style { width: 100, ..Style::PLAIN };
    let options = Options { full: true, style, ..Options::default() };
    let text = report::fleet::text(&racks(), &options);
    let finding: Vec<&str> = text.lines().skip(4).take(16).collect();
    expect![[r#"

        1  GC log write blocked on all 6 hosts with rack=r1 since Wed 2026-03-04
           rate   552 ms stopped per hour observed, 0 s on the other hosts; 33.3 s in total
           since  Wed 2026-03-04 (UTC): 0 s per hour before, 920 ms since
           how    Journal commit
           who    process backup: 50 % of the time
           test   p ≤ 1.0e-4, corrected for 2 comparisons
           worst  950 ms on kafka-05 at 2026-03-04 03:12:34.118 UTC
           next   whypause explain /logs/kafka-05/gc.log
                  940 ms on kafka-04 at 2026-03-04 03:12:34.118 UTC
           next   whypause explain /logs/kafka-04/gc.log
                  930 ms on kafka-03 at 2026-03-04 03:12:34.118 UTC
           next   whypause explain /logs/kafka-03/gc.log

           Each difference is chance with a probability below 1 %, after correction for 2 comparisons
           (rank-sum tests with hosts as units). Rates are means over hosts, without the tenth of them that"#]].assert_eq(&finding.join("\n"));
}

fn page(answer: &Answer) -> String {
    let mut out = Vec::new();
    report::fleet::html(answer, &Options::default(), &mut out).expect("memory takes all");
    String::from_utf8(out).expect("UTF-8")
}

/// What is between two texts, the first time.
fn between<'a>(page: &'a str, from: &str, to: &str) -> &'a str {
    let (_, rest) = page.split_once(from).expect(from);
    rest.split_once(to).expect(to).0
}

#[test]
fn the_page_runs_no_script_and_a_host_opens_to_its_worst_pauses() {
    let page = page(&racks());
    assert!(page.contains("script-src 'none';") && !page.contains("<script"));
    assert!(!page.contains(" style=\""), "the policy would not apply it");
    expect![[r##"
        <li><h3>GC log write blocked on all 6 hosts with rack=r1 since Wed 2026-03-04</h3>
        <dl>
        <dt>rate</dt><dd>552 ms stopped per hour observed, 0 s on the other hosts; 33.3 s in total</dd>
        <dt>since</dt><dd>Wed 2026-03-04 (UTC): 0 s per hour before, 920 ms since</dd>
        <dt>how</dt><dd>Journal commit</dd>
        <dt>who</dt><dd>process backup: 50 % of the time</dd>
        <dt>worst</dt><dd>950 ms on kafka-05 at 2026-03-04 03:12:34.118 UTC<br><code>whypause explain /logs/kafka-05/gc.log</code></dd>
        <dt>worst</dt><dd>940 ms on kafka-04 at 2026-03-04 03:12:34.118 UTC<br><code>whypause explain /logs/kafka-04/gc.log</code></dd>
        <dt>worst</dt><dd>930 ms on kafka-03 at 2026-03-04 03:12:34.118 UTC<br><code>whypause explain /logs/kafka-03/gc.log</code></dd>
        </dl>
        <details><summary>6 hosts</summary><p class="wrap"><a href="#h5">kafka-00</a>, <a href="#h4">kafka-01</a>, <a href="#h3">kafka-02</a>, <a href="#h2">kafka-03</a>, <a href="#h1">kafka-04</a>, <a href="#h0">kafka-05</a></p></details>
        </li>
    "##]].assert_eq(between(&page, "<ol class=\"findings\">\n", "</ol>"));
    expect![[r#"
        <summary class="host-line"><span class="clip">kafka-05</span><span class="num">590 ms</span><svg class="cells" viewBox="0 0 120 1" preserveAspectRatio="none" role="img" aria-label="6 of 10 hours with 36 ms or more; most, 970 ms, on 2026-03-04 at 03:00 UTC"><path class="h0" d="M0 1v-1h3v1zM4 1v-1h10v1zM15 1v-1h12v1zM28 1v-1h10v1zM39 1v-1h12v1zM52 1v-1h10v1zM63 1v-1h12v1zM76 1v-1h10v1zM87 1v-1h12v1zM100 1v-1h10v1zM111 1v-1h9v1z"/><path class="h1" d="M3 1v-1h1v1zM14 1v-1h1v1zM27 1v-1h1v1zM38 1v-1h1v1z"/><path class="h3" d="M51 1v-1h1v1zM62 1v-1h1v1zM75 1v-1h1v1zM86 1v-1h1v1zM99 1v-1h1v1zM110 1v-1h1v1z"/></svg></summary>
        <p>1 JVM · 16 pauses · 5.90 s stopped in 10 h 00 min observed · longest 950 ms · p50 20 ms · mostly GC log write blocked</p>
        <ul class="worst">
        <li><b>950 ms</b> · 2026-03-04 03:12:34.118 UTC · GC log write blocked · Journal commit · process backup · /var/log/gc.log<br><code>whypause explain /logs/kafka-05/gc.log</code></li>
        <li><b>950 ms</b> · 2026-03-04 14:12:34.118 UTC · GC log write blocked · Journal commit · process backup · /var/log/gc.log<br><code>whypause explain /logs/kafka-05/gc.log</code></li>
        <li><b>950 ms</b> · 2026-03-05 03:12:34.118 UTC · GC log write blocked · Journal commit · process backup · /var/log/gc.log<br><code>whypause explain /logs/kafka-05/gc.log</code></li>
        <li><b>950 ms</b> · 2026-03-05 14:12:34.118 UTC · GC log write blocked · Journal commit · process backup · /var/log/gc.log<br><code>whypause explain /logs/kafka-05/gc.log</code></li>
        <li><b>950 ms</b> · 2026-03-06 03:12:34.118 UTC · GC log write blocked · Journal commit · process backup · /var/log/gc.log<br><code>whypause explain /logs/kafka-05/gc.log</code></li>
        <li><b>950 ms</b> · 2026-03-06 14:12:34.118 UTC · GC log write blocked · Journal commit · process backup · /var/log/gc.log<br><code>whypause explain /logs/kafka-05/gc.log</code></li>
        </ul>
    "#]].assert_eq(between(&page, "<details class=\"host\" id=\"h0\">", "</details>"));
    expect![[r#"<figcaption><b>GC log write blocked</b> <span class="muted">33.3 s on 6 hosts, 36 pauses</span></figcaption><svg class="bars days" viewBox="0 0 50 100" preserveAspectRatio="none" role="img" aria-label="by day from 2026-03-02 to 2026-03-06: most on Wed 2026-03-04, 11.1 s"><path d="M20 100v-100h9v100zM30 100v-100h9v100zM40 100v-100h9v100z"/></svg><p class="hint">most on Wed 2026-03-04: 11.1 s</p><svg class="bars of-day" viewBox="0 0 240 100" preserveAspectRatio="none" role="img" aria-label="by hour of the day: most from 03:00 UTC, 16.7 s"><path d="M30 100v-100h9v100zM140 100v-100h9v100z"/></svg><p class="hint">by hour of the day: most from 03:00, 16.7 s</p>"#]].assert_eq(between(&page, "<figure>", "</figure>"));
    let of_nothing = self::page(&answer(&Fleet::new()));
    assert!(of_nothing.contains("<h1>No pauses of any host.</h1>"));
}

#[test]
fn the_page_of_200_hosts_and_a_week_is_light() {
    let mut fleet = Fleet::new();
    for host in 0..200_u64 {
        for at in 0..168_u64 {
            // No two hours of the same class next to each other.
            let blocked = [0, 50, 500, 5_000, 50_000][usize::try_from((at + host) % 5).unwrap()];
            let it = hour(&format!("host-{host:03}"), "r1", i64::try_from(at).unwrap(), blocked);
            fleet.add(it);
        }
    }
    let bytes = page(&answer(&fleet)).len();
    assert!(bytes < 2 << 20, "{bytes} bytes");
}

#[test]
fn where_nothing_differs_that_is_said() {
    let check = |hosts: u64, expected: &str| {
        let mut fleet = Fleet::new();
        for host in 0..hosts {
            let rack = if host % 2 == 0 { "r1" } else { "r2" };
            (0..10).for_each(|at| fleet.add(hour(&format!("h{host}"), rack, at * 12, 100)));
        }
        let text = report::fleet::text(&answer(&fleet), &Options::default());
        let first = text.split("\n\n").next().unwrap_or_default().replace('\n', " ");
        assert_eq!(first, expected);
    };
    check(
        20,
        "No difference between groups of hosts, and no change since a day, is more than chance.",
    );
    check(
        2,
        "Nothing to compare: it takes three hosts that have something in common and three that have not, \
         and these are 2 hosts.",
    );
    check(0, "No pauses of any host.");
}

#[test]
fn the_document_is_what_its_schema_says() {
    let document: serde_json::Value =
        serde_json::from_str(&report::fleet::json(&racks())).expect("JSON");
    let finding = &document["findings"][0];
    expect_file!["fleet/finding.json"].assert_eq(&format!("{finding:#}"));
    let schema: serde_json::Value =
        serde_json::from_str(&report::fleet::schema()).expect("a schema");
    let keys = |of: &serde_json::Value| -> Vec<String> {
        of.as_object().into_iter().flat_map(|it| it.keys().cloned()).collect()
    };
    assert_eq!(keys(&document), keys(&schema["properties"]));
    assert_eq!(keys(finding), keys(&schema["$defs"]["Finding"]["properties"]));
    assert_eq!(keys(&document["hosts"][0]), keys(&schema["$defs"]["Host"]["properties"]));
}

#[test]
fn names_move_no_cursor_and_make_no_column_wide() {
    let evil = "a\u{1b}[2J\u{202e}<script>\n|".repeat(40);
    let mut fleet = Fleet::new();
    for host in 0..20_u64 {
        let mut it = hour(&format!("{host}{evil}"), &format!("{}{evil}", host < 6), 3, 0);
        let blocked = hour(
            &format!("{host}{evil}"),
            &format!("{}{evil}", host < 6),
            4,
            900 * u64::from(host < 6),
        );
        it.causes.insert(evil.clone(), CauseSum { pauses: 1, ns: 1, longest_ns: 1 });
        fleet.add(it);
        fleet.add(blocked);
    }
    fleet.unread(&evil, &evil);
    let answer = answer(&fleet);
    assert_eq!(answer.findings.len(), 1);
    for full in [false, true] {
        let text = report::fleet::text(&answer, &Options { full, ..Options::default() });
        let is_clean = |c: char| c == '\n' || !(c.is_control() || c == '\u{202e}');
        assert!(text.chars().all(is_clean), "{text:?}");
    }
    let page = page(&answer);
    let is_clean = |c: char| c == '\n' || !(c.is_control() || c == '\u{202e}');
    assert!(page.chars().all(is_clean) && !page.contains("<script"), "{page}");
    let json = report::fleet::json(&answer);
    assert!(json.chars().all(|c| c == '\n' || !(c.is_control() || c == '\u{202e}')));
}

#[test]
fn ascii_alone_says_the_same() {
    let style = Style { unicode: false, ..Style::PLAIN };
    let text = report::fleet::text(&racks(), &Options { style, ..Options::default() });
    assert!(text.is_ascii() && !text.contains('?'), "{text}");
}
