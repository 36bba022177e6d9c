//! The JVM and host of an input, as far as it tells: what remedies are to know of them is a field here.
use crate::{
    facts::{feature_version::feature_version, index::Index},
    history::History,
};
use recording::{CgroupFact, Facts, HostFact, JvmFact, Setting, VmFlag, VmFlags};
use std::time::Duration;

/// A heap of which more than this is live is full of it.
pub(crate) const FULL_PERCENT: u128 = 70;

/// What a remedy is fitted to, whatever the cause. `None` is what the input does not tell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Situation {
    /// The JVM; of a log alone its version, collector and flags, with a pid of 0.
    pub jvm: Option<JvmFact>,
    /// The host.
    pub host: Option<HostFact>,
    /// The limits that bind the JVM.
    pub cgroup: Option<CgroupFact>,
    /// How much of its CPU quota the group used while it was recorded, in thousandths.
    pub quota_used: Option<u64>,
    /// The memory that the JVM saw when it started: its container's, where it knows of one.
    pub memory_bytes: Option<u64>,
    /// CPUs that the JVM saw when it started.
    pub cpus: Option<u32>,
    /// The heap's limit: its flag, or the largest heap that the log shows.
    pub max_heap_bytes: Option<u64>,
    /// Size of a G1 region.
    pub region_size_bytes: Option<u64>,
    /// What was live after the last collection of the old generation.
    pub live_bytes: Option<u64>,
    /// The most that class metadata took.
    pub metaspace_bytes: Option<u64>,
    /// Threads that collect while the application runs.
    pub concurrent_workers: Option<u32>,
    /// Whether its log has the form that JDK 8 and older write.
    pub has_legacy_log: bool,
}

impl Situation {
    pub(crate) fn of(index: &Index<'_>) -> Situation {
        let log = index.log;
        let of_log = |number: fn(&History) -> Option<u64>| log.and_then(number);
        Situation {
            jvm: index.jvm.cloned(),
            host: index.host.cloned(),
            cgroup: index.facts.and_then(|it| it.cgroup.clone()),
            quota_used: quota_used(index),
            memory_bytes: of_log(|it| it.jvm.memory_bytes),
            cpus: log.and_then(|it| it.jvm.cpus),
            max_heap_bytes: of_log(|it| {
                let seen = Some(it.memory.most_capacity()).filter(|it| *it > 0);
                it.jvm.max_heap_bytes.or(seen)
            }),
            region_size_bytes: of_log(|it| it.jvm.region_size_bytes()),
            live_bytes: of_log(|it| it.memory.live_set().map(|it| it.last)),
            metaspace_bytes: of_log(|it| it.memory.most_metaspace()),
            concurrent_workers: log.and_then(|it| it.jvm.concurrent_workers),
            has_legacy_log: log.is_some_and(|it| it.jvm.is_legacy),
        }
    }

    /// What facts of one moment tell, with nothing recorded.
    #[must_use]
    pub fn of_facts(facts: &Facts) -> Situation {
        Situation {
            jvm: facts.jvm.clone(),
            host: facts.host.clone(),
            cgroup: facts.cgroup.clone(),
            max_heap_bytes: facts.jvm.as_ref().and_then(|it| VmFlags(&it.flags).max_heap()),
            ..Situation::default()
        }
    }

    /// The feature version of the JVM: 17 of `17.0.15+6`, 8 of `1.8.0_412`; 8 where only the form of
    /// the log tells that it is so old.
    #[must_use]
    pub fn feature(&self) -> Option<u32> {
        let version = self.jvm.as_ref().and_then(|it| feature_version(&it.version));
        version.or(self.has_legacy_log.then_some(8))
    }

    /// The collector's id; empty where unknown.
    #[must_use]
    pub fn collector(&self) -> &str {
        self.jvm.as_ref().map_or("", |it| it.collector.as_str())
    }

    /// Whether it is a program of `GraalVM` that was compiled ahead of time: no HotSpot JVM, and not its
    /// flags.
    #[must_use]
    pub fn is_native_image(&self) -> bool {
        self.collector() == gclog::Collector::NativeImage.id()
    }

    /// Whether what stays after a full collection leaves so little of the heap that to collect earlier
    /// frees nothing: more than 70 % of it.
    #[must_use]
    pub fn is_full_of_live_data(&self) -> bool {
        let (Some(live), Some(heap)) = (self.live_bytes, self.max_heap_bytes) else { return false };
        u128::from(live) * 100 > u128::from(heap) * FULL_PERCENT
    }

    /// The flags given, in the order in which the JVM applies them.
    #[must_use]
    pub fn flags(&self) -> &[String] {
        self.jvm.as_ref().map_or(&[], |it| &it.flags)
    }

    /// What was said of a switch: of `-XX:+name` and `-XX:-name` the last one holds. `None` where the
    /// JVM's default does.
    #[must_use]
    pub fn switch(&self, name: &str) -> Option<bool> {
        VmFlags(self.flags()).switch(name)
    }

    /// Whether `-XX:+name` was given and no `-XX:-name` behind it.
    #[must_use]
    pub fn is_on(&self, name: &str) -> bool {
        self.switch(name) == Some(true)
    }

    /// Whether a flag holds as it is written here: nothing that was given behind it undoes it.
    #[must_use]
    pub fn holds(&self, flag: &str) -> bool {
        let Some(VmFlag { name, setting }) = VmFlag::of(flag) else {
            return self.flags().iter().any(|it| it == flag);
        };
        match setting {
            Some(Setting::Switch(is_on)) => self.switch(name) == Some(is_on),
            Some(Setting::Value(value)) => VmFlags(self.flags()).value(name) == Some(value),
            None => false,
        }
    }

    /// Whether `-XX:` with this name was given, with whatever value: `+Name`, `-Name` or `Name=…`.
    /// Of a switch that does not tell how it stands: see [`switch`](Self::switch).
    #[must_use]
    pub fn given(&self, name: &str) -> bool {
        VmFlags(self.flags()).is_given(name)
    }
}

/// See [`Situation::quota_used`]: of the group, or at least of the JVM where the group's was not read.
fn quota_used(index: &Index<'_>) -> Option<u64> {
    let facts = index.facts?;
    let milli = facts.cgroup.as_ref()?.milli_cpus()?;
    let of_group = index.values("cgroup.cpu.usage_ns").and_then(|usage| {
        let ((from, first), (to, last)) = (usage.first()?, usage.last()?);
        Some((Duration::from_nanos(last.saturating_sub(*first)), to.since(*from)))
    });
    let of_jvm = || facts.coverage.as_ref().map(|it| (it.jvm_cpu, it.recorded));
    let (used, time) = of_group.or_else(of_jvm)?;
    let granted = time.as_nanos() * u128::from(milli) / 1000;
    u64::try_from((used.as_nanos() * 1000).checked_div(granted)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switch_turned_off_or_undone_later_does_not_count_as_on() {
        let check = |line: &str, switch: Option<bool>| {
            let flags = line.split_whitespace().map(str::to_owned).collect();
            let jvm = JvmFact { flags, ..JvmFact::default() };
            let it = Situation { jvm: Some(jvm), ..Situation::default() };
            let held = (it.switch("A"), it.is_on("A"), it.holds("-XX:+A"), it.holds("-XX:-A"));
            let (on, off) = (switch == Some(true), switch == Some(false));
            assert_eq!(held, (switch, on, on, off), "{line}");
        };
        check("-XX:+A", Some(true));
        check("-XX:-A", Some(false));
        check("-XX:+A -XX:-A", Some(false));
        check("-XX:-A -XX:+A", Some(true));
        check("-XX:+AB -XX:A=1", None);
    }

    #[test]
    fn later_of_two_flag_values_wins() {
        let flags = ["-XX:A=1", "-XX:A=2", "-Xms1g"].map(str::to_owned).to_vec();
        let it = Situation {
            jvm: Some(JvmFact { flags, ..JvmFact::default() }),
            ..Situation::default()
        };
        let held = ["-XX:A=1", "-XX:A=2", "-Xms1g", "-Xms2g"].map(|flag| it.holds(flag));
        assert_eq!(held, [false, true, true, false]);
        assert!(it.given("A") && !it.given("B"));
    }
}
