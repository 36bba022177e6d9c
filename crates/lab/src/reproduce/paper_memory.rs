//! The paper's figures 1 and 2: a steady application, and then another process takes the memory.
use super::{
    lab::{Lab, Seen},
    part::{Made, Part, table},
};
use crate::sample::{Sample, between, grown, now_ns};
use crate::{
    Jdk, LabError, Staged, Takes,
    chart::{Panel, Series, Shape},
    control_group::Weighed,
    huge_pages,
    picture::Picture,
    scenarios::swap_in,
    workloads::Workload,
};
use serde_json::json;

pub(super) static PART: Part = Part {
    id: "paper-memory-pressure",
    title: "Paper, figures 1 and 2: memory taken by another process",
    original: "\
Figure 1: an application with a heap of 20 GB runs steadily at 12,000 allocations/s; then a second process allocates 50 GB on a host with 70 GB.
Throughput drops to zero for about 2 minutes and varies from then on; pauses rise from almost zero to 55 s, most are of several seconds.
Figure 2: the CPUs are busy, up to 34,000 transparent huge pages (68 GB) fall in number, and some 5,000 are split in five minutes.",
    can_run,
    takes,
    seconds: (32, 90),
    make,
};

fn can_run() -> Result<(), crate::Reason> {
    huge_pages::can_run()?;
    swap_in::can_run()
}

fn takes(_: &Jdk, _: bool) -> Vec<Takes> {
    let settings =
        [("enabled", "always"), ("defrag", "always")].map(|it| huge_pages::setting(it.0, it.1));
    swap_in::takes().into_iter().chain(settings).collect()
}

fn make(lab: &mut Lab<'_, '_, '_>) -> Result<Made, LabError> {
    lab.progress.step("throughput and pauses while another process takes the memory");
    let mark = lab.bench.cleanup.mark();
    let fast = lab.directory("memory")?;
    let ran = run(lab, &fast);
    lab.tidy(&fast, mark)?;
    let (seen, taken_ns) = ran?;
    made(lab, &seen, taken_ns)
}

/// What was seen, and when the other process began.
fn run(lab: &mut Lab<'_, '_, '_>, fast: &std::path::Path) -> Result<(Seen, u64), LabError> {
    let (steady, pressed) = (lab.time(8, 20), lab.time(20, 60));
    huge_pages::set(&mut lab.bench.cleanup, "always", "always")?;
    let collector = crate::Collector::Parallel;
    let mut stage = lab.bench.stage(lab.jdk, collector, fast);
    let rate = stage.promoting(2000);
    let arguments = vec![format!("rate={rate}"), "report=1".into()];
    let (mut staged, group) = swap_in::with_load(&mut stage, Workload::AllocLoad, arguments)?;
    let _weighed = Weighed::begin(&lab.bench.cleanup);
    let begun_ns = now_ns();
    let mut samples = Vec::new();
    lab.wait(&mut staged, steady, Some(&mut samples))?;
    let taken_ns = now_ns();
    let mut stage = lab.bench.stage(lab.jdk, collector, fast);
    let hog = swap_in::hog_of(&mut stage, &group, swap_in::HOG_MIB)?;
    let mut staged = Staged::disturbed(staged.jvm, hog);
    lab.wait(&mut staged, pressed, Some(&mut samples))?;
    Ok((Seen { samples, ..lab.end(staged, fast, begun_ns)? }, taken_ns))
}

fn made(lab: &Lab<'_, '_, '_>, seen: &Seen, taken_ns: u64) -> Result<Made, LabError> {
    let taken = seen.seconds(taken_ns);
    let (before, after) = means(seen, taken);
    let split = |at: fn(&Sample) -> u64| match (seen.samples.first(), seen.samples.last()) {
        (Some(first), Some(last)) => at(last).saturating_sub(at(first)),
        _ => 0,
    };
    let [pages, mappings, whole] =
        [split(|it| it.split_pages), split(|it| it.split_mappings), split(|it| it.swapped_whole)];
    let swapped_in = split(|it| it.swapped_in);
    let longest_before = longest(seen, |at| at < taken);
    let longest_after = longest(seen, |at| at >= taken);
    let most = seen.samples.iter().map(|it| it.huge_pages).max().unwrap_or(0);
    let rows = [
        row("throughput, mean (allocations/s)", format!("{before:.0}"), format!("{after:.0}")),
        row("longest pause (s)", format!("{longest_before:.2}"), format!("{longest_after:.2}")),
    ];
    let why = split_said(pages, whole);
    Ok(Made {
        setup: format!(
            "A heap of {} MiB and another process of {} MiB share a control group of {} MiB; swap space serves {} reads/s; \
             huge pages `always`; the other process begins after {taken:.0} s, {:.0} s in all.",
            swap_in::HEAP_MIB,
            swap_in::HOG_MIB,
            swap_in::SHARED_MIB,
            swap_in::SWAP_READS_PER_S,
            seen.length().as_secs_f64(),
        ),
        ours: format!(
            "{}\nAt most {most} huge pages on the host; split: {pages} pages and {mappings} mappings; {swapped_in} pages swapped in.\n",
            table(&["", "before", "after it began"], &rows)
        ),
        differs: format!(
            "{why} Memory, heap and time are {} of the paper's, and the limit is that of a control group, so the rest of the host keeps its memory.",
            if lab.quick { "a small part" } else { "a part" }
        ),
        numbers: json!({
            "taken_ns": taken_ns, "begun_ns": seen.begun_ns, "work": seen.work,
            "pauses": seen.stops.numbers(), "samples": seen.samples,
            "throughput_before": before, "throughput_after": after,
        }),
        pictures: pictures(seen)?,
    })
}

/// What became of the huge pages, in a sentence.
fn split_said(pages: u64, whole: u64) -> String {
    match pages {
        0 if whole > 0 => format!(
            "No huge page was split: this kernel swapped {whole} of them out whole (`thp_swpout`), which the kernel of the paper could not."
        ),
        _ => format!("{pages} huge pages were split, {whole} were swapped out whole."),
    }
}

/// Figures 1 and 2.
fn pictures(seen: &Seen) -> Result<Vec<Picture>, LabError> {
    Ok(vec![
        Picture::draw(
            "application",
            "throughput and pauses; the other process begins after the steady part",
            &[
                Panel::over_time(
                    "Throughput",
                    "allocations per second",
                    vec![Series::new("throughput", Shape::Line, seen.throughput())],
                ),
                Panel::over_time(
                    "Pauses of the JVM (GC log)",
                    "length (ms)",
                    vec![Series::new("pauses", Shape::Bars, seen.pauses())],
                ),
            ],
        )?,
        Picture::draw(
            "host",
            "idle CPUs, huge pages, and huge pages that were split",
            &host(seen),
        )?,
    ])
}

fn row(name: &str, before: String, after: String) -> Vec<String> {
    vec![name.to_owned(), before, after]
}

fn longest(seen: &Seen, of: impl Fn(f64) -> bool) -> f64 {
    let all = seen.pauses().into_iter().filter(|it| of(it.0));
    all.map(|it| it.1 / 1000.0).fold(0.0, f64::max)
}

/// Work per second before this time, and after it.
fn means(seen: &Seen, taken: f64) -> (f64, f64) {
    let inside: Vec<_> = seen.work.iter().filter(|it| it.0 >= seen.begun_ns).copied().collect();
    let rate = |work: &[(u64, u64)]| match work {
        [first, .., last] if last.0 > first.0 => {
            grown(first.1, last.1) / (seen.seconds(last.0) - seen.seconds(first.0))
        }
        _ => 0.0,
    };
    let at = inside.partition_point(|it| seen.seconds(it.0) < taken);
    // the last value before is where the time after it begins
    (rate(&inside[..at]), rate(&inside[at.saturating_sub(1)..]))
}

fn host(seen: &Seen) -> [Panel; 3] {
    let idle = between(&seen.samples, seen.begun_ns, |from, to, _| {
        let all = grown(from.cpu_ticks, to.cpu_ticks);
        (all > 0.0).then(|| 100.0 * grown(from.idle_ticks, to.idle_ticks) / all)
    });
    let huge = between(&seen.samples, seen.begun_ns, |_, to, _| Some(grown(0, to.huge_pages)));
    let rate = |of: fn(&Sample) -> u64| {
        between(&seen.samples, seen.begun_ns, move |from, to, seconds| {
            Some(grown(of(from), of(to)) / seconds)
        })
    };
    let (split, whole) = (rate(|it| it.split_pages), rate(|it| it.swapped_whole));
    [
        Panel::over_time(
            "Idle CPUs, of all of the host",
            "idle (%)",
            vec![Series::new("idle", Shape::Line, idle)],
        ),
        Panel::over_time(
            "Anonymous huge pages of the host",
            "huge pages",
            vec![Series::new("huge pages", Shape::Line, huge)],
        ),
        Panel::over_time(
            "Huge pages split, and swapped out whole",
            "huge pages per second",
            vec![
                Series::new("split", Shape::Line, split),
                Series::new("swapped out whole", Shape::Line, whole),
            ],
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throughput_before_and_after_is_that_of_all_the_work() {
        let s = 1_000_000_000;
        let work = vec![(s, 0), (2 * s, 100), (3 * s, 200), (5 * s, 220)];
        let seen = Seen { begun_ns: s, work, ..Seen::default() };
        assert_eq!(means(&seen, 2.5), (100.0, 10.0));
        assert_eq!(means(&Seen::default(), 1.0), (0.0, 0.0));
    }
}
