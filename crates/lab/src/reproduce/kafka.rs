//! KAFKA-4614: time stopped per second while mappings of deleted files are released.
use super::{
    lab::{Lab, Seen},
    log::Stops,
    part::{Made, Part, table},
};
use crate::{
    Jdk, LabError, Takes,
    chart::{Panel, Series, Shape},
    picture::Picture,
    scenarios, slow_disk,
};
use serde_json::json;
use std::time::Duration;

const SCENARIO: &str = "deleted-file-unmap";

pub(super) static PART: Part = Part {
    id: "kafka-4614",
    title: "KAFKA-4614: deleted files whose last use is a mapping",
    original: "\
The issue adds up the time stopped in each minute: 314 to 332 ms in usual minutes, and several times that in the minutes in which a broker's reference handler released index files that were deleted while mapped (kernel 2.6.32, XFS, JDK 8).
Kafka unmaps such files itself since 0.10.2.0; the third row does the same with `io.github.whypause:whypause-unmap`.",
    can_run: slow_disk::can_run,
    takes,
    seconds: (60, 120),
    make,
};

fn takes(_: &Jdk, _: bool) -> Vec<Takes> {
    scenarios::find(SCENARIO).map_or_else(|_| Vec::new(), |it| (it.takes)())
}

fn make(lab: &mut Lab<'_, '_, '_>) -> Result<Made, LabError> {
    let time = lab.time(12, 25);
    let deleted = lab.variant((SCENARIO, "shown"), time, false)?;
    let later = lab.variant((SCENARIO, "fixed-delete-later"), time, false)?;
    let explicit = lab.variant((SCENARIO, "fixed-explicit-unmap"), time, false)?;
    let series = |seen: &Seen| Series::new("stopped", Shape::Bars, per_second(seen));
    let panel = |title, seen| Panel::over_time(title, "stopped (ms per s)", vec![series(seen)]);
    let picture = Picture::draw(
        "stopped",
        "time stopped in each second",
        &[
            panel("Deleted while mapped", &deleted),
            panel("Unmapped first, deleted later", &later),
            panel("Released explicitly (whypause-unmap)", &explicit),
        ],
    )?;
    let late =
        |seen: &Seen| seen.workload.get("reference_late_max_us").copied().unwrap_or(0) / 1000;
    let row = |name, seen: &Seen| {
        let mut row = seen.stops.row(name);
        row.push(format!("{} ms", late(seen)));
        row
    };
    let header: Vec<_> = Stops::HEADER.into_iter().chain(["reference late by up to"]).collect();
    Ok(Made {
        setup: format!(
            "The lab's scenario `{SCENARIO}`: thousands of mapped files on ext4 on a disk of 5 MiB/s that another process writes to, {} s each.",
            time.as_secs()
        ),
        ours: table(
            &header,
            &[
                row("deleted while mapped", &deleted),
                row("unmapped first", &later),
                row("released explicitly", &explicit),
            ],
        ),
        differs: differs(&deleted, late(&deleted)),
        numbers: json!({
            "deleted": deleted.stops.numbers(), "later": later.stops.numbers(),
            "explicit": explicit.stops.numbers(),
            "stopped_ms_per_s": {
                "deleted": per_second(&deleted), "later": per_second(&later),
                "explicit": per_second(&explicit),
            },
            "reference_late_max_ms": {
                "deleted": late(&deleted), "later": late(&later), "explicit": late(&explicit),
            },
        }),
        pictures: vec![picture],
    })
}

fn differs(deleted: &Seen, late_ms: u64) -> String {
    let long = deleted.stops.over(Duration::from_millis(250));
    let world = match long {
        0 => {
            "No pause was over 0.25 s: the stop-the-world pause is not reproduced here.\nOn Linux \
              6.18, where its stacks were inspected, the kernel frees a file after it has released \
              mmap_lock."
                .to_owned()
        }
        long => format!("Pauses over 0.25 s: {long}."),
    };
    format!(
        "{world} The thread that handles references waits: a cleared reference was late by up to {late_ms} ms. \
         The issue was seen on XFS, this is ext4 with a commit every second."
    )
}

/// Milliseconds stopped in each whole second, by when a stop began.
fn per_second(seen: &Seen) -> Vec<(f64, f64)> {
    let seconds = u32::try_from(seen.length().as_secs()).unwrap_or(u32::MAX);
    let of = |second: u32| {
        let from = f64::from(second);
        let inside = seen.pauses().into_iter().filter(|it| (from..from + 1.0).contains(&it.0));
        (from, inside.map(|it| it.1).sum())
    };
    (0..seconds).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::log::Stop;

    #[test]
    fn each_second_has_the_stops_that_began_in_it() {
        let stop = |begin_ns, ms| Stop { begin_ns, length: Duration::from_millis(ms) };
        let s = 1_000_000_000;
        let stops = Stops { all: vec![stop(s, 5), stop(2 * s - 1, 7), stop(2 * s, 11)] };
        let seen = Seen { begun_ns: s, ended_ns: 4 * s, stops, ..Seen::default() };
        assert_eq!(per_second(&seen), [(0.0, 12.0), (1.0, 11.0), (2.0, 0.0)]);
    }
}
