//! What the untrusted user of a JVM may try against a recorder that runs as root.
//!
//! Each attack is made by real processes of another user (`nobody`), where privilege matters.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may")]
mod actor;
mod another_program;
mod attach;
#[path = "../common/mod.rs"]
mod common;
mod killed;
mod libjvm;
mod named_files;
mod nobody;
mod own_jdk;
mod rights;
