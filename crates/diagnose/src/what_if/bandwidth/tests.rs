//! The examples of the post on control groups, and what the kernel does besides.
use super::*;

fn ms(it: u64) -> Duration {
    Duration::from_millis(it)
}

/// The example of "Application Pauses When Running JVM Inside Linux Control Groups": 90 ms of
/// CPU time in each 300 ms.
const NINETY_OF_300: Bandwidth = Bandwidth {
    period: Duration::from_millis(300),
    quota: Some(Duration::from_millis(90)),
    burst: Duration::ZERO,
    cpus: 4,
};

#[test]
fn an_application_that_spreads_its_quota_pauses_for_its_own_70_ms() {
    let steps = [Step::Run(ms(30)), Step::Wait(ms(70))].repeat(6);
    let found = replay(NINETY_OF_300, &[steps], &[]).unwrap();
    assert_eq!((found.end, found.throttled), (ms(600), ms(0)));
}

#[test]
fn an_application_that_runs_at_once_pauses_for_210_ms() {
    let found = replay(NINETY_OF_300, &[vec![Step::Run(ms(91))]], &[]).unwrap();
    assert_eq!((found.end, found.throttled), (ms(301), ms(210)));
    assert_eq!(found.throttled_periods, 1);
}

/// 30 ms of application, a collection of 60 ms of CPU time, then the application again.
fn collected(bandwidth: Bandwidth, gc_threads: u32) -> Replay {
    let (begin, end) = (0, 1);
    let application =
        vec![Step::Run(ms(30)), Step::Arrive(begin), Step::Await(end), Step::Run(ms(1))];
    let part = Step::Run(ms(60) / gc_threads);
    let worker = vec![Step::Await(begin), part, Step::Arrive(end)];
    let mut threads = vec![worker; gc_threads as usize];
    threads.push(application);
    replay(bandwidth, &threads, &[1, gc_threads as usize]).unwrap()
}

#[test]
fn four_gc_threads_use_up_the_quota_in_45_ms_and_pause_for_255() {
    let found = collected(NINETY_OF_300, 4);
    assert_eq!(found.released, [Some(ms(30)), Some(ms(45))]);
    assert_eq!(found.end, ms(301));
    assert_eq!(found.end - ms(1) - ms(45), ms(255));
    // one thread takes its time over it
    let found = collected(NINETY_OF_300, 1);
    assert_eq!((found.released[1], found.end), (Some(ms(90)), ms(301)));
}

#[test]
fn a_larger_quota_or_a_burst_ends_it() {
    let more = Bandwidth { quota: Some(ms(111)), ..NINETY_OF_300 };
    assert_eq!((collected(more, 4).end, collected(more, 4).throttled), (ms(46), ms(0)));
    let none = Bandwidth { quota: None, ..NINETY_OF_300 };
    assert_eq!(collected(none, 4).end, ms(46));
    // what the first period left is used in the second one
    let burst = Bandwidth { burst: ms(60), ..NINETY_OF_300 };
    let steps = vec![Step::Wait(ms(310)), Step::Run(ms(140))];
    let with = replay(burst, std::slice::from_ref(&steps), &[]).unwrap();
    assert_eq!((with.end, with.throttled), (ms(450), ms(0)));
    let without = replay(NINETY_OF_300, &[steps], &[]).unwrap();
    assert_eq!((without.end, without.throttled), (ms(650), ms(200)));
}

#[test]
fn a_quota_of_one_cpu_throttles_two_threads_and_not_one() {
    let one = Bandwidth { period: ms(100), quota: Some(ms(100)), burst: ms(0), cpus: 2 };
    let steps = vec![Step::Run(ms(500))];
    assert_eq!(replay(one, std::slice::from_ref(&steps), &[]).unwrap().throttled, ms(0));
    let two = replay(one, &[steps.clone(), steps], &[]).unwrap();
    assert_eq!(two.throttled_periods, 9);
    assert_eq!(two.end, ms(950));
}

#[test]
fn some_of_a_quota_is_left_on_cpus_that_need_no_more() {
    // 18 slices of 5 ms for four times 22.5 ms: two get five of them, and two only four
    let steps = vec![Step::Run(Duration::from_micros(22_500))];
    let found = replay(NINETY_OF_300, &vec![steps; 4], &[]).unwrap();
    assert_eq!(found.end, Duration::from_micros(302_500));
    // two give back 3 ms each at 6 ms, which is handed out 5 ms later
    let quota = Some(ms(25));
    let steps = [6, 6, 11].map(|it| vec![Step::Run(ms(it))]);
    let found = replay(Bandwidth { quota, ..NINETY_OF_300 }, &steps, &[]).unwrap();
    assert_eq!((found.end, found.throttled), (ms(17), ms(6)));
}

#[test]
fn what_never_ends_is_said_to() {
    let steps = [vec![Step::Run(ms(1))]];
    assert_eq!(replay(Bandwidth { cpus: 0, ..NINETY_OF_300 }, &steps, &[]), None);
    assert_eq!(replay(Bandwidth { quota: Some(ms(0)), ..NINETY_OF_300 }, &steps, &[]), None);
    assert_eq!(replay(NINETY_OF_300, &[vec![Step::Await(0)]], &[1]), None);
}

#[test]
fn turn_ending_on_a_throttled_cpu_keeps_the_clock_monotonic() {
    // Two CPUs, 100 ms of quota in 100 ms, and four threads that want 1 s each: 4 s take 40 periods,
    // in which each CPU is throttled for half of the time.
    let bandwidth =
        Bandwidth { period: ms(100), quota: Some(ms(100)), burst: Duration::ZERO, cpus: 2 };
    let threads = vec![vec![Step::Run(ms(1000))]; 4];
    let run = replay(bandwidth, &threads, &[]).unwrap();
    assert!(run.end > ms(3_850) && run.end <= ms(4_000), "{run:?}");
    assert!(run.throttled + ms(4_000) <= run.end * 2, "{run:?}");
}
