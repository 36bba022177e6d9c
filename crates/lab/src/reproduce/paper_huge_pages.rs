//! The paper's table 1: throughput with huge pages off, on, and tuned while it runs.
use super::{
    lab::{Lab, Seen},
    part::{Made, Part, table},
};
use crate::sample::{grown, now_ns};
use crate::{
    Collector, Jdk, LabError, Running, Staged, Takes, control_group::Weighed, huge_pages,
    scenarios::swap_in, stage::END_PATIENCE, workloads::Workload,
};
use serde::Serialize;
use serde_json::json;
use std::{path::Path, time::Duration};

/// What the other process takes: the group's limit is then short by some 200 MiB.
const HOG_MIB: u32 = 1000;

/// How long a load runs before its work is counted, for the heap to be made and the other process
/// to fill its memory.
const WARM_UP: Duration = Duration::from_secs(7);
const QUICK_WARM_UP: Duration = Duration::from_secs(5);

pub(super) static PART: Part = Part {
    id: "paper-huge-pages",
    title: "Paper, table 1: throughput with huge pages off, on, and tuned",
    original: "\
Throughput in 1000 allocations/s; application I has the host for itself, application II starts after another process took 45 of 70 GB.

| | THP off | THP on | dynamic THP |
| --- | ---: | ---: | ---: |
| JavaApp I | 12 | 15 | 15 |
| JavaApp II | 13 | 11 | 12 |",
    can_run,
    takes,
    seconds: (160, 720),
    make,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Mode {
    Off,
    On,
    Dynamic,
}

const MODES: [Mode; 3] = [Mode::Off, Mode::On, Mode::Dynamic];

/// A load, its arguments, and how much of its work makes a thousand or a million.
const LOADS: [(&str, Workload, &[&str], f64); 2] = [
    ("allocations (1000/s)", Workload::AllocLoad, &["rate=0"], 1e3),
    ("random touches (million/s)", Workload::RandomTouch, &["mib=640"], 1e6),
];

/// The numbers of one cell of the table.
#[derive(Debug, Serialize)]
struct Cell {
    load: &'static str,
    pressed: bool,
    mode: Mode,
    /// Work per second of each run, in the unit of the load.
    runs: Vec<f64>,
    /// In how many runs huge pages were off at the end.
    off_at_end: usize,
}

fn can_run() -> Result<(), crate::Reason> {
    huge_pages::can_run()?;
    swap_in::can_run()
}

fn takes(_: &Jdk, _: bool) -> Vec<Takes> {
    let settings = [("enabled", "never"), ("enabled", "always"), ("defrag", "always")];
    swap_in::takes().into_iter().chain(settings.map(|it| huge_pages::setting(it.0, it.1))).collect()
}

fn make(lab: &mut Lab<'_, '_, '_>) -> Result<Made, LabError> {
    let runs = if lab.quick { 1 } else { 3 };
    let mut cells = Vec::new();
    for (load, workload, arguments, unit) in LOADS {
        for pressed in [false, true] {
            for mode in MODES {
                cells.push(Cell { load, pressed, mode, runs: Vec::new(), off_at_end: 0 });
            }
            // one of each, again and again, so that what changes on the host meets all of them
            for run in 1..=runs {
                for (at, mode) in MODES.into_iter().enumerate() {
                    let with = if pressed { "with" } else { "without" };
                    let what = format!("{load}, {with} memory pressure, {mode:?}, run {run}");
                    lab.progress.step(&what);
                    let (rate, off) = once(lab, (workload, arguments), pressed, mode)?;
                    let first = cells.len() - MODES.len();
                    cells[first + at].runs.push(rate / unit);
                    cells[first + at].off_at_end += usize::from(off);
                }
            }
        }
    }
    Ok(made(lab, &cells, runs))
}

/// Work per second, and whether huge pages were off at the end.
fn once(
    lab: &mut Lab<'_, '_, '_>,
    load: (Workload, &[&str]),
    pressed: bool,
    mode: Mode,
) -> Result<(f64, bool), LabError> {
    let mark = lab.bench.cleanup.mark();
    let fast = lab.directory("huge")?;
    let ran = measure(lab, load, pressed, mode, &fast);
    lab.tidy(&fast, mark)?;
    ran
}

fn measure(
    lab: &mut Lab<'_, '_, '_>,
    (workload, arguments): (Workload, &[&str]),
    pressed: bool,
    mode: Mode,
    fast: &Path,
) -> Result<(f64, bool), LabError> {
    let warm_up = if lab.quick { QUICK_WARM_UP } else { WARM_UP };
    let time = lab.time(4, 8);
    let enabled = if mode == Mode::Off { "never" } else { "always" };
    huge_pages::set(&mut lab.bench.cleanup, enabled, "always")?;
    let mut stage = lab.bench.stage(lab.jdk, Collector::Parallel, fast);
    let arguments = arguments.iter().copied().chain(["report=1"]).map(str::to_owned).collect();
    let (mut staged, group) = swap_in::with_load(&mut stage, workload, arguments)?;
    let mut tuner = match mode {
        Mode::Dynamic => Some(tuner(lab, staged.jvm.pid(), fast)?),
        _ => None,
    };
    if pressed {
        let mut stage = lab.bench.stage(lab.jdk, Collector::Parallel, fast);
        let hog = swap_in::hog_of(&mut stage, &group, HOG_MIB)?;
        staged = Staged::disturbed(staged.jvm, hog);
    }
    let _weighed = Weighed::begin(&lab.bench.cleanup);
    lab.wait(&mut staged, warm_up, None)?;
    let begun_ns = now_ns();
    lab.wait(&mut staged, time, None)?;
    let setting = crate::small_file::read(Path::new("/sys/kernel/mm/transparent_hugepage/enabled"));
    let off = recorder::chosen(&setting) == Some("never");
    if let Some(tuner) = &mut tuner {
        if tuner.ended()?.is_some() {
            let said = crate::small_file::last_line(&fast.join("tuner.err")).unwrap_or_default();
            return Err(LabError::Program {
                program: "whypause fix thp-tuner".into(),
                message: said,
            });
        }
        // it takes back what it has changed
        tuner.end(END_PATIENCE);
    }
    let seen = lab.end(staged, fast, begun_ns)?;
    Ok((rate(&seen), off))
}

/// The remedy, as a user starts it.
fn tuner(lab: &mut Lab<'_, '_, '_>, pid: u32, fast: &Path) -> Result<Running, LabError> {
    let mut command = spawn::command(lab.program);
    command.args(["fix", "thp-tuner", "--apply", "--period", "1s", "-p", &pid.to_string()]);
    let (out, err) = (fast.join("tuner.out"), fast.join("tuner.err"));
    Running::start(&mut lab.bench.cleanup, command, &out, &err)
}

/// How often the workload says what it has done, and a little more.
const LINE_EVERY_NS: u64 = 1_500_000_000;

/// Work per second, from the last line before the measured time to the last one in it. Where the
/// JVM says nothing any more before the end, it was stopped, and that time counts too.
fn rate(seen: &Seen) -> f64 {
    let before = seen.work.iter().rfind(|it| it.0 <= seen.begun_ns).or(seen.work.first());
    let last = seen.work.iter().rfind(|it| it.0 <= seen.ended_ns);
    let (Some(before), Some(last)) = (before, last) else { return 0.0 };
    let stopped = seen.ended_ns.saturating_sub(last.0) > LINE_EVERY_NS;
    let end_ns = if stopped { seen.ended_ns } else { last.0 };
    match grown(before.0, end_ns) {
        0.0 => 0.0,
        ns => grown(before.1, last.1) * 1e9 / ns,
    }
}

fn made(lab: &Lab<'_, '_, '_>, cells: &[Cell], runs: u32) -> Made {
    let rows: Vec<_> = cells
        .chunks(MODES.len())
        .map(|row| {
            let state = if row[0].pressed { "with pressure" } else { "alone" };
            let first = format!("{}, {state}", row[0].load);
            std::iter::once(first).chain(row.iter().map(|it| spread(&it.runs))).collect()
        })
        .collect();
    let dynamic = |pressed| {
        let of = |it: &&Cell| it.pressed == pressed && it.mode == Mode::Dynamic;
        cells.iter().filter(of).map(|it| it.off_at_end).sum::<usize>()
    };
    let all = runs as usize * LOADS.len();
    Made {
        setup: format!(
            "{} MiB of heap, touched at the start; with pressure another process of {HOG_MIB} MiB in the same control group of {} MiB. \
             Each load is counted for {} s, runs of each: {runs}; the tuner looks every second.",
            swap_in::HEAP_MIB,
            swap_in::SHARED_MIB,
            lab.time(4, 8).as_secs(),
        ),
        ours: format!(
            "Median (least to most), runs of each: {runs}.\n\n{}\nThe tuner had huge pages off at the end of {} of {all} runs with pressure, and of {} of {all} without.\n",
            table(&["", "THP off", "THP on", "dynamic THP"], &rows),
            dynamic(true),
            dynamic(false),
        ),
        differs: format!(
            "{} {}",
            order_said(cells),
            "The tuner is started for a JVM that runs, so the heap is made of huge pages before it first decides; in the paper it runs before application II starts. \
             The second load is not the paper's: it touches random places of a large array, so that its time goes into translating addresses."
        ),
        numbers: json!({ "runs": runs, "cells": cells }),
        pictures: Vec::new(),
    }
}

/// Whether the application under pressure was fastest without huge pages, in a sentence.
fn order_said(cells: &[Cell]) -> &'static str {
    let of = |mode| {
        let this = |it: &&Cell| it.load == LOADS[0].0 && it.pressed && it.mode == mode;
        cells.iter().find(this).map_or(0.0, |it| median(&it.runs))
    };
    if of(Mode::Off) > of(Mode::On) {
        "With pressure the paper's load was faster with huge pages off than with them on, as in the paper."
    } else {
        "Unlike in the paper, with pressure its load was not faster with huge pages off than with them on; why is not measured."
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// Median, and the range where there are several.
fn spread(values: &[f64]) -> String {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let median = median(values);
    match &sorted[..] {
        [first, .., last] => format!("{median:.1} ({first:.1} to {last:.1})"),
        _ => format!("{median:.1}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_run_has_no_spread() {
        assert_eq!(spread(&[3.04]), "3.0");
        assert_eq!(spread(&[3.0, 1.0, 2.0]), "2.0 (1.0 to 3.0)");
    }

    #[test]
    fn the_order_is_that_of_the_medians() {
        let check = |off: &[f64], on: &[f64], expected: &str| {
            let cell = |mode, runs: &[f64]| {
                let runs = runs.to_vec();
                Cell { load: LOADS[0].0, pressed: true, mode, runs, off_at_end: 0 }
            };
            let said = order_said(&[cell(Mode::Off, off), cell(Mode::On, on)]);
            assert!(said.starts_with(expected), "{said}");
        };
        check(&[1.0, 9.0, 8.0], &[7.0, 7.0, 9.9], "With pressure");
        check(&[7.0], &[7.0], "Unlike");
    }

    #[test]
    fn a_jvm_that_is_stopped_to_the_end_has_done_nothing_in_that_time() {
        let s = 1_000_000_000;
        let work = vec![(0, 0), (s, 50), (3 * s, 250)];
        let seen = Seen { begun_ns: s, ended_ns: 4 * s, work, ..Seen::default() };
        assert!((rate(&seen) - 100.0).abs() < 1e-9);
        let longer = Seen { ended_ns: 5 * s, ..seen };
        assert!((rate(&longer) - 50.0).abs() < 1e-9);
        assert!(rate(&Seen::default()).abs() < 1e-9);
    }
}
