//! What the threads did in a stop that begins or ends with the recording, where the kernel side had no
//! switch to report.
use crate::sampler::{Snapshot, Standing};
use recording::{Interval, MonoTime, ThreadSlice, ThreadState};
use std::collections::BTreeMap;

/// What each thread did at the begin and at the end of `window`, where no slice covers it.
pub(super) fn unreported(
    slices: &[ThreadSlice],
    window: Interval,
    early: Option<&Snapshot>,
    late: &BTreeMap<u32, Standing>,
) -> Vec<(u32, Standing, Interval)> {
    let mut known: BTreeMap<u32, Interval> = BTreeMap::new();
    for slice in slices.iter().filter(|it| it.interval.intersect(window).is_some()) {
        let all = known.entry(slice.tid).or_insert(slice.interval);
        all.start = all.start.min(slice.interval.start);
        all.end = all.end.max(slice.interval.end);
    }
    let mut found = Vec::new();
    let mut add = |tid: u32, it: &Standing, start: MonoTime, end: MonoTime| {
        if start < end {
            found.push((tid, it.clone(), Interval::new(start, end)));
        }
    };
    for (tid, now) in late {
        match known.get(tid) {
            Some(known) => add(*tid, now, known.end.max(window.start), window.end),
            // It has not run since: otherwise there were a slice.
            None if !wants_cpu(now) => add(*tid, now, window.start, window.end),
            // It may have got its CPU at any time, unless it had it before and never lost it.
            None => {
                let before = early.and_then(|it| it.threads.get(tid));
                let before = before.filter(|it| wants_cpu(it));
                if before.is_some_and(|it| it.turns.is_some() && it.turns == now.turns) {
                    add(*tid, now, window.start, window.end);
                }
            }
        }
    }
    let early =
        early.into_iter().flat_map(|it| it.threads.iter().map(|(tid, was)| (it.at, tid, was)));
    for (sampled, tid, before) in early {
        // What it did when it was looked at it did until it first ran.
        if let Some(known) = known.get(tid).filter(|it| it.start > sampled) {
            add(*tid, before, window.start, known.start.min(window.end));
        }
    }
    found
}

/// What threads did that were sampled when the recording had begun, from `since` until the kernel side
/// first saw each, which is one of `slices` now; to the `end`, where the recording ends, of those that were
/// not seen at all. Each is reported once.
pub(super) fn until_first(
    begin: &mut Snapshot,
    since: MonoTime,
    slices: &[ThreadSlice],
    end: Option<MonoTime>,
) -> Vec<(u32, Standing, Interval)> {
    let mut first: BTreeMap<u32, MonoTime> = BTreeMap::new();
    for it in slices.iter().filter(|it| begin.threads.contains_key(&it.tid)) {
        let at = first.entry(it.tid).or_insert(it.interval.start);
        *at = it.interval.start.min(*at);
    }
    let sampled = begin.at;
    let seen = begin.threads.extract_if(.., |tid, _| end.is_some() || first.contains_key(tid));
    let known = seen.filter_map(|(tid, was)| {
        let until = first.get(&tid).copied().or(end)?;
        // Otherwise it had run before it was looked at.
        (until > sampled).then(|| (tid, was, Interval::new(since, until)))
    });
    known.collect()
}

fn wants_cpu(it: &Standing) -> bool {
    matches!(it.state, ThreadState::OnCpu | ThreadState::Runnable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn standing(state: ThreadState, turns: u64) -> Standing {
        let why = Default::default();
        Standing { state, why, stack: Vec::new(), turns: Some(turns) }
    }

    fn slice(tid: u32, start: u64, end: u64) -> ThreadSlice {
        ThreadSlice {
            tid,
            interval: Interval::new(MonoTime(start), MonoTime(end)),
            state: ThreadState::OnCpu,
            merged_wait: Duration::ZERO,
            entered: None,
            fd: None,
            file: None,
            fault_offset: None,
            stack: None,
            woken_by: None,
            released_by: None,
            cpu_holder: None,
            taken: Duration::ZERO,
            sampled: false,
            frozen: false,
        }
    }

    /// What is filled in of a window from 10 to 90: `TID STATE START-END`.
    fn check(
        slices: &[(u32, u64, u64)],
        early: Option<&[(u32, ThreadState, u64)]>,
        late: &[(u32, ThreadState, u64)],
        expected: &str,
    ) {
        let slices: Vec<_> = slices.iter().map(|it| slice(it.0, it.1, it.2)).collect();
        let all = |it: &[(u32, ThreadState, u64)]| {
            it.iter().map(|it| (it.0, standing(it.1, it.2))).collect::<BTreeMap<_, _>>()
        };
        let window = Interval::new(MonoTime(10), MonoTime(90));
        let early = early.map(|it| Snapshot { at: MonoTime(12), threads: all(it) });
        let found = unreported(&slices, window, early.as_ref(), &all(late));
        let text = |(tid, it, span): &(u32, Standing, Interval)| {
            format!("{tid} {} {}-{}", it.state.id(), span.start.0, span.end.0)
        };
        assert_eq!(found.iter().map(text).collect::<Vec<_>>().join("; "), expected);
    }

    #[test]
    fn a_thread_that_never_ran_was_blocked_all_the_time() {
        check(&[], None, &[(1, ThreadState::Blocked, 3)], "1 blocked 10-90");
        check(&[(1, 5, 9)], None, &[(1, ThreadState::Blocked, 3)], "1 blocked 10-90");
        check(&[(1, 5, 40)], None, &[(1, ThreadState::Blocked, 3)], "1 blocked 40-90");
    }

    #[test]
    fn a_thread_that_never_left_its_cpu_had_it_all_the_time() {
        let (before, now) = ([(7, ThreadState::OnCpu, 3)], [(7, ThreadState::OnCpu, 3)]);
        check(&[], Some(&before), &now, "7 on-cpu 10-90");
        // It may have come a moment ago.
        check(&[], None, &now, "");
        check(&[], Some(&[(7, ThreadState::OnCpu, 2)]), &now, "");
        check(&[], Some(&[(7, ThreadState::Blocked, 3)]), &now, "");
        // What was reported ends where the next turn begins.
        check(&[(7, 10, 60)], None, &now, "7 on-cpu 60-90");
    }

    #[test]
    fn what_a_thread_did_until_it_first_ran_is_what_it_did_at_the_begin() {
        let before = [(2, ThreadState::Blocked, 3)];
        check(&[(2, 50, 90)], Some(&before), &[], "2 blocked 10-50");
        // It had run before it was looked at.
        check(&[(2, 11, 90)], Some(&before), &[], "");
        check(&[], Some(&before), &[], "");
    }

    /// Of a stop without probes only the length was known: 171 of 176 ms were unattributed.
    #[test]
    fn first_state_of_a_thread_lasts_until_it_is_first_seen() {
        let check = |slices: &[(u32, u64, u64)], end: Option<u64>, expected: &str| {
            let threads = [(2, standing(ThreadState::Blocked, 3))].into();
            let mut begin = Snapshot { at: MonoTime(12), threads };
            let slices: Vec<_> = slices.iter().map(|it| slice(it.0, it.1, it.2)).collect();
            let mut reported = || {
                let found = until_first(&mut begin, MonoTime(10), &slices, end.map(MonoTime));
                let text = |it: &(u32, Standing, Interval)| {
                    format!("{} {}-{}", it.1.state.id(), it.2.start.0, it.2.end.0)
                };
                found.iter().map(text).collect::<String>()
            };
            assert_eq!(reported(), expected);
            assert_eq!(reported(), "", "it is reported once");
        };
        check(&[(2, 50, 60)], None, "blocked 10-50");
        check(&[(2, 70, 80), (2, 50, 60)], None, "blocked 10-50");
        check(&[(3, 50, 60)], None, "");
        check(&[(3, 50, 60)], Some(90), "blocked 10-90");
        // It had run before it was looked at.
        check(&[(2, 11, 60)], None, "");
    }

    #[test]
    fn a_thread_that_is_not_looked_at_has_nothing_filled_in() {
        check(&[(1, 5, 40)], None, &[], "");
    }
}
