//! From paths to what is to be explained: recordings, and GC logs wherever they are; and from one of them to
//! what it tells.
//!
//! [`find`] says what paths name; [`log`] and [`recording()`] read it, and give each pause to a [`Take`] as soon
//! as it is known.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod enough;
mod error;
mod found;
mod hosts;
mod read;

pub use enough::enough;
pub use error::Error;
pub use found::{Input, find};
pub use hosts::{HostInputs, Hosts, hosts};
pub use read::{ReadLog, Take, again, log, log_offset_min, recording};
