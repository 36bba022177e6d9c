//! # Take the GC log off standard output
//!
//! ## What it changes
//! The log, with the warnings that standard output had, goes to a file on tmpfs, and the JVM writes nothing to the stream any more.
//! Then no reader of a pipe can hold it up.
//!
//! ## What it costs
//! Whoever collects standard output no longer sees the log; up to 24 MiB of memory.
//!
//! ## How to see that it helped
//! `jcmd PID VM.log list` shows the stream with `all=off`.
//!
//! ## How to undo it
//! `jcmd PID VM.log output=stdout what=gc*`, or leave the flags out at the next start.
//!
//! ## References
//! HotSpot `logging/logFileStreamOutput.cpp`; Linux `fs/pipe.c`.
use crate::{Advice, Remedy, log_output};
use diagnose::{Detail, Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "gc-log-off-stdout",
    title: "Take the GC log off standard output",
    summary: "A log on standard output goes to a file of bounded size instead, and the output is switched off.",
    file: include_str!("gc_log_off_stdout.rs"),
    advise,
};

fn advise(situation: &Situation, finding: &Finding) -> Vec<Advice> {
    let Detail::Stream(output) = &finding.detail else { return Vec::new() };
    let (Some(jvm), Some(version)) = (&situation.jvm, situation.feature()) else {
        return Vec::new();
    };
    let stream = if output.fd == 2 { "stderr" } else { "stdout" };
    let now = (version >= 9).then(|| {
        Advice::now(
            log_output::leave_stream_commands(jvm, stream, MEMORY),
            "each command blocks until the reader makes room; then the log is in memory, up to 24 MiB",
        )
    });
    let next = Advice::at_next_start(
        log_output::leave_stream_flags(jvm, MEMORY),
        "after all other log flags; the log is in memory, up to 24 MiB",
    );
    now.into_iter().chain([next]).collect()
}

const MEMORY: &str = "/dev/shm";
