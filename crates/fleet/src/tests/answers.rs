//! The other questions.
use super::made::{FIRST_DAY, HOUR_NS, add_ns, hour};
use crate::{Answer, Fleet, answer};
use std::sync::Arc;
use table::{CulpritSum, Hour, Jvm, Origin, SourceKind};

const MS: u64 = 1_000_000;

/// `host day.hour cause:ms …`, one hour a line.
fn fleet(text: &str) -> Fleet {
    let mut fleet = Fleet::new();
    text.lines().map(str::trim).filter(|it| !it.is_empty()).for_each(|it| fleet.add(one(it)));
    fleet
}

fn one(line: &str) -> Hour {
    let mut words = line.split(' ');
    let host = words.next().expect("a host").to_owned();
    let kind = if host.starts_with("log") { SourceKind::Log } else { SourceKind::Recording };
    let origin = Origin { source: format!("/in/{host}"), host, kind, ..Origin::default() };
    let at = words.next().and_then(|it| it.split_once('.')).map(|(day, of_day)| {
        let [day, of_day] = [day, of_day].map(|it| it.parse::<i64>().expect("a number"));
        (FIRST_DAY + day) * 24 + of_day
    });
    let jvm = Jvm { pid: Some(1), ..Jvm::default() };
    let mut it = hour(&Arc::new(origin), &Arc::new(jvm), at.unwrap_or_default());
    it.hour = at;
    if at.is_none() {
        (it.covered_ns, it.recorded_ns) = (0, 0);
    }
    for (cause, ms) in words.filter_map(|it| it.split_once(':')) {
        let ns = ms.parse::<u64>().expect("a number") * MS;
        add_ns(&mut it, cause, ns);
        let (kind, name) = ("process".to_owned(), "backup".to_owned());
        it.culprits.push(CulpritSum { cause: cause.to_owned(), kind, name, pauses: 1, ns });
    }
    it
}

fn check(text: &str) -> Answer {
    answer(&fleet(text))
}

#[test]
fn of_nothing_nothing_is_said() {
    let answer = check("");
    assert_eq!((answer.totals.hosts, answer.totals.days, answer.findings.len()), (0, None, 0));
    assert_eq!((answer.heat.rows.len(), answer.hosts.len(), answer.causes.len()), (0, 0, 0));
}

#[test]
fn totals_and_hosts() {
    let mut fleet = fleet(
        "a 0.1 full-gc:100 gc-work:20
         a 0.2
         b 0.1 gc-work:30
         b - gc-work:10",
    );
    fleet.unread("/in/c", "no GC log");
    let answer = answer(&fleet);
    let totals = &answer.totals;
    assert_eq!((totals.hosts, totals.jvms, totals.inputs, totals.unread), (2, 2, 2, 1));
    assert_eq!((totals.pauses, totals.untimed, totals.stopped_ns), (4, 1, 160 * MS));
    assert_eq!((totals.covered_ns, totals.longest_ns), (3 * HOUR_NS, 100 * MS));
    assert_eq!(totals.p50_ns / MS, 20);
    assert_eq!(totals.days, Some((FIRST_DAY, FIRST_DAY)));
    let [a, b] = &answer.hosts[..] else { panic!("{:?}", answer.hosts) };
    assert_eq!(
        (a.host.as_str(), a.rate_ns, a.cause.as_deref()),
        ("a", Some(60 * MS), Some("full-gc"))
    );
    assert_eq!((b.host.as_str(), b.rate_ns, b.worst.len()), ("b", Some(30 * MS), 2));
    assert_eq!(answer.heat.rows[0].stopped_ns[..4], [None, Some(120 * MS), Some(0), None]);
    assert_eq!(
        (answer.unread[0].path.as_str(), answer.unread[0].why.as_str()),
        ("/in/c", "no GC log")
    );
}

#[test]
fn what_was_seen_in_no_time_has_no_rate() {
    let mut fleet = fleet("a 0.1 gc-work:30\na - gc-work:900\nb - gc-work:900");
    // A minute of a host that is stopped half of it, and a host with a tenth of the usual time.
    for (host, covered_ns) in [("minute", HOUR_NS / 60), ("tenth", HOUR_NS / 10)] {
        let mut it = one(&format!("{host} 0.1 full-gc:30000"));
        it.covered_ns = covered_ns;
        it.recorded_ns = covered_ns;
        fleet.add(it);
    }
    ["c", "d"].iter().for_each(|host| fleet.add(one(&format!("{host} 0.1 gc-work:1"))));
    let unrated = |it: &mut Hour| (it.covered_ns, it.recorded_ns) = (0, 0);
    for (host, day) in [("a", 0), ("b", 0)] {
        let mut it = one(&format!("{host} {day}.2 gc-work:500"));
        unrated(&mut it);
        fleet.add(it);
    }
    let answer = answer(&fleet);
    let rows: Vec<_> =
        answer.hosts.iter().map(|it| (it.host.as_str(), it.rate_ns.map(|it| it / MS))).collect();
    let wanted = [("tenth", 300_000), ("a", 30), ("c", 1), ("d", 1), ("minute", 1_800_000)];
    let wanted: Vec<_> = wanted.into_iter().map(|it| (it.0, Some(it.1))).collect();
    assert_eq!(rows[..5], wanted);
}

#[test]
fn causes_by_day_and_hour() {
    let answer = check(
        "a 0.1 full-gc:100
         a 1.1 full-gc:50
         b 1.2 full-gc:7",
    );
    let [cause] = &answer.causes[..] else { panic!("{:?}", answer.causes) };
    assert_eq!((cause.hosts, cause.pauses, cause.ns, cause.longest_ns), (2, 3, 157 * MS, 100 * MS));
    assert_eq!(cause.days_ns, [100 * MS, 57 * MS]);
    assert_eq!((cause.hours_ns[1], cause.hours_ns[2]), (150 * MS, 7 * MS));
    let [culprit] = &answer.culprits[..] else { panic!("{:?}", answer.culprits) };
    assert_eq!((culprit.hosts, culprit.sum.ns, culprit.sum.name.as_str()), (2, 157 * MS, "backup"));
}

#[test]
fn a_cause_is_new_where_it_could_have_been_seen_before() {
    let new = |text: &str| -> Vec<String> {
        let line = |it: &crate::NewCause| format!("{} on {}", it.cause, it.names.join(" "));
        check(text).new_causes.iter().map(line).collect()
    };
    assert_eq!(
        new("a 0.1 gc-work:1\na 1.1 swap-in:5 gc-work:1\nb 1.1 swap-in:9"),
        ["swap-in on b a"]
    );
    assert_eq!(new("a 0.1 swap-in:1\na 1.1 swap-in:5"), [""; 0]);
    // A log cannot show it.
    assert_eq!(new("log 0.1 gc-work:1\nrec 1.1 swap-in:5"), [""; 0]);
    // There is no day before.
    assert_eq!(new("a 0.1 swap-in:5"), [""; 0]);
}
