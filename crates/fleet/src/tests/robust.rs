//! What one host says changes nothing about the others.
use super::made::{FIRST_DAY, Made, add_ns, hour, lines, made, some};
use crate::{Answer, Fleet, answer};
use std::sync::Arc;
use table::{Hour, Jvm, Origin};

fn racks(seed: u64) -> Vec<Hour> {
    let fleet = Made {
        origin: &|host, _, origin, _| {
            origin.labels.insert("rack".into(), format!("r{}", host / 20));
        },
        more: &|host, _| (host / 20 == 3).then_some(("cpu-steal", 10.0, 150.0)),
        ..made(seed)
    };
    fleet.hours()
}

fn answered(hours: impl IntoIterator<Item = Hour>) -> Answer {
    let mut fleet = Fleet::new();
    hours.into_iter().for_each(|it| fleet.add(it));
    answer(&fleet)
}

/// What a hostile host changes of its n-th hour.
type Change<'a> = &'a dyn Fn(&mut Hour, i64);

/// A host that is nothing but trouble.
fn hostile(change: Change<'_>) -> Vec<Hour> {
    let mut origin = Origin { host: "evil".into(), source: "/evil".into(), ..Origin::default() };
    origin.labels.insert("rack".into(), "r5".into());
    let (origin, jvm) = (Arc::new(origin), Arc::new(Jvm::default()));
    let one = |n: i64| {
        let mut it = hour(&origin, &jvm, FIRST_DAY * 24 + n % 168);
        change(&mut it, n);
        it
    };
    (0..2_000).map(one).collect()
}

#[test]
fn the_order_of_hours_makes_no_difference() {
    let hours = racks(3);
    let forwards = answered(hours.clone());
    assert_eq!(forwards, answered(hours.into_iter().rev()));
    assert_eq!(lines(&forwards), ["more cpu-steal on 20 of 20 hosts of rack=r3"]);
}

#[test]
fn a_jvm_with_nearly_all_the_time_is_no_finding() {
    let mut hours = made(4).hours();
    for it in hours.iter_mut().filter(|it| it.origin.host == "host-007") {
        (0..50).for_each(|_| add_ns(it, "full-gc", 60_000_000_000));
    }
    let answer = answered(hours);
    assert_eq!(lines(&answer), [""; 0]);
    assert_eq!(answer.hosts[0].host, "host-007");
    assert_eq!(answer.hosts[0].cause.as_deref(), Some("full-gc"));
}

#[test]
fn absurd_numbers_are_left_out_and_those_that_could_be_mask_nothing() {
    let others = racks(3);
    let clean = answered(others.clone());
    let week: u64 = 7 * 24 * 3_600_000_000_000;
    let absurd: [Change<'_>; 7] = [
        &|it, _| it.stopped_ns = u64::MAX,
        &|it, _| it.covered_ns = u64::MAX,
        &|it, _| it.hour = Some(i64::MAX),
        &|it, _| it.hour = Some(i64::MIN),
        &|it, _| it.pauses = u64::MAX,
        &|it, _| it.unexplained_ns = 1,
        &|it, _| {
            it.causes
                .insert("cpu-steal".into(), table::CauseSum { pauses: 0, ns: 1, longest_ns: 0 });
        },
    ];
    for (n, change) in absurd.into_iter().enumerate() {
        let answer = answered(hostile(change).into_iter().chain(others.clone()));
        assert_eq!(answer.findings, clean.findings, "{n}");
        assert_eq!(answer.hosts, clean.hosts, "{n}");
        assert_eq!((answer.totals.implausible, answer.implausible.len()), (2_000, 1), "{n}");
        assert_eq!(answer.totals.stopped_ns, clean.totals.stopped_ns, "{n}");
    }
    let possible: [Change<'_>; 4] = [
        &|it, _| add_ns(it, "cpu-steal", week),
        &|it, n| add_ns(it, &format!("cause-{n}"), 3_600_000_000_000),
        &|it, n| it.hour = Some(300_000 + n * 24),
        &|it, n| {
            let flags = (0..300).map(|flag| format!("-XX:{n}={flag}")).collect();
            it.jvm = Arc::new(Jvm { flags, ..Jvm::default() });
            add_ns(it, "cpu-steal", week);
        },
    ];
    for (n, change) in possible.into_iter().enumerate() {
        let answer = answered(hostile(change).into_iter().chain(others.clone()));
        assert_eq!(lines(&answer), lines(&clean), "{n}");
        let of_others = |it: &Answer| -> Vec<_> {
            let mut hosts = it.hosts.clone();
            hosts.retain(|it| it.host != "evil");
            hosts
        };
        assert_eq!(of_others(&answer), of_others(&clean), "{n}");
        assert_eq!(answer.totals.days, clean.totals.days, "{n}");
    }
}

#[test]
fn some_hostile_hosts_make_no_finding() {
    let mut hours = made(6).hours();
    let those = some(6, 8, 200);
    for it in &mut hours {
        let is_one = those.iter().any(|host| it.origin.host == super::made::name(*host));
        if is_one {
            (0..30).for_each(|_| add_ns(it, "cpu-steal", 3_000_000_000_000));
        }
    }
    assert_eq!(lines(&answered(hours)), [""; 0]);
}
