//! Every scenario with every JDK and collector, recorded with and without privilege: how often
//! the answers are right.
mod disturbed;
mod from_log;
mod pace;
mod page;
mod seen;
mod tally;

pub use from_log::{LogCount, LogRow, LogSurroundings, LogTally};
pub use seen::{Key, Made, Seen};
pub use tally::{Alarm, Count, OfStalls, Row, Surroundings, Tally};

use crate::{
    Collector, Jdk, LabError, Output, Privilege, Role, RunResult, Scenario, Takes, Variant,
    bench::Bench,
    host::Host,
    jdks,
    once::{Manner, Once},
    output::Progress,
    run::{Format, program},
    scenarios, workloads,
};
use pace::Pace;
use seen::Journal;
use serde::Serialize;
use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// How long each variant of the short form is recorded.
const SHORT: Duration = Duration::from_secs(6);
/// What preparing, ending and explaining take besides the waits, for the time that is announced.
const BESIDES: Duration = Duration::from_secs(5);

/// What to run.
#[derive(Clone, Debug, Default)]
pub struct MatrixOptions {
    /// Ids of scenarios; all that can run here where empty.
    pub scenarios: Vec<String>,
    /// Feature releases or paths of JDKs; all found where empty.
    pub jdks: Vec<String>,
    /// Names of collectors; those that make sense for each scenario where empty.
    pub collectors: Vec<String>,
    /// With which rights to record, at the same time; both where empty.
    pub privileges: Vec<Privilege>,
    /// How long to record each variant; the scenario's own time where `None`.
    pub recorded: Option<Duration>,
    /// How often to run each variant, at least once.
    pub runs: u32,
    /// One JDK and collector, baseline and fault only, a few seconds each.
    pub short: bool,
    /// Names of variants; where empty, those that `short` has, or all but those whose fault is eased.
    pub variants: Vec<String>,
    /// A file of results to go on with, and to add to.
    pub results: Option<PathBuf>,
    /// A directory to copy recordings, logs and answers to.
    pub keep: Option<PathBuf>,
    /// No run begins that would not end within this; the file of results then lacks some.
    pub within: Option<Duration>,
    /// How results are written.
    pub format: Format,
    /// Whether to run although others use this host.
    pub on_this_host: bool,
    /// The program that records and explains; this one where `None`.
    pub program: Option<PathBuf>,
}

/// What a matrix gave. In JSON all durations are integer nanoseconds.
#[derive(Clone, Debug, Serialize)]
pub struct Matrix {
    /// Where and when.
    pub host: Host,
    /// What could not be run, and why.
    pub notes: Vec<String>,
    /// How many runs are left for want of time.
    pub left: usize,
    /// What it shows.
    #[serde(flatten)]
    pub tally: Tally,
    /// Each recording.
    pub recordings: Vec<Seen>,
}

impl Matrix {
    /// Whether every bar was met, and something was shown.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.tally.shortfalls.is_empty() && !self.recordings.is_empty()
    }
}

/// Runs the matrix and prints what came out. A run that fails is noted, and the others go on.
///
/// # Errors
/// Any [`LabError`] that stops all of it. What was run is in the file of results then.
pub fn run(options: &MatrixOptions, output: &mut Output<'_>) -> Result<Matrix, LabError> {
    workloads::can_run().map_err(LabError::CannotRun)?;
    let program = program(options.program.as_deref())?;
    let mut journal = Journal::open(options.results.as_deref())?;
    let plan = Plan::new(options, &program)?;
    let cells: Vec<_> = plan.cells.iter().filter(|it| !plan.is_done(it, &journal)).collect();
    let (mut notes, mut left) = (plan.notes.clone(), 0);
    if !cells.is_empty() {
        let mut bench = Bench::open(options.on_this_host, takes(&cells), output)?;
        let expected = cells.iter().map(|it| plan.expected(it)).sum();
        let mut progress = Progress::start(output, expected);
        let ran = plan.run(&cells, &mut bench, &mut progress, &mut journal, &mut notes);
        progress.step("cleaning up");
        let cleaned = bench.cleanup.undo_all();
        drop(progress);
        left = ran?;
        cleaned?;
    }
    if left > 0 {
        let all = plan.cells.len();
        let note = format!("{} of {all} runs done; start it again to go on", all - left);
        // a closed stderr must not end an experiment
        drop(writeln!(output.messages, "{note}"));
        notes.push(note);
    }
    let tally = Tally::of(&journal.seen);
    let matrix = Matrix { host: Host::read(), notes, left, tally, recordings: journal.seen };
    write(&matrix, options.format, output)?;
    Ok(matrix)
}

fn write(matrix: &Matrix, format: Format, output: &mut Output<'_>) -> Result<(), LabError> {
    let text = match format {
        Format::Text => page::text(matrix),
        Format::Json => {
            let json = serde_json::to_string_pretty(matrix).map_err(std::io::Error::from);
            json.map_err(LabError::step("write the results"))? + "\n"
        }
    };
    output.results.write_all(text.as_bytes()).map_err(LabError::step("write the results"))
}

/// One run of the matrix, recorded with all rights asked for at once.
#[derive(Clone, Debug)]
struct Cell {
    scenario: &'static Scenario,
    variant: &'static Variant,
    jdk: Jdk,
    collector: Collector,
    run: u32,
    /// Where to copy everything to: names of runs do not tell scenarios and collectors apart.
    keep: Option<PathBuf>,
}

/// What all of them together take and change.
fn takes(cells: &[&Cell]) -> Vec<Takes> {
    let mut scenarios: Vec<&Scenario> = cells.iter().map(|it| it.scenario).collect();
    scenarios.dedup_by_key(|it| it.id);
    scenarios.into_iter().flat_map(|it| (it.takes)()).collect()
}

/// The scenario with this id, if answers are counted for it.
fn of_its_cause(id: &str) -> Result<&'static Scenario, LabError> {
    let scenario = scenarios::find(id)?;
    if scenario.is_of_its_cause() {
        return Ok(scenario);
    }
    Err(LabError::Usage {
        message: format!(
            "`{id}` shows a remedy, and is not counted for the cause `{}`",
            scenario.cause
        ),
        hint: format!("whypause lab run {id}"),
    })
}

struct Plan<'a> {
    options: &'a MatrixOptions,
    program: &'a Path,
    privileges: Vec<Privilege>,
    cells: Vec<Cell>,
    notes: Vec<String>,
}

impl<'a> Plan<'a> {
    fn new(options: &'a MatrixOptions, program: &'a Path) -> Result<Plan<'a>, LabError> {
        let privileges = match options.privileges.as_slice() {
            [] => Privilege::ALL.to_vec(),
            some => some.to_vec(),
        };
        let mut plan = Plan { options, program, privileges, cells: Vec::new(), notes: Vec::new() };
        let scenarios: Vec<_> = match options.scenarios.as_slice() {
            [] => scenarios::ALL.iter().copied().filter(|it| it.is_of_its_cause()).collect(),
            ids => ids.iter().map(|it| of_its_cause(it)).collect::<Result<_, _>>()?,
        };
        let jdks = match (options.jdks.as_slice(), options.short) {
            ([], false) => jdks::found(),
            (words, _) => jdks::select(words)?,
        };
        let wanted: Vec<_> =
            options.collectors.iter().map(|it| Collector::find(it)).collect::<Result<_, _>>()?;
        for scenario in scenarios {
            options.variants.iter().try_for_each(|it| scenario.variant(it).map(drop))?;
            match (scenario.can_run)() {
                Ok(()) => {
                    plan.notes.extend(scenario.unable());
                    plan.add(scenario, &jdks, &wanted);
                }
                Err(reason) => plan.notes.push(format!("{}: {reason}", scenario.id)),
            }
        }
        Ok(plan)
    }

    fn add(&mut self, scenario: &'static Scenario, jdks: &[Jdk], wanted: &[Collector]) {
        let usual = if self.options.short { 1 } else { scenario.collectors.len() };
        let sensible = scenario.collectors.iter().copied();
        let collectors: Vec<_> = match wanted {
            // Serial shows what Parallel shows, and costs a third more time: only on request
            [] => sensible.filter(|it| *it != Collector::Serial).take(usual).collect(),
            wanted => sensible.filter(|it| wanted.contains(it)).collect(),
        };
        for jdk in jdks {
            for &collector in &collectors {
                let variants = scenario.variants.iter().filter(|it| self.is_wanted(it, jdk));
                for variant in variants.collect::<Vec<_>>() {
                    let keep = self.options.keep.as_ref();
                    let keep = keep.map(|it| it.join(scenario.id).join(collector.id()));
                    let of = |run| {
                        let (jdk, keep) = (jdk.clone(), keep.clone());
                        Cell { scenario, variant, jdk, collector, run, keep }
                    };
                    self.cells.extend((1..=self.options.runs.max(1)).map(of));
                }
            }
        }
    }

    fn is_wanted(&self, variant: &Variant, jdk: &Jdk) -> bool {
        let shown = match (self.options.variants.as_slice(), self.options.short) {
            ([], true) => matches!(variant.name, "baseline" | "fault"),
            ([], false) => variant.role != Role::Eased,
            (names, _) => names.iter().any(|it| it == variant.name),
        };
        shown && variant.fits(jdk) && (variant.can_run)().is_ok()
    }

    fn key(cell: &Cell, privilege: Privilege) -> Key {
        Key {
            scenario: cell.scenario.id.to_owned(),
            variant: cell.variant.name.to_owned(),
            jdk: cell.jdk.version.clone(),
            collector: cell.collector,
            privilege,
            run: cell.run,
        }
    }

    fn is_done(&self, cell: &Cell, journal: &Journal) -> bool {
        self.privileges.iter().all(|it| journal.has(&Plan::key(cell, *it)))
    }

    fn recorded(&self, scenario: &Scenario) -> Duration {
        let usual = if self.options.short { SHORT } else { scenario.recorded };
        self.options.recorded.unwrap_or(usual)
    }

    fn expected(&self, cell: &Cell) -> Duration {
        cell.scenario.warm_up + self.recorded(cell.scenario) + BESIDES
    }

    /// Returns how many are left for want of time.
    fn run(
        &self,
        cells: &[&Cell],
        bench: &mut Bench,
        progress: &mut Progress<'_, '_>,
        journal: &mut Journal,
        notes: &mut Vec<String>,
    ) -> Result<usize, LabError> {
        let pace = Pace::new(cells.iter().map(|it| self.expected(it)).collect());
        let begun = Instant::now();
        let before = self.cells.len() - cells.len();
        for (at, cell) in cells.iter().enumerate() {
            let elapsed = begun.elapsed();
            if self.options.within.is_some_and(|within| !pace.fits(at, elapsed, within)) {
                return Ok(cells.len() - at);
            }
            let (id, all) = (cell.scenario.id, self.cells.len());
            let (number, left) = (before + at + 1, pace::minutes(pace.left(at, elapsed)));
            let collector = cell.collector.id();
            progress.step(&format!("{number} of {all}: {id}, {collector}; {left} left"));
            match self.undisturbed(cell, bench, progress) {
                Ok(results) => {
                    for result in results {
                        journal.add(Seen::of(&result))?;
                    }
                }
                Err(LabError::Interrupted) => return Err(LabError::Interrupted),
                Err(error) => {
                    let (variant, jdk) = (cell.variant.name, cell.jdk.label());
                    let note = format!("{id}, {variant}, JDK {jdk}: {error}");
                    progress.say(&note);
                    notes.push(note);
                }
            }
        }
        Ok(0)
    }

    /// Repeats a run that was disturbed. The last one counts, whatever it was.
    fn undisturbed(
        &self,
        cell: &Cell,
        bench: &mut Bench,
        progress: &mut Progress<'_, '_>,
    ) -> Result<Vec<RunResult>, LabError> {
        let cpus = Host::cpus();
        let once = self.once(cell);
        let mut attempt = 1;
        loop {
            let mark = bench.cleanup.mark();
            let ran = once.run(bench, progress);
            bench.cleanup.undo_to(mark)?;
            progress.finished(BESIDES);
            let results = ran?;
            match disturbed::disturbed(&results, self.recorded(cell.scenario), cpus) {
                Some(word) if attempt < disturbed::ATTEMPTS => {
                    progress.say(&format!("{word}: once more"));
                    once.forget();
                    disturbed::wait_for_quiet(&bench.interrupt, progress, cpus)?;
                    attempt += 1;
                }
                _ => return Ok(results),
            }
        }
    }

    fn once<'b>(&'b self, cell: &'b Cell) -> Once<'b> {
        let manner = Manner {
            program: self.program,
            recorded: self.recorded(cell.scenario),
            privileges: &self.privileges,
            verify_writes: false,
            judge_log: true,
            keep: cell.keep.as_deref(),
        };
        let Cell { scenario, variant, ref jdk, collector, run, .. } = *cell;
        Once { manner, scenario, variant, jdk, collector, run }
    }
}
