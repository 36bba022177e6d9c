//! `whypause fix` on real JVMs: what is applied, what is there after it is taken back, and after it was
//! killed on the way. Needs root and a JDK from 9 on.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may")]
mod attacks;
mod interleaved;
mod jvm;
mod killed;
mod log;
mod memory;
mod mounts;
mod rights;
mod start;
mod tuner;
