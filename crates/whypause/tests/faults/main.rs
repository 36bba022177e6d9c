//! What is left when something breaks while a JVM is recorded: the recorder or the JVM is killed,
//! the disk is full, the output is removed, the clock is set. Needs root, BTF and a JDK.
//!
//! Each fault is injected a few times; `scripts/faults.sh` does it hundreds of times.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may")]
mod clock;
mod disk;
mod kills;
mod removed;
mod support;
