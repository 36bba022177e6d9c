//! # Pipe full
//!
//! ## What happens
//! A pipe holds 64 KiB of unread data, unless its size was changed; a terminal and a socket hold about as much.
//! A thread that writes into a full one sleeps until the process at the other end reads, however long that takes.
//! Standard output of a container is such a pipe, and the process at its other end is the container runtime's log driver, which may be slow itself: its disk is busy, it has used up a CPU quota, or it waits for a server.
//! A terminal is full, too, while its output is stopped (Ctrl-S), and a socket while its other end does not read.
//!
//! ## What proves it
//! A kernel stack of the blocked thread in `write()`: of a pipe `pipe_write`, of a terminal `n_tty_write`, of a socket `sock_alloc_send_pskb` or `sk_stream_wait_memory`.
//! No disk is in that stack: the process that reads may wait for one, but that is another process.
//!
//! ## What looks alike
//! `inode-lock`: several write to one file.
//! `frozen-or-traced`: the writer itself was stopped, and not the reader.
//!
//! ## Remedies
//! Take the log off standard output: into a file with a bounded size, in memory where a disk could make it wait.
//! Or write it from a thread that no other thread waits for (asynchronous logging).
//! A reader that keeps up helps all that the process writes, but the JVM does not choose its reader.
//!
//! ## References
//! Linux `fs/pipe.c` (`pipe_write`, since 6.15 `anon_pipe_write` and `fifo_pipe_write`; `pipe(7)` on capacity), `drivers/tty/n_tty.c` (`n_tty_write`), `drivers/tty/tty_io.c` (`file_tty_write`), `net/unix/af_unix.c` (`unix_stream_sendmsg`), `net/core/sock.c` (`sock_alloc_send_pskb`, `sock_wait_for_wmem`), `net/core/stream.c` (`sk_stream_wait_memory`), `net/ipv4/tcp.c` (`tcp_sendmsg_locked`).
use crate::Mechanism;

pub(super) static MECHANISM: Mechanism = Mechanism {
    id: "pipe-full",
    title: "Pipe full",
    phrase: "the reader of a full pipe, terminal or socket",
    causes: &["gc-log-write-blocked"],
    page: crate::page!("pipe_full.rs"),
    frames: &[
        "pipe_write",
        "anon_pipe_write",
        "fifo_pipe_write",
        "pipe_wait_writable",
        "n_tty_write",
        "file_tty_write",
        "tty_write",
        "redirected_tty_write",
        "unix_stream_sendmsg",
        "sock_wait_for_wmem",
        "sock_alloc_send_pskb",
        "sk_stream_wait_memory",
        "tcp_sendmsg_locked",
        "tcp_sendmsg",
    ],
    below: &[],
};

/// Where a sample has only the innermost function: a terminal's and a TCP writer sleep in it
/// (`kernel/sched/wait.c`). The recorder samples such sleeps of writers alone, and of the JVM's own
/// threads, which wait for nothing else there.
const SAMPLED: &str = "wait_woken";

/// Whether these frames are a sample that shows it.
pub(super) fn is_sample(frames: &[String]) -> bool {
    matches!(frames, [only] if only == SAMPLED)
}

#[cfg(test)]
mod tests {
    use crate::mechanisms::check;

    #[test]
    fn pipes_of_all_kernels() {
        check("schedule pipe_write vfs_write ksys_write", "pipe-full");
        check("schedule pipe_wait_writable pipe_write vfs_write", "pipe-full");
        check("schedule anon_pipe_write vfs_write ksys_write", "pipe-full");
    }

    #[test]
    fn terminals_and_sockets_are_full_too() {
        check("schedule_timeout wait_woken n_tty_write file_tty_write vfs_write", "pipe-full");
        check(
            "schedule_timeout sock_alloc_send_pskb unix_stream_sendmsg sock_write_iter",
            "pipe-full",
        );
        check("wait_woken sk_stream_wait_memory tcp_sendmsg_locked tcp_sendmsg", "pipe-full");
    }

    #[test]
    fn a_sample_has_the_innermost_function_alone() {
        check("wait_woken", "pipe-full");
        check("anon_pipe_write", "pipe-full");
        check("wait_woken n_tty_read tty_read", "none");
    }

    #[test]
    fn reading_is_no_wait_for_a_reader() {
        check("schedule pipe_read vfs_read", "none");
        check("unix_stream_read_generic unix_stream_recvmsg", "none");
    }
}
