//! What must hold in every legacy log, checked against the text by plain means and against itself.
use super::{legacy_logs, parse};
use gclog::{Event, GcEvent, LogKind, Safepoint, Stamp};
use std::{cell::Cell, path::Path, time::Duration};

/// How far a sum of pauses may exceed the stop that they are in: the clock of a record starts
/// before the one of the stop is read.
const ROUNDING: Duration = Duration::from_micros(20);

/// How far a stamp may lie before that of the line above. Ends are computed from begins, which
/// are rounded to a millisecond; and threads write when they come to it.
const STAMP_SLACK_NS: i64 = 3_000_000;

/// Runs `check` on the events of every log.
fn each_log(check: impl Fn(&Path, &str, &[Event])) {
    for (path, log) in legacy_logs() {
        let (events, _) = parse(&log);
        check(&path, std::str::from_utf8(&log).expect("UTF-8"), &events);
    }
}

fn collections(events: &[Event]) -> impl Iterator<Item = &GcEvent> {
    events.iter().filter_map(|event| match event {
        Event::Gc(event) => Some(&**event),
        _ => None,
    })
}

fn stops(events: &[Event]) -> impl Iterator<Item = &Safepoint> {
    events.iter().filter_map(|event| match event {
        Event::Safepoint(event) => Some(event),
        _ => None,
    })
}

#[test]
fn every_line_is_recognised_and_every_log_is_a_log() {
    for (path, log) in legacy_logs() {
        let (events, counts) = parse(&log);
        assert_eq!(counts.unrecognised(), 0, "{}: {counts:?}", path.display());
        assert_eq!(counts.lines, counts.used + counts.of_no_interest, "{}", path.display());
        assert_eq!(counts.events, events.len() as u64, "{}", path.display());
        assert_eq!(LogKind::detect(&log), LogKind::Legacy, "{}", path.display());
    }
}

#[test]
fn every_record_is_found() {
    each_log(|path, log, events| {
        let begins = ["[GC (", "[GC pause ", "[GC remark", "[GC cleanup", "[Full GC "];
        let plain: usize = begins.iter().map(|begin| log.matches(begin).count()).sum();
        assert_eq!(collections(events).count(), plain, "{}", path.display());
    });
}

#[test]
fn every_cpu_time_that_is_none_of_a_concurrent_phase_found_its_pause() {
    each_log(|path, log, events| {
        let phases = log.split("[CMS-concurrent-").skip(1);
        let phases_ended = phases.filter(|it| has_times(it)).count();
        let plain = log.matches("[Times: user=").count() - phases_ended;
        let found = collections(events).filter(|it| it.cpu.is_some()).count();
        assert_eq!(found, plain, "{}", path.display());
    });
}

#[test]
fn as_many_stops_as_a_plain_search_finds() {
    each_log(|path, log, events| {
        let lines = log.matches(" were stopped: ").count();
        let rows = log.matches("    ]  0   ").count();
        let plain = if lines > 0 { lines } else { rows };
        assert_eq!(stops(events).count(), plain, "{}", path.display());
    });
}

#[test]
fn collections_fit_into_their_stop_when_nested_ones_are_left_out() {
    each_log(|path, _, events| {
        let mut inside = Duration::ZERO;
        for event in events {
            match event {
                Event::Gc(pause) if !pause.nested => inside += pause.duration,
                Event::Safepoint(stop) => {
                    assert!(inside <= stop.total + ROUNDING, "{}: {stop}", path.display());
                    inside = Duration::ZERO;
                }
                _ => {}
            }
        }
    });
}

#[test]
fn phases_are_not_longer_than_their_pause() {
    let phases = Cell::new(0);
    each_log(|path, _, events| {
        for pause in collections(events) {
            phases.set(phases.get() + pause.phases.len());
            let longest = pause.phases.iter().map(|it| it.duration).max().unwrap_or_default();
            // G1 prints tenths of a millisecond.
            let limit = pause.duration + Duration::from_micros(100);
            assert!(longest <= limit, "{}: {pause}", path.display());
        }
    });
    assert!(phases.get() > 100, "{} phases", phases.get());
}

#[test]
fn times_do_not_run_backwards() {
    each_log(|path, _, events| {
        let mut last = Stamp::default();
        for event in events {
            let stamp = match event {
                Event::Gc(it) => it.stamp,
                Event::Safepoint(it) => it.stamp,
                Event::ConcurrentCycle(it) => it.stamp,
                Event::HumongousAllocation(it) => it.stamp,
                Event::FreeSpace(it) => it.stamp,
                Event::Jvm(_)
                | Event::AllocationStall(_)
                | Event::MonitorPause(_)
                | Event::CollectionShare(_)
                | Event::ClockJump(_) => continue,
            };
            let since_ns = stamp.since_ns(&last).unwrap_or_default();
            assert!(since_ns >= -STAMP_SLACK_NS, "{}: {since_ns} ns: {event}", path.display());
            last = stamp;
        }
    });
}

/// Whether CPU times come after the text behind `[CMS-concurrent-`: not after the begin of a phase,
/// nor where the JVM has ended before they were written.
fn has_times(phase: &str) -> bool {
    let is_end =
        |(name, rest): (&str, &str)| !name.ends_with("-start") && !rest.starts_with("Heap");
    phase.split_once(']').is_some_and(is_end)
}

/// What another thread of CMS may write at any place of a record.
const PHASE: &str = "2014-05-03T14:51:58.109-0400: 2082.775: [CMS-concurrent-preclean: 0.771/0.887 \
                     secs] [Times: user=58.57 sys=3.99, real=0.89 secs] \n";

#[test]
fn a_concurrent_phase_written_into_every_record_changes_no_pause() {
    let mut torn_logs = 0;
    for (path, log) in legacy_logs() {
        if !path.components().any(|it| it.as_os_str() == "cms") {
            continue;
        }
        let whole = pauses(&log);
        let log = String::from_utf8(log).expect("UTF-8");
        let (behind, before) = (format!("[ParNew{PHASE}"), format!("{PHASE}, 0."));
        for torn in [log.replace("[ParNew", &behind), log.replace(", 0.", &before)] {
            torn_logs += usize::from(torn != log);
            assert_eq!(pauses(torn.as_bytes()), whole, "{}", path.display());
        }
    }
    assert!(torn_logs >= 2, "written into {torn_logs} logs");
}

/// What must not change: how long, with which CPU times, of which kind.
fn pauses(log: &[u8]) -> Vec<(Duration, Option<Duration>, &'static str)> {
    let essence = |it: &GcEvent| (it.duration, it.cpu.map(|cpu| cpu.real), it.kind.id());
    collections(&parse(log).0).map(essence).collect()
}
