//! Every scenario of the lab. A program of its own: what runs beside it, such as other tests, takes
//! CPU time that makes pauses of its own. Needs root, BTF and a JDK.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may")]
mod every;
#[path = "../live/java.rs"]
#[allow(dead_code, reason = "only a part of it is used here")]
mod java;
#[path = "../live/one_lab.rs"]
mod one_lab;
