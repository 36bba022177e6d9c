//! What undoing has in common.
use std::{
    io,
    path::Path,
    time::{Duration, Instant},
};

/// How long a busy mount or device, or a process blocked in the kernel, is waited for.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

/// Tries again while the kernel says "busy": a killed process may still be closing its files.
pub(super) fn retry(mut attempt: impl FnMut() -> io::Result<()>) -> io::Result<()> {
    let until = Instant::now() + PATIENCE;
    loop {
        match attempt() {
            Err(e) if e.kind() == io::ErrorKind::ResourceBusy && Instant::now() < until => {
                std::thread::sleep(Duration::from_millis(50));
            }
            result => return result,
        }
    }
}

/// Whether something is mounted on exactly this path, by `/proc/self/mountinfo` (field 5).
pub(crate) fn is_mount_point(path: &Path) -> io::Result<bool> {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo")?;
    let path = path.as_os_str();
    Ok(mounts.lines().any(|line| line.split(' ').nth(4).is_some_and(|it| path == it)))
}

/// What is gone already is undone.
pub(super) fn gone(result: io::Result<()>) -> io::Result<()> {
    result.or_else(|e| if e.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(e) })
}
