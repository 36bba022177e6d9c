//! Loop devices: a file as a block device.
use crate::{Cleanup, LabError, Undo, tool};
use std::path::{Path, PathBuf};

const PAGE_BYTES: u64 = 4096;

/// The kernel's `bdi/max_ratio_fine` is in millionths of its limit on unwritten data.
const MILLION: u64 = 1_000_000;

/// An attached loop device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopDevice {
    path: PathBuf,
}

impl LoopDevice {
    /// Attaches the next free loop device to `backing`, without a page cache between the two.
    ///
    /// # Errors
    /// [`LabError::Program`] with what `losetup` says.
    pub fn attach(cleanup: &mut Cleanup, backing: &Path) -> Result<LoopDevice, LabError> {
        cleanup.promise(Undo::DetachLoop { backing: backing.to_path_buf() })?;
        let mut command = spawn::command("losetup");
        command.args(["--find", "--show", "--direct-io=on", "--"]).arg(backing);
        Ok(LoopDevice { path: PathBuf::from(tool::output(command)?) })
    }

    /// `/dev/loopN`.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// `loopN`, as in `/sys/block`.
    fn name(&self) -> &str {
        self.path.file_name().and_then(|it| it.to_str()).unwrap_or("")
    }

    /// Writes a setting of the device's request queue and promises to put the old value back.
    ///
    /// # Errors
    /// [`LabError::Step`] where the kernel refuses it.
    pub fn set_queue(
        &self,
        cleanup: &mut Cleanup,
        setting: &str,
        value: u32,
    ) -> Result<(), LabError> {
        self.set(cleanup, &format!("queue/{setting}"), u64::from(value))
    }

    /// Limits the unwritten (dirty) bytes of the device to about this many at a time: a thread that
    /// dirties more is put to sleep, however much memory is free elsewhere.
    ///
    /// # Errors
    /// [`LabError::Step`] where the kernel refuses it, as one before Linux 6.2 does.
    pub fn limit_unwritten(&self, cleanup: &mut Cleanup, bytes: u64) -> Result<(), LabError> {
        // `bdi/max_bytes` would say the same, but cannot be read back: it moves with free memory
        let counters = std::fs::read_to_string("/proc/vmstat").unwrap_or_default();
        let limit_pages = counters.lines().find_map(|it| it.strip_prefix("nr_dirty_threshold "));
        let limit_pages = limit_pages.and_then(|it| it.trim().parse().ok()).unwrap_or(1).max(1);
        let share = (bytes / PAGE_BYTES).saturating_mul(MILLION) / limit_pages;
        self.set(cleanup, "bdi/strict_limit", 1)?;
        self.set(cleanup, "bdi/max_ratio_fine", share.clamp(1, MILLION))
    }

    /// Writes a setting of the device and promises to put the old value back.
    fn set(&self, cleanup: &mut Cleanup, setting: &str, value: u64) -> Result<(), LabError> {
        let file = PathBuf::from(format!("/sys/block/{}/{setting}", self.name()));
        let doing = || format!("set `{}` to {value}", file.display());
        let from = std::fs::read_to_string(&file).map_err(LabError::step(doing()))?;
        let (from, to) = (from.trim().to_owned(), value.to_string());
        if from != to {
            cleanup.promise(Undo::Knob { file: file.clone(), from, to: to.clone() })?;
        }
        std::fs::write(&file, to).map_err(LabError::step(doing()))
    }
}
