//! The stop that is under way: when the recording begins, while it goes on, and when it ends.
//!
//! The kernel side reports a thread when it leaves a CPU or gets one. Of a stop that hangs, what
//! matters is what did not change: so the threads are sampled once when the recording begins or the
//! stop has gone on for a while, and once at the end, and a thread with the same state in both samples
//! and no event between kept that state.
mod unreported;

use self::unreported::{unreported, until_first};
use super::Session;
use crate::Options;
use crate::{
    Jvm,
    host::{ProcessDir, now},
    kernel::Inbox,
    sampler::{Snapshot, Standing, sample},
    stop_state::{StopState, StopStateReader},
};
use recording::{
    Architecture, Coverage, Facts, Interval, MonoTime, OffCpuCause, SafepointFact, Source,
    SourceState, StackFact, ThreadRole, ThreadSlice, ThreadState,
};
use std::{
    collections::HashMap,
    fs::File,
    sync::{Arc, PoisonError},
    time::Duration,
};

/// After this much of a stop its threads are sampled once: few stops ever get there.
const LONG: Duration = Duration::from_millis(300);
/// Keys of stacks that were read as text. The kernel's own end at the size of its map, 16384.
const FIRST_STACK: u32 = 1 << 24;
/// Stacks as text that are remembered.
const MAX_STACKS: usize = 4096;

/// What is kept for the stop under way.
#[derive(Debug)]
pub(super) struct UnderWay {
    state: Option<StopStateReader>,
    dir: Option<ProcessDir>,
    /// The threads as they were found early in the stop that begins at this time.
    early: Option<(MonoTime, Snapshot)>,
    /// Where no probe reports stops: the threads that were blocked when the recording began at this time,
    /// until the kernel side first sees each.
    begin: Option<(MonoTime, Snapshot)>,
    stacks: HashMap<Vec<String>, u32>,
    /// Rows that others refer to and that were only shown so far.
    to_hand_over: Facts,
}

impl UnderWay {
    /// Finds out whether the JVM's own word on its stops can be read, and says so in `coverage`.
    pub(super) fn open(
        options: &Options,
        jvm: &Jvm,
        library: &Result<Arc<File>, String>,
        coverage: &mut Coverage,
    ) -> UnderWay {
        let state = StopStateReader::open(&options.roots, jvm, library, !options.one_of_many);
        let reported = match &state {
            Ok(_) => SourceState::Recorded,
            Err(why) => SourceState::Missing(why.clone()),
        };
        coverage.sources.insert(Source::StopState, reported);
        UnderWay {
            state: state.ok(),
            dir: ProcessDir::open(&options.roots, jvm.pid).ok().map(ProcessDir::trusted),
            early: None,
            begin: None,
            stacks: HashMap::new(),
            to_hand_over: Facts::default(),
        }
    }

    pub(super) fn take_handed_over(&mut self) -> Facts {
        std::mem::take(&mut self.to_hand_over)
    }

    fn read(&mut self) -> Option<StopState> {
        self.state.as_mut()?.read()
    }

    fn stack(&mut self, frames: &[String], facts: &mut Facts) -> Option<u32> {
        if frames.is_empty() {
            return None;
        }
        if let Some(id) = self.stacks.get(frames) {
            return Some(*id);
        }
        let id = FIRST_STACK + u32::try_from(self.stacks.len()).ok()?;
        if self.stacks.len() >= MAX_STACKS {
            return None;
        }
        facts.stacks.push(StackFact { id, frames: frames.to_vec() });
        self.stacks.insert(frames.to_vec(), id);
        Some(id)
    }
}

impl Session {
    /// The recording begins, in a stop where the JVM is in one already.
    ///
    /// That is once its state was read: of a stop that ended while files were opened and read, the
    /// threads were not looked at, and nothing could be said of it but its length.
    pub(super) fn begin(&mut self) {
        let state = self.under_way.read();
        self.start(state == Some(StopState::Running));
        self.kernel.drain();
        if self.idle.is_some() || (self.counted.is_some() && state.is_none()) {
            // It may be in a stop, of which the log will tell.
            self.sample_blocked();
        }
        if let Some(state) = state.filter(|it| it.is_stop()) {
            self.begin_in_stop(state == StopState::Stopped);
        }
    }

    fn sample_blocked(&mut self) {
        let Some(mut begin) = self.sample_threads() else { return };
        // One that waits for work shows nothing of where it waits.
        begin.threads.retain(|_, it| it.state == ThreadState::Blocked && !it.stack.is_empty());
        self.under_way.begin = Some((self.started, begin));
    }

    fn start(&mut self, runs: bool) {
        self.started = now();
        self.threads.watched_since(self.started);
        let inbox = self.kernel.inbox();
        inbox.lock().unwrap_or_else(PoisonError::into_inner).windows.start(self.started, runs);
    }

    fn begin_in_stop(&mut self, reached: bool) {
        let started = self.started;
        if let Some(counted) = &mut self.counted {
            counted.sample(started);
            let still = self.under_way.read().is_some_and(StopState::is_stop);
            if still {
                counted.assume(reached);
                self.sample_blocked();
            }
            return;
        }
        let vm_tid = self.threads.vm_thread().unwrap_or(0);
        let inbox = self.kernel.inbox();
        inbox.lock().unwrap_or_else(PoisonError::into_inner).windows.begun_before(vm_tid);
        let assumed = self.kernel.assume_stop(vm_tid, reached, started);
        // It may have ended between the two: then it is no part of the recording.
        let still = self.under_way.read().is_some_and(StopState::is_stop);
        if !still || (!assumed && self.kernel.open_stop().is_some()) {
            if assumed {
                self.kernel.retract_stop(started);
            }
            let inbox = self.kernel.inbox();
            inbox.lock().unwrap_or_else(PoisonError::into_inner).windows.retract();
            self.start(true);
            return;
        }
        let early = self.sample_threads();
        self.under_way.early = early.map(|it| (started, it));
    }

    fn sample_threads(&mut self) -> Option<Snapshot> {
        let dir = self.under_way.dir.as_ref().filter(|_| self.gone.is_none())?;
        Some(sample(dir, &mut self.threads))
    }

    /// Since when the stop under way is being recorded; `None` where there is none.
    #[must_use]
    pub fn stopped_since(&self) -> Option<MonoTime> {
        let counted = self.counted.as_ref().and_then(|it| it.under_way(now()));
        counted.map(|it| it.begin).or_else(|| self.stop_since())
    }

    fn stop_since(&self) -> Option<MonoTime> {
        let inbox = self.kernel.inbox().lock().unwrap_or_else(PoisonError::into_inner);
        inbox.windows.under_way(now(), None).map(|it| it.begin)
    }

    /// Samples the threads of a stop that has gone on for a while, once.
    pub(super) fn sample_stop(&mut self) {
        // What was seen of one that is over is used when its record is complete.
        let Some(since) = self.stop_since() else { return };
        let is_looked_at = self.under_way.early.as_ref().is_some_and(|it| it.0 == since);
        if !is_looked_at && now().since(since) >= LONG {
            let early = self.sample_threads();
            self.under_way.early = early.map(|it| (since, it));
        }
    }

    /// What the threads do now, where a stop is under way.
    pub(super) fn standing(&mut self) -> Option<Snapshot> {
        self.stop_since()?;
        self.sample_threads()
    }

    /// The stop that is under way for at least `least`, with what is known of it now, as facts that are
    /// not final: those of a recording that ended at this moment. `None` where there is none.
    pub fn under_way(&mut self, least: Duration) -> Option<Facts> {
        let counted = || self.counted.as_ref().and_then(|it| it.under_way(now()));
        let long = |begin: MonoTime| now().since(begin) >= least;
        if let Some(fact) = counted() {
            return long(fact.begin).then(|| Facts { safepoints: vec![fact], ..Facts::default() });
        }
        long(self.stop_since()?).then_some(())?;
        let standing = self.standing();
        let at = now();
        let inbox = self.kernel.drain();
        let inbox = inbox.lock().unwrap_or_else(PoisonError::into_inner);
        let fact = inbox.windows.under_way(at, self.kernel.open_stop().as_ref())?;
        let mut facts = Facts::default();
        let window = Interval::new(fact.begin, fact.end_probe);
        inbox.raw.visit(window, |raw| self.keep(&raw, &mut facts));
        facts.cpu_users = inbox.runs.in_waits(window, &facts.slices);
        drop(inbox);
        self.fill(standing.as_ref(), window, &mut facts);
        facts.safepoints.push(SafepointFact { detailed: true, ..fact });
        // What rows of the stop's end will refer to as well is handed over once.
        self.under_way.to_hand_over.stacks.extend(facts.stacks.iter().cloned());
        facts.threads = self.threads.take_facts();
        self.under_way.to_hand_over.threads.extend(facts.threads.iter().cloned());
        Some(facts)
    }

    /// The stop that the end of the recording cuts.
    pub(super) fn cut_stop(
        &mut self,
        standing: Option<&Snapshot>,
        inbox: &mut Inbox,
        facts: &mut Facts,
    ) {
        let at = standing.map_or_else(now, |it| it.at);
        let open = self.kernel.open_stop();
        let Some(fact) = inbox.windows.under_way(at, open.as_ref()) else { return };
        // An exit of the JVM and the end of the recording are one after the other.
        inbox.windows.cut();
        if !self.coverage.has(Source::Scheduler) {
            facts.safepoints.push(crate::kernel::without_totals(fact));
            return;
        }
        let window = Interval::new(fact.begin, fact.end_probe);
        let first = facts.slices.len();
        inbox.raw.take(window, |raw| self.keep(&raw, facts));
        facts.cpu_users.extend(inbox.runs.in_waits(window, &facts.slices[first..]));
        self.fill(standing, window, facts);
        facts.safepoints.push(SafepointFact { detailed: true, ..fact });
    }

    /// The stops that were counted, and what threads did that were blocked when the recording began.
    pub(super) fn take_counted(&mut self, at: MonoTime, all: bool, facts: &mut Facts) {
        if let Some(counted) = &mut self.counted {
            facts.safepoints.extend(counted.take(at, all));
            facts.safepoints.extend(all.then(|| counted.cut(at)).flatten());
        }
        let Some((since, begin)) = &mut self.under_way.begin else { return };
        let found = until_first(begin, *since, &facts.slices, all.then_some(at));
        for (tid, standing, interval) in found {
            let slice = self.standing_slice(tid, &standing, interval, facts);
            facts.slices.push(slice);
        }
    }

    /// Adds what the threads did of which the kernel had nothing to report.
    pub(super) fn fill(
        &mut self,
        standing: Option<&Snapshot>,
        window: Interval,
        facts: &mut Facts,
    ) {
        let nobody = Snapshot::default();
        let standing = standing.unwrap_or(&nobody);
        let early = self.under_way.early.take().filter(|it| it.0 == window.start);
        let unreported =
            unreported(&facts.slices, window, early.as_ref().map(|it| &it.1), &standing.threads);
        self.under_way.early = early;
        for (tid, standing, interval) in unreported {
            let slice = self.standing_slice(tid, &standing, interval, facts);
            facts.slices.push(slice);
        }
    }

    fn standing_slice(
        &mut self,
        tid: u32,
        it: &Standing,
        interval: Interval,
        facts: &mut Facts,
    ) -> ThreadSlice {
        let fd = match it.why.entered {
            Some(OffCpuCause::Syscall(number)) if Architecture::HERE.takes_descriptor(number) => {
                it.why.first
            }
            _ => None,
        };
        let role = self.threads.role(tid, now());
        let works = matches!(role, ThreadRole::VmThread | ThreadRole::GcWorker);
        // The kernel had no switch of it to report: one that works in stops and was found blocked in a
        // call was so all the time, and that is no sample. Of a page fault it takes the whole stack to
        // say what for, and a Java thread may be in native code.
        let is_known = it.state == ThreadState::Blocked
            && works
            && (it.stack.len() > 1 || matches!(it.why.entered, Some(OffCpuCause::Syscall(_))));
        ThreadSlice {
            tid,
            interval,
            state: it.state,
            merged_wait: Duration::ZERO,
            entered: it.why.entered,
            fd,
            file: fd.and_then(|fd| self.host.files().by_fd(fd)),
            fault_offset: None,
            stack: self.under_way.stack(&it.stack, facts),
            woken_by: None,
            released_by: None,
            cpu_holder: None,
            taken: Duration::ZERO,
            sampled: !is_known,
            frozen: it.why.frozen,
        }
    }
}
