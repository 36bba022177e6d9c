//! Rows of a load that logs.
use super::Cell;
use crate::result::{DiskUse, Logging, RunResult};
use std::time::Duration;

/// What was logged, and what that came to on the disk; nothing where no run logged.
pub(super) fn rows(runs: &[&RunResult]) -> Vec<(&'static str, Cell)> {
    if runs.iter().all(|it| it.logging.is_none()) {
        return Vec::new();
    }
    vec![
        ("logged", of_log(|it| format!("{:.1} MB/s", it.mb_per_s))),
        ("lines dropped", of_log(|it| it.dropped.to_string())),
        ("logging call, p50", of_log(|it| short(it.p50))),
        ("logging call, p99", of_log(|it| short(it.p99))),
        ("logging call, p99.99", of_log(|it| short(it.p9999))),
        ("logging call, longest", of_log(|it| short(it.longest))),
        ("written to the disk", of_disk(|it| format!("{} MB", it.written_bytes / 1_000_000))),
        ("written in a second", of_disk(|it| format!("{:.1} MB/s", it.mb_per_s()))),
        ("await of the disk", of_disk(|it| format!("{:.0} ms", it.await_ms))),
    ]
}

fn of_log(cell: impl Fn(&Logging) -> String + 'static) -> Cell {
    Box::new(move |it| it.logging.as_ref().map_or_else(String::new, &cell))
}

fn of_disk(cell: impl Fn(&DiskUse) -> String + 'static) -> Cell {
    Box::new(move |it| it.disk.as_ref().map_or_else(String::new, &cell))
}

/// A length of time from nanoseconds on.
pub(crate) fn short(time: Duration) -> String {
    let us = time.as_secs_f64() * 1e6;
    match time.as_nanos() {
        ns @ 0..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => format!("{us:.1} µs"),
        1_000_000..1_000_000_000 => format!("{:.1} ms", us / 1e3),
        _ => format!("{:.2} s", us / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::short;
    use std::time::Duration;

    #[test]
    fn short_times_have_the_unit_that_fits() {
        let of = |ns| short(Duration::from_nanos(ns));
        assert_eq!([of(0), of(999), of(1_000)], ["0 ns", "999 ns", "1.0 µs"]);
        assert_eq!([of(1_234_567), of(1_500_000_000)], ["1.2 ms", "1.50 s"]);
    }
}
