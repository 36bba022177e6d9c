//! Text of GC and safepoint logs of HotSpot JVMs, turned into events.
//!
//! Borrowed bytes in, [`Event`]s out. This crate opens no files and knows nothing of the operating
//! system: a caller reads a file, a tail or a recording, cuts it into lines with [`LineSplitter`]
//! and gives them to a [`Parser`]. [`LogKind::detect`] says from the first bytes whether it is
//! worth it, and if not, what the file is instead.
//!
//! # What is read
//!
//! - Unified logging (`-Xlog`) of every collector, JDK 9 to 25, with any decorators: one event per
//!   collection, stop, begin or end of a concurrent cycle, and fact about the JVM. Several JVMs may
//!   write to one log, and a container runtime or syslog may put something before each line.
//! - Legacy logs (JDK 1.3 to 8) of Serial, `ParNew`, CMS, Parallel, G1 and Shenandoah, with any of
//!   the `Print…` options in any mixture: each stop-the-world record as one event, however other
//!   threads wrote into it; stops; concurrent cycles; the header.
//! - In application logs the lines of monitors that noticed a pause, such as those of Hadoop, Cassandra,
//!   Elasticsearch, Trino ([`Monitor`]).
//!
//! # Promises
//!
//! - Reading never fails: what cannot be read is counted ([`LineCounts`]) and skipped, and no
//!   input makes it panic.
//! - Bounded memory, independent of the size of the log and of its lines.
//! - A line cut short is counted as malformed; it never becomes an event with a smaller number.
//! - No floating point: durations are exact as printed.
//!
//! # Where things are
//!
//! One file per family of lines: `unified/decorations.rs`, `unified/safepoint.rs`,
//! `unified/pause.rs`, `unified/phases.rs`, `unified/detail.rs` (what collectors share) and one per
//! collector, such as `unified/g1.rs`. Legacy logs have `legacy/`, which begins with how they are
//! read. `jvms.rs` separates JVMs that write to one place, `jvm.rs` is one of them,
//! `join.rs` and `details.rs` put the lines of one collection together, whatever its collector,
//! `cycles.rs` those of a concurrent cycle. `clean.rs` and `unwrap.rs` remove what other programs
//! put around a
//! line. `monitors/` reads the pauses that applications report.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod clean;
mod counts;
mod cycles;
mod date_time;
mod dates;
mod details;
mod display;
mod event;
mod gc_kind;
mod heap;
mod join;
mod jvm;
mod jvms;
mod kind;
mod legacy;
mod lines;
mod monitor;
mod monitors;
mod parser;
mod phase;
mod possible;
mod scan;
mod stamp;
mod unified;
mod unwrap;

pub use counts::{LineCounts, Unrecognised};
pub use event::{
    AllocationStall, Collector, ConcurrentCycle, CpuTimes, CycleEdge, CycleScope, Event, Failures,
    GcEvent, HumongousAllocation, InitFact, JvmEvent, Safepoint, SafepointThreads,
};
pub use gc_kind::{GcKind, YoungKind};
pub use heap::{Extent, Generation, Space, Transition};
pub use kind::{Foreign, LogKind, NotAGcLog, looks_like_gc_log};
pub use lines::{LineSplitter, MAX_LINE};
pub use monitor::{ClockJump, CollectionShare, Monitor, MonitorPause};
pub use parser::Parser;
pub use phase::{FreeSpace, GcPhase, PhaseTime, References, Step, Tenuring};
pub use stamp::Stamp;
pub use unified::{SafepointError, parse_safepoint};

/// The offset from UTC, in minutes, of the date in a line, unified or legacy; nothing of a line without
/// a date.
#[must_use]
pub fn utc_offset_minutes(line: &[u8]) -> Option<i16> {
    dates::offset_minutes_of(line)
}

/// When a line was written, without reading its message: what a caller needs to put a log beside
/// other clocks. Of a legacy log it may be when the event began. Empty for a line without stamps.
#[must_use]
pub fn stamp_of(line: &[u8]) -> Stamp {
    let (decorations, _) = unified::decorations::split(line);
    let stamp = unified::decorations::stamp(decorations, &mut dates::Dates::default());
    if stamp == Stamp::default() { legacy::stamp_of(line) } else { stamp }
}
