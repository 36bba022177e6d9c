//! The block devices that the bytes of a file pass.
//!
//! A partition lies on its disk, and dm, RAID and loop devices on others: a process that fills the
//! queue of one of
//! those delays all that lies on it. The kernel shows it in `/sys/class/block` (`block/genhd.c`,
//! `bd_link_disk_holder` of `block/holder.c`, `drivers/block/loop.c`).
use super::{
    Roots,
    mounts::{self, Mount, Mounts, block_name},
};
use std::{fs, path::PathBuf};

/// Devices of one file; a RAID of hundreds of disks is cut.
const MOST: usize = 64;
/// Names and paths that the kernel writes are shorter than a page.
const LONGEST: usize = 4096;

/// Their names, uppermost first; none where the file system has no block device, as tmpfs and NFS. Asks the
/// kernel's own tables and no file system: a dead server cannot block it.
pub(crate) fn beneath(roots: &Roots, device: u64, mount: Option<&Mount>) -> Vec<String> {
    let first = block_name(roots, device).or_else(|| of_mount(roots, mount?));
    first.map_or_else(Vec::new, |first| below(roots, first))
}

/// The device of this name, and what is beneath it.
pub(crate) fn below(roots: &Roots, name: String) -> Vec<String> {
    let (mut found, mut next) = (vec![name], 0);
    while let Some(name) = found.get(next).cloned() {
        for below in directly_beneath(roots, &name) {
            if found.len() < MOST && !found.contains(&below) {
                found.push(below);
            }
        }
        next += 1;
    }
    found
}

/// The block device of a mount: btrfs has numbers of its own, and tells the device as its source.
fn of_mount(roots: &Roots, mount: &Mount) -> Option<String> {
    block_name(roots, mount.device).or_else(|| {
        let name = mount.source.strip_prefix("/dev/")?;
        named(roots, name)
    })
}

/// The device with this name below `/dev`, where it is the kernel's own name.
pub(crate) fn named(roots: &Roots, name: &str) -> Option<String> {
    let is_plain = !name.is_empty() && !name.contains('/') && name != "." && name != "..";
    (is_plain && class(roots, name).is_dir()).then(|| name.to_owned())
}

/// The number of a device.
pub(crate) fn number(roots: &Roots, name: &str) -> Option<u64> {
    let text = fs::read_to_string(class(roots, name).join("dev")).ok()?;
    let (major, minor) = text.trim().split_once(':')?;
    Some(rustix::fs::makedev(major.parse().ok()?, minor.parse().ok()?))
}

fn class(roots: &Roots, name: &str) -> PathBuf {
    // A `/` in the name of a device is a `!` in sysfs already.
    roots.sys.join("class/block").join(name)
}

fn directly_beneath(roots: &Roots, name: &str) -> Vec<String> {
    let dir = class(roots, name);
    if dir.join("partition").exists() {
        let disk = fs::canonicalize(&dir).ok();
        let disk = disk.as_deref().and_then(|it| it.parent()?.file_name());
        return disk.map(|it| it.to_string_lossy().into_owned()).into_iter().collect();
    }
    if let Some(file) = backing_file(&dir) {
        return of_backing_file(roots, &file);
    }
    let slaves = fs::read_dir(dir.join("slaves")).into_iter().flatten().flatten();
    let mut slaves: Vec<String> =
        slaves.take(MOST).map(|it| it.file_name().to_string_lossy().into_owned()).collect();
    slaves.sort_unstable();
    slaves
}

fn backing_file(dir: &std::path::Path) -> Option<String> {
    let text = fs::read_to_string(dir.join("loop/backing_file")).ok()?;
    let path = text.trim_end_matches('\n');
    (path.starts_with('/') && path.len() < LONGEST).then(|| path.to_owned())
}

/// What a loop device lies on. The path is that of the host's first process, and is only compared with its
/// mounts.
fn of_backing_file(roots: &Roots, path: &str) -> Vec<String> {
    if let Some(name) = path.strip_prefix("/dev/").and_then(|it| named(roots, it)) {
        return vec![name];
    }
    let text = fs::read(roots.proc.join("1/mountinfo")).unwrap_or_default();
    let limit = usize::try_from(mounts::LIMIT_BYTES).unwrap_or(usize::MAX);
    let mounts = Mounts::parse(&String::from_utf8_lossy(&text[..text.len().min(limit)]));
    mounts.of_path(path).and_then(|it| of_mount(roots, it)).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// A `/sys` and a `/proc` of our own.
    struct Host(tempfile::TempDir);

    impl Host {
        fn new() -> Host {
            let host = Host(tempfile::tempdir().unwrap());
            fs::create_dir_all(host.0.path().join("class/block")).unwrap();
            fs::create_dir_all(host.0.path().join("dev/block")).unwrap();
            fs::create_dir_all(host.0.path().join("1")).unwrap();
            host
        }

        /// A device with this number, below another one where it is a partition.
        fn add(&self, path: &str, minor: u32) -> PathBuf {
            let at = self.0.path().join("devices").join(path);
            fs::create_dir_all(&at).unwrap();
            let name = at.file_name().unwrap();
            symlink(&at, self.0.path().join("class/block").join(name)).unwrap();
            symlink(&at, self.0.path().join(format!("dev/block/8:{minor}"))).unwrap();
            at
        }

        #[track_caller]
        fn check(&self, minor: u32, expected: &[&str]) {
            let roots = Roots { proc: self.0.path().into(), sys: self.0.path().into() };
            assert_eq!(beneath(&roots, rustix::fs::makedev(8, minor), None), expected);
        }
    }

    #[test]
    fn a_partition_lies_on_its_disk() {
        let host = Host::new();
        host.add("sda", 0);
        fs::write(host.add("sda/sda1", 1).join("partition"), "1\n").unwrap();
        host.check(0, &["sda"]);
        host.check(1, &["sda1", "sda"]);
        host.check(2, &[]);
    }

    #[test]
    fn a_raid_and_a_volume_lie_on_all_of_their_disks() {
        let host = Host::new();
        let disks = ["sda", "sdb"].map(|name| host.add(name, u32::from(name.as_bytes()[2]) - 97));
        let raid = host.add("md0", 9);
        let volume = host.add("dm-0", 10);
        fs::create_dir(raid.join("slaves")).unwrap();
        fs::create_dir(volume.join("slaves")).unwrap();
        for disk in &disks {
            symlink(disk, raid.join("slaves").join(disk.file_name().unwrap())).unwrap();
        }
        symlink(&raid, volume.join("slaves/md0")).unwrap();
        host.check(10, &["dm-0", "md0", "sda", "sdb"]);
    }

    #[test]
    fn a_loop_device_lies_where_its_file_does() {
        let host = Host::new();
        host.add("sda", 0);
        let file = host.add("loop0", 7).join("loop");
        fs::create_dir(&file).unwrap();
        fs::write(file.join("backing_file"), "/images/a b.img (deleted)\n").unwrap();
        let mounts =
            "20 1 8:9 / / rw - ext4 /dev/root rw\n21 20 8:0 / /images rw - xfs /dev/sda rw\n";
        fs::write(host.0.path().join("1/mountinfo"), mounts).unwrap();
        host.check(7, &["loop0", "sda"]);
        fs::write(file.join("backing_file"), "/dev/sda\n").unwrap();
        host.check(7, &["loop0", "sda"]);
        fs::write(file.join("backing_file"), "/dev/../sda\n").unwrap();
        host.check(7, &["loop0"]);
    }

    #[test]
    fn a_device_that_lies_on_itself_is_told_once() {
        let host = Host::new();
        let odd = host.add("dm-1", 3);
        fs::create_dir(odd.join("slaves")).unwrap();
        symlink(&odd, odd.join("slaves/dm-1")).unwrap();
        host.check(3, &["dm-1"]);
    }
}
