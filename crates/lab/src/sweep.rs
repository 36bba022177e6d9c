//! How a CPU quota and the number of GC threads act together: one short run for each pair.
//!
//! The load is that of the scenario `cfs-throttling`, allocating at full speed with ParallelGC.
//! What is measured is the application's own latency and what the kernel counts for the group;
//! nothing is recorded.
mod load;
pub(crate) mod pictures;
mod tables;

use crate::{
    Jdk, LabError, Output, Reason, Takes, bench::Bench, isolation, jdks, output::Progress,
    result::ns, run::Format, takes::Quota, workloads,
};
use diagnose::bandwidth::{Bandwidth, Step, replay};
use load::{Gave, Load};
use serde::Serialize;
use std::{path::PathBuf, time::Duration};

/// The quotas, in thousandths of a CPU.
const QUOTAS: [Option<u32>; 5] = [None, Some(2000), Some(1500), Some(1000), Some(500)];
const QUICK_QUOTAS: [Option<u32>; 3] = [None, Some(1000), Some(500)];

/// The numbers of stop-the-world GC threads.
const GC_THREADS: [u32; 4] = [1, 2, 4, 8];
const QUICK_GC_THREADS: [u32; 2] = [1, 8];

/// The kernel's usual period.
const PERIOD: Duration = Duration::from_millis(100);

/// The example: a quota that one collection can use up, in a long period.
const EXAMPLE: Quota =
    Quota { time: Duration::from_millis(90), period: Duration::from_millis(300) };

/// How long the load runs for each pair.
const TIME: Duration = Duration::from_secs(8);
const QUICK_TIME: Duration = Duration::from_secs(4);

/// What to run.
#[derive(Clone, Debug, Default)]
pub struct SweepOptions {
    /// Feature release or path of the JDK; 17, or the newest, where `None`.
    pub jdk: Option<String>,
    /// Fewer quotas and numbers of threads, for half as long.
    pub quick: bool,
    /// How long the load runs for each pair, in whole seconds.
    pub duration: Option<Duration>,
    /// How the answer is written.
    pub format: Format,
    /// A directory for the pictures; created where it does not exist.
    pub svg: Option<PathBuf>,
    /// Whether to run although others use this host.
    pub on_this_host: bool,
}

/// Everything that was measured.
#[derive(Clone, Debug, Serialize)]
pub struct Swept {
    /// Version of the JDK.
    pub jdk: String,
    /// CPUs of the host.
    pub cpus: u32,
    /// How long the load ran for each pair.
    #[serde(serialize_with = "ns")]
    pub duration: Duration,
    /// One for each quota and number of GC threads, in this order.
    pub cells: Vec<Cell>,
    /// The example, estimated and measured.
    pub example: Vec<Example>,
}

/// What one pair gave. In JSON all durations are integer nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Cell {
    /// The quota in thousandths of a CPU; `None` for no quota.
    pub quota_millicpus: Option<u32>,
    /// Stop-the-world GC threads.
    pub gc_threads: u32,
    /// Objects of 10 KiB that all threads together allocated in a second.
    pub allocations_per_s: u64,
    /// Allocations that took longer than 50 ms.
    pub over_50ms: u64,
    /// The longest allocation.
    #[serde(serialize_with = "ns")]
    pub longest: Duration,
    /// Periods in which the group wanted to run; 0 without a quota.
    pub periods: u64,
    /// Of these, how many used up the quota.
    pub throttled_periods: u64,
    /// For how long the group was throttled, summed over CPUs.
    #[serde(serialize_with = "ns")]
    pub throttled: Duration,
    /// CPU time that the group used outside the kernel, over all CPUs.
    #[serde(serialize_with = "ns")]
    pub user: Duration,
    /// CPU time that it used in the kernel.
    #[serde(serialize_with = "ns")]
    pub system: Duration,
}

/// A quota of 90 ms in 300 ms, estimated by the model and measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Example {
    /// Stop-the-world GC threads.
    pub gc_threads: u32,
    /// What a collection of 90 ms of CPU time must make of the application, on this host's CPUs.
    #[serde(serialize_with = "ns")]
    pub estimated: Duration,
    /// The same without a quota.
    #[serde(serialize_with = "ns")]
    pub estimated_without: Duration,
    /// The longest time by which a sleep of 1 ms was too long.
    #[serde(serialize_with = "ns")]
    pub observed: Duration,
    /// The same without a quota.
    #[serde(serialize_with = "ns")]
    pub observed_without: Duration,
    /// For how long the group was throttled in all.
    #[serde(serialize_with = "ns")]
    pub throttled: Duration,
}

/// Runs it and prints the tables. Everything it changes on the host is undone when it returns.
///
/// # Errors
/// Any [`LabError`].
pub fn sweep(options: &SweepOptions, output: &mut Output<'_>) -> Result<Swept, LabError> {
    can_run().map_err(LabError::CannotRun)?;
    let jdks = jdks::select(options.jdk.as_slice())?;
    let [jdk, ..] = &jdks[..] else {
        return Err(LabError::CannotRun(Reason::new("there is no JDK", "")));
    };
    let time = options.duration.unwrap_or(if options.quick { QUICK_TIME } else { TIME });
    let plan = Plan { jdk, time, quick: options.quick };
    let mut bench = Bench::open(options.on_this_host, plan.takes(), output)?;
    let mut progress = Progress::start(output, time * plan.runs());
    let swept = plan.run(&mut bench, &mut progress);
    let cleaned = bench.cleanup.undo_all();
    drop(progress);
    let swept = swept?;
    cleaned?;
    if let Some(dir) = &options.svg {
        std::fs::create_dir_all(dir)
            .map_err(LabError::step(format!("create `{}`", dir.display())))?;
        for picture in pictures::all(&swept)? {
            picture.write(dir, "cgroup-")?;
        }
    }
    write(&swept, options.format, output)?;
    Ok(swept)
}

/// A quota, for people.
pub(crate) use tables::quota as quota_said;

/// What a sweep takes of the host.
pub(crate) fn takes(jdk: &Jdk, quick: bool) -> Vec<Takes> {
    Plan { jdk, time: TIME, quick }.takes()
}

/// The measurement alone, on a host that is prepared.
pub(crate) fn measure(
    jdk: &Jdk,
    quick: bool,
    bench: &mut Bench,
    progress: &mut Progress<'_, '_>,
) -> Result<Swept, LabError> {
    let time = if quick { QUICK_TIME } else { TIME };
    Plan { jdk, time, quick }.run(bench, progress)
}

/// Whether this host can limit CPU time and has the load.
///
/// # Errors
/// What is missing.
pub fn can_run() -> Result<(), Reason> {
    isolation::can_run()?;
    workloads::can_run()
}

fn write(swept: &Swept, format: Format, output: &mut Output<'_>) -> Result<(), LabError> {
    let text = match format {
        Format::Text => tables::text(swept),
        Format::Json => serde_json::to_string_pretty(swept)
            .map(|it| it + "\n")
            .map_err(|e| LabError::step("write the results")(std::io::Error::from(e)))?,
    };
    output.results.write_all(text.as_bytes()).map_err(LabError::step("write the results"))
}

struct Plan<'a> {
    jdk: &'a Jdk,
    time: Duration,
    quick: bool,
}

impl Plan<'_> {
    fn pairs(&self) -> Vec<(Option<u32>, u32)> {
        let (quotas, threads) = match self.quick {
            true => (&QUICK_QUOTAS[..], &QUICK_GC_THREADS[..]),
            false => (&QUOTAS[..], &GC_THREADS[..]),
        };
        quotas.iter().flat_map(|quota| threads.iter().map(|threads| (*quota, *threads))).collect()
    }

    fn takes(&self) -> Vec<Takes> {
        let quotas = self.pairs().into_iter().filter_map(|(quota, _)| quota.map(of_millicpus));
        let quotas = quotas.chain([EXAMPLE]).map(Takes::Quota);
        [Takes::Heap { mib: load::HEAP_MIB }].into_iter().chain(quotas).collect()
    }

    fn example_threads(&self) -> &'static [u32] {
        if self.quick { &[4] } else { &[1, 4] }
    }

    fn runs(&self) -> u32 {
        u32::try_from(self.pairs().len() + 2 * self.example_threads().len()).unwrap_or(1)
    }

    fn run(&self, bench: &mut Bench, progress: &mut Progress<'_, '_>) -> Result<Swept, LabError> {
        let cpus = crate::Host::cpus();
        let mut cells = Vec::new();
        for (quota, gc_threads) in self.pairs() {
            progress.step(&format!("{}, GC threads: {gc_threads}", tables::quota(quota)));
            let gave = self.once(bench, quota.map(of_millicpus), gc_threads, FULL_SPEED)?;
            progress.finished(self.time);
            cells.push(cell(quota, gc_threads, &gave, self.time));
        }
        let mut example = Vec::new();
        for gc_threads in self.example_threads() {
            progress.step(&format!("90 ms of 300 ms, GC threads: {gc_threads}"));
            example.push(self.example(bench, cpus, *gc_threads)?);
            progress.finished(2 * self.time);
        }
        let jdk = self.jdk.version.clone();
        Ok(Swept { jdk, cpus, duration: self.time, cells, example })
    }

    fn once(
        &self,
        bench: &mut Bench,
        quota: Option<Quota>,
        gc_threads: u32,
        (rate, queue): (u32, u32),
    ) -> Result<Gave, LabError> {
        Load { jdk: self.jdk, time: self.time, quota, gc_threads, rate, queue }.run(bench)
    }

    fn example(&self, bench: &mut Bench, cpus: u32, gc_threads: u32) -> Result<Example, LabError> {
        let (estimated, _) = estimated(Some(EXAMPLE.time), cpus, gc_threads);
        let (_, estimated_without) = self::estimated(None, cpus, gc_threads);
        let mut measure = |quota, load| self.once(bench, quota, gc_threads, load);
        // How much CPU time a collection takes differs from host to host.
        let [mut load, heavier @ ..] = EXAMPLE_LOADS;
        let mut limited = measure(Some(EXAMPLE), load)?;
        for heavier in heavier {
            if limited.longest("sleep_overrun") >= estimated / 2 {
                break;
            }
            load = heavier;
            limited = measure(Some(EXAMPLE), load)?;
        }
        let free = measure(None, load)?;
        Ok(Example {
            gc_threads,
            estimated,
            estimated_without,
            observed: limited.longest("sleep_overrun"),
            observed_without: free.longest("sleep_overrun"),
            throttled: limited.throttling.throttled,
        })
    }
}

/// A collection that needs as much CPU time as [`EXAMPLE`]'s quota, under this quota: after how long
/// the application runs again, and after how long the collection is over.
fn estimated(quota: Option<Duration>, cpus: u32, gc_threads: u32) -> (Duration, Duration) {
    let cpus = usize::try_from(cpus).unwrap_or(usize::MAX);
    let bandwidth = Bandwidth { period: EXAMPLE.period, quota, burst: Duration::ZERO, cpus };
    let part = vec![Step::Run(EXAMPLE.time / gc_threads.max(1)), Step::Arrive(0)];
    let mut threads = vec![part; gc_threads as usize];
    let moment = Duration::from_nanos(1);
    threads.push(vec![Step::Await(0), Step::Run(moment)]);
    let found = replay(bandwidth, &threads, &[gc_threads as usize]);
    let over = found.as_ref().and_then(|it| it.released[0]).unwrap_or_default();
    (found.map_or(Duration::ZERO, |it| it.end - moment), over)
}

/// Allocations per second and thread, and objects that a thread keeps at most.
const FULL_SPEED: (u32, u32) = (0, 10_000);

/// So little that it is the collections that use the quota up; of these the first with which one
/// needs about as much CPU time as the quota.
const EXAMPLE_LOADS: [(u32, u32); 4] = [(4000, 4000), (4000, 8000), (6000, 12_000), (8000, 16_000)];

fn of_millicpus(millicpus: u32) -> Quota {
    Quota { time: PERIOD * millicpus / 1000, period: PERIOD }
}

fn cell(quota_millicpus: Option<u32>, gc_threads: u32, gave: &Gave, time: Duration) -> Cell {
    let longest_us = gave.of_threads("max_us").max().unwrap_or_default();
    Cell {
        quota_millicpus,
        gc_threads,
        allocations_per_s: gave.of_threads("count").sum::<u64>() / time.as_secs().max(1),
        over_50ms: gave.of_threads("over_50ms").sum(),
        longest: Duration::from_micros(longest_us),
        periods: gave.throttling.periods,
        throttled_periods: gave.throttling.throttled_periods,
        throttled: gave.throttling.throttled,
        user: gave.user,
        system: gave.system,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isolation::Throttling;

    #[test]
    fn a_cell_sums_over_threads_and_takes_the_longest() {
        let values = [
            ("alloc_0_count", 800),
            ("alloc_1_count", 400),
            ("alloc_0_over_50ms", 3),
            ("alloc_1_over_50ms", 4),
            ("alloc_0_over_50ms_total_us", 900_000),
            ("alloc_0_max_us", 70),
            ("alloc_1_max_us", 90),
            ("sleep_overrun_max_us", 1000),
        ];
        let workload = values.map(|(key, value)| (key.to_owned(), value)).into();
        let throttling = Throttling { periods: 80, throttled_periods: 79, ..Throttling::default() };
        let (user, system) = (Duration::from_secs(3), Duration::from_secs(1));
        let gave = Gave { workload, throttling, user, system };
        let cell = cell(Some(1000), 8, &gave, Duration::from_secs(4));
        assert_eq!((cell.allocations_per_s, cell.over_50ms), (300, 7));
        assert_eq!(cell.longest, Duration::from_micros(90));
        assert_eq!((cell.periods, cell.throttled_periods), (80, 79));
        assert_eq!((cell.user, cell.system), (user, system));
        assert_eq!(gave.longest("sleep_overrun"), Duration::from_millis(1));
    }

    #[test]
    fn a_collection_of_a_whole_quota_stops_the_application_for_a_period() {
        let ms = Duration::from_millis;
        let quota = Some(EXAMPLE.time);
        assert_eq!(estimated(quota, 4, 3), (ms(300), ms(30)));
        // two CPUs keep runtime that the other two lack
        let stranded = Duration::from_micros(302_500);
        assert_eq!(estimated(quota, 4, 4), (stranded, stranded));
        assert_eq!(estimated(quota, 4, 1), (ms(300), ms(90)));
        assert_eq!(estimated(None, 2, 4), (ms(45), ms(45)));
    }

    #[test]
    fn a_quota_is_a_share_of_the_period() {
        assert_eq!(of_millicpus(1500).time, Duration::from_millis(150));
        assert_eq!(of_millicpus(500).time, Duration::from_millis(50));
    }
}
