//! Mounts as a process sees them, and the devices behind them.
use super::{Roots, maps::unescape};

/// One line of `/proc/PID/mountinfo`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mount {
    /// Mount id, as in `fdinfo`.
    pub(crate) id: u32,
    /// Device number as in `st_dev`.
    pub(crate) device: u64,
    /// Which directory of the file system is mounted; `/` but for bind mounts.
    pub(crate) root: String,
    /// Where, as the process sees it.
    pub(crate) point: String,
    pub(crate) file_system: String,
    /// What is mounted, such as `/dev/sdb1`, `server:/export` or `tmpfs`.
    pub(crate) source: String,
    /// Options of the file system itself, as written: separated by commas, blanks escaped.
    pub(crate) options: String,
}

/// All mounts of a process, later ones last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mounts(Vec<Mount>);

/// More than any host with thousands of containers has.
pub(crate) const LIMIT_BYTES: u64 = 4 * 1024 * 1024;

impl Mounts {
    /// Reads the text of mountinfo; lines that cannot be read are left out.
    pub(crate) fn parse(text: &str) -> Mounts {
        Mounts(text.lines().filter_map(parse_line).collect())
    }

    /// The mount that a file lies in.
    ///
    /// The device decides, and among mounts of one device (bind mounts) the longest path.
    /// Files of btrfs subvolumes and of overlays have device numbers of their own that are in no
    /// mountinfo: there the path alone decides. Of two mounts on one point the later one counts,
    /// because it hides the earlier.
    pub(crate) fn of_file(&self, device: u64, path: &str) -> Option<&Mount> {
        let longest = |mounts: &mut dyn Iterator<Item = &'_ Mount>| -> Option<usize> {
            // max_by_key takes the last of equals.
            mounts.filter(|it| contains(&it.point, path)).max_by_key(|it| it.point.len()).map(
                |it| {
                    self.0
                        .iter()
                        .rposition(|other| std::ptr::eq(other, it))
                        .expect("it is one of them")
                },
            )
        };
        let same_device = || self.0.iter().filter(|it| it.device == device);
        let found = longest(&mut same_device()).or_else(|| longest(&mut self.0.iter()));
        found.map(|at| &self.0[at])
    }

    /// The mount that a path lies in. Of two mounts on one point the later one counts.
    pub(crate) fn of_path(&self, path: &str) -> Option<&Mount> {
        // max_by_key takes the last of equals.
        self.0.iter().filter(|it| contains(&it.point, path)).max_by_key(|it| it.point.len())
    }

    /// A mount of this very device.
    pub(crate) fn by_device(&self, device: u64) -> Option<&Mount> {
        self.0.iter().find(|it| it.device == device)
    }

    /// The mount with this id.
    pub(crate) fn by_id(&self, id: u32) -> Option<&Mount> {
        self.0.iter().find(|it| it.id == id)
    }
}

fn parse_line(line: &str) -> Option<Mount> {
    let (front, back) = line.split_once(" - ")?;
    let mut front = front.split(' ');
    let id = front.next()?.parse().ok()?;
    let (major, minor) = front.nth(1)?.split_once(':')?;
    let (root, point) = (unescape(front.next()?), unescape(front.next()?));
    let mut back = back.split(' ');
    Some(Mount {
        id,
        device: rustix::fs::makedev(major.parse().ok()?, minor.parse().ok()?),
        root,
        point,
        file_system: back.next()?.into(),
        source: unescape(back.next().unwrap_or_default()),
        options: back.next().unwrap_or_default().into(),
    })
}

fn contains(point: &str, path: &str) -> bool {
    point == "/"
        || path.strip_prefix(point).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The kernel's name of a block device, such as `sdb1`, `loop3`, `dm-0`; the name under which
/// its counters are sampled. `None` for numbers that are no block device's.
pub(crate) fn block_name(roots: &Roots, device: u64) -> Option<String> {
    let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
    let link = std::fs::read_link(roots.sys.join(format!("dev/block/{major}:{minor}"))).ok()?;
    Some(link.file_name()?.to_string_lossy().into_owned())
}

/// The device's name for people: `sdb1`; `dm-0 (vg0-data)` where the device mapper has a name for
/// it; the source of the mount or the file system's type where there is no block device.
pub(crate) fn device_name(roots: &Roots, device: u64, mount: &Mount) -> String {
    let block = block_name(roots, device).or_else(|| block_name(roots, mount.device));
    match block {
        Some(name) => {
            let mapper = roots.sys.join(format!("block/{name}/dm/name"));
            match std::fs::read_to_string(mapper) {
                Ok(mapped) => format!("{name} ({})", mapped.trim()),
                Err(_) => name,
            }
        }
        None if mount.source.contains(":/") => mount.source.clone(),
        None => match mount.source.strip_prefix("/dev/") {
            Some(name) => name.rsplit('/').next().unwrap_or(name).to_owned(),
            None => mount.file_system.clone(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
25 22 0:23 / /dev/shm rw shared:4 - tmpfs tmpfs rw
30 22 7:1 / /data rw - ext4 /dev/loop1 rw
31 22 7:1 /logs /var/log/orders rw master:2 - ext4 /dev/loop1 rw
32 22 0:40 / /btr\\040fs rw - btrfs /dev/sda3 rw,subvol=/x
33 22 0:41 / /nfs rw - nfs4 server:/export rw
34 22 7:2 / /data rw - xfs /dev/loop2 rw
broken line
35 22 x:y / /x rw - ext4 /dev/x rw
";

    fn check(device: (u32, u32), path: &str, expected: &str) {
        let mounts = Mounts::parse(MOUNTS);
        let device = rustix::fs::makedev(device.0, device.1);
        let nowhere = Roots { proc: "/nowhere".into(), sys: "/nowhere".into() };
        let shown = mounts.of_file(device, path).map_or("none".into(), |it| {
            format!("{} {} {}", it.point, it.file_system, device_name(&nowhere, device, it))
        });
        assert_eq!(shown, expected, "{path}");
    }

    #[test]
    fn the_device_decides_and_then_the_longest_path() {
        check((7, 1), "/var/log/orders/gc.log", "/var/log/orders ext4 loop1");
        check((254, 0), "/var/log/orders2/gc.log", "/ ext4 vda");
        check((0, 23), "/dev/shm/x", "/dev/shm tmpfs tmpfs");
        check((0, 41), "/nfs/x", "/nfs nfs4 server:/export");
    }

    #[test]
    fn unknown_devices_are_found_by_path() {
        check((0, 99), "/btr fs/gc.log", "/btr fs btrfs sda3");
        check((0, 99), "/data/x", "/data xfs loop2");
    }

    #[test]
    fn a_hidden_mount_is_still_found_by_its_device() {
        check((7, 1), "/data/x", "/data ext4 loop1");
    }

    #[test]
    fn without_mounts_nothing_is_found() {
        assert_eq!(Mounts::parse("").of_file(1, "/x"), None);
    }
}
