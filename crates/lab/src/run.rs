//! Runs a scenario: each variant is prepared, warmed up, recorded, explained and cleaned away.
use crate::{
    Cleanup, Collector, Interrupt, Jdk, LabError, Privilege, Scenario, Takes, Variant, WorkDir,
    bench::Bench,
    guardian, jdks,
    once::{Manner, Once},
    output::{Output, Progress},
    result::RunResult,
    scenarios, table,
    verdict::{self, Outcome},
    work_dir, workloads,
};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// How results are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// A table for people.
    #[default]
    Text,
    /// One JSON document.
    Json,
}

/// What to run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Id of a scenario.
    pub scenario: String,
    /// Names of variants; all where empty.
    pub variants: Vec<String>,
    /// Feature releases or paths of JDKs; 17, or the newest, where empty.
    pub jdks: Vec<String>,
    /// The collector's name; the scenario's first where `None`.
    pub collector: Option<String>,
    /// With which rights to record.
    pub privilege: Privilege,
    /// How long to record each variant; the scenario's own time where `None`.
    pub recorded: Option<Duration>,
    /// How often to run each variant, at least once.
    pub runs: u32,
    /// A directory to copy recordings, logs and answers to; created where it does not exist.
    pub keep: Option<PathBuf>,
    /// How results are written.
    pub format: Format,
    /// Whether to measure blocked writes to the GC log independently.
    pub verify_writes: bool,
    /// Whether to run although others use this host.
    pub on_this_host: bool,
    /// The program that records and explains; this one where `None`.
    pub program: Option<PathBuf>,
}

impl RunOptions {
    /// One run of all variants of a scenario.
    #[must_use]
    pub fn new(scenario: &str) -> RunOptions {
        RunOptions {
            scenario: scenario.to_owned(),
            variants: Vec::new(),
            jdks: Vec::new(),
            collector: None,
            privilege: Privilege::Privileged,
            recorded: None,
            runs: 1,
            keep: None,
            format: Format::Text,
            verify_writes: false,
            on_this_host: false,
            program: None,
        }
    }
}

/// Runs a scenario and prints what came out. Everything it changes on the host is undone when it
/// returns, however it returns.
///
/// # Errors
/// Any [`LabError`]; where the scenario ran to its end the answer is an [`Outcome`], passed or
/// not.
pub fn run(options: &RunOptions, output: &mut Output<'_>) -> Result<Outcome, LabError> {
    let plan = Plan::new(options)?;
    let mut bench = Bench::open(options.on_this_host, plan.takes(), output)?;
    let mut progress = Progress::start(output, plan.expected());
    let ran = plan.run(&mut bench, &mut progress);
    progress.step("cleaning up");
    let cleaned = bench.cleanup.undo_all();
    drop(progress);
    // the first thing that went wrong is what the user must know
    let results = ran?;
    cleaned?;
    let outcome = verdict::judge(results, plan.notes());
    write(&outcome, options.format, output)?;
    Ok(outcome)
}

/// What [`clean`] found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cleaned {
    /// Each thing that a killed run had left and that is undone now.
    pub removed: Vec<String>,
    /// What to say of lines of the journal that cannot be read, where there are some.
    pub unread: Option<String>,
}

/// Undoes what a killed run has left, and says what that was.
///
/// # Errors
/// [`LabError::Busy`] while a lab runs, [`LabError::LeftBehind`] where something resists.
pub fn clean() -> Result<Cleaned, LabError> {
    let path = work_dir::default_path();
    if !path.exists() {
        return Ok(Cleaned::default());
    }
    let dir = WorkDir::open_when_clean(&path, &Interrupt::listen()?)?;
    let (cleanup, removed) = Cleanup::open(&dir)?;
    guardian::forget_log(&dir);
    Ok(Cleaned { removed, unread: cleanup.word_of_unread() })
}

fn write(outcome: &Outcome, format: Format, output: &mut Output<'_>) -> Result<(), LabError> {
    let text = match format {
        Format::Text => table::text(outcome),
        Format::Json => serde_json::to_string_pretty(outcome)
            .map(|it| it + "\n")
            .map_err(|e| LabError::step("write the results")(std::io::Error::from(e)))?,
    };
    output.results.write_all(text.as_bytes()).map_err(LabError::step("write the results"))
}

/// What the options mean on this host.
pub(crate) struct Plan<'a> {
    options: &'a RunOptions,
    pub(crate) scenario: &'static Scenario,
    pub(crate) variants: Vec<&'static Variant>,
    pub(crate) jdks: Vec<Jdk>,
    program: PathBuf,
    recorded: Duration,
    pub(crate) collector: Collector,
}

impl<'a> Plan<'a> {
    /// Looks whether they can be met here.
    pub(crate) fn new(options: &'a RunOptions) -> Result<Plan<'a>, LabError> {
        let scenario = scenarios::find(&options.scenario)?;
        let variants: Result<Vec<_>, _> =
            options.variants.iter().map(|it| scenario.variant(it)).collect();
        let mut variants = variants?;
        if variants.is_empty() {
            variants = scenario.variants.iter().collect();
        }
        if variants.iter().all(|it| (it.can_run)().is_err()) {
            (variants[0].can_run)().map_err(LabError::CannotRun)?;
        }
        let jdks = jdks::select(&options.jdks)?;
        (scenario.can_run)().map_err(LabError::CannotRun)?;
        workloads::can_run().map_err(LabError::CannotRun)?;
        let program = program(options.program.as_deref())?;
        let collector = match &options.collector {
            Some(id) => Collector::find(id)?,
            None => scenario.collectors[0],
        };
        let recorded = options.recorded.unwrap_or(scenario.recorded);
        Ok(Plan { options, scenario, variants, jdks, program, recorded, collector })
    }

    /// JDK and variant of every run, one after the other.
    fn pairs(&self) -> impl Iterator<Item = (&Jdk, &'static Variant)> {
        let able = || self.variants.iter().filter(|it| (it.can_run)().is_ok());
        self.jdks.iter().flat_map(move |jdk| able().map(move |variant| (jdk, *variant)))
    }

    /// How long all waits together take.
    fn expected(&self) -> Duration {
        let runs = self.pairs().filter(|(jdk, variant)| variant.fits(jdk)).count();
        let runs = u32::try_from(runs).unwrap_or(1).saturating_mul(self.options.runs.max(1));
        (self.scenario.warm_up + self.recorded).saturating_mul(runs)
    }

    fn takes(&self) -> Vec<Takes> {
        let trace = self.options.verify_writes && self.scenario.writes_gc_log;
        (self.scenario.takes)().into_iter().chain(trace.then_some(Takes::Trace)).collect()
    }

    /// What cannot be run.
    fn notes(&self) -> Vec<String> {
        let unfit = self.pairs().filter(|(jdk, variant)| !variant.fits(jdk));
        let unfit = unfit.map(|(jdk, variant)| {
            let (label, since) = (jdk.label(), variant.since_jdk);
            format!("jdk {label}: no `{}`, it came with JDK {since}", variant.name)
        });
        let unable = self.variants.iter().filter_map(|variant| {
            let reason = (variant.can_run)().err()?;
            Some(format!("no `{}`: {reason}", variant.name))
        });
        unable.chain(unfit).collect()
    }

    fn run(
        &self,
        bench: &mut Bench,
        progress: &mut Progress<'_, '_>,
    ) -> Result<Vec<RunResult>, LabError> {
        let (scenario, manner) = (self.scenario, self.manner());
        let mut results = Vec::new();
        for (jdk, variant) in self.pairs().filter(|(jdk, variant)| variant.fits(jdk)) {
            for run in 1..=self.options.runs.max(1) {
                let mark = bench.cleanup.mark();
                let collector = self.collector;
                let once = Once { manner, scenario, variant, jdk, collector, run };
                results.extend(once.run(bench, progress)?);
                bench.cleanup.undo_to(mark)?;
            }
        }
        Ok(results)
    }

    fn manner(&self) -> Manner<'_> {
        Manner {
            program: &self.program,
            recorded: self.recorded,
            privileges: std::slice::from_ref(&self.options.privilege),
            verify_writes: self.options.verify_writes,
            judge_log: false,
            keep: self.options.keep.as_deref(),
        }
    }
}

/// The program that records and explains: the one given, or this one.
pub(crate) fn program(given: Option<&Path>) -> Result<PathBuf, LabError> {
    match given {
        Some(program) => Ok(program.to_path_buf()),
        None => std::env::current_exe().map_err(LabError::step("find this program")),
    }
}
