//! Facts about one JVM on one host over an interval: their types, their tables, how they are
//! written and how they are read back.
//!
//! A recording holds facts, never conclusions: pauses and their causes are computed on reading
//! (crate `diagnose`), so that an old recording profits from a new cause.
//! This crate knows nothing of causes and nothing of how facts are collected.
//!
//! * [`Clock`], [`MonoTime`], [`Interval`]: times that say which clock they are on.
//! * [`Facts`]: one batch of rows of every table; a [`Recording`] is all of them.
//! * [`Coverage`]: which sources ran, what was lost, what could not be read.
mod clock;
mod coverage;
mod facts;
mod recording;
mod thread;

pub use clock::{Clock, ClockOffset, Interval, MonoTime};
pub use coverage::{Coverage, Note, Source, SourceState};
pub use facts::{
    Facts, FileFact, HostFact, JvmFact, KernelWork, KernelWorkKind, LogLine, SafepointFact,
    SafepointTotals, Sample, StackFact, VmOperationFact, WriterFact,
};
pub use recording::Recording;
pub use thread::{FileKey, OffCpuCause, ThreadFact, ThreadRole, ThreadSlice, ThreadState};
