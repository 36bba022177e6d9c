//! A disk that is as slow as one likes, under a file system of its own: a loop device over a
//! [slow file](crate::slow_file).
//!
//! The queue of the loop device is kept short, or several seconds' worth of data would be under way
//! at any time.
use crate::{
    Cleanup, LabError, Reason, Takes, Undo, WorkDir, cleanup,
    loop_device::LoopDevice,
    slow_file::{self, SlowFile, Storage},
    tool,
};
use rustix::mount::MountFlags;
use std::{
    ffi::CString,
    path::{Path, PathBuf},
};

pub use crate::disk::{DiskOptions, FileSystem, Limit, Queue};

/// For a disk of some MiB/s: at most 8 MiB are under way.
pub(crate) const SHORT_QUEUE: Queue = Queue { requests: 64, kib: 128 };

/// How much is read for a page that is missing, in KiB: one request. Kernels differ in it, from 128
/// to 2560 for a loop device, and so would the time that a page fault takes.
const READ_AHEAD_KIB: u32 = SHORT_QUEUE.kib;

/// Memory for what file systems and programs of the lab write that is not zero, many times over.
pub(crate) const STORED_MIB: u32 = 256;

/// A mounted disk, fast until it is [limited](SlowDisk::limit).
#[derive(Debug)]
pub struct SlowDisk {
    file: SlowFile,
    device: LoopDevice,
    mount_point: PathBuf,
    options: DiskOptions,
    mark: cleanup::Mark,
}

/// Whether this host can have a slow disk.
///
/// # Errors
/// The first thing that is missing.
pub fn can_run() -> Result<(), Reason> {
    can_have_device()?;
    FileSystem::Ext4.can_run()
}

/// Whether this host can have a loop device over a slow file.
pub(crate) fn can_have_device() -> Result<(), Reason> {
    can_have_device_of(STORED_MIB)
}

/// Whether it can have a disk of which this many MiB may be other than zero.
pub(crate) fn can_store(mib: u32) -> Result<(), Reason> {
    can_have_device_of(mib)?;
    FileSystem::Ext4.can_run()
}

/// Whether the kernel can limit the unwritten data of one disk: `bdi/max_ratio_fine` came with Linux 6.2.
pub(crate) fn can_limit_unwritten() -> Result<(), Reason> {
    let known = std::fs::read_dir("/sys/class/bdi").is_ok_and(|mut all| {
        all.any(|it| it.is_ok_and(|it| it.path().join("max_ratio_fine").exists()))
    });
    if known {
        return Ok(());
    }
    let lacks = "limiting the unwritten data of one disk needs Linux 6.2";
    Err(Reason::new(lacks, "run it on a later kernel"))
}

fn can_have_device_of(stored_mib: u32) -> Result<(), Reason> {
    slow_file::can_run(stored_mib)?;
    if !Path::new("/dev/loop-control").exists() {
        let lacks = "there are no loop devices (`/dev/loop-control`)";
        return Err(Reason::new(lacks, "modprobe loop; in a container, give it the host's /dev"));
    }
    let mut losetup = spawn::command("losetup");
    losetup.arg("-V");
    tool::output(losetup).map(drop).map_err(|_| {
        Reason::new("`losetup` is not installed", "install the package mount (Debian)")
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
        cleanup.needs(&Takes::Disk(options))?;
        can_run().and_then(|()| options.file_system.can_run()).map_err(LabError::CannotRun)?;
        let image = format!("{name}.disk");
        let file = SlowFile::create(
            cleanup,
            dir,
            &image,
            options.size_bytes,
            Storage::Memory { most_mib: options.stored_mib },
        )?;
        let device = LoopDevice::attach(cleanup, &file.path())?;
        device.set_queue(cleanup, "nr_requests", options.queue.requests)?;
        device.set_queue(cleanup, "max_sectors_kb", options.queue.kib)?;
        device.set_queue(cleanup, "read_ahead_kb", READ_AHEAD_KIB)?;
        // always written: the setting outlives a loop device's use
        device.set_queue(cleanup, "stable_writes", u32::from(options.stable_writes))?;
        if let Some(bytes) = options.unwritten_bytes {
            device.limit_unwritten(cleanup, bytes)?;
        }
        tool::output(options.file_system.make(device.path()))?;
        let mark = cleanup.mark();
        let mount_point = dir.path().join(name);
        let disk = SlowDisk { file, device, mount_point, options, mark };
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
        rustix::mount::mount(self.device.path(), &self.mount_point, kind, flags, Some(&*data))
            .map_err(LabError::step(format!("mount `{}`", self.device.path().display())))
    }

    /// Where it is mounted.
    #[must_use]
    pub fn mount_point(&self) -> &Path {
        &self.mount_point
    }

    /// The block device that carries the file system.
    #[must_use]
    pub fn device(&self) -> &Path {
        self.device.path()
    }

    /// Makes the disk slow, from its next request on. Several limits can hold at once.
    ///
    /// # Errors
    /// [`LabError::Step`] where the disk does not answer.
    pub fn limit(&self, limit: Limit) -> Result<(), LabError> {
        self.file.limit(limit)
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
