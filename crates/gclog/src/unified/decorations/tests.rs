//! Decorations: the line in, its time and message out.
use super::*;
use expect_test::{Expect, expect};

fn check(line: &str, expected: Expect) {
    let (decorations, message) = split(line.as_bytes());
    let Stamp { wall_ns, uptime_ns, monotonic_ns, unclear_ns } =
        stamp(decorations, &mut Dates::default());
    let mut text = String::new();
    let wall = wall_ns.map(|it| format!("wall {it}"));
    let uptime = uptime_ns.map(|it| format!("uptime {it}"));
    let monotonic = monotonic_ns.map(|it| format!("monotonic {it}"));
    let unclear = unclear_ns.map(|it| format!("unclear {it}"));
    for part in [wall, uptime, monotonic, unclear].into_iter().flatten() {
        text += &part;
        text += " | ";
    }
    text += &String::from_utf8_lossy(message);
    expected.assert_eq(&text);
}

#[test]
fn the_usual_set() {
    check(
        "[2026-11-21T20:00:00.123+0000][0.123s][info][gc,start    ] GC(0) Pause",
        expect!["wall 1795291200123000000 | uptime 123000000 | GC(0) Pause"],
    );
}

#[test]
fn every_decorator_at_once() {
    check(
        "[2026-11-21T21:30:00.123+0130][2026-11-21T20:00:00.123+0000][0.123s][1795291200123ms]\
             [123ms][987654321987654ns][123456789ns][host-1][4242][4243][info ][gc] Using G1",
        expect![
            "wall 1795291200123000000 | uptime 123456789 | monotonic 987654321987654 | Using G1"
        ],
    );
}

#[test]
fn a_known_layout_changes_nothing() {
    let lines = [
        "[0.123s][info][gc     ] a",
        "[0.124s][info][gc,cpu ] b",
        "[10.123s][info][gc     ] c",
        "[10.123s][info][gc     ][more] d",
        "[10.123s][info][gc     ]",
        "[10.123s][info][gc     ]  [indented]",
        "plain",
        "[1]",
        "",
        "[0.123s][info][gc     ] a",
    ];
    let mut layout = Layout::default();
    for line in lines.into_iter().chain(lines) {
        assert_eq!(layout.split(line.as_bytes()), split(line.as_bytes()), "{line}");
    }
}

#[test]
fn no_decorator() {
    check("GC(0) Pause Young", expect!["GC(0) Pause Young"]);
    check("", expect![""]);
}

#[test]
fn milliseconds_are_wall_time_when_large() {
    check("[499999999999ms] x", expect!["uptime 499999999999000000 | x"]);
    check("[500000000000ms] x", expect!["wall 500000000000000000 | x"]);
}

#[test]
fn a_lone_nanosecond_decorator_is_left_to_the_caller() {
    check("[123456789ns] x", expect!["unclear 123456789 | x"]);
}

#[test]
fn a_nanosecond_decorator_that_agrees_with_the_uptime_is_the_uptime() {
    check("[0.123s][128000000ns] x", expect!["uptime 128000000 | x"]);
    check("[0.123s][128000001ns] x", expect!["uptime 123000000 | monotonic 128000001 | x"]);
}

#[test]
fn the_order_of_two_nanosecond_decorators_does_not_matter() {
    check("[5ns][900ns] x", expect!["uptime 5 | monotonic 900 | x"]);
    check("[900ns][5ns] x", expect!["uptime 5 | monotonic 900 | x"]);
}

#[test]
fn brackets_in_a_message_stay_there() {
    check("[0.1s][info ] [gc] text", expect!["uptime 100000000 | [gc] text"]);
    check("[Full GC (System.gc()) 1K->2K(3K)]", expect!["[Full GC (System.gc()) 1K->2K(3K)]"]);
    check("[] x", expect!["x"]);
    check("[0.1s][warning][] x", expect!["uptime 100000000 | x"]);
}

#[test]
fn damaged_times_are_no_times() {
    check("[2026-13-21T20:00:00.123+0000] x", expect!["x"]);
    check("[2026-11-21T20:00:00.123+00] x", expect!["x"]);
    check("[99999999999999999999999999ms] x", expect!["x"]);
    check("[4242][0.123x] x", expect!["x"]);
}

#[test]
fn dates() {
    let day = |text: &str| {
        date_time_ns(format!("{text}T00:00:00Z").as_bytes()).map(|it| it / 86_400_000_000_000)
    };
    assert_eq!(day("1970-01-01"), Some(0));
    assert_eq!(day("1969-12-31"), Some(-1));
    assert_eq!(day("2000-02-29"), Some(11_016));
    assert_eq!(day("2000-03-01"), Some(11_017));
    assert_eq!(day("2024-12-31"), Some(20_088));
}
