//! # Send buffer of a socket full
//!
//! ## What happens
//! A thread sends on a socket whose send buffer is full: the peer does not read as fast, or the network does not carry it.
//! A blocking send sleeps until there is room, however long the peer takes.
//! One slow peer holds up the thread that serves it, and every thread that needs a lock which that holds.
//!
//! ## What proves it
//! The thread is blocked in the kernel in a send, with a stack that waits for room in the socket's buffer, while no stop is under way.
//! The address of the peer is that of the connection.
//!
//! ## What looks alike
//! `output-write-blocked`: the other end reads a pipe.
//! A thread that waits for an answer of its peer is idle, and is no stall.
//!
//! ## References
//! Linux `net/core/stream.c` (`sk_stream_wait_memory`), `net/core/sock.c` (`sock_alloc_send_pskb`), `net/unix/af_unix.c`; `tcp(7)`.
use crate::{
    Cause, Class, Nature,
    account::tally::Tally,
    case::{Case, Segment},
    cause::{Claims, Explanation},
    culprits::stalled,
    facts::index::Index,
    wait::Wait,
};
use recording::Source;

pub(super) static CAUSE: Cause = Cause {
    id: "socket-send-blocked",
    title: "Send buffer of a socket full",
    short: "socket send blocked",
    needs: &[Source::Scheduler, Source::KernelStacks],
    nature: Nature::Fault,
    class: Class::Disk,
    remedies: &["bounded-send"],
    page: crate::page!("socket_send_blocked.rs"),
    of_stalls: true,
    claims: Claims::Segments(claims),
    explain,
    ..Cause::BASE
};

fn claims(case: &Case<'_>, segment: &Segment<'_>) -> bool {
    case.is_stall() && segment.waits_for(Wait::Socket)
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    stalled::elsewhere(tally, index)
}
