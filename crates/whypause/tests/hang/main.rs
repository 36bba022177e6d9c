//! The program beside processes that never answer. A program of its own, as such a process takes
//! something from every recording of the host. Needs root, BTF, FUSE and a JDK.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may")]
mod stuck;
mod stuck_file;

use testing::Jdk;

/// The newest JDK, if a JVM can be recorded here at all; otherwise says why not.
fn newest() -> Option<Jdk> {
    testing::Jdk::newest(cfg!(feature = "bpf"))
}
