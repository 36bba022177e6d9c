//! Attaches to a running HotSpot JVM and records facts about its pauses.
//!
//! * [`find_jvms`], [`jvm()`], [`select`]: the JVMs of this host, found in `/proc`.
//! * [`Session`]: one recording. [`Session::step`] sleeps until the next drain and returns the
//!   [`Facts`](recording::Facts) that became final.
//! * [`SampledSession`]: the same without privilege, from samples of what `/proc` tells.
//! * [`ThreadNames`] and [`SafepointLog`]: what only the JVM itself can tell, where the user wants
//!   it asked.
//!
//! The kernel side (`src/bpf`) watches the JVM's safepoint probes and what its threads do inside
//! safepoints; background threads read what `/proc` and the GC log tell. The recorder never
//! lengthens a pause: no wake-up per event, no stack where it says nothing, nothing decoded that
//! is not wanted, no write to a disk. [`SafepointLog`] and [`set_log_output`] change outputs of the JVM's log,
//! where that is asked for.
#[cfg_attr(not(feature = "bpf"), allow(dead_code, reason = "probes alone are let go"))]
mod aside;
mod attach;
mod attach_error;
mod cost;
#[cfg(fuzzing)]
pub mod fuzzing;
mod host;
#[cfg_attr(
    not(feature = "bpf"),
    allow(dead_code, unused_imports, reason = "only the part that loads programs is left out")
)]
mod kernel;
mod options;
mod own_memory;
mod process;
mod residency;
mod rights;
mod sampler;
mod session;
mod stop_state;

pub use aside::{Lock, end_readers};
pub use attach::{
    CodeNames, ConnectionError, JavaStacks, Journal, LogOutput, MemoryDirectory, SafepointLog,
    StallStacks, ThreadNames, log_outputs, set_log_output,
};
pub use attach_error::AttachError;
pub use host::{
    Account, Anybodys, Arguments, Directory, Found, HostSources, Jvm, JvmError, MemoryGroups,
    MemorySample, MemoryWatch, Roots, Selected, StandIn, Stat, Stuck, StuckThread, Whose,
    absolute_path, account_of, chosen, control_group, directory_of, find_jvms, group_directory,
    host_fact, host_settings, jvm, jvm_fact, memory_groups, now, sees_our_mounts, select,
    shares_our_users, stand_in_for, stat, stat_of, stats, survey, surveys, unescaped, variable_of,
};
pub use kernel::Windows;
pub use options::{Options, Step};
pub use own_memory::{drop_program_pages, give_memory_back};
pub use residency::{BroughtIn, bring_in, swapped_bytes};
pub use rights::{Duties, keep_rights_to_write, keep_search_rights};
pub use sampler::SampledSession;
pub use session::{ProgramCost, Session};
pub use stop_state::are_stopped;
