//! What only a GC log tells, in the shape of the JSON.
use super::{
    count::{count, ns},
    schema_log::{
        CpuTimes, Gc, GcCause, GcPauses, Generation, Humongous, Kind, LiveSet, Memory, Phase,
        References,
    },
};
use diagnose::{
    CpuSums, GcStatistics, GenerationSizes, HumongousStatistics, MemoryStatistics, ReferenceSums,
};

pub(super) fn gc(it: &GcStatistics) -> Gc<'_> {
    let (by_kind, by_cause, by_phase) = (it.by_kind.iter(), it.by_cause.iter(), it.by_phase.iter());
    Gc {
        pauses: GcPauses {
            all: count(it.pauses),
            mean_ns: ns(it.pauses.mean().unwrap_or_default()),
            p50_ns: ns(it.percentiles.p50),
            p90_ns: ns(it.percentiles.p90),
            p99_ns: ns(it.percentiles.p99),
            p99_9_ns: ns(it.percentiles.p99_9),
        },
        by_kind: by_kind.map(|it| Kind { kind: &it.name, count: count(it.count) }).collect(),
        by_cause: by_cause.map(|it| GcCause { cause: &it.name, count: count(it.count) }).collect(),
        by_phase: by_phase.map(|it| Phase { phase: &it.name, count: count(it.count) }).collect(),
        cpu: it.cpu.map(cpu),
        references: it.references.as_ref().map(references),
        concurrent_cycles: it.concurrent_cycles,
        young_cycles: it.young_cycles,
        cycle_time: count(it.cycle_time),
        cycle_interval_ns: it.cycle_interval.map(ns),
        allocation_stalls: count(it.allocation_stalls),
        evacuation_failures: it.evacuation_failures,
        promotion_failures: it.promotion_failures,
        concurrent_mode_failures: it.concurrent_mode_failures,
        humongous: it.humongous.as_ref().map(humongous),
    }
}

fn cpu(it: CpuSums) -> CpuTimes {
    CpuTimes {
        collections: it.collections,
        user_ns: ns(it.user),
        sys_ns: ns(it.sys),
        real_ns: ns(it.real),
    }
}

fn references(it: &ReferenceSums) -> References {
    let counts = ReferenceSums::KINDS.into_iter().zip(it.counts).collect();
    References { collections: it.collections, counts }
}

fn humongous(it: &HumongousStatistics) -> Humongous {
    Humongous {
        collections: it.collections,
        most_regions: it.most_regions,
        requests: it.requests,
        largest_bytes: it.largest_bytes,
        region_size_bytes: it.region_size_bytes,
        region_size_needed_bytes: it.region_size_needed_bytes,
    }
}

pub(super) fn memory(it: &MemoryStatistics) -> Memory<'_> {
    Memory {
        allocated_bytes: it.allocated_bytes,
        allocation_bytes_per_s: it.allocation_rate,
        allocation_is_exact: it.allocation_is_exact,
        promoted_bytes: it.promoted_bytes,
        promotion_bytes_per_s: it.promotion_rate,
        most_used_bytes: it.most_used_bytes,
        most_capacity_bytes: it.most_capacity_bytes,
        max_heap_bytes: it.max_heap_bytes,
        live_set: it.live.map(|live| LiveSet {
            samples: live.samples,
            first_bytes: live.first,
            last_bytes: live.last,
            min_bytes: live.least,
            max_bytes: live.most,
            growth_bytes_per_hour: live.growth_per_hour.filter(|it| it.is_finite()),
        }),
        generations: it.generations.iter().map(generation).collect(),
        series: it.points.iter().map(|it| (it.at_ns, it.before, it.after, it.capacity)).collect(),
    }
}

fn generation(it: &GenerationSizes) -> Generation<'_> {
    Generation {
        name: it.name,
        max_before_bytes: it.most_before,
        max_after_bytes: it.most_after,
        last_after_bytes: it.last_after,
        min_capacity_bytes: it.least_capacity,
        max_capacity_bytes: it.most_capacity,
    }
}
