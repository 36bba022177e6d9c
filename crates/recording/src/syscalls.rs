//! System calls by their numbers, on every architecture that recordings come from: a recording of one
//! is read on another, so the numbers that the C library has for this one are not enough. Another call is a row
//! here, another architecture a column.

/// A system call.
#[derive(Clone, Copy, Debug)]
struct SystemCall {
    /// As in its manual page.
    name: &'static str,
    /// Whether its first argument is a descriptor, and it may wait for what that is open on.
    takes_descriptor: bool,
    x86_64: Option<i32>,
    arm64: Option<i32>,
}

/// One whose first argument is a descriptor.
const fn on_file(name: &'static str, x86_64: i32, arm64: i32) -> SystemCall {
    SystemCall { takes_descriptor: true, ..other(name, x86_64, arm64) }
}

/// Any other one.
const fn other(name: &'static str, x86_64: i32, arm64: i32) -> SystemCall {
    let (x86_64, arm64) = (Some(x86_64), Some(arm64));
    SystemCall { name, takes_descriptor: false, x86_64, arm64 }
}

/// One that arm64 lacks, as another replaces it.
const fn only_x86_64(name: &'static str, x86_64: i32) -> SystemCall {
    SystemCall { name, takes_descriptor: false, x86_64: Some(x86_64), arm64: None }
}

/// Those that causes ask for, and those of which the descriptor is recorded, in the order of their
/// numbers on x86-64 (`arch/x86/entry/syscalls/syscall_64.tbl`); on arm64 they are of
/// `include/uapi/asm-generic/unistd.h`.
static CALLS: [SystemCall; 71] = [
    on_file("read", 0, 63),
    on_file("write", 1, 64),
    only_x86_64("open", 2),
    on_file("close", 3, 57),
    only_x86_64("stat", 4),
    on_file("fstat", 5, 80),
    only_x86_64("lstat", 6),
    on_file("lseek", 8, 62),
    other("mmap", 9, 222),
    other("mprotect", 10, 226),
    other("munmap", 11, 215),
    on_file("ioctl", 16, 29),
    on_file("pread64", 17, 67),
    on_file("pwrite64", 18, 68),
    on_file("readv", 19, 65),
    on_file("writev", 20, 66),
    only_x86_64("access", 21),
    other("sched_yield", 24, 124),
    other("msync", 26, 227),
    other("madvise", 28, 233),
    other("nanosleep", 35, 101),
    on_file("sendfile", 40, 71),
    on_file("connect", 42, 203),
    on_file("accept", 43, 202),
    on_file("sendto", 44, 206),
    on_file("recvfrom", 45, 207),
    on_file("sendmsg", 46, 211),
    on_file("recvmsg", 47, 212),
    on_file("flock", 73, 32),
    on_file("fsync", 74, 82),
    on_file("fdatasync", 75, 83),
    other("truncate", 76, 45),
    on_file("ftruncate", 77, 46),
    only_x86_64("rename", 82),
    only_x86_64("mkdir", 83),
    only_x86_64("rmdir", 84),
    only_x86_64("creat", 85),
    only_x86_64("unlink", 87),
    on_file("fchmod", 91, 52),
    on_file("fchown", 93, 55),
    other("statfs", 137, 43),
    other("sync", 162, 81),
    other("futex", 202, 98),
    on_file("getdents64", 217, 61),
    on_file("fadvise64", 221, 223),
    other("clock_nanosleep", 230, 115),
    SystemCall { takes_descriptor: true, ..only_x86_64("epoll_wait", 232) },
    other("openat", 257, 56),
    other("mkdirat", 258, 34),
    other("newfstatat", 262, 79),
    other("unlinkat", 263, 35),
    other("renameat", 264, 38),
    other("linkat", 265, 37),
    other("symlinkat", 266, 36),
    other("faccessat", 269, 48),
    on_file("splice", 275, 76),
    on_file("sync_file_range", 277, 84),
    on_file("epoll_pwait", 281, 22),
    on_file("fallocate", 285, 47),
    on_file("accept4", 288, 242),
    on_file("preadv", 295, 69),
    on_file("pwritev", 296, 70),
    on_file("syncfs", 306, 267),
    on_file("sendmmsg", 307, 269),
    other("renameat2", 316, 276),
    on_file("copy_file_range", 326, 285),
    on_file("preadv2", 327, 286),
    on_file("pwritev2", 328, 287),
    other("statx", 332, 291),
    other("openat2", 437, 437),
    other("faccessat2", 439, 439),
];

/// Whose system call numbers a recording has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Architecture {
    /// Also where the recording does not say.
    #[default]
    X86_64,
    /// 64-bit ARM.
    Arm64,
    /// One whose numbers are not known here: calls stay numbers.
    Other,
}

impl Architecture {
    /// The one that this program runs on.
    pub const HERE: Architecture = if cfg!(target_arch = "x86_64") {
        Architecture::X86_64
    } else if cfg!(target_arch = "aarch64") {
        Architecture::Arm64
    } else {
        Architecture::Other
    };

    /// By its name in `uname -m`.
    #[must_use]
    pub fn named(machine: &str) -> Architecture {
        match machine {
            "x86_64" | "" => Architecture::X86_64,
            "aarch64" => Architecture::Arm64,
            _ => Architecture::Other,
        }
    }

    /// The name of the call with this number, or `None` where none that matters has it.
    #[must_use]
    pub fn call_name(self, number: i32) -> Option<&'static str> {
        self.call(number).map(|it| it.name)
    }

    /// Whether the first argument of the call with this number is a descriptor.
    #[must_use]
    pub fn takes_descriptor(self, number: i32) -> bool {
        self.call(number).is_some_and(|it| it.takes_descriptor)
    }

    /// The number of the call with this name.
    #[must_use]
    pub fn call_number(self, name: &str) -> Option<i32> {
        CALLS.iter().find(|it| it.name == name).and_then(|it| self.number_of(it))
    }

    fn call(self, number: i32) -> Option<&'static SystemCall> {
        CALLS.iter().find(|it| self.number_of(it) == Some(number))
    }

    fn number_of(self, call: &SystemCall) -> Option<i32> {
        match self {
            Architecture::X86_64 => call.x86_64,
            Architecture::Arm64 => call.arm64,
            Architecture::Other => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Architecture::{Arm64, Other, X86_64};
    use std::collections::BTreeSet;

    #[test]
    fn a_number_means_what_it_means_on_the_host_of_the_recording() {
        let name = |machine, number| Architecture::named(machine).call_name(number);
        assert_eq!(name("x86_64", 1), Some("write"));
        assert_eq!(name("x86_64", 64), None);
        assert_eq!(name("aarch64", 64), Some("write"));
        assert_eq!(name("riscv64", 64), None, "not known, so not guessed");
        assert_eq!(name("", 1), Some("write"));
    }

    #[test]
    fn a_write_has_a_descriptor_and_a_futex_has_none() {
        for architecture in [X86_64, Arm64] {
            let takes = |name| {
                architecture
                    .takes_descriptor(architecture.call_number(name).expect("a call of both"))
            };
            assert!(takes("write") && !takes("futex"), "{architecture:?}");
            assert!(!architecture.takes_descriptor(-1));
        }
        assert_eq!(Other.call_number("write"), None);
    }

    #[test]
    fn no_number_and_no_name_is_there_twice() {
        let different = |all: Vec<i32>| all.iter().collect::<BTreeSet<_>>().len() == all.len();
        assert!(different(CALLS.iter().filter_map(|it| it.x86_64).collect()));
        assert!(different(CALLS.iter().filter_map(|it| it.arm64).collect()));
        let names: BTreeSet<&str> = CALLS.iter().map(|it| it.name).collect();
        assert_eq!(names.len(), CALLS.len());
    }
}
