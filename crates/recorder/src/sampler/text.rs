//! The text of a thread's files in `/proc/PID/task/TID`.
use recording::{Architecture, OffCpuCause};

/// `schedstat`: what the scheduler has counted of a thread
/// (`proc_pid_schedstat` of `fs/proc/base.c`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    /// Time on a CPU, in nanoseconds; of a thread that runs, up to its last tick.
    pub(crate) ran_ns: u64,
    /// Time in which it wanted a CPU, in nanoseconds; booked when it gets one. Includes what the
    /// quota of its control group took.
    pub(crate) waited_ns: u64,
    /// How often it got a CPU.
    pub(crate) turns: u64,
}

impl Counted {
    pub(crate) fn parse(text: &[u8]) -> Option<Counted> {
        let mut numbers = std::str::from_utf8(text).ok()?.split_ascii_whitespace();
        let mut next = || numbers.next()?.parse().ok();
        Some(Counted { ran_ns: next()?, waited_ns: next()?, turns: next()? })
    }
}

/// The letter of a state (`task_state_array` of `fs/proc/array.c`): field 3 of `stat`, behind the
/// last bracket.
pub(crate) fn state(stat: &[u8]) -> Option<u8> {
    let after = memchr::memrchr(b')', stat)? + 2;
    stat.get(after).copied().filter(u8::is_ascii_alphabetic)
}

/// `syscall`: how a thread that does not run entered the kernel, and the call's first argument
/// (`proc_pid_syscall` of `fs/proc/base.c`). `None` for one that runs.
pub(crate) fn entered(syscall: &[u8]) -> Option<(OffCpuCause, Option<u32>)> {
    let mut words = std::str::from_utf8(syscall).ok()?.split_ascii_whitespace();
    let number: i32 = words.next()?.parse().ok()?;
    if number < 0 {
        return Some((OffCpuCause::PageFault, None));
    }
    let first = words.next().and_then(|it| it.strip_prefix("0x"));
    let first = first.and_then(|it| u32::from_str_radix(it, 16).ok());
    Some((OffCpuCause::Syscall(number), first))
}

/// `wchan`: the function of the kernel in which a thread sleeps, without what compilers append.
/// `None` for one that runs, and where the kernel does not tell.
pub(crate) fn function(wchan: &[u8]) -> Option<String> {
    let name = std::str::from_utf8(wchan).ok()?.trim();
    let name = name.split('.').next().unwrap_or_default();
    (!name.is_empty() && name != "0").then(|| name.to_owned())
}

/// Where a thread sleeps that writes to a pipe, a terminal or a socket that is full: `fs/pipe.c` (two
/// names since Linux 6.15), `drivers/tty/n_tty.c`, `net/unix/af_unix.c` and `net/core/sock.c`,
/// `net/core/stream.c`. `wait_woken` (`kernel/sched/wait.c`) is where a terminal's and a TCP writer
/// sleep; others read from one sleep there, too, which their call tells where it may be read.
pub(crate) const WRITES: [&str; 9] = [
    "pipe_write",
    "anon_pipe_write",
    "fifo_pipe_write",
    "pipe_wait_writable",
    "n_tty_write",
    "wait_woken",
    "sock_wait_for_wmem",
    "sock_alloc_send_pskb",
    "sk_stream_wait_memory",
];

/// Calls that write to a pipe, a terminal or a socket.
const WRITE_CALLS: [&str; 7] =
    ["write", "writev", "sendto", "sendmsg", "sendmmsg", "sendfile", "splice"];

/// Whether a thread that sleeps in one of [`WRITES`] is there for a call that writes, as far as may be known.
pub(crate) fn waits_for_reader(entered: Option<OffCpuCause>) -> bool {
    match entered {
        Some(OffCpuCause::Syscall(number)) => {
            let name = Architecture::HERE.call_name(number);
            name.is_some_and(|it| WRITE_CALLS.contains(&it))
        }
        _ => true,
    }
}

/// `schedstat`, `stat`, `syscall` and `wchan` of a thread.
#[cfg(fuzzing)]
pub(crate) fn check(bytes: &[u8]) {
    if let Some(it) = Counted::parse(bytes) {
        let again = format!("{} {} {}", it.ran_ns, it.waited_ns, it.turns);
        assert_eq!(Counted::parse(again.as_bytes()), Some(it));
    }
    assert!(state(bytes).is_none_or(|it| it.is_ascii_alphabetic()));
    match entered(bytes) {
        Some((OffCpuCause::Syscall(number), _)) => assert!(number >= 0),
        Some((_, argument)) => assert_eq!(argument, None),
        None => {}
    }
    if let Some(name) = function(bytes) {
        assert!(!name.is_empty() && !name.contains('.') && name.len() <= bytes.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_three_numbers() {
        let counted = Counted { ran_ns: 26, waited_ns: 289, turns: 8 };
        assert_eq!(Counted::parse(b"26 289 8\n"), Some(counted));
        assert_eq!(Counted::parse(b"26 289"), None);
        assert_eq!(Counted::parse(b""), None);
        assert_eq!(Counted::parse(b"0 0 x"), None);
    }

    #[test]
    fn the_state_is_found_behind_any_name() {
        assert_eq!(state(b"7 (a) D (b) S 1 2"), Some(b'S'));
        assert_eq!(state(b"7 (VM Thread) D 1"), Some(b'D'));
        assert_eq!(state(b"7 (x)"), None);
        assert_eq!(state(b""), None);
    }

    #[test]
    fn a_call_a_fault_and_neither() {
        let write = (OffCpuCause::Syscall(1), Some(4));
        assert_eq!(entered(b"1 0x4 0x7f00 0x20 0x0 0x0 0x0 0x7ffd 0x7f3a\n"), Some(write));
        assert_eq!(entered(b"-1 0x7ffd 0x7f3a\n"), Some((OffCpuCause::PageFault, None)));
        assert_eq!(entered(b"running\n"), None);
        let far = (OffCpuCause::Syscall(202), None);
        assert_eq!(entered(b"202 0x7f3a00001111 0x80\n"), Some(far), "no descriptor");
    }

    #[test]
    fn a_thread_that_reads_from_a_socket_waits_for_no_reader() {
        let check = |name: &str, expected| {
            let entered = Architecture::HERE.call_number(name).map(OffCpuCause::Syscall);
            assert_eq!(waits_for_reader(entered), expected, "{name}");
        };
        check("write", true);
        check("sendto", true);
        check("read", false);
        check("recvfrom", false);
        assert!(waits_for_reader(None), "its call may not be read");
    }

    #[test]
    fn functions_lose_what_compilers_append() {
        assert_eq!(function(b"do_get_write_access").as_deref(), Some("do_get_write_access"));
        assert_eq!(function(b"folio_wait.part.0\n").as_deref(), Some("folio_wait"));
        assert_eq!(function(b"0"), None);
        assert_eq!(function(b""), None);
    }
}
