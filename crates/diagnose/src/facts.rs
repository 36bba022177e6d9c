//! The facts of a recording, arranged to be looked up: by thread, by time, by file; and the JVM and its host.
//!
//! What a fact means for a pause does not belong here.
pub(crate) mod feature_version;
pub(crate) mod host_lines;
pub(crate) mod index;
pub(crate) mod input_summary;
pub(crate) mod kernel_work;
pub(crate) mod situation;
pub(crate) mod stacks;
mod stood_still;
pub(crate) mod syscalls;
pub(crate) mod timeline;
