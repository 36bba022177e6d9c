//! Stalls for the same reason at the same time, put together.
use super::pool::pool_of;
use crate::{
    Attribution, Cause, Certainty, Episode, Extent, Holder, Pool, Proof, StallMember,
    StalledThread, WaitLocation,
    account::{
        lock_holders,
        stalls::{self, Stall},
        tally::{BlockSite, Tally},
    },
    case::Case,
    facts::index::Index,
    mechanisms,
};
use recording::{Interval, MonoTime, Release};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// Stalls for the same reason with less than this between them are one episode.
const MAX_GAP: Duration = Duration::from_millis(5);

/// Episodes that are kept; of more, those with most time.
const MOST_EPISODES: usize = 1000;

/// Why a thread stood: its cause, and of one that waited for a file the device of that.
type Reason = (Option<&'static str>, Option<u64>);

/// One stall and what it was for.
#[derive(Clone, Debug)]
pub(super) struct Stood {
    stall: Stall,
    reason: Reason,
    cause: Option<&'static Cause>,
    certainty: Certainty,
    unattributed: Duration,
    length: Duration,
    /// Where most of it was spent, with a stack.
    site: Option<(BlockSite, Option<u32>)>,
    mechanisms: Vec<(&'static str, Duration)>,
}

impl Stood {
    pub(super) fn of(stall: &Stall, case: &Case<'_>, attribution: &Attribution) -> Stood {
        let largest = attribution.parts.first().filter(|it| it.time > attribution.unattributed);
        let mut tally = Tally::default();
        tally.add_places(case);
        let site = tally.main_site().map(|it| (it.0.clone(), it.2));
        let file = site.as_ref().and_then(|it| it.0.file);
        let cause = largest.map(|it| it.cause);
        Stood {
            stall: stall.clone(),
            reason: (cause.map(|it| it.id), file.map(|it| it.device)),
            cause,
            certainty: largest.map_or(Certainty::Inferred, |it| it.certainty),
            unattributed: attribution.unattributed,
            length: case.pause.duration,
            site,
            mechanisms: tally.mechanisms.into_iter().collect(),
        }
    }

    /// Whether it waited for no other thread.
    fn stands(&self) -> bool {
        self.stall.holder == self.stall.tid
    }
}

/// An episode to which stalls may still be added.
#[derive(Debug, Default)]
struct Open {
    end: MonoTime,
    stood: Vec<Stood>,
}

/// Episodes as they are found.
#[derive(Debug, Default)]
pub(super) struct Episodes {
    under_way: BTreeMap<Reason, Open>,
    over: Vec<Vec<Stood>>,
}

impl Episodes {
    /// Adds a stall; they come in the order of their begin.
    pub(super) fn add(&mut self, it: Stood) {
        let Open { end, stood } = self.under_way.entry(it.reason).or_default();
        let Interval { start, end: over } = it.stall.interval;
        if !stood.is_empty() && start.since(*end) >= MAX_GAP {
            self.over.push(std::mem::take(stood));
        }
        *end = over.max(*end);
        stood.push(it);
    }

    /// How many there are, and those with most time, in order of time.
    pub(super) fn finish(mut self, index: &Index<'_>, wall: Option<i64>) -> (u64, Vec<Episode>) {
        let under_way = self.under_way.into_values().map(|it| it.stood);
        self.over.extend(under_way.filter(|it| !it.is_empty()));
        let count = self.over.len() as u64;
        let mut episodes: Vec<_> = self.over.iter().map(|it| episode(it, index, wall)).collect();
        episodes.sort_by_key(|it| (Reverse(it.weight()), it.interval.start_ns));
        episodes.truncate(MOST_EPISODES);
        episodes.sort_by_key(|it| it.interval.start_ns);
        (count, episodes)
    }
}

/// The threads of episodes, and those that they waited for.
pub(super) fn named(episodes: &[Episode], index: &Index<'_>) -> BTreeMap<u32, StalledThread> {
    let members = episodes.iter().flat_map(|it| &it.members);
    let mut tids: BTreeSet<u32> = members.flat_map(|it| [it.tid, it.holder]).collect();
    tids.extend(episodes.iter().filter_map(|it| it.holder.as_ref()).map(|it| it.tid));
    let thread = |tid| {
        let name = index.thread_name(tid);
        (tid, StalledThread { pool: pool_of(&name), name })
    };
    tids.into_iter().map(thread).collect()
}

fn episode(stood: &[Stood], index: &Index<'_>, wall: Option<i64>) -> Episode {
    let stands = || stood.iter().filter(|it| it.stands());
    let waits = || stood.iter().filter(|it| !it.stands());
    let longest = stands().max_by_key(|it| it.length);
    let shown = longest.or_else(|| waits().max_by_key(|it| it.length));
    let mut mechanisms = Tally::default();
    stands().for_each(|it| mechanisms.add_mechanisms(&it.mechanisms));
    let sum = |of: &dyn Fn(&Stood) -> Duration| stands().map(of).sum::<Duration>();
    let time = sum(&|it| it.length);
    let inferred = sum(&|it| match it.certainty {
        Certainty::Inferred => it.length,
        Certainty::Measured => Duration::ZERO,
    });
    Episode {
        interval: stalls::pause(hull(stood), wall),
        stalls: stands().count() as u64,
        threads: tids(stands()).len() as u64,
        time,
        longest: longest.map_or(Duration::ZERO, |it| it.length),
        unattributed: sum(&|it| it.unattributed),
        waiting: waiting(waits(), &tids(stands())),
        pools: pools(stood, index),
        cause: stood.first().and_then(|it| it.cause),
        certainty: Certainty::of(inferred, time),
        mechanisms: mechanisms.mechanism_shares(),
        place: shown.and_then(|it| place(it, index)).unwrap_or_default(),
        proof: shown.and_then(|it| proof(it, index)),
        holder: holder(stood, index),
        members: stood.iter().map(member).collect(),
    }
}

fn tids<'a>(stood: impl Iterator<Item = &'a Stood>) -> BTreeSet<u32> {
    stood.map(|it| it.stall.tid).collect()
}

/// Those that waited; threads that also stood by themselves are counted there.
fn waiting<'a>(waits: impl Iterator<Item = &'a Stood> + Clone, standing: &BTreeSet<u32>) -> Extent {
    let threads = tids(waits.clone()).difference(standing).count() as u64;
    let mut waiting = Extent { threads, ..Extent::default() };
    waits.for_each(|it| waiting.add(it.length));
    waiting
}

fn place(it: &Stood, index: &Index<'_>) -> Option<WaitLocation> {
    let (site, stack) = it.site.clone()?;
    Tally::of_site(site, it.length, stack).place(index)
}

/// What the stack of a stall shows.
fn proof(it: &Stood, index: &Index<'_>) -> Option<Proof> {
    let stack = it.site.as_ref()?.1;
    let mechanism = mechanisms::of_stack(index, stack)?;
    let frame = index.frames(stack).iter().position(|it| mechanism.is_shown_by(it))?;
    Some(Proof { frame, phrase: mechanism.phrase })
}

fn member(it: &Stood) -> StallMember {
    let Stall { tid, holder, interval, .. } = it.stall;
    StallMember { tid, holder, interval, length: it.length }
}

fn hull(stood: &[Stood]) -> Interval {
    let starts = stood.iter().map(|it| it.stall.interval.start);
    let ends = stood.iter().map(|it| it.stall.interval.end);
    let start = starts.min().unwrap_or(MonoTime(0));
    Interval::new(start, ends.max().unwrap_or(start))
}

fn pools(stood: &[Stood], index: &Index<'_>) -> Vec<Pool> {
    let mut pools: BTreeMap<String, Vec<&Stood>> = BTreeMap::new();
    for it in stood {
        pools.entry(pool_of(&index.thread_name(it.stall.tid))).or_default().push(it);
    }
    let mut pools: Vec<_> = pools.into_iter().map(|(name, stood)| pool(name, &stood)).collect();
    let weight = |it: &Pool| (it.time, it.waiting.time);
    pools.sort_by(|a, b| weight(b).cmp(&weight(a)).then_with(|| a.name.cmp(&b.name)));
    pools
}

fn pool(name: String, stood: &[&Stood]) -> Pool {
    let stands = || stood.iter().copied().filter(|it| it.stands());
    let standing = tids(stands());
    Pool {
        name,
        threads: standing.len() as u64,
        time: stands().map(|it| it.length).sum(),
        longest: stands().map(|it| it.length).max().unwrap_or_default(),
        waiting: waiting(stood.iter().copied().filter(|it| !it.stands()), &standing),
    }
}

/// The thread for which others waited longest, together: it stood itself, or held the `mmap_lock`.
fn holder(stood: &[Stood], index: &Index<'_>) -> Option<Holder> {
    let mut holders: BTreeMap<u32, (BTreeSet<u32>, Duration)> = BTreeMap::new();
    let mut add = |holder, tid, time| {
        let holder = holders.entry(holder).or_default();
        holder.0.insert(tid);
        holder.1 += time;
    };
    for it in stood {
        let Stall { tid, holder, interval, .. } = it.stall;
        if holder != tid {
            add(holder, tid, it.length);
            continue;
        }
        let of_lock = lock_holders::in_window(index, tid, interval).into_iter();
        for (time, by) in of_lock.filter(|it| is_of_jvm(index, it.1)) {
            add(by.tid, tid, time);
        }
    }
    let (tid, (waiting, time)) = holders.into_iter().max_by_key(|it| it.1.1)?;
    Some(Holder { tid, name: index.thread_name(tid), waiting: waiting.len() as u64, time })
}

fn is_of_jvm(index: &Index<'_>, it: &Release) -> bool {
    index.jvm.is_some_and(|jvm| jvm.pid == it.pid)
}
