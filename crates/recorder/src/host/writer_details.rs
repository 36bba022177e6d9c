//! Who a process is that writes, and where it writes to.
//!
//! Nothing here asks a file system that may have to ask a server: a descriptor's path, position
//! and mount come from the kernel's own tables (`fd`, `fdinfo`, `mountinfo`), so a dead server
//! cannot block it.
use super::{
    Roots, block_devices, cgroup, command_line,
    files::regular_file,
    gc_log::opened_for_writing,
    mounts::{self, Mount, Mounts},
    process::{ProcessDir, Stat},
};

/// Descriptors looked at per process.
const MAX_DESCRIPTORS: usize = 64;

/// What is known of a writing process; empty where it was gone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Details {
    pub(crate) name: String,
    pub(crate) command_line: String,
    pub(crate) cgroup: String,
    /// The file that it writes, or, where it has none open for writing, reads.
    pub(crate) file: Stored,
}

/// Of the files that a process has open the one that has been written or read furthest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stored {
    /// Its device, as in `st_dev`; of a block device that itself.
    pub(crate) device: Option<u64>,
    pub(crate) path: String,
    /// The block devices that its bytes pass.
    pub(crate) devices: Vec<String>,
}

/// Looks at a process.
pub(crate) fn details(roots: &Roots, pid: u32) -> Details {
    let Ok(dir) = ProcessDir::open(roots, pid) else { return Details::default() };
    Details {
        name: Stat::of(&dir).map(|it| it.name).unwrap_or_default(),
        command_line: command_line::of(&dir),
        cgroup: cgroup::path_of(&dir, "blkio").map(|it| it.path).unwrap_or_default(),
        file: stored_file(roots, &dir).unwrap_or_default(),
    }
}

/// A descriptor that may be the one: how far it has come, and where it leads.
struct Open {
    for_writing: bool,
    position: u64,
    mount: Option<u64>,
    fd: u32,
    path: String,
}

fn stored_file(roots: &Roots, dir: &ProcessDir) -> Option<Stored> {
    let descriptors = dir.descriptors().ok()?.into_iter().take(MAX_DESCRIPTORS);
    let open = descriptors.filter_map(|(fd, path)| {
        if !is_stored(&path) && raw_device(roots, &path).is_none() {
            return None;
        }
        let info = dir.text(&format!("fdinfo/{fd}"), 4096).ok()?;
        let for_writing = opened_for_writing(&info);
        let (position, mount) = (field(&info, "pos:")?, field(&info, "mnt_id:"));
        Some(Open { for_writing, position, mount, fd, path })
    });
    let it = open.max_by_key(|it| (it.for_writing, it.position))?;
    if let Some(name) = raw_device(roots, &it.path) {
        let device = block_devices::number(roots, &name);
        let devices = block_devices::below(roots, name);
        return Some(Stored { device, path: it.path, devices });
    }
    let mounts = Mounts::parse(&dir.text("mountinfo", mounts::LIMIT_BYTES).unwrap_or_default());
    let mount = it.mount.and_then(|id| mounts.by_id(u32::try_from(id).ok()?));
    let device = mount.map(|mount| device(dir, mount, it.fd));
    let devices = device.map(|device| block_devices::beneath(roots, device, mount));
    Some(Stored { device, path: it.path, devices: devices.unwrap_or_default() })
}

/// The block device that a descriptor is of.
fn raw_device(roots: &Roots, path: &str) -> Option<String> {
    block_devices::named(roots, path.strip_prefix("/dev/")?)
}

/// On btrfs each subvolume gives its files a device number that no mountinfo has, so the file must
/// be asked; btrfs is on this host and answers from memory (`fs/btrfs/inode.c`, `btrfs_getattr`).
fn device(dir: &ProcessDir, mount: &Mount, fd: u32) -> u64 {
    let file = (mount.file_system == "btrfs").then(|| regular_file(dir, fd).ok().flatten());
    file.flatten().map_or(mount.device, |it| it.device)
}

/// Whether a path may be a file's on some storage, not a socket's, pipe's or device's.
fn is_stored(path: &str) -> bool {
    let device = path.starts_with("/dev/") && !path.starts_with("/dev/shm/");
    path.starts_with('/') && !device && !path.starts_with("/memfd:") && !path.starts_with("/proc/")
}

pub(super) fn field(fdinfo: &str, name: &str) -> Option<u64> {
    fdinfo.lines().find_map(|line| line.strip_prefix(name))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        fs,
        os::unix::fs::{MetadataExt, symlink},
        path::Path,
    };

    /// A process that writes to a file of a mount with this line in mountinfo.
    fn writer(root: &Path, mount: &str) -> std::path::PathBuf {
        let dir = root.join("9");
        fs::create_dir_all(dir.join("fd")).unwrap();
        fs::create_dir_all(dir.join("fdinfo")).unwrap();
        let file = root.join("data");
        fs::write(&file, "x").unwrap();
        symlink(&file, dir.join("fd/1")).unwrap();
        fs::write(dir.join("fdinfo/1"), "pos:\t5\nflags:\t0100001\nmnt_id:\t30\n").unwrap();
        fs::write(dir.join("mountinfo"), mount).unwrap();
        file
    }

    #[test]
    fn on_btrfs_the_file_and_not_the_mount_tells_the_device() {
        let device_of = |kind: &str| {
            let root = tempfile::tempdir().unwrap();
            let line = format!("30 22 7:1 / / rw - {kind} /dev/loop1 rw\n");
            let file = writer(root.path(), &line);
            let roots = Roots { proc: root.path().into(), sys: root.path().into() };
            (details(&roots, 9).file.device.unwrap(), file.metadata().unwrap().dev())
        };
        let (found, of_file) = device_of("btrfs");
        assert_eq!(found, of_file);
        assert_eq!(device_of("nfs4").0, rustix::fs::makedev(7, 1));
    }

    #[test]
    fn the_file_written_furthest_names_the_device() {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join("9");
        fs::create_dir_all(dir.join("fd")).unwrap();
        fs::create_dir_all(dir.join("fdinfo")).unwrap();
        fs::write(dir.join("cmdline"), "dd\0if=/dev/zero\0of=/data/big\0").unwrap();
        fs::write(dir.join("stat"), "9 (dd) R 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0")
            .unwrap();
        fs::write(dir.join("cgroup"), "3:blkio:/cron\n0::/\n").unwrap();
        fs::write(dir.join("mountinfo"), "30 22 7:1 / /data rw - ext4 /dev/loop1 rw\n").unwrap();
        for (fd, path, info) in [
            (0, "/data/read", "pos:\t999\nflags:\t0100000\nmnt_id:\t30\n"),
            (1, "/data/small", "pos:\t5\nflags:\t0100001\nmnt_id:\t31\n"),
            (2, "/data/big", "pos:\t500\nflags:\t0100001\nmnt_id:\t30\n"),
            (3, "socket:[1]", "pos:\t9999\nflags:\t02\nmnt_id:\t9\n"),
            (4, "/dev/null", "pos:\t9999\nflags:\t02\nmnt_id:\t9\n"),
        ] {
            symlink(path, dir.join(format!("fd/{fd}"))).unwrap();
            fs::write(dir.join(format!("fdinfo/{fd}")), info).unwrap();
        }
        let roots = Roots { proc: root.path().into(), sys: root.path().into() };
        let expected = Details {
            name: "dd".into(),
            command_line: "dd".into(),
            cgroup: "/cron".into(),
            file: Stored {
                device: Some(rustix::fs::makedev(7, 1)),
                path: "/data/big".into(),
                devices: Vec::new(),
            },
        };
        assert_eq!(details(&roots, 9), expected);
        assert_eq!(details(&roots, 10), Details::default());
    }
}
