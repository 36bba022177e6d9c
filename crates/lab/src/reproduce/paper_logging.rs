//! The paper's figures 10 and 11 and its table 3: raw logging with rotation, and compressed logging.
use super::{
    lab::{Lab, Seen},
    log::Stops,
    paper_gc_log::{awaits, pauses},
    part::{Made, Part, table},
};
use crate::{
    Jdk, LabError, Takes,
    chart::Panel,
    picture::Picture,
    result::{DiskUse, Logging},
    scenarios,
    table::short,
};
use serde_json::json;
use std::time::Duration;

const SCENARIO: &str = "compressed-logging";

/// Pauses that the paper's users must not have.
const LIMIT: Duration = Duration::from_millis(250);

pub(super) static PART: Part = Part {
    id: "paper-compressed-logging",
    title: "Paper, figures 10 and 11, and table 3: compressed logging",
    original: "\
Ten minutes each, an application that logs 40 MB/s.
Table 3 and figure 10, raw logs that are rotated and compressed every 30 s: 64.8 s of pauses in all, 2 over 0.25 s.
Figure 11, logs that are written compressed: none over 0.25 s, the longest 181 ms.",
    can_run: || scenarios::find(SCENARIO).map_or(Ok(()), |it| (it.can_run)()),
    takes,
    seconds: (130, 310),
    make,
};

fn takes(_: &Jdk, _: bool) -> Vec<Takes> {
    scenarios::find(SCENARIO).map_or_else(|_| Vec::new(), |it| (it.takes)())
}

fn make(lab: &mut Lab<'_, '_, '_>) -> Result<Made, LabError> {
    let time = lab.time(25, 70);
    let without = lab.variant((SCENARIO, "baseline"), time, false)?;
    let raw = lab.variant((SCENARIO, "fault"), time, false)?;
    let compressed = lab.variant((SCENARIO, "fixed-compressed"), time, false)?;
    let busy = lab.variant((SCENARIO, "fixed-busy-disk"), time, false)?;
    let stops = [
        without.stops.row("no application log"),
        raw.stops.row("raw log, rotated and compressed"),
        compressed.stops.row("compressed log"),
    ];
    let logged = [
        row("raw log, rotated and compressed", &raw),
        row("compressed log", &compressed),
        row("compressed log, disk saturated by another process", &busy),
    ];
    Ok(Made {
        setup: format!(
            "The lab's scenario `{SCENARIO}`: a heap of 768 MiB, 40 MB/s of access log from two threads, a disk of 44 MiB/s with ext4 (`commit=1`) for this log and the GC log, {} s each. \
             The raw log is rotated every 5 s and compressed with gzip by another thread; the compressed log is that of `whypause-logging`. \
             In the last run another process writes to the disk as fast as it can, and the GC log is in memory.",
            time.as_secs()
        ),
        ours: format!(
            "{}\n{}\nBytes are those that the disk wrote in that time, await is the mean time of its requests, and p99.99 is that of the logging call, over the whole life of the JVM but its first seconds.\n{}\n",
            table(&Stops::HEADER, &stops),
            table(&HEADER, &logged),
            fewer(&raw, &compressed),
        ),
        differs: "The disk is slower (44 MiB/s instead of 150 MB/s), the log is rotated every 5 s instead of every 30, the kernel holds 64 MiB of unwritten data at most, and the journal commits every second instead of every five, so that a minute shows what took ten. \
                  The heap is 768 MiB instead of 10 GB, so pauses without a busy disk are shorter.".into(),
        numbers: json!({
            "without": without.stops.numbers(), "raw": numbers(&raw),
            "compressed": numbers(&compressed), "compressed_on_busy_disk": numbers(&busy),
        }),
        pictures: vec![
            Picture::draw("raw", "pauses and the disk, with a raw log", &panels(&raw))?,
            Picture::draw("compressed", "pauses and the disk, with a compressed log", &panels(&compressed))?,
        ],
    })
}

/// One figure of the paper: pauses above, and the disk below.
fn panels(seen: &Seen) -> [Panel; 2] {
    [pauses("Pauses of the JVM", seen), awaits(seen)]
}

const HEADER: [&str; 8] =
    ["run", "logged", "dropped", "written", "per second", "await", "p99.99", "longest call"];

/// The disk, over the whole time.
fn disk(seen: &Seen) -> Option<DiskUse> {
    let mut samples = seen.samples.iter().filter(|it| it.disk.is_some());
    let first = samples.next()?;
    samples.next_back().map(|last| DiskUse::between(first, last))
}

fn row(name: &str, seen: &Seen) -> Vec<String> {
    let (disk, log) = (disk(seen), Logging::of(&seen.workload));
    let of_log = |cell: fn(&Logging) -> String| log.as_ref().map_or_else(String::new, cell);
    let of_disk = |cell: fn(&DiskUse) -> String| disk.as_ref().map_or_else(String::new, cell);
    vec![
        name.to_owned(),
        of_log(|it| format!("{:.1} MB/s", it.mb_per_s)),
        of_log(|it| it.dropped.to_string()),
        of_disk(|it| format!("{} MB", it.written_bytes / 1_000_000)),
        of_disk(|it| format!("{:.1} MB/s", it.mb_per_s())),
        of_disk(|it| format!("{:.0} ms", it.await_ms)),
        of_log(|it| short(it.p9999)),
        of_log(|it| short(it.longest)),
    ]
}

/// What compression saved, in a sentence.
fn fewer(raw: &Seen, compressed: &Seen) -> String {
    let rate = |seen: &Seen| disk(seen).map_or(0.0, |it| it.mb_per_s());
    let saved = 100.0 * (1.0 - rate(compressed) / rate(raw).max(f64::MIN_POSITIVE));
    format!(
        "Compressed, {saved:.0} % fewer bytes were written; {} of {} pauses over 0.25 s were left.",
        compressed.stops.over(LIMIT),
        raw.stops.over(LIMIT)
    )
}

fn numbers(seen: &Seen) -> serde_json::Value {
    json!({
        "stops": seen.stops.numbers(), "begun_ns": seen.begun_ns, "samples": seen.samples,
        "disk": disk(seen), "logging": Logging::of(&seen.workload),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::log::Stop;
    use crate::sample::{Disk, Sample};

    #[test]
    fn what_was_saved_is_by_bytes_in_a_second_and_pauses_by_their_limit() {
        let seen = |seconds: u64, written_sectors: u64, pauses_ms: &[u64]| {
            let disk = |written_sectors| Some(Disk { written_sectors, ..Disk::default() });
            let sample = |at_ns, disk| Sample { at_ns, disk, ..Sample::default() };
            let stop = |ms: &u64| Stop { begin_ns: 0, length: Duration::from_millis(*ms) };
            Seen {
                samples: vec![
                    sample(0, None),
                    sample(1_000_000_000, disk(5)),
                    sample((1 + seconds) * 1_000_000_000, disk(5 + written_sectors)),
                ],
                stops: Stops { all: pauses_ms.iter().map(stop).collect() },
                ..Seen::default()
            }
        };
        let (raw, compressed) = (seen(2, 4000, &[250, 251, 900]), seen(1, 200, &[250]));
        let expected =
            "Compressed, 90 % fewer bytes were written; 0 of 2 pauses over 0.25 s were left.";
        assert_eq!(fewer(&raw, &compressed), expected);
        assert_eq!(disk(&Seen::default()), None);
        assert_eq!(row("x", &Seen::default())[1..], [""; 7]);
    }
}
