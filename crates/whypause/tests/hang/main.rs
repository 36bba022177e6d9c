//! The program beside processes that never answer. A program of its own, as such a process takes
//! something from every recording of the host. Needs root, BTF, FUSE and a JDK.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may")]
#[path = "../live/java.rs"]
#[allow(dead_code, reason = "only a part of it is used here")]
mod java;
mod stuck;
mod stuck_file;
