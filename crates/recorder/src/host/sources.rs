//! All of it together: the background threads, and what they have found.
use super::{
    Roots, cgroup_limits, clocks,
    counters::Counters,
    file_resolver::FileResolver,
    host_facts::host_fact,
    jvm::Jvm,
    outbox::{Outbox, Row},
    pace::Pace,
    processes::{Processes, Request, Scope, Shared, lock},
    rounds::HostRounds,
    sleeper::Taken,
    tail::LogFollower,
    writers::{Exited, MIN_BYTES},
};
use recording::{CgroupFact, Coverage, Facts, MonoTime, Source, SourceState};
use std::{
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

/// Least and most time between two samples of the counters.
const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(10);
/// CPU time per second for the counters, in microseconds.
const COUNTERS_BUDGET_US: u32 = 700;
/// How often the wall clock is compared.
const BETWEEN_CLOCKS: Duration = Duration::from_secs(10);
/// How often limits are read again: people change them.
const BETWEEN_LIMITS: Duration = Duration::from_secs(5);
/// How long the end may take, also with a dead disk.
const END: Duration = Duration::from_secs(2);
/// Requests that wait for the background. Beyond, files are asked for again and exits lost.
const MAX_REQUESTS: usize = 1024;
/// Facts that wait to be taken, per thread.
const OUTBOX_BYTES: usize = 4 * 1024 * 1024;

/// Everything that is read outside the kernel's tracing, by background threads.
///
/// No call here waits for a disk or for another process; [`stop`](HostSources::stop) waits for
/// at most two seconds.
#[derive(Debug)]
pub struct HostSources {
    shared: Arc<Shared>,
    outboxes: [Arc<Outbox>; 3],
    late: Option<LateWakeUps>,
    files: FileResolver,
    requests: SyncSender<Request>,
    /// Dropped to end the threads that take no requests.
    stop: Vec<Sender<()>>,
    /// Closed when the last thread has ended.
    ended: Receiver<()>,
    threads: Vec<thread::JoinHandle<()>>,
    lost_exits: u64,
}

impl HostSources {
    /// Starts the threads. The first facts (JVM, host, clocks) come with the first
    /// [`take`](HostSources::take)s.
    #[must_use]
    pub fn start(roots: &Roots, jvm: &Jvm) -> HostSources {
        HostSources::start_in(roots, jvm, Scope::All)
    }

    /// Starts only the thread that counts who writes, which knows the JVM and its files as well.
    #[must_use]
    pub fn start_writers(roots: &Roots, jvm: &Jvm) -> HostSources {
        HostSources::start_in(roots, jvm, Scope::Writers)
    }

    fn start_in(roots: &Roots, jvm: &Jvm, scope: Scope) -> HostSources {
        let (requests, received) = sync_channel(MAX_REQUESTS);
        let (ending, ended) = channel();
        let mut sources = HostSources {
            shared: Arc::default(),
            outboxes: std::array::from_fn(|_| Arc::new(Outbox::new(OUTBOX_BYTES))),
            late: None,
            files: FileResolver::new(roots, jvm.pid, requests.clone()),
            requests,
            stop: Vec::new(),
            ended,
            threads: Vec::new(),
            lost_exits: 0,
        };
        if scope == Scope::All {
            let stop = sources.stop_signal();
            sources.spawn(0, "gc-log", Source::GcLog, (roots, jvm, &ending), move |it| {
                follow_log(&it, &stop)
            });
        }
        sources.spawn(1, "processes", Source::Files, (roots, jvm, &ending), move |it| {
            Processes::new(&it.roots, &it.jvm, scope, &it.outbox, &it.shared).run(&received);
        });
        if scope == Scope::All {
            sources.late = Some(LateWakeUps::begin(roots, &sources.outboxes[2]));
            let stop = sources.stop_signal();
            sources.spawn(2, "counters", Source::HostCounters, (roots, jvm, &ending), move |it| {
                sample_counters(&it, &stop);
            });
        }
        sources
    }

    fn stop_signal(&mut self) -> Receiver<()> {
        let (stop, stopped) = channel();
        self.stop.push(stop);
        stopped
    }

    fn spawn(
        &mut self,
        number: usize,
        name: &str,
        source: Source,
        (roots, jvm, ending): (&Roots, &Jvm, &Sender<()>),
        work: impl FnOnce(Context) + Send + 'static,
    ) {
        let (roots, jvm, ending) = (roots.clone(), jvm.clone(), ending.clone());
        let (shared, outbox) = (self.shared.clone(), self.outboxes[number].clone());
        let started = thread::Builder::new().name(name.into()).spawn(move || {
            // Held to the end, also by a panic.
            let _ending = ending;
            work(Context { roots, jvm, shared, outbox });
        });
        match started {
            Ok(thread) => self.threads.push(thread),
            Err(error) => {
                let reason = format!("cannot start a thread: {error}");
                self.outboxes[number].state(source, SourceState::Missing(reason));
            }
        }
    }

    /// Moves what has been found since the last time into `facts` and `coverage`.
    pub fn take(&mut self, facts: &mut Facts, coverage: &mut Coverage) {
        for outbox in &self.outboxes {
            outbox.take(facts, coverage);
        }
        if let Some(late) = &mut self.late {
            late.take(facts, false);
        }
        match std::mem::take(&mut self.lost_exits) {
            0 => {}
            lost => coverage.note("writers", "exits lost, because too many came at once", lost),
        }
    }

    /// Files behind descriptors and mappings of the JVM.
    pub(crate) fn files(&mut self) -> &mut FileResolver {
        &mut self.files
    }

    /// Reports a process that has ended: when, which and whose child, and all the bytes it wrote
    /// in its life (`write_bytes` less `cancelled_write_bytes` of all its threads, and of the
    /// children that it waited for).
    pub(crate) fn exited_writer(
        &mut self,
        at: MonoTime,
        (pid, parent): (u32, u32),
        name: &str,
        bytes: u64,
    ) {
        if bytes < MIN_BYTES {
            return;
        }
        let exited = Exited { at, pid, parent, name: name.into(), bytes };
        self.lost_exits +=
            u64::from(self.requests.try_send(Request::Exited(Box::new(exited))).is_err());
    }

    /// Ends the threads and takes what they still bring: the rest of the log, the last counts.
    /// A thread that waits for a dead disk is left behind after two seconds, and noted.
    pub fn stop(mut self, facts: &mut Facts, coverage: &mut Coverage) {
        self.take(facts, coverage);
        if let Some(late) = &mut self.late {
            late.take(facts, true);
        }
        let HostSources { outboxes, files, requests, stop, ended, threads, .. } = self;
        // All senders must go for the threads to see the end.
        drop((files, requests, stop));
        match ended.recv_timeout(END) {
            Err(RecvTimeoutError::Disconnected) => {
                let panicked = threads.into_iter().filter_map(|it| it.join().err()).count();
                if panicked > 0 {
                    coverage.note("host sources", "a background thread failed", panicked as u64);
                }
            }
            _ => coverage.note(
                "host sources",
                "a background thread still waited for a disk or a process at the end",
                1,
            ),
        }
        for outbox in &outboxes {
            outbox.take(facts, coverage);
        }
    }
}

/// What one recording takes of the sleeper, at once: a pause that is explained while it is recorded does not
/// wait for the counters.
#[derive(Debug)]
struct LateWakeUps {
    host: Arc<HostRounds>,
    taken: Taken,
    /// When it is reported next that it was awake.
    next: Instant,
}

impl LateWakeUps {
    fn begin(roots: &Roots, outbox: &Outbox) -> LateWakeUps {
        let host = HostRounds::of(roots);
        let (state, taken) = match host.sleeper() {
            Ok(sleeper) => (SourceState::Recorded, sleeper.begin()),
            Err(why) => (SourceState::Missing(why.into()), Taken::default()),
        };
        outbox.state(Source::Sleeper, state);
        LateWakeUps { host, taken, next: Instant::now() }
    }

    /// With `all` also that it was awake.
    fn take(&mut self, facts: &mut Facts, all: bool) {
        let all = all || self.next <= Instant::now();
        if all {
            self.next = Instant::now() + LONGEST;
        }
        if let Ok(sleeper) = self.host.sleeper() {
            facts.samples.extend(sleeper.take(&mut self.taken, all));
        }
    }
}

/// What a thread works with.
struct Context {
    roots: Roots,
    jvm: Jvm,
    shared: Arc<Shared>,
    outbox: Arc<Outbox>,
}

fn follow_log(it: &Context, stop: &Receiver<()>) {
    let mut follower = match LogFollower::new(&it.roots, &it.jvm, &it.outbox) {
        Ok(follower) => follower,
        Err(error) => {
            let reason = format!("cannot inspect the JVM: {error}");
            return it.outbox.state(Source::GcLog, SourceState::Missing(reason));
        }
    };
    loop {
        let wait = follower.round();
        if follower.found.is_some() {
            *lock(&it.shared.gc_log) = follower.found.take();
        }
        if stop.recv_timeout(wait) != Err(RecvTimeoutError::Timeout) {
            break;
        }
    }
    follower.finish();
}

/// The limits that were handed over last.
#[derive(Default)]
struct Limits {
    limits: cgroup_limits::Limits,
    reported: Option<CgroupFact>,
    next: Option<Instant>,
}

impl Limits {
    /// Hands them over where they are new.
    fn report_if_due(&mut self, it: &Context) {
        if self.next.is_some_and(|next| Instant::now() < next) {
            return;
        }
        self.next = Some(Instant::now() + BETWEEN_LIMITS);
        self.report_new(it);
    }

    fn report_new(&mut self, it: &Context) {
        let found = self.limits.read(&it.roots, it.jvm.pid);
        if found.is_some() && found != self.reported {
            it.outbox.state(Source::CgroupLimits, SourceState::Recorded);
            it.outbox.push("cgroup", found.clone().map(|it| Row::Cgroup(Box::new(it))));
            self.reported = found;
        } else if self.reported.is_none() {
            let why = "the control groups of the JVM cannot be seen from here";
            it.outbox.state(Source::CgroupLimits, SourceState::Missing(why.into()));
        }
    }
}

fn sample_counters(it: &Context, stop: &Receiver<()>) {
    it.outbox.push("host", [Row::Host(Box::new(host_fact(&it.roots)))]);
    let mut counters = Counters::open(&it.roots, it.jvm.pid);
    let state = match counters.is_empty() {
        true => SourceState::Missing("no counter of the host can be read".into()),
        false => SourceState::Recorded,
    };
    it.outbox.state(Source::HostCounters, state);
    if !counters.has_pressure {
        it.outbox.note("pressure stall information", "not available on this kernel", 1);
    }
    let mut pace = Pace::new(SHORTEST, LONGEST, COUNTERS_BUDGET_US);
    let mut next_clock = Instant::now();
    let mut limits = Limits::default();
    loop {
        limits.report_if_due(it);
        counters.watch_disks(&lock(&it.shared.devices));
        let samples = counters.sample(clocks::now());
        it.outbox.push("host counters", samples.into_iter().map(Row::Sample));
        if next_clock <= Instant::now() {
            next_clock = Instant::now() + BETWEEN_CLOCKS;
            it.outbox.push("clocks", [Row::Clock(clocks::monotonic_to_wall())]);
        }
        if stop.recv_timeout(pace.after_round()) != Err(RecvTimeoutError::Timeout) {
            break;
        }
    }
    // By now it may be another group that is throttled.
    limits.report_new(it);
    let samples = counters.sample(clocks::now());
    it.outbox.push("host counters", samples.into_iter().map(Row::Sample));
}
