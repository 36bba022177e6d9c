//! One run of one variant: prepared, warmed up, recorded, explained.
use crate::{
    Cleanup, Collector, Jdk, LabError, Privilege, Scenario, Staged, Variant, WorkDir,
    bench::Bench,
    explained::Explained,
    host,
    observe::Observer,
    output::Progress,
    result::{BlockedWrites, DiskUse, FromLog, RunResult, Stalled},
    sample::{self, Sample},
    scenarios::JudgedBy,
    small_file,
    stage::END_PATIENCE,
    table,
    verify_writes::{self, Call, WriteTrace},
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// How runs are recorded, the same for all of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner<'a> {
    /// The program that records and explains.
    pub(crate) program: &'a Path,
    /// How long each run is recorded.
    pub(crate) recorded: Duration,
    /// With which rights; at the same time where there are several.
    pub(crate) privileges: &'a [Privilege],
    /// Whether to measure blocked writes to the GC log independently.
    pub(crate) verify_writes: bool,
    /// Whether to explain the GC log alone, too, and judge that by the privileged recording.
    pub(crate) judge_log: bool,
    /// A directory to copy everything to.
    pub(crate) keep: Option<&'a Path>,
}

/// One run of one variant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Once<'a> {
    pub(crate) manner: Manner<'a>,
    pub(crate) scenario: &'static Scenario,
    pub(crate) variant: &'static Variant,
    pub(crate) jdk: &'a Jdk,
    pub(crate) collector: Collector,
    /// Which repetition, from 1.
    pub(crate) run: u32,
}

impl Once<'_> {
    fn name(&self) -> String {
        format!("{}-{}-{}", self.jdk.label(), self.variant.name, self.run)
    }

    /// Forgets what the last run copied, as another will take its place.
    pub(crate) fn forget(&self) {
        if let Some(keep) = self.manner.keep {
            let _ = std::fs::remove_dir_all(keep.join(self.name()));
        }
    }

    /// Runs it, and answers with one result for each kind of rights it was recorded with.
    pub(crate) fn run(
        &self,
        bench: &mut Bench,
        progress: &mut Progress<'_, '_>,
    ) -> Result<Vec<RunResult>, LabError> {
        let output = bench.fast.join(self.name());
        std::fs::create_dir(&output).map_err(LabError::step("create a directory"))?;
        let observed = self.observe(bench, progress, &output);
        if let Some(keep) = self.manner.keep {
            // what a failed run left is what one wants to see
            copy(&output, &keep.join(self.name()))
                .map_err(LabError::step(format!("copy to `{}`", keep.display())))?;
        }
        let _ = std::fs::remove_dir_all(&output);
        let results = observed?;
        for result in &results {
            progress.say(&table::line(result));
        }
        Ok(results)
    }

    fn observe(
        &self,
        bench: &mut Bench,
        progress: &mut Progress<'_, '_>,
        output: &Path,
    ) -> Result<Vec<RunResult>, LabError> {
        let Manner { program, recorded, privileges, .. } = self.manner;
        let what = format!("JDK {}, {}, run {}", self.jdk.label(), self.variant.name, self.run);
        progress.step(&format!("{what}: preparing ({})", self.variant.what));
        let mut staged = (self.variant.set_up)(&mut bench.stage(self.jdk, self.collector, output))?;
        progress.step(&format!("{what}: warming up"));
        self.warm_up(bench, &mut staged, progress)?;
        progress.step(&format!("{what}: recording for {} s", recorded.as_secs()));
        let isolation = bench.recorders.as_ref().filter(|_| staged.jvm.is_isolated());
        let observer =
            Observer { program, interrupt: &bench.interrupt, output, isolation, privileges };
        let trace = self.trace(&mut bench.cleanup, &bench.dir, &staged)?;
        let (stolen_before, disk_before) = (host::stolen(), disk_of(&bench.dir));
        let begun_ns = sample::now_ns();
        observer.record(&mut bench.cleanup, &mut staged, recorded, progress)?;
        let asked = begun_ns..sample::now_ns();
        let stolen = host::stolen().saturating_sub(stolen_before);
        let disk =
            disk_before.zip(disk_of(&bench.dir)).map(|(from, to)| DiskUse::between(&from, &to));
        let writes = trace.map(WriteTrace::finish).transpose()?;
        progress.finished(recorded);
        progress.step(&format!("{what}: explaining"));
        let log = kept_log(&staged, output);
        let workload = end(&mut bench.cleanup, staged, output);
        let result = |privilege: &Privilege| {
            let explained = observer.explain(&mut bench.cleanup, *privilege)?;
            let result = self.result(&explained, *privilege, &workload, writes.as_ref());
            let from_log = match self.manner.judge_log && *privilege == Privilege::Privileged {
                true => judge_log(&observer, &mut bench.cleanup, &log, &explained)?,
                false => None,
            };
            let stalled = match self.scenario.judged_by {
                JudgedBy::Pauses => None,
                JudgedBy::Stalls => {
                    let said = small_file::read(&output.join("jvm.out"));
                    Stalled::compare(&said, &explained, asked.clone())
                }
            };
            Ok(RunResult { stolen, disk, stalled, from_log, ..result })
        };
        privileges.iter().map(result).collect()
    }

    fn warm_up(
        &self,
        bench: &mut Bench,
        staged: &mut Staged,
        progress: &mut Progress<'_, '_>,
    ) -> Result<(), LabError> {
        let time = self.scenario.warm_up;
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
        let wanted = self.manner.verify_writes && self.scenario.writes_gc_log;
        let start = || WriteTrace::start(cleanup, dir, staged.jvm.pid(), staged.jvm.gc_log());
        wanted.then(start).transpose()
    }

    fn result(
        &self,
        explained: &Explained,
        privilege: Privilege,
        workload: &BTreeMap<String, u64>,
        writes: Option<&(Vec<Call>, u64)>,
    ) -> RunResult {
        let mut result = RunResult::new(self.scenario, self.variant, explained, workload);
        result.jdk = self.jdk.version.clone();
        result.jdk_feature = self.jdk.major;
        result.collector = self.collector;
        result.privilege = privilege;
        result.run = self.run;
        result.blocked_writes = writes.map(|(calls, lost_events)| BlockedWrites {
            calls: calls.len() as u64,
            measured: calls.iter().map(Call::time).sum(),
            // A write that the end of the recording found under way has no end that was measured.
            measured_in_pauses: verify_writes::inside(calls, &explained.whole()),
            explained: Duration::from_nanos(explained.time_in_whole(self.scenario.cause)),
            lost_events: *lost_events,
        });
        result
    }
}

/// Where the GC log is once the run has ended.
fn kept_log(staged: &Staged, output: &Path) -> PathBuf {
    let log = staged.jvm.gc_log();
    if log.starts_with(output) { log.to_path_buf() } else { output.join("gc.log") }
}

/// What the GC log alone says, judged by the recording; `None` where there is no log. A log that
/// cannot be explained is a finding, and no reason to lose the recording.
fn judge_log(
    observer: &Observer<'_>,
    cleanup: &mut Cleanup,
    log: &Path,
    recorded: &Explained,
) -> Result<Option<FromLog>, LabError> {
    if !log.exists() {
        return Ok(None);
    }
    match observer.explain_log(cleanup, log) {
        Ok(explained) => Ok(Some(FromLog::judge(recorded, &explained))),
        Err(LabError::Interrupted) => Err(LabError::Interrupted),
        Err(error) => Ok(Some(FromLog::failed(error.to_string()))),
    }
}

/// Counters of the slow disk, where there is one.
fn disk_of(dir: &WorkDir) -> Option<Sample> {
    let sample = Sample::take(&dir.path().join("slow"));
    sample.disk.is_some().then_some(sample)
}

/// Ends a run while keeping what it measured: the disk becomes fast first, or everything on it
/// would end only when the disk allows.
pub(crate) fn end(
    cleanup: &mut Cleanup,
    mut staged: Staged,
    output: &Path,
) -> BTreeMap<String, u64> {
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
