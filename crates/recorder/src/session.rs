//! One recording of one JVM: attach, drain on a timer, hand over facts that are final.
use crate::{
    AttachError, Jvm, Options, Step,
    cost::Cost,
    host::{CountersFile, HostSources, now},
    kernel::{
        Budget, Inbox, Kernel, Raw, Resolved, Slice, Stacks, Threads, descriptor, entered,
        kernel_work, thread_slices, without_totals,
    },
    process::{Gone, Process},
    rights::keep_only,
    sampler::{CountedStops, Idle},
};
use begin::{check_host, counted_stops, is_blind, read_symbols, target, wake_up_with_others};
use recording::{
    Coverage, DROPPED_STALLS, Facts, FileKey, Interval, MonoTime, OffCpuCause, SafepointFact,
    Source, SourceState, ThreadRole,
};
use std::{sync::PoisonError, time::Duration};
use under_way::UnderWay;

mod begin;
mod under_way;

/// How often the state of coverage is handed over while recording, in case that the recording
/// is not finished properly.
const BETWEEN_COVERAGES: Duration = Duration::from_secs(1);
/// Time between two drains of the kernel's ring buffer, which holds 35,000 slices: each drain wakes
/// this process up, which costs more than what there is to take. A stop is reported after two of them.
const BETWEEN_DRAINS: Duration = Duration::from_millis(100);

/// One program of the kernel side and what it cost, for `examples/measure.rs`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramCost {
    /// Name in the C source.
    pub name: String,
    /// How often it ran.
    pub calls: u64,
    /// Time in it.
    pub time: Duration,
}

/// A running recording.
///
/// Dropping it detaches the probes, as does the death of the process; the JVM goes on.
#[derive(Debug)]
pub struct Session {
    options: Options,
    process: Process,
    kernel: Kernel,
    stacks: Option<Stacks>,
    threads: Threads,
    budget: Budget,
    /// For what is outside of stops: many short stops must not use that up as well.
    hiccup_budget: Budget,
    /// Nor must those of many threads at once use up that.
    stall_budget: Budget,
    counters_file: Option<CountersFile>,
    /// Where no probe reports stops.
    counted: Option<CountedStops>,
    under_way: UnderWay,
    /// Where no source reports stops.
    idle: Option<Idle>,
    host: HostSources,
    coverage: Coverage,
    cost: Cost,
    started: MonoTime,
    next_drain: MonoTime,
    next_coverage: MonoTime,
    gone: Option<Gone>,
}

impl Session {
    /// Attaches to `jvm`. What cannot be recorded becomes a missing source in [`Coverage`].
    ///
    /// # Errors
    ///
    /// Where nothing can be recorded: the process has ended, the kernel refuses, or it lacks what
    /// is needed.
    pub fn attach(jvm: &Jvm, options: Options) -> Result<Session, AttachError> {
        let proc = &options.roots.proc;
        let process = Process::hold(&options.roots, jvm)?;
        check_host(&options.roots)?;
        let mut coverage = Coverage::default();
        // Before the programs run: while this reads, nobody drains.
        let stacks = read_symbols(proc, &mut coverage);
        let mut threads = Threads::new(proc, jvm.pid);
        threads.read_all(now());
        let counters_file = CountersFile::find(&options.roots, jvm.pid);
        let target = target(jvm, &options, counters_file.as_ref(), threads.count());
        let attached = Kernel::attach(&target);
        if process.has_ended_within(Duration::ZERO) {
            return Err(AttachError::Exited { pid: jvm.pid });
        }
        let refused = |error| AttachError::of(error, jvm.pid, &options.roots);
        let (kernel, attached) = attached.map_err(refused)?;
        coverage.sources.extend(attached.sources);
        coverage.notes.extend(attached.notes);
        if !coverage.has(Source::Scheduler) {
            let why = SourceState::Missing("needs the scheduler's tracepoints".into());
            coverage.sources.insert(Source::KernelStacks, why);
        }
        let counted = counted_stops(&options.roots, jvm, counters_file.as_ref(), &mut coverage);
        keep_only(options.duties_after, &mut coverage, || kernel.can_be_read());
        wake_up_with_others(options.duties_after, counted.as_ref());
        let attached = now();
        let under_way = UnderWay::open(&options, jvm, &target.libjvm, &mut coverage);
        let idle = is_blind(&coverage).then(|| Idle::sample(process.dir(), &mut threads));
        let mut session = Session {
            under_way,
            idle,
            cost: Cost::new(proc, jvm.pid),
            host: HostSources::start(&options.roots, jvm),
            budget: Budget::new(options.detail_budget_per_s, attached),
            hiccup_budget: Budget::new(options.detail_budget_per_s, attached),
            stall_budget: Budget::new(STALLS_PER_S, attached),
            counters_file,
            counted,
            next_drain: attached + BETWEEN_DRAINS,
            next_coverage: attached,
            gone: None,
            options,
            process,
            kernel,
            stacks,
            threads,
            coverage,
            started: attached,
        };
        session.begin();
        Ok(session)
    }

    /// Sleeps until the next drain, or until the JVM ends, and returns what became final.
    /// Never waits for a disk.
    pub fn step(&mut self) -> Step {
        self.wait();
        let at = now();
        // A late drain does not bring the next one forward: a stop is held for the time between two.
        self.next_drain = at + BETWEEN_DRAINS;
        let mut facts = self.collect(self.gone.is_some());
        self.sample_stop();
        if at >= self.next_coverage {
            self.next_coverage = at + BETWEEN_COVERAGES;
            self.cost.read_jvm_cpu();
            facts.coverage = Some(self.coverage_now());
        }
        Step { facts, exited: self.gone.is_some() }
    }

    /// Until the next drain, or until the JVM ends; its counters of stops are read meanwhile.
    fn wait(&mut self) {
        loop {
            let wait = self.next_drain.since(now());
            let Some(counted) = &mut self.counted else {
                self.gone = self.gone.or(self.process.gone_within(wait));
                return;
            };
            let wait = wait.min(CountedStops::PERIOD);
            self.gone = self.gone.or(self.process.gone_within(wait));
            counted.sample(now());
            if self.gone.is_some() || now() >= self.next_drain {
                return;
            }
        }
    }

    /// Takes what is left, detaches, and says what was covered and at what cost.
    #[must_use]
    pub fn finish(mut self) -> Facts {
        self.cost.read_jvm_cpu();
        self.gone = self.gone.or(self.process.gone());
        let mut facts = self.collect(true);
        let mut coverage = self.coverage_now();
        if let (Some(idle), None) = (&self.idle, self.gone) {
            idle.note_in(self.process.dir(), &mut self.threads, &mut coverage);
        }
        if let Some(gone) = self.gone {
            gone.note_in(&mut coverage);
        }
        self.host.stop(&mut facts, &mut coverage);
        coverage.recorder_cpu = self.cost.own_cpu();
        facts.coverage = Some(coverage);
        facts
    }

    /// What each program of the kernel side has cost so far; empty unless
    /// [`Options::measure_kernel_time`] was given. Only `examples/measure.rs` prints them one by one.
    #[must_use]
    pub fn program_costs(&self) -> Vec<ProgramCost> {
        let programs = self.kernel.run_time().unwrap_or_default().programs;
        programs.into_iter().map(|(name, calls, time)| ProgramCost { name, calls, time }).collect()
    }

    fn collect(&mut self, all: bool) -> Facts {
        let standing = if all { self.standing() } else { None };
        let at = now();
        let mut facts = self.under_way.take_handed_over();
        if all {
            self.kernel.send_standing();
        }
        let inbox = self.kernel.drain();
        let mut inbox = inbox.lock().unwrap_or_else(PoisonError::into_inner);
        if inbox.vm_tid != 0 {
            self.threads.is_vm_thread(inbox.vm_tid, at);
        }
        let safepoints = inbox.windows.complete(all, |tid| self.threads.role(tid, at));
        for safepoint in safepoints {
            let safepoint = self.safepoint(safepoint, &mut inbox, &mut facts);
            facts.safepoints.push(safepoint);
        }
        if all {
            self.cut_stop(standing.as_ref(), &mut inbox, &mut facts);
        }
        let oldest = inbox.windows.oldest_begin().filter(|_| !all);
        inbox.raw.forget(oldest, |raw| self.hiccup(&raw, &mut facts));
        inbox.runs.forget(oldest);
        let code = inbox.code.drain(..);
        let threads = &mut self.threads;
        facts.code = code.filter(|it| threads.role(it.tid, at) == ThreadRole::Java).collect();
        for writer in inbox.writers.drain(..) {
            self.host.exited_writer(
                writer.at,
                (writer.pid, writer.parent),
                &writer.name,
                writer.bytes,
            );
        }
        drop(inbox);
        self.take_counted(at, all, &mut facts);
        facts.threads = self.threads.take_facts();
        self.host.take(&mut facts, &mut self.coverage);
        facts
    }

    /// Decides whether a safepoint is wanted in detail, and reads its records if so.
    fn safepoint(
        &mut self,
        it: SafepointFact,
        inbox: &mut Inbox,
        facts: &mut Facts,
    ) -> SafepointFact {
        if !self.coverage.has(Source::Scheduler) {
            return without_totals(it);
        }
        let stop = Interval::new(it.begin, it.resumed.unwrap_or(it.end_probe));
        let window = Interval::new(it.begin, it.end_probe.max(stop.end));
        let detailed = stop.duration() >= self.options.detail_over
            || self.budget.take(inbox.raw.count(window), now());
        if detailed {
            let first = facts.slices.len();
            inbox.raw.take(window, |raw| self.keep(&raw, facts));
            if it.cut.begin {
                self.fill(None, stop, facts);
            }
            facts.cpu_users.extend(inbox.runs.in_waits(stop, &facts.slices[first..]));
        }
        SafepointFact { detailed, ..it }
    }

    /// Keeps what was long outside of stops, or in a stop that is not kept in detail.
    fn hiccup(&mut self, raw: &Raw<'_>, facts: &mut Facts) {
        let stall =
            if let Raw::Slice(it) = raw { it.flags.stall() && !it.flags.hiccup() } else { false };
        if stall && !self.is_stall(raw) {
            return;
        }
        let budget = if stall { &mut self.stall_budget } else { &mut self.hiccup_budget };
        if budget.take(1, now()) {
            self.keep(raw, facts);
        } else {
            let what = if stall {
                DROPPED_STALLS
            } else {
                "long waits outside pauses dropped: over budget"
            };
            self.coverage.note("slices", what, 1);
        }
    }

    /// Whether a wait that the kernel side takes for a stall is one that an application may feel: of the
    /// JVM's own threads only those that are blocked in the kernel may hold one up.
    fn is_stall(&mut self, raw: &Raw<'_>) -> bool {
        let Raw::Slice(it) = raw else { return true };
        let is_blocked = it.flags.blocked() && !it.flags.idle();
        is_blocked || self.threads.role(it.tid, now()) == ThreadRole::Java
    }

    fn keep(&mut self, raw: &Raw<'_>, facts: &mut Facts) {
        match raw {
            Raw::Work(work) => facts.kernel_work.extend(kernel_work(work)),
            Raw::Slice(slice) => {
                self.threads.role(slice.tid, now());
                let resolved = self.resolve(slice, facts);
                facts.slices.extend(thread_slices(slice, resolved));
            }
        }
    }

    fn resolve(&mut self, slice: &Slice<'_>, facts: &mut Facts) -> Resolved {
        let kernel = &self.kernel;
        let counters = self.counters_file.as_ref().filter(|_| slice.fault_offset.is_some());
        let counters =
            counters.and_then(|it| self.host.files().by_inode(it.key.device, it.key.inode));
        let Some(stacks) = self.stacks.as_mut().filter(|_| slice.off != 0) else {
            return Resolved { stack: None, file: counters };
        };
        let stack = stacks.resolve(slice.stack, |id| kernel.stack(id), &mut facts.stacks);
        let file_fault = stack.is_some_and(|it| it.1);
        let file = counters.or_else(|| self.file(slice, file_fault));
        Resolved { stack: stack.map(|(id, _)| id), file }
    }

    fn file(&mut self, slice: &Slice<'_>, file_fault: bool) -> Option<FileKey> {
        match (entered(slice), descriptor(slice)) {
            (OffCpuCause::PageFault, _) if file_fault => {
                self.host.files().by_inode(device_of(slice), slice.inode)
            }
            (OffCpuCause::Syscall(_), Some(fd)) => {
                let files = self.host.files();
                let file = files.by_fd(fd);
                let found = match slice.flags.stall() {
                    // Who waits long for a socket waits for its peer.
                    true => file.or_else(|| files.socket_by_fd(fd)),
                    false => file,
                };
                found.filter(|it| !is_another(slice, *it))
            }
            _ => None,
        }
    }

    fn coverage_now(&mut self) -> Coverage {
        let counters = self.kernel.counters();
        let inbox = self.kernel.inbox();
        let inbox = inbox.lock().unwrap_or_else(PoisonError::into_inner);
        let mut coverage = self.coverage.clone();
        coverage.lost_events = counters.lost + inbox.lost();
        coverage.lost_stacks = counters.lost_stacks;
        coverage.switches = counters.switches;
        if inbox.windows.torn() > 0 {
            coverage.note(
                "safepoints",
                "left out, because their end was lost",
                inbox.windows.torn(),
            );
        }
        let unresolved = self.counted.as_ref().map_or(0, CountedStops::unresolved);
        if unresolved > 0 {
            let what = "short stops that could not be separated from their neighbours";
            coverage.note("safepoints", what, unresolved);
        }
        if counters.dropped_stalls > 0 {
            coverage.note("slices", DROPPED_STALLS, counters.dropped_stalls);
        }
        if counters.repaired > 0 {
            let what = "context switches missed; estimated from run time";
            coverage.note("scheduler", what, counters.repaired);
        }
        coverage.kernel_time = self.kernel.run_time().map(|it| it.total());
        coverage.recorder_cpu = self.cost.own_cpu();
        coverage.recorder_rss_bytes = self.cost.own_peak_bytes();
        coverage.jvm_cpu = self.cost.jvm_cpu();
        coverage.recorded = now().since(self.started);
        // Without probes the kernel side cannot tell a stall from a stop.
        let tells_stops =
            coverage.has(Source::SafepointProbes) || coverage.has(Source::SafepointSymbols);
        let watches = coverage.has(Source::Scheduler) && tells_stops;
        let watches = watches && !self.options.stalls_over.is_zero();
        coverage.stalls_over = watches.then_some(self.options.stalls_over);
        coverage
    }
}

/// Waits of threads that are kept as stalls each second, also where nothing else is kept in detail.
const STALLS_PER_S: u32 = 2_000;

/// Whether the descriptor was open on something else when the thread stalled, on the same file system. The
/// inode that the kernel has of an overlay may be another than the one that it tells.
fn is_another(slice: &Slice<'_>, found: FileKey) -> bool {
    let is_known = slice.flags.stall() && slice.inode != 0;
    is_known && device_of(slice) == found.device && slice.inode != found.inode
}

/// The device of a record, as `stat` has it: `MAJOR` and `MINOR` of `include/linux/kdev_t.h`.
fn device_of(slice: &Slice<'_>) -> u64 {
    rustix::fs::makedev(slice.device >> 20, slice.device & 0xf_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_can_be_sent_to_the_thread_that_steps_it() {
        fn check<T: Send>() {}
        check::<Session>();
    }
}
