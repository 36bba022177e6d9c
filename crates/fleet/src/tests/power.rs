//! Differences that are there are found, first, and nothing else.
//!
//! `WHYPAUSE_FLEETS=100 cargo test -p fleet power -- --nocapture` prints in how many of a hundred fleets.
use super::made::{self, Made, lines, made, name, some};
use crate::Answer;
use std::collections::BTreeSet;

/// Fleets of each kind, where no other number is asked for.
const FLEETS: u64 = 10;
/// Per cent of these in which nothing but the difference is found.
const LEAST_PER_CENT: u64 = 98;

/// Makes fleets and counts those of which this line is all that is found.
fn check(expected: &str, answer: &dyn Fn(u64) -> Answer) {
    let fleets = made::fleets(FLEETS);
    let mut found = 0;
    for seed in 0..fleets {
        let lines = lines(&answer(seed));
        found += u64::from(lines == [expected]);
        if lines != [expected] {
            println!("seed {seed}: {lines:?}");
        }
    }
    println!("{found} of {fleets}: {expected}");
    assert!(found * 100 >= LEAST_PER_CENT * fleets, "{expected}: {found} of {fleets}");
}

#[test]
fn a_kernel_on_14_of_200_hosts_since_a_day() {
    check("more gc-log-write-blocked on 14 of 14 hosts of kernel=6.8.0-51 since day 4", &|seed| {
        let upgraded = some(seed, 14, 200);
        let fleet = Made {
            origin: &|host, day, origin, _| {
                let is_new = day >= 4 && upgraded.contains(&host);
                origin.kernel = Some(if is_new { "6.8.0-51" } else { "6.1.0-9" }.into());
            },
            more: &|host, day| {
                let is_new = day >= 4 && upgraded.contains(&host);
                is_new.then_some(("gc-log-write-blocked", 10.0, 150.0))
            },
            ..made(seed)
        };
        fleet.answer()
    });
}

#[test]
fn a_cause_on_14_of_200_hosts_of_a_kernel_that_they_have_had_before() {
    check("more gc-log-write-blocked on 14 of 14 hosts of kernel=6.8 since day 4", &|seed| {
        let those = some(seed, 14, 200);
        let fleet = Made {
            origin: &|host, _, origin, _| {
                origin.kernel = Some(if those.contains(&host) { "6.8" } else { "6.1" }.into());
            },
            more: &|host, day| {
                let is_new = day >= 4 && those.contains(&host);
                is_new.then_some(("gc-log-write-blocked", 10.0, 300.0))
            },
            ..made(seed)
        };
        fleet.answer()
    });
}

#[test]
fn time_that_no_cause_explains_on_25_of_200_hosts() {
    check("more unexplained on 25 of 25 hosts of deploy=blue", &|seed| {
        let those = some(seed, 25, 200);
        let fleet = Made {
            origin: &|host, _, origin, _| {
                let value = if those.contains(&host) { "blue" } else { "green" };
                origin.labels.insert("deploy".into(), value.into());
                origin.kind = table::SourceKind::Log;
            },
            more: &|host, _| those.contains(&host).then_some(("unexplained", 10.0, 150.0)),
            ..made(seed)
        };
        let answer = fleet.answer();
        // It is named where there is more of it than of any cause.
        let mostly = |it: &&crate::HostRow| it.cause.as_deref() == Some("unexplained");
        assert_eq!(answer.hosts.iter().filter(mostly).count(), those.len());
        answer
    });
}

#[test]
fn a_label_on_25_of_200_hosts() {
    check("more humongous-allocation on 25 of 25 hosts of deploy=b", &|seed| {
        let those = some(seed, 25, 200);
        let fleet = Made {
            origin: &|host, _, origin, _| {
                let deploy = if those.contains(&host) { "b" } else { "a" };
                origin.labels.insert("deploy".into(), deploy.into());
            },
            more: &|host, _| those.contains(&host).then_some(("humongous-allocation", 10.0, 150.0)),
            ..made(seed)
        };
        fleet.answer()
    });
}

#[test]
fn a_rack_of_20_of_200_hosts_in_a_cluster_of_40_with_a_version_of_10() {
    check("more cpu-steal on 20 of 20 hosts of rack=r3", &|seed| {
        let fleet = Made {
            origin: &|host, _, origin, jvm| {
                origin.labels.insert("rack".into(), format!("r{}", host / 20));
                origin.cluster = Some(format!("c{}", host / 40));
                jvm.version = Some(if (60..70).contains(&host) { "21" } else { "17" }.into());
            },
            more: &|host, _| (host / 20 == 3).then_some(("cpu-steal", 10.0, 150.0)),
            ..made(seed)
        };
        fleet.answer()
    });
}

#[test]
fn three_at_once() {
    for seed in 0..made::fleets(FLEETS) {
        let upgraded = some(seed, 14, 200);
        let fleet = Made {
            origin: &|host, day, origin, _| {
                let is_new = day >= 4 && upgraded.contains(&host);
                origin.kernel = Some(if is_new { "6.8" } else { "6.1" }.into());
                origin.labels.insert("rack".into(), format!("r{}", host / 20));
                origin.labels.insert("deploy".into(), if host % 8 == 0 { "b" } else { "a" }.into());
            },
            more: &|host, day| {
                if day >= 4 && upgraded.contains(&host) {
                    Some(("gc-log-write-blocked", 10.0, 400.0))
                } else if host % 8 == 0 {
                    Some(("humongous-allocation", 10.0, 150.0))
                } else {
                    (host / 20 == 3).then_some(("cpu-steal", 10.0, 150.0))
                }
            },
            ..made(seed)
        };
        let mut found: Vec<String> =
            fleet.answer().findings.into_iter().map(|it| it.cause).collect();
        found.sort();
        assert_eq!(found, ["cpu-steal", "gc-log-write-blocked", "humongous-allocation"], "{seed}");
    }
}

#[test]
fn all_hosts_since_a_day() {
    check("more direct-reclaim on all hosts since day 3", &|seed| {
        let fleet = Made {
            more: &|_, day| (day >= 3).then_some(("direct-reclaim", 4.0, 60.0)),
            ..made(seed)
        };
        fleet.answer()
    });
}

#[test]
fn what_has_become_less_is_last() {
    let fleet = Made {
        origin: &|host, _, origin, _| {
            origin.labels.insert("rack".into(), format!("r{}", host / 20));
        },
        more: &|host, day| match (host / 20, day < 4) {
            (3, _) => Some(("cpu-steal", 10.0, 150.0)),
            (_, true) => Some(("direct-reclaim", 10.0, 900.0)),
            _ => None,
        },
        ..made(1)
    };
    let found = lines(&fleet.answer());
    assert_eq!(found[0], "more cpu-steal on 20 of 20 hosts of rack=r3", "{found:?}");
    assert!(found.iter().skip(1).all(|it| it.starts_with("less direct-reclaim")), "{found:?}");
    assert!(
        found.contains(&"less direct-reclaim on all hosts since day 4".to_owned()),
        "{found:?}"
    );
}

#[test]
fn two_hosts_are_no_group_and_three_are_one() {
    let fleet = |count: u64| {
        let hours = Made {
            origin: &|host, _, origin, _| {
                let rack = if host < count { "hot" } else { "cold" };
                origin.labels.insert("rack".into(), rack.into());
            },
            more: &|host, _| (host < count).then_some(("cpu-steal", 20.0, 900.0)),
            ..made(5)
        };
        lines(&hours.answer())
    };
    assert_eq!(fleet(2), [""; 0]);
    assert_eq!(fleet(3), ["more cpu-steal on 3 of 3 hosts of rack=hot"]);
}

#[test]
fn other_names_of_the_same_hosts_are_mentioned_and_not_listed() {
    let those: BTreeSet<u64> = (40..65).collect();
    let fleet = Made {
        origin: &|host, _, origin, jvm| {
            let is_new = those.contains(&host);
            origin.labels.insert("deploy".into(), if is_new { "b" } else { "a" }.into());
            jvm.version = Some(if is_new { "21.0.5" } else { "21.0.4" }.into());
            // One of them is without the flag.
            jvm.flags = vec![if is_new && host != 40 { "-XX:+X" } else { "-XX:-X" }.into()];
        },
        more: &|host, _| those.contains(&host).then_some(("full-gc", 10.0, 150.0)),
        ..made(2)
    };
    let answer = fleet.answer();
    let [finding] = &answer.findings[..] else { panic!("{:?}", lines(&answer)) };
    let group = finding.group.as_ref().expect("a group");
    let names: Vec<&str> = group.aliases.iter().map(|it| it.value.as_str()).collect();
    assert_eq!((group.attribute.value.as_str(), names), ("21.0.5", vec!["b", "-XX:+X"]));
    assert_eq!(finding.hosts.len(), 25);
    assert!(finding.hosts.contains(&name(64)) && finding.p < 1e-9, "{finding:?}");
    assert_eq!(finding.examples.len(), 3);
}
