//! Each log beside its events as text.
use super::{logs, parse};
use expect_test::expect_file;
use std::fmt::Write;

#[test]
fn events_are_as_reviewed() {
    for (path, log) in logs() {
        let (events, counts) = parse(&log);
        let mut text = String::new();
        for event in &events {
            writeln!(text, "{event}").expect("a string takes all");
        }
        let unrecognised = counts.unrecognised();
        writeln!(
            text,
            "-- {} lines: {} used, {} of no interest, {unrecognised} unrecognised; {} events",
            counts.lines, counts.used, counts.of_no_interest, counts.events
        )
        .expect("a string takes all");
        expect_file![path.with_extension("expected")].assert_eq(&text);
    }
}
