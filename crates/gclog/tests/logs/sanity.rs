//! What must hold in every unified log, checked against the text by plain means and against itself.
use super::{parse, unified_logs};
use gclog::{Event, GcEvent, LogKind, Safepoint, Stamp};
use std::{cell::Cell, collections::BTreeSet, path::Path, time::Duration};

/// How far a sum of pauses may exceed the stop they are in: each is rounded to a microsecond.
const ROUNDING: Duration = Duration::from_micros(2);

/// How far a stamp may lie before that of the line above: a thread takes the time before it waits
/// for the lock of the log, so lines of the concurrent threads may be late.
const LOCK_WAIT_NS: i64 = 1_000_000;

/// Runs `check` on the events of every log.
fn each_log(check: impl Fn(&Path, &str, &[Event])) {
    for (path, log) in unified_logs() {
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
    for (path, log) in unified_logs() {
        let (events, counts) = parse(&log);
        assert_eq!(counts.unrecognised(), 0, "{}: {counts:?}", path.display());
        assert_eq!(counts.lines, counts.used + counts.of_no_interest, "{}", path.display());
        assert_eq!(counts.events, events.len() as u64, "{}", path.display());
        assert_eq!(LogKind::detect(&log), LogKind::Unified, "{}", path.display());
    }
}

#[test]
fn as_many_pauses_and_as_much_time_as_a_plain_search_finds() {
    each_log(|path, log, events| {
        let plain: Vec<Duration> = log.lines().filter_map(plain_pause).collect();
        let read: Vec<Duration> = collections(events).map(|it| it.duration).collect();
        assert_eq!(read, plain, "{}", path.display());
        assert!(!read.is_empty() || has_no_pauses(path), "{}", path.display());
    });
}

/// Epsilon collects nothing, and with `-Xlog:gc` alone ZGC writes of cycles only.
fn has_no_pauses(path: &Path) -> bool {
    let name = path.to_string_lossy();
    name.contains("/epsilon/") || (name.contains("/zgc/") && name.ends_with("simple.log"))
}

/// The last word of a line with `) Pause ` or, as of ZGC's generations, `: Pause `, where it is a number of milliseconds.
fn plain_pause(line: &str) -> Option<Duration> {
    let (_, pause) = line.split_once(") Pause ").or_else(|| line.split_once(": Pause "))?;
    let (whole, decimals) = pause.rsplit(' ').next()?.strip_suffix("ms")?.split_once('.')?;
    let micros = format!("{whole}{decimals}").parse().ok()?;
    Some(Duration::from_micros(micros))
}

#[test]
fn every_line_of_cpu_times_and_every_start_line_found_its_pause() {
    each_log(|path, log, events| {
        let plain = |wanted: &dyn Fn(&str) -> bool| log.lines().filter(|it| wanted(it)).count();
        let cpu = collections(events).filter(|it| it.cpu.is_some()).count();
        assert_eq!(cpu, plain_cpu_of_pauses(log), "{}", path.display());
        let starts = collections(events).filter(|it| it.start.is_some()).count();
        let is_start = |line: &str| line.contains(") Pause ") && plain_pause(line).is_none();
        assert_eq!(starts, plain(&is_start), "{}", path.display());
    });
}

/// How many lines of CPU times follow a pause: before them, the last timed line with the same id is
/// not that of a concurrent phase.
fn plain_cpu_of_pauses(log: &str) -> usize {
    let mut concurrent_ids = BTreeSet::new();
    let with_id = log.lines().filter_map(|line| line.split_once("GC(")?.1.split_once(") "));
    with_id
        .filter(|(id, message)| {
            if message.starts_with("Pause ") {
                concurrent_ids.remove(id);
            } else if message.starts_with("Concurrent ") {
                concurrent_ids.insert(*id);
            }
            message.starts_with("User=") && !concurrent_ids.contains(id)
        })
        .count()
}

#[test]
fn as_many_stops_as_a_plain_search_finds() {
    each_log(|path, log, events| {
        let is_stop =
            |line: &&str| line.contains("Safepoint \"") || line.contains(" were stopped: ");
        let plain = log.lines().filter(is_stop).count();
        assert_eq!(stops(events).count(), plain, "{}", path.display());
        assert!(stops(events).all(|it| !it.vm_operation.is_empty()), "{}", path.display());
    });
}

#[test]
fn phases_of_a_stop_are_not_longer_than_the_stop() {
    let seen = Cell::new(0);
    each_log(|path, _, events| {
        for stop in stops(events) {
            let phases = [stop.time_to_safepoint, stop.cleanup, stop.at_safepoint, stop.leaving];
            seen.set(seen.get() + phases.iter().flatten().count());
            let sum: Duration = phases.into_iter().flatten().sum();
            assert!(sum <= stop.total, "{}: {stop}", path.display());
        }
    });
    assert!(seen.get() > 100, "{} phases", seen.get());
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
fn times_do_not_run_backwards() {
    each_log(|path, _, events| {
        let mut last = Stamp::default();
        for event in events {
            let stamp = match event {
                Event::Gc(it) => it.stamp,
                Event::Safepoint(it) => it.stamp,
                Event::Jvm(it) => it.stamp,
                Event::ConcurrentCycle(it) => it.stamp,
                Event::AllocationStall(it) => it.stamp,
                Event::HumongousAllocation(it) => it.stamp,
                Event::FreeSpace(it) => it.stamp,
                Event::MonitorPause(it) => it.stamp,
                Event::CollectionShare(it) => it.stamp,
                Event::ClockJump(it) => it.stamp,
            };
            let since = stamp.since_ns(&last).unwrap_or_default();
            assert!(since >= -LOCK_WAIT_NS, "{}: {since} ns: {event}", path.display());
            last = stamp;
        }
    });
}

#[test]
fn collections_begin_when_their_start_line_says() {
    let starts = Cell::new(0);
    each_log(|path, _, events| {
        for pause in collections(events) {
            let Some(start) = pause.start else { continue };
            starts.set(starts.get() + 1);
            let off_ns = start.since_ns(&pause.begin()).unwrap_or_default();
            assert!(off_ns.abs() <= 2_000_000, "{}: {off_ns} ns: {pause}", path.display());
        }
    });
    assert!(starts.get() > 20, "{} starts", starts.get());
}
