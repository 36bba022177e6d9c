//! Which episodes of stalled threads have ended, and what was reported of them: each stall once, though the
//! window is looked at again and again.
use diagnose::Episode;
use recording::{Facts, Interval, MonoTime, SafepointFact, ThreadSlice, ThreadState};
use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    time::Duration,
};

/// How long after its end an episode is reported: who waited for the same may have waited a little longer, and
/// what is known of it comes with the next drain.
const PATIENCE: Duration = Duration::from_millis(500);
/// How long it waits at least after it came, where it came late.
const GRACE: Duration = Duration::from_millis(150);
/// An episode that goes on is reported each time after this, so that no more of it is kept than a window holds.
const MOST: Duration = Duration::from_secs(20);
/// How often the window is looked at for stalls at most.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// Stops that are known; the oldest go first.
const MOST_STOPS: usize = 100_000;

/// The stalls of a window.
#[derive(Debug, Default)]
pub(super) struct Stalled {
    /// The stops of the last seconds: what of a wait is in one is no stall.
    stops: VecDeque<Interval>,
    /// What was reported, by thread.
    reported: BTreeMap<u32, Vec<Interval>>,
    /// The ends of episodes that were not over when this last looked.
    growing: Vec<MonoTime>,
    /// Those that are over, in order of their ends.
    ended: VecDeque<Episode>,
    /// Whether anything came since this last looked.
    is_new: bool,
    /// When it is to look again.
    due: Option<MonoTime>,
}

impl Stalled {
    /// Takes what came at `now`, where stalls from `over` on are recorded.
    pub(super) fn add(
        &mut self,
        slices: &[ThreadSlice],
        stops: &[SafepointFact],
        over: Duration,
        now: MonoTime,
    ) {
        self.stops.extend(stops.iter().map(|it| Interval::new(it.begin, super::end(it))));
        let too_many = self.stops.len().saturating_sub(MOST_STOPS);
        self.stops.drain(..too_many);
        // What waits for work has no stack. A pause brings that of all threads, and is no reason to look.
        let may_stall = |it: &&ThreadSlice| {
            is_wait(it, over) && (it.stack.is_some() || it.state == ThreadState::Runnable)
        };
        let waits = slices.iter().filter(may_stall).map(|it| it.interval.end);
        if let Some(first) = waits.min() {
            let due = (first + PATIENCE).max(now + GRACE);
            self.due = Some(self.due.map_or(due, |it| it.min(due)));
            self.is_new = true;
        }
    }

    /// When there is something to look for.
    pub(super) fn due(&self) -> Option<MonoTime> {
        self.due
    }

    /// Looks which have ended: where that is due, or where `now_or_never` what came since must be known.
    pub(super) fn look(&mut self, facts: &Facts, now: MonoTime, now_or_never: bool) {
        let is_due = self.due.is_some_and(|it| it <= now);
        let is_wanted = is_due || (now_or_never && self.is_new);
        if !is_wanted {
            return;
        }
        (self.is_new, self.due) = (false, None);
        let reported = &self.reported;
        let rest = |tid: u32, stall: Interval| rest(reported.get(&tid), stall);
        let waits = waits(facts);
        let stalls = diagnose::new_stalls(&waits, self.stops.iter().copied(), rest);
        let episodes = stalls.map(|it| it.episodes).unwrap_or_default();
        let is_over = |it: &Episode| end(it) + PATIENCE <= now || goes_on(it, &waits, now);
        let (mut ended, growing): (Vec<_>, Vec<_>) = episodes.into_iter().partition(is_over);
        for it in ended.iter().flat_map(|it| &it.members) {
            self.reported.entry(it.tid).or_default().push(it.interval);
        }
        self.growing = growing.iter().map(end).collect();
        let next = self.growing.iter().min().map(|it| *it + PATIENCE);
        self.due = next.map(|it| it.max(now + LOOK_EVERY));
        ended.sort_by_key(end);
        self.ended.extend(ended);
    }

    /// Whether one ends before this, as far as is known, that is not over for sure.
    pub(super) fn may_end_before(&self, at: MonoTime) -> bool {
        self.growing.iter().any(|it| *it <= at)
    }

    /// Those that are over, up to this.
    pub(super) fn until(&mut self, at: MonoTime) -> Vec<Episode> {
        let count = self.ended.iter().take_while(|it| end(it) <= at).count();
        self.ended.drain(..count).collect()
    }

    #[cfg(test)]
    pub(super) fn remembered(&self) -> usize {
        self.reported.values().map(Vec::len).sum()
    }

    /// Drops what is of no slice that is kept.
    pub(super) fn prune(&mut self, horizon: MonoTime) {
        self.stops.retain(|it| it.end >= horizon);
        self.reported.retain(|_, it| {
            it.retain(|it| it.end >= horizon);
            !it.is_empty()
        });
    }
}

/// What of a stall was not reported. A thread that waits again at once goes on with its stall.
fn rest(reported: Option<&Vec<Interval>>, stall: Interval) -> Option<Interval> {
    let reported = reported.map_or(&[][..], Vec::as_slice);
    let ends = reported.iter().filter(|it| it.intersect(stall).is_some()).map(|it| it.end);
    let start = ends.max().map_or(stall.start, |it| it.max(stall.start));
    (start < stall.end).then(|| Interval::new(start, stall.end))
}

/// What stalls are found in, and no more: of a JVM with many pauses most of a window are short slices of its
/// threads in those.
fn waits(all: &Facts) -> Facts {
    let over = all.coverage.as_ref().and_then(|it| it.stalls_over).unwrap_or_default();
    let slices = super::rows(&all.slices, |it| is_wait(it, over));
    let stacks: BTreeSet<u32> = slices.iter().filter_map(|it| it.stack).collect();
    Facts {
        jvm: all.jvm.clone(),
        host: all.host.clone(),
        cgroup: all.cgroup.clone(),
        clocks: all.clocks.clone(),
        threads: all.threads.clone(),
        stacks: super::rows(&all.stacks, |it| stacks.contains(&it.id)),
        slices,
        files: all.files.clone(),
        kernel_work: all.kernel_work.clone(),
        outputs: all.outputs.clone(),
        coverage: all.coverage.clone(),
        ..Facts::default()
    }
}

/// Whether its first stalls have been known for [`MOST`], and it is reported as it is.
fn goes_on(it: &Episode, facts: &Facts, now: MonoTime) -> bool {
    let begin = MonoTime(it.interval.start_ns);
    if begin + MOST > now {
        return false;
    }
    let of_it = |slice: &&ThreadSlice| {
        let is_member = |it: &diagnose::StallMember| {
            it.tid == slice.tid && it.interval.intersect(slice.interval).is_some()
        };
        it.members.iter().any(is_member)
    };
    facts.slices.iter().filter(of_it).any(|it| it.interval.end + MOST <= now)
}

/// When the last stall of an episode ended.
pub(super) fn end(it: &Episode) -> MonoTime {
    MonoTime(it.interval.start_ns) + it.interval.duration
}

/// Whether a thread waited that long, for whatever.
fn is_wait(it: &ThreadSlice, over: Duration) -> bool {
    let waits = matches!(it.state, ThreadState::Blocked | ThreadState::Runnable);
    waits && it.interval.duration() >= over
}
