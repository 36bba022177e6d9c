//! The prepared host, and the ways in which parts run something on it.
use super::log::{self, Stops};
use crate::sample::{Sample, now_ns};
use crate::{
    Collector, Jdk, LabError, Stage, Staged,
    bench::Bench,
    control_group::Weighed,
    jvm::Jvm,
    once,
    output::Progress,
    scenarios,
    verify_writes::{Call, WriteTrace},
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

/// How often the host is sampled.
const EVERY: Duration = Duration::from_secs(1);

/// How long a JVM runs that nothing disturbs, before it is watched.
const ALONE_WARM_UP: Duration = Duration::from_secs(2);

/// What a part is given.
pub(crate) struct Lab<'a, 'p, 'o> {
    pub(crate) bench: &'a mut Bench,
    pub(crate) progress: &'a mut Progress<'p, 'o>,
    pub(crate) jdk: &'a Jdk,
    pub(crate) quick: bool,
    /// This program, for what is run as a user would run it.
    pub(crate) program: &'a Path,
}

/// What was seen of one run.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// When it began, in nanoseconds of the monotonic clock.
    pub(crate) begun_ns: u64,
    /// When it ended.
    pub(crate) ended_ns: u64,
    /// The host, once a second.
    pub(crate) samples: Vec<Sample>,
    /// The stops of its log that began between the two.
    pub(crate) stops: Stops,
    /// What the workload printed at its end.
    pub(crate) workload: BTreeMap<String, u64>,
    /// Work that was done at a time.
    pub(crate) work: Vec<(u64, u64)>,
    /// Blocked writes to the GC log, where they were traced.
    pub(crate) writes: Vec<Call>,
    /// The GC log.
    pub(crate) log: Vec<u8>,
}

impl Lab<'_, '_, '_> {
    /// One of two lengths.
    pub(crate) fn time(&self, quick_s: u64, full_s: u64) -> Duration {
        Duration::from_secs(if self.quick { quick_s } else { full_s })
    }

    /// A new directory in memory for one run, and the JVM's output.
    pub(crate) fn directory(&self, name: &str) -> Result<PathBuf, LabError> {
        let path = self.bench.fast.join(name);
        std::fs::create_dir(&path).map_err(LabError::step("create a directory"))?;
        Ok(path)
    }

    /// Runs a variant of a scenario for this time, after its warm-up.
    pub(crate) fn variant(
        &mut self,
        (scenario, variant): (&str, &str),
        time: Duration,
        traced: bool,
    ) -> Result<Seen, LabError> {
        let scenario = scenarios::find(scenario)?;
        let variant = scenario.variant(variant)?;
        (variant.can_run)().map_err(LabError::CannotRun)?;
        self.progress.step(&format!("{}: {}", scenario.id, variant.what));
        let mark = self.bench.cleanup.mark();
        let fast = self.directory(variant.name)?;
        let collector = scenario.collectors[0];
        let staged = (variant.set_up)(&mut self.bench.stage(self.jdk, collector, &fast));
        let seen = staged.and_then(|mut staged| {
            self.wait(&mut staged, scenario.warm_up, None)?;
            self.observe(staged, &fast, time, traced)
        });
        self.tidy(&fast, mark)?;
        seen
    }

    /// Removes what a run has left on the host, so that the next one finds it as this one did.
    pub(crate) fn tidy(&mut self, fast: &Path, mark: crate::cleanup::Mark) -> Result<(), LabError> {
        let undone = self.bench.cleanup.undo_to(mark);
        let _ = std::fs::remove_dir_all(fast);
        undone
    }

    fn observe(
        &mut self,
        mut staged: Staged,
        fast: &Path,
        time: Duration,
        traced: bool,
    ) -> Result<Seen, LabError> {
        let _weighed = Weighed::begin(&self.bench.cleanup);
        let (pid, log) = (staged.jvm.pid(), staged.jvm.gc_log().to_path_buf());
        let trace = match traced {
            true => Some(WriteTrace::start(&mut self.bench.cleanup, &self.bench.dir, pid, &log)?),
            false => None,
        };
        let begun_ns = now_ns();
        let mut samples = Vec::new();
        self.wait(&mut staged, time, Some(&mut samples))?;
        let writes = trace.map(WriteTrace::finish).transpose()?.map_or_else(Vec::new, |it| it.0);
        Ok(Seen { samples, writes, ..self.end(staged, fast, begun_ns)? })
    }

    /// Waits while it keeps going, and samples the host.
    pub(crate) fn wait(
        &mut self,
        staged: &mut Staged,
        time: Duration,
        mut samples: Option<&mut Vec<Sample>>,
    ) -> Result<(), LabError> {
        let disk = self.bench.dir.path().join("slow");
        let begun_ns = now_ns();
        let mut due_ns = begun_ns;
        let every_ns = u64::try_from(EVERY.as_nanos()).unwrap_or(u64::MAX);
        let Bench { interrupt, cleanup, .. } = &mut *self.bench;
        interrupt.wait(time, || {
            staged.keep_going(cleanup)?;
            if let Some(samples) = samples.as_deref_mut()
                && now_ns() >= due_ns
            {
                due_ns += every_ns;
                samples.push(Sample::take(&disk));
            }
            Ok(None::<()>)
        })?;
        self.progress.finished(time);
        Ok(())
    }

    /// Ends it, and reads what it has left.
    pub(crate) fn end(
        &mut self,
        staged: Staged,
        fast: &Path,
        begun_ns: u64,
    ) -> Result<Seen, LabError> {
        let ended_ns = now_ns();
        let workload = once::end(&mut self.bench.cleanup, staged, fast);
        let path = fast.join("gc.log");
        let log =
            std::fs::read(&path).map_err(LabError::step(format!("read `{}`", path.display())))?;
        let stops = log::stops(&log, begun_ns..ended_ns);
        let work = work(&crate::small_file::read(&fast.join("jvm.out")));
        Ok(Seen { begun_ns, ended_ns, stops, workload, work, log, ..Seen::default() })
    }

    /// Runs a JVM that nothing disturbs for this time, after a short warm-up. `name` is that of its
    /// directory: a colon in it would end the name of the GC log.
    pub(crate) fn alone(
        &mut self,
        name: &str,
        time: Duration,
        start: impl FnOnce(&mut Stage<'_>) -> Result<Jvm, LabError>,
    ) -> Result<Seen, LabError> {
        let mark = self.bench.cleanup.mark();
        let fast = self.directory(name)?;
        let jvm = start(&mut self.bench.stage(self.jdk, Collector::G1, &fast));
        let seen = jvm.and_then(|jvm| {
            let mut staged = Staged::alone(jvm);
            self.wait(&mut staged, ALONE_WARM_UP, None)?;
            self.observe(staged, &fast, time, false)
        });
        self.tidy(&fast, mark)?;
        seen
    }
}

impl Seen {
    /// A time of the monotonic clock, in seconds since the begin.
    #[expect(clippy::cast_precision_loss, reason = "a point of a picture needs no 64 bits")]
    pub(crate) fn seconds(&self, at_ns: u64) -> f64 {
        at_ns.saturating_sub(self.begun_ns) as f64 / 1e9
    }

    /// How long it was watched.
    pub(crate) fn length(&self) -> Duration {
        Duration::from_nanos(self.ended_ns.saturating_sub(self.begun_ns))
    }

    /// Work per second over time.
    #[expect(clippy::cast_precision_loss, reason = "a point of a picture needs no 64 bits")]
    pub(crate) fn throughput(&self) -> Vec<(f64, f64)> {
        let pairs = self.work.iter().zip(self.work.iter().skip(1));
        let inside = pairs.filter(|(from, _)| from.0 >= self.begun_ns);
        inside
            .map(|(from, to)| {
                let seconds = to.0.saturating_sub(from.0).max(1) as f64 / 1e9;
                (self.seconds(to.0), to.1.saturating_sub(from.1) as f64 / seconds)
            })
            .collect()
    }

    /// Pauses over time, in milliseconds.
    pub(crate) fn pauses(&self) -> Vec<(f64, f64)> {
        let all = self.stops.all.iter();
        all.map(|it| (self.seconds(it.begin_ns), it.length.as_secs_f64() * 1000.0)).collect()
    }
}

/// The lines `t_ns=… done=…` of a workload.
fn work(text: &str) -> Vec<(u64, u64)> {
    let line = |line: &str| {
        let (time, done) = line.strip_prefix("t_ns=")?.split_once(" done=")?;
        Some((time.parse().ok()?, done.parse().ok()?))
    };
    text.lines().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throughput_is_between_two_lines_of_the_workload() {
        let text = "ready=1\nt_ns=1000000000 done=5\nt_ns=2000000000 done=105\nt_ns=4000000000 \
                    done=205\nt_ns=5 done=x\nalloc_0_count=9";
        let seen = Seen { begun_ns: 1_000_000_000, work: work(text), ..Seen::default() };
        assert_eq!(seen.throughput(), [(1.0, 100.0), (3.0, 50.0)]);
        let later = Seen { begun_ns: 1_500_000_000, ..seen };
        assert_eq!(later.throughput(), [(2.5, 50.0)]);
    }
}
