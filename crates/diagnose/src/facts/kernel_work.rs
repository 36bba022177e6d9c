//! When threads did the kernel's work: freed memory, or moved pages together.
use recording::{Interval, KernelWork, KernelWorkKind, MonoTime};
use std::collections::BTreeMap;

/// The work of each thread: in order, and at each instant one kind at most.
///
/// The two kinds nest (`__alloc_pages_direct_compact` and `try_to_free_pages` of Linux
/// `mm/page_alloc.c` call each other's reclaim), and recorders lose events: so intervals of one
/// thread may overlap in any way.
#[derive(Debug, Default)]
pub(crate) struct KernelWorkTimes {
    by_thread: BTreeMap<u32, Vec<(Interval, KernelWorkKind)>>,
}

impl KernelWorkTimes {
    /// Arranges `work`.
    pub(crate) fn new(work: &[KernelWork]) -> KernelWorkTimes {
        let mut edges: BTreeMap<u32, Vec<Edge>> = BTreeMap::new();
        for it in work {
            let (start, end) = (it.interval.start, it.interval.end);
            edges.entry(it.tid).or_default().extend([(start, 1, it.kind), (end, -1, it.kind)]);
        }
        let by_thread = edges.into_iter().map(|(tid, edges)| (tid, one_at_a_time(edges)));
        KernelWorkTimes { by_thread: by_thread.collect() }
    }

    /// What shares time with `interval`, in order.
    pub(crate) fn of_thread_in(
        &self,
        tid: u32,
        interval: Interval,
    ) -> &[(Interval, KernelWorkKind)] {
        let all = self.by_thread.get(&tid).map_or(&[][..], Vec::as_slice);
        let from = all.partition_point(|it| it.0.end <= interval.start);
        let to = all.partition_point(|it| it.0.start < interval.end);
        &all[from..to.max(from)]
    }
}

/// Begin (1) or end (-1) of some work.
type Edge = (MonoTime, i32, KernelWorkKind);

/// Compaction, the rarer and dearer, wins over reclaim.
fn one_at_a_time(mut edges: Vec<Edge>) -> Vec<(Interval, KernelWorkKind)> {
    edges.sort_unstable();
    let (mut reclaims, mut compactions) = (0, 0);
    let mut times: Vec<(Interval, KernelWorkKind)> = Vec::new();
    let mut since = MonoTime::default();
    for (at, step, kind) in edges {
        let open = if compactions > 0 {
            Some(KernelWorkKind::Compaction)
        } else {
            (reclaims > 0).then_some(KernelWorkKind::DirectReclaim)
        };
        if let Some(open) = open.filter(|_| since < at) {
            add(&mut times, Interval::new(since, at), open);
        }
        since = at;
        match kind {
            KernelWorkKind::DirectReclaim => reclaims += step,
            KernelWorkKind::Compaction => compactions += step,
        }
    }
    times
}

fn add(times: &mut Vec<(Interval, KernelWorkKind)>, interval: Interval, kind: KernelWorkKind) {
    match times.last_mut() {
        Some((last, same)) if *same == kind && last.end == interval.start => {
            last.end = interval.end;
        }
        _ => times.push((interval, kind)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `r` for reclaim, `c` for compaction, with start and end.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let number = |it: &str| MonoTime(it.parse().expect("a number"));
        let one = |it: &str| {
            let (start, end) = it[1..].split_once('-').expect("start and end");
            let kind = match &it[..1] {
                "r" => KernelWorkKind::DirectReclaim,
                _ => KernelWorkKind::Compaction,
            };
            KernelWork { tid: 1, kind, interval: Interval::new(number(start), number(end)) }
        };
        let work: Vec<_> = text.split_whitespace().map(one).collect();
        let times = KernelWorkTimes::new(&work);
        let all = Interval::new(MonoTime(0), MonoTime(u64::MAX));
        let found: Vec<_> = times
            .of_thread_in(1, all)
            .iter()
            .map(|(it, kind)| format!("{}{}-{}", &kind.id()[..1], it.start.0, it.end.0))
            .collect();
        assert_eq!(found.join(" ").replace('d', "r"), expected);
    }

    #[test]
    fn nested_work_is_compaction_first() {
        check("r0-10", "r0-10");
        check("r0-10 c3-5", "r0-3 c3-5 r5-10");
        check("c0-10 r3-5", "c0-10");
        check("r0-10 c8-12", "r0-8 c8-12");
    }

    #[test]
    fn work_that_touches_is_one() {
        check("r0-5 r5-9", "r0-9");
        check("r0-5 r3-9 r20-30", "r0-9 r20-30");
        check("r5-5", "");
    }

    #[test]
    fn only_what_shares_time_is_given() {
        let interval = |a, b| Interval::new(MonoTime(a), MonoTime(b));
        let kind = KernelWorkKind::DirectReclaim;
        let work =
            [interval(0, 5), interval(8, 9)].map(|interval| KernelWork { tid: 1, kind, interval });
        let times = KernelWorkTimes::new(&work);
        assert_eq!(times.of_thread_in(1, interval(5, 8)), []);
        assert_eq!(times.of_thread_in(1, interval(4, 8)), [(interval(0, 5), kind)]);
        assert_eq!(times.of_thread_in(2, interval(0, 9)), []);
    }
}
