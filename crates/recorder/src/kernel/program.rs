//! Loads the programs, attaches them to one JVM, and talks to their maps.
use super::{
    Counters, Inbox, KernelError, OpenStop, RunTime, Target, clock,
    live::LiveStop,
    load::{
        CLOCK, COUNTERS_FAULT, EXIT, FILE_FAULT_ENTRY, Plan, Refused, SCHEDULER, STANDING, Wanted,
        keep_warning, load, locked, reason,
    },
    probe_guard::ProbeGuard,
    ring::Ring,
};
use libbpf_rs::{
    Iter, Link, MapCore, MapFlags, Object, PrintLevel, ProgramMut,
    libbpf_sys::{bpf_prog_get_info_by_fd, bpf_prog_info},
    set_print,
};
use recording::{Coverage, MonoTime, Source, SourceState};
use std::{
    io::Read,
    os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

mod on_jvm;

/// Records taken in one drain at most, so that it ends even where they come as fast.
const MAX_DRAINED: usize = 256 * 1024;

/// How long the result that no process is in the way of a probe is valid. To check takes some
/// microseconds for each process of the host.
const CLEAR_FOR: Duration = Duration::from_millis(200);

/// Programs on tracepoints that some kernels lack. Each source needs all of its own.
const OPTIONAL: [(Source, &[&str]); 2] = [
    (
        Source::Reclaim,
        &["reclaim_begin", "reclaim_end", "memcg_reclaim_begin", "memcg_reclaim_end"],
    ),
    (Source::Compaction, &["compaction_begin", "compaction_end"]),
];

/// Why it does not run where the scheduler's programs do not.
const NO_SCHEDULER: &str = "needs the scheduler's tracepoints";

/// Why the file of a page fault is not reported.
const NO_FILE_FAULT: &str =
    "this kernel has neither the tracepoint mm_filemap_fault (linux 6.12) nor fentry";

/// Why an attach did not bring about what was wanted.
enum Failed {
    /// The scheduler's tracepoints cannot be attached to.
    Scheduler(Wanted, String),
    /// Safepoints cannot be seen.
    Windows(Wanted, String),
    /// There is nothing to record with.
    Entirely(KernelError),
}

/// The loaded programs. Dropping it detaches them; so does the death of this process.
pub(crate) struct Kernel {
    // Declared first, dropped first: nothing is sent any more when the ring buffer goes.
    links: Vec<Link>,
    // Then the keeper, who has the last descriptors of the probes in the JVM.
    keeper: Option<ProbeGuard>,
    /// When it was seen that no process is in the way of a probe.
    clear_since: Option<Instant>,
    ring: Ring,
    /// Points into what `object` owns.
    live: Option<LiveStop>,
    object: Object,
    inbox: Arc<Mutex<Inbox>>,
    /// What the kernel did not take.
    refused: Refused,
    measuring: Option<OwnedFd>,
    /// Goes through all tasks, once, for the stalls that are not over.
    standing: Option<Iter>,
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kernel").field("links", &self.links.len()).finish_non_exhaustive()
    }
}

impl Kernel {
    /// Loads the programs and attaches them to `target`. What the kernel refuses, or what cannot be
    /// attached, becomes a missing source of the coverage, or a note in it; an error is only what
    /// leaves nothing to record with.
    ///
    /// # Errors
    ///
    /// Where the kernel refuses the maps, or both what sees safepoints and the scheduler's programs.
    pub(crate) fn attach(target: &Target) -> Result<(Kernel, Coverage), KernelError> {
        set_print(Some((PrintLevel::Warn, keep_warning)));
        let mut wanted = Wanted::all(target);
        // Each round wants less than the last one.
        loop {
            wanted = match Kernel::attach_what(target, wanted) {
                Ok(attached) => return Ok(attached),
                Err(Failed::Scheduler(less, why)) => less.without_scheduler(why)?,
                Err(Failed::Windows(less, why)) => less.without_windows(why)?,
                Err(Failed::Entirely(error)) => return Err(error),
            };
        }
    }

    fn attach_what(target: &Target, wanted: Wanted) -> Result<(Kernel, Coverage), Failed> {
        // First, as it is a copy of this process, which grows from here on.
        let keeper = ProbeGuard::start(&target.probed).ok();
        let measuring = if target.measure { enable_stats() } else { None };
        let (mut object, wanted, refused) = load(target, wanted).map_err(Failed::Entirely)?;
        let live = LiveStop::of(&mut object);
        let inbox = Arc::new(Mutex::new(Inbox::of(&target.cpus)));
        let ring = ring(&object).map_err(Failed::Entirely)?;
        let mut kernel = Kernel {
            links: Vec::new(),
            keeper,
            clear_since: None,
            ring,
            live,
            object,
            inbox,
            refused,
            measuring,
            standing: None,
        };
        let mut coverage = Coverage::default();
        kernel.attach_kernel(target, wanted, &mut coverage).and_then(|wanted| {
            kernel.attach_jvm(target, wanted, &mut coverage)?;
            Ok((kernel, coverage))
        })
    }

    /// The programs on the kernel's tracepoints.
    fn attach_kernel(
        &mut self,
        target: &Target,
        wanted: Wanted,
        coverage: &mut Coverage,
    ) -> Result<Wanted, Failed> {
        // Optional: without it, writers are seen by looking through /proc only.
        if let SourceState::Missing(why) = self.attach_programs(&[EXIT]) {
            let what = format!("those that exit soon are not seen: {why}");
            coverage.note(Source::Writers.id(), &what, 1);
        }
        if let Err(why) = &wanted.scheduler {
            missing(coverage, &[Source::Scheduler, Source::CpuThrottling], why);
            missing(coverage, &OPTIONAL.map(|it| it.0), NO_SCHEDULER);
            missing(coverage, &[Source::FileFaults], NO_SCHEDULER);
        } else {
            if let SourceState::Missing(why) = self.attach_programs(&SCHEDULER) {
                return Err(Failed::Scheduler(wanted, why));
            }
            let recorded = [Source::Scheduler, Source::CpuThrottling];
            coverage.sources.extend(recorded.map(|it| (it, SourceState::Recorded)));
            // From Linux 5.8 on; without it a stall that is not over is not reported.
            self.standing = self.link(STANDING, |it| it.attach()).ok().and_then(|link| {
                let tasks = Iter::new(&link).ok();
                self.links.push(link);
                tasks
            });
            if let Some(live) = &self.live {
                live.begin(crate::host::now());
            }
            for (source, programs) in OPTIONAL {
                coverage.sources.insert(source, self.attach_programs(programs));
            }
            let file_faults = self.attach_file_fault(wanted.file_fault);
            coverage.sources.insert(Source::FileFaults, file_faults);
        }
        let counters = match target.counters {
            // A file in memory, or none: no fault on it waits, and so nothing is missed.
            None => SourceState::Recorded,
            Some(_) if wanted.scheduler.is_err() => SourceState::Missing(NO_SCHEDULER.into()),
            Some(_) => self.attach_programs(&[COUNTERS_FAULT]),
        };
        coverage.sources.insert(Source::CounterFaults, counters);
        Ok(wanted)
    }

    /// Those on the JVM: what sees its safepoints, and what code late threads run. The begin of
    /// safepoints is the last thing to be attached.
    fn attach_jvm(
        &mut self,
        target: &Target,
        wanted: Wanted,
        coverage: &mut Coverage,
    ) -> Result<(), Failed> {
        let (source, attached) = match &wanted.plan {
            Plan::Usdt(sites) => (Source::SafepointProbes, self.attach_usdt(target, sites)),
            Plan::Symbols(functions) => {
                let why = "this libjvm has no USDT probes, or they were not requested";
                missing(coverage, &[Source::SafepointProbes], why);
                (Source::SafepointSymbols, self.attach_symbols(target, functions))
            }
            // Long waits and runs are kept all the same, for the stops that the log will tell.
            Plan::None(why) => {
                let why = why.clone();
                let windows = [Source::SafepointProbes, Source::SafepointSymbols];
                missing(coverage, &windows, &why);
                if target.late_code {
                    missing(coverage, &[Source::LateCode], "needs safepoint probes");
                }
                return Ok(());
            }
        };
        if let Err(why) = attached {
            return Err(Failed::Windows(wanted, why));
        }
        coverage.sources.insert(source, SourceState::Recorded);
        if target.late_code {
            coverage.sources.insert(Source::LateCode, self.attach_clocks(&target.cpus));
        }
        Ok(())
    }

    /// On each of these CPUs that is online now.
    fn attach_clocks(&mut self, cpus: &[i32]) -> SourceState {
        let mut links = Vec::new();
        for cpu in cpus {
            let clock = match clock::open(*cpu) {
                Ok(clock) => clock,
                Err(error) if error.raw_os_error() == Some(libc::ENODEV) => continue,
                Err(error) => return SourceState::Missing(format!("no clock: {error}")),
            };
            match self.link(CLOCK, |it| it.attach_perf_event(clock.as_raw_fd())) {
                Ok(link) => links.push(link),
                Err(why) => return SourceState::Missing(why),
            }
            // It is the link's from here on (libbpf `bpf_link_perf_detach` closes it).
            let _ = clock.into_raw_fd();
        }
        self.links.extend(links);
        SourceState::Recorded
    }

    fn attach_file_fault(&mut self, program: &str) -> SourceState {
        match self.attach_programs(&[program]) {
            SourceState::Missing(why) if program == FILE_FAULT_ENTRY => {
                SourceState::Missing(format!("{NO_FILE_FAULT}: {why}"))
            }
            state => state,
        }
    }

    fn attach_programs(&mut self, programs: &[&str]) -> SourceState {
        let mut links = Vec::new();
        for program in programs {
            match self.link(program, |it| it.attach()) {
                Ok(link) => links.push(link),
                Err(why) => return SourceState::Missing(why),
            }
        }
        self.links.extend(links);
        SourceState::Recorded
    }

    /// One of the programs in the JVM's library. Processes that would keep the kernel from setting it, now or
    /// when it is to be removed, are looked for before.
    fn probe(
        &mut self,
        target: &Target,
        program: &str,
        attach: impl FnOnce(&ProgramMut<'_>) -> libbpf_rs::Result<Link>,
    ) -> Result<(), String> {
        let keeper = self.keeper.as_ref().ok_or("no process can be started that removes probes")?;
        let is_fresh = self.clear_since.is_some_and(|at| at.elapsed() < CLEAR_FOR);
        if !is_fresh && let Some((pid, name)) = target.probed.blocker() {
            return Err(format!(
                "process {pid} (`{name}`) is not responding, and a probe in this libjvm would have \
                 to wait for it, and the whole host with it"
            ));
        }
        self.clear_since = self.clear_since.filter(|_| is_fresh).or_else(|| Some(Instant::now()));
        let link = self.link(program, attach)?;
        let kept = keeper.keep(&link);
        self.links.push(link);
        kept.map_err(|error| format!("probes could not be removed any more: {error}"))
    }

    fn link(
        &self,
        program: &str,
        attach: impl FnOnce(&ProgramMut<'_>) -> libbpf_rs::Result<Link>,
    ) -> Result<Link, String> {
        if let Some(why) = self.refused.get(program) {
            return Err(why.clone());
        }
        let found = self.object.progs_mut().find(|it| it.name() == program);
        let found = found.ok_or_else(|| format!("there is no program `{program}`"))?;
        attach(&found).map_err(|error| reason(&format!("cannot attach `{program}`"), &error))
    }

    /// Takes what the kernel has sent and returns where it went.
    pub(crate) fn drain(&self) -> Arc<Mutex<Inbox>> {
        let mut inbox = locked(&self.inbox);
        self.ring.consume(MAX_DRAINED, |record| inbox.receive(record));
        drop(inbox);
        Arc::clone(&self.inbox)
    }

    /// Has the stalls sent that are not over. Can be done once.
    pub(crate) fn send_standing(&mut self) {
        let Some(mut tasks) = self.standing.take() else { return };
        // The program writes nothing there: what it sends comes as other records do.
        let _ = tasks.read(&mut [0; 8]);
    }

    /// Where records go.
    pub(crate) fn inbox(&self) -> &Mutex<Inbox> {
        &self.inbox
    }

    /// Begins the stop of this VM thread that had begun before the programs ran: from now on they
    /// report of it as of any. False where one is under way already, or this kernel cannot.
    pub(crate) fn assume_stop(&self, vm_tid: u32, operating: bool, at: MonoTime) -> bool {
        self.live.as_ref().is_some_and(|it| it.assume(vm_tid, operating, at))
    }

    /// Takes back a stop that was assumed at this time and was over by then.
    pub(crate) fn retract_stop(&self, at: MonoTime) {
        if let Some(live) = &self.live {
            live.retract(at);
        }
    }

    /// The stop under way.
    pub(crate) fn open_stop(&self) -> Option<OpenStop> {
        self.live.as_ref()?.read()
    }

    /// The addresses of a stack, innermost first, zero where it is shorter than the longest.
    pub(crate) fn stack(&self, id: u32) -> Option<Vec<u64>> {
        let map = self.object.maps().find(|it| it.name() == "stacks")?;
        let bytes = map.lookup(&id.to_ne_bytes(), MapFlags::ANY).ok()??;
        Some(bytes.chunks_exact(8).map(number).collect())
    }

    /// Whether its maps can be read, with the rights that this thread has now.
    pub(crate) fn can_be_read(&self) -> bool {
        let map = self.object.maps().find(|it| it.name() == "counters");
        let first = 0_u32.to_ne_bytes();
        map.is_some_and(|it| it.lookup_percpu(&first, MapFlags::ANY).is_ok())
    }

    /// Sums over all CPUs so far.
    pub(crate) fn counters(&self) -> Counters {
        let map = self.object.maps().find(|it| it.name() == "counters");
        let sum = |which: u32| -> u64 {
            let values = map
                .as_ref()
                .and_then(|it| it.lookup_percpu(&which.to_ne_bytes(), MapFlags::ANY).ok()?);
            values.iter().flatten().map(|it| number(it)).sum()
        };
        let missed: u64 = self.programs().map(|(_, it)| it.recursion_misses).sum();
        Counters {
            switches: sum(0),
            lost: sum(1) + missed,
            lost_stacks: sum(2),
            repaired: sum(3),
            dropped_stalls: sum(4),
        }
    }

    /// What the programs cost so far, where it is measured.
    pub(crate) fn run_time(&self) -> Option<RunTime> {
        self.measuring.as_ref()?;
        let cost = |(name, it): (String, bpf_prog_info)| {
            (name, it.run_cnt, Duration::from_nanos(it.run_time_ns))
        };
        Some(RunTime { programs: self.programs().map(cost).collect() })
    }

    /// Name of each program that is loaded, and what the kernel says of it.
    fn programs(&self) -> impl Iterator<Item = (String, bpf_prog_info)> {
        self.object
            .progs()
            .filter(|it| it.autoload())
            .filter_map(|it| Some((it.name().to_string_lossy().into_owned(), info(it.as_fd())?)))
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes.try_into().map_or(0, u64::from_ne_bytes)
}

/// What the kernel says of a program; zero what this kernel does not count.
#[expect(unsafe_code, reason = "libbpf-rs asks for all instructions as well")]
fn info(program: BorrowedFd<'_>) -> Option<bpf_prog_info> {
    let mut info = bpf_prog_info::default();
    let mut length = u32::try_from(size_of_val(&info)).ok()?;
    // SAFETY: the kernel writes at most so many bytes; of what it has lists of it is given no place.
    let failed =
        unsafe { bpf_prog_get_info_by_fd(program.as_raw_fd(), &raw mut info, &raw mut length) };
    (failed == 0).then_some(info)
}

fn missing(coverage: &mut Coverage, which: &[Source], why: &str) {
    let missing = |source: &Source| (*source, SourceState::Missing(why.to_owned()));
    coverage.sources.extend(which.iter().map(missing));
}

fn ring(object: &Object) -> Result<Ring, KernelError> {
    let map = object.maps().find(|it| it.name() == "records");
    let map = map.ok_or_else(|| KernelError::Other("the programs have no ring buffer".into()))?;
    Ring::map(map.as_fd(), map.max_entries() as usize)
        .map_err(|error| KernelError::Other(format!("cannot map the ring buffer: {error}")))
}

/// Lets the kernel measure the run time of programs for as long as the descriptor is open.
/// `None` where it cannot (before 5.8).
#[expect(unsafe_code, reason = "libbpf-rs has no wrapper for BPF_ENABLE_STATS")]
fn enable_stats() -> Option<OwnedFd> {
    // SAFETY: takes a number and returns a descriptor or a negative error.
    let fd = unsafe {
        libbpf_rs::libbpf_sys::bpf_enable_stats(libbpf_rs::libbpf_sys::BPF_STATS_RUN_TIME)
    };
    // SAFETY: the descriptor was just made for us and nothing else has it.
    (fd >= 0).then(|| unsafe { OwnedFd::from_raw_fd(fd) })
}

#[cfg(test)]
mod tests;
