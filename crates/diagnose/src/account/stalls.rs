//! Stalls: a thread of the application that cannot go on though it wants to, while the JVM is not stopped.
//!
//! It waits for a disk, for the process that reads what it writes, for a server of files, for a CPU, or for a lock of
//! the kernel. A thread that waits for work, for a timer or for a peer is idle and none. What a hiccup already
//! reports (a quota, the freezer, memory) is not counted again.
//!
//! A thread that waits for one that stalls inherits that stall: it had begun to wait when the other stood, and
//! was let go on by it right after. Of its wait only what the other's stall covers counts; so no more is said
//! than that it waited for that thread, be it for a lock or for an answer.
use crate::{
    Pause, PauseKind, Times,
    account::{cover, hiccups, merge, outside_of},
    case::{Case, PausePhase},
    facts::{
        index::Index,
        stacks::Sign,
        syscalls::{self, FileCall},
    },
    wait::{Blocked, Wait, is_idle},
};
use recording::{Cut, Interval, MonoTime, OffCpuCause, ThreadRole, ThreadSlice, ThreadState};
use std::{collections::BTreeMap, time::Duration};
use strum::VariantArray;

/// Waits of one thread with less than this between them are one stall: a call may wait several times.
const MAX_GAP: Duration = Duration::from_millis(1);

/// A thread that wakes another one at most this time after its own stall is taken for one that had to release
/// it, where the other began to wait at most this time before that stall. `RELEASE_NS` of the recorder's
/// `stalls.bpf.h`, which sends no other wait.
const RELEASE: Duration = Duration::from_millis(10);

/// One stall of one thread. It goes on while the JVM is stopped meanwhile, and only the rest of it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stall {
    pub(crate) interval: Interval,
    pub(crate) tid: u32,
    /// The thread whose stall it is: another one where this one only waited for that.
    pub(crate) holder: u32,
    /// When it had a CPU again.
    until: MonoTime,
}

/// The stalls of a recording in order: those of which at least `least` is in none of these `stops`, which are in
/// order and apart.
pub(crate) fn of(index: &Index<'_>, stops: &[Interval], least: Duration) -> Vec<Stall> {
    let own = own(index, least);
    let mut found = inherited(index, &own, least);
    // One of the JVM's own threads that stands holds up nobody by itself.
    found.extend(own.into_iter().filter(|it| index.role(it.tid) == ThreadRole::Java));
    found.retain(|it| counted(it, stops) >= least);
    found.sort_unstable();
    found
}

/// How much of a stall is in no stop.
fn counted(stall: &Stall, stops: &[Interval]) -> Duration {
    outside_of(stops, stall.interval).map(|it| it.0.duration()).sum()
}

/// The stalls that are each thread's own.
fn own(index: &Index<'_>, least: Duration) -> Vec<Stall> {
    let everything = Interval::new(MonoTime(0), MonoTime(u64::MAX));
    let mut found = Vec::new();
    for tid in index.threads_with_slices() {
        let role = index.role(tid);
        let mut last: Option<(Stall, &ThreadSlice)> = None;
        for slice in index.slices_in(tid, everything) {
            let is_next = |it: &Stall| slice.interval.start == it.until;
            let is_wait = slice.interval.duration() >= least && stands(index, slice, role);
            let is_runnable = slice.state == ThreadState::Runnable;
            match &mut last {
                // It could go on, and had to wait for a CPU.
                Some((it, _)) if is_runnable && is_next(it) => {
                    it.until = slice.interval.end;
                    if is_wait {
                        it.interval.end = slice.interval.end;
                    }
                }
                Some((it, of)) if is_wait && is_same_call(of, slice, it.until) => {
                    it.interval.end = slice.interval.end;
                    it.until = slice.interval.end;
                }
                _ if is_wait => {
                    found.extend(last.take().map(|it| it.0));
                    let Interval { end: until, .. } = slice.interval;
                    last =
                        Some((Stall { interval: slice.interval, tid, holder: tid, until }, slice));
                }
                _ => {}
            }
        }
        found.extend(last.map(|it| it.0));
    }
    found
}

/// Whether a call that has waited until then waits again.
fn is_same_call(before: &ThreadSlice, after: &ThreadSlice, until: MonoTime) -> bool {
    let call = |it: &ThreadSlice| (it.state, it.entered, it.fd, it.file);
    after.interval.start.since(until) < MAX_GAP && call(before) == call(after)
}

/// Whether a slice is one in which the thread wants to go on. The JVM's own threads wait for a CPU by
/// themselves; where one is blocked, others may wait for it.
fn stands(index: &Index<'_>, slice: &ThreadSlice, role: ThreadRole) -> bool {
    match slice.state {
        ThreadState::Blocked => {
            !is_idle(index, slice)
                && !hiccups::is_wait(index, slice)
                && wants_to_go_on(index, slice)
        }
        ThreadState::Runnable => role == ThreadRole::Java && !is_of_jvm(index, slice.tid),
        ThreadState::OnCpu | ThreadState::Throttled | ThreadState::Stopped => false,
    }
}

/// Whether a thread that is blocked in the kernel is so in something that it waits for against its will. In a stop
/// each wait is recorded with its stack, that for a peer, a lock of a file or a device too.
fn wants_to_go_on(index: &Index<'_>, slice: &ThreadSlice) -> bool {
    let waits = Blocked::of(index, slice).waits(index);
    let is_shown = || Wait::VARIANTS.iter().any(|it| waits.has(*it));
    match syscalls::file_call(index.architecture(), slice.entered) {
        Some(FileCall::Write | FileCall::Sync) => !index.signs(slice.stack).has(Sign::Incoming),
        // One that reads anything but a file waits for what a peer sends.
        Some(FileCall::Read) => slice.file.is_some() || is_shown(),
        None => slice.entered == Some(OffCpuCause::PageFault) || is_shown(),
    }
}

/// Java threads that HotSpot and its libraries start for themselves: no request waits for them to get a CPU.
/// (`ServiceThread`, `MonitorDeflationThread`, `CodeCacheSweeperThread`, `os::initialize_jdk_signal_support`, `jdk.jfr`,
/// `jdk.internal.ref.CleanerFactory`.)
const OF_JVM: [&str; 11] = [
    "Service Thread",
    "Monitor Deflati",
    "Sweeper thread",
    "Signal Dispatch",
    "Notification Th",
    "Attach Listener",
    "Reference Handl",
    "Finalizer",
    "Common-Cleaner",
    "JFR Recorder Th",
    "JFR Periodic Ta",
];

fn is_of_jvm(index: &Index<'_>, tid: u32) -> bool {
    OF_JVM.contains(&index.thread_name(tid).as_str())
}

/// What each thread has stalled, each with whose stall it was, by when it had a CPU again.
type Ended = BTreeMap<u32, BTreeMap<MonoTime, Stall>>;

/// The stalls that threads inherit by the chain of those that let them go on.
fn inherited(index: &Index<'_>, own: &[Stall], least: Duration) -> Vec<Stall> {
    let mut ended = Ended::new();
    let mut of_holders: BTreeMap<u32, Vec<Stall>> = BTreeMap::new();
    for stall in own {
        let hulls = of_holders.entry(stall.tid).or_default();
        // To who waits for that thread one stall soon after another is the same.
        match hulls.last_mut() {
            Some(hull) if stall.interval.start.since(hull.until) <= RELEASE => {
                hull.interval.end = stall.interval.end;
                hull.until = stall.until;
            }
            _ => hulls.push(*stall),
        }
        // It may let others go on between the two.
        let until = hulls.last().map(|it| (it.until, *it));
        ended.entry(stall.tid).or_default().extend(until);
    }
    let mut waits = waits_for_threads(index, least);
    // Who was let go on first may have let another go on.
    waits.sort_unstable_by_key(|it| (it.0.end, it.1));
    let mut found = Vec::new();
    for (wait, tid, waker) in waits {
        let Some(stall) = ended.get(&waker).and_then(|it| released(it, wait)) else { continue };
        let Some(interval) = wait.intersect(stall.interval) else { continue };
        if interval.duration() < least {
            continue;
        }
        found.push(Stall { interval, tid, holder: stall.holder, until: wait.end });
        // Its chain ends when it is let go on, and began with the thread at its end.
        let interval = Interval::new(stall.interval.start, wait.end);
        let inherited = Stall { interval, tid, holder: stall.holder, until: wait.end };
        ended.entry(tid).or_default().insert(wait.end, inherited);
    }
    // Who waited on beyond the holder's stall waited for others then.
    found.retain_mut(|it| {
        let stalls = of_holders.get(&it.holder).map_or(&[][..], Vec::as_slice);
        let first = stalls.partition_point(|stall| stall.interval.end <= it.interval.start);
        let near = stalls[first..].iter().take_while(|of| of.interval.start < it.interval.end);
        let longest =
            near.filter_map(|of| of.interval.intersect(it.interval)).max_by_key(|it| it.duration());
        it.interval = longest.unwrap_or(Interval::new(it.interval.start, it.interval.start));
        it.interval.duration() >= least
    });
    found
}

/// The waits of Java threads for another thread that let them go on: when, who, and for whom.
fn waits_for_threads(index: &Index<'_>, least: Duration) -> Vec<(Interval, u32, u32)> {
    let everything = Interval::new(MonoTime(0), MonoTime(u64::MAX));
    let mut waits = Vec::new();
    for tid in index.threads_with_slices().filter(|it| index.role(*it) == ThreadRole::Java) {
        let idle = index.slices_in(tid, everything).iter().filter(|it| {
            it.state == ThreadState::Blocked
                && it.interval.duration() >= least
                && is_idle(index, it)
        });
        let woken = idle.filter_map(|it| Some((it.interval, tid, it.woken_by?)));
        waits.extend(woken.filter(|it| index.role(it.2) != ThreadRole::VmThread && it.2 != tid));
    }
    waits
}

/// The stall of a waker, the last one, after which it released who had waited.
fn released(of_waker: &BTreeMap<MonoTime, Stall>, wait: Interval) -> Option<Stall> {
    let (_, stall) = of_waker.range(..=wait.end).next_back()?;
    let is_near = wait.end.since(stall.until) <= RELEASE;
    let began_then = wait.start + RELEASE >= stall.interval.start;
    (is_near && began_then).then_some(*stall)
}

/// The account of one stall outside of these stops: what the thread did whose stall it is.
pub(crate) fn case<'a>(
    index: &'a Index<'a>,
    stall: &Stall,
    stops: &[Interval],
    wall: Option<i64>,
) -> Case<'a> {
    let Stall { interval, holder, .. } = *stall;
    let parts = outside_of(stops, interval);
    let part = |(it, _)| merge(cover(index, holder, PausePhase::Operation, it));
    let segments = parts.flat_map(part).collect();
    let pause = Pause { duration: counted(stall, stops), ..pause(interval, wall) };
    Case { pause, interval, segments, collections: Vec::new(), index }
}

/// An interval in which threads stood.
pub(crate) fn pause(interval: Interval, wall: Option<i64>) -> Pause {
    let start = interval.start;
    Pause {
        kind: PauseKind::Stall,
        start_ns: start.0,
        start_wall_ns: wall.map(|offset| start.0.cast_signed().saturating_add(offset)),
        times: Times::Known,
        duration: interval.duration(),
        reaching: Duration::ZERO,
        operation: "".into(),
        collection: None,
        detailed: true,
        cut: Cut::WHOLE,
    }
}
