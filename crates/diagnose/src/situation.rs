//! The JVM and host of an input, as far as it tells.
use crate::{hazards::Flags, history::History, index::Index, jvm_flags};
use recording::{CgroupFact, Facts, HostFact, JvmFact};

/// What a remedy is fitted to, whatever the cause. `None` is what the input does not tell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Situation {
    /// The JVM; of a log alone its version, collector and flags, with a pid of 0.
    pub jvm: Option<JvmFact>,
    /// The host.
    pub host: Option<HostFact>,
    /// The limits that bind the JVM.
    pub cgroup: Option<CgroupFact>,
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
}

impl Situation {
    pub(crate) fn of(index: &Index<'_>) -> Situation {
        let log = index.log;
        let of_log = |number: fn(&History) -> Option<u64>| log.and_then(number);
        Situation {
            jvm: index.jvm.cloned(),
            host: index.host.cloned(),
            cgroup: index.facts.and_then(|it| it.cgroup.clone()),
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
        }
    }

    /// What facts of one moment tell, with nothing recorded.
    #[must_use]
    pub fn of_facts(facts: &Facts) -> Situation {
        Situation {
            jvm: facts.jvm.clone(),
            host: facts.host.clone(),
            cgroup: facts.cgroup.clone(),
            max_heap_bytes: facts.jvm.as_ref().and_then(|it| Flags(&it.flags).max_heap()),
            ..Situation::default()
        }
    }

    /// The feature version of the JVM: 17 of `17.0.15+6`, 8 of `1.8.0_412`.
    #[must_use]
    pub fn feature(&self) -> Option<u32> {
        jvm_flags::feature_version(&self.jvm.as_ref()?.version)
    }

    /// The collector's id; empty where unknown.
    #[must_use]
    pub fn collector(&self) -> &str {
        self.jvm.as_ref().map_or("", |it| it.collector.as_str())
    }

    /// The flags given, in the order in which the JVM applies them.
    #[must_use]
    pub fn flags(&self) -> &[String] {
        self.jvm.as_ref().map_or(&[], |it| &it.flags)
    }

    /// Whether a flag was given exactly so.
    #[must_use]
    pub fn has(&self, flag: &str) -> bool {
        self.flags().iter().any(|it| it == flag)
    }

    /// Whether `-XX:` with this name was given, with whatever value: `+Name`, `-Name` or `Name=…`.
    #[must_use]
    pub fn given(&self, name: &str) -> bool {
        self.flags().iter().any(|it| jvm_flags::name(it) == Some(name))
    }
}
