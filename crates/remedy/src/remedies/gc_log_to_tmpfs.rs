//! # Write the GC log to memory
//!
//! ## What it changes
//! The log goes to a file on tmpfs that is bounded in size, with the JVM's process id in its name, so that two JVMs never share one.
//! The output of a running JVM is changed through its attach mechanism: first the new output, then the old one off.
//!
//! ## What it costs
//! Memory: up to 24 MiB for each JVM.
//! What is only in memory is gone after a reboot: `whypause fix` also copies it to where the log was, every 5 s, compressed.
//!
//! ## How to see that it helped
//! `jcmd PID VM.log list` shows the new file and not the old one.
//!
//! ## How to undo it
//! `whypause fix --undo gc-log-to-tmpfs`, or the same commands with the names of the two files changed over.
//!
//! ## References
//! HotSpot `logging/logDiagnosticCommand.cpp` (`VM.log`), `logging/logFileOutput.cpp`.
//! Zhuang, Tran, Ramachandra, Sridharan: "OS-Caused Large JVM Pauses: Investigations and Solutions", 2016, approach 4.
use crate::{
    Advice, Plan, Refusal, Remedy, Target, jvm,
    live_log::{self, Moved},
    log_output,
};
use diagnose::{Detail, Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "gc-log-to-tmpfs",
    title: "Write the GC log to memory",
    summary: "A log in memory never waits for a disk; a running JVM (JDK 9 and later) can move it.",
    page: diagnose::page!("gc_log_to_tmpfs.rs"),
    advise,
    plan: Some(plan),
    ..Remedy::BASE
};

fn advise(situation: &Situation, finding: &Finding) -> Vec<Advice> {
    let (Some(jvm), Some(version)) = (&situation.jvm, situation.feature()) else {
        return Vec::new();
    };
    if matches!(finding.detail, Detail::Stream(_)) {
        return Vec::new();
    }
    let now = (version >= 9).then(|| {
        let note = "the log goes to memory, up to 24 MiB, and is copied to where it was";
        let caution = "by hand, copy it to a disk from outside";
        let whose = jvm::whose_jcmd(jvm);
        let more = if whose.is_empty() { "" } else { "; " };
        Advice::now(log_output::move_commands(jvm, MEMORY), note)
            .cautioned(&format!("{caution}{more}{whose}"))
    });
    // A later JDK has a log that waits for nobody.
    let next = (version < 17).then(|| {
        let note = "this JDK has no asynchronous log; up to 24 MiB of memory, copy the log to a disk from outside";
        let advice = Advice::at_next_start(log_output::flags_in(jvm, MEMORY), note);
        advice.in_place_of(log_output::replaced(jvm))
    });
    now.into_iter().chain(next).collect()
}

fn plan(target: &Target<'_>) -> Result<Plan, Refusal> {
    let jvm = target.the_jvm()?;
    let outputs = live_log::outputs(target)?;
    let mut moved: Vec<Moved<'_>> = Vec::new();
    for output in outputs.iter().filter(|it| !it.is_off()) {
        let Some(path) = output.file() else { continue };
        // The reader of the plan is elsewhere, and so is what copies once the JVM has ended.
        let path = &recorder::absolute_path(target.roots, jvm, path).map_err(|error| {
            Refusal::new(format!("the JVM's working directory: {error}"), "run it as root")
        })?;
        let directory = recorder::directory_of(target.roots, jvm, path).map_err(|error| {
            Refusal::new(format!("the directory of the log `{path}`: {error}"), "")
        })?;
        if directory.in_memory {
            continue;
        }
        let (parent, name) = path.rsplit_once('/').unwrap_or((".", path));
        let taken = moved.iter().any(|it| it.name == name);
        moved.push(Moved {
            from: output,
            name: if taken { format!("{}-{name}", moved.len()) } else { name.to_owned() },
            kept_in: Some(if parent.is_empty() { "/" } else { parent }.to_owned()),
        });
    }
    if moved.is_empty() {
        let message = format!("{} (pid {}) writes no log to a disk", jvm.main, jvm.pid);
        return Err(Refusal::new(message, "there is nothing to move"));
    }
    let plan = Plan::new(REMEDY.id).note(
        "what the log has on the disk stays there; where it had no rotation, it is called NAME.000 once the log is moved back",
    );
    live_log::move_to_memory(plan, target, &moved)
}

/// Memory on every Linux; in a container it may be as small as 64 MiB.
const MEMORY: &str = "/dev/shm";
