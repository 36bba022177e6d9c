//! Where hosts do not differ nothing is found: the share of fleets in which something is.
//!
//! `WHYPAUSE_FLEETS=1000 cargo test -p fleet nothing -- --nocapture` prints the share of a thousand fleets.
use super::made::{self, Made, lines, made};
use table::SourceKind;

/// Fleets of each kind, where no other number is asked for.
const FLEETS: u64 = 40;
/// Of these one percent may have a finding; of so few as are made in a test none has.
const MOST_PER_CENT: u64 = 1;

fn check(what: &str, fleet: &dyn Fn(u64) -> Made<'static>) {
    let fleets = made::fleets(FLEETS);
    let (mut found, mut comparisons) = (0, 0);
    for seed in 0..fleets {
        let answer = fleet(seed).answer();
        comparisons += answer.comparisons;
        found += u64::from(!answer.findings.is_empty());
        lines(&answer).iter().for_each(|it| println!("{what}, seed {seed}: {it}"));
    }
    println!("{what}: {found} of {fleets} fleets, {} comparisons in each", comparisons / fleets);
    assert!(found * 100 <= MOST_PER_CENT * fleets, "{what}: {found} of {fleets}");
}

#[test]
fn hosts_that_differ_in_nothing() {
    check("alike", &made);
}

#[test]
fn hosts_that_were_observed_for_different_times() {
    // A label goes with how long hosts are observed: some are there all day, some for an hour, some came late.
    fn hours(host: u64, day: i64) -> u64 {
        match host % 4 {
            0 => 1,
            1 => 8,
            2 if day < 5 => 0,
            _ => 2,
        }
    }
    check("observed for different times", &|seed| Made {
        hours: &hours,
        origin: &|host, _, origin, _| {
            origin.labels.insert("shift".into(), (host % 4).to_string());
        },
        ..made(seed)
    });
}

#[test]
fn values_that_change_and_mean_nothing() {
    check("upgraded", &|seed| Made {
        origin: &|host, day, origin, jvm| {
            let is_new = day >= i64::try_from(host % 9).unwrap_or_default();
            origin.kernel = Some(if is_new { "6.8" } else { "6.1" }.into());
            jvm.version = Some(if day >= 4 { "21.0.5" } else { "21.0.4" }.into());
            jvm.flags = vec![format!("-Xmx{}g", host % 5), format!("-XX:LogFile=/x/{host}-{day}")];
        },
        ..made(seed)
    });
}

#[test]
fn hosts_of_which_some_have_only_logs() {
    // What a log cannot show is not missing on hosts that have nothing but a log.
    check("logs and recordings", &|seed| Made {
        origin: &|host, _, origin, _| {
            origin.kind = if host % 3 == 0 { SourceKind::Log } else { SourceKind::Recording };
            origin.labels.insert("recorded".into(), (host % 3 != 0).to_string());
        },
        more: &|host, _| (host % 3 != 0).then_some(("cpu-steal", 2.0, 60.0)),
        ..made(seed)
    });
}

#[test]
fn few_hosts() {
    check("few hosts", &|seed| Made { hosts: 12, ..made(seed) });
}

#[test]
fn a_weekend_before_a_week() {
    // All hosts have more to do from the third day on.
    check("weekend", &|seed| Made { load: &|day| if day < 2 { 0.5 } else { 3.0 }, ..made(seed) });
}
