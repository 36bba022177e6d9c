//! Makes each kind of pause happen on purpose, cleanly, and checks that the program explains it.
//!
//! A [`Scenario`] has variants: a baseline, a fault, and fixes. For each of them the lab prepares
//! the host (a [`SlowDisk`], say), starts a JVM with a workload, lets the program itself record
//! and explain it, and compares the answer with the truth, which it knows because it made it.
//!
//! Whatever the lab changes on the host it writes down first and undoes afterwards, see
//! [`cleanup`].
mod announcement;
pub mod background_writer;
mod bench;
pub mod busy_loops;
pub mod chart;
mod class;
pub mod cleanup;
mod collector;
mod control_group;
pub mod demo;
mod disk;
pub mod disturbance;
mod error;
pub mod explained;
pub mod fast_disk;
pub mod fragmenter;
pub mod freezer;
pub mod guardian;
mod hold;
mod host;
pub mod huge_pages;
pub mod in_use;
mod interrupt;
pub mod isolation;
pub mod jdks;
pub mod jvm;
pub mod large_blocks;
mod lengths;
mod listed;
pub mod loop_device;
mod mapping;
pub mod matrix;
pub mod memory_group;
pub mod memory_hog;
mod observe;
mod on_disk;
mod once;
mod output;
mod picture;
mod privilege;
pub mod process;
mod process_id;
pub mod reproduce;
pub mod result;
mod run;
mod sample;
pub mod scenarios;
pub mod slow_disk;
pub mod slow_file;
pub mod slow_swap;
mod small_file;
mod socket_peer;
mod soft_limit;
mod stage;
mod stdout_reader;
pub mod sweep;
pub mod sync_loop;
mod table;
pub mod takes;
#[cfg(test)]
mod test_dir;
mod tool;
mod verdict;
pub mod verify_writes;
pub mod work_dir;
pub mod workloads;

pub use background_writer::BackgroundWriter;
pub use busy_loops::BusyLoops;
pub use class::Class;
pub use cleanup::{Cleanup, Undo};
pub use collector::Collector;
pub use disturbance::Disturbance;
pub use error::{LabError, Reason};
pub use fragmenter::Fragmenter;
pub use freezer::Freezer;
pub use hold::{HoldOptions, hold};
pub use host::Host;
pub use in_use::InUse;
pub use interrupt::Interrupt;
pub use isolation::Isolation;
pub use jdks::Jdk;
pub use listed::list_json;
pub use matrix::{Matrix, MatrixOptions};
pub use memory_group::MemoryGroup;
pub use memory_hog::MemoryHog;
pub use on_disk::{OnDiskOptions, on_disk};
pub use output::Output;
pub use privilege::Privilege;
pub use process::Running;
pub use process_id::ProcessId;
pub use reproduce::{ReproduceOptions, Reproduced, reproduce};
pub use result::RunResult;
pub use run::{Cleaned, Format, RunOptions, clean, run};
pub use scenarios::{JudgedBy, Role, Scenario, Variant, find as scenario};
pub use slow_disk::SlowDisk;
pub use stage::{Stage, Staged};
pub use sweep::{SweepOptions, sweep};
pub use sync_loop::SyncLoop;
pub use takes::Takes;
pub use verdict::Outcome;
pub use work_dir::WorkDir;

/// All scenarios, in the order of the list.
#[must_use]
pub fn list() -> &'static [&'static Scenario] {
    scenarios::ALL
}
