//! What only the JVM itself can answer, requested through its attach mechanism: what `jcmd`
//! does, without starting a JVM for it.
//!
//! A request may make the JVM stop for a moment (`Thread.print` is a VM operation), so it is done only
//! where the user said so.
mod answer;
mod code_list;
mod code_names;
mod dump;
mod error;
#[cfg(fuzzing)]
pub(crate) mod fuzzed;
mod java_stacks;
mod journal;
mod log_outputs;
mod memory_directory;
mod request;
mod safepoint_log;
mod socket;
mod stall_stacks;
mod thread_names;
mod until;

pub use code_names::CodeNames;
pub use error::ConnectionError;
pub use java_stacks::JavaStacks;
pub use journal::Journal;
pub use log_outputs::{LogOutput, log_outputs, set_log_output};
pub use memory_directory::MemoryDirectory;
pub use safepoint_log::SafepointLog;
pub use stall_stacks::StallStacks;
pub use thread_names::ThreadNames;
