//! Many hosts, for people and for programs.
use expect_test::expect;
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
        hour: Some(FIRST_HOUR + at),
        covered_ns: HOUR_NS,
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
    expect![[r#"
        {
          "also": [],
          "before_ns_per_hour": 0,
          "cause": "gc-log-write-blocked",
          "comparisons": 2,
          "culprit": {
            "kind": "process",
            "name": "backup",
            "share": 0.5
          },
          "direction": "more",
          "examples": [
            {
              "cause": "gc-log-write-blocked",
              "certainty": "measured",
              "culprit": {
                "kind": "process",
                "name": "backup"
              },
              "duration_ns": 950000000,
              "file": "/var/log/gc.log",
              "host": "kafka-05",
              "mechanism": "journal-commit",
              "source": "/logs/kafka-05/gc.log",
              "start": "2026-03-04T03:12:34.118000000Z"
            },
            {
              "cause": "gc-log-write-blocked",
              "certainty": "measured",
              "culprit": {
                "kind": "process",
                "name": "backup"
              },
              "duration_ns": 940000000,
              "file": "/var/log/gc.log",
              "host": "kafka-04",
              "mechanism": "journal-commit",
              "source": "/logs/kafka-04/gc.log",
              "start": "2026-03-04T03:12:34.118000000Z"
            },
            {
              "cause": "gc-log-write-blocked",
              "certainty": "measured",
              "culprit": {
                "kind": "process",
                "name": "backup"
              },
              "duration_ns": 930000000,
              "file": "/var/log/gc.log",
              "host": "kafka-03",
              "mechanism": "journal-commit",
              "source": "/logs/kafka-03/gc.log",
              "start": "2026-03-04T03:12:34.118000000Z"
            }
          ],
          "group": {
            "affected": 6,
            "aliases": [],
            "attribute": {
              "key": "rack",
              "kind": "label",
              "value": "r1"
            },
            "hosts": 6,
            "within": null
          },
          "hosts": [
            "kafka-00",
            "kafka-01",
            "kafka-02",
            "kafka-03",
            "kafka-04",
            "kafka-05"
          ],
          "mechanism": "journal-commit",
          "ns_per_hour": 552000000,
          "others_ns_per_hour": 0,
          "p": 0.0001031991744071298,
          "since": "2026-03-04",
          "since_ns_per_hour": 920000000,
          "time_ns": 33300000000
        }"#]]
    .assert_eq(&format!("{finding:#}"));
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
    let json = report::fleet::json(&answer);
    assert!(json.chars().all(|c| c == '\n' || !(c.is_control() || c == '\u{202e}')));
}

#[test]
fn ascii_alone_says_the_same() {
    let style = Style { unicode: false, ..Style::PLAIN };
    let text = report::fleet::text(&racks(), &Options { style, ..Options::default() });
    assert!(text.is_ascii() && !text.contains('?'), "{text}");
}
