//! The post on hsperfdata: pauses with the counters file on a busy disk, and without the file.
use super::{
    lab::Lab,
    log::Stops,
    paper_gc_log::pauses,
    part::{Made, Part, table},
};
use crate::{Jdk, LabError, Takes, picture::Picture, scenarios, slow_disk};
use serde_json::json;
use std::time::Duration;

const SCENARIO: &str = "hsperfdata-write-blocked";

pub(super) static PART: Part = Part {
    id: "hsperfdata",
    title: "hsperfdata post: the JVM's counters file on a busy disk",
    original: "\
Collections paused for as long as the disk was busy, because the JVM changes a memory-mapped file under `/tmp/hsperfdata_USER` inside them.
With `-XX:+PerfDisableSharedMem` the pauses were gone.",
    can_run: slow_disk::can_run,
    takes,
    seconds: (40, 90),
    make,
};

fn takes(_: &Jdk, _: bool) -> Vec<Takes> {
    scenarios::find(SCENARIO).map_or_else(|_| Vec::new(), |it| (it.takes)())
}

fn make(lab: &mut Lab<'_, '_, '_>) -> Result<Made, LabError> {
    let time = lab.time(12, 30);
    let with = lab.variant((SCENARIO, "fault"), time, false)?;
    let without = lab.variant((SCENARIO, "fixed-flag"), time, false)?;
    let picture = Picture::draw(
        "pauses",
        "pauses with the shared counters file, and without",
        &[
            pauses("Counters in a file on a busy disk", &with),
            pauses("The same with -XX:+PerfDisableSharedMem", &without),
        ],
    )?;
    let rows = [with.stops.row("counters in a file"), without.stops.row("PerfDisableSharedMem")];
    let stalls = |seen: &super::lab::Seen| -> u64 {
        let keys = ["alloc_0_over_250ms", "alloc_1_over_250ms"];
        keys.iter().filter_map(|it| seen.workload.get(*it)).sum()
    };
    let (stalled, stalled_without) = (stalls(&with), stalls(&without));
    let limit = Duration::from_millis(250);
    let (seen, gone) = (with.stops.over(limit), without.stops.over(limit));
    let unseen = match stalled > seen as u64 {
        true => {
            "Most of the waiting threads allocate and are in no pause, so no GC log shows them."
        }
        false => "",
    };
    Ok(Made {
        setup: format!(
            "The lab's scenario `{SCENARIO}`: ext4 on a disk of 5 MiB/s, another process that writes and calls `sync` several times a second, {} s each.",
            time.as_secs()
        ),
        ours: format!(
            "{}\nAllocations that waited over 0.25 s, from the start of the JVM to its end: {stalled} with the file, {stalled_without} without.\n",
            table(&Stops::HEADER, &rows)
        ),
        differs: format!(
            "Pauses over 0.25 s: {seen} with the file and {gone} without. The other process calls `sync` several times a second, so the kernel writes the file's page more often than where the post met it. {unseen}"
        ),
        numbers: json!({
            "with": with.stops.numbers(), "without": without.stops.numbers(),
            "stalled_allocations": { "with": stalled, "without": stalled_without },
        }),
        pictures: vec![picture],
    })
}
