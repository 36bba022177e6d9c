//! The heap over time: allocation, promotion, what is live, how large everything was.
use super::{LogJvm, Sizes};
use crate::{GenerationSizes, HeapPoint, LiveSet, MemoryStatistics, RatioSums};
use gclog::{
    Collector, ConcurrentCycle, CycleScope, GcEvent, GcKind, Space, Transition, YoungKind,
};
use std::{collections::BTreeMap, time::Duration};

/// Points of the series; when there are more, every second one is dropped and from then on only
/// every second collection makes one, and so on.
const MOST_POINTS: usize = 512;

/// Sums over the heap of one log.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    heap_seen: bool,
    /// What was in use after the last collection.
    last_after: Option<u64>,
    /// When that was, and when the last collection reported its promotion.
    last_at_ns: u64,
    last_promotion_ns: Option<u64>,
    allocation: RatioSums,
    promotion: RatioSums,
    allocated: u64,
    promoted: u64,
    promoted_known: bool,
    most_used: u64,
    most_capacity: u64,
    live: Live,
    generations: BTreeMap<Space, GenerationSizes>,
    points: Vec<HeapPoint>,
    /// One of this number of collections makes a point.
    every: u64,
    seen: u64,
}

/// What is live, as collections of the old generation show it.
#[derive(Clone, Copy, Debug, Default)]
struct Live {
    samples: u64,
    first: u64,
    last: u64,
    most: u64,
    least: u64,
    /// The lowest of the mixed collections of one sequence.
    mixed: Option<(u64, u64)>,
    sums: Trend,
}

/// Sums for a straight line through all samples (least squares), in units of seconds and bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Trend {
    zero_ns: Option<u64>,
    last_seconds: f64,
    n: f64,
    x: f64,
    y: f64,
    xx: f64,
    xy: f64,
}

impl Memory {
    /// The largest heap seen, in bytes.
    pub(crate) fn most_capacity(&self) -> u64 {
        self.most_capacity
    }

    /// The most that class metadata took, in bytes.
    pub(crate) fn most_metaspace(&self) -> Option<u64> {
        self.generations.get(&Space::Metaspace).map(|it| it.most_before.max(it.most_after))
    }

    /// What was live when that was last known, in bytes.
    pub(crate) fn last_live(&self) -> Option<u64> {
        let mixed = self.live.mixed.map(|(_, least)| least);
        mixed.or((self.live.samples > 0).then_some(self.live.last))
    }

    /// What is live, as far as collections of the old generation have shown it.
    pub(crate) fn live_set(&self) -> Option<LiveSet> {
        let mut live = self.live;
        live.end_of_mixed();
        live.finish()
    }

    /// Takes a collection and tells what it promoted, where that can be known.
    pub(crate) fn collection(&mut self, gc: &GcEvent, sizes: &Sizes, at_ns: u64) -> Option<u64> {
        if let Some(heap) = gc.heap {
            self.heap(heap, at_ns);
        }
        self.generations(gc, sizes);
        self.live(gc, at_ns);
        let ordinary = matches!(gc.kind, GcKind::Young(kind) if kind != YoungKind::Mixed);
        let promoted = sizes.promoted().filter(|_| ordinary);
        if let Some(promoted) = promoted {
            self.promoted_known = true;
            self.promoted = self.promoted.saturating_add(promoted);
            if let Some(last) = self.last_promotion_ns.replace(at_ns) {
                self.promotion.add_bytes(promoted, at_ns.saturating_sub(last));
            }
        }
        promoted
    }

    /// The heap around a concurrent cycle (ZGC, Shenandoah).
    pub(crate) fn cycle(&mut self, cycle: &ConcurrentCycle, at_ns: u64) {
        if let Some(heap) = cycle.heap {
            self.heap(heap, at_ns);
            // A cycle of the young generation leaves what is dead in the old one.
            if cycle.scope != CycleScope::Young {
                self.live.sample(heap.after, at_ns);
            }
        }
    }

    /// The next heap is another one.
    pub(crate) fn restart(&mut self) {
        self.last_after = None;
        self.last_promotion_ns = None;
        self.live.end_of_mixed();
    }

    fn heap(&mut self, heap: Transition, at_ns: u64) {
        if let Some(last) = self.last_after {
            let allocated = heap.before.saturating_sub(last);
            self.allocated = self.allocated.saturating_add(allocated);
            self.allocation.add_bytes(allocated, at_ns.saturating_sub(self.last_at_ns));
        }
        self.last_at_ns = at_ns;
        self.heap_seen = true;
        self.last_after = Some(heap.after);
        self.most_used = self.most_used.max(heap.before);
        self.most_capacity = self.most_capacity.max(heap.capacity.unwrap_or(0));
        self.point(HeapPoint {
            at_ns,
            before: heap.before,
            after: heap.after,
            capacity: heap.capacity,
        });
    }

    fn point(&mut self, point: HeapPoint) {
        let every = self.every.max(1);
        if self.seen.is_multiple_of(every) {
            if self.points.len() == MOST_POINTS {
                let mut keep = false;
                self.points.retain(|_| {
                    keep = !keep;
                    keep
                });
                self.every = every * 2;
            }
            self.points.push(point);
        }
        self.seen += 1;
    }

    /// The points since the last call: all of them, where it is called often enough.
    pub(crate) fn take_points(&mut self) -> Vec<HeapPoint> {
        self.every = 1;
        std::mem::take(&mut self.points)
    }

    fn generations(&mut self, gc: &GcEvent, sizes: &Sizes) {
        let metaspace = gc.generations.iter().find(|it| it.space == Space::Metaspace);
        let metaspace = metaspace.and_then(|it| it.extent.bytes(None));
        let all = [
            (Space::Young, sizes.young),
            (Space::Eden, sizes.eden),
            (Space::Old, sizes.old),
            (Space::Metaspace, metaspace),
        ];
        for (space, sizes) in all {
            let Some(sizes) = sizes else { continue };
            let of = self.generations.entry(space).or_insert_with(|| GenerationSizes {
                name: space.id(),
                most_before: 0,
                most_after: 0,
                last_after: 0,
                least_capacity: sizes.capacity,
                most_capacity: sizes.capacity,
            });
            of.most_before = of.most_before.max(sizes.before);
            of.most_after = of.most_after.max(sizes.after);
            of.last_after = sizes.after;
            of.most_capacity = of.most_capacity.max(sizes.capacity);
            of.least_capacity = [of.least_capacity, sizes.capacity].into_iter().flatten().min();
        }
    }

    fn live(&mut self, gc: &GcEvent, at_ns: u64) {
        let Some(heap) = gc.heap else { return };
        match gc.kind {
            GcKind::Full => {
                self.live.end_of_mixed();
                self.live.sample(heap.after, at_ns);
            }
            GcKind::Young(YoungKind::Mixed) => {
                let least = self.live.mixed.map_or(heap.after, |(_, least)| least.min(heap.after));
                self.live.mixed = Some((at_ns, least));
            }
            GcKind::Young(_) => self.live.end_of_mixed(),
            _ => {}
        }
    }

    /// Rates are over `span` of running time.
    pub(crate) fn finish(&self, jvm: &LogJvm, span: Duration) -> Option<MemoryStatistics> {
        if !self.heap_seen {
            return None;
        }
        let seconds = span.as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
        let rate = |bytes: u64| (seconds > 0.0 && self.seen > 1).then(|| bytes as f64 / seconds);
        // Cycles of concurrent collectors free memory while the application allocates, so that
        // what is freed hides what was allocated meanwhile.
        let exact = !matches!(jvm.collector, Some(Collector::Zgc | Collector::Shenandoah));
        Some(MemoryStatistics {
            allocated_bytes: self.allocated,
            allocation_rate: rate(self.allocated),
            allocation_is_exact: exact,
            allocation: self.allocation,
            promoted_bytes: self.promoted_known.then_some(self.promoted),
            promotion_rate: self.promoted_known.then(|| rate(self.promoted)).flatten(),
            promotion: self.promotion,
            most_used_bytes: self.most_used,
            most_capacity_bytes: self.most_capacity,
            max_heap_bytes: jvm.max_heap_bytes,
            live: self.live_set(),
            generations: self.generations.values().copied().collect(),
            points: self.points.clone(),
        })
    }
}

impl Live {
    fn sample(&mut self, bytes: u64, at_ns: u64) {
        if self.samples == 0 {
            (self.first, self.least) = (bytes, bytes);
        }
        self.samples += 1;
        self.last = bytes;
        self.most = self.most.max(bytes);
        self.least = self.least.min(bytes);
        self.sums.add(at_ns, bytes);
    }

    /// Mixed collections free the old generation step by step: the last step shows what is live.
    fn end_of_mixed(&mut self) {
        if let Some((at_ns, bytes)) = self.mixed.take() {
            self.sample(bytes, at_ns);
        }
    }

    fn finish(&self) -> Option<LiveSet> {
        (self.samples > 0).then(|| LiveSet {
            samples: self.samples,
            first: self.first,
            last: self.last,
            least: self.least,
            most: self.most,
            growth_per_hour: self.sums.slope().map(|it| it * 3600.0),
        })
    }
}

/// A trend needs this many samples to be worth a word,
const MIN_TREND: f64 = 5.0;
/// over at least this many seconds: a service that warms up is no leak.
const MIN_TREND_SECONDS: f64 = 600.0;

#[expect(clippy::cast_precision_loss, reason = "a trend for people")]
impl Trend {
    fn add(&mut self, at_ns: u64, bytes: u64) {
        let zero = *self.zero_ns.get_or_insert(at_ns);
        let (x, y) = (at_ns.saturating_sub(zero) as f64 / 1e9, bytes as f64);
        self.last_seconds = x;
        self.n += 1.0;
        self.x += x;
        self.y += y;
        self.xx += x * x;
        self.xy += x * y;
    }

    /// Bytes per second.
    fn slope(&self) -> Option<f64> {
        let below = self.n * self.xx - self.x * self.x;
        let long = self.n >= MIN_TREND && self.last_seconds >= MIN_TREND_SECONDS;
        (long && below > 0.0).then(|| (self.n * self.xy - self.x * self.y) / below)
    }
}
