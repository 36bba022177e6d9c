//! # Do not read the maps of a large JVM
//!
//! ## What it changes
//! The program that reads the maps of the JVM does so more rarely or not at all.
//! The command names the readers and changes nothing.
//!
//! ## What it costs
//! Their numbers are older.
//!
//! ## References
//! Linux `fs/proc/task_mmu.c`.
use crate::{Action, Advice, Command, Remedy};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "no-smaps",
    title: "Do not read the maps of a large JVM",
    summary: "Do not read `/proc/PID/smaps` or call `pmap` on a JVM with a large heap; `smaps_rollup` once a minute is enough.",
    page: diagnose::page!("no_smaps.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    if situation.jvm.is_none() {
        return Vec::new();
    }
    let trace = Command::new("bpftrace").arg("-e").arg(OPENS).through(&["grep", "maps"]);
    vec![Advice::now(
        Action::run([trace]),
        "prints which processes read the maps of others: pmap, an agent, a metrics exporter; is \
         the JVM among them?",
    )]
}

const OPENS: &str = "tracepoint:syscalls:sys_enter_openat { printf(\"%s (%d) %s\\n\", comm, pid, str(args->filename)); }";
