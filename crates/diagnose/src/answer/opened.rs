//! The longest pauses, opened: what each thread that mattered did in them.
//!
//! The account of a pause says for each moment which thread was waited for. Here the lanes of those threads,
//! of their wakers and of the collector's threads are laid beside it, so that a picture can show both.
use crate::{
    Attribution, Cause, Certainty, WaitLocation,
    case::{Case, Segment},
    causes,
    facts::{index::Index, stacks, syscalls},
    log::stages::{self, Stage},
    mechanisms,
    wait::{is_idle, outputs},
};
use gclog::PhaseTime;
use recording::{Interval, ThreadRole, ThreadSlice, ThreadState};
use std::{cmp::Reverse, collections::BTreeMap, time::Duration};

/// Number of pauses that are opened: the longest.
pub(crate) const MOST_PAUSES: usize = 24;
/// Number of threads shown of each.
const MOST_LANES: usize = 12;
/// Number of slices kept of each thread: the longest.
const MOST_SPANS: usize = 2_000;
/// Number of different waits that are described.
const MOST_WAITS: usize = 200;
/// An application thread that ran for this part of a pause is shown, also where no thread waited for it.
const MUCH: u32 = 20;

/// A pause to look into.
#[derive(Clone, Debug)]
pub struct Opened {
    /// Its place in [`Diagnosis::pauses`](crate::Diagnosis::pauses).
    pub pause: usize,
    /// The threads that were waited for, end to end.
    pub account: Vec<Stretch>,
    /// The threads that mattered: the VM thread, those that were waited for, the collector's, those
    /// that woke them.
    pub lanes: Vec<Lane>,
    /// What is known of the waits of the lanes.
    pub waits: Vec<Wait>,
    /// How long the phases of its collections took, where a log says.
    pub phases: Vec<PhaseTime>,
    /// Its stages in order, where it is a stop of the JVM: those of a recording as its GC log has them.
    pub stages: Vec<Stage>,
    /// Stretches of threads that were left out, each shorter than any that is here.
    pub left_out: u64,
}

/// A stretch of a pause's account. Times since the pause's start.
#[derive(Clone, Debug)]
pub struct Stretch {
    /// When it began.
    pub start: Duration,
    /// How long it was.
    pub length: Duration,
    /// The cause that has it; `None` where none explains it.
    pub cause: Option<&'static Cause>,
    /// The lane of the thread that was waited for, where it has one.
    pub lane: Option<usize>,
}

/// What a thread did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// Thread id.
    pub tid: u32,
    /// Its name, or its id.
    pub name: String,
    /// What it is for.
    pub role: ThreadRole,
    /// In order of time.
    pub spans: Vec<Span>,
}

/// A stretch of one thread. Times since the pause's start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// When it began.
    pub start: Duration,
    /// How long it was.
    pub length: Duration,
    /// What the thread did.
    pub state: ThreadState,
    /// Whether it waited for another thread, for work or for a timer.
    pub is_idle: bool,
    /// What is known of the wait: a place in [`Opened::waits`].
    pub wait: Option<usize>,
    /// The lane whose thread ended the wait.
    pub woken_by: Option<usize>,
}

/// What is known of a wait.
#[derive(Clone, Debug)]
pub struct Wait {
    /// Where it was.
    pub place: WaitLocation,
    /// What it waited for, where its stack shows that; for the middle of a sentence.
    pub waits_for: Option<&'static str>,
    /// The function in its stack that shows it: a place in `place.stack`.
    pub marked: Option<usize>,
    /// Who had the CPU that it waited for: process id and name.
    pub cpu_holder: Option<(u32, String)>,
    /// How well it is known.
    pub certainty: Certainty,
}

/// The account of a pause that may be opened.
#[derive(Debug)]
struct Kept<'a> {
    place: usize,
    interval: Interval,
    segments: Vec<Segment<'a>>,
    phases: Vec<PhaseTime>,
    stages: Vec<Stage>,
}

/// Keeps the accounts of the longest pauses while one after the other is made.
#[derive(Debug, Default)]
pub(crate) struct Openings<'a> {
    kept: Vec<Kept<'a>>,
}

impl<'a> Openings<'a> {
    /// The account of the pause at `place`, after it was divided.
    pub(crate) fn take(&mut self, place: usize, attribution: &Attribution, case: Case<'a>) {
        if !attribution.pause.detailed {
            return;
        }
        if self.kept.len() == MOST_PAUSES {
            let shortest = self.kept.iter().enumerate();
            let shortest = shortest.min_by_key(|(_, it)| it.interval.duration());
            match shortest {
                Some((at, it)) if it.interval.duration() < case.interval.duration() => {
                    self.kept.swap_remove(at);
                }
                _ => return,
            }
        }
        let phases = case.collections.iter().flat_map(|it| it.gc.phases.iter().cloned());
        self.kept.push(Kept {
            place,
            interval: case.interval,
            phases: phases.collect(),
            stages: stages::of(&attribution.pause, case.collections),
            segments: case.segments,
        });
    }

    /// The opened pauses, in order of time.
    pub(crate) fn finish(mut self, index: &Index<'a>) -> Vec<Opened> {
        self.kept.sort_by_key(|it| it.place);
        self.kept.into_iter().map(|it| open(index, it)).collect()
    }
}

fn open<'a>(index: &Index<'a>, kept: Kept<'a>) -> Opened {
    let tids = chosen(index, &kept);
    let lane_of = |tid: u32| tids.iter().position(|it| *it == tid);
    let mut waits = Waits::default();
    let mut left_out = 0;
    let lanes = tids.iter().map(|&tid| {
        let mut spans = spans(index, tid, kept.interval, &lane_of, &mut waits);
        left_out += thin_out(&mut spans);
        Lane { tid, name: index.thread_name(tid), role: index.role(tid), spans }
    });
    let lanes = lanes.collect();
    Opened {
        pause: kept.place,
        account: stretches(&kept.segments, kept.interval, lane_of),
        lanes,
        waits: waits.known,
        phases: kept.phases,
        stages: kept.stages,
        left_out,
    }
}

/// The account of a pause, end to end.
pub(crate) fn stretches(
    segments: &[Segment<'_>],
    whole: Interval,
    lane_of: impl Fn(u32) -> Option<usize>,
) -> Vec<Stretch> {
    joined(segments.iter().map(|it| Stretch {
        start: it.interval.start.since(whole.start),
        length: it.interval.duration(),
        cause: it.taken.map(|place| causes::ALL[place]),
        lane: lane_of(it.tid),
    }))
}

/// Stretches of one cause and thread that follow each other are one.
fn joined(account: impl Iterator<Item = Stretch>) -> Vec<Stretch> {
    let mut all: Vec<Stretch> = Vec::new();
    for it in account.filter(|it| !it.length.is_zero()) {
        match all.last_mut() {
            Some(last)
                if last.cause.map(|cause| cause.id) == it.cause.map(|cause| cause.id)
                    && last.lane == it.lane
                    && last.start + last.length == it.start =>
            {
                last.length += it.length;
            }
            _ => all.push(it),
        }
    }
    all
}

/// The threads to show: the VM thread first, then the collector's and the others, each kind by how
/// long it was waited for, and how long it did something.
fn chosen(index: &Index<'_>, kept: &Kept<'_>) -> Vec<u32> {
    let mut waited_for: BTreeMap<u32, Duration> = BTreeMap::new();
    for it in kept.segments.iter().filter(|it| it.tid != 0) {
        *waited_for.entry(it.tid).or_default() += it.interval.duration();
    }
    let vm_thread = index.vm_thread();
    let of_vm = vm_thread.map_or(&[][..], |tid| index.slices_in(tid, kept.interval));
    let woke: Vec<u32> = of_vm.iter().filter_map(|it| it.woken_by).collect();
    let much = kept.interval.duration() / MUCH;
    let mut found: Vec<(Reverse<Duration>, Reverse<Duration>, u32)> = index
        .threads_with_slices()
        .filter_map(|tid| {
            let active = active(index, tid, kept.interval);
            let waited = waited_for.get(&tid).copied().unwrap_or_default();
            let matters = match index.role(tid) {
                ThreadRole::VmThread => true,
                ThreadRole::GcWorker => !active.is_zero(),
                _ => !waited.is_zero() || active >= much || woke.contains(&tid),
            };
            (matters || !waited.is_zero()).then_some((Reverse(waited), Reverse(active), tid))
        })
        .collect();
    found.sort_unstable();
    found.truncate(MOST_LANES);
    let order = |tid: u32| match index.role(tid) {
        _ if Some(tid) == vm_thread => 0,
        ThreadRole::VmThread => 1,
        ThreadRole::GcWorker => 2,
        ThreadRole::GcConcurrent => 3,
        _ => 4,
    };
    found.sort_by_key(|it| order(it.2));
    found.into_iter().map(|it| it.2).collect()
}

/// How long a thread did something in `interval`, or was kept from it.
fn active(index: &Index<'_>, tid: u32, interval: Interval) -> Duration {
    let slices = index.slices_in(tid, interval).iter();
    let slices = slices.filter(|it| !is_idle(index, it));
    slices.filter_map(|it| Some(it.interval.intersect(interval)?.duration())).sum()
}

fn spans<'a>(
    index: &Index<'a>,
    tid: u32,
    interval: Interval,
    lane_of: &impl Fn(u32) -> Option<usize>,
    waits: &mut Waits<'a>,
) -> Vec<Span> {
    let slices = index.slices_in(tid, interval).iter();
    let span = |slice: &&'a ThreadSlice| {
        let part = slice.interval.intersect(interval)?;
        let is_over = slice.interval.end <= interval.end;
        Some(Span {
            start: part.start.since(interval.start),
            length: part.duration(),
            state: slice.state,
            is_idle: is_idle(index, slice),
            wait: waits.place(index, slice),
            woken_by: slice.woken_by.filter(|_| is_over).and_then(lane_of),
        })
    };
    slices.filter_map(span).filter(|it| !it.length.is_zero()).collect()
}

/// Leaves out the shortest of too many; how many that are.
fn thin_out(spans: &mut Vec<Span>) -> u64 {
    let too_many = spans.len().saturating_sub(MOST_SPANS);
    if too_many > 0 {
        spans.sort_by_key(|it| Reverse(it.length));
        spans.truncate(MOST_SPANS);
        spans.sort_by_key(|it| it.start);
    }
    too_many as u64
}

/// The waits of one pause that differ.
#[derive(Debug, Default)]
struct Waits<'a> {
    keys: Vec<&'a ThreadSlice>,
    known: Vec<Wait>,
}

impl<'a> Waits<'a> {
    /// Its place, where something is known of it.
    fn place(&mut self, index: &Index<'_>, slice: &'a ThreadSlice) -> Option<usize> {
        let tells = slice.entered.is_some() || slice.stack.is_some() || slice.file.is_some();
        let waits = matches!(slice.state, ThreadState::Blocked | ThreadState::Stopped);
        if !(waits && tells) && slice.cpu_holder.is_none() {
            return None;
        }
        let is_same = |it: &&ThreadSlice| {
            it.tid == slice.tid
                && it.state == slice.state
                && it.entered == slice.entered
                && it.fd == slice.fd
                && it.file == slice.file
                && it.stack == slice.stack
                && it.cpu_holder == slice.cpu_holder
        };
        if let Some(place) = self.keys.iter().position(is_same) {
            return Some(place);
        }
        if self.known.len() == MOST_WAITS {
            return None;
        }
        self.known.push(wait(index, slice));
        self.keys.push(slice);
        Some(self.known.len() - 1)
    }
}

fn wait(index: &Index<'_>, slice: &ThreadSlice) -> Wait {
    let stack = index.frames(slice.stack);
    let by_mechanism = || {
        let mechanism = mechanisms::of(index, slice)?;
        Some((stack.iter().position(|it| mechanism.is_shown_by(it)), mechanism.phrase))
    };
    let by_fault = || {
        stack
            .iter()
            .enumerate()
            .find_map(|(at, frame)| Some((Some(at), stacks::page_of_fault(frame)?)))
    };
    let shown = by_mechanism().or_else(by_fault);
    let file = slice.file.and_then(|key| index.file(key));
    let stream = slice.fd.and_then(|fd| outputs::of_fd(index, fd)).filter(|_| file.is_none());
    let place = WaitLocation {
        thread: index.thread_name(slice.tid),
        call: syscalls::call(index.architecture(), slice.entered),
        path: match (file, stream, slice.fd) {
            (Some(file), _, _) => file.path.clone(),
            (_, Some(stream), _) => outputs::name(stream.fd).unwrap_or_default().to_owned(),
            (_, _, Some(fd)) => format!("fd {fd}"),
            _ => String::new(),
        },
        file_system: match (file, stream) {
            (Some(file), _) => file.file_system.clone(),
            (_, Some(stream)) => outputs::kind(stream).to_owned(),
            _ => String::new(),
        },
        device: file.map_or_else(String::new, |it| it.device_name.clone()),
        stack: stack.to_vec(),
    };
    Wait {
        place,
        waits_for: shown.map(|it| it.1),
        marked: shown.and_then(|it| it.0),
        cpu_holder: slice.cpu_holder.clone(),
        certainty: if slice.sampled { Certainty::Inferred } else { Certainty::Measured },
    }
}
