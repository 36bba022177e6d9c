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
    case::{Case, PausePhase, Segment},
    facts::{
        index::Index,
        stacks::Sign,
        syscalls::{self, FileCall},
    },
    values::intervals::union,
    wait::{Blocked, Wait, Waits, is_idle, is_idle_outside_of_stops},
};
use recording::{
    Cut, Interval, MonoTime, OffCpuCause, Source, ThreadRole, ThreadSlice, ThreadState,
};
use std::{collections::BTreeMap, time::Duration};
use strum::VariantArray;

/// Waits of one thread with less than this between them are one stall: a call may wait several times.
const MAX_GAP: Duration = Duration::from_millis(1);

/// A thread that wakes another one at most this time after its own stall is taken for one that had to release
/// it, where the other began to wait at most this time before that stall. `RELEASE_NS` of the recorder's
/// `stalls.bpf.h`, which sends no other wait.
const RELEASE: Duration = Duration::from_millis(10);

/// Around a stop that was sampled as much as it is long, and this at most, is left out: `MARGIN` of the recorder's
/// `sampler/keep.rs`, which keeps waits there of which it is not sure how long they were.
const SAMPLED_MARGIN: Duration = Duration::from_millis(50);

/// One stall of one thread. It goes on while the JVM is stopped meanwhile, and only the rest of it counts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stall {
    pub(crate) interval: Interval,
    pub(crate) tid: u32,
    /// The thread whose stall it is, or most of it: another one where this one only waited for that.
    pub(crate) holder: u32,
    /// When it had a CPU again.
    until: MonoTime,
    /// Whether it only waited for a CPU.
    is_late: bool,
    /// Whose stall it is when, where it waited for several threads, one after the other.
    turns: Vec<Turn>,
}

/// A time in which a thread stood because of one thread, be it itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Turn {
    interval: Interval,
    holder: u32,
    /// When the thread that stood had a CPU again.
    until: MonoTime,
}

/// The stalls of a recording in order: those of which at least `least` is in none of these `stops`, which are in
/// order and apart.
pub(crate) fn of(index: &Index<'_>, stops: &[Interval], least: Duration) -> Vec<Stall> {
    let own = own(index, least);
    let mut found = inherited(index, &own, least);
    found.retain(|it| counted(it, stops) >= least);
    // One of the JVM's own threads that stands is none as long as no other thread waits for it.
    let mut waited_for: BTreeMap<u32, Vec<Interval>> = BTreeMap::new();
    let turns = found.iter().flat_map(|it| &it.turns);
    for it in turns.filter(|it| index.role(it.holder) != ThreadRole::Java) {
        waited_for.entry(it.holder).or_default().push(it.interval);
    }
    waited_for.values_mut().for_each(|it| *it = union(std::mem::take(it)));
    let is_one = |it: &Stall| {
        let meets = |all: &Vec<Interval>| {
            let next = all.partition_point(|of| of.end <= it.interval.start);
            all.get(next).is_some_and(|of| of.start < it.interval.end)
        };
        index.role(it.tid) == ThreadRole::Java || waited_for.get(&it.tid).is_some_and(meets)
    };
    found.extend(own.into_iter().filter(|it| is_one(it) && counted(it, stops) >= least));
    found.sort_unstable();
    found
}

/// In which times no stall counts, in order and apart: these stops, and what is near them where they were sampled.
pub(crate) fn times_of_stops(
    index: &Index<'_>,
    stops: impl Iterator<Item = Interval>,
) -> Vec<Interval> {
    let coverage = index.facts.and_then(|it| it.coverage.as_ref());
    let is_sampled = coverage.is_some_and(|it| !it.ran(Source::Scheduler));
    let margin = |it: Interval| match is_sampled {
        true => it.duration().min(SAMPLED_MARGIN),
        false => Duration::ZERO,
    };
    union(stops.map(|it| Interval::new(it.start - margin(it), it.end + margin(it))).collect())
}

impl Stall {
    fn own(interval: Interval, tid: u32, until: MonoTime, is_late: bool) -> Stall {
        Stall { interval, tid, holder: tid, until, is_late, turns: Vec::new() }
    }

    /// Of a thread that waited in these turns for others; `None` where there is none.
    fn inherited(tid: u32, turns: Vec<Turn>) -> Option<Stall> {
        let (first, last) = (turns.first()?, turns.last()?);
        let mut times: BTreeMap<u32, Duration> = BTreeMap::new();
        for it in &turns {
            *times.entry(it.holder).or_default() += it.interval.duration();
        }
        let holder = *times.iter().max_by_key(|it| it.1)?.0;
        let interval = Interval::new(first.interval.start, last.interval.end);
        Some(Stall { interval, tid, holder, until: last.until, is_late: false, turns })
    }

    /// Who stood when, inside of this part of it.
    fn turns_in(&self, part: Interval) -> impl Iterator<Item = (u32, Interval)> {
        let all = self.turns.is_empty().then_some((self.holder, part));
        let turns = self.turns.iter();
        let turns = turns.filter_map(move |it| Some((it.holder, it.interval.intersect(part)?)));
        all.into_iter().chain(turns)
    }
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
                    let own = Stall::own(slice.interval, tid, until, is_runnable);
                    last = Some((own, slice));
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
            !is_idle_outside_of_stops(index, slice)
                && !hiccups::is_wait(index, slice)
                && wants_to_go_on(index, slice)
        }
        // Of several waits for a CPU between two samples only their sum is known.
        ThreadState::Runnable => {
            role == ThreadRole::Java && !slice.sampled && !is_of_jvm(index, slice.tid)
        }
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
        // A sample shows that a thread is in a fault, and not whether in one or in a thousand.
        None if slice.sampled => {
            matches!(slice.entered, Some(OffCpuCause::Syscall(_))) && is_shown()
        }
        None => slice.entered == Some(OffCpuCause::PageFault) || is_shown(),
    }
}

/// Java threads that HotSpot and its libraries start for themselves: no request waits for them to get a CPU.
/// (`ServiceThread`, `MonitorDeflationThread`, `CodeCacheSweeperThread`, `os::initialize_jdk_signal_support`, `jdk.jfr`,
/// `jdk.internal.ref.CleanerFactory`.) As the kernel has them; asked, the JVM reports what it cuts off.
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

/// Bytes of a thread's name that the kernel keeps (`TASK_COMM_LEN`).
const KERNEL_BYTES: usize = 15;

fn is_of_jvm(index: &Index<'_>, tid: u32) -> bool {
    let name = index.thread_name(tid);
    OF_JVM.contains(&name.get(..KERNEL_BYTES).unwrap_or(&name))
}

/// When each thread stood, and because of which, in order.
type Turns = BTreeMap<u32, Vec<Turn>>;

/// Turns of one stall that are kept apart; of more, the first ones are one.
const MOST_TURNS: usize = 64;

/// The stalls that threads inherit by the chain of those that let them go on.
fn inherited(index: &Index<'_>, own: &[Stall], least: Duration) -> Vec<Stall> {
    // On a host that is short of CPUs whoever hands on work is late, and who waits for work is no stall.
    let mut own: Vec<_> = own.iter().filter(|it| !it.is_late).collect();
    own.sort_by_key(|it| it.until);
    let mut own = own.into_iter().peekable();
    let mut waits = waits_for_threads(index, least);
    // Who was let go on first may have let another go on.
    waits.sort_unstable_by_key(|it| (it.0.end, it.1));
    let (mut stood, mut found) = (Turns::new(), Vec::new());
    for (wait, tid, waker) in waits {
        while let Some(it) = own.next_if(|it| it.until <= wait.end) {
            let turn = Turn { interval: it.interval, holder: it.tid, until: it.until };
            stood.entry(it.tid).or_default().push(turn);
        }
        let turns = stood.get(&waker).map(|it| waited_out(it, wait)).unwrap_or_default();
        let Some(stall) = Stall::inherited(tid, turns) else { continue };
        if stall.interval.duration() >= least {
            stood.entry(tid).or_default().extend(&stall.turns);
            found.push(stall);
        }
    }
    found
}

/// The turns of a waker that a thread waited out which it then let go on: those up to its last one without a
/// break, where the thread had not begun to wait long before. To who waits one soon after another is the same.
fn waited_out(of_waker: &[Turn], wait: Interval) -> Vec<Turn> {
    let past = of_waker.partition_point(|it| it.until <= wait.end);
    let Some(last) =
        past.checked_sub(1).filter(|it| wait.end.since(of_waker[*it].until) <= RELEASE)
    else {
        return Vec::new();
    };
    let mut first = last;
    while first > 0
        && of_waker[first].interval.start > wait.start
        && of_waker[first].interval.start.since(of_waker[first - 1].until) <= RELEASE
    {
        first -= 1;
    }
    if wait.start + RELEASE < of_waker[first].interval.start {
        return Vec::new();
    }
    let mut turns: Vec<Turn> = Vec::new();
    for (at, it) in of_waker[first..=last].iter().enumerate() {
        let Some(interval) = it.interval.intersect(wait) else { continue };
        let rest = last - first - at;
        match turns.last_mut() {
            Some(before) if before.holder == it.holder || rest >= MOST_TURNS => {
                before.interval.end = interval.end;
            }
            before => {
                // it was held meanwhile, too
                if let Some(before) = before {
                    before.interval.end = interval.start;
                }
                turns.push(Turn { interval, holder: it.holder, until: wait.end });
            }
        }
    }
    turns
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

/// The account of one stall outside of these stops: what the thread did whose stall it is.
pub(crate) fn case<'a>(
    index: &'a Index<'a>,
    stall: &Stall,
    stops: &[Interval],
    wall: Option<i64>,
) -> Case<'a> {
    let interval = stall.interval;
    let parts = outside_of(stops, interval).flat_map(|it| stall.turns_in(it.0));
    let part = |(holder, it)| {
        let mut segments = cover(index, holder, PausePhase::Operation, it);
        segments.iter_mut().for_each(|it| it.waits = waits_outside_of_stops(index, it));
        merge(segments)
    };
    let segments = parts.flat_map(part).collect();
    let pause = Pause { duration: counted(stall, stops), ..pause(interval, wall) };
    Case { pause, interval, segments, collections: Vec::new(), index }
}

/// Whether a stretch of the account is a wait for a thread; for what else is decided later.
fn waits_outside_of_stops(index: &Index<'_>, segment: &Segment<'_>) -> Waits {
    let slice = segment.slice();
    Waits::for_thread(slice.is_some_and(|it| is_idle_outside_of_stops(index, it)))
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
