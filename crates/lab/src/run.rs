//! Runs a scenario: each variant is prepared, warmed up, recorded, explained and cleaned away.
use crate::{
    Cleanup, Interrupt, Isolation, Jdk, LabError, Scenario, Stage, Staged, Variant, WorkDir,
    explained::Explained,
    fast_disk, jdks,
    observe::Observer,
    output::{Output, Progress},
    result::{BlockedWrites, RunResult},
    scenarios,
    stage::END_PATIENCE,
    table,
    verdict::{self, Outcome},
    verify_writes::{self, Call, WriteTrace},
    work_dir, workloads,
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::{Duration, Instant},
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
            recorded: None,
            runs: 1,
            keep: None,
            format: Format::Text,
            verify_writes: false,
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
    let mut bench = Bench::open(output)?;
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

/// Undoes what a killed run has left, and says what that was.
///
/// # Errors
/// [`LabError::Busy`] while a lab runs, [`LabError::LeftBehind`] where something resists.
pub fn clean() -> Result<Vec<String>, LabError> {
    let path = work_dir::default_path();
    if !path.exists() {
        return Ok(Vec::new());
    }
    let dir = WorkDir::open(&path)?;
    let (_cleanup, leftovers) = Cleanup::open(&dir)?;
    Ok(leftovers)
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
struct Plan<'a> {
    options: &'a RunOptions,
    scenario: &'static Scenario,
    variants: Vec<&'static Variant>,
    jdks: Vec<Jdk>,
    program: PathBuf,
    recorded: Duration,
}

impl<'a> Plan<'a> {
    fn new(options: &'a RunOptions) -> Result<Plan<'a>, LabError> {
        let scenario = scenarios::find(&options.scenario)?;
        let variants: Result<Vec<_>, _> =
            options.variants.iter().map(|it| scenario.variant(it)).collect();
        let mut variants = variants?;
        if variants.is_empty() {
            variants = scenario.variants.iter().collect();
        }
        if let [variant] = variants[..] {
            (variant.can_run)().map_err(LabError::CannotRun)?;
        }
        let jdks = jdks::select(&options.jdks)?;
        (scenario.can_run)().map_err(LabError::CannotRun)?;
        workloads::can_run().map_err(LabError::CannotRun)?;
        let program = match &options.program {
            Some(program) => program.clone(),
            None => std::env::current_exe().map_err(LabError::step("find this program"))?,
        };
        let recorded = options.recorded.unwrap_or(scenario.recorded);
        Ok(Plan { options, scenario, variants, jdks, program, recorded })
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

    /// What cannot be run.
    fn notes(&self) -> Vec<String> {
        let unfit = self.pairs().filter(|(jdk, variant)| !variant.fits(jdk));
        let unfit = unfit.map(|(jdk, variant)| {
            let (label, since) = (jdk.label(), variant.since_jdk);
            format!("jdk {label}: no `{}`, it came with JDK {since}", variant.name)
        });
        let blind = self.jdks.iter().filter(|jdk| jdk.major < verdict::FIRST_WITH_PROBES);
        let blind = blind.map(|jdk| {
            format!("jdk {}: no probes, so a fault need only be seen, not named", jdk.label())
        });
        let unable = self.variants.iter().filter_map(|variant| {
            let reason = (variant.can_run)().err()?;
            Some(format!("no `{}`: {reason}", variant.name))
        });
        unable.chain(unfit).chain(blind).collect()
    }

    fn run(
        &self,
        bench: &mut Bench,
        progress: &mut Progress<'_, '_>,
    ) -> Result<Vec<RunResult>, LabError> {
        let mut results = Vec::new();
        for (jdk, variant) in self.pairs().filter(|(jdk, variant)| variant.fits(jdk)) {
            for run in 1..=self.options.runs.max(1) {
                let mark = bench.cleanup.mark();
                let once = Once { plan: self, jdk, variant, run };
                results.push(once.run(bench, progress)?);
                bench.cleanup.undo_to(mark)?;
            }
        }
        Ok(results)
    }
}

/// What all runs share. Fields are dropped in this order: the clean-up while signals are still
/// caught and the directory is still locked.
#[derive(Debug)]
pub(crate) struct Bench {
    pub(crate) cleanup: Cleanup,
    pub(crate) isolation: Option<Isolation>,
    pub(crate) interrupt: Interrupt,
    pub(crate) fast: PathBuf,
    pub(crate) classes: PathBuf,
    pub(crate) dir: WorkDir,
}

impl Bench {
    pub(crate) fn open(output: &mut Output<'_>) -> Result<Bench, LabError> {
        let dir = WorkDir::open(&work_dir::default_path())?;
        let interrupt = Interrupt::listen()?;
        let (mut cleanup, leftovers) = Cleanup::open(&dir)?;
        for leftover in leftovers {
            drop(writeln!(output.messages, "removed what a killed run left: {leftover}"));
        }
        let isolation = match Isolation::create(&mut cleanup) {
            Ok(isolation) => Some(isolation),
            Err(LabError::CannotRun(reason)) => {
                let consequence = "other work on this host may lengthen pauses";
                drop(writeln!(output.messages, "no CPU isolation ({reason}): {consequence}"));
                None
            }
            Err(e) => return Err(e),
        };
        let fast = fast_disk::mount(&mut cleanup, &dir)?;
        let classes = fast.join("classes");
        workloads::unpack(&classes)?;
        Ok(Bench { cleanup, isolation, interrupt, fast, classes, dir })
    }
}

/// One run of one variant.
struct Once<'a> {
    plan: &'a Plan<'a>,
    jdk: &'a Jdk,
    variant: &'static Variant,
    run: u32,
}

impl Once<'_> {
    fn name(&self) -> String {
        format!("{}-{}-{}", self.jdk.label(), self.variant.name, self.run)
    }

    fn run(
        &self,
        bench: &mut Bench,
        progress: &mut Progress<'_, '_>,
    ) -> Result<RunResult, LabError> {
        let output = bench.fast.join(self.name());
        std::fs::create_dir(&output).map_err(LabError::step("create a directory"))?;
        let observed = self.observe(bench, progress, &output);
        if let Some(keep) = &self.plan.options.keep {
            // what a failed run left is what one wants to see
            copy(&output, &keep.join(self.name()))
                .map_err(LabError::step(format!("copy to `{}`", keep.display())))?;
        }
        let result = observed?;
        let _ = std::fs::remove_dir_all(&output);
        progress.say(&table::line(&result));
        Ok(result)
    }

    fn observe(
        &self,
        bench: &mut Bench,
        progress: &mut Progress<'_, '_>,
        output: &Path,
    ) -> Result<RunResult, LabError> {
        let what = format!("JDK {}, {}, run {}", self.jdk.label(), self.variant.name, self.run);
        progress.step(&format!("{what}: preparing ({})", self.variant.what));
        let mut staged = (self.variant.set_up)(&mut self.stage(bench, output))?;
        progress.step(&format!("{what}: warming up"));
        self.warm_up(bench, &mut staged, progress)?;
        progress.step(&format!("{what}: recording for {} s", self.plan.recorded.as_secs()));
        let observer =
            Observer { program: &self.plan.program, interrupt: &bench.interrupt, output };
        let trace = self.trace(&mut bench.cleanup, &bench.dir, &staged)?;
        observer.record(&mut bench.cleanup, &mut staged, self.plan.recorded, progress)?;
        let writes = trace.map(WriteTrace::finish).transpose()?;
        progress.finished(self.plan.recorded);
        progress.step(&format!("{what}: explaining"));
        let workload = end(&mut bench.cleanup, staged, output);
        let explained = observer.explain(&mut bench.cleanup)?;
        Ok(self.result(&explained, &workload, writes))
    }

    fn stage<'b>(&'b self, bench: &'b mut Bench, output: &'b Path) -> Stage<'b> {
        Stage {
            cleanup: &mut bench.cleanup,
            interrupt: &bench.interrupt,
            isolation: bench.isolation.as_ref(),
            dir: &bench.dir,
            classes: &bench.classes,
            fast: output,
            jdk: self.jdk,
        }
    }

    fn warm_up(
        &self,
        bench: &mut Bench,
        staged: &mut Staged,
        progress: &mut Progress<'_, '_>,
    ) -> Result<(), LabError> {
        let time = self.plan.scenario.warm_up;
        let begun = Instant::now();
        bench.interrupt.wait(time, || {
            progress.waited(begun.elapsed());
            staged.keep_going(&mut bench.cleanup)?;
            Ok(None::<()>)
        })?;
        progress.finished(time);
        Ok(())
    }

    fn trace(
        &self,
        cleanup: &mut Cleanup,
        dir: &WorkDir,
        staged: &Staged,
    ) -> Result<Option<WriteTrace>, LabError> {
        let wanted = self.plan.options.verify_writes && self.plan.scenario.writes_gc_log;
        let start = || WriteTrace::start(cleanup, dir, staged.jvm.pid(), staged.jvm.gc_log());
        wanted.then(start).transpose()
    }

    fn result(
        &self,
        explained: &Explained,
        workload: &BTreeMap<String, u64>,
        writes: Option<(Vec<Call>, u64)>,
    ) -> RunResult {
        let mut result = RunResult::new(self.plan.scenario, self.variant, explained, workload);
        result.jdk = self.jdk.version.clone();
        result.jdk_feature = self.jdk.major;
        result.run = self.run;
        result.blocked_writes = writes.map(|(calls, lost_events)| BlockedWrites {
            calls: calls.len() as u64,
            measured: calls.iter().map(Call::time).sum(),
            measured_in_pauses: verify_writes::inside(&calls, &explained.longest),
            explained: Duration::from_nanos(explained.time_of(self.plan.scenario.id)),
            lost_events,
        });
        result
    }
}

/// Ends a run while keeping what it measured: the disk becomes fast first, or everything on it
/// would end only when the disk allows.
fn end(cleanup: &mut Cleanup, mut staged: Staged, output: &Path) -> BTreeMap<String, u64> {
    cleanup.lift_limits();
    if let Some(disturbance) = &mut staged.disturbance {
        disturbance.stop(END_PATIENCE);
    }
    let log = staged.jvm.gc_log().to_path_buf();
    let workload = staged.jvm.end(END_PATIENCE);
    if !log.starts_with(output) {
        // only so that `--keep` has it; its disk goes away with the run
        let _ = std::fs::copy(&log, output.join("gc.log"));
    }
    workload
}

/// Copies a directory tree of plain files.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy(&entry.path(), &target)?;
        } else if kind.is_file() {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
