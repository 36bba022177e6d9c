//! One recording of one JVM by samples.
use super::{
    counts::StopCounters,
    credit::Credit,
    freezer::Freezer,
    idle::Idle,
    keep::Keep,
    quota::Quota,
    reported::{allow_many_files, coverage, fact},
    stops::{Stop, Stops},
    watch::{Closeness, Watch},
};
use crate::{
    AttachError, Jvm, Options, Step,
    cost::Cost,
    host::{
        Counters, CountersFile, HostSources, ProcessDir, now, open_libjvm, thread_cpu, written_back,
    },
    kernel::{Budget, Threads},
    process::{Gone, Process},
    rights::keep_only,
};
use recording::{Coverage, Facts, MonoTime, Source, SourceState};
use std::{collections::HashMap, time::Duration};

mod rows;
mod under_way;

/// How often facts are handed over.
const BETWEEN_STEPS: Duration = Duration::from_millis(50);
const BETWEEN_COVERAGES: Duration = Duration::from_secs(1);
/// How often the list of threads is read, at most and at least.
const BETWEEN_LISTS: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(10)];
/// The wait is this many times what it took, which keeps it at a thousandth of a CPU.
const LIST_COST_FACTOR: u32 = 1000;
/// How often the counters of the host are read while a stop lasts, beside the usual once a second.
const BETWEEN_COUNTERS: Duration = Duration::from_millis(100);
/// How often the JVM's counters are looked for where they are not there yet, and how many times.
const BETWEEN_SEARCHES: Duration = Duration::from_secs(1);
const MAX_SEARCHES: u32 = 30;
/// A piece that grows for longer is handed over in parts.
const LONGEST_PIECE: Duration = Duration::from_secs(2);
/// The freezer is read once in this number of rounds.
const FREEZER_ROUNDS: u64 = 2;
/// More files that the JVM writes to through memory need not be known to tell that there are some.
const MAX_WRITTEN_FILES: usize = 8;
/// Bytes of what the kernel reports of a call: nine numbers.
const MOST_CALL_BYTES: u64 = 256;
/// How often such files are looked for.
const BETWEEN_MAPS: Duration = Duration::from_secs(60);

/// Before this much of a stop no counters of the host are read for it.
const LONG_STOP: Duration = Duration::from_millis(10);

/// How long after a stop the pieces that still grow are ended, so that they can be kept with it.
const TIME_TO_CUT: Duration = Duration::from_millis(60);
/// How long after a stop it is reported, with all its pieces.
const REPORT_DELAY: Duration = Duration::from_millis(350);

/// A running recording by samples, which needs no privilege.
#[derive(Debug)]
pub struct SampledSession {
    options: Options,
    pid: u32,
    process: Process,
    dir: ProcessDir,
    roles: Threads,
    watch: Watch,
    quota: Quota,
    freezer: Freezer,
    counters: Option<StopCounters>,
    /// The threads at the begin, for the case that no source reports stops.
    idle: Idle,
    searches: u32,
    rounds: u64,
    stops: Stops,
    /// Stops whose pieces are still decided on; whether these were ended.
    over: Vec<(Stop, bool)>,
    keep: Keep,
    credit: Credit,
    /// CPU time of the thread at the last round.
    spent: Duration,
    budget: Budget,
    functions: HashMap<String, u32>,
    host: HostSources,
    host_counters: Counters,
    coverage: Coverage,
    cost: Cost,
    facts: Facts,
    started: MonoTime,
    next: Next,
    gone: Option<Gone>,
}

/// When what is due.
#[derive(Debug)]
struct Next {
    round: MonoTime,
    last_round: MonoTime,
    list: MonoTime,
    search: MonoTime,
    counters: MonoTime,
    coverage: MonoTime,
}

impl SampledSession {
    /// Begins to watch `jvm`.
    ///
    /// # Errors
    ///
    /// Where the process has ended, or may not be inspected: it belongs to another user.
    pub fn start(jvm: &Jvm, options: Options) -> Result<SampledSession, AttachError> {
        allow_many_files();
        let proc = &options.roots.proc;
        let process = Process::hold(&options.roots, jvm)?;
        let gone = |_| AttachError::NoSuchProcess { pid: jvm.pid };
        let open =
            || ProcessDir::open(&options.roots, jvm.pid).map(ProcessDir::trusted).map_err(gone);
        let (dir, at) = (open()?, now());
        let mut roles = Threads::new(proc, jvm.pid);
        let mut keep = Keep::default();
        let mut watch = Watch::new(open()?);
        watch.refresh(&mut roles, at, &mut keep);
        let quota = Quota::open(&options.roots, &dir);
        let mut coverage = coverage(&quota);
        // The way through the mapping is closed to who has few rights.
        let libjvm = open_libjvm(&options.roots, jvm);
        keep_only(options.duties_after, &mut coverage, || true);
        let idle = Idle::sample(&dir, &mut roles);
        let mut session = SampledSession {
            idle,
            pid: jvm.pid,
            freezer: Freezer::open(&options.roots, &dir),
            host_counters: Counters::open(&options.roots, jvm.pid),
            host: HostSources::start(&options.roots, jvm),
            cost: Cost::new(proc, jvm.pid),
            coverage,
            budget: Budget::new(options.detail_budget_per_s.max(500), at),
            counters: None,
            searches: 0,
            rounds: 0,
            stops: Stops::default(),
            over: Vec::new(),
            credit: Credit::new(),
            spent: thread_cpu(),
            functions: HashMap::new(),
            facts: Facts::default(),
            started: at,
            next: Next {
                round: at,
                last_round: at,
                list: at + BETWEEN_LISTS[0],
                search: at + BETWEEN_SEARCHES,
                counters: at,
                coverage: at,
            },
            gone: None,
            options,
            process,
            dir,
            roles,
            watch,
            quota,
            keep,
        };
        let over = Some(session.options.stalls_over).filter(|it| !it.is_zero());
        session.keep.stalls_over = over.filter(|_| session.reads_calls());
        session.watch.asks_all = session.keep.stalls_over.is_some();
        session.search();
        session.begin(jvm, &libjvm);
        Ok(session)
    }

    /// Samples the threads until the next facts are due, or until the JVM ends, and returns what
    /// became final.
    pub fn step(&mut self) -> Step {
        let until = now() + BETWEEN_STEPS;
        while self.gone.is_none() && now() < until {
            let wait = self.next.round.since(now());
            self.gone = self.process.gone_within(wait);
            if self.gone.is_none() {
                self.round();
            }
        }
        let at = now();
        let mut facts = self.collect(at, self.gone.is_some());
        if at >= self.next.coverage {
            self.next.coverage = at + BETWEEN_COVERAGES;
            self.cost.read_jvm_cpu();
            facts.coverage = Some(self.coverage_now());
        }
        Step { facts, exited: self.gone.is_some() }
    }

    /// Takes what is left and says what was covered and at what cost.
    #[must_use]
    pub fn finish(mut self) -> Facts {
        self.cost.read_jvm_cpu();
        self.gone = self.gone.or(self.process.gone());
        let mut facts = self.collect(now(), true);
        let mut coverage = self.coverage_now();
        if self.counters.is_none() && self.gone.is_none() {
            self.idle.note_in(&self.dir, &mut self.roles, &mut coverage);
        }
        if let Some(gone) = self.gone {
            gone.note_in(&mut coverage);
        }
        self.host.stop(&mut facts, &mut coverage);
        coverage.recorder_cpu = self.cost.own_cpu();
        facts.coverage = Some(coverage);
        facts
    }

    fn round(&mut self) {
        let (at, begun) = (now(), thread_cpu());
        self.refresh(at);
        let refreshed = thread_cpu().saturating_sub(begun);
        let stop = self.counters.as_ref().and_then(StopCounters::read);
        let stop = stop.and_then(|counts| self.stops.sample(at, counts));
        self.quota.sample(at);
        self.rounds += 1;
        if self.rounds.is_multiple_of(FREEZER_ROUNDS)
            && let Some(frozen) = self.freezer.sample(at)
        {
            self.watch.frozen(frozen, &mut self.keep);
        }
        let extra = match self.freezer.since() {
            None => self.sample(at, stop),
            Some(_) => Duration::ZERO,
        };
        self.read_host_counters(at, stop);
        if let Some(stop) = stop {
            self.keep.stop(stop.interval);
            self.over.push((stop, false));
        }
        let elapsed = at.since(std::mem::replace(&mut self.next.last_round, at));
        // With what the steps between the rounds cost.
        let spent = thread_cpu();
        self.credit.round(elapsed, spent.saturating_sub(self.spent), extra + refreshed);
        self.spent = spent;
        self.next.round =
            (self.next.round + self.credit.period(self.stops.since().is_some())).max(now());
    }

    fn sample(&mut self, at: MonoTime, over: Option<Stop>) -> Duration {
        let closeness = match (self.stops.since(), self.counters.is_some()) {
            (Some(_), _) if self.stops.is_reaching() => Closeness::Reaching,
            (Some(_), _) => Closeness::Stopped,
            (None, false) => Closeness::Unknown,
            (None, true) => Closeness::Running,
        };
        // With the last of a stop, so that it is seen to its end.
        let closeness = if over.is_some() { Closeness::Stopped } else { closeness };
        let since = over.map(|it| it.interval.start).or(self.stops.since());
        self.watch.round(at, (closeness, since), &self.credit, (&self.quota, &mut self.keep))
    }

    /// What need not be done in every round.
    fn refresh(&mut self, at: MonoTime) {
        if at >= self.next.list && self.stops.since().is_none() {
            let before = thread_cpu();
            self.watch.refresh(&mut self.roles, at, &mut self.keep);
            self.quota.refresh(&self.options.roots, &self.dir);
            let cost = thread_cpu().saturating_sub(before) * LIST_COST_FACTOR;
            self.next.list = at + cost.clamp(BETWEEN_LISTS[0], BETWEEN_LISTS[1]);
        }
        if at >= self.next.search && self.counters.is_none() && self.searches < MAX_SEARCHES {
            self.next.search = at + BETWEEN_SEARCHES;
            self.search();
        } else if at >= self.next.search && self.counters.is_some() {
            self.next.search = at + BETWEEN_MAPS;
            self.find_written_files();
        }
    }

    /// Looks for the JVM's counters.
    fn search(&mut self) {
        self.searches += 1;
        let file = CountersFile::find(&self.options.roots, self.pid);
        self.counters = file.as_ref().and_then(|it| StopCounters::open(it, &self.dir));
        let why_not = || CountersFile::why_not(file.as_ref(), &self.dir);
        let state = match self.counters {
            Some(_) => SourceState::Recorded,
            None => SourceState::Missing(why_not()),
        };
        self.coverage.sources.insert(Source::SafepointCounters, state);
        if let Some(file) = file {
            // So that its fact says which disk it is on.
            self.host.files().by_inode(file.key.device, file.key.inode);
            self.find_written_files();
            self.next.search = now() + BETWEEN_MAPS;
        }
        self.stops.apart = self.counters.as_ref().and_then(|it| it.apart);
        self.keep.knows_stops = self.counters.is_some();
    }

    /// Whether the system calls of the JVM's threads may be read, which takes the rights of a tracer
    /// (`proc_pid_syscall` of `fs/proc/base.c`): without those a wait for work looks like any other.
    fn reads_calls(&self) -> bool {
        self.dir.text("syscall", MOST_CALL_BYTES).is_ok()
    }

    /// A thread that waits for the journal in a page fault wrote to a file that it has mapped; which
    /// one is clear where there is but one.
    fn find_written_files(&mut self) {
        for file in written_back(&self.dir, MAX_WRITTEN_FILES) {
            self.host.files().by_inode(file.device, file.inode);
        }
    }

    /// Around a long stop the counters of the host tell what went on in it.
    fn read_host_counters(&mut self, at: MonoTime, over: Option<Stop>) {
        let lasts = self.stops.since().is_some_and(|it| at.since(it) >= LONG_STOP);
        let ended = over.is_some_and(|it| it.interval.duration() >= LONG_STOP);
        if ended || (lasts && at >= self.next.counters) {
            self.next.counters = at + BETWEEN_COUNTERS;
            self.facts.samples.extend(self.host_counters.sample(at));
        }
    }

    fn collect(&mut self, at: MonoTime, all: bool) -> Facts {
        let since_end = |stop: &Stop| at.since(stop.interval.end);
        let uncut = self.over.iter_mut().filter(|it| !it.1);
        let mut cut = all;
        for it in uncut.filter(|it| since_end(&it.0) >= TIME_TO_CUT) {
            it.1 = true;
            cut = true;
        }
        if cut {
            self.watch.cut(&mut self.keep);
        } else if at >= self.next.coverage {
            self.watch.cut_long(at, LONGEST_PIECE, &mut self.keep);
        }
        let due = |it: &(Stop, bool)| all || since_end(&it.0) >= REPORT_DELAY;
        let (due, over) = std::mem::take(&mut self.over).into_iter().partition::<Vec<_>, _>(due);
        self.over = over;
        let vm_tid = self.watch.vm_tid().unwrap_or(0);
        self.facts.safepoints.extend(due.into_iter().map(|it| fact(it.0, vm_tid)));
        let cut = all.then(|| self.stops.cut(at)).flatten();
        if let Some(cut) = cut {
            self.keep.stop(cut.interval);
            self.facts.safepoints.push(fact(cut, vm_tid));
        }
        let (at, open) = if all { (MonoTime(u64::MAX), None) } else { (at, self.stops.since()) };
        let kept = self.keep.decide(at, open);
        let mut facts = std::mem::take(&mut self.facts);
        for it in kept {
            if it.in_stop || self.budget.take(1, now()) {
                let slice = self.slice(it, &mut facts);
                facts.slices.push(slice);
            } else {
                let what = "thread slices dropped: over budget";
                self.coverage.note("slices", what, 1);
            }
        }
        facts.threads = self.roles.take_facts();
        self.host.take(&mut facts, &mut self.coverage);
        facts
    }

    fn coverage_now(&mut self) -> Coverage {
        let mut coverage = self.coverage.clone();
        let (usual, slowest) = (self.credit.period(false), self.credit.slowest());
        let reached =
            format!("sampled every {} ms, {} ms at most", usual.as_millis(), slowest.as_millis());
        coverage.note("thread samples", &reached, 1);
        if self.watch.left_out > 0 {
            coverage.note("thread samples", "threads left out: too many", self.watch.left_out);
        }
        if self.stops.unresolved > 0 {
            let what = "short stops that could not be separated from their neighbours";
            coverage.note("safepoints", what, self.stops.unresolved);
        }
        if self.keep.dropped > 0 {
            coverage.note("slices", "dropped: buffer full", self.keep.dropped);
        }
        coverage.recorder_cpu = self.cost.own_cpu();
        coverage.recorder_rss_bytes = self.cost.own_peak_bytes();
        coverage.jvm_cpu = self.cost.jvm_cpu();
        coverage.recorded = now().since(self.started);
        coverage.stalls_over = self.keep.stalls_over;
        coverage
    }
}
