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
//! * [`Writer`], [`BackgroundWriter`]: writing; [`Recording::open`]: reading.
//! * [`Table`]: name, columns, units and documentation of each table.
//!
//! # On storage
//!
//! A recording is a directory. It is one if it holds at least one part of a table:
//!
//! ```text
//! slices-0000.parquet       sealed: Parquet with zstd, complete, checksum inside
//! slices-0001.arrows        live: Arrow IPC stream, grows by one batch per write
//! slices-0001.parquet.tmp   being sealed; ignored
//! coverage-0000.arrows.tmp  space for the last row of coverage on a full disk; ignored
//! ```
//!
//! The number counts rotations. Parts of one table are read in the order of their numbers; a live
//! and a sealed part of one number hold the same rows, and the sealed one is taken.
//! A part is sealed by writing it aside, syncing it, renaming it, syncing the directory and then
//! removing the segment, so that a crash at any moment leaves every row in at least one file.
//! Whatever a crash left, [`Recording::open`] reads it as it is and writes nothing.
//! Each row of `coverage` counts the rows that every table had by then ([`Manifest`]), so that what
//! was damaged or deleted afterwards is missed.
//! A killed recorder loses what it had not handed to [`Writer::write`] yet, and a batch that was
//! torn in the middle of its write, but nothing before it.
//!
//! All numbers are plain integers with the unit in the column's name; times are nanoseconds on
//! `CLOCK_MONOTONIC`, and `clocks` has the way to the wall clock. With DuckDB:
//!
//! ```sql
//! SELECT state, sum(end_ns - start_ns) / 1e6 AS ms FROM 'rec/slices-*.parquet' GROUP BY state;
//! ```
mod background;
mod bounds;
mod clock;
mod columns;
mod cost;
mod coverage;
mod default_directory;
mod directory;
mod error;
mod facts;
mod interpreters;
mod kept;
mod limits;
mod log_lines;
mod log_option;
mod losses;
mod manifest;
mod new_file;
mod outputs;
mod part;
mod partitions;
mod reader;
mod recording;
mod reserve;
mod schema;
mod seal;
mod sealed;
mod secrets;
mod segment;
mod shed;
mod surroundings;
mod survey;
mod syscalls;
mod tables;
#[cfg(test)]
mod tests;
mod thinning;
mod thread;
mod thrift;
mod trusted_path;
mod vm_flags;
mod writer;

pub use background::BackgroundWriter;
pub use clock::{Clock, ClockOffset, Interval, MonoTime};
pub use coverage::{Coverage, DROPPED_STALLS, Manifest, Note, Source, SourceState, TableRows};
pub use default_directory::{RecordingDirectory, default_directory, directory_with, new_directory};
pub use error::RecordingError;
pub use facts::{
    CodeFact, Cut, Facts, FileFact, HostFact, JavaStackFact, JvmFact, KernelWork, KernelWorkKind,
    SafepointFact, SafepointTotals, Sample, StackFact, VmOperationFact, WriterFact,
};
pub use interpreters::runs_scripts;
pub use kept::{Kept, KeptKind, KeptLimits, KeptStore, directory_of, kept_in};
pub use limits::Limits;
pub use log_lines::{LogLine, PackedLines};
pub use log_option::{LogOption, LogTarget, gc_log_file, gc_log_options, log_option_parts};
pub use new_file::NewFile;
pub use outputs::{OutputFact, OutputKind, OutputReaderFact};
pub use partitions::{PartitionLimits, PartitionStore, partition_value};
pub use reader::is_recording;
pub use recording::Recording;
pub use schema::{Column, Kind, SCHEMA_VERSION, Table};
pub use sealed::ForeignRows;
pub use secrets::{MASK, masked, masked_flag, masked_log_line};
pub use surroundings::{CgroupFact, CpuUserFact, MemoryFact, PerfCounterFact};
pub use survey::{DeletedFile, HostSettings, MemorySettings, Survey};
pub use syscalls::Architecture;
pub use thread::{FileKey, OffCpuCause, Release, ThreadFact, ThreadRole, ThreadSlice, ThreadState};
pub use vm_flags::{Setting, VmFlag, VmFlags, vm_size};
pub use writer::{Summary, Writer};
