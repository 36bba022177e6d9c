//! What tests of several crates need alike: JDKs, JVMs, disks and control groups of their own, and
//! waiting.
//!
//! Only tests may depend on it. What it starts, mounts or makes ends with its value, and also where
//! the test is killed. It panics where that is how a test is to fail, and where this host cannot do
//! something it prints `SKIPPED: why`.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "it is for tests")]
mod directory;
mod disk;
mod group;
mod jdk;
mod jvm;
mod pipe;
mod process;
mod program;
mod wait;

use std::time::Duration;

pub use directory::CommonDirectory;
pub use disk::{Disk, Frozen};
pub use group::Group;
pub use jdk::Jdk;
pub use jvm::{Java, JvmProcess, busy, busy_command, ready};
pub use pipe::pipe;
pub use process::{is_root, runs, signal};
pub use program::program;
pub use wait::until;

/// A JVM is ready within this, a tool has ended, and what is waited for is so, on any host that is
/// not overloaded beyond use.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// The user, and the group, without any rights of its own (`nobody`).
pub const NOBODY: u32 = 65_534;
