//! The tables: one file each, rows to columns and back.
mod cgroup;
mod clocks;
mod code;
mod coverage;
mod cpu_users;
mod files;
mod host;
mod java_stacks;
mod jvm;
mod kernel_work;
mod log_lines;
mod memory;
mod output_readers;
mod outputs;
mod perf_counters;
mod safepoints;
mod samples;
mod slices;
mod stacks;
mod threads;
mod writers;

use crate::schema::Table;

/// All tables. A batch is written in this order: first what others refer to.
pub(crate) static ALL: [&Table; 21] = [
    &jvm::TABLE,
    &host::TABLE,
    &cgroup::TABLE,
    &clocks::TABLE,
    &threads::TABLE,
    &files::TABLE,
    &perf_counters::TABLE,
    &stacks::TABLE,
    &safepoints::TABLE,
    &slices::TABLE,
    &kernel_work::TABLE,
    &code::TABLE,
    &java_stacks::TABLE,
    &log_lines::TABLE,
    &samples::TABLE,
    &writers::TABLE,
    &memory::TABLE,
    &cpu_users::TABLE,
    &outputs::TABLE,
    &output_readers::TABLE,
    &coverage::TABLE,
];
