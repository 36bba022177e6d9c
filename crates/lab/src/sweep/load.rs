//! One run of the load in a control group of its own.
use crate::{
    Collector, Interrupt, Isolation, Jdk, LabError,
    bench::Bench,
    control_group::Weighed,
    isolation::Throttling,
    jvm::{Jvm, JvmCommand},
    stage::{END_PATIENCE, Stage},
    takes::Quota,
    workloads::Workload,
};
use std::{collections::BTreeMap, path::Path, time::Duration};

/// CPU time outside the kernel, and in it.
type Used = (Duration, Duration);

/// How long it may take to end, throttled as it is.
const LATE: Duration = Duration::from_secs(30);

pub(super) const HEAP_MIB: u32 = 1024;

/// One run of the load.
pub(super) struct Load<'a> {
    pub(super) jdk: &'a Jdk,
    pub(super) time: Duration,
    pub(super) quota: Option<Quota>,
    pub(super) gc_threads: u32,
    /// Allocations per second and thread; 0 for as many as possible.
    pub(super) rate: u32,
    /// Objects that a thread keeps at most.
    pub(super) queue: u32,
}

/// What one run of the load gave.
pub(super) struct Gave {
    pub(super) workload: BTreeMap<String, u64>,
    pub(super) throttling: Throttling,
    /// CPU time outside the kernel, from the moment when the load ran.
    pub(super) user: Duration,
    /// CPU time in the kernel.
    pub(super) system: Duration,
}

impl Load<'_> {
    /// Everything that it needs is there only while it runs.
    pub(super) fn run(&self, bench: &mut Bench) -> Result<Gave, LabError> {
        let mark = bench.cleanup.mark();
        let output = bench.fast.join("sweep");
        std::fs::create_dir(&output).map_err(LabError::step("create a directory"))?;
        let group = match self.quota {
            Some(quota) => Isolation::with_quota(&mut bench.cleanup, quota),
            None => Isolation::apart(&mut bench.cleanup),
        }?;
        let gave = self.measure(bench, &group, &output);
        let removed = std::fs::remove_dir_all(&output);
        bench.cleanup.undo_to(mark)?;
        let gave = gave?;
        removed.map_err(LabError::step(format!("remove `{}`", output.display())))?;
        Ok(gave)
    }

    fn measure(
        &self,
        bench: &mut Bench,
        group: &Isolation,
        output: &Path,
    ) -> Result<Gave, LabError> {
        let mut stage = Stage {
            cleanup: &mut bench.cleanup,
            interrupt: &bench.interrupt,
            isolation: None,
            dir: &bench.dir,
            classes: &bench.classes,
            fast: output,
            jdk: self.jdk,
            collector: Collector::Parallel,
        };
        let _weighed = Weighed::begin(stage.cleanup);
        let command = command(&stage, self);
        let mut jvm = stage.java_in(Some(group), &command)?;
        let before = group.throttling();
        // The JVM is all that the group has, so its CPU time is the group's.
        let used_before = used(jvm.pid()).unwrap_or_default();
        let (workload, used) = results(&mut jvm, &bench.interrupt, self.time)?;
        Ok(Gave {
            workload,
            throttling: since(before, group.throttling()),
            user: used.0.saturating_sub(used_before.0),
            system: used.1.saturating_sub(used_before.1),
        })
    }
}

/// Much survives each collection, so that there is work for GC threads. The JVM is kept from
/// choosing another number of threads, and from heeding the quota in that.
fn command<'a>(stage: &Stage<'a>, load: &Load<'_>) -> JvmCommand<'a> {
    let (rate, seconds) = (load.rate, load.time.as_secs().max(1));
    JvmCommand {
        heap_mib: HEAP_MIB,
        young_mib: 256,
        gc_threads: load.gc_threads,
        flags: ["-XX:-UseDynamicNumberOfGCThreads", "-XX:ActiveProcessorCount=2"]
            .map(str::to_owned)
            .to_vec(),
        arguments: vec![
            format!("rate={rate}"),
            format!("queue={}", load.queue),
            format!("drop={}", load.queue / 2),
            format!("seconds={seconds}"),
        ],
        ..stage.command(Workload::AllocLoad)
    }
}

/// CPU time of a process outside the kernel and in it, of which the kernel tells hundredths of a
/// second (`utime` and `stime` of `/proc/PID/stat`).
fn used(pid: u32) -> Option<Used> {
    used_in(&crate::small_file::read(Path::new(&format!("/proc/{pid}/stat"))))
}

fn used_in(stat: &str) -> Option<Used> {
    let (_, after) = stat.rsplit_once(')')?;
    let mut ticks = after.split_ascii_whitespace().skip(11).map(str::parse::<u64>);
    let mut next = || Some(Duration::from_millis(ticks.next()?.ok()? * 10));
    Some((next()?, next()?)).filter(|it| !it.0.is_zero())
}

/// Waits until the load has ended by itself, so that what it counted is of a known time. Answers
/// what it printed, and the CPU time that was last seen.
fn results(
    jvm: &mut Jvm,
    interrupt: &Interrupt,
    time: Duration,
) -> Result<(BTreeMap<String, u64>, Used), LabError> {
    let mut last = (Duration::ZERO, Duration::ZERO);
    interrupt.wait(time + LATE, || {
        // Nothing is left of it once it has ended.
        last = used(jvm.pid()).unwrap_or(last);
        Ok(jvm.check().is_err().then_some(()))
    })?;
    let workload = jvm.end(END_PATIENCE);
    if workload.contains_key("sleep_overrun_max_us") {
        return Ok((workload, last));
    }
    let message = "the load ended without results".into();
    Err(LabError::Program { program: "java".into(), message })
}

fn since(before: Throttling, after: Throttling) -> Throttling {
    Throttling {
        periods: after.periods.saturating_sub(before.periods),
        throttled_periods: after.throttled_periods.saturating_sub(before.throttled_periods),
        throttled: after.throttled.saturating_sub(before.throttled),
    }
}

impl Gave {
    /// Sum over the allocating threads of what the workload calls `alloc_N_KEY`.
    pub(super) fn of_threads<'a>(&'a self, key: &'a str) -> impl Iterator<Item = u64> + 'a {
        let of_thread = move |(name, _): &(&String, &u64)| {
            name.strip_prefix("alloc_").and_then(|it| it.split_once('_')).map(|it| it.1)
                == Some(key)
        };
        self.workload.iter().filter(of_thread).map(|(_, value)| *value)
    }

    pub(super) fn longest(&self, name: &str) -> Duration {
        let micros = self.workload.get(&format!("{name}_max_us")).copied();
        Duration::from_micros(micros.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_is_read_however_the_process_is_called() {
        let stat = "7 (a ) b) S 1 7 7 0 -1 4194304 9 0 0 0 250 30 1 2 20 0 9";
        let ms = Duration::from_millis;
        assert_eq!(used_in(stat), Some((ms(2500), ms(300))));
        assert_eq!(used_in("7 (java) Z 1"), None);
        assert_eq!(used_in(""), None);
    }
}
