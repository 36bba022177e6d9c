//! What a workload that logs had written, and what that came to on the disk.
use super::ns;
use crate::sample::{Sample, await_ms, grown};
use serde::Serialize;
use std::{collections::BTreeMap, time::Duration};

/// The slow disk while a run was recorded, by the kernel's counters
/// (`Documentation/admin-guide/iostats.rst`).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DiskUse {
    /// How long.
    #[serde(serialize_with = "ns")]
    pub time: Duration,
    /// Bytes written.
    pub written_bytes: u64,
    /// How long a request took on average, with its wait in the queue, in milliseconds.
    pub await_ms: f64,
}

impl DiskUse {
    /// What grew between the two; nothing where there was no disk.
    pub(crate) fn between(from: &Sample, to: &Sample) -> DiskUse {
        let (first, last) = (from.disk.unwrap_or_default(), to.disk.unwrap_or_default());
        DiskUse {
            time: Duration::from_nanos(to.at_ns.saturating_sub(from.at_ns)),
            written_bytes: last.written_sectors.saturating_sub(first.written_sectors) * 512,
            await_ms: await_ms(&first, &last),
        }
    }

    /// Millions of bytes written in a second.
    #[must_use]
    pub fn mb_per_s(&self) -> f64 {
        rate(self.written_bytes, self.time)
    }
}

/// What the workload logged from its start to its end, and how long the calls took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Logging {
    /// Lines.
    pub lines: u64,
    /// Their bytes, before compression.
    pub bytes: u64,
    /// Millions of these bytes in a second.
    pub mb_per_s: f64,
    /// Lines for which there was no room.
    pub dropped: u64,
    /// What the logging library handed to the kernel.
    pub file_bytes: u64,
    /// What half of the calls do not exceed.
    #[serde(serialize_with = "ns")]
    pub p50: Duration,
    /// What 99 of 100 do not exceed.
    #[serde(serialize_with = "ns")]
    pub p99: Duration,
    /// What 9,999 of 10,000 do not exceed.
    #[serde(serialize_with = "ns")]
    pub p9999: Duration,
    /// The longest.
    #[serde(serialize_with = "ns")]
    pub longest: Duration,
}

impl Logging {
    /// By what it printed at its end; `None` where it logs nothing.
    pub(crate) fn of(workload: &BTreeMap<String, u64>) -> Option<Logging> {
        let of = |key: &str| workload.get(key).copied().unwrap_or_default();
        let call = |what: &str| Duration::from_nanos(of(&format!("log_call_{what}_ns")));
        let lines = *workload.get("log_lines")?;
        Some(Logging {
            lines,
            bytes: of("log_bytes"),
            mb_per_s: rate(of("log_bytes"), Duration::from_millis(of("log_ms"))),
            dropped: of("log_dropped"),
            file_bytes: of("log_file_bytes"),
            p50: call("p50"),
            p99: call("p99"),
            p9999: call("p9999"),
            longest: call("max"),
        })
    }
}

/// Millions of bytes in a second.
fn rate(bytes: u64, time: Duration) -> f64 {
    if time.is_zero() { 0.0 } else { grown(0, bytes) / 1e6 / time.as_secs_f64() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{jvm::results, sample::Disk};

    #[test]
    fn a_workload_that_logs_says_how_fast_and_how_long_calls_took() {
        let logged = results(
            "alloc_0_count=9 log_lines=300 log_bytes=80000000 log_dropped=7 log_ms=2000 \
             log_call_count=293 log_call_p50_ns=50 log_call_p99_ns=90 log_call_p9999_ns=700 \
             log_call_max_ns=9000 log_file_bytes=8000000",
        );
        let found = Logging::of(&logged).unwrap();
        assert!((found.mb_per_s - 40.0).abs() < 1e-9, "{found:?}");
        assert_eq!((found.lines, found.dropped, found.file_bytes), (300, 7, 8_000_000));
        let times = [found.p50, found.p99, found.p9999, found.longest];
        assert_eq!(times.map(|it| it.as_nanos()), [50, 90, 700, 9000]);
        assert_eq!(Logging::of(&results("alloc_0_count=9")), None);
    }

    #[test]
    fn the_disk_is_what_its_counters_grew_by() {
        let sample = |at_ns, requests, took_ms, written_sectors| Sample {
            at_ns,
            disk: Some(Disk { requests, took_ms, written_sectors }),
            ..Sample::default()
        };
        let (from, to) = (sample(1_000_000_000, 5, 10, 100), sample(3_000_000_000, 9, 50, 20_100));
        let found = DiskUse::between(&from, &to);
        assert_eq!((found.written_bytes, found.time.as_secs()), (10_240_000, 2));
        assert!((found.await_ms - 10.0).abs() < 1e-9 && (found.mb_per_s() - 5.12).abs() < 1e-9);
        assert!(DiskUse::between(&from, &from).mb_per_s().abs() < 1e-9);
    }
}
