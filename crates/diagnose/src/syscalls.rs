//! System call numbers that causes ask for, and their names.
//!
//! Numbers are those of x86-64 (`arch/x86/entry/syscalls/syscall_64.tbl`), the architecture the
//! recorder runs on.
use recording::OffCpuCause;

const NAMES: [(i32, &str); 22] = [
    (0, "read"),
    (1, "write"),
    (3, "close"),
    (9, "mmap"),
    (10, "mprotect"),
    (11, "munmap"),
    (17, "pread64"),
    (18, "pwrite64"),
    (19, "readv"),
    (20, "writev"),
    (24, "sched_yield"),
    (28, "madvise"),
    (35, "nanosleep"),
    (74, "fsync"),
    (75, "fdatasync"),
    (77, "ftruncate"),
    (82, "rename"),
    (87, "unlink"),
    (202, "futex"),
    (230, "clock_nanosleep"),
    (257, "openat"),
    (263, "unlinkat"),
];

/// Calls that a log output makes on its file: writing, and what rotation adds.
/// HotSpot: `LogFileOutput::write`, `LogFileOutput::rotate`.
const LOG_CALLS: [&str; 10] = [
    "write",
    "pwrite64",
    "writev",
    "fsync",
    "fdatasync",
    "ftruncate",
    "close",
    "rename",
    "unlink",
    "openat",
];

fn name(number: i32) -> Option<&'static str> {
    NAMES.iter().find(|it| it.0 == number).map(|it| it.1)
}

/// For people: `write()`, `a page fault`, `system call 317`; empty for nothing.
pub(crate) fn call(entered: Option<OffCpuCause>) -> String {
    match entered {
        None => String::new(),
        Some(OffCpuCause::PageFault) => "a page fault".into(),
        Some(OffCpuCause::Syscall(number)) => {
            name(number).map_or_else(|| format!("system call {number}"), |name| format!("{name}()"))
        }
    }
}

/// Whether a log output makes this call.
pub(crate) fn is_log_call(entered: Option<OffCpuCause>) -> bool {
    matches!(entered, Some(OffCpuCause::Syscall(number)) if name(number).is_some_and(|it| LOG_CALLS.contains(&it)))
}

/// The number of a call in `NAMES`.
#[cfg(test)]
pub(crate) fn number(wanted: &str) -> Option<i32> {
    NAMES.iter().find(|it| it.1 == wanted).map(|it| it.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_read_like_prose() {
        assert_eq!(call(Some(OffCpuCause::Syscall(1))), "write()");
        assert_eq!(call(Some(OffCpuCause::PageFault)), "a page fault");
        assert_eq!(call(Some(OffCpuCause::Syscall(317))), "system call 317");
        assert_eq!(call(None), "");
    }

    #[test]
    fn reading_is_no_log_call() {
        assert!(is_log_call(Some(OffCpuCause::Syscall(1))));
        assert!(!is_log_call(Some(OffCpuCause::Syscall(0))));
        assert!(!is_log_call(Some(OffCpuCause::PageFault)));
    }
}
