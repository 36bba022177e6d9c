//! What a monitor of an application can tell.
use crate::{GcKind, Stamp, Transition};
use std::time::Duration;

/// Who noticed a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Monitor {
    /// `VmPauseMonitor` of Neo4j.
    Neo4j,
    /// `JvmPauseMonitor` of Hadoop, and what is built on it or like it: `HBase`, `ZooKeeper`, Ratis, Ozone.
    Hadoop,
    /// `Sleeper` of `HBase`, which does not look for collections.
    HbaseSleeper,
    /// `GCInspector` of Cassandra, which reports only collections.
    Cassandra,
    /// `FailureDetector` of Cassandra, which does not look for collections.
    CassandraDetector,
    /// `JvmGcMonitorService` of Elasticsearch and `OpenSearch`, which reports only collections.
    Elasticsearch,
    /// The timer thread of Elasticsearch and `OpenSearch`, which looks at two clocks.
    ElasticsearchTimer,
    /// `JmxGcMonitor` of airlift (Trino, Presto), which reports only collections.
    Airlift,
    /// `/spark gcmonitor` of the profiler spark (Minecraft servers), which reports only collections.
    Spark,
    /// `LongJVMPauseDetector` of Ignite.
    Ignite,
    /// The heartbeat of Hazelcast, which looks at the wall clock alone.
    Hazelcast,
    /// `JVMPauseDetectorThread` of Hiero and Swirlds.
    Hiero,
    /// The housekeeper of `HikariCP`.
    Hikari,
    /// The heartbeat of a cluster of Akka or Pekko.
    Akka,
}

impl Monitor {
    /// The name used in reports.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.names().0
    }

    /// What it is called in the lines that it writes, as far as it is.
    #[must_use]
    pub fn class(self) -> &'static str {
        self.names().1
    }

    fn names(self) -> (&'static str, &'static str) {
        match self {
            Monitor::Neo4j => ("neo4j", "VmPauseMonitor"),
            Monitor::Hadoop => ("hadoop", "JvmPauseMonitor"),
            Monitor::HbaseSleeper => ("hbase-sleeper", "Sleeper"),
            Monitor::Cassandra => ("cassandra", "GCInspector"),
            Monitor::CassandraDetector => ("cassandra-failure-detector", "FailureDetector"),
            Monitor::Elasticsearch => ("elasticsearch", "JvmGcMonitorService"),
            Monitor::ElasticsearchTimer => ("elasticsearch-timer", "timer thread"),
            Monitor::Airlift => ("airlift", "JmxGcMonitor"),
            Monitor::Spark => ("spark-profiler", "spark gcmonitor"),
            Monitor::Ignite => ("ignite", "LongJVMPauseDetector"),
            Monitor::Hazelcast => ("hazelcast", "clock of the heartbeat"),
            Monitor::Hiero => ("hiero", "JVMPauseDetectorThread"),
            Monitor::Hikari => ("hikari", "housekeeper of the pool"),
            Monitor::Akka => ("akka", "heartbeat of the cluster"),
        }
    }
}

/// A pause that an application measured itself. Whether it was a stop at a safepoint is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MonitorPause {
    /// Of the line, thus soon after the end. A date without a zone is taken in that of the JVM's own
    /// lines before it, or else as UTC.
    pub stamp: Stamp,
    /// Whether the zone of its date is known.
    pub zoned: bool,
    /// How long, to the millisecond or coarser.
    pub duration: Duration,
    /// Time in collections meanwhile, as the JVM's beans count it: that of concurrent ones too.
    /// May be longer than the pause. `None` where the monitor does not look.
    pub gc_time: Option<Duration>,
    /// Collections meanwhile. `None` where the monitor does not look or say.
    pub gc_count: Option<u64>,
    /// It is one collection of this kind (or several, see `gc_count`), as the monitor looks at nothing else.
    pub collection: Option<GcKind>,
    /// How long the application ran between the previous collection and this one, if the monitor
    /// reports it.
    pub ran: Option<Duration>,
    /// The heap before and after, in bytes as printed, thus rounded; its capacity where it is there.
    pub heap: Option<Transition>,
    /// The old generation, likewise.
    pub old: Option<Transition>,
    /// The monitor looks at the wall clock alone: it may have been set, and there was no pause.
    pub may_be_clock: bool,
    /// Who noticed.
    pub monitor: Monitor,
}

/// How much of an interval was spent in collections: the sum of several, of which none is known alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollectionShare {
    /// Of the line, thus soon after the end of the interval; as in [`MonitorPause`].
    pub stamp: Stamp,
    /// Whether the zone of its date is known.
    pub zoned: bool,
    /// In collections.
    pub spent: Duration,
    /// Length of the interval.
    pub within: Duration,
    /// Who counted.
    pub monitor: Monitor,
}

/// The wall clock went on by more than time has passed: it was set, or the machine was suspended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockJump {
    /// Of the line; as in [`MonitorPause`].
    pub stamp: Stamp,
    /// By how much.
    pub by: Duration,
    /// Who noticed.
    pub monitor: Monitor,
}
