//! Pauses that applications notice themselves and write into their own logs.
//!
//! A thread that sleeps for a fixed time and wakes late knows that it was paused, whatever the
//! reason, and beans of the JVM tell how much of that were collections. Such lines are tried only
//! where a line is nothing else, so that they cost a GC log nothing.
//!
//! # Source
//!
//! Neo4j `VmPauseMonitor`, Hadoop and `HBase` `JvmPauseMonitor`, `HBase` `Sleeper`, Cassandra
//! `GCInspector`, Elasticsearch and `OpenSearch` `JvmGcMonitorService`.
use crate::{
    Event, Stamp,
    scan::{MILLISECOND_NS, SECOND_NS, decimal_ns, integer},
    unified::decorations::date_time_ns,
};
use memchr::memmem;
use std::time::Duration;

/// The date of a line stands within so many bytes.
const PREFIX: usize = 200;

/// Who noticed a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Monitor {
    /// `VmPauseMonitor` of Neo4j.
    Neo4j,
    /// `JvmPauseMonitor` of Hadoop and what is built on it.
    Hadoop,
    /// `Sleeper` of `HBase`, which does not look for collections.
    HbaseSleeper,
    /// `GCInspector` of Cassandra, which tells of collections only.
    Cassandra,
    /// `JvmGcMonitorService` of Elasticsearch and `OpenSearch`, which tells of collections only.
    Elasticsearch,
}

impl Monitor {
    /// The name used in reports.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Monitor::Neo4j => "neo4j",
            Monitor::Hadoop => "hadoop",
            Monitor::HbaseSleeper => "hbase-sleeper",
            Monitor::Cassandra => "cassandra",
            Monitor::Elasticsearch => "elasticsearch",
        }
    }
}

/// A pause that an application noticed by itself. Whether it was a stop at a safepoint nobody
/// says.
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
    /// Who noticed.
    pub monitor: Monitor,
}

/// Reads the lines of monitors. A pause of Hadoop goes on in the lines after its first.
#[derive(Debug, Default)]
pub(crate) struct Monitors {
    waiting: Option<MonitorPause>,
    zone: Zone,
}

/// The zone of the dates in the JVM's own lines, as they print it.
#[derive(Debug, Default)]
struct Zone {
    text: Option<[u8; 5]>,
    tried: u32,
}

/// After so many lines of the JVM without a date there will be none.
const MOST_TRIED: u32 = 64;

impl Monitors {
    /// Reads a line that is nothing else. Whether it is one of a monitor.
    pub(crate) fn line(&mut self, line: &[u8], out: &mut impl FnMut(Event)) -> bool {
        if self.continues(line) {
            return true;
        }
        self.release(out);
        match pause(line, self.zone.text) {
            Some(it) if it.monitor == Monitor::Hadoop => self.waiting = Some(it),
            Some(it) => out(Event::MonitorPause(it)),
            None => return false,
        }
        true
    }

    /// Looks at a line of the JVM: an application writes its dates in the same zone.
    #[inline]
    pub(crate) fn of_jvm(&mut self, line: &[u8]) {
        if self.zone.text.is_none() && self.zone.tried < MOST_TRIED {
            self.zone.tried += 1;
            self.zone.text = date(line).and_then(|(_, zone)| zone);
        }
    }

    /// Gives out what waits for lines that may still come.
    pub(crate) fn release(&mut self, out: &mut impl FnMut(Event)) {
        if let Some(it) = self.waiting.take() {
            out(Event::MonitorPause(it));
        }
    }

    /// `No GCs detected`, or `GC pool 'ParNew' had collection(s): count=1 time=5678ms` for each
    /// pool.
    fn continues(&mut self, line: &[u8]) -> bool {
        let Some(pause) = &mut self.waiting else { return false };
        if line.starts_with(b"No GCs detected") {
            (pause.gc_time, pause.gc_count) = (Some(Duration::ZERO), Some(0));
            return true;
        }
        let Some((count, ms)) = pool(line) else { return false };
        let time = pause.gc_time.unwrap_or_default().saturating_add(Duration::from_millis(ms));
        pause.gc_time = Some(time);
        pause.gc_count = Some(pause.gc_count.unwrap_or(0).saturating_add(count));
        true
    }
}

/// Whether a line tells of a pause that an application noticed.
pub(crate) fn is_pause(line: &[u8]) -> bool {
    pause(line, None).is_some()
}

/// Reads what is before and what is behind a text that only one monitor writes.
type Form = fn(&[u8], &[u8]) -> Option<MonitorPause>;

const FORMS: [(&[u8], Form); 5] = [
    (b"Detected VM stop-the-world pause: {pauseTime=", |_, text| neo4j(text)),
    (b"Detected pause in JVM or host machine (eg GC): pause of approximately ", |_, text| {
        hadoop(text)
    }),
    (b"We slept ", |_, text| sleeper(text)),
    (b" GC in ", cassandra),
    (b" [gc][", |_, text| elasticsearch(text)),
];

/// `zone`: of a date that has none.
fn pause(line: &[u8], zone: Option<[u8; 5]>) -> Option<MonitorPause> {
    FORMS.iter().find_map(|(mark, read)| {
        let at = memmem::find(line, mark)?;
        let (head, text) = (&line[..at], &line[at + mark.len()..]);
        let (stamp, zoned) = stamp(head, zone);
        Some(MonitorPause { stamp, zoned, ..read(head, text)? })
    })
}

/// `444, gcTime=0, gcCount=0}`.
fn neo4j(text: &[u8]) -> Option<MonitorPause> {
    let (pause_ms, rest) = integer(text)?;
    let (gc_ms, rest) = integer(rest.strip_prefix(b", gcTime=")?)?;
    let (count, rest) = integer(rest.strip_prefix(b", gcCount=")?)?;
    rest.starts_with(b"}").then(|| MonitorPause {
        gc_time: Some(Duration::from_millis(gc_ms)),
        gc_count: Some(count),
        ..of_ms(Monitor::Neo4j, pause_ms)
    })
}

/// `1234ms`; what was collected follows in lines of its own.
fn hadoop(text: &[u8]) -> Option<MonitorPause> {
    let (ms, rest) = integer(text)?;
    (rest.starts_with(b"ms")).then(|| of_ms(Monitor::Hadoop, ms))
}

/// `50631ms instead of 3000ms, …`.
fn sleeper(text: &[u8]) -> Option<MonitorPause> {
    let (slept_ms, rest) = integer(text)?;
    let (wanted_ms, rest) = integer(rest.strip_prefix(b"ms instead of ")?)?;
    let ms = slept_ms.checked_sub(wanted_ms)?;
    rest.starts_with(b"ms").then(|| of_ms(Monitor::HbaseSleeper, ms))
}

/// `2345ms.  G1 Eden Space: …`.
fn cassandra(head: &[u8], text: &[u8]) -> Option<MonitorPause> {
    let (ms, rest) = integer(text)?;
    (is_of_cassandra(head) && rest.starts_with(b"ms"))
        .then(|| collected(Monitor::Cassandra, Duration::from_millis(ms), None))
}

/// `GCInspector.java:284 - ParNew`; what it tells of concurrent collections is no pause.
fn is_of_cassandra(head: &[u8]) -> bool {
    let concurrent: [&[u8]; 4] =
        [b"ConcurrentMarkSweep", b"Cycles", b"G1 Concurrent", b"ZGC Minor"];
    memmem::find(head, b"GCInspector").is_some() && !concurrent.iter().any(|it| head.ends_with(it))
}

/// `young][5332][98] duration [726ms], collections [1]/[1s], …`, or
/// `5301] overhead, spent [361ms] collecting in the last [1s]`.
fn elasticsearch(text: &[u8]) -> Option<MonitorPause> {
    const SPENT: &[u8] = b"] overhead, spent [";
    const DURATION: &[u8] = b"] duration [";
    if let Some(at) = memmem::find(text, SPENT) {
        let (took, rest) = time(&text[at + SPENT.len()..])?;
        let is_whole = rest.starts_with(b"] collecting in the last [");
        return is_whole.then(|| collected(Monitor::Elasticsearch, took, None));
    }
    let (took, rest) = time(&text[memmem::find(text, DURATION)? + DURATION.len()..])?;
    let (count, rest) = integer(rest.strip_prefix(b"], collections [")?)?;
    rest.starts_with(b"]/[").then(|| collected(Monitor::Elasticsearch, took, Some(count)))
}

/// A time as Elasticsearch prints it: `361ms`, `1.2s`, `1.9m`, `11.3h`.
fn time(text: &[u8]) -> Option<(Duration, &[u8])> {
    let digit = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    let unit = text.iter().position(|byte| !digit(byte))?;
    let units: [(&[u8], u64); 5] = [
        (b"ms", MILLISECOND_NS),
        (b"s", SECOND_NS),
        (b"m", 60 * SECOND_NS),
        (b"h", 3_600 * SECOND_NS),
        (b"d", 86_400 * SECOND_NS),
    ];
    let (name, unit_ns) = units.iter().find(|(name, _)| text[unit..].starts_with(name))?;
    let (ns, _) = decimal_ns(text, *unit_ns)?;
    Some((Duration::from_nanos(ns), &text[unit + name.len()..]))
}

fn of_ms(monitor: Monitor, ms: u64) -> MonitorPause {
    let duration = Duration::from_millis(ms);
    let stamp = Stamp::default();
    MonitorPause { stamp, zoned: false, duration, gc_time: None, gc_count: None, monitor }
}

/// Of a monitor that tells of collections only: that was all of it.
fn collected(monitor: Monitor, duration: Duration, gc_count: Option<u64>) -> MonitorPause {
    let stamp = Stamp::default();
    MonitorPause { stamp, zoned: false, duration, gc_time: Some(duration), gc_count, monitor }
}

/// `GC pool 'ParNew' had collection(s): count=1 time=5678ms`.
fn pool(line: &[u8]) -> Option<(u64, u64)> {
    const HAD: &[u8] = b"' had collection(s): count=";
    let rest = line.strip_prefix(b"GC pool '")?;
    let (count, rest) = integer(&rest[memmem::find(rest, HAD)? + HAD.len()..])?;
    let (ms, rest) = integer(rest.strip_prefix(b" time=")?)?;
    rest.starts_with(b"ms").then_some((count, ms))
}

/// The date before the text, and whether its zone is known.
fn stamp(head: &[u8], of_jvm: Option<[u8; 5]>) -> (Stamp, bool) {
    let Some((mut text, zone)) = date(head) else { return (Stamp::default(), false) };
    let known = zone.or(of_jvm);
    text[23..].copy_from_slice(&known.unwrap_or(*b"+0000"));
    let wall_ns = date_time_ns(&text).or_else(|| date_time_ns(&text[..23]));
    (Stamp { wall_ns, ..Stamp::default() }, known.is_some())
}

/// The first date of a line as HotSpot would print it, and its zone where it has one:
/// `2023-08-25 08:23:33.328+0000`, `2019-06-24 16:47:28,787`, `2019-01-11T17:18:55,167`, each with
/// milliseconds.
fn date(line: &[u8]) -> Option<([u8; 28], Option<[u8; 5]>)> {
    let head = &line[..line.len().min(PREFIX)];
    head.windows(23).enumerate().find_map(|(at, text)| {
        let is_date = text[4] == b'-' && text[7] == b'-' && matches!(text[10], b' ' | b'T');
        let is_time = text[13] == b':' && text[16] == b':' && matches!(text[19], b'.' | b',');
        if !is_date || !is_time {
            return None;
        }
        let mut date = *b"0000-00-00T00:00:00.000+0000";
        date[..23].copy_from_slice(text);
        (date[10], date[19]) = (b'T', b'.');
        date_time_ns(&date)?;
        let after = head.get(at + 23..at + 28).filter(|it| matches!(it[0], b'+' | b'-'));
        let is_number = |it: &&[u8]| it[1..].iter().all(u8::is_ascii_digit);
        let utc = head.get(at + 23) == Some(&b'Z');
        let zone = after.filter(is_number).and_then(|it| <[u8; 5]>::try_from(it).ok());
        Some((date, zone.or(utc.then_some(*b"+0000"))))
    })
}

#[cfg(test)]
mod tests {
    use crate::{LogKind, Parser};
    use expect_test::{Expect, expect};

    #[track_caller]
    fn check(log: &str, expected: Expect) {
        let (mut parser, mut text) = (Parser::new(), String::new());
        let mut sink = |it| text += &format!("{it}\n");
        log.lines().for_each(|line| parser.line(line.as_bytes(), &mut sink));
        parser.finish(&mut sink);
        let counts = parser.counts();
        text += &format!("{} of {} lines used", counts.used, counts.lines);
        expected.assert_eq(&text);
    }

    #[test]
    fn neo4j_of_all_versions() {
        check(
            "1970-01-01 00:00:01.328+0000 WARN  [o.n.k.i.c.VmPauseMonitorComponent] Detected VM stop-the-world pause: {pauseTime=444, gcTime=0, gcCount=0}
1970-01-01 01:00:02.894+0100 WARN [o.n.k.i.c.VmPauseMonitorComponent] Detected VM stop-the-world pause: {pauseTime=714, gcTime=727, gcCount=2}
1970-01-01 00:00:03.000+0000 INFO [o.n.k.NeoStoreDataSource] Rotated to transaction log [/var/lib/neo4j/x.db.1091]
1970-01-01 00:00:04.000+0000 WARN [c.n.VmPauseMonitorComponent] Detected VM stop-the-world pause: {pauseTime=44",
            expect![[r#"
                wall 1.328000000 neo4j noticed 444ms collections 0ns in 0
                wall 2.894000000 neo4j noticed 714ms collections 727ms in 2
                2 of 4 lines used"#]],
        );
    }

    #[test]
    fn hadoop_tells_in_the_next_lines_what_was_collected() {
        check(
            "1970-01-01 00:00:01,328 WARN  [JvmPauseMonitor] util.JvmPauseMonitor: Detected pause in JVM or host machine (eg GC): pause of approximately 1234ms
No GCs detected
1970-01-01 00:00:11,328 INFO org.apache.hadoop.util.JvmPauseMonitor: Detected pause in JVM or host machine (eg GC): pause of approximately 6000ms
GC pool 'ParNew' had collection(s): count=1 time=678ms
GC pool 'ConcurrentMarkSweep' had collection(s): count=1 time=5000ms
1970-01-01 00:00:12,328 INFO something else
GC pool 'ParNew' had collection(s): count=1 time=1ms
Detected pause in JVM or host machine (eg GC): pause of approximately 7ms",
            expect![[r#"
                wall 1.328000000 hadoop noticed 1.234s collections 0ns in 0
                wall 11.328000000 hadoop noticed 6s collections 5.678s in 2
                hadoop noticed 7ms
                6 of 8 lines used"#]],
        );
    }

    #[test]
    fn hbase_slept_longer_than_it_wanted() {
        check(
            "1970-01-01 00:01:01,787 WARN org.apache.hadoop.hbase.util.Sleeper: We slept 50631ms instead of 3000ms, this is likely due to a long garbage collecting pause
We slept 7ms instead of 3000ms
We slept well",
            expect![[r#"
                wall 61.787000000 hbase-sleeper noticed 47.631s
                1 of 3 lines used"#]],
        );
    }

    #[test]
    fn cassandra_tells_of_collections_and_not_all_are_pauses() {
        check(
            "INFO  [Service Thread] 1970-01-01 00:00:03,130 GCInspector.java:284 - G1 Young Generation GC in 2345ms.  G1 Eden Space: 3470786560 -> 0; G1 Old Gen: 2 -> 3;
INFO  [Service Thread] 1970-01-01 00:00:09,130 GCInspector.java:284 - ConcurrentMarkSweep GC in 467ms.  CMS Old Gen: 2 -> 1
There was no GC in 3ms",
            expect![[r#"
                wall 3.130000000 cassandra noticed 2.345s collections 2.345s
                1 of 3 lines used"#]],
        );
    }

    #[test]
    fn elasticsearch_of_all_versions() {
        check(
            "[1970-01-01T00:00:24,079][INFO ][o.e.m.j.JvmGcMonitorService] [DfhKXPP] [gc][5301] overhead, spent [361ms] collecting in the last [1s]
[1970-01-01T00:00:55,167][INFO ][o.e.m.j.JvmGcMonitorService] [DfhKXPP] [gc][young][5332][98] duration [1.2s], collections [1]/[1.9s], total [726ms]/[9.5s], memory [459.3mb]->[384.4mb]/[1007.3mb], all_pools {[young] [107.6mb]->[16.2mb]/[133.1mb]}
[1970-01-02 00:00:00,429][WARN ][monitor.jvm              ] [node-173.65] [gc][ParNew][47112][14482] duration [11.3h], collections [1]/[11.3h], total [11.3h]/[11.4h]
[1970-01-01T00:00:24,079][INFO ][o.e.n.Node               ] [DfhKXPP] started",
            expect![[r#"
                wall 24.079000000 elasticsearch noticed 361ms collections 361ms
                wall 55.167000000 elasticsearch noticed 1.2s collections 1.2s in 1
                wall 86400.429000000 elasticsearch noticed 40680s collections 40680s in 1
                3 of 4 lines used"#]],
        );
    }

    #[test]
    fn a_file_of_such_lines_can_be_read_and_a_line_about_them_cannot() {
        let kind = |text: &str| LogKind::detect(text.as_bytes());
        let line = "2023-08-25 08:23:33.328+0000 WARN  [c] Detected VM stop-the-world pause: {pauseTime=444, gcTime=0, gcCount=0}";
        assert_eq!(kind(&format!("started\n{line}\n")), LogKind::Legacy);
        assert!(matches!(kind("grep 'Detected VM stop-the-world pause'"), LogKind::NotAGcLog(_)));
    }

    #[test]
    fn a_date_without_zone_is_in_that_of_the_jvm() {
        check(
            "1970-01-01 09:00:01,328 We slept 50631ms instead of 3000ms
1970-01-01T09:00:02.000+0900: 2.500: [GC (Allocation Failure) 100K->10K(200K), 0.0010000 secs]
1970-01-01 09:00:03,328 We slept 50631ms instead of 3000ms
1970-01-01 01:00:04,328+0100 We slept 50631ms instead of 3000ms",
            expect![[r#"
                wall 32401.328000000 hbase-sleeper noticed 47.631s
                wall 3.328000000 hbase-sleeper noticed 47.631s
                wall 4.328000000 hbase-sleeper noticed 47.631s
                uptime 2.501000000 wall 2.001000000 GC(0) unknown young (Allocation Failure) 1ms heap 100K->10K(200K) start uptime 2.500000000 wall 2.000000000
                4 of 4 lines used"#]],
        );
    }
}
