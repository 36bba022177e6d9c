//! Doors for the programs in `fuzz/`: parsers of what others wrote, given any text. Only there
//! when built by them (`--cfg fuzzing`).
pub use crate::{attach::fuzzed::answers, host::fuzzed::argument_files};
use crate::{
    host::{self, gc_log},
    kernel,
    sampler::text::check,
};

/// Reads a text as each of the files in `/proc/PID` that others have a hand in: names of threads,
/// of files, of mounts and of groups.
///
/// # Panics
///
/// Where something does not hold.
pub fn proc_texts(text: &[u8]) {
    host::fuzzed::proc_texts(text);
    check(text);
}

/// Reads a JVM's options as those of its log, and whether an open file may be the log that one of
/// them names. Each must hold whatever the options are.
///
/// # Panics
///
/// Where something does not hold.
pub fn xlog_options(flags: &[String], cwd: &str, path: &str) {
    let streams = gc_log::standard_streams(flags);
    assert!(matches!(streams[..], [] | [1] | [2] | [1, 2]), "{streams:?}");
    let outputs = gc_log::outputs(flags);
    assert!(outputs.len() <= flags.len());
    for output in &outputs {
        let Some(name) = &output.name else { continue };
        assert!(flags.iter().any(|it| it.len() >= name.len()));
        let whole = gc_log::is_path(name, cwd, path);
        let last = gc_log::is_file_name(name, cwd, path);
        // Whoever wrote the name meant the last part of it as well.
        assert!(!whole || last || name.contains('%'), "`{name}` is `{path}`");
    }
}

/// What is found in a JVM's file of performance counters.
#[must_use]
pub fn perf_counters(bytes: &[u8]) -> Vec<recording::PerfCounterFact> {
    host::perf_counters(bytes)
}

/// How many places of probes, and how many functions, are found in a `libjvm.so`.
#[must_use]
pub fn read_libjvm(bytes: &[u8]) -> (usize, usize) {
    kernel::read_libjvm(bytes)
}
