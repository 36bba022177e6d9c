//! What each monitor writes: a new one is one entry here, and an example in the tests beside it.
//!
//! # Source
//!
//! Neo4j `VmPauseMonitor`, Hadoop, `HBase` and Ratis `JvmPauseMonitor`, `HBase` `Sleeper`, Cassandra
//! `GCInspector` and `FailureDetector`, Elasticsearch and `OpenSearch` `JvmGcMonitorService` and
//! `ThreadPool.CachedTimeThread`, airlift `JmxGcMonitor`, Ignite `LongJVMPauseDetector`, Hazelcast
//! `ClusterHeartbeatManager`, Hiero `JVMPauseDetectorThread`, `gcmonitor` of the
//! profiler spark (lucko/spark `GarbageCollectionMonitor`), `HikariCP` `HikariPool.HouseKeeper`, Akka
//! `ClusterHeartbeat`.
use crate::{
    CollectionShare, GcKind, Monitor, MonitorPause, Stamp, Transition, YoungKind,
    scan::{MILLISECOND_NS, SECOND_NS, decimal_ns, integer},
};
use memchr::memmem;
use std::time::Duration;

/// What a line tells.
#[derive(Debug)]
pub(super) enum Found {
    Pause(MonitorPause),
    /// By the wall clock; another line reports the same pause by the monotonic clock.
    Absolute(MonitorPause),
    /// By that one.
    Relative(MonitorPause),
    Share(CollectionShare),
}

impl Found {
    pub(super) fn at(self, stamp: Stamp, zoned: bool) -> Found {
        let at = |it| MonitorPause { stamp, zoned, ..it };
        match self {
            Found::Pause(it) => Found::Pause(at(it)),
            Found::Absolute(it) => Found::Absolute(at(it)),
            Found::Relative(it) => Found::Relative(at(it)),
            Found::Share(it) => Found::Share(CollectionShare { stamp, zoned, ..it }),
        }
    }
}

/// Reads what stands before and behind the mark.
type Read = fn(&[u8], &[u8]) -> Option<Found>;

/// One form of line.
pub(super) struct Entry {
    /// A text that only this monitor writes.
    pub(super) mark: &'static [u8],
    pub(super) read: Read,
    /// Whether a line that has the mark but could not be read reports a pause nevertheless, as a
    /// truncated one does.
    pub(super) is_lost: fn(&[u8], &[u8]) -> bool,
}

/// One whose mark also stands in other lines, or in lines that report no pause.
const fn entry(mark: &'static [u8], read: Read) -> Entry {
    Entry { mark, read, is_lost: |_, _| false }
}

/// One whose mark stands in lines of pauses only.
const fn sure(mark: &'static [u8], read: Read) -> Entry {
    Entry { mark, read, is_lost: |_, _| true }
}

/// What a monitor of Hadoop's kind says where nothing was collected.
pub(super) const NO_COLLECTIONS: &[u8] = b"No GCs detected";

pub(super) const TABLE: [Entry; 18] = [
    sure(b"Detected VM stop-the-world pause: {pauseTime=", |_, text| neo4j(text)),
    sure(b"Detected pause in JVM or host machine (eg GC): pause of approximately ", |_, text| {
        hadoop(text)
    }),
    sure(b"Detected pause in JVM or host machine approximately ", |_, text| ratis(text)),
    entry(b" - JVM paused ", |_, text| alluxio(text)),
    entry(b"We slept ", |_, text| sleeper(text)),
    Entry { is_lost: |head, _| is_of_cassandra(head), ..entry(b" GC in ", cassandra) },
    entry(b"Not marking nodes down due to local pause of ", |_, text| local_pause(text)),
    Entry {
        is_lost: |_, text| memmem::find(text, DURATION).is_some(),
        ..entry(b"[gc][", |_, text| elasticsearch(text))
    },
    sure(b"timer thread slept for [", |_, text| timer(text)),
    sure(b"Major GC: application ", |_, text| airlift(text)),
    entry(b" Gen GC lasting ", spark),
    sure(b"Possible too long JVM pause: ", |_, text| ignite(text)),
    sure(b"Possible too long JVM pause [duration=", |_, text| ignite(text)),
    entry(b"System clock apparently jumped from ", |_, text| hazelcast(text)),
    sure(b"detected JVM paused for ", |_, text| hiero(text)),
    entry(b"Thread starvation or clock leap detected (housekeeper delta=", |_, text| hikari(text)),
    entry(
        b"Scheduled sending of heartbeat was delayed. Previous heartbeat was sent [",
        |_, text| akka(text),
    ),
    sure(b"overhead, spent [", |_, text| overhead(text)),
];

fn of(monitor: Monitor, duration: Duration) -> MonitorPause {
    MonitorPause {
        stamp: Stamp::default(),
        zoned: false,
        duration,
        gc_time: None,
        gc_count: None,
        collection: None,
        ran: None,
        heap: None,
        old: None,
        may_be_clock: false,
        monitor,
    }
}

/// Of a monitor that reports only collections: the line is complete.
fn collected(
    monitor: Monitor,
    kind: GcKind,
    took: Duration,
    gc_count: Option<u64>,
) -> MonitorPause {
    MonitorPause { gc_time: Some(took), gc_count, collection: Some(kind), ..of(monitor, took) }
}

/// The names of collectors of the young generation, as the JVM's beans and Elasticsearch call them, end so
/// or are so; those of others collect the whole heap or the old generation.
const YOUNG: [&[u8]; 6] =
    [b"young", b"Young Generation", b"ParNew", b"PS Scavenge", b"Copy", b"survivor"];

fn kind_of(name: &[u8]) -> GcKind {
    let is_young = YOUNG.iter().any(|it| name.ends_with(it));
    if is_young { GcKind::Young(YoungKind::Normal) } else { GcKind::Full }
}

/// `444, gcTime=0, gcCount=0}`.
fn neo4j(text: &[u8]) -> Option<Found> {
    let (pause_ms, rest) = integer(text)?;
    let (gc_ms, rest) = integer(rest.strip_prefix(b", gcTime=")?)?;
    let (count, rest) = integer(rest.strip_prefix(b", gcCount=")?)?;
    let pause = of(Monitor::Neo4j, Duration::from_millis(pause_ms));
    let gc_time = Some(Duration::from_millis(gc_ms));
    rest.starts_with(b"}").then_some(Found::Pause(MonitorPause {
        gc_time,
        gc_count: Some(count),
        ..pause
    }))
}

/// `3512ms`; what was collected follows in other lines.
fn alluxio(text: &[u8]) -> Option<Found> {
    let (ms, rest) = integer(text)?;
    rest.starts_with(b"ms").then(|| Found::Pause(of(Monitor::Hadoop, Duration::from_millis(ms))))
}

/// `1234ms` or `201200300ns`; what was collected follows in the same line or in lines of its own.
fn hadoop(text: &[u8]) -> Option<Found> {
    let (_, unit) = integer(text)?;
    matches!(unit, [b'm' | b'n', b's', ..]).then_some(())?;
    let (took, rest) = time(text)?;
    Some(Found::Pause(without_collections(of(Monitor::Hadoop, took), rest)))
}

fn without_collections(pause: MonitorPause, behind: &[u8]) -> MonitorPause {
    if memmem::find(behind, NO_COLLECTIONS).is_some() {
        return MonitorPause { gc_time: Some(Duration::ZERO), gc_count: Some(0), ..pause };
    }
    pause
}

/// `71.205s without any GCs.` or `93.2s with 1.234s GC time.`; the pools follow in lines of their own.
fn ratis(text: &[u8]) -> Option<Found> {
    let (took, rest) = time(text)?;
    let pause = of(Monitor::Hadoop, took);
    if rest.starts_with(b" without any GCs") {
        let gc_time = Some(Duration::ZERO);
        return Some(Found::Pause(MonitorPause { gc_time, gc_count: Some(0), ..pause }));
    }
    let (gc_time, rest) = time(rest.strip_prefix(b" with ")?)?;
    let pause = MonitorPause { gc_time: Some(gc_time), ..pause };
    rest.starts_with(b" GC time").then_some(Found::Pause(pause))
}

/// `50631ms instead of 3000ms, …`.
fn sleeper(text: &[u8]) -> Option<Found> {
    let (slept_ms, rest) = integer(text)?;
    let (wanted_ms, rest) = integer(rest.strip_prefix(b"ms instead of ")?)?;
    let late = Duration::from_millis(slept_ms.checked_sub(wanted_ms)?);
    rest.starts_with(b"ms").then(|| Found::Pause(of(Monitor::HbaseSleeper, late)))
}

/// `2345ms.  G1 Eden Space: 3470786560 -> 0; G1 Old Gen: 2 -> 3;`.
fn cassandra(head: &[u8], text: &[u8]) -> Option<Found> {
    let (ms, rest) = integer(text)?;
    if !is_of_cassandra(head) || !rest.starts_with(b"ms") {
        return None;
    }
    let old = OLD_POOLS.iter().find_map(|name| {
        let sizes = &rest[memmem::find(rest, name)? + name.len()..];
        let (before, sizes) = integer(sizes)?;
        let (after, _) = integer(sizes.strip_prefix(b" -> ")?)?;
        Some(Transition { before, after, capacity: None })
    });
    let pause = collected(Monitor::Cassandra, kind_of(head), Duration::from_millis(ms), None);
    Some(Found::Pause(MonitorPause { old, ..pause }))
}

/// The old generation of each collector, as the JVM's beans call it.
const OLD_POOLS: [&[u8]; 4] =
    [b"G1 Old Gen: ", b"CMS Old Gen: ", b"PS Old Gen: ", b"Tenured Gen: "];

/// `GCInspector.java:284 - ParNew`; the concurrent collections in its lines are no pauses.
fn is_of_cassandra(head: &[u8]) -> bool {
    const CONCURRENT: [&[u8]; 7] = [
        b"ConcurrentMarkSweep",
        b"Cycles",
        b"G1 Concurrent",
        b"ZGC Minor",
        b"ZGC Major",
        b"ZGC",
        b"Shenandoah",
    ];
    memmem::find(head, b"GCInspector").is_some() && !CONCURRENT.iter().any(|it| head.ends_with(it))
}

/// `9236573980ns > 5000000000ns`, in older versions without the unit: the time between two rounds, which
/// come each second.
fn local_pause(text: &[u8]) -> Option<Found> {
    let (ns, rest) = integer(text)?;
    let rest = rest.strip_prefix(b"ns").unwrap_or(rest);
    let late = Duration::from_nanos(ns).checked_sub(Duration::from_secs(1))?;
    rest.starts_with(b" > ").then(|| Found::Pause(of(Monitor::CassandraDetector, late)))
}

/// Before how long the collections of an interval took.
const DURATION: &[u8] = b"] duration [";

/// `young][5332][98] duration [726ms], collections [1]/[1s], total [726ms]/[9.5s], memory
/// [459.3mb]->[384.4mb]/[1007.3mb], all_pools {[young] [107.6mb]->[16.2mb]/[133.1mb]}…`.
fn elasticsearch(text: &[u8]) -> Option<Found> {
    let (took, rest) = time(&text[memmem::find(text, DURATION)? + DURATION.len()..])?;
    let (count, rest) = integer(rest.strip_prefix(b"], collections [")?)?;
    let rest = rest.strip_prefix(b"]/[")?;
    let sizes_of = |name: &[u8]| bracketed_sizes(&rest[memmem::find(rest, name)? + name.len()..]);
    let name = text.split(|&byte| byte == b']').next()?;
    let pause = collected(Monitor::Elasticsearch, kind_of(name), took, Some(count));
    let (heap, old) = (sizes_of(b"memory ["), sizes_of(b"{[old] ["));
    Some(Found::Pause(MonitorPause { heap, old, ..pause }))
}

/// `459.3mb]->[384.4mb]/[1007.3mb]`; a capacity of `0b` is none.
fn bracketed_sizes(text: &[u8]) -> Option<Transition> {
    let (before, rest) = size(text)?;
    let (after, rest) = size(rest.strip_prefix(b"]->[")?)?;
    let (capacity, _) = size(rest.strip_prefix(b"]/[")?)?;
    Some(Transition { before, after, capacity: Some(capacity).filter(|it| *it > 0) })
}

/// `361ms] collecting in the last [1s]`: the sum of the collections of an interval.
fn overhead(text: &[u8]) -> Option<Found> {
    let (spent, rest) = time(text)?;
    let (within, _) = time(rest.strip_prefix(b"] collecting in the last [")?)?;
    let (stamp, monitor) = (Stamp::default(), Monitor::Elasticsearch);
    Some(Found::Share(CollectionShare { stamp, zoned: false, spent, within, monitor }))
}

/// `41.2s/41200ms] on absolute clock …` or `41.2s/41199400100ns] on relative clock …`.
fn timer(text: &[u8]) -> Option<Found> {
    let slash = memchr::memchr(b'/', &text[..text.len().min(32)])?;
    let (took, rest) = time(&text[slash + 1..])?;
    let pause = of(Monitor::ElasticsearchTimer, took);
    if rest.starts_with(b"] on absolute clock") {
        return Some(Found::Absolute(pause));
    }
    rest.starts_with(b"] on relative clock").then_some(Found::Relative(pause))
}

/// `62ms, stopped 7300ms: 38.91GB -> 38.80GB`. What it says of cycles of ZGC is no pause and has another
/// mark.
fn airlift(text: &[u8]) -> Option<Found> {
    let (ran, rest) = time(text)?;
    let (took, rest) = time(rest.strip_prefix(b", stopped ")?)?;
    let sizes = rest.strip_prefix(b": ").or_else(|| rest.strip_prefix(b":: "))?;
    let (before, rest) = size(sizes)?;
    let (after, _) = size(rest.strip_prefix(b" -> ")?)?;
    let heap = Some(Transition { before, after, capacity: None });
    let pause = collected(Monitor::Airlift, GcKind::Full, took, Some(1));
    Some(Found::Pause(MonitorPause { ran: Some(ran), heap, ..pause }))
}

/// `Old` and `1169 ms. (cause = G1 Evacuation Pause)`: in a game server, to which the lines go as chat.
fn spark(head: &[u8], text: &[u8]) -> Option<Found> {
    let kind = match head {
        [.., b'Y', b'o', b'u', b'n', b'g'] => GcKind::Young(YoungKind::Normal),
        [.., b'O', b'l', b'd'] => GcKind::Full,
        _ => return None,
    };
    let (ms, rest) = integer(text)?;
    let pause = collected(Monitor::Spark, kind, Duration::from_millis(ms), Some(1));
    rest.starts_with(b" ms").then_some(Found::Pause(pause))
}

/// `871 milliseconds.`, `871 ms. Precision: …` or `871ms]`.
fn ignite(text: &[u8]) -> Option<Found> {
    let (ms, rest) = integer(text)?;
    let is_ms = [&b" milliseconds"[..], b" ms", b"ms"].iter().any(|unit| rest.starts_with(unit));
    is_ms.then(|| Found::Pause(of(Monitor::Ignite, Duration::from_millis(ms))))
}

/// `… to … since last heartbeat (+28193 ms)`; backwards it is no pause.
fn hazelcast(text: &[u8]) -> Option<Found> {
    const SINCE: &[u8] = b" since last heartbeat (+";
    let (ms, rest) = integer(&text[memmem::find(text, SINCE)? + SINCE.len()..])?;
    let is_ms = rest.starts_with(b" ms)") || rest.starts_with(b"ms)");
    let pause = of(Monitor::Hazelcast, Duration::from_millis(ms));
    is_ms.then_some(Found::Pause(MonitorPause { may_be_clock: true, ..pause }))
}

/// `5412 ms, allocation pause 8 ms`.
fn hiero(text: &[u8]) -> Option<Found> {
    let (ms, rest) = integer(text)?;
    rest.starts_with(b" ms").then(|| Found::Pause(of(Monitor::Hiero, Duration::from_millis(ms))))
}

/// `1m6s828ms665µs608ns).`: the time between two rounds, which come each 30 s.
fn hikari(text: &[u8]) -> Option<Found> {
    const ROUND: Duration = Duration::from_secs(30);
    let (mut sum, mut rest) = (Duration::ZERO, text);
    while let Some((part, after)) = time(rest) {
        (sum, rest) = (sum.saturating_add(part), after);
    }
    let pause = of(Monitor::Hikari, sum.checked_sub(ROUND)?);
    rest.starts_with(b")").then_some(Found::Pause(MonitorPause { may_be_clock: true, ..pause }))
}

/// `21309] ms ago, expected interval is [3000] ms. …`.
fn akka(text: &[u8]) -> Option<Found> {
    let (sent_ms, rest) = integer(text)?;
    let (wanted_ms, rest) = integer(rest.strip_prefix(b"] ms ago, expected interval is [")?)?;
    let late = Duration::from_millis(sent_ms.checked_sub(wanted_ms)?);
    rest.starts_with(b"] ms").then(|| Found::Pause(of(Monitor::Akka, late)))
}

/// `GC pool 'ParNew' had collection(s): count=1 time=5678ms`.
pub(super) fn pool(line: &[u8]) -> Option<(u64, u64)> {
    const POOL: &[u8] = b"GC pool '";
    const HAD: &[u8] = b"' had collection(s): count=";
    let rest = &line[memmem::find(line, POOL)? + POOL.len()..];
    let (count, rest) = integer(&rest[memmem::find(rest, HAD)? + HAD.len()..])?;
    let rest = rest.strip_prefix(b",").unwrap_or(rest);
    let (ms, rest) = integer(rest.strip_prefix(b" time=")?)?;
    rest.starts_with(b"ms").then_some((count, ms))
}

/// A time with its unit: `361ms`, `1.2s`, `1.9m`, `11.3h`, `2d`, `201200300ns`.
fn time(text: &[u8]) -> Option<(Duration, &[u8])> {
    // The longer names first.
    const SMALL: [(&[u8], u64); 4] =
        [(b"ns", 1), ("µs".as_bytes(), 1_000), ("μs".as_bytes(), 1_000), (b"us", 1_000)];
    const LARGE: [(&[u8], u64); 5] = [
        (b"ms", MILLISECOND_NS),
        (b"s", SECOND_NS),
        (b"m", 60 * SECOND_NS),
        (b"h", 3_600 * SECOND_NS),
        (b"d", 86_400 * SECOND_NS),
    ];
    let digit = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b',');
    let (number, unit) = text.split_at(text.iter().position(|byte| !digit(byte))?);
    // A decimal comma of seconds; in other units it may separate the thousands.
    (!number.contains(&b',') || unit.starts_with(b"s")).then_some(())?;
    let named = |units: &[(&'static [u8], u64)]| {
        units.iter().find(|(name, _)| unit.starts_with(name)).copied()
    };
    if let Some((name, unit_ns)) = named(&SMALL) {
        let (value, rest) = integer(number)?;
        let ns = value.checked_mul(unit_ns)?;
        return rest.is_empty().then(|| (Duration::from_nanos(ns), &unit[name.len()..]));
    }
    let (name, unit_ns) = named(&LARGE)?;
    let (ns, rest) = decimal_ns(number, unit_ns)?;
    rest.is_empty().then(|| (Duration::from_nanos(ns), &unit[name.len()..]))
}

/// A size with its unit, in bytes: `459.3mb`, `1.4gb`, `0b`, `38.91GB`, `512kB`, `12B`.
fn size(text: &[u8]) -> Option<(u64, &[u8])> {
    const UNITS: [(&[u8], u32); 5] =
        [(b"b", 0), (b"kb", 10), (b"mb", 20), (b"gb", 30), (b"tb", 40)];
    let letters = text.iter().position(u8::is_ascii_alphabetic)?;
    let end = text[letters..].iter().position(|it| !it.is_ascii_alphabetic());
    let (number, unit) = text[..end.map_or(text.len(), |end| letters + end)].split_at(letters);
    let (_, shift) = UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))?;
    // Thousandths of a unit.
    let (thousandths, rest) = decimal_ns(number, MILLISECOND_NS)?;
    let bytes = u128::from(thousandths) * (1_u128 << shift) / u128::from(MILLISECOND_NS);
    rest.is_empty().then_some((u64::try_from(bytes).ok()?, &text[letters + unit.len()..]))
}
