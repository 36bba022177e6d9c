//! What a child does between its fork and its exec.
//!
//! In there only system calls are allowed: another thread may have held a lock, such as that of the
//! heap, at the time of the fork.
#![allow(unsafe_code, reason = "`pre_exec` is the only way to change a child before it begins")]
use rustix::{
    fs::{Mode, OFlags, RawDir},
    process::Signal,
};
use std::{
    io, mem::MaybeUninit, os::fd::BorrowedFd, os::unix::process::CommandExt, process::Command,
};

/// The first descriptor that is not standard input, output or error.
const FIRST: u32 = 3;

/// Makes the child of `command` receive SIGKILL when this thread ends.
pub(crate) fn die_with_parent(command: &mut Command) {
    let parent = rustix::process::getpid();
    // SAFETY: the closure only makes two system calls; it neither allocates nor takes a lock.
    unsafe {
        command.pre_exec(move || {
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
            // the parent may have ended before the line above
            if rustix::process::getppid() == Some(parent) {
                Ok(())
            } else {
                Err(io::Error::from(io::ErrorKind::Interrupted))
            }
        });
    }
}

/// Gives the child of `command` a session of its own, and with it a process group.
pub(crate) fn begin_session(command: &mut Command) {
    // SAFETY: the closure only makes one system call; it neither allocates nor takes a lock.
    unsafe { command.pre_exec(|| Ok(rustix::process::setsid().map(drop)?)) };
}

/// Lets the program of `command` have no descriptors but standard input, output and error.
pub(crate) fn close_others(command: &mut Command) {
    // SAFETY: the closure only makes system calls, with a buffer on its stack; it neither allocates
    // nor takes a lock.
    unsafe { command.pre_exec(|| close_at_once().or_else(|_| close_one_by_one())) };
}

/// Has the kernel close them at the exec, and not before: through one of them the standard library
/// hears of an exec that fails.
fn close_at_once() -> io::Result<()> {
    // SAFETY: the call has no pointers, and nothing is closed in this program.
    let result = unsafe {
        libc::syscall(libc::SYS_close_range, FIRST, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC)
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// The same where the kernel cannot do all at once: before Linux 5.11, or because a filter of
/// system calls does not know the call.
fn close_one_by_one() -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let list = rustix::fs::open(c"/proc/self/fd", flags, Mode::empty())?;
    let mut buffer = [MaybeUninit::uninit(); 4096];
    let mut entries = RawDir::new(&list, &mut buffer);
    while let Some(entry) = entries.next() {
        let entry = entry?;
        let digits = entry.file_name().to_bytes();
        // `.` and `..` are no numbers
        let number = digits.iter().try_fold(0, |number: i32, digit| {
            let digit = digit.is_ascii_digit().then(|| i32::from(digit - b'0'))?;
            number.checked_mul(10)?.checked_add(digit)
        });
        let Some(number) = number.filter(|it| it.unsigned_abs() >= FIRST) else { continue };
        // SAFETY: the process has one thread and closes nothing, so what was listed is open.
        let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
        rustix::io::fcntl_setfd(descriptor, rustix::io::FdFlags::CLOEXEC)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs::File, os::fd::AsRawFd, time::Duration};

    /// A descriptor that the child of a `Command` inherits.
    fn inherited() -> File {
        let file = File::open("/dev/zero").unwrap();
        rustix::io::fcntl_setfd(&file, rustix::io::FdFlags::empty()).unwrap();
        file
    }

    /// Whether a shell, before whose begin `prepare` is done, has the descriptor of `file`.
    #[allow(clippy::disallowed_methods, reason = "what is tested is what starts children")]
    fn has(file: &File, prepare: fn() -> io::Result<()>) -> bool {
        let mut command = Command::new("ls");
        command.arg(format!("/proc/self/fd/{}", file.as_raw_fd()));
        // SAFETY: as above.
        unsafe { command.pre_exec(prepare) };
        command.output().unwrap().status.success()
    }

    #[test]
    fn both_ways_close_what_would_be_inherited() {
        let file = inherited();
        assert!(has(&file, || Ok(())), "the test is able to fail");
        assert!(!has(&file, close_at_once));
        assert!(!has(&file, close_one_by_one));
    }

    #[test]
    fn no_child_has_it() {
        let file = inherited();
        for start in [crate::Running::start_heard, crate::Running::start_outliving] {
            let mut command = crate::command("test");
            command.arg("-e").arg(format!("/proc/self/fd/{}", file.as_raw_fd()));
            let status = start(command).unwrap().wait(Duration::from_secs(60)).unwrap();
            assert_eq!(status.code(), Some(1));
        }
    }

    #[test]
    fn a_program_that_is_not_there_is_still_reported() {
        let said = crate::Running::start(crate::command("/nonexistent/x")).unwrap_err().to_string();
        assert_eq!(said, "cannot start `/nonexistent/x`: No such file or directory (os error 2)");
    }
}
