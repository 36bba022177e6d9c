//! How often the answers were right: pure counting. What counts as right is decided here.
use super::{
    from_log::LogTally,
    seen::{Key, Seen},
};
use crate::{
    Collector, JudgedBy, Privilege, Role,
    class::{Class, happens_anyway},
};
use serde::Serialize;
use std::collections::BTreeMap;

/// Of a thousand pauses recorded with privilege, this many must have the right cause first.
const RIGHT_CAUSE: u32 = 995;
/// Of a thousand of those recorded without, this many must have a cause of the right class first.
const RIGHT_CLASS: u32 = 950;
/// Of a thousand milliseconds that workloads measured in stalled calls, this many must be found with privilege.
const FOUND: u32 = 950;
/// Of the stopped time, this many thousandths must be attributed.
const ATTRIBUTED: u32 = 990;

/// Counts of the pauses of 50 ms and more, and of stopped time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Count {
    /// Recordings.
    pub recordings: u64,
    /// Pauses of 50 ms and more.
    pub pauses: u64,
    /// Of these, how many have the true cause first.
    pub right_cause: u64,
    /// Of these, how many have a cause of the true class first.
    pub right_class: u64,
    /// Of the pauses, how many are longer than any without the fault: in the baseline of the same
    /// scenario, JDK and collector.
    pub beyond: u64,
    /// Of these, how many have the true cause first.
    pub beyond_right_cause: u64,
    /// Of these, how many have a cause of the true class first.
    pub beyond_right_class: u64,
    /// All stopped time.
    pub stopped_ns: u64,
    /// What of it no cause claims.
    pub unattributed_ns: u64,
    /// The causes found first, with how many pauses each.
    pub firsts: BTreeMap<String, u64>,
}

impl Count {
    fn add(&mut self, seen: &Seen, usual: &Usual) {
        let cause = seen.key.cause();
        let longest = usual.longest(&seen.key);
        self.recordings += 1;
        self.stopped_ns += seen.stopped_ns;
        self.unattributed_ns += seen.unattributed_ns;
        for pause in &seen.long {
            let is_measured = seen.stalled.as_ref().is_some_and(|it| it.confirms(&pause.first));
            let right_cause = u64::from(pause.first == cause || is_measured);
            let right_class = u64::from(Class::same(&pause.first, cause));
            self.pauses += 1;
            self.right_cause += right_cause;
            self.right_class += right_class;
            if pause.duration_ns > longest {
                self.beyond += 1;
                self.beyond_right_cause += right_cause;
                self.beyond_right_class += right_class;
            }
            *self.firsts.entry(pause.first.clone()).or_default() += 1;
        }
    }
}

/// The longest pause without the fault, by scenario, JDK, collector and rights.
#[derive(Debug, Default)]
struct Usual(BTreeMap<(String, String, Collector, Privilege), u64>);

impl Usual {
    fn of(seen: &[Seen]) -> Usual {
        let mut usual = Usual::default();
        for it in seen.iter().filter(|it| it.role == Role::Baseline) {
            let longest = usual.0.entry(Usual::key(&it.key)).or_default();
            *longest = it.longest_ns.max(*longest);
        }
        usual
    }

    fn key(key: &Key) -> (String, String, Collector, Privilege) {
        (key.scenario.clone(), key.jdk.clone(), key.collector, key.privilege)
    }

    /// Where there is no baseline, nothing is usual.
    fn longest(&self, key: &Key) -> u64 {
        self.0.get(&Usual::key(key)).copied().unwrap_or(0)
    }
}

/// A row of the confusion matrix: what was true, and what was found first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// With which rights it was recorded.
    pub privilege: Privilege,
    /// The scenario, which is the true cause.
    pub scenario: String,
    /// The variant that made it.
    pub variant: String,
    /// What was found.
    #[serde(flatten)]
    pub count: Count,
}

/// What was found of stalls: the same counts, of which an episode of stalls is a pause, and the stopped time is that
/// of all threads.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OfStalls {
    /// The confusion matrix, in rows of faults.
    pub confusion: Vec<Row>,
    /// All of them, by rights.
    pub total: BTreeMap<String, Count>,
    /// Time that the workloads of these faults measured in stalled calls, recorded with privilege.
    pub measured_ns: u64,
    /// What of it was found.
    pub found_ns: u64,
}

/// Accuracy with one JDK and collector.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Surroundings {
    /// With which rights it was recorded.
    pub privilege: Privilege,
    /// Feature release of the JDK.
    pub jdk_feature: u32,
    /// The collector.
    pub collector: Collector,
    /// What was found.
    #[serde(flatten)]
    pub count: Count,
}

/// A cause that was named where nothing was wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Alarm {
    /// With which rights it was recorded.
    pub privilege: Privilege,
    /// Its id.
    pub cause: String,
    /// Whether of stalls of single threads, and not of pauses.
    pub of_stalls: bool,
    /// In how many recordings.
    pub recordings: u64,
    /// With how much time in all.
    pub time_ns: u64,
    /// Whether it also happens on a quiet host, or was counted by the kernel, so that naming it is
    /// right.
    pub expected: bool,
}

/// What a matrix shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// The confusion matrix, in rows of faults.
    pub confusion: Vec<Row>,
    /// The same by JDK and collector.
    pub surroundings: Vec<Surroundings>,
    /// Recordings of baselines and fixed variants.
    pub quiet_recordings: u64,
    /// Causes that were named in them.
    pub alarms: Vec<Alarm>,
    /// Symptoms that were named in them, with the number of recordings that have unexplained time.
    pub quiet_symptoms: BTreeMap<String, u64>,
    /// All recordings together: the stopped time.
    pub total: BTreeMap<String, Count>,
    /// The same of scenarios that are judged by their stalls.
    pub stalls: OfStalls,
    /// What the GC logs alone say, judged by the privileged recordings.
    pub from_log: LogTally,
    /// What is not as it must be, one line each.
    pub shortfalls: Vec<String>,
}

impl Tally {
    /// Tallies these recordings.
    #[must_use]
    pub fn of(seen: &[Seen]) -> Tally {
        let faults = |of: JudgedBy| -> Vec<&Seen> {
            let of_it = |it: &&Seen| it.role == Role::Fault && it.key.judged_by() == of;
            seen.iter().filter(of_it).collect()
        };
        let (stalled, faults) = (faults(JudgedBy::Stalls), faults(JudgedBy::Pauses));
        let quiet: Vec<_> =
            seen.iter().filter(|it| matches!(it.role, Role::Baseline | Role::Fixed)).collect();
        let usual = Usual::of(seen);
        let surroundings =
            grouped(&faults, &usual, |it| (it.key.privilege, it.jdk_feature, it.key.collector));
        let total = grouped(&faults, &usual, |it| it.key.privilege.id().to_owned());
        let alarms = alarms(&quiet);
        let from_log = LogTally::of(seen);
        let stalls = OfStalls::of(&stalled, &usual);
        let mut shortfalls = shortfalls(seen, &total, &stalls, &alarms);
        shortfalls.extend(from_log.shortfalls());
        Tally {
            confusion: confusion(&faults, &usual),
            surroundings: surroundings
                .into_iter()
                .map(|((privilege, jdk_feature, collector), count)| Surroundings {
                    privilege,
                    jdk_feature,
                    collector,
                    count,
                })
                .collect(),
            quiet_recordings: quiet.len() as u64,
            alarms,
            quiet_symptoms: symptoms(&quiet),
            total,
            stalls,
            from_log,
            shortfalls,
        }
    }
}

impl OfStalls {
    /// Of unprivileged recordings without stalls nothing is counted, as nothing was found.
    fn of(faults: &[&Seen], usual: &Usual) -> OfStalls {
        let privileged = faults.iter().filter(|it| it.key.privilege == Privilege::Privileged);
        let calls: Vec<_> = privileged.filter_map(|it| it.stalled.as_ref()).collect();
        OfStalls {
            confusion: confusion(faults, usual),
            total: grouped(faults, usual, |it| it.key.privilege.id().to_owned()),
            measured_ns: calls.iter().map(|it| it.measured_ns).sum(),
            found_ns: calls.iter().map(|it| it.found_ns).sum(),
        }
    }
}

fn confusion(faults: &[&Seen], usual: &Usual) -> Vec<Row> {
    let rows = grouped(faults, usual, |it| {
        (it.key.privilege, it.key.scenario.clone(), it.key.variant.clone())
    });
    let row = |((privilege, scenario, variant), count)| Row { privilege, scenario, variant, count };
    rows.into_iter().map(row).collect()
}

fn grouped<K: Ord>(seen: &[&Seen], usual: &Usual, key: impl Fn(&Seen) -> K) -> BTreeMap<K, Count> {
    let mut groups: BTreeMap<K, Count> = BTreeMap::new();
    for it in seen {
        groups.entry(key(it)).or_default().add(it, usual);
    }
    groups
}

fn alarms(quiet: &[&Seen]) -> Vec<Alarm> {
    let mut found: BTreeMap<(Privilege, &str, bool, bool), Alarm> = BTreeMap::new();
    for seen in quiet {
        let named = seen.named.iter().map(|it| (seen.key.judged_by() == JudgedBy::Stalls, it));
        // With a remedy the fault goes on, and may well hold up other threads than those of the pauses.
        let is_quiet = seen.role == Role::Baseline;
        let in_stalls = seen.named_in_stalls.iter().filter(|_| is_quiet).map(|it| (true, it));
        for (of_stalls, (cause, time_ns)) in named.chain(in_stalls) {
            let privilege = seen.key.privilege;
            // stolen time is no mistake where the kernel itself has counted at least as much
            let stolen = cause == "cpu-steal" && *time_ns <= seen.stolen_ns;
            let expected = stolen || happens_anyway(cause);
            let key = (privilege, cause.as_str(), of_stalls, expected);
            let alarm = found.entry(key).or_insert_with(|| Alarm {
                privilege,
                cause: cause.clone(),
                of_stalls,
                recordings: 0,
                time_ns: 0,
                expected,
            });
            alarm.recordings += 1;
            alarm.time_ns += time_ns;
        }
    }
    found.into_values().collect()
}

fn symptoms(quiet: &[&Seen]) -> BTreeMap<String, u64> {
    let mut found = BTreeMap::new();
    for symptom in quiet.iter().flat_map(|it| it.symptoms.keys()) {
        *found.entry(symptom.clone()).or_default() += 1;
    }
    found
}

fn shortfalls(
    seen: &[Seen],
    total: &BTreeMap<String, Count>,
    stalls: &OfStalls,
    alarms: &[Alarm],
) -> Vec<String> {
    let mut found = Vec::new();
    let mut demand = |what: &str, part: u64, whole: u64, per_mille: u32| {
        if part * 1000 < whole * u64::from(per_mille) {
            let percent = f64::from(per_mille) / 10.0;
            found.push(format!("{what}: {part} of {whole}, at least {percent} % are demanded"));
        }
    };
    for (rights, it) in total {
        match rights.as_str() {
            "privileged" => {
                demand("right cause, privileged", it.right_cause, it.pauses, RIGHT_CAUSE);
                let (us, left) = (it.stopped_ns / 1000, it.unattributed_ns / 1000);
                demand("µs attributed, privileged", us - left.min(us), us, ATTRIBUTED);
            }
            _ => demand("right class, unprivileged", it.right_class, it.pauses, RIGHT_CLASS),
        }
    }
    for (rights, it) in &stalls.total {
        match rights.as_str() {
            "privileged" => {
                demand("right cause of stalls, privileged", it.right_cause, it.pauses, RIGHT_CAUSE);
            }
            _ => demand(
                "right class of stalls, unprivileged",
                it.right_class,
                it.pauses,
                RIGHT_CLASS,
            ),
        }
    }
    let (found_ms, measured_ms) = (stalls.found_ns / 1_000_000, stalls.measured_ns / 1_000_000);
    demand("ms in stalled calls found, privileged", found_ms, measured_ms, FOUND);
    for alarm in alarms.iter().filter(|it| !it.expected) {
        let (cause, rights) = (&alarm.cause, alarm.privilege.id());
        let of = if alarm.of_stalls { "stalls of " } else { "" };
        let recordings = alarm.recordings;
        found.push(format!("`{cause}` was named in {of}{recordings} quiet recordings, {rights}"));
    }
    for it in seen {
        let Key { scenario, variant, jdk, run, .. } = &it.key;
        let mut say = |what: &str| {
            found.push(format!("{scenario}, {variant}, JDK {jdk}, run {run}: {what}"));
        };
        if it.did_not_strike() {
            say("it did not strike");
        }
        if it.lacks_stalls() {
            say("stalls were not recorded");
        }
        for (cause, episodes) in it.stalled.iter().flat_map(|it| &it.unconfirmed) {
            say(&format!("`{cause}`: no call was measured in {episodes} of its stalls"));
        }
    }
    found.dedup();
    found
}

#[cfg(test)]
mod tests;
