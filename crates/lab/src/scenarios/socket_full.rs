//! # Peer that does not read
//!
//! ## What it does
//! Eight threads send messages over a TCP connection each, on loopback, and another process reads them: for 1 s, and then not at all for 2 s, as a client, a log collector or a replica does that is overloaded.
//! Its receive buffers fill, then the send buffers of the JVM, and a blocking write waits until there is room.
//!
//! - `baseline`: the other process reads all the time
//! - `fault`: it stops for 2 s in every 3; the threads write to the stream of a `Socket`
//! - `fixed-queue`: it stops as well; messages go to a bounded queue, from which a thread of its own writes, and those that find no room are dropped
//! - `fixed-nonblocking`: it stops as well; the threads write to a channel that does not block, and drop what finds no room
//! - `fault-channel`: the same as `fault` with a blocking `SocketChannel`
//!
//! ## What it needs
//! Root, 1 GiB of memory, 15 s per variant.
//! The other process is a JVM of the same JDK.
//!
//! ## What you see
//! In the faults, all eight threads stall for 1 to 2 s every 3 s.
//! In `fixed-queue` the threads behind the queue do, and no request waits for them; in `fixed-nonblocking` none does.
//!
//! ## References
//! Linux `net/ipv4/tcp.c` (`tcp_sendmsg_locked`), `net/core/stream.c` (`sk_stream_wait_memory`).
use super::{JudgedBy, Role, Scenario, Variant};
use crate::{
    Collector, LabError, Stage, Staged, Takes,
    jvm::JvmCommand,
    socket_peer::{self, SocketPeer},
    workloads::Workload,
};
use std::time::Duration;

pub(super) static SCENARIO: Scenario = Scenario {
    id: "socket-full",
    cause: "socket-send-blocked",
    title: "Messages to a peer that does not read",
    judged_by: JudgedBy::Stalls,
    recorded: Duration::from_secs(10),
    warm_up: Duration::from_secs(2),
    variants: &[
        Variant::baseline("the peer reads all the time", baseline),
        Variant::fault("the peer stops reading for 2 s in every 3", fault),
        Variant::new(
            "fixed-queue",
            Role::Fixed,
            "the same with a bounded queue before each sending thread",
            fixed_queue,
        ),
        Variant::new(
            "fixed-nonblocking",
            Role::Fixed,
            "the same with channels that do not block",
            fixed_nonblocking,
        ),
        Variant::new(
            "fault-channel",
            Role::Fault,
            "the same as the fault with a blocking SocketChannel",
            fault_channel,
        ),
    ],
    collectors: &[Collector::G1, Collector::Parallel, Collector::Serial],
    writes_gc_log: false,
    can_run: super::anywhere,
    takes,
    page: diagnose::page!("socket_full.rs"),
};

fn takes() -> Vec<Takes> {
    vec![Takes::Heap { mib: 896 }, socket_peer::TAKES]
}

fn baseline(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let peer = SocketPeer::start(stage)?;
    set_up(stage, peer, "stream")
}

fn fault(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let peer = SocketPeer::start(stage)?.stopping()?;
    set_up(stage, peer, "stream")
}

fn fixed_queue(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let peer = SocketPeer::start(stage)?.stopping()?;
    set_up(stage, peer, "queue")
}

fn fixed_nonblocking(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let peer = SocketPeer::start(stage)?.stopping()?;
    set_up(stage, peer, "nonblocking")
}

fn fault_channel(stage: &mut Stage<'_>) -> Result<Staged, LabError> {
    let peer = SocketPeer::start(stage)?.stopping()?;
    set_up(stage, peer, "channel")
}

fn set_up(stage: &mut Stage<'_>, peer: SocketPeer, send: &str) -> Result<Staged, LabError> {
    let command = JvmCommand {
        dies_young: true,
        arguments: vec![format!("port={}", peer.port()), format!("send={send}")],
        ..stage.command(Workload::SocketFull)
    };
    Ok(Staged::disturbed(stage.java(&command)?, peer))
}
