//! How loop devices are undone.
use crate::tool;
use std::{
    io,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// After this long a device that the kernel will detach by itself is left to it.
const GRACE: Duration = Duration::from_secs(5);

/// Detaches the loop devices over `backing`, if that is a file below `root`, and waits until the
/// kernel has let go of them.
pub(super) fn detach_ours(root: &Path, backing: &Path, patience: Duration) -> io::Result<()> {
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
            said = tool::output_within(command, patience).err().or(said);
        }
        if begun.elapsed() > patience {
            let busy = || io::Error::from(io::ErrorKind::ResourceBusy);
            return Err(said.map_or_else(busy, io::Error::other));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Takes a loop device over a file below `root` out of use as swap space, where it is.
pub(super) fn swap_off_ours(root: &Path, device: &Path) -> io::Result<()> {
    let swaps = std::fs::read_to_string("/proc/swaps")?;
    let is_swap =
        |line: &str| line.split(char::is_whitespace).next().map(Path::new) == Some(device);
    if !swaps.lines().any(is_swap) || !backing_of(device).is_some_and(|it| it.starts_with(root)) {
        return Ok(());
    }
    let mut command = spawn::command("swapoff");
    command.arg(device);
    tool::output(command).map(drop).map_err(io::Error::other)
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
