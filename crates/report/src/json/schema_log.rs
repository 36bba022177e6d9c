//! The shape of what a GC log tells in the JSON: collections and memory.
use super::count::Count;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Gc<'a> {
    pub(super) pauses: GcPauses,
    pub(super) by_kind: Vec<Kind<'a>>,
    pub(super) by_cause: Vec<GcCause<'a>>,
    /// Where phases are logged. Phases of one collection may overlap.
    pub(super) by_phase: Vec<Phase<'a>>,
    pub(super) cpu: Option<CpuTimes>,
    pub(super) references: Option<References>,
    pub(super) concurrent_cycles: u64,
    /// Of these, those of the young generation alone.
    pub(super) young_cycles: u64,
    /// Cycles that ended.
    pub(super) cycle_time: Count,
    /// Mean time from the begin of one to the begin of the next.
    pub(super) cycle_interval_ns: Option<u64>,
    /// Waits of single threads for memory; no pauses.
    pub(super) allocation_stalls: Count,
    pub(super) evacuation_failures: u64,
    pub(super) promotion_failures: u64,
    pub(super) concurrent_mode_failures: u64,
    pub(super) humongous: Option<Humongous>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct GcPauses {
    #[serde(flatten)]
    pub(super) all: Count,
    pub(super) mean_ns: u64,
    pub(super) p50_ns: u64,
    pub(super) p90_ns: u64,
    /// Of fewer than 100 pauses it is the longest of them by another name, and other formats leave it out.
    pub(super) p99_ns: u64,
    /// Likewise of fewer than 1000.
    pub(super) p99_9_ns: u64,
}

#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Phase<'a> {
    pub(super) phase: &'a str,
    #[serde(flatten)]
    pub(super) count: Count,
}

/// Sums over the collections that have CPU times.
#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct CpuTimes {
    pub(super) collections: u64,
    pub(super) user_ns: u64,
    pub(super) sys_ns: u64,
    pub(super) real_ns: u64,
}

/// Sums over the collections that count references.
#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct References {
    pub(super) collections: u64,
    #[serde(flatten)]
    pub(super) counts: BTreeMap<&'static str, u64>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Humongous {
    pub(super) collections: u64,
    pub(super) most_regions: u64,
    pub(super) requests: u64,
    pub(super) largest_bytes: Option<u64>,
    pub(super) region_size_bytes: Option<u64>,
    /// The smallest region with which none of the requests would be humongous.
    pub(super) region_size_needed_bytes: Option<u64>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Memory<'a> {
    pub(super) allocated_bytes: u64,
    pub(super) allocation_bytes_per_s: Option<f64>,
    /// `false` where a concurrent collector hides a part of it.
    pub(super) allocation_is_exact: bool,
    pub(super) promoted_bytes: Option<u64>,
    pub(super) promotion_bytes_per_s: Option<f64>,
    pub(super) most_used_bytes: u64,
    pub(super) most_capacity_bytes: u64,
    pub(super) max_heap_bytes: Option<u64>,
    /// In use after collections of the old generation.
    pub(super) live_set: Option<LiveSet>,
    pub(super) generations: Vec<Generation<'a>>,
    /// The heap over time: at most 512 points of `[at_ns, before, after, capacity]`.
    pub(super) series: Vec<(u64, u64, u64, Option<u64>)>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct LiveSet {
    pub(super) samples: u64,
    pub(super) first_bytes: u64,
    pub(super) last_bytes: u64,
    pub(super) min_bytes: u64,
    pub(super) max_bytes: u64,
    pub(super) growth_bytes_per_hour: Option<f64>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Generation<'a> {
    pub(super) name: &'a str,
    pub(super) max_before_bytes: u64,
    pub(super) max_after_bytes: u64,
    pub(super) last_after_bytes: u64,
    pub(super) min_capacity_bytes: Option<u64>,
    pub(super) max_capacity_bytes: Option<u64>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Kind<'a> {
    pub(super) kind: &'a str,
    #[serde(flatten)]
    pub(super) count: Count,
}

#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct GcCause<'a> {
    pub(super) cause: &'a str,
    #[serde(flatten)]
    pub(super) count: Count,
}
