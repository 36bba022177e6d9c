//! # Take the GC log off standard output
//!
//! ## What it changes
//! The log, with the warnings that standard output had, goes to a file on tmpfs, and the JVM writes nothing to the stream any more.
//! Then no reader of a pipe can hold it up.
//!
//! ## What it costs
//! A program that collects standard output no longer sees the log; up to 24 MiB of memory.
//!
//! ## How to see that it helped
//! `jcmd PID VM.log list` shows the stream with `all=off`.
//!
//! ## How to undo it
//! `whypause fix --undo gc-log-off-stdout`; `jcmd PID VM.log output=stdout what=gc*`, or leave the flags out at the next start.
//!
//! ## References
//! HotSpot `logging/logFileStreamOutput.cpp`; Linux `fs/pipe.c`.
use crate::{
    Advice, Plan, Refusal, Remedy, Target,
    live_log::{self, Moved},
    log_output,
};
use diagnose::{Detail, Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "gc-log-off-stdout",
    title: "Take the GC log off standard output",
    summary: "A log on standard output goes to a file of bounded size instead, and the output is switched off.",
    page: diagnose::page!("gc_log_off_stdout.rs"),
    advise,
    plan: Some(plan),
    takes_files: true,
    ..Remedy::BASE
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

fn plan(target: &Target<'_>) -> Result<Plan, Refusal> {
    let jvm = target.the_jvm()?;
    let outputs = live_log::outputs(target)?;
    let streams: Vec<_> = outputs
        .iter()
        .filter(|it| it.file().is_none() && !it.is_off() && it.what != DEFAULT)
        .collect();
    if streams.is_empty() {
        let message = format!("{} (pid {}) writes no log to a standard stream", jvm.main, jvm.pid);
        return Err(Refusal::new(message, "there is nothing to move"));
    }
    let kept_in = target.wishes.paths.first().map(|it| it.display().to_string());
    let moved: Vec<_> = streams
        .into_iter()
        .map(|from| Moved { from, name: format!("{}.log", from.name), kept_in: kept_in.clone() })
        .collect();
    let plan = Plan::new(REMEDY.id).note(
        "the JVM waits for each change until the reader of its stream makes room, as it does for every line",
    );
    live_log::move_to_memory(plan, target, &moved)
}

/// What goes to standard output by default: warnings.
const DEFAULT: &str = "all=warning";

const MEMORY: &str = "/dev/shm";
