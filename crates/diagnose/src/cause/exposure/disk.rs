//! Where a file lies, how busy that disk is, and who writes to it.
use crate::{Culprit, CulpritKind, WaitLocation, text};
use crate::{Exposure, Likelihood};
use recording::FileFact;
use std::{collections::BTreeMap, time::Duration};

/// A disk that is busy for this share of the time makes a writer wait every now and then; in percent.
const BUSY_PERCENT: u64 = 20;
/// Who writes less is not named.
const LITTLE_PER_SECOND: u64 = 1_000_000;
/// Writers that are named.
const MOST: usize = 3;

/// What a file system keeps its files on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Medium {
    /// Memory alone.
    Memory,
    /// A disk of this host or of a server.
    Disk,
    /// Not known.
    Unknown,
}

/// What the file system of this type keeps its files on. An overlay counts as a disk: its upper layer could
/// be in memory, which is unusual for a log.
pub(crate) fn medium(file_system: &str) -> Medium {
    match file_system {
        "tmpfs" | "ramfs" | "hugetlbfs" | "devtmpfs" => Medium::Memory,
        "ext2" | "ext3" | "ext4" | "xfs" | "btrfs" | "f2fs" | "zfs" | "jfs" | "bcachefs"
        | "overlay" | "nfs" | "nfs4" | "cifs" | "smb3" | "ceph" | "glusterfs" | "lustre" | "9p"
        | "virtiofs" => Medium::Disk,
        it if it.starts_with("fuse") => Medium::Disk,
        _ => Medium::Unknown,
    }
}

/// How a disk is used by others.
#[derive(Debug)]
pub(crate) struct Pressure {
    /// Whether a write to it may wait at any time.
    pub(crate) likelihood: Likelihood,
    /// Phrases with numbers.
    pub(crate) evidence: Vec<String>,
    /// Other processes that write most, most first.
    pub(crate) culprits: Vec<Culprit>,
}

impl Pressure {
    /// On the disk of this file.
    pub(crate) fn on(file: &FileFact, exposure: &Exposure<'_>) -> Pressure {
        let device = file.device_name.split(" (").next().unwrap_or_default();
        let mut evidence = Vec::new();
        let busy = exposure.growth(&format!("disk.{device}.io_ms"));
        let percent = busy.map(|(ms, time)| percent(ms, time));
        if let (Some(percent), Some((_, time))) = (percent, busy) {
            evidence.push(format!("{device} was busy for {percent} % of {}", text::duration(time)));
        }
        let writers = writers(file, exposure);
        // What the JVM writes itself is no other process's fault, and nothing to be bounded.
        let (own, others): (Vec<_>, Vec<_>) = writers.iter().partition(|it| it.is_jvm);
        evidence.extend(own.iter().map(|it| it.statement(device)));
        let culprits = others.iter().take(MOST).map(|it| it.culprit(device)).collect();
        // What is written goes to memory first: who writes much makes no one wait while the disk rests.
        let likely = percent.is_some_and(|it| it >= BUSY_PERCENT);
        let likelihood = if likely { Likelihood::Likely } else { Likelihood::Possible };
        Pressure { likelihood, evidence, culprits }
    }
}

/// The place of a file.
pub(crate) fn place(file: &FileFact) -> WaitLocation {
    WaitLocation {
        path: file.path.clone(),
        file_system: file.file_system.clone(),
        device: file.device_name.clone(),
        ..WaitLocation::default()
    }
}

fn percent(ms: u64, time: Duration) -> u64 {
    let whole = u64::try_from(time.as_millis()).unwrap_or(u64::MAX).max(1);
    (ms.saturating_mul(100) / whole).min(100)
}

/// What one process wrote.
struct Writer<'a> {
    pid: u32,
    name: &'a str,
    bytes: u64,
    time: Duration,
    per_second: u64,
    is_jvm: bool,
}

impl Writer<'_> {
    fn statement(&self, device: &str) -> String {
        let (name, pid, bytes) = (self.name, self.pid, text::bytes(self.bytes));
        let who = if self.is_jvm { "the JVM itself".into() } else { format!("{name} (pid {pid})") };
        format!("{who} wrote {bytes} to {device} in {}", text::duration(self.time))
    }

    fn culprit(&self, device: &str) -> Culprit {
        Culprit {
            kind: CulpritKind::Process,
            name: self.name.to_owned(),
            pid: Some(self.pid),
            statement: self.statement(device),
        }
    }
}

/// Those who were seen to write to the file's device, most first.
fn writers<'a>(file: &FileFact, exposure: &Exposure<'a>) -> Vec<Writer<'a>> {
    let mut found: BTreeMap<(u32, &str), (u64, Duration)> = BTreeMap::new();
    let survey = exposure.survey;
    for it in survey.facts.writers.iter().filter(|it| it.device == Some(file.key.device)) {
        let (bytes, time) = found.entry((it.pid, it.name.as_str())).or_default();
        *bytes = bytes.saturating_add(it.bytes);
        *time += it.interval.duration();
    }
    let jvm = exposure.jvm().map(|it| it.pid);
    let writer = |((pid, name), (bytes, time)): ((u32, &'a str), (u64, Duration))| {
        let ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX).max(1);
        let per_second = bytes.saturating_mul(1000) / ms;
        Writer { pid, name, bytes, time, per_second, is_jvm: jvm == Some(pid) }
    };
    let mut writers: Vec<_> = found.into_iter().map(writer).collect();
    writers.retain(|it| it.per_second >= LITTLE_PER_SECOND);
    writers.sort_by_key(|it| std::cmp::Reverse(it.per_second));
    writers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_disks_and_what_is_not_known() {
        let all = ["tmpfs", "ext4", "overlay", "nfs4", "fuse.sshfs", "", "debugfs"].map(medium);
        use Medium::{Disk, Memory, Unknown};
        assert_eq!(all, [Memory, Disk, Disk, Disk, Disk, Unknown, Unknown]);
    }

    #[test]
    fn shares_are_whole_percents_and_at_most_all() {
        let second = Duration::from_secs(1);
        assert_eq!([199, 200, 2000].map(|ms| percent(ms, second)), [19, 20, 100]);
    }
}
