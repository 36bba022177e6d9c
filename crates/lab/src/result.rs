//! What one run of one variant gave.
use crate::{
    Collector, JudgedBy, Privilege,
    explained::{Explained, UNATTRIBUTED},
    scenarios::{Role, Scenario, Variant},
};
pub use from_log::{FromLog, Judged, Refuted};
pub use logging::{DiskUse, Logging};
use serde::{Serialize, Serializer};
pub use stalled::Stalled;
use std::{collections::BTreeMap, time::Duration};

/// Pauses from this length on must be explained by the right cause: shorter ones also come from
/// collections alone on a busy host.
pub const LONG: Duration = Duration::from_millis(50);

/// The first feature release whose builds have probes.
const FIRST_WITH_PROBES: u32 = 11;

/// One run of one variant. In JSON all durations are integer nanoseconds, and what follows from
/// the fields stands beside them.
#[derive(Clone, Debug, Serialize)]
#[serde(remote = "Self")]
pub struct RunResult {
    /// The scenario's id.
    pub scenario: &'static str,
    /// The id of the cause that it makes.
    pub cause: &'static str,
    /// What `pauses` and all that follows from them is of. An episode of stalls counts as one pause, and its time is
    /// that of all threads.
    pub judged_by: JudgedBy,
    /// Version of the JDK.
    pub jdk: String,
    /// Feature release of the JDK.
    pub jdk_feature: u32,
    /// The collector.
    pub collector: Collector,
    /// With which rights it was recorded.
    pub privilege: Privilege,
    /// The variant's name.
    pub variant: &'static str,
    /// What the variant is for.
    pub role: Role,
    /// Which repetition, from 1.
    pub run: u32,
    /// Number of stops.
    pub pauses: u64,
    /// Their sum.
    #[serde(serialize_with = "ns")]
    pub total: Duration,
    /// The longest.
    #[serde(serialize_with = "ns")]
    pub longest: Duration,
    /// How many were longer than `100ms`, `250ms`, …
    pub over: BTreeMap<String, u64>,
    /// Causes that `explain` named.
    pub causes: Vec<NamedCause>,
    /// Stopped time that no cause claims.
    #[serde(serialize_with = "ns")]
    pub unattributed: Duration,
    /// Stops of [`LONG`] and more, with the cause that is their largest part.
    pub long: Vec<Long>,
    /// The cause with the most time in the stops of [`LONG`] and more, all their parts added up;
    /// `None` where there are no such stops.
    pub first: Option<String>,
    /// The longest time by which a 1 ms sleep inside the workload was too long, or an allocation
    /// took, over its whole life: the pause as the application observed it, measured without
    /// `whypause`. Where stalls are looked at, the longest call of a thread that serves requests.
    #[serde(serialize_with = "ns")]
    pub observed_longest: Duration,
    /// CPU time that the hypervisor took from this host meanwhile, as the kernel counts it.
    #[serde(serialize_with = "ns")]
    pub stolen: Duration,
    /// The longest time by which a thread that no other waits for was late, as the workload measured
    /// it; `None` where the workload does not.
    #[serde(serialize_with = "ns_if_known")]
    pub late_outside: Option<Duration>,
    /// Events that the recorder lost.
    pub lost_events: u64,
    /// What recording cost.
    pub cost: RecorderCost,
    /// Blocked writes to the GC log, measured independently, where that was asked for.
    pub blocked_writes: Option<BlockedWrites>,
    /// The slow disk while it was recorded, where there was one.
    pub disk: Option<DiskUse>,
    /// What the workload logged, where it does.
    pub logging: Option<Logging>,
    /// Calls that the workload measured, and what of them was found, where stalls are looked at and were
    /// recorded.
    pub stalled: Option<Stalled>,
    /// Causes of stalls that are not ordinary work, and `unattributed`, with the time of all threads in
    /// nanoseconds, where the scenario is judged by its pauses: stalls of its workload are not measured apart.
    pub named_in_stalls: BTreeMap<String, u64>,
    /// What the GC log alone says, judged by the recording, where that was asked for.
    pub from_log: Option<FromLog>,
}

/// One stop of [`LONG`] or more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct Long {
    /// Its length in nanoseconds.
    pub duration_ns: u64,
    /// The cause that is its largest part, or `unattributed`.
    pub first: String,
}

/// A cause that `explain` named.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NamedCause {
    /// Its id.
    pub id: String,
    /// Its time in all pauses.
    #[serde(serialize_with = "ns")]
    pub time: Duration,
    /// Its share of all stopped time, 0 to 1.
    pub share: f64,
    /// `fault`, `symptom` or `ordinary`.
    pub nature: String,
    /// `measured` or `inferred`.
    pub certainty: String,
    /// Its mechanisms, most time first.
    pub mechanisms: Vec<String>,
    /// Who did it, most to blame first.
    pub culprits: Vec<String>,
}

/// What recording cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RecorderCost {
    /// Length of the recording.
    #[serde(serialize_with = "ns")]
    pub recorded: Duration,
    /// CPU time of the recorder's process.
    #[serde(serialize_with = "ns")]
    pub recorder_cpu: Duration,
    /// Time in the kernel; zero where it is not known.
    #[serde(serialize_with = "ns")]
    pub kernel: Duration,
    /// CPU time of the JVM meanwhile.
    #[serde(serialize_with = "ns")]
    pub jvm_cpu: Duration,
    /// Largest resident memory of the recorder's process.
    pub recorder_rss_bytes: u64,
}

/// Blocked writes to the GC log, measured and explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct BlockedWrites {
    /// Calls of 1 ms and more.
    pub calls: u64,
    /// Their time, also outside pauses.
    #[serde(serialize_with = "ns")]
    pub measured: Duration,
    /// Their time inside pauses, counted once where calls overlap.
    #[serde(serialize_with = "ns")]
    pub measured_in_pauses: Duration,
    /// What `explain` says of the same.
    #[serde(serialize_with = "ns")]
    pub explained: Duration,
    /// Events that the kernel's trace buffer lost.
    pub lost_events: u64,
}

impl BlockedWrites {
    /// By how much the two differ, as a share of the measured time; `None` where nothing was
    /// measured and nothing explained.
    #[must_use]
    pub fn difference(&self) -> Option<f64> {
        let measured = self.measured_in_pauses.as_secs_f64();
        let explained = self.explained.as_secs_f64();
        let larger = measured.max(explained);
        (larger > 0.0).then(|| (measured - explained).abs() / larger)
    }
}

pub(crate) fn ns<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
}

fn ns_if_known<S: Serializer>(time: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    match time {
        Some(time) => ns(time, serializer),
        None => serializer.serialize_none(),
    }
}

impl RunResult {
    /// Puts together what `explain` and the workload said.
    #[must_use]
    pub(crate) fn new(
        scenario: &Scenario,
        variant: &Variant,
        explained: &Explained,
        workload: &BTreeMap<String, u64>,
    ) -> RunResult {
        let whole = explained;
        let of_stalls = (scenario.judged_by == JudgedBy::Stalls).then(|| explained.of_stalls());
        let explained = of_stalls.as_ref().unwrap_or(explained);
        let mut long: Vec<_> =
            explained.longest.iter().filter(|it| ns_of(it.duration_ns) >= LONG).collect();
        // What the recorder's own begin and end cut off says less of a pause than the others say,
        // where there are others.
        if long.iter().any(|it| it.cut.is_none()) {
            long.retain(|it| it.cut.is_none());
        }
        let each = |it: &crate::explained::Pause| Long {
            duration_ns: it.duration_ns,
            first: it.first().to_owned(),
        };
        let feels = |key: &str| match scenario.judged_by {
            JudgedBy::Pauses => key == "sleep_overrun_max_us" || is_allocation(key),
            JudgedBy::Stalls => key == "stall_max_us",
        };
        let observed_us =
            workload.iter().filter(|it| feels(it.0)).map(|it| *it.1).max().unwrap_or(0);
        RunResult {
            scenario: scenario.id,
            cause: scenario.cause,
            judged_by: scenario.judged_by,
            jdk: String::new(),
            jdk_feature: 0,
            collector: scenario.collectors[0],
            privilege: Privilege::default(),
            variant: variant.name,
            role: variant.role,
            run: 1,
            pauses: explained.pauses.count,
            total: ns_of(explained.pauses.total_ns),
            longest: ns_of(explained.pauses.max_ns),
            over: explained.pauses.over.clone(),
            causes: explained.causes.iter().map(named).collect(),
            unattributed: ns_of(explained.unattributed_in_whole()),
            long: long.into_iter().map(each).collect(),
            first: first(explained),
            observed_longest: Duration::from_micros(observed_us),
            stolen: Duration::ZERO,
            late_outside: workload.get("reference_late_max_us").copied().map(Duration::from_micros),
            lost_events: explained.coverage.lost_events,
            cost: cost(explained),
            blocked_writes: None,
            disk: None,
            logging: Logging::of(workload),
            stalled: None,
            named_in_stalls: match scenario.judged_by {
                JudgedBy::Pauses => named_in_stalls(whole),
                JudgedBy::Stalls => BTreeMap::new(),
            },
            from_log: None,
        }
    }

    /// How many stops of [`LONG`] and more there were.
    #[must_use]
    pub fn long_pauses(&self) -> u64 {
        self.long.len() as u64
    }

    /// Of these, how many have the scenario's cause as their largest part.
    #[must_use]
    pub fn long_pauses_right(&self) -> u64 {
        self.long.iter().filter(|it| self.is_right(&it.first)).count() as u64
    }

    /// Whether this is the scenario's cause, or one that the workload measured, too.
    pub(crate) fn is_right(&self, cause: &str) -> bool {
        cause == self.cause || self.stalled.as_ref().is_some_and(|it| it.confirms(cause))
    }

    /// Whether no stalls may be recorded: without privilege, and of a JVM without probes.
    pub(crate) fn may_lack_stalls(&self) -> bool {
        may_lack_stalls(self.privilege, self.jdk_feature)
    }

    /// The time of the scenario's cause in all stops, as `explain` reported it.
    #[must_use]
    pub fn own_time(&self) -> Duration {
        self.causes.iter().filter(|it| it.id == self.cause).map(|it| it.time).sum()
    }

    /// The share of the stopped time that causes claim, 0 to 1; 1 where nothing stopped.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a share does not need 128 bits")]
    pub fn attributed(&self) -> f64 {
        match self.total.as_nanos() {
            0 => 1.0,
            total => 1.0 - self.unattributed.as_nanos().min(total) as f64 / total as f64,
        }
    }
}

impl Serialize for RunResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Whole<'a> {
            // what `derive` made of the fields: an inherent function, because of `remote`
            #[serde(flatten, with = "RunResult")]
            fields: &'a RunResult,
            attributed: f64,
            long_pauses: u64,
            long_pauses_right: u64,
        }
        let whole = Whole {
            fields: self,
            attributed: self.attributed(),
            long_pauses: self.long_pauses(),
            long_pauses_right: self.long_pauses_right(),
        };
        whole.serialize(serializer)
    }
}

/// Stalls are what is outside of stops, which are seen by probes: builds of JDK 8 have none.
pub(crate) fn may_lack_stalls(privilege: Privilege, jdk_feature: u32) -> bool {
    privilege == Privilege::Unprivileged || jdk_feature < FIRST_WITH_PROBES
}

fn ns_of(nanos: u64) -> Duration {
    Duration::from_nanos(nanos)
}

fn named_in_stalls(explained: &Explained) -> BTreeMap<String, u64> {
    let Some(stalls) = &explained.stalls else { return BTreeMap::new() };
    let faults = stalls.causes.iter().filter(|it| it.nature == "fault");
    let unexplained =
        (stalls.unattributed_ns > 0).then(|| (UNATTRIBUTED.to_owned(), stalls.unattributed_ns));
    faults.map(|it| (it.id.clone(), it.time_ns)).chain(unexplained).collect()
}

fn named(cause: &crate::explained::Cause) -> NamedCause {
    NamedCause {
        id: cause.id.clone(),
        time: ns_of(cause.time_ns),
        share: cause.share,
        nature: cause.nature.clone(),
        certainty: cause.certainty.clone(),
        mechanisms: cause.mechanisms.clone(),
        culprits: cause.culprits.iter().map(|it| it.name.clone()).collect(),
    }
}

/// The cause with the most time in the long pauses, `unattributed` being one.
fn first(explained: &Explained) -> Option<String> {
    let mut times: BTreeMap<&str, u64> = BTreeMap::new();
    for pause in explained.longest.iter().filter(|it| ns_of(it.duration_ns) >= LONG) {
        *times.entry(UNATTRIBUTED).or_default() += pause.unattributed_ns;
        for part in &pause.parts {
            *times.entry(&part.cause).or_default() += part.time_ns;
        }
    }
    let most = times.into_iter().max_by_key(|(_, time)| *time)?;
    Some(most.0.to_owned())
}

fn cost(explained: &Explained) -> RecorderCost {
    let cost = &explained.coverage.cost;
    RecorderCost {
        recorded: ns_of(explained.coverage.recorded_ns),
        recorder_cpu: ns_of(cost.recorder_cpu_ns),
        kernel: ns_of(cost.kernel_time_ns.unwrap_or(0)),
        jvm_cpu: ns_of(cost.jvm_cpu_ns),
        recorder_rss_bytes: cost.recorder_rss_bytes,
    }
}

/// `alloc_0_max_us`, and so on for each thread that allocates. One that waits for what another
/// thread holds is not observed by a thread that sleeps.
fn is_allocation(key: &str) -> bool {
    key.starts_with("alloc_") && key.ends_with("_max_us")
}

mod from_log;
mod logging;
mod stalled;

#[cfg(test)]
mod tests;
