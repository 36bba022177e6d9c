//! Swap space on a slow disk.
use crate::{
    Cleanup, LabError, Reason, Takes, Undo, WorkDir,
    disk::Limit,
    loop_device::LoopDevice,
    slow_disk,
    slow_file::{SlowFile, Storage},
    tool, work_dir,
};
use std::path::PathBuf;

/// Size of the swap space. What is swapped out is kept on the disk of the work directory: in memory
/// it would be where it came from.
pub(crate) const SIZE_BYTES: u64 = 3 << 30;

/// Free space that this wants: the file is sparse, but swap space may be filled.
const ROOM_BYTES: u64 = SIZE_BYTES;

/// Used before any other swap space.
pub(crate) const PRIORITY: &str = "32000";

/// The directory of its file, in the work directory.
pub(crate) const NAME: &str = "swap.disk";

/// Swap space on a loop device, in use.
#[derive(Debug)]
pub struct SlowSwap {
    device: LoopDevice,
    file: SlowFile,
}

/// Whether this host can have slow swap space.
///
/// # Errors
/// The first thing that is missing.
pub fn can_run() -> Result<(), Reason> {
    slow_disk::can_have_device()?;
    for program in ["mkswap", "swapon", "swapoff"] {
        let mut command = spawn::command(program);
        command.arg("--version");
        if tool::output(command).is_err() {
            let hint = "install the package mount (Debian)";
            return Err(Reason::new(format!("`{program}` is not installed"), hint));
        }
    }
    work_dir::has_room(&work_dir::default_path(), ROOM_BYTES)
}

impl SlowSwap {
    /// Makes it and takes it into use. It is not slow yet.
    ///
    /// # Errors
    /// [`LabError::CannotRun`] where the host lacks something, otherwise the step that failed.
    pub fn create(cleanup: &mut Cleanup, dir: &WorkDir) -> Result<SlowSwap, LabError> {
        cleanup.needs(&Takes::Swap)?;
        can_run().map_err(LabError::CannotRun)?;
        let file = SlowFile::create(cleanup, dir, NAME, SIZE_BYTES, Storage::Disk)?;
        let device = LoopDevice::attach(cleanup, &file.path())?;
        let mut make = spawn::command("mkswap");
        make.arg("-q").arg(device.path());
        tool::output(make)?;
        cleanup.promise(Undo::SwapOff { device: device.path().to_path_buf() })?;
        let mut start = spawn::command("swapon");
        start.args(["--priority", PRIORITY]).arg(device.path());
        tool::output(start)?;
        Ok(SlowSwap { device, file })
    }

    /// Makes it slow, from the next request on. Several limits can hold at once.
    ///
    /// # Errors
    /// [`LabError::Step`] where it does not answer.
    pub fn limit(&self, limit: Limit) -> Result<(), LabError> {
        self.file.limit(limit)
    }

    /// Sets how many requests can wait at a time: the submitter of a further one waits before that.
    ///
    /// # Errors
    /// [`LabError::Step`] where the kernel refuses it.
    pub fn shorten_queue(&self, cleanup: &mut Cleanup, requests: u32) -> Result<(), LabError> {
        self.device.set_queue(cleanup, "nr_requests", requests)
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> PathBuf {
        self.device.path().to_path_buf()
    }
}
