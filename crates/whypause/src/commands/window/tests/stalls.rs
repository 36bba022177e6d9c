//! Each episode of stalled threads is reported once, when it is over, in the order of ends.
use super::*;
use diagnose::facts_text;

/// How often a session hands over what it has.
const DRAIN_MS: u64 = 200;
/// When the time of such facts begins.
const BEGIN_MS: u64 = 60_000;

/// What is reported of these facts, and when: each comes with the first drain after its end.
fn told_of(over_ms: u64, all: bool, text: &str) -> Vec<String> {
    let mut rest = facts_text::facts(text);
    let mut window = Window::new(Duration::from_millis(over_ms), all);
    let first = Facts {
        slices: Vec::new(),
        safepoints: Vec::new(),
        clocks: Vec::new(),
        coverage: rest.coverage.clone(),
        ..rest.clone()
    };
    window.add(first, at(0));
    let end_of_all = rest.slices.iter().map(|it| it.interval.end).max().unwrap_or_default();
    let (mut now, mut told) = (at(BEGIN_MS), Vec::new());
    while now <= end_of_all + Duration::from_secs(2) {
        while let Some(due) = window.due().filter(|it| *it < now) {
            take(&mut window, due, &mut told);
            assert_ne!(window.due(), Some(due), "it makes headway");
        }
        let (slices, later) = rest.slices.into_iter().partition(|it| it.interval.end <= now);
        rest.slices = later;
        let (safepoints, later) = rest.safepoints.into_iter().partition(|it| end(it) <= now);
        rest.safepoints = later;
        window.add(Facts { slices, safepoints, ..Facts::default() }, now);
        take(&mut window, now, &mut told);
        now = now + Duration::from_millis(DRAIN_MS);
    }
    told
}

fn take(window: &mut Window, now: MonoTime, told: &mut Vec<String>) {
    for it in window.ended(now) {
        let what = match it {
            Ended::Pauses(it) => {
                let pauses = it.pauses.iter().map(|it| it.pause.duration);
                format!("stop of {:?}", pauses.sum::<Duration>())
            }
            Ended::Stall(it, diagnosis) => {
                let cause = it.cause.map_or("unexplained", |it| it.id);
                let findings = diagnosis.map(|it| it.stalls.map_or(0, |it| it.findings.len()));
                let findings = findings.map_or("no diagnosis".into(), |it| format!("{it} cause"));
                format!("{cause}, {} stalls up to {:?}, {findings}", it.stalls, it.longest)
            }
        };
        told.push(format!("at {:?} {what}", now.since(at(BEGIN_MS))));
    }
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(told_of(50, false, &format!("{HEAD}{text}")), expected);
}

const HEAD: &str = "
    stalls 10ms
    missing gc-log
    jvm 17.0.15 g1
    thread 1 vm-thread VM Thread
    thread 7 java appender-1
    thread 8 java appender-2
    thread 9 java reader-1
    ";

fn syncs(tid: u32, from: &str, to: &str) -> String {
    format!("{tid} blocked {from} {to} fdatasync a.log stack jbd2_log_wait_commit ext4_sync_file\n")
}

fn stop(from: &str, to: &str) -> String {
    format!("safepoint {from} {to} op X {from} {to} vm 1\n")
}

#[test]
fn an_episode_is_reported_once_and_some_half_a_second_after_its_end() {
    let both = syncs(7, "1000ms", "1900ms") + &syncs(8, "1100ms", "2100ms");
    check(&both, &["at 2.65s file-sync-blocked, 2 stalls up to 1s, 1 cause"]);
}

#[test]
fn both_sides_of_the_limit() {
    let one = |to: &str| syncs(7, "1000ms", to);
    check(&one("1050ms"), &["at 1.55s file-sync-blocked, 1 stalls up to 50ms, 1 cause"]);
    check(&one("1049ms"), &[]);
    let all = |to: &str| told_of(50, true, &format!("{HEAD}{}", one(to)));
    let short = "at 1.549s file-sync-blocked, 1 stalls up to 49ms, no diagnosis";
    assert_eq!(all("1049ms"), [short], "they are counted");
    assert_eq!(all("1009ms"), <[String; 0]>::default());
}

#[test]
fn one_that_grows_is_reported_when_it_has_ended() {
    let times = (0..10).map(|n| (1_000 + n * 150, 1_153 + n * 150, 7 + n % 2));
    let all: String =
        times.map(|(from, to, tid)| syncs(tid, &format!("{from}ms"), &format!("{to}ms"))).collect();
    check(&all, &["at 3.103s file-sync-blocked, 10 stalls up to 153ms, 1 cause"]);
}

/// It would be kept for ever.
#[test]
fn one_that_does_not_end_is_reported_every_20_s() {
    let times = (0..1_500).map(|n| (1_000 + n * 40, 1_042 + n * 40, 7 + n % 2));
    let all: String =
        times.map(|(from, to, tid)| syncs(tid, &format!("{from}ms"), &format!("{to}ms"))).collect();
    let told = told_of(40, false, &format!("{HEAD}{all}"));
    assert_eq!(told.len(), 4, "{told:?}");
    let stalls = told.iter().map(|it| it.split(' ').nth(3).unwrap().parse::<u64>().unwrap());
    assert_eq!(stalls.sum::<u64>(), 1_500, "{told:?}");
}

/// Of two with one reason the longer is known when the shorter was reported.
#[test]
fn what_was_reported_is_not_reported_with_what_comes_later() {
    let both = syncs(7, "1000ms", "1100ms") + &syncs(8, "1050ms", "5000ms");
    check(
        &both,
        &[
            "at 1.6s file-sync-blocked, 1 stalls up to 100ms, 1 cause",
            "at 5.5s file-sync-blocked, 1 stalls up to 3.95s, 1 cause",
        ],
    );
}

#[test]
fn pauses_and_stalls_are_in_the_order_of_their_ends() {
    let stall = syncs(7, "1000ms", "1500ms");
    let stalled = "file-sync-blocked, 1 stalls up to 500ms, 1 cause";
    let both = |from, to| told_of(50, false, &format!("{HEAD}{stall}{}", stop(from, to)));
    // The stop alone would be reported with the drain in which it comes.
    assert_eq!(
        both("1600ms", "1700ms"),
        [format!("at 2.05s {stalled}"), "at 2.05s stop of 100ms".into()]
    );
    let before = both("1300ms", "1400ms");
    let outside = stalled.replace("500ms", "400ms");
    assert_eq!(before[1], format!("at 2s {outside}"), "{before:?}");
    assert_eq!(before.len(), 2);
}

#[test]
fn the_time_in_a_stop_is_none_of_a_stall() {
    // 49 ms outside of it, and then 50 ms.
    let with = |to: &str| {
        let it = told_of(
            50,
            false,
            &format!("{HEAD}{}{}", syncs(7, "1000ms", to), stop("1005ms", "1205ms")),
        );
        it.iter().filter(|it| it.contains("stalls")).count()
    };
    assert_eq!((with("1249ms"), with("1250ms")), (0, 1));
}

#[test]
fn of_jvms_whose_threads_are_not_watched_nothing_is_looked_for() {
    let text = format!("{HEAD}{}", syncs(7, "1000ms", "1900ms")).replace("stalls 10ms", "");
    assert_eq!(told_of(50, true, &text), <[String; 0]>::default());
}

#[test]
fn what_is_remembered_goes_with_the_window() {
    let mut window = Window::new(Duration::from_millis(50), false);
    let text: String =
        (0..500).map(|n| syncs(7, &format!("{n}s"), &format!("{}ms", n * 1_000 + 100))).collect();
    let facts = facts_text::facts(&format!("{HEAD}{text}"));
    for slice in &facts.slices {
        let now = slice.interval.end;
        let batch = Facts { slices: vec![slice.clone()], ..facts.clone() };
        window.add(Facts { safepoints: Vec::new(), ..batch }, now);
        window.ended(now + Duration::from_millis(500));
    }
    assert!(window.stalled.remembered() <= 32, "{}", window.stalled.remembered());
}

/// Each pause of many brings the waits of all threads; to look at the window each time would cost a CPU.
#[test]
fn what_waits_for_work_is_no_reason_to_look() {
    let due = |text: &str| {
        let mut window = Window::new(Duration::from_millis(50), false);
        window.add(facts_text::facts(&format!("{HEAD}{text}")), at(BEGIN_MS + 2_000));
        window.due().is_some()
    };
    assert!(!due("7 waiting 1000ms 1900ms by 8"), "idle");
    assert!(due(&syncs(7, "1000ms", "1010ms")));
    assert!(!due(&syncs(7, "1000ms", "1009ms")), "too short");
    assert!(due("7 runnable 1000ms 1010ms"));
}
