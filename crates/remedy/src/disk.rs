//! The disk behind a log.
use crate::{Member, Process, Refusal, Target, change::OURS};
use recording::FileFact;
use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

/// A block device, as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Disk {
    /// Its name below `/dev`: `sdb`, `loop3`, `dm-0`.
    pub(crate) name: String,
    /// `MAJOR:MINOR`.
    pub(crate) number: String,
    /// Device numbers, as in `st_dev`, that files on it have.
    devices: Vec<u64>,
}

/// How long it is looked how much a disk writes.
const SAMPLE_TIME: Duration = Duration::from_secs(2);
/// What the kernel counts in, whatever the sectors of a disk are (`Documentation/block/stat.rst`).
const SECTOR_BYTES: u64 = 512;

/// The bytes written to a device by `io.stat` of a control group
/// (`Documentation/admin-guide/cgroup-v2.rst`).
fn written_in(io_stat: &str, device: &str) -> Option<u64> {
    let of_device = |line: &str| line.split_once(' ').is_some_and(|it| it.0 == device);
    let line = io_stat.lines().find(|it| of_device(it))?;
    line.split(' ').find_map(|it| it.strip_prefix("wbytes="))?.parse().ok()
}

/// Field 7 of `/sys/block/NAME/stat`.
fn sectors_written(stat: &str) -> Option<u64> {
    stat.split_ascii_whitespace().nth(6)?.parse().ok()
}

/// The parts of unwritten data that `max_ratio_fine` counts in: millionths.
const WHOLE: u64 = 1_000_000;

impl Disk {
    /// The one that a JVM's GC log is on.
    pub(crate) fn of_log(target: &Target<'_>) -> Result<Disk, Refusal> {
        let jvm = target.the_jvm()?;
        let log = target.log.ok_or_else(|| {
            Refusal::new(format!("{} (pid {}) writes no GC log to a file", jvm.main, jvm.pid), "")
        })?;
        Disk::of_file(target, log).ok_or_else(|| {
            let FileFact { path, file_system, .. } = log;
            Refusal::new(format!("`{path}` ({file_system}) is on no disk of this host"), "")
        })
    }

    fn of_file(target: &Target<'_>, file: &FileFact) -> Option<Disk> {
        if file.device_name.is_empty() || file.device_name.contains('/') {
            return None;
        }
        // A link to the device's directory, in which a partition is below its disk.
        let link = target.roots.sys.join("class/block").join(&file.device_name);
        let mut directory = fs::canonicalize(link).ok()?;
        if directory.join("partition").exists() {
            directory = directory.parent()?.to_owned();
        }
        let number = fs::read_to_string(directory.join("dev")).ok()?.trim().to_owned();
        let (major, minor) = number.split_once(':')?;
        let whole = rustix::fs::makedev(major.parse().ok()?, minor.parse().ok()?);
        let name = directory.file_name()?.to_str()?.to_owned();
        Some(Disk { name, number, devices: vec![whole, file.key.device] })
    }

    /// Whether a file with this device number is on it.
    pub(crate) fn holds(&self, device: Option<u64>) -> bool {
        device.is_some_and(|it| self.devices.contains(&it))
    }

    /// Bytes that it writes in a second: looked at for two seconds. `None` where it writes nothing.
    pub(crate) fn speed(&self, target: &Target<'_>) -> Option<u64> {
        let written = || {
            let file = target.roots.sys.join("block").join(&self.name).join("stat");
            sectors_written(&fs::read_to_string(file).ok()?)
        };
        let before = written()?;
        std::thread::sleep(SAMPLE_TIME);
        let sectors = written()?.checked_sub(before)?;
        Some(sectors.saturating_mul(SECTOR_BYTES) / SAMPLE_TIME.as_secs()).filter(|it| *it > 0)
    }

    /// What a control group of version 2 has written to it, in bytes; `None` where none of them counts that.
    fn written_by(&self, group: &Path) -> Option<u64> {
        written_in(&fs::read_to_string(group.join("io.stat")).ok()?, &self.number)
    }

    /// Those of these control groups that write to it now: looked at for two seconds.
    pub(crate) fn written_now_by<'a>(
        &self,
        groups: impl Iterator<Item = (&'a str, PathBuf)>,
    ) -> Vec<&'a str> {
        let before: Vec<_> =
            groups.filter_map(|(name, at)| Some((name, self.written_by(&at)?, at))).collect();
        if before.is_empty() {
            return Vec::new();
        }
        std::thread::sleep(SAMPLE_TIME);
        let now = |at: &Path, bytes| self.written_by(at).is_some_and(|it| it > bytes);
        before.into_iter().filter(|(_, bytes, at)| now(at, *bytes)).map(|it| it.0).collect()
    }

    /// The value of `max_ratio_fine` that allows this many unwritten bytes.
    pub(crate) fn ratio_of_unwritten(&self, bytes: u64) -> Option<u64> {
        let number = |file: &str| -> Option<u64> {
            let path = format!("/sys/class/bdi/{}/{file}", self.number);
            fs::read_to_string(path).ok()?.trim().parse().ok()
        };
        ratio(bytes, number("max_bytes")?, number("max_ratio_fine")?)
    }

    /// How a process can be limited by control groups: in the group of version 2 that it is in, where
    /// the JVM is not in it; in one of its own in version 2; and, where that is worth it (`named`), in
    /// one of its own in version 1. `None` where none of these is there.
    pub(crate) fn limits(
        &self,
        target: &Target<'_>,
        process: &Process,
        named: bool,
    ) -> Option<Limits> {
        let process = process.clone();
        if let Some(group) = group_of_its_own(target, process.pid) {
            return Some(Limits { group, member: None, file: V2_LIMIT, process });
        }
        let own = format!("{OURS}background-io-{}", process.pid);
        let (root, controller, file) = if offers_io() {
            (V2_ROOT, "", V2_LIMIT)
        } else if named && fs::exists(format!("{V1_ROOT}/{V1_LIMIT}")).unwrap_or(false) {
            (V1_ROOT, "blkio", V1_LIMIT)
        } else {
            return None;
        };
        let group = format!("{root}/{own}");
        let [root, controller] = [root, controller].map(str::to_owned);
        let member = Member { process: process.clone(), root, controller, to: group.clone() };
        Some(Limits { group, member: Some(member), file, process })
    }

    /// Whether its scheduler serves the idle class last (BFQ).
    pub(crate) fn has_classes(&self) -> bool {
        let text = fs::read_to_string(format!("/sys/block/{}/queue/scheduler", self.name));
        text.is_ok_and(|it| recorder::chosen(&it) == Some("bfq"))
    }
}

/// How a process can be limited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// The directory of the control group.
    pub(crate) group: String,
    /// That the process is to be in it, where it is not yet.
    pub(crate) member: Option<Member>,
    /// The file of the limit.
    pub(crate) file: &'static str,
    /// The process.
    pub(crate) process: Process,
}

const V2_ROOT: &str = "/sys/fs/cgroup";
const V2_LIMIT: &str = "io.max";
const V1_ROOT: &str = "/sys/fs/cgroup/blkio";
/// `Documentation/admin-guide/cgroup-v1/blkio-controller.rst`.
pub(crate) const V1_LIMIT: &str = "blkio.throttle.write_bps_device";

/// Whether groups below the root of version 2 can limit what is written back for them: the kernel
/// books that to a group only where it counts its memory, too
/// (`Documentation/admin-guide/cgroup-v2.rst`, "Writeback").
fn offers_io() -> bool {
    let enabled = fs::read_to_string(format!("{V2_ROOT}/cgroup.subtree_control"));
    let enabled = enabled.unwrap_or_default();
    ["io", "memory"].iter().all(|it| enabled.split_ascii_whitespace().any(|on| on == *it))
}

/// The control group of version 2 that a process is in, where it has these limits and the JVM is not
/// in it.
fn group_of_its_own(target: &Target<'_>, pid: u32) -> Option<String> {
    let group = |pid: u32| -> Option<String> {
        let text = fs::read_to_string(target.roots.proc.join(format!("{pid}/cgroup"))).ok()?;
        let path = text.lines().find_map(|it| it.strip_prefix("0::"))?;
        (path != "/" && !path.split('/').any(|it| it == "..")).then(|| path.to_owned())
    };
    let path = group(pid)?;
    if target.jvm.and_then(|it| group(it.pid)).is_some_and(|it| it == path) {
        return None;
    }
    let directory = format!("{V2_ROOT}{path}");
    let has = |file: &str| fs::exists(format!("{directory}/{file}")).unwrap_or(false);
    (has(V2_LIMIT) && has("memory.max")).then_some(directory)
}

/// `max_bytes` is the kernel's value at the current ratio.
fn ratio(bytes: u64, max_bytes: u64, max_ratio_fine: u64) -> Option<u64> {
    let of = u128::from(bytes) * u128::from(max_ratio_fine);
    let ratio = of.checked_div(u128::from(max_bytes))?;
    Some(u64::try_from(ratio).ok()?.clamp(1, WHOLE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_disk_writes_is_counted_in_sectors() {
        let stat = "  100 2 3000 40   500 6 70000 800 0 900 1000 0 0 0 0 0 0\n";
        assert_eq!(sectors_written(stat), Some(70000));
        assert_eq!(sectors_written("1 2 3"), None);
    }

    #[test]
    fn bytes_become_a_ratio_by_what_the_kernel_tells() {
        assert_eq!(ratio(524_288, 4_645_466_112, 1_000_000), Some(112));
        assert_eq!(ratio(524_288, 524_288, 112), Some(112));
        assert_eq!(ratio(1, 4_645_466_112, 1_000_000), Some(1));
        assert_eq!(ratio(8_000_000_000, 4_645_466_112, 1_000_000), Some(1_000_000));
        assert_eq!(ratio(1, 0, 1), None);
    }

    #[test]
    fn a_control_group_tells_what_it_writes_to_each_device() {
        let stat = "254:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=0 dios=0\n\
                    254:16 \n\
                    254:32 rbytes=5 wbytes=67108864 rios=7 wios=8 dbytes=0 dios=0\n";
        assert_eq!(written_in(stat, "254:32"), Some(67_108_864));
        // Named and nothing told, or named by the begin of another's name.
        assert_eq!(written_in(stat, "254:16"), None);
        assert_eq!(written_in(stat, "254:3"), None);
        assert_eq!(written_in("", "254:0"), None);
    }
}
