//! Who has what, and when.
use super::*;

fn fleet(hosts: usize, recordings: u64) -> Vec<Host> {
    let options = Options { hosts, recordings, ..Options::default() };
    super::hosts(&options, 7, 3, &[1, 2]).expect("a plan")
}

fn numbers(hosts: &[Host], is: impl Fn(&Host) -> bool) -> Vec<usize> {
    hosts.iter().filter(|it| is(it)).map(|it| it.number).collect()
}

#[test]
fn of_200_hosts_the_three_sets_have_the_documented_sizes() {
    let hosts = fleet(200, 2000);
    let sizes = [
        numbers(&hosts, |it| it.is_upgraded).len(),
        numbers(&hosts, Host::is_canary).len(),
        numbers(&hosts, Host::is_stolen_from).len(),
    ];
    assert_eq!(sizes, [14, 25, 20]);
    assert_eq!(hosts.iter().map(|it| it.recordings.len()).sum::<usize>(), 2000);
}

#[test]
fn what_is_ordinary_is_recorded_as_often_on_hosts_with_a_fault() {
    let hosts = fleet(200, 2000);
    let ordinary =
        |it: &Host| it.recordings.iter().filter(|it| matches!(it.what, What::Ordinary(_))).count();
    let counts: Vec<usize> = hosts.iter().map(ordinary).collect();
    let (least, most) = (counts.iter().min(), counts.iter().max());
    assert!(most.zip(least).is_some_and(|(most, least)| most - least <= 2), "{counts:?}");
}

#[test]
fn a_small_fleet_has_one_of_each() {
    let hosts = fleet(12, 24);
    assert!(hosts.iter().any(|it| it.is_upgraded));
    assert!(hosts.iter().any(Host::is_canary));
    assert!(hosts.iter().any(Host::is_stolen_from));
    assert_eq!(hosts.iter().map(|it| it.recordings.len()).sum::<usize>(), 24);
    assert_eq!(fleet(1, 0)[0].recordings, []);
    assert_eq!(fleet(3, 1).iter().map(|it| it.recordings.len()).sum::<usize>(), 1);
}

#[test]
fn the_sets_are_spread_over_racks() {
    let hosts = fleet(200, 2000);
    for rack in 1..=RACKS {
        let rack = format!("r{rack:02}");
        let canaries = numbers(&hosts, |it| it.is_canary() && it.rack == rack).len();
        let upgraded = numbers(&hosts, |it| it.is_upgraded && it.rack == rack).len();
        assert!((2..=3).contains(&canaries) && (1..=2).contains(&upgraded), "{rack}");
    }
}

#[test]
fn the_fault_of_the_kernel_begins_with_it() {
    for host in fleet(200, 2000) {
        let journal = |it: &&Planned| it.what == What::Journal;
        let count = host.recordings.iter().filter(journal).count();
        assert_eq!(count > 0, host.is_upgraded, "{}", host.name);
        assert!(host.recordings.iter().filter(journal).all(|it| it.at_ns >= UPGRADE));
        let kernels: Vec<&str> = host.lives.iter().map(|it| it.kernel).collect();
        assert_eq!(kernels.contains(&KERNELS[1]), host.is_upgraded);
        assert_eq!(kernels.last(), Some(&host.kernel()));
    }
}

#[test]
fn no_recording_is_near_another_one_or_a_restart() {
    for host in fleet(200, 2000) {
        let times: Vec<i64> = host.recordings.iter().map(|it| it.at_ns).collect();
        assert!(times.windows(2).all(|it| it[1] - it[0] > 60 * SECOND), "{times:?}");
        let is_near = |at: i64| times.iter().any(|it| (it - at).abs() < 60 * SECOND);
        assert!(!host.lives.iter().any(|it| is_near(it.start_ns) || is_near(it.end_ns)));
        assert!(host.lives.iter().all(|it| it.boot_ns < it.start_ns && it.start_ns < it.end_ns));
    }
}

#[test]
fn ordinary_recordings_are_the_same_everywhere() {
    let hosts = fleet(200, 2000);
    let mut counts = [0_usize; 7];
    for it in hosts.iter().flat_map(|it| &it.recordings) {
        if let What::Ordinary(template) = it.what {
            counts[template] += 1;
        }
    }
    let (least, most) = (counts.iter().min(), counts.iter().max());
    assert!(most.zip(least).is_some_and(|(most, least)| most - least <= 1), "{counts:?}");
}

#[test]
fn a_plan_depends_on_its_seed_alone() {
    let text = |seed| {
        let options = Options { hosts: 20, recordings: 40, seed, ..Options::default() };
        format!("{:?}", super::hosts(&options, 7, 3, &[1]).expect("a plan"))
    };
    assert_eq!(text(1), text(1));
    assert_ne!(text(1), text(2));
}
