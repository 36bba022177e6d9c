//! What a process aside does not have: the descriptors of the process that it is a copy of.
use std::{fs, io, os::fd::RawFd};

/// Closes all descriptors but these.
pub(super) fn keep_only(mut kept: Vec<RawFd>) -> io::Result<()> {
    kept.sort_unstable();
    let mut next: u32 = 0;
    for fd in kept {
        let fd = u32::try_from(fd).unwrap_or_default();
        if next < fd {
            close_range(next, fd - 1)?;
        }
        next = fd + 1;
    }
    close_range(next, u32::MAX)
}

#[allow(unsafe_code, reason = "rustix has no close_range")]
fn close_range(first: u32, last: u32) -> io::Result<()> {
    // SAFETY: only numbers are passed. This process ends without returning to whoever owns these
    // descriptors.
    let failed = unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) } != 0;
    if !failed {
        return Ok(());
    }
    // Before Linux 5.9, or where a filter of system calls does not know it.
    let open: Vec<u32> = fs::read_dir("/proc/self/fd")?
        .flatten()
        .filter_map(|it| it.file_name().to_str()?.parse().ok())
        .filter(|it| (first..=last).contains(it))
        .collect();
    for fd in open {
        // SAFETY: as above; the one that listed them is closed already, and closing that again fails.
        unsafe { libc::syscall(libc::SYS_close, fd) };
    }
    Ok(())
}
