//! What is kept, for how long, and what an event of it has.
use super::*;
use diagnose::HostLine as Host;
use serde_json::{Value, json};

const SECOND: u64 = 1_000_000_000;
const HOUR: Duration = Duration::from_secs(3_600);
/// Nothing was found, and the page began when the clock did.
const NOTHING: Around<'_> = Around { found: &[], since_wall_ms: 0 };

fn host(kind: HostLineKind, name: &str, points: &[(u64, u64)]) -> Host {
    Host { kind, name: name.to_owned(), points: points.to_vec() }
}

fn read(host: Vec<Host>) -> Read {
    Read { host, wall_offset_ns: Some(0), ..Read::default() }
}

fn heap(at_ns: u64) -> HeapPoint {
    HeapPoint { at_ns, before: 9, after: 3, capacity: Some(10) }
}

fn value(event: Option<String>) -> Value {
    event.map_or(Value::Null, |it| serde_json::from_str(&it).unwrap())
}

/// Swap-in of each second of these, one after the other.
fn swap_in(readings: &mut Readings, seconds: std::ops::Range<u64>, value: impl Fn(u64) -> u64) {
    for n in seconds {
        let line = host(HostLineKind::SwapIn, "", &[(n * SECOND, value(n))]);
        readings.take(read(vec![line]), None, HOUR);
    }
}

#[test]
fn each_event_has_what_is_new_and_a_late_browser_gets_all() {
    let mut readings = Readings::default();
    swap_in(&mut readings, 1..3, |n| n);
    let line = |at_ms: &[f64], value: &[u64]| {
        let line = json!({"kind": "swap_in", "name": "", "is_shown": true, "at_ms": at_ms, "value": value});
        json!({"host": [line], "heap": []})
    };
    assert_eq!(value(readings.news(NOTHING)), line(&[1_000.0, 2_000.0], &[1, 2]));
    swap_in(&mut readings, 3..4, |n| n);
    assert_eq!(value(readings.news(NOTHING)), line(&[3_000.0], &[3]));
    let all = value(readings.all(NOTHING));
    assert_eq!(all, line(&[1_000.0, 2_000.0, 3_000.0], &[1, 2, 3]));
}

#[test]
fn times_are_those_of_the_page() {
    let mut readings = Readings::default();
    let line = host(HostLineKind::SwapIn, "", &[(SECOND, 1), (2 * SECOND, 2)]);
    let offset = 1_795_000_000 * SECOND.cast_signed();
    let wall_offset_ns = Some(offset);
    readings.take(Read { host: vec![line], wall_offset_ns, ..Read::default() }, None, HOUR);
    let around = Around { since_wall_ms: 1_795_000_001_500, ..NOTHING };
    let event = value(readings.news(around));
    assert_eq!(event["host"][0]["at_ms"], json!([-500.0, 500.0]));
}

#[test]
fn without_the_time_of_day_nothing_is_drawn() {
    let mut readings = Readings::default();
    let line = host(HostLineKind::SwapIn, "", &[(SECOND, 1), (2 * SECOND, 2)]);
    readings.take(Read { host: vec![line], ..Read::default() }, None, HOUR);
    assert_eq!(readings.news(NOTHING), None);
}

#[test]
fn what_was_0_until_now_comes_with_all_of_it() {
    let mut readings = Readings::default();
    swap_in(&mut readings, 1..5, |_| 0);
    assert_eq!(readings.news(NOTHING), None, "0 all the time is no line");
    swap_in(&mut readings, 5..6, |_| 7);
    let event = value(readings.news(NOTHING));
    assert_eq!(event["host"][0]["value"], json!([0, 0, 0, 0, 7]));
}

#[test]
fn both_sides_of_how_far_readings_are_apart() {
    let check = |ns: u64, count: usize| {
        let mut readings = Readings::default();
        for at in [SECOND, SECOND + ns] {
            readings.take(read(vec![host(HostLineKind::SwapIn, "", &[(at, 1)])]), None, HOUR);
        }
        assert_eq!(readings.lines[0].of.points.len(), count, "{ns}");
    };
    check(499_999_999, 1);
    check(500_000_000, 2);
}

#[test]
fn both_sides_of_the_kept_time() {
    let mut readings = Readings::default();
    let take = |readings: &mut Readings, at: u64| {
        let host = vec![host(HostLineKind::SwapIn, "", &[(at, 1)])];
        readings.take(Read { heap: vec![heap(at)], ..read(host) }, None, HOUR);
    };
    take(&mut readings, SECOND);
    take(&mut readings, 3_601 * SECOND);
    assert_eq!((readings.lines[0].of.points.len(), readings.heap.len()), (2, 2));
    take(&mut readings, 3_602 * SECOND);
    assert_eq!((readings.lines[0].of.points.len(), readings.heap.len()), (2, 2));
    assert_eq!(readings.heap[0].at_ns, 3_601 * SECOND);
}

#[test]
fn a_day_takes_no_more_memory_than_an_hour_and_a_second_few_bytes() {
    let mut readings = Readings::default();
    let kinds = [HostLineKind::DirtyBytes, HostLineKind::PressureIo, HostLineKind::Available];
    let mut largest = 0;
    for n in 1..86_400 {
        let of = |it: &HostLineKind| host(*it, "", &[(n * SECOND, 123_456_789 + n)]);
        let disk = |it: u32| host(HostLineKind::DiskBusy, &format!("sd{it}"), &[(n * SECOND, n)]);
        let lines: Vec<_> = kinds.iter().map(of).chain((0..13).map(disk)).collect();
        let heap = (0..40).map(|it| heap(n * SECOND + it)).collect();
        readings.take(Read { heap, ..read(lines) }, None, HOUR);
        if n % 100 == 0 {
            largest = readings.news(NOTHING).unwrap().len().max(largest);
        } else {
            readings.sent();
        }
    }
    assert_eq!(readings.lines.len(), 16);
    assert!(readings.lines.iter().all(|it| it.of.points.len() <= MOST_READINGS));
    assert!(readings.heap.len() <= MOST_READINGS, "{}", readings.heap.len());
    assert!(largest < 3_000, "an event of a second: {largest} bytes");
    let all = readings.all(NOTHING).unwrap().len();
    assert!(all < 512 << 10, "for a browser that comes late: {all} bytes");
}

#[test]
fn there_are_no_more_lines_than_some() {
    let mut readings = Readings::default();
    swap_in(&mut readings, 1..3, |_| 1);
    for n in 0..100 {
        let jvm = format!("orders (pid {n})");
        let points = [(SECOND, 1), (2 * SECOND, 1)];
        let lines = vec![host(HostLineKind::CpuUsed, "", &points)];
        readings.take(read(lines), Some(&jvm), HOUR);
    }
    assert_eq!(readings.lines.len(), MOST_LINES);
    // Those of JVMs that are gone make room.
    swap_in(&mut readings, 4_000..4_001, |_| 1);
    assert_eq!(readings.lines.len(), 1);
}

#[test]
fn of_several_jvms_the_host_is_one_and_their_groups_have_their_names() {
    let mut readings = Readings::default();
    for (nth, jvm) in ["orders (pid 1)", "billing (pid 2)"].into_iter().enumerate() {
        let late = nth as u64 * SECOND / 10;
        let points = [(SECOND + late, 1), (2 * SECOND + late, 5)];
        let kinds = [HostLineKind::SwapIn, HostLineKind::Throttled];
        let host = kinds.iter().map(|it| host(*it, "", &points)).collect();
        readings.take(Read { heap: vec![heap(SECOND)], ..read(host) }, Some(jvm), HOUR);
    }
    let event = value(readings.news(NOTHING));
    let names: Vec<_> = event["host"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert_eq!(
        names,
        ["orders (pid 1)", "billing (pid 2)", ""].map(Value::from).iter().collect::<Vec<_>>()
    );
    assert_eq!(event["host"][2]["value"], json!([1, 5]));
    assert_eq!(event["heap"], json!([]));
}

#[test]
fn lines_of_the_cause_that_was_found_come_first() {
    let mut readings = Readings::default();
    let points = |high| [(SECOND, 0), (2 * SECOND, high)];
    let lines = vec![
        host(HostLineKind::DiskBusy, "sda", &points(900_000_000)),
        host(HostLineKind::DiskBusy, "sdb", &points(800_000_000)),
        host(HostLineKind::Throttled, "", &points(500_000_000)),
    ];
    readings.take(read(lines), None, HOUR);
    let check = |found: &[FoundCause<'_>], wanted: [&str; 3]| {
        let event = value(readings.all(Around { found, ..NOTHING }));
        let of = |it: &Value| {
            format!("{}{}", it["name"].as_str().unwrap(), it["kind"].as_str().unwrap())
        };
        let lines = event["host"].as_array().unwrap();
        assert_eq!(lines.iter().map(of).collect::<Vec<_>>(), wanted);
        assert_eq!(
            lines.iter().filter(|it| it["is_shown"] == true).count(),
            if found.is_empty() { 2 } else { 3 }
        );
    };
    let cause = |id: &str| *diagnose::causes().iter().find(|it| it.id == id).unwrap();
    check(&[], ["sdadisk_busy", "sdbdisk_busy", "throttled"]);
    check(&[(cause("cfs-throttling"), "")], ["throttled", "sdadisk_busy", "sdbdisk_busy"]);
    let disk = (cause("gc-log-write-blocked"), "sdb");
    check(&[(cause("cfs-throttling"), ""), disk], ["throttled", "sdbdisk_busy", "sdadisk_busy"]);
}

#[test]
fn names_are_text_and_short() {
    let mut readings = Readings::default();
    let name = format!("<b>\u{1b}[31m{}", "x".repeat(10_000));
    let lines = vec![host(HostLineKind::CpuUsed, "", &[(SECOND, 1), (2 * SECOND, 1)])];
    readings.take(read(lines), Some(&name), HOUR);
    let event = readings.news(NOTHING).unwrap();
    assert!(!event.contains('\u{1b}') && event.len() < 1_000, "{event}");
}

#[test]
fn both_sides_of_how_far_points_of_the_heap_are_apart() {
    let mut readings = Readings::default();
    let mut take = |points: &[(u64, u64)]| {
        let point =
            |(at_ms, before): &(u64, u64)| HeapPoint { before: *before, ..heap(at_ms * 1_000_000) };
        let heap = points.iter().map(point).collect();
        readings.take(Read { heap, ..read(vec![]) }, None, HOUR);
        let event = value(readings.news(NOTHING));
        let points = event["heap"].as_array().into_iter().flatten();
        points.map(|it| (it[0].as_f64().unwrap(), it[1].as_u64().unwrap())).collect::<Vec<_>>()
    };
    assert_eq!(take(&[(1_000, 5), (1_999, 4), (2_000, 6)]), [(1_000.0, 5), (2_000.0, 6)]);
    assert_eq!(take(&[(2_999, 9)]), [], "the one before is sent");
    assert_eq!(take(&[(3_000, 5), (3_100, 7), (3_200, 6), (3_050, 9)]), [(3_100.0, 7)]);
}
