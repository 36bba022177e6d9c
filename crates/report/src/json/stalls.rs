//! From stalls to their shape in the JSON.
use super::{
    build::{cause, place},
    count::ns,
    schema::{Holder, Pool, Stall, Stalls, Waiting},
};
use crate::when;
use diagnose::{Diagnosis, Episode};
use recording::Clock;
use remedy::Advice;
use std::cmp::Reverse;

/// With as many episodes as `most`, those with most time.
pub(super) fn stalls<'a>(
    it: &'a Diagnosis,
    advice: &'a [Vec<Advice>],
    most: usize,
) -> Option<Stalls<'a>> {
    let stalls = it.stalls.as_ref()?;
    let mut episodes: Vec<_> = stalls.episodes.iter().collect();
    episodes.sort_by_key(|it| (Reverse(it.weight()), it.interval.start_ns));
    episodes.truncate(most);
    Some(Stalls {
        over_ns: ns(stalls.over),
        count: stalls.count,
        threads: stalls.threads,
        episodes: stalls.episode_count,
        time_ns: ns(stalls.time),
        max_ns: ns(stalls.longest),
        waiting: waiting(&stalls.waiting),
        causes: stalls.findings.iter().zip(advice).map(cause).collect(),
        unattributed_ns: ns(stalls.unattributed),
        longest: episodes.into_iter().map(|episode| stall(it.clock, episode)).collect(),
    })
}

pub(super) fn stall(clock: Clock, it: &Episode) -> Stall<'_> {
    Stall {
        start_ns: it.interval.start_ns,
        start_wall: when::rfc3339(clock, &it.interval),
        duration_ns: ns(it.interval.duration),
        stalls: it.stalls,
        threads: it.threads,
        time_ns: ns(it.time),
        max_ns: ns(it.longest),
        waiting: waiting(&it.waiting),
        cause: it.cause.map(|it| it.id),
        certainty: it.certainty.id(),
        mechanism_times: it.mechanisms.iter().map(|it| (it.id, ns(it.time))).collect(),
        place: place(&it.place),
        pools: it.pools.iter().map(pool).collect(),
        holder: it.holder.as_ref().map(|it| Holder {
            tid: it.tid,
            thread: &it.name,
            waiting_threads: it.waiting,
            waiting_ns: ns(it.time),
        }),
        unattributed_ns: ns(it.unattributed),
    }
}

fn pool(it: &diagnose::Pool) -> Pool<'_> {
    Pool {
        name: &it.name,
        threads: it.threads,
        time_ns: ns(it.time),
        max_ns: ns(it.longest),
        waiting: waiting(&it.waiting),
    }
}

fn waiting(it: &diagnose::Extent) -> Waiting {
    Waiting { count: it.stalls, threads: it.threads, time_ns: ns(it.time), max_ns: ns(it.longest) }
}
