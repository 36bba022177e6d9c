//! What two samples of a thread say of the time between them.
use super::*;
use std::fmt::Write;

const MS: u64 = 1_000_000;

/// Samples, `AT STATE RAN WAITED [FUNCTION]` in milliseconds, one a line; the state is `wants`,
/// `sleeps`, `blocked` or `stopped`. Counts that do not change stand still. The expected pieces are
/// `START-END STATE [FUNCTION]`.
#[track_caller]
fn check(samples: &str, expected: &str) {
    let mut track = Track::default();
    for line in samples.lines().map(str::trim).filter(|it| !it.is_empty()) {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |at: usize| words[at].parse::<u64>().unwrap() * MS;
        let why = Why { function: words.get(4).map(|it| (*it).into()), ..Why::default() };
        let seen = match words[1] {
            "wants" => Seen::Wants,
            "sleeps" => Seen::Sleeps,
            "blocked" => Seen::Blocked(why),
            _ => Seen::Stopped(why),
        };
        let counted = Counted { ran_ns: number(2), waited_ns: number(3), turns: 1 };
        let at = MonoTime(number(0));
        if track.stands_still(counted) {
            track.still(at);
        } else {
            track.sample(at, counted, seen, MonoTime(0), &|_| ThreadState::Runnable);
        }
    }
    track.cut();
    let mut reported = Vec::new();
    for it in track.take() {
        let (start, end) = (it.interval.start.0 / MS, it.interval.end.0 / MS);
        let mut text = String::new();
        write!(text, "{start}-{end} {}", it.state.id()).unwrap();
        write!(text, "{}", it.why.function.map_or(String::new(), |it| format!(" {it}"))).unwrap();
        reported.push(text);
    }
    assert_eq!(reported.join("; "), expected, "{samples}");
}

#[test]
fn a_sleeping_thread_does_nothing() {
    check("0 sleeps 5 5\n10 sleeps 5 5\n20 sleeps 5 5", "");
}

#[test]
fn a_thread_that_is_blocked_stays_so_until_its_counts_move() {
    check("0 blocked 5 5 io\n10 blocked 5 5\n20 blocked 5 5", "0-20 blocked io");
}

#[test]
fn between_two_samples_it_slept_ran_and_was_blocked() {
    // It ran for 2 ms of 10, and nobody knows how the rest divides.
    check("0 sleeps 5 5\n10 blocked 7 5 io\n20 blocked 7 5 io", "4-6 on-cpu; 6-20 blocked io");
    check("0 blocked 5 5 io\n10 sleeps 7 5", "0-4 blocked io; 4-6 on-cpu");
    check("0 blocked 5 5 io\n10 wants 7 5", "0-8 blocked io; 8-10 on-cpu");
}

#[test]
fn many_faults_are_one_wait() {
    let samples = "0 blocked 5 5 swap\n10 blocked 6 5 swap\n20 blocked 7 5 swap";
    check(samples, "0-20 blocked swap");
    let samples = "0 blocked 5 5 swap\n10 blocked 7 5 swap";
    check(samples, "0-4 blocked swap; 4-6 on-cpu; 6-10 blocked swap");
}

#[test]
fn a_wait_for_a_cpu_is_reported_when_it_is_over() {
    let samples = "0 wants 5 5\n10 wants 5 5\n20 wants 5 5\n30 wants 7 33";
    check(samples, "0-28 runnable; 28-30 on-cpu");
}

#[test]
fn what_looked_blocked_was_a_wait_for_a_cpu_at_its_end() {
    // Blocked until 15, then runnable, which its state was not asked for.
    let samples = "0 blocked 0 0 io\n10 blocked 0 0 io\n20 blocked 0 0 io\n30 wants 5 10";
    check(samples, "0-15 blocked io; 15-25 runnable; 25-30 on-cpu");
}

#[test]
fn a_thread_that_runs_misses_no_tick() {
    check("0 wants 0 0\n10 wants 8 0\n20 wants 16 0", "0-20 on-cpu");
    check("0 wants 0 0\n30 wants 8 0", "22-30 on-cpu");
}

#[test]
fn turns_of_work_and_waiting_add_up() {
    check(
        "0 wants 0 0\n10 wants 4 6\n20 wants 8 12",
        "0-6 runnable; 6-10 on-cpu; 10-16 runnable; 16-20 on-cpu",
    );
}

#[test]
fn wait_begun_before_the_last_sample_leaves_earlier_work_alone() {
    // Waited until 4, ran until 7, waited until 17, ran until 20, slept from then on.
    check(
        "0 wants 0 0\n10 wants 3 4\n20 wants 3 4\n22 sleeps 6 14",
        "0-4 runnable; 4-7 on-cpu; 7-17 runnable; 17-20 on-cpu",
    );
    // The same, but it slept at first, and nobody knows until when.
    check(
        "0 sleeps 0 0\n10 wants 3 2\n20 wants 6 12",
        "2-4 runnable; 4-7 on-cpu; 7-17 runnable; 17-20 on-cpu",
    );
}

#[test]
fn turns_between_naps_are_reported_from_200_us_on() {
    check("0 sleeps 0 0\n20 sleeps 0 2", "9-11 runnable");
    let reported = |ran_ns| {
        let mut track = Track::default();
        for (at, ran_ns) in [(0, 0), (20, ran_ns)] {
            let counted = Counted { ran_ns, waited_ns: 0, turns: 1 };
            let runnable = |_: Interval| ThreadState::Runnable;
            track.sample(MonoTime(at * MS), counted, Seen::Sleeps, MonoTime(0), &runnable);
        }
        track.cut();
        track.take().count()
    };
    assert_eq!((reported(199_999), reported(200_000)), (0, 1));
}

#[test]
fn a_thread_that_works_in_stops_alone_sleeps_until_there_is_one() {
    let mut track = Track::default();
    let counted = |ran_ns, waited_ns| Counted { ran_ns, waited_ns, turns: 1 };
    let runnable = |_: Interval| ThreadState::Runnable;
    let ms = |it| MonoTime(it * MS);
    track.sample(ms(0), counted(0, 0), Seen::Sleeps, ms(0), &runnable);
    track.sample(ms(200), counted(2 * MS, 6 * MS), Seen::Sleeps, ms(190), &runnable);
    // More than fits into the stop: it was woken earlier.
    track.sample(ms(400), counted(12 * MS, 16 * MS), Seen::Sleeps, ms(390), &runnable);
    track.cut();
    let reported: Vec<_> = track.take().map(|it| it.interval).collect();
    let expected = [(191, 197), (197, 199), (380, 390), (390, 400)];
    assert_eq!(reported, expected.map(|(start, end)| Interval::new(ms(start), ms(end))));
}

#[test]
fn a_stopped_process_is_stopped() {
    check(
        "0 sleeps 0 0\n10 stopped 1 0 do_signal_stop\n200 stopped 1 0 do_signal_stop",
        "4-5 on-cpu; 5-200 stopped do_signal_stop",
    );
}

#[test]
fn a_frozen_thread_is_where_it_was_before() {
    let mut track = Track::default();
    let counted = Counted { ran_ns: 1, waited_ns: 1, turns: 1 };
    track.sample(MonoTime(0), counted, Seen::Blocked(Why::default()), MonoTime(0), &|_| {
        ThreadState::Runnable
    });
    track.still(MonoTime(10));
    track.frozen(Interval::new(MonoTime(10), MonoTime(90)), true);
    track.still(MonoTime(100));
    track.cut();
    let reported: Vec<_> = track.take().map(|it| (it.interval.start.0, it.state)).collect();
    let expected =
        [(0, ThreadState::Blocked), (10, ThreadState::Stopped), (90, ThreadState::Blocked)];
    assert_eq!(reported, expected);
}

#[test]
fn nothing_is_reported_twice() {
    let mut track = Track::default();
    let counted = |ran_ns, waited_ns| Counted { ran_ns, waited_ns, turns: 1 };
    let runnable = |_: Interval| ThreadState::Runnable;
    track.sample(MonoTime(0), counted(0, 0), Seen::Blocked(Why::default()), MonoTime(0), &runnable);
    track.still(MonoTime(10_000_000));
    track.cut();
    track.sample(
        MonoTime(12_000_000),
        counted(1_000_000, 8_000_000),
        Seen::Wants,
        MonoTime(0),
        &runnable,
    );
    track.cut();
    let reported: Vec<_> = track.take().map(|it| it.interval).collect();
    assert_eq!(reported.len(), 3);
    assert!(reported.windows(2).all(|it| it[0].end <= it[1].start), "{reported:?}");
}

#[test]
fn counts_that_make_no_sense_do_no_harm() {
    check("0 wants 900 900\n10 wants 1 1\n20 wants 800 900", "0-20 on-cpu");
    check("10 blocked 5 5 io\n5 blocked 5 5 io\n1 wants 9 9", "0-1 runnable");
}
