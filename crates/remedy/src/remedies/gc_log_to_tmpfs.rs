//! # Write the GC log to memory
//!
//! ## What it changes
//! The log goes to a file on tmpfs that is bounded in size, with the JVM's process id in its name, so that two JVMs never share one.
//! A running JVM is told through its attach mechanism: first the new output, then the old one off.
//!
//! ## What it costs
//! Memory: up to 24 MiB for each JVM.
//! The log is gone after a reboot: copy it to a disk from outside.
//!
//! ## How to see that it helped
//! `jcmd PID VM.log list` shows the new file and not the old one.
//!
//! ## How to undo it
//! The same commands with the names of the two files changed over.
//!
//! ## References
//! HotSpot `logging/logDiagnosticCommand.cpp` (`VM.log`), `logging/logFileOutput.cpp`.
//! Zhuang, Tran, Ramachandra, Sridharan: "OS-Caused Large JVM Pauses: Investigations and Solutions", 2016, approach 4.
use crate::{Advice, Remedy, jvm, log_output};
use diagnose::{Detail, Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "gc-log-to-tmpfs",
    title: "Write the GC log to memory",
    summary: "A log in memory never waits for a disk; a running JVM (JDK 9 and later) can be told to move it.",
    file: include_str!("gc_log_to_tmpfs.rs"),
    advise,
};

fn advise(situation: &Situation, finding: &Finding) -> Vec<Advice> {
    let (Some(jvm), Some(version)) = (&situation.jvm, situation.feature()) else {
        return Vec::new();
    };
    if matches!(finding.detail, Detail::Stream(_)) {
        return Vec::new();
    }
    let now = (version >= 9).then(|| {
        let whose = jvm::whose_jcmd(jvm);
        Advice::now(
            log_output::move_commands(jvm, MEMORY),
            format!("the new log is in memory, up to 24 MiB: copy it before a reboot{whose}"),
        )
    });
    // A later JDK has a log that waits for nobody.
    let next = (version < 17).then(|| {
        let note = "this JDK has no asynchronous log; up to 24 MiB of memory, copy the log to a disk from outside";
        let advice = Advice::at_next_start(log_output::flags_in(jvm, MEMORY), note);
        advice.in_place_of(log_output::replaced(jvm))
    });
    now.into_iter().chain(next).collect()
}

/// Memory on every Linux; in a container it may be as small as 64 MiB.
const MEMORY: &str = "/dev/shm";
