//! Recording without privilege: the state of the JVM's threads, read from `/proc` every few
//! milliseconds, where the kernel may not be asked to report.
//!
//! A sample alone says little. But `schedstat` counts how long a thread ran and how long it waited
//! for a CPU, to the nanosecond, so that two samples of it tell all of the time between them but where
//! in it the thread was blocked ([`track`]). A thread whose counts stand still is where it was
//! before, so thin a sample at a sleeping thread costs one read. What the JVM counts of its own stops
//! ([`stops`]) says when to sample closely, and what of all this is worth keeping ([`keep`]).
//!
//! Nothing here needs more than to be the same user as the JVM; nothing is written, no JVM is asked,
//! and none of its memory is touched.
mod counted;
mod counts;
mod credit;
mod freezer;
mod idle;
mod keep;
mod quota;
mod reported;
mod session;
mod standing;
mod stops;
mod task;
pub(crate) mod text;
mod track;
mod watch;

pub(crate) use counted::CountedStops;
pub(crate) use idle::Idle;
pub use session::SampledSession;
pub(crate) use standing::{Snapshot, Standing, sample};
pub(crate) use task::Task;
pub(crate) use text::Counted;
pub(crate) use track::Seen;
