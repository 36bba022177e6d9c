//! # Keep the JVM's counters in memory
//!
//! ## What it changes
//! `-XX:+PerfDisableSharedMem`: the counters that the JVM publishes in `/tmp/hsperfdata_USER/PID` stay in its own memory, and no page fault on them waits for a disk.
//!
//! ## What it costs
//! `jps` and `jstat` no longer see the JVM, and `jcmd` finds it by process id only.
//!
//! ## How to see that it helped
//! No file of the JVM's process id is in `/tmp/hsperfdata_USER`.
//!
//! ## How to undo it
//! Leave the flag out at the next start.
//!
//! ## References
//! HotSpot `runtime/perfMemory.cpp`, `os/posix/perfMemory_posix.cpp`.
//! Luu (2015), Nitsan Wakart (2015): the statistics file behind a four-month hunt.
use crate::{Action, Advice, Plan, Refusal, Remedy, Target, start_flags};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "perf-shared-mem-off",
    title: "Keep the JVM's counters in memory",
    summary: "`-XX:+PerfDisableSharedMem` keeps the counters out of any file; `jps`, `jstat` and `jcmd` by name no longer find the JVM, `jcmd PID` does.",
    page: diagnose::page!("perf_shared_mem_off.rs"),
    advise,
    plan: Some(plan),
    ..Remedy::BASE
};

fn advise(situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    let is_off =
        situation.is_on("PerfDisableSharedMem") || situation.switch("UsePerfData") == Some(false);
    if situation.jvm.is_none() || is_off {
        return Vec::new();
    }
    vec![Advice::at_next_start(
        Action::flag("-XX:+PerfDisableSharedMem"),
        "jps and jstat no longer see the JVM; jcmd PID, jstack and JMX work as before",
    )]
}

fn plan(target: &Target<'_>) -> Result<Plan, Refusal> {
    start_flags::plan(Plan::new(REMEDY.id), target, &["-XX:+PerfDisableSharedMem"])
}
