//! A collection, and what was known when it happened.
use super::{eden::EdenShrink, failures::OldSpace, pressure::Pressure, usual::Beyond};
use gclog::GcEvent;
use std::time::Duration;

/// What was known when a collection happened, beyond its own lines.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Circumstances {
    /// It ran while the young generation was small after a slow reference phase.
    pub(crate) eden_shrunk: Option<EdenShrink>,
    /// The heap was nearly full, or collections came one after the other.
    pub(crate) pressure: Option<Pressure>,
    /// The old generation as it was before.
    pub(crate) old: OldSpace,
    /// It took far longer than its kind usually does.
    pub(crate) beyond: Option<Beyond>,
    /// What collections of its kind take that do not wait, where it is long.
    pub(crate) undisturbed: Option<Duration>,
    /// How many threads can collect at once, where the log says so, else 0.
    pub(crate) workers: u32,
}

/// A collection with its circumstances.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Collection {
    pub(crate) gc: Box<GcEvent>,
    pub(crate) around: Circumstances,
}

/// `User` and `Sys` are each counted and printed in hundredths of a second: together they may be too
/// small by this, so that only a larger difference says anything.
const CPU_TIMES_ROUNDING: Duration = Duration::from_millis(20);

/// Whether a collection used less CPU time than it took, by more than rounding: its threads waited.
pub(crate) fn lacks_cpu_time(gc: &GcEvent) -> bool {
    gc.cpu.is_some_and(|it| it.user + it.sys + CPU_TIMES_ROUNDING < gc.duration)
}
