//! A disk that is as slow as one likes, under a file system of its own.
//!
//! ```text
//! image file ← loop device A, limited by the blkio controller ← loop device B, short queue ← ext4
//! ```
//!
//! Two loop devices, because the kernel lets metadata and journal writes pass a blkio limit: over
//! one limited loop device no journal commit took longer than 4 ms, however long the queue of
//! data. The worker of loop device B issues everything anew as plain data, so that the journal
//! waits in the queue like everything else, as it does on a real disk. The queue of B is kept
//! short, or several seconds' worth of data would be under way at any time.
//!
//! The limit is on loop device A alone; no other device of the host is touched.
use crate::{
    Cleanup, LabError, Reason, Undo, WorkDir, cleanup, loop_device::LoopDevice, process, work_dir,
};
use rustix::mount::MountFlags;
use std::{
    ffi::CString,
    fs::OpenOptions,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    process::Command,
};

/// Free space that the lab wants before it makes a disk: the image is sparse, but a writer may
/// fill it.
pub const ROOM_BYTES: u64 = 3 << 30;

/// Requests in the queue of the upper device. With [`QUEUE_KIB`] at most 8 MiB are under way.
const QUEUE_REQUESTS: u32 = 64;

/// Largest request of the upper device, in KiB.
const QUEUE_KIB: u32 = 128;

/// The file system on a slow disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileSystem {
    /// ext4 with a journal.
    Ext4,
    /// ext4 without a journal.
    Ext4WithoutJournal,
    /// XFS.
    Xfs,
    /// Btrfs.
    Btrfs,
}

impl FileSystem {
    /// As in `mount -t`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            FileSystem::Ext4 | FileSystem::Ext4WithoutJournal => "ext4",
            FileSystem::Xfs => "xfs",
            FileSystem::Btrfs => "btrfs",
        }
    }

    /// Whether this host can make and mount it.
    ///
    /// # Errors
    /// The program, or the part of the kernel, that is missing.
    pub fn can_run(self) -> Result<(), Reason> {
        let program = self.maker();
        if process::output(version_of(program)).is_err() {
            let package = match self {
                FileSystem::Ext4 | FileSystem::Ext4WithoutJournal => "e2fsprogs",
                FileSystem::Xfs => "xfsprogs",
                FileSystem::Btrfs => "btrfs-progs",
            };
            let hint = format!("install the package {package} (Debian)");
            return Err(Reason::new(format!("`{program}` is not installed"), hint));
        }
        let known = || {
            let list = std::fs::read_to_string("/proc/filesystems").unwrap_or_default();
            list.lines().any(|line| line.split_whitespace().last() == Some(self.name()))
        };
        if !known() {
            let mut load = Command::new("modprobe");
            load.arg(self.name());
            // what it says is asked of the kernel in the next line
            drop(process::output(load));
        }
        if known() {
            return Ok(());
        }
        let lacks = format!("the kernel does not know the file system {}", self.name());
        Err(Reason::new(lacks, "install the package of the kernel's further modules"))
    }

    fn maker(self) -> &'static str {
        match self {
            FileSystem::Ext4 | FileSystem::Ext4WithoutJournal => "mkfs.ext4",
            FileSystem::Xfs => "mkfs.xfs",
            FileSystem::Btrfs => "mkfs.btrfs",
        }
    }

    /// The command that makes it on `device`. Everything is initialised at once: what is left for
    /// later would be written in the background of the experiment.
    fn make(self, device: &Path) -> Command {
        let mut command = Command::new(self.maker());
        match self {
            FileSystem::Ext4 | FileSystem::Ext4WithoutJournal => {
                let now = "nodiscard,lazy_itable_init=0,lazy_journal_init=0";
                command.args(["-q", "-F", "-E", now]);
                if self == FileSystem::Ext4WithoutJournal {
                    command.args(["-O", "^has_journal"]);
                }
            }
            FileSystem::Xfs | FileSystem::Btrfs => {
                command.args(["-q", "-f", "-K"]);
            }
        }
        command.arg("--").arg(device);
        command
    }
}

/// What kind of disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskOptions {
    /// Size of the image, which is sparse.
    pub size_bytes: u64,
    /// File system.
    pub file_system: FileSystem,
    /// Options of the file system for mounting, such as `commit=1`; may be empty.
    pub mount_options: &'static str,
    /// Whether pages under writeback must not be changed, as checksumming devices demand.
    /// The file system looks at it when it is mounted.
    pub stable_writes: bool,
    /// How much unwritten data of this disk the kernel allows, about; its own limits where `None`.
    pub unwritten_bytes: Option<u64>,
}

/// What the disk can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Bytes written per second.
    WriteBytes(u64),
    /// Bytes read per second.
    ReadBytes(u64),
    /// Reads per second.
    Reads(u64),
    /// Writes per second.
    Writes(u64),
}

impl Limit {
    /// File of the blkio controller and value.
    fn rule(self) -> (&'static str, u64) {
        match self {
            Limit::WriteBytes(value) => ("blkio.throttle.write_bps_device", value),
            Limit::ReadBytes(value) => ("blkio.throttle.read_bps_device", value),
            Limit::Reads(value) => ("blkio.throttle.read_iops_device", value),
            Limit::Writes(value) => ("blkio.throttle.write_iops_device", value),
        }
    }
}

/// A mounted disk, fast until it is [limited](SlowDisk::limit).
#[derive(Debug)]
pub struct SlowDisk {
    lower: LoopDevice,
    upper: LoopDevice,
    mount_point: PathBuf,
    options: DiskOptions,
    mark: cleanup::Mark,
}

/// Whether this host can have a slow disk.
///
/// # Errors
/// The first thing that is missing.
pub fn can_run() -> Result<(), Reason> {
    if !rustix::process::geteuid().is_root() {
        return Err(Reason::new("a slow disk needs root", "run it with sudo"));
    }
    if !Path::new("/dev/loop-control").exists() {
        let lacks = "there are no loop devices (`/dev/loop-control`)";
        return Err(Reason::new(lacks, "modprobe loop; in a container, give it the host's /dev"));
    }
    if process::output(version_of("losetup")).is_err() {
        return Err(Reason::new(
            "`losetup` is not installed",
            "install the package mount (Debian)",
        ));
    }
    FileSystem::Ext4.can_run()?;
    throttle_dir()?;
    work_dir::has_room(&work_dir::default_path(), ROOM_BYTES)
}

fn version_of(program: &str) -> Command {
    let mut command = Command::new(program);
    command.arg("-V");
    command
}

/// The root group of the blkio controller of cgroup version 1.
fn throttle_dir() -> Result<PathBuf, Reason> {
    let missing = || {
        let hint = "boot with systemd.unified_cgroup_hierarchy=0, or mount it: \
                    mount -t cgroup -o blkio none DIR";
        Reason::new("the blkio controller of cgroup version 1 is not mounted", hint)
    };
    let dir = crate::control_group::v1_mount("blkio").ok_or_else(missing)?;
    let file = dir.join(Limit::WriteBytes(0).rule().0);
    file.exists().then_some(dir).ok_or_else(|| {
        let hint = "it needs a kernel with CONFIG_BLK_DEV_THROTTLING";
        Reason::new("the kernel cannot limit block devices", hint)
    })
}

impl SlowDisk {
    /// Makes and mounts an empty disk called `name` in the work directory. It is not slow yet.
    ///
    /// # Errors
    /// [`LabError::CannotRun`] where the host lacks something, otherwise the step that failed.
    pub fn create(
        cleanup: &mut Cleanup,
        dir: &WorkDir,
        name: &str,
        options: DiskOptions,
    ) -> Result<SlowDisk, LabError> {
        can_run().and_then(|()| options.file_system.can_run()).map_err(LabError::CannotRun)?;
        let image = image(cleanup, &dir.path().join(format!("{name}.img")), options.size_bytes)?;
        let lower = LoopDevice::attach(cleanup, &image)?;
        let upper = LoopDevice::attach(cleanup, lower.path())?;
        upper.set_queue(cleanup, "nr_requests", QUEUE_REQUESTS)?;
        upper.set_queue(cleanup, "max_sectors_kb", QUEUE_KIB)?;
        // always written: the setting outlives a loop device's use
        upper.set_queue(cleanup, "stable_writes", u32::from(options.stable_writes))?;
        if let Some(bytes) = options.unwritten_bytes {
            upper.limit_unwritten(cleanup, bytes)?;
        }
        process::output(options.file_system.make(upper.path()))?;
        let mark = cleanup.mark();
        let mount_point = dir.path().join(name);
        let disk = SlowDisk { lower, upper, mount_point, options, mark };
        disk.mount(cleanup)?;
        Ok(disk)
    }

    /// The mount point is removed right after unmounting, before anything else is undone: that
    /// also ends copies of the mount in namespaces that were made meanwhile (a container that
    /// started), which would keep the devices busy.
    fn mount(&self, cleanup: &mut Cleanup) -> Result<(), LabError> {
        cleanup.promise(Undo::Remove { path: self.mount_point.clone() })?;
        std::fs::create_dir(&self.mount_point)
            .map_err(LabError::step(format!("create `{}`", self.mount_point.display())))?;
        cleanup.promise(Undo::Unmount { target: self.mount_point.clone() })?;
        let data = CString::new(self.options.mount_options).expect("options without a zero byte");
        let flags = MountFlags::NOSUID | MountFlags::NODEV;
        let kind = self.options.file_system.name();
        rustix::mount::mount(self.upper.path(), &self.mount_point, kind, flags, Some(&*data))
            .map_err(LabError::step(format!("mount `{}`", self.upper.path().display())))
    }

    /// Where it is mounted.
    #[must_use]
    pub fn mount_point(&self) -> &Path {
        &self.mount_point
    }

    /// The block device that carries the file system.
    #[must_use]
    pub fn device(&self) -> &Path {
        self.upper.path()
    }

    /// Makes the disk slow. Several limits can hold at once.
    ///
    /// # Errors
    /// [`LabError::Step`] where the kernel refuses the limit.
    pub fn limit(&self, cleanup: &mut Cleanup, limit: Limit) -> Result<(), LabError> {
        self::limit(cleanup, &self.lower, limit)
    }

    /// Drops what the page cache holds of this disk, and of no other, by mounting it anew.
    /// To be called before the disk is limited, while no file on it is open.
    ///
    /// # Errors
    /// [`LabError::LeftBehind`] while a file on it is open.
    pub fn drop_cache(&self, cleanup: &mut Cleanup) -> Result<(), LabError> {
        cleanup.undo_to(self.mark)?;
        self.mount(cleanup)
    }
}

/// Makes a loop device slow.
///
/// # Errors
/// [`LabError::Step`] where the kernel refuses the limit.
pub(crate) fn limit(
    cleanup: &mut Cleanup,
    device: &LoopDevice,
    limit: Limit,
) -> Result<(), LabError> {
    let (file, value) = limit.rule();
    let file = throttle_dir().map_err(LabError::CannotRun)?.join(file);
    let device = device.number()?;
    let value = value.to_string();
    let rule = format!("{device} {value}");
    cleanup.promise(Undo::Throttle { file: file.clone(), device, value })?;
    std::fs::write(&file, rule).map_err(LabError::step(format!("write `{}`", file.display())))
}

/// A sparse file.
pub(crate) fn image(cleanup: &mut Cleanup, path: &Path, bytes: u64) -> Result<PathBuf, LabError> {
    cleanup.promise(Undo::Remove { path: path.to_path_buf() })?;
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    file.and_then(|file| file.set_len(bytes))
        .map_err(LabError::step(format!("create `{}`", path.display())))?;
    Ok(path.to_path_buf())
}
