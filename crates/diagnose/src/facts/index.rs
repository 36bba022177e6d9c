//! The facts of a recording, arranged for looking up.
use crate::{
    facts::{
        kernel_work::KernelWorkTimes,
        stacks::Signs,
        stood_still::{self, COUNTER},
    },
    history::History,
};
use recording::{
    Architecture, CpuUserFact, Facts, FileFact, FileKey, HostFact, Interval, JvmFact,
    KernelWorkKind, MonoTime, Source, StackFact, ThreadRole, ThreadSlice,
};
use std::{collections::BTreeMap, time::Duration};

/// Most slices of which the account of one pause is made: they take some 60 MB while it is made. A
/// stop of a minute with a hundred threads that are each on and off a CPU ten times a second has as
/// many.
const MOST_IN_A_PAUSE: usize = 1 << 17;

/// Facts by key. Borrowed from a recording; empty for an input that is only a log.
#[derive(Debug, Default)]
pub(crate) struct Index<'a> {
    pub(crate) jvm: Option<&'a JvmFact>,
    pub(crate) host: Option<&'a HostFact>,
    pub(crate) facts: Option<&'a Facts>,
    /// What the GC log tells over time, where there is one. Known only when all of it was read.
    pub(crate) log: Option<&'a History>,
    slices: BTreeMap<u32, Vec<&'a ThreadSlice>>,
    /// Begins and ends of all slices, in order, where there are enough that a pause may be crowded.
    edges: Option<(Vec<MonoTime>, Vec<MonoTime>)>,
    knows_taken: bool,
    work: KernelWorkTimes,
    samples: BTreeMap<&'a str, Vec<(MonoTime, u64)>>,
    /// When the host stood still, in order.
    stood_still: Vec<Interval>,
    threads: BTreeMap<u32, (&'a str, ThreadRole)>,
    files: BTreeMap<FileKey, &'a FileFact>,
    /// Runs of other processes, and sums of a second, each in order of their begin.
    cpu_users: [CpuUsers<'a>; 2],
    /// Each with what it shows.
    stacks: BTreeMap<u32, (&'a StackFact, Signs)>,
}

/// Rows in order of their begin, and how long the longest is.
#[derive(Debug, Default)]
struct CpuUsers<'a> {
    rows: Vec<&'a CpuUserFact>,
    longest: Duration,
}

impl<'a> CpuUsers<'a> {
    fn new(mut rows: Vec<&'a CpuUserFact>) -> CpuUsers<'a> {
        rows.sort_by_key(|it| it.interval);
        let longest = rows.iter().map(|it| it.interval.duration()).max().unwrap_or_default();
        CpuUsers { rows, longest }
    }

    /// The rows that share time with `interval`.
    fn during(&self, interval: Interval) -> impl Iterator<Item = &'a CpuUserFact> {
        let is_over = |it: &&CpuUserFact| it.interval.start + self.longest <= interval.start;
        let from = self.rows.partition_point(is_over);
        let rows = self.rows[from..].iter().copied();
        rows.take_while(move |it| it.interval.start < interval.end)
            .filter(move |it| it.interval.intersect(interval).is_some())
    }
}

fn edges(slices: &[ThreadSlice]) -> (Vec<MonoTime>, Vec<MonoTime>) {
    let mut starts: Vec<_> = slices.iter().map(|it| it.interval.start).collect();
    let mut ends: Vec<_> = slices.iter().map(|it| it.interval.end).collect();
    starts.sort_unstable();
    ends.sort_unstable();
    (starts, ends)
}

impl<'a> Index<'a> {
    /// Arranges `facts`.
    pub(crate) fn new(facts: &'a Facts) -> Index<'a> {
        let mut index = Index {
            jvm: facts.jvm.as_ref(),
            host: facts.host.as_ref(),
            facts: Some(facts),
            ..Index::default()
        };
        for slice in &facts.slices {
            index.slices.entry(slice.tid).or_default().push(slice);
        }
        index.edges = (facts.slices.len() > MOST_IN_A_PAUSE).then(|| edges(&facts.slices));
        index.knows_taken = facts.slices.iter().any(|it| !it.taken.is_zero());
        for it in &facts.samples {
            index.samples.entry(it.counter.as_str()).or_default().push((it.at, it.value));
        }
        for values in index.samples.values_mut() {
            values.sort_unstable();
        }
        let late = index.values(COUNTER).map(stood_still::late).unwrap_or_default();
        let mut stood_still = stood_still::without_events(late, facts);
        stood_still.retain(|it| index.is_not_steal(*it));
        index.stood_still = stood_still;
        index.work = KernelWorkTimes::new(&facts.kernel_work);
        for slices in index.slices.values_mut() {
            slices.sort_by_key(|slice| slice.interval);
        }
        index.threads.extend(facts.threads.iter().map(|it| (it.tid, (it.name.as_str(), it.role))));
        // The thread that fires the probes is the VM thread, whatever its name (JDK 8 names none).
        index.threads.extend(
            facts
                .safepoints
                .iter()
                .filter(|it| it.vm_tid != 0)
                .map(|it| (it.vm_tid, ("VM Thread", ThreadRole::VmThread))),
        );
        index.files.extend(facts.files.iter().map(|it| (it.key, it)));
        index.stacks.extend(facts.stacks.iter().map(|it| (it.id, (it, Signs::of(&it.frames)))));
        let (runs, sums) = facts.cpu_users.iter().partition(|it| it.cpu.is_some());
        index.cpu_users = [CpuUsers::new(runs), CpuUsers::new(sums)];
        index
    }

    /// For a log alone: its JVM and its history.
    pub(crate) fn of_log(jvm: &'a JvmFact, log: &'a History) -> Index<'a> {
        Index { jvm: Some(jvm), log: Some(log), ..Index::default() }
    }

    /// The same with the history of the log inside a recording.
    pub(crate) fn with_log(self, log: &'a History) -> Index<'a> {
        Index { log: Some(log), ..self }
    }

    /// The architecture of the host, which says what its system call numbers mean.
    pub(crate) fn architecture(&self) -> Architecture {
        self.host.map_or_else(Architecture::default, |it| Architecture::named(&it.architecture))
    }

    /// Role of a thread; a thread without a known name is a Java thread, as application threads are
    /// the only ones whose names are free.
    pub(crate) fn role(&self, tid: u32) -> ThreadRole {
        self.threads.get(&tid).map_or(ThreadRole::Java, |it| it.1)
    }

    /// Name of a thread, or its id where it has none.
    pub(crate) fn thread_name(&self, tid: u32) -> String {
        self.threads.get(&tid).map_or_else(|| format!("thread {tid}"), |it| it.0.to_owned())
    }

    /// File of a key.
    pub(crate) fn file(&self, key: FileKey) -> Option<&'a FileFact> {
        self.files.get(&key).copied()
    }

    /// Whether it is the JVM's file of counters, `/tmp/hsperfdata_USER/PID` (HotSpot
    /// `runtime/perfMemory.cpp`).
    pub(crate) fn is_counters_file(&self, key: Option<FileKey>) -> bool {
        let file = key.and_then(|key| self.file(key));
        file.is_some_and(|it| it.path.contains("/hsperfdata_"))
    }

    /// That file, where the JVM has it mapped and it is not in memory.
    pub(crate) fn counters_file_on_disk(&self) -> Option<&'a FileFact> {
        let mut files = self.files.values().copied();
        files.find(|it| {
            it.path.contains("/hsperfdata_")
                && !matches!(it.file_system.as_str(), "tmpfs" | "ramfs")
        })
    }

    /// Whether no other file on a disk is known to be mapped.
    pub(crate) fn maps_counters_alone(&self) -> bool {
        let on_disk = |it: &&FileFact| !matches!(it.file_system.as_str(), "tmpfs" | "ramfs");
        let mut mapped = self.files.values().copied().filter(|it| it.mapped).filter(on_disk);
        mapped.all(|it| it.path.contains("/hsperfdata_"))
    }

    /// Function names of a stack, innermost first.
    pub(crate) fn frames(&self, stack: Option<u32>) -> &'a [String] {
        stack.and_then(|id| self.stacks.get(&id)).map_or(&[], |it| &it.0.frames)
    }

    /// What a stack shows.
    pub(crate) fn signs(&self, stack: Option<u32>) -> Signs {
        stack.and_then(|id| self.stacks.get(&id)).map_or(Signs::default(), |it| it.1)
    }

    /// Whether any function of the stack is one of `names`.
    pub(crate) fn stack_has(&self, stack: Option<u32>, names: &[&str]) -> bool {
        self.frames(stack).iter().any(|frame| names.contains(&frame.as_str()))
    }

    /// The VM thread, where one is known.
    pub(crate) fn vm_thread(&self) -> Option<u32> {
        let known = self.threads.iter().filter(|it| it.1.1 == ThreadRole::VmThread);
        known.map(|it| *it.0).min_by_key(|tid| !self.slices.contains_key(tid))
    }

    /// Whether pauses are known only from what the JVM counts of them.
    pub(crate) fn has_counted_stops(&self) -> bool {
        let coverage = self.facts.and_then(|facts| facts.coverage.as_ref());
        coverage.is_some_and(|it| {
            it.ran(Source::SafepointCounters)
                && !it.ran(Source::SafepointProbes)
                && !it.ran(Source::SafepointSymbols)
        })
    }

    /// Threads with slices in the recording.
    pub(crate) fn threads_with_slices(&self) -> impl Iterator<Item = u32> + '_ {
        self.slices.keys().copied()
    }

    /// Slices of a thread that share time with `interval`, in order.
    pub(crate) fn slices_in(&self, tid: u32, interval: Interval) -> &[&'a ThreadSlice] {
        let all = self.slices.get(&tid).map_or(&[][..], Vec::as_slice);
        let from = all.partition_point(|it| it.interval.end <= interval.start);
        let to = all.partition_point(|it| it.interval.start < interval.end);
        &all[from..to.max(from)]
    }

    /// Whether more slices share time with `interval` than the account of one pause is made of.
    pub(crate) fn is_crowded(&self, interval: Interval) -> bool {
        let Some((starts, ends)) = &self.edges else { return false };
        let begun = starts.partition_point(|it| *it < interval.end);
        let over = ends.partition_point(|it| *it <= interval.start);
        begun.saturating_sub(over) > MOST_IN_A_PAUSE
    }

    /// The kernel's work that a thread did in `interval`: in order, nothing twice.
    pub(crate) fn work_in(&self, tid: u32, interval: Interval) -> &[(Interval, KernelWorkKind)] {
        self.work.of_thread_in(tid, interval)
    }

    /// How much a cumulative counter of the host grew around `windows`, which are in order: from
    /// the last reading before to the first after each. `None` where it was not read.
    pub(crate) fn growth(&self, counter: &str, windows: &[Interval]) -> Option<u64> {
        self.growth_over(counter, windows).map(|it| it.0)
    }

    /// The same, with the time between those readings.
    pub(crate) fn growth_over(
        &self,
        counter: &str,
        windows: &[Interval],
    ) -> Option<(u64, Duration)> {
        let values = self.samples.get(counter)?;
        let (mut grown, mut done) = (None, 0);
        for window in windows {
            let before = values.partition_point(|it| it.0 <= window.start).checked_sub(1);
            let after = values.partition_point(|it| it.0 < window.end);
            if let (Some(before), Some(last)) = (before, values.get(after)) {
                let first = values[before.max(done)];
                let (all, time) = grown.unwrap_or((0_u64, Duration::ZERO));
                let more = last.1.saturating_sub(first.1);
                grown = Some((all.saturating_add(more), time + last.0.since(first.0)));
                done = after;
            }
        }
        grown
    }

    /// All readings of a counter of the host, in order.
    pub(crate) fn values(&self, counter: &str) -> Option<&[(MonoTime, u64)]> {
        self.samples.get(counter).map(Vec::as_slice)
    }

    /// The names of all counters that were read, in order.
    pub(crate) fn counters(&self) -> impl Iterator<Item = &str> {
        self.samples.keys().copied()
    }

    /// Whether any slice tells what was taken of it.
    pub(crate) fn knows_taken(&self) -> bool {
        self.knows_taken
    }

    /// How many thousandths of the host's CPU time the hypervisor gave to others between the
    /// readings around `interval`; `None` where that was not read.
    pub(crate) fn steal_share(&self, interval: Interval) -> Option<u64> {
        let values = self.samples.get("cpu.steal_ms")?;
        let before = values.partition_point(|it| it.0 <= interval.start).checked_sub(1)?;
        let last = values.get(values.partition_point(|it| it.0 < interval.end))?;
        let first = values[before];
        let cpus = u128::from(self.host?.cpus.max(1));
        let wall_ms = last.0.since(first.0).as_millis() * cpus;
        let stolen = u128::from(last.1.saturating_sub(first.1)) * 1000;
        u64::try_from(stolen.checked_div(wall_ms)?).ok()
    }

    /// The times in which the host stood still that share time with `interval`, in order.
    pub(crate) fn stood_still(&self, interval: Interval) -> &[Interval] {
        let from = self.stood_still.partition_point(|it| it.end <= interval.start);
        let to = self.stood_still.partition_point(|it| it.start < interval.end);
        &self.stood_still[from..to.max(from)]
    }

    /// Whether the kernel has booked less than half of this time as steal, on all CPUs together. Where that
    /// was not read, it is not known.
    fn is_not_steal(&self, interval: Interval) -> bool {
        let stolen = self.growth("cpu.steal_ms", &[interval]).map(Duration::from_millis);
        stolen.is_some_and(|it| it * 2 < interval.duration())
    }

    /// How many CPUs the JVM may run on; 0 where that is not known.
    pub(crate) fn allowed_cpus(&self) -> u32 {
        let online = self.host.map_or(0, |host| host.cpus);
        match crate::values::cpu_list::count(self.jvm.map_or("", |jvm| &jvm.cpus_allowed)) {
            0 => online,
            // The list of one that may run anywhere has CPUs that could be added to a machine.
            allowed if online > 0 => allowed.min(online),
            allowed => allowed,
        }
    }

    /// Whether a process that may run on these CPUs may have one that the JVM could have.
    pub(crate) fn shares_cpus(&self, cpus_allowed: &str) -> bool {
        crate::values::cpu_list::overlap(cpus_allowed, self.jvm.map_or("", |jvm| &jvm.cpus_allowed))
    }

    /// Runs of other processes on one CPU that share time with `interval`.
    pub(crate) fn runs_in(&self, interval: Interval) -> impl Iterator<Item = &'a CpuUserFact> {
        self.cpu_users[0].during(interval)
    }

    /// CPU time of processes in intervals that share time with `interval`.
    pub(crate) fn cpu_sums_in(&self, interval: Interval) -> impl Iterator<Item = &'a CpuUserFact> {
        self.cpu_users[1].during(interval)
    }

    /// The slice of a thread that covers the last nanosecond before `at`.
    pub(crate) fn slice_before(&self, tid: u32, at: MonoTime) -> Option<&'a ThreadSlice> {
        let all = self.slices.get(&tid)?;
        let after = all.partition_point(|it| it.interval.start < at);
        all[..after].last().copied().filter(|it| it.interval.end >= at)
    }

    /// The end of the last slice of a thread that ends at or before `at`.
    pub(crate) fn last_end_before(&self, tid: u32, at: MonoTime) -> Option<MonoTime> {
        let all = self.slices.get(&tid)?;
        let after = all.partition_point(|it| it.interval.start < at);
        all[..after].last().map(|it| it.interval.end.min(at))
    }
}
