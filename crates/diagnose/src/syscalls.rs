//! System call numbers that causes ask for, and their names, on the architecture of the recording.
use recording::OffCpuCause;

/// Name and numbers on x86-64 (`arch/x86/entry/syscalls/syscall_64.tbl`) and on arm64
/// (`include/uapi/asm-generic/unistd.h`), which lacks calls that others replace.
const CALLS: [(&str, Option<i32>, Option<i32>); 23] = [
    ("read", Some(0), Some(63)),
    ("write", Some(1), Some(64)),
    ("close", Some(3), Some(57)),
    ("mmap", Some(9), Some(222)),
    ("mprotect", Some(10), Some(226)),
    ("munmap", Some(11), Some(215)),
    ("pread64", Some(17), Some(67)),
    ("pwrite64", Some(18), Some(68)),
    ("readv", Some(19), Some(65)),
    ("writev", Some(20), Some(66)),
    ("sched_yield", Some(24), Some(124)),
    ("madvise", Some(28), Some(233)),
    ("nanosleep", Some(35), Some(101)),
    ("fsync", Some(74), Some(82)),
    ("fdatasync", Some(75), Some(83)),
    ("ftruncate", Some(77), Some(46)),
    ("rename", Some(82), None),
    ("unlink", Some(87), None),
    ("futex", Some(202), Some(98)),
    ("clock_nanosleep", Some(230), Some(115)),
    ("openat", Some(257), Some(56)),
    ("unlinkat", Some(263), Some(35)),
    ("renameat", Some(264), Some(38)),
];

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

/// Whose system call numbers a recording has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Architecture {
    /// Also where the recording does not say.
    #[default]
    X86_64,
    Arm64,
    /// One whose numbers are not known here: calls stay numbers.
    Other,
}

impl Architecture {
    /// By its name in `uname -m`.
    pub(crate) fn named(machine: &str) -> Architecture {
        match machine {
            "x86_64" | "" => Architecture::X86_64,
            "aarch64" => Architecture::Arm64,
            _ => Architecture::Other,
        }
    }

    fn name(self, number: i32) -> Option<&'static str> {
        let of_this = |(_, x86_64, arm64): &&(_, Option<i32>, Option<i32>)| match self {
            Architecture::X86_64 => *x86_64 == Some(number),
            Architecture::Arm64 => *arm64 == Some(number),
            Architecture::Other => false,
        };
        CALLS.iter().find(of_this).map(|it| it.0)
    }
}

/// For people: `write()`, `a page fault`, `system call 317`; empty for nothing.
pub(crate) fn call(architecture: Architecture, entered: Option<OffCpuCause>) -> String {
    match entered {
        None => String::new(),
        Some(OffCpuCause::PageFault) => "a page fault".into(),
        Some(OffCpuCause::Syscall(number)) => architecture
            .name(number)
            .map_or_else(|| format!("system call {number}"), |name| format!("{name}()")),
    }
}

/// Whether a log output makes this call.
pub(crate) fn is_log_call(architecture: Architecture, entered: Option<OffCpuCause>) -> bool {
    let Some(OffCpuCause::Syscall(number)) = entered else { return false };
    architecture.name(number).is_some_and(|it| LOG_CALLS.contains(&it))
}

/// The number of a call on x86-64.
#[cfg(any(test, feature = "facts-text"))]
pub(crate) fn number(wanted: &str) -> Option<i32> {
    CALLS.iter().find(|it| it.0 == wanted).and_then(|it| it.1)
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
    fn a_number_means_what_it_means_on_the_host_of_the_recording() {
        let call = |machine, number| {
            call(Architecture::named(machine), Some(OffCpuCause::Syscall(number)))
        };
        assert_eq!(call("x86_64", 64), "system call 64");
        assert_eq!(call("aarch64", 64), "write()");
        assert_eq!(call("aarch64", 1), "system call 1");
        assert_eq!(call("riscv64", 64), "system call 64", "not known, so not guessed");
        assert_eq!(call("", 1), "write()");
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
