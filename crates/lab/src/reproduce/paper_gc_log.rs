//! The paper's figures 5, 6, 7 and 9 and its table 2: the GC log on a busy disk.
use super::{
    lab::{Lab, Seen},
    log::Stops,
    part::{Made, Part, table},
};
use crate::sample::{Disk, await_ms, between, grown};
use crate::{
    Jdk, LabError, Takes,
    chart::{Panel, Series, Shape},
    picture::Picture,
    scenarios, slow_disk,
};
use serde_json::json;

const SCENARIO: &str = "gc-log-write-blocked";

pub(super) static PART: Part = Part {
    id: "paper-gc-log",
    title: "Paper, figures 5, 6, 7 and 9, and table 2: the GC log on a busy disk",
    original: "\
Five minutes each, a heap of 10 GB, two mirrored disks.
Figure 5, the disk while another process writes: await 421 ms, 305 transfers/s, 302,000 sectors written/s, on average.
Figure 6 and table 2: without the other process 32.8 s of pauses in all, none over 0.25 s; with it:

| | total | >2 s | >1 s | >0.5 s | >0.25 s |
| --- | ---: | ---: | ---: | ---: | ---: |
| with background writes | 36.8 s | 1 | 1 | 3 | 4 |

Figure 7: the long pauses are long `write()` calls of the GC log (1.47 s of a pause of 1.59 s).
Figure 9: with the log on an SSD no pause is over 0.25 s.",
    can_run: slow_disk::can_run,
    takes,
    seconds: (75, 230),
    make,
};

fn takes(_: &Jdk, _: bool) -> Vec<Takes> {
    let scenario = scenarios::find(SCENARIO).ok();
    let takes = scenario.map_or_else(Vec::new, |it| (it.takes)());
    takes.into_iter().chain([Takes::Trace]).collect()
}

fn make(lab: &mut Lab<'_, '_, '_>) -> Result<Made, LabError> {
    let time = lab.time(15, 60);
    let without = lab.variant((SCENARIO, "baseline"), time, false)?;
    let with = lab.variant((SCENARIO, "fault"), time, true)?;
    let memory = lab.variant((SCENARIO, "fixed-tmpfs"), time, false)?;
    let rows = [
        without.stops.row("without background writes"),
        with.stops.row("with background writes"),
        memory.stops.row("with them, log in memory"),
    ];
    let (await_ms, tps, sectors) = averages(&with);
    let (of, long) = explained(&with);
    Ok(Made {
        setup: format!(
            "The lab's scenario `{SCENARIO}`: a heap of 768 MiB, a disk of 5 MiB/s with ext4 (`commit=1`), {} s each. \
             Pauses are those of the GC log; `write()` calls are traced by the kernel.",
            time.as_secs()
        ),
        ours: format!(
            "{}\nThe disk meanwhile, on average: await {await_ms:.0} ms, {tps:.0} transfers/s, {sectors:.0} sectors written/s.\n\
             Of {long} pauses over 0.25 s, {of} had blocked `write()` calls for at least half of their length.\n",
            table(&Stops::HEADER, &rows)
        ),
        differs: "The disk is slower (5 MiB/s instead of 150 MB/s) and its journal commits every second instead of every five, so long pauses come more often than in the paper; figure 9 has the log on tmpfs in place of an SSD. \
                  The heap is 768 MiB instead of 10 GB, and objects die sooner, so the pauses without background writes are shorter.".into(),
        numbers: json!({
            "without": without.stops.numbers(), "with": with.stops.numbers(),
            "memory": memory.stops.numbers(), "samples_with": with.samples,
            "begun_ns": with.begun_ns,
            "writes_ns": with.writes.iter().map(|it| [it.start_ns, it.end_ns]).collect::<Vec<_>>(),
            "disk": { "await_ms": await_ms, "transfers_per_s": tps, "written_sectors_per_s": sectors },
        }),
        pictures: pictures(&without, &with, &memory)?,
    })
}

/// Figures 5, 6, 7 and 9.
fn pictures(without: &Seen, with: &Seen, memory: &Seen) -> Result<Vec<Picture>, LabError> {
    Ok(vec![
        Picture::draw("disk", "the disk while the other process writes", &disk(with))?,
        Picture::draw(
            "pauses",
            "pauses without and with background writes",
            &[pauses("Without background writes", without), pauses("With background writes", with)],
        )?,
        Picture::draw(
            "writes",
            "pauses, and blocked writes to the GC log",
            &[
                pauses("Pauses of the JVM", with),
                Panel::over_time(
                    "write() calls of the GC log, from 1 ms on",
                    "length (ms)",
                    vec![Series::new("writes", Shape::Bars, writes(with))],
                ),
            ],
        )?,
        Picture::draw(
            "memory",
            "pauses with the GC log in memory, with background writes",
            &[pauses("Log in memory, with background writes", memory)],
        )?,
    ])
}

pub(super) fn pauses(title: &str, seen: &Seen) -> Panel {
    let series = vec![Series::new("pauses", Shape::Bars, seen.pauses())];
    Panel::over_time(title, "length (ms)", series)
}

fn writes(seen: &Seen) -> Vec<(f64, f64)> {
    let one = |it: &crate::verify_writes::Call| {
        (seen.seconds(it.start_ns), it.time().as_secs_f64() * 1000.0)
    };
    seen.writes.iter().filter(|it| it.start_ns >= seen.begun_ns).map(one).collect()
}

/// How many of the pauses over 0.25 s were blocked writes for at least half of their length, and
/// how many there were.
fn explained(seen: &Seen) -> (usize, usize) {
    let limit = std::time::Duration::from_millis(250);
    let long = || seen.stops.all.iter().filter(move |it| it.length > limit);
    let by_writes = long().filter(|it| {
        let end = it.begin_ns.saturating_add(u64::try_from(it.length.as_nanos()).unwrap_or(0));
        let inside = seen
            .writes
            .iter()
            .map(|write| write.end_ns.min(end).saturating_sub(write.start_ns.max(it.begin_ns)));
        2 * inside.sum::<u64>() >= end - it.begin_ns
    });
    (by_writes.count(), long().count())
}

fn series(seen: &Seen, value: fn(&Disk, &Disk, f64) -> f64) -> Vec<(f64, f64)> {
    between(&seen.samples, seen.begun_ns, |from, to, seconds| {
        Some(value(&from.disk?, &to.disk?, seconds))
    })
}

fn transfers(from: &Disk, to: &Disk, seconds: f64) -> f64 {
    grown(from.requests, to.requests) / seconds
}

fn sectors(from: &Disk, to: &Disk, seconds: f64) -> f64 {
    grown(from.written_sectors, to.written_sectors) / seconds
}

/// Over the whole time.
fn averages(seen: &Seen) -> (f64, f64, f64) {
    let disks: Vec<_> = seen.samples.iter().filter_map(|it| Some((it.at_ns, it.disk?))).collect();
    let [(begin, first), .., (end, last)] = &disks[..] else { return (0.0, 0.0, 0.0) };
    let seconds = seen.seconds(*end) - seen.seconds(*begin);
    (await_ms(first, last), transfers(first, last, seconds), sectors(first, last, seconds))
}

fn panel(seen: &Seen, title: &str, y: &str, value: fn(&Disk, &Disk, f64) -> f64) -> Panel {
    let series = vec![Series::new(title, Shape::Line, series(seen, value))];
    Panel::over_time(title, y, series)
}

/// How long requests of the disk took, over time.
pub(super) fn awaits(seen: &Seen) -> Panel {
    panel(seen, "await: mean time of a request", "time (ms)", |from, to, _| await_ms(from, to))
}

fn disk(seen: &Seen) -> [Panel; 3] {
    [
        awaits(seen),
        panel(seen, "tps: requests that ended", "requests per second", transfers),
        panel(seen, "written sectors of 512 bytes", "sectors per second", sectors),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{reproduce::log::Stop, verify_writes::Call};
    use std::time::Duration;

    #[test]
    fn a_pause_is_of_writes_from_half_of_its_length_on() {
        let ms = |it: u64| it * 1_000_000;
        let stop = |at| Stop { begin_ns: ms(at), length: Duration::from_millis(300) };
        let stops = Stops { all: vec![stop(0), stop(1000)] };
        let writes = vec![
            Call { start_ns: ms(100), end_ns: ms(250) },
            Call { start_ns: ms(900), end_ns: ms(1149) },
        ];
        let seen = Seen { stops, writes, ..Seen::default() };
        assert_eq!(explained(&seen), (1, 2));
    }

    #[test]
    fn a_disk_without_requests_has_no_await() {
        let disk = Disk { requests: 4, took_ms: 100, written_sectors: 8 };
        assert!(await_ms(&disk, &disk).abs() < 1e-9);
        let later = Disk { requests: 6, took_ms: 300, written_sectors: 24 };
        assert!((await_ms(&disk, &later) - 100.0).abs() < 1e-9);
        assert!((sectors(&disk, &later, 2.0) - 8.0).abs() < 1e-9);
        assert!((transfers(&disk, &later, 2.0) - 1.0).abs() < 1e-9);
    }
}
