//! # Log CPU times and stops
//!
//! ## What it changes
//! The GC log shows the CPU time of each collection and the length of each stop.
//! A collection that took far longer than its CPU time waited; one that used it worked.
//!
//! ## What it costs
//! A longer log: some ten lines for a collection.
//!
//! ## How to undo it
//! Leave the flags out at the next start.
//! On JDK 9 and later `jcmd PID VM.log` switches the tags on and off while the JVM runs.
//!
//! ## References
//! HotSpot `gc/shared/gcTraceTime.cpp`, `runtime/safepoint.cpp`.
use crate::{Action, Advice, Remedy};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "cpu-times",
    title: "Log CPU times and stops",
    summary: "`-Xlog:gc*,safepoint`, before JDK 9 `-XX:+PrintGCDetails -XX:+PrintGCApplicationStoppedTime`, shows whether a long collection worked or waited.",
    page: diagnose::page!("cpu_times.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    let flags = match situation.feature() {
        Some(..9) => Action::flags(["-XX:+PrintGCDetails", "-XX:+PrintGCApplicationStoppedTime"]),
        _ => Action::flag("-Xlog:gc*,safepoint:file=PATH"),
    };
    vec![Advice::at_next_start(flags, "shows the CPU time of each collection and each stop")]
}
