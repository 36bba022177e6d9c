//! What a thread had entered when it left its CPU, by name.
use recording::{Architecture, OffCpuCause};

/// Calls that a log output makes on its file: writing, and what rotation adds.
/// HotSpot: `LogFileOutput::write`, `LogFileOutput::rotate`. Where there is no `rename` and no
/// `unlink` the C library makes them of `renameat` and `unlinkat`.
const LOG_CALLS: [&str; 12] = [
    "write",
    "pwrite64",
    "writev",
    "fsync",
    "fdatasync",
    "ftruncate",
    "close",
    "rename",
    "renameat",
    "unlink",
    "unlinkat",
    "openat",
];

/// For people: `write()`, `a page fault`, `system call 317`; empty for nothing.
pub(crate) fn call(architecture: Architecture, entered: Option<OffCpuCause>) -> String {
    match entered {
        None => String::new(),
        Some(OffCpuCause::PageFault) => "a page fault".into(),
        Some(OffCpuCause::Syscall(number)) => architecture
            .call_name(number)
            .map_or_else(|| format!("system call {number}"), |name| format!("{name}()")),
    }
}

/// Whether a log output makes this call.
pub(crate) fn is_log_call(architecture: Architecture, entered: Option<OffCpuCause>) -> bool {
    let Some(OffCpuCause::Syscall(number)) = entered else { return false };
    architecture.call_name(number).is_some_and(|it| LOG_CALLS.contains(&it))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Architecture::{Arm64, Other, X86_64};

    #[test]
    fn calls_read_like_prose() {
        let check = |architecture, entered, expected| {
            assert_eq!(call(architecture, entered), expected, "{architecture:?} {entered:?}");
        };
        check(X86_64, Some(OffCpuCause::Syscall(1)), "write()");
        check(X86_64, Some(OffCpuCause::PageFault), "a page fault");
        check(X86_64, Some(OffCpuCause::Syscall(317)), "system call 317");
        check(X86_64, None, "");
    }

    #[test]
    fn reading_is_no_log_call() {
        let check = |architecture, number, expected| {
            let entered = Some(OffCpuCause::Syscall(number));
            assert_eq!(is_log_call(architecture, entered), expected, "{architecture:?} {number}");
        };
        check(X86_64, 1, true);
        check(X86_64, 0, false);
        check(Arm64, 64, true);
        check(Arm64, 63, false);
        check(Arm64, 38, true); // rotation: rename() is renameat there
        check(Other, 1, false);
        assert!(!is_log_call(X86_64, Some(OffCpuCause::PageFault)));
    }
}
