//! What the recorder reads outside the kernel's tracing: `/proc`, `/sys` and the JVM's GC log.
//!
//! The roots of `/proc` and `/sys` are a parameter everywhere ([`Roots`]), so that tests run on
//! directories.
//! Nothing here asks the JVM for anything (no attach, no signal; of `hsperfdata` only the layout
//! is read), nothing is written, and files whose names others choose are opened only after they
//! proved to be regular.
//!
//! Whatever may wait for a disk or for a lock of another process runs in the background threads
//! of [`HostSources`]; the thread that drains the kernel's events never does.
mod block_devices;
mod cgroup;
mod cgroup_limits;
mod clocks;
mod collector;
mod command_line;
mod counters;
mod counters_file;
mod cpu_users;
mod file_resolver;
mod files;
mod flags;
#[cfg(fuzzing)]
pub(crate) mod fuzzed;
pub(crate) mod gc_log;
mod host_facts;
mod inside;
mod jvm;
mod jvm_fact;
mod jvms;
mod launch;
mod layers;
mod libjvm;
mod mapped;
mod maps;
mod memory;
mod memory_groups;
mod memory_watch;
mod mounts;
mod outbox;
mod outputs;
mod pace;
mod perf_layout;
mod place;
#[cfg_attr(
    not(feature = "bpf"),
    allow(
        dead_code,
        reason = "without probes no process is in the \
                          way"
    )
)]
mod probed_library;
mod process;
mod processes;
mod rights;
mod rounds;
mod sleeper;
mod sources;
mod stand_in;
mod status;
mod stuck;
mod survey;
mod tail;
mod version;
mod writer_details;
mod writers;

#[cfg(test)]
mod tests;

pub use cgroup::{control_group, group_directory};
pub(crate) use cgroup::{cpu_groups, freezer_groups};
pub(crate) use cgroup_limits::throttled_ns;
pub use clocks::now;
pub(crate) use clocks::thread_cpu;
pub(crate) use counters::Counters;
pub(crate) use counters_file::CountersFile;
pub(crate) use flags::{Given, Named, read as flags};
pub use host_facts::host_fact;
pub(crate) use inside::Unopened;
pub use jvm::{Arguments, Jvm};
pub use jvm_fact::jvm_fact;
pub use jvms::{
    Account, Anybodys, Found, JvmError, Selected, Whose, account_of, find_jvms, jvm, select,
    shares_our_users,
};
pub(crate) use libjvm::open_libjvm;
pub(crate) use mapped::open as open_mapped;
pub use maps::unescaped;
pub(crate) use maps::{
    anonymous_code, each as each_mapping, library_base, private_memory, written_back,
};
pub use memory_groups::{MemoryGroups, memory_groups};
pub use memory_watch::{MemorySample, MemoryWatch};
#[cfg(fuzzing)]
pub(crate) use perf_layout::parse as perf_counters;
pub use place::{Directory, absolute_path, directory_of, sees_our_mounts, variable_of};
pub(crate) use probed_library::ProbedLibrary;
pub(crate) use process::{ProcessDir, cpu_of};
pub use process::{Stat, stat, stat_of, stats};
pub(crate) use rights::{By, Rights};
pub use sources::HostSources;
pub use stand_in::{StandIn, stand_in_for};
pub(crate) use status::Status;
pub use stuck::{Stuck, StuckThread};
pub use survey::{chosen, host_settings, survey, surveys};

use std::path::PathBuf;

/// Where the kernel's file systems are mounted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roots {
    /// The host's `proc`; `/proc` unless a container has it elsewhere.
    pub proc: PathBuf,
    /// The host's `sysfs`; `/sys` likewise.
    pub sys: PathBuf,
}

impl Default for Roots {
    fn default() -> Roots {
        Roots { proc: "/proc".into(), sys: "/sys".into() }
    }
}
