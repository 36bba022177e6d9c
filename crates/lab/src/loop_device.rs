//! Loop devices: a file as a block device.
use crate::{Cleanup, LabError, Undo, process};
use std::{
    io,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

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
        Ok(LoopDevice { path: PathBuf::from(process::output(command)?) })
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

    /// Lets no more than about so many bytes of the device be unwritten (dirty) at a time: whoever
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

/// After this long a device that the kernel will detach by itself is left to it.
const GRACE: Duration = Duration::from_secs(5);

/// Detaches the loop devices over `backing`, if that is a file below `root`, and waits until the
/// kernel has let go of them.
pub(crate) fn detach_ours(root: &Path, backing: &Path, patience: Duration) -> io::Result<()> {
    if !backing.starts_with(root) {
        return Ok(());
    }
    let begun = Instant::now();
    loop {
        let left = devices_over(backing)?;
        // somebody else, who looks at the device, is the last to close it
        let promised = begun.elapsed() > GRACE && left.iter().all(|it| detaches_itself(it));
        if left.is_empty() || promised {
            return Ok(());
        }
        let mut said = None;
        for device in &left {
            let mut command = spawn::command("losetup");
            command.arg("--detach").arg(device);
            // it also fails where the kernel detached the device a moment before
            said = process::output_within(command, patience).err().or(said);
        }
        if begun.elapsed() > patience {
            let busy = || io::Error::from(io::ErrorKind::ResourceBusy);
            return Err(said.map_or_else(busy, io::Error::other));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Takes a loop device over a file below `root` out of use as swap space, where it is.
pub(crate) fn swap_off_ours(root: &Path, device: &Path) -> io::Result<()> {
    let swaps = std::fs::read_to_string("/proc/swaps")?;
    let is_swap =
        |line: &str| line.split(char::is_whitespace).next().map(Path::new) == Some(device);
    if !swaps.lines().any(is_swap) || !backing_of(device).is_some_and(|it| it.starts_with(root)) {
        return Ok(());
    }
    let mut command = spawn::command("swapoff");
    command.arg(device);
    process::output(command).map(drop).map_err(io::Error::other)
}

/// Whether the kernel detaches the device when it is closed for the last time.
fn detaches_itself(device: &Path) -> bool {
    let Some(name) = device.file_name() else { return false };
    let file = Path::new("/sys/block").join(name).join("loop/autoclear");
    std::fs::read_to_string(file).is_ok_and(|it| it.trim() == "1")
}

fn devices_over(backing: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/sys/block")? {
        let device = Path::new("/dev").join(entry?.file_name());
        if backing_of(&device).is_some_and(|it| it == backing) {
            found.push(device);
        }
    }
    Ok(found)
}

/// The file behind an attached loop device.
fn backing_of(device: &Path) -> Option<PathBuf> {
    let name = device.strip_prefix("/dev").ok()?;
    let file = Path::new("/sys/block").join(name).join("loop/backing_file");
    let text = std::fs::read_to_string(file).ok()?;
    let path = text.trim_end_matches('\n');
    // the kernel says this of a file that was removed while attached
    Some(PathBuf::from(path.strip_suffix(" (deleted)").unwrap_or(path)))
}
