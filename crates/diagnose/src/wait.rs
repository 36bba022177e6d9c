//! What a stretch of a thread waits for: decided once, for all who ask.
//!
//! A stretch may show several: a write to the log may wait for memory, as anything may. What comes of that is
//! the causes' affair: the first of them that wants one of these has it. How exactly a thread was blocked on
//! its way to a disk is a mechanism, which has a file of its own in `mechanisms/`.
mod blocked;
mod idle;
pub(crate) mod outputs;
mod sampled;

pub(crate) use blocked::{Blocked, Wait, Waits};
pub(crate) use idle::{is_idle, is_idle_outside_of_stops};
