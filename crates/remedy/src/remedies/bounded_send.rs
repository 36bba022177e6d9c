//! # Send without waiting for a slow peer
//!
//! ## What it changes
//! In the code: what is sent goes into a bounded queue for each peer, and is sent without blocking (`SocketChannel.configureBlocking(false)`), or by threads that no request waits for.
//! A connection whose peer does not read in time is closed.
//!
//! ## What it costs
//! Memory for the queues; a peer that is too slow loses its connection.
//!
//! ## References
//! `tcp(7)`; JDK `java.nio.channels.SocketChannel`. `ss -tnpm` shows the bytes that wait (`Send-Q`).
use crate::{Advice, Remedy};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "bounded-send",
    title: "Send without waiting for a slow peer",
    summary: "A bounded queue for each peer, and threads that no request waits for, keep one slow peer from holding up others.",
    page: diagnose::page!("bounded_send.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(_situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    vec![Advice::in_code(
        "send through a bounded queue for each peer, without blocking or from threads of its own",
        "one slow peer then holds up nothing else",
    )]
}
