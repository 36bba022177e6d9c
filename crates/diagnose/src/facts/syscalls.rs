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

/// What a call does with files, and so what it may wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileCall {
    /// It returns when what was written is on the disk.
    Sync,
    /// It writes to a file, or changes how long it is, which names there are, or when it was used.
    Write,
    /// It reads from a file, or what there is to know of one.
    Read,
}

/// `fsync(2)` and the like.
const SYNCS: [&str; 6] = ["fsync", "fdatasync", "sync_file_range", "syncfs", "msync", "sync"];

/// Each of these may change a file or a directory, which a journal must have room for.
const WRITES: [&str; 26] = [
    "write",
    "pwrite64",
    "writev",
    "pwritev",
    "pwritev2",
    "sendfile",
    "splice",
    "copy_file_range",
    "close",
    "truncate",
    "ftruncate",
    "fallocate",
    "open",
    "openat",
    "openat2",
    "creat",
    "mkdir",
    "mkdirat",
    "rmdir",
    "rename",
    "renameat",
    "renameat2",
    "unlink",
    "unlinkat",
    "linkat",
    "symlinkat",
];

/// Those that read alone.
const READS: [&str; 14] = [
    "read",
    "pread64",
    "readv",
    "preadv",
    "preadv2",
    "getdents64",
    "stat",
    "lstat",
    "fstat",
    "newfstatat",
    "statx",
    "statfs",
    "access",
    "faccessat",
];

/// What the call does with files; `None` for a fault and for any other call. `kind_of` in the recorder's
/// `arch.bpf.h` knows the same calls: change both.
pub(crate) fn file_call(
    architecture: Architecture,
    entered: Option<OffCpuCause>,
) -> Option<FileCall> {
    let Some(OffCpuCause::Syscall(number)) = entered else { return None };
    let name = architecture.call_name(number)?;
    match () {
        () if SYNCS.contains(&name) => Some(FileCall::Sync),
        () if WRITES.contains(&name) => Some(FileCall::Write),
        () if READS.contains(&name) => Some(FileCall::Read),
        () => None,
    }
}

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
    fn calls_on_files_sync_write_or_read() {
        let check = |name: &str, expected| {
            let number = X86_64.call_number(name).unwrap();
            assert_eq!(file_call(X86_64, Some(OffCpuCause::Syscall(number))), expected, "{name}");
        };
        SYNCS.iter().for_each(|it| check(it, Some(FileCall::Sync)));
        WRITES.iter().for_each(|it| check(it, Some(FileCall::Write)));
        READS.iter().for_each(|it| check(it, Some(FileCall::Read)));
        check("futex", None);
        check("sendto", None);
        assert_eq!(file_call(X86_64, Some(OffCpuCause::PageFault)), None);
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
