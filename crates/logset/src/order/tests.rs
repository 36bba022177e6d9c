//! Each line of a check is a file: its name, and the times that it begins with.
use super::*;

/// `w`: wall clock in seconds, `u`: uptime in seconds, `c`: the JVM's line about the file.
fn member(line: &str) -> (String, Member) {
    let mut words = line.split_whitespace();
    let name = words.next().expect("a name").to_owned();
    let mut begin = Begin::default();
    for word in words {
        let (clock, value) = word.split_at(1);
        match clock {
            "w" => begin.wall_ns = Some(value.parse().expect("a number")),
            "u" => begin.uptime_ns = Some(value.parse::<u64>().expect("a number") * 1_000_000_000),
            _ => begin.created = format!("{value:>19}").as_bytes().first_chunk().copied(),
        }
    }
    (name.clone(), Member { name: Name::parse(&name), begin })
}

/// In whatever order the directory lists them.
#[track_caller]
fn check(files: &[&str], wanted: &[&str]) {
    let mut files: Vec<_> = files.iter().map(|line| member(line)).collect();
    for _ in 0..files.len() {
        files.rotate_left(1);
        let members: Vec<_> = files.iter().map(|it| it.1.clone()).collect();
        let names: Vec<_> = order(&members).into_iter().map(|at| &*files[at].0).collect();
        assert_eq!(names, wanted);
    }
}

#[test]
fn a_unified_ring_is_ordered_by_time_and_not_by_number() {
    check(
        &[
            "gc.log u50",
            "gc.log.0 u30",
            "gc.log.1 u40",
            "gc.log.2 u0",
            "gc.log.3 u10",
            "gc.log.4 u20",
        ],
        &["gc.log.2", "gc.log.3", "gc.log.4", "gc.log.0", "gc.log.1", "gc.log"],
    );
}

#[test]
fn a_restart_inside_of_a_ring_does_not_mix_up_the_runs() {
    check(
        &[
            "gc.log u500",
            "gc.log.0 u100",
            "gc.log.1 u200",
            "gc.log.2 u900",
            "gc.log.3 u950",
            "gc.log.4 u0",
        ],
        &["gc.log.2", "gc.log.3", "gc.log.4", "gc.log.0", "gc.log.1", "gc.log"],
    );
}

#[test]
fn a_restart_just_now_leaves_the_file_without_number_the_newest() {
    check(
        &["gc.log u0", "gc.log.0 u100", "gc.log.1 u200", "gc.log.2 u70"],
        &["gc.log.2", "gc.log.0", "gc.log.1", "gc.log"],
    );
}

#[test]
fn two_short_runs() {
    check(&["gc.log.1 u0", "gc.log.2 u0"], &["gc.log.2", "gc.log.1"]);
    check(&["gc.log.0 u0", "gc.log u0"], &["gc.log.0", "gc.log"]);
}

#[test]
fn the_wall_clock_wins_over_everything() {
    check(
        &["gc.log.0 w30 u1", "gc.log.1 w10 u3", "gc.log w20 u2"],
        &["gc.log.1", "gc.log", "gc.log.0"],
    );
}

#[test]
fn a_legacy_ring_ends_at_its_current_file() {
    let order = ["gc.log.3", "gc.log.4", "gc.log.0", "gc.log.1", "gc.log.2.current"];
    check(&["gc.log.0", "gc.log.1", "gc.log.2.current", "gc.log.3", "gc.log.4"], &order);
    check(
        &["gc.log.0 u60", "gc.log.1 u70", "gc.log.2.current u80", "gc.log.3 u40", "gc.log.4 u50"],
        &order,
    );
    check(
        &["gc.log.0 c5", "gc.log.1 c6", "gc.log.2.current c7", "gc.log.3 c3", "gc.log.4 c4"],
        &order,
    );
}

#[test]
fn two_current_files_of_two_runs_are_ordered_by_what_the_jvm_wrote() {
    check(
        &["gc.log.0 w50", "gc.log.1.current w60", "gc.log.2 w10", "gc.log.3.current w20"],
        &["gc.log.2", "gc.log.3.current", "gc.log.0", "gc.log.1.current"],
    );
}

#[test]
fn highest_logrotate_number_is_the_oldest() {
    let order = ["gc.log.3.gz", "gc.log.2.gz", "gc.log.1", "gc.log"];
    check(&["gc.log", "gc.log.1", "gc.log.2.gz", "gc.log.3.gz"], &order);
    check(&["gc.log u400", "gc.log.1 u300", "gc.log.2.gz u200", "gc.log.3.gz u100"], &order);
    check(&["gc.log u5", "gc.log.1 u700", "gc.log.2.gz u600", "gc.log.3.gz u500"], &order);
}

#[test]
fn numbers_count_as_numbers() {
    check(
        &["gc.log.10 u90", "gc.log.9 u80", "gc.log.11 u70"],
        &["gc.log.11", "gc.log.9", "gc.log.10"],
    );
    check(&["gc.log.0", "gc.log.10", "gc.log.9"], &["gc.log.0", "gc.log.9", "gc.log.10"]);
}

#[test]
fn dates_in_names() {
    check(
        &["gc.log", "gc-2026-01-02.log", "gc-2026-01-01.log", "gc-2025-12-31.log.gz"],
        &["gc-2025-12-31.log.gz", "gc-2026-01-01.log", "gc-2026-01-02.log", "gc.log"],
    );
    check(
        &["gc.2026-01-01.9.log u3", "gc.2026-01-01.10.log u0"],
        &["gc.2026-01-01.9.log", "gc.2026-01-01.10.log"],
    );
}

#[test]
fn times_that_fit_no_ring_are_sorted() {
    check(
        &["gc.log.0 u300", "gc.log.1 u100", "gc.log.2 u400", "gc.log.3 u200"],
        &["gc.log.1", "gc.log.3", "gc.log.0", "gc.log.2"],
    );
}
