//! Every scenario of the lab. A program of its own: what runs beside it, such as other tests, takes
//! CPU time that makes pauses of its own. Needs root, BTF and a JDK.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may")]
mod every;
#[path = "../live/one_lab.rs"]
mod one_lab;

use testing::Jdk;

/// The newest JDK, if a JVM can be recorded here at all; otherwise says why not.
fn newest() -> Option<Jdk> {
    testing::Jdk::newest(cfg!(feature = "bpf"))
}
