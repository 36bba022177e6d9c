//! A JVM that hangs in a stop while it is recorded: from the middle of the stop, to before its end, and
//! for all of the recording.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may")]
mod common;

use common::{Java, newest};
use recorder::{Options, Roots, Session, are_stopped};
use recording::{Cut, Facts, Interval, SafepointFact, Source, ThreadState};
use std::time::{Duration, Instant};
use testing::{Jdk, busy, until};

/// How long a late thread may take: some 9 s where it has its CPU alone.
const LONGEST_HANG: Duration = Duration::from_secs(120);
/// What is wanted may be missed by a hang that is over too soon.
const TRIES: u32 = 5;

fn hang(jdk: &Jdk) -> Java {
    Java::start(jdk, &busy("-XX:+UseSerialGC"), "Hang", &[])
}

fn is_stopped(java: &Java) -> bool {
    // A busy host may take longer than anybody waits for an answer.
    let mut states = (0..5).map(|_| are_stopped(&Roots::default(), &[java.jvm()])[0]);
    let state = states.find_map(|it| it);
    state.expect("the state can be read: this JDK has its symbols")
}

/// Waits until a hang is under way, and had begun a moment ago.
fn wait_for_hang(java: &Java) {
    until("the JVM runs", || !is_stopped(java));
    until("the JVM hangs", || is_stopped(java));
    std::thread::sleep(Duration::from_millis(300));
}

fn counter(facts: &Facts) -> u32 {
    facts.threads.iter().find(|it| it.name == "counter").expect("its thread is known").tid
}

/// How much of the stop the late thread was seen working or wanting to.
fn late(facts: &Facts, stop: &SafepointFact) -> Duration {
    let window = Interval::new(stop.begin, stop.end_probe);
    let tid = counter(facts);
    let slices = facts.slices.iter().filter(|it| it.tid == tid && it.state != ThreadState::Blocked);
    slices.filter_map(|it| it.interval.intersect(window)).map(Interval::duration).sum()
}

#[track_caller]
fn check_late(facts: &Facts, stop: &SafepointFact) {
    let length = stop.end_probe.since(stop.begin);
    let late = late(facts, stop);
    assert!(late * 10 >= length * 8 && late <= length, "{late:?} of {length:?}: {stop:?}");
    assert!(facts.coverage.as_ref().unwrap().has(Source::StopState));
}

#[test]
fn a_hang_recorded_from_its_middle_is_reported_from_there_on() {
    let Some(jdk) = newest() else { return };
    let java = hang(&jdk);
    for _ in 0..TRIES {
        wait_for_hang(&java);
        let before = recorder::now();
        let mut session = Session::attach(&java.jvm(), Options::default()).unwrap();
        let attached = recorder::now();
        let mut facts = Facts::default();
        let end = Instant::now() + LONGEST_HANG;
        while facts.safepoints.is_empty() && Instant::now() < end {
            facts.append(session.step().facts);
        }
        facts.append(session.finish());
        let stop = facts.safepoints.first().expect("the stop is over some day").clone();
        if !stop.cut.begin || stop.end_probe.since(stop.begin) < Duration::from_millis(500) {
            continue;
        }
        assert_eq!(stop.cut, Cut { begin: true, end: false });
        assert!(stop.begin > before && stop.begin <= attached);
        check_late(&facts, &stop);
        return;
    }
    panic!("no hang was met in its middle");
}

#[test]
fn a_hang_recorded_to_before_its_end_is_reported_up_to_there() {
    let Some(jdk) = newest() else { return };
    let java = hang(&jdk);
    for _ in 0..TRIES {
        let mut session = Session::attach(&java.jvm(), Options::default()).unwrap();
        let attached = recorder::now();
        let mut facts = Facts::default();
        let end = Instant::now() + LONGEST_HANG;
        let lasts = |since: recording::MonoTime| {
            since > attached && recorder::now().since(since) > Duration::from_secs(1)
        };
        while !session.stopped_since().is_some_and(lasts) {
            assert!(Instant::now() < end, "no hang");
            facts.append(session.step().facts);
        }
        // What is reported of it while it lasts.
        let now = session.under_way(Duration::from_secs(1));
        facts.append(session.finish());
        let Some(stop) = facts.safepoints.iter().find(|it| it.cut.end) else { continue };
        assert_eq!(stop.cut, Cut { begin: false, end: true });
        check_late(&facts, stop);
        let mut now = now.expect("it was under way");
        assert_eq!(now.safepoints[0].begin, stop.begin);
        now.threads.clone_from(&facts.threads);
        now.coverage.clone_from(&facts.coverage);
        check_late(&now, &now.safepoints[0]);
        return;
    }
    panic!("each hang was over too soon");
}

#[test]
fn a_hang_that_lasts_longer_than_its_recording_is_all_of_it() {
    let Some(jdk) = newest() else { return };
    let java = hang(&jdk);
    for _ in 0..TRIES {
        wait_for_hang(&java);
        let mut session = Session::attach(&java.jvm(), Options::default()).unwrap();
        let mut facts = Facts::default();
        let end = Instant::now() + Duration::from_secs(1);
        while Instant::now() < end {
            facts.append(session.step().facts);
        }
        facts.append(session.finish());
        let [stop] = &facts.safepoints[..] else { continue };
        if stop.cut != (Cut { begin: true, end: true }) {
            continue;
        }
        let recorded = facts.coverage.as_ref().unwrap().recorded;
        assert!(stop.end_probe.since(stop.begin) + Duration::from_millis(300) >= recorded);
        check_late(&facts, stop);
        return;
    }
    panic!("each hang was over too soon");
}
