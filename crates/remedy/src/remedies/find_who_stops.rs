//! # Find the process that stops the JVM
//!
//! ## What it changes
//! A line of bpftrace prints the process that does it, when it is done again.
//! Nothing is changed.
//!
//! ## What it costs
//! bpftrace needs root.
//!
//! ## References
//! Linux `include/trace/events/signal.h`, `include/trace/events/cgroup.h`.
use crate::{Action, Advice, Command, Remedy};
use diagnose::{Detail, Finding, Situation, StoppedBy};

pub(super) static REMEDY: Remedy = Remedy {
    id: "find-who-stops",
    title: "Find the process that stops the JVM",
    summary: "Have the kernel name the process that sends the signal, traces or freezes.",
    page: diagnose::page!("find_who_stops.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(situation: &Situation, finding: &Finding) -> Vec<Advice> {
    let (Some(jvm), Detail::StoppedBy(by)) = (&situation.jvm, &finding.detail) else {
        return Vec::new();
    };
    let trace = |program: &str| Command::new("bpftrace").arg("-e").arg(program);
    let (command, note) = match by {
        StoppedBy::Signal => (
            trace(SIGNALS),
            "prints the process that sends SIGSTOP, SIGTSTP, SIGTTIN or SIGTTOU, when it does it again",
        ),
        StoppedBy::Freezer => (
            trace(FREEZERS).through(&["grep", "-E", "freezes|freezer.state|cgroup.freeze"]),
            "prints who freezes: docker pause, a checkpoint (CRIU), a backup or a batch system",
        ),
        StoppedBy::Unknown => (
            Command::new("grep")
                .args(["-E", "^(State|TracerPid)"])
                .arg(format!("/proc/{}/status", jvm.pid)),
            "while it happens: T is a signal, t a tracer (with its pid)",
        ),
        StoppedBy::Tracer => return Vec::new(),
    };
    vec![Advice::now(Action::run([command]), note)]
}

const SIGNALS: &str = "tracepoint:signal:signal_generate /args->sig >= 19 && args->sig <= 22/ { printf(\"%s (%d) sends %d to %d\\n\", comm, pid, args->sig, args->pid); }";

/// The file may be opened by any path, so all are printed and the others left out behind it.
const FREEZERS: &str = "tracepoint:cgroup:cgroup_freeze { printf(\"%s (%d) freezes %s\\n\", comm, pid, str(args->path)); } tracepoint:syscalls:sys_enter_openat { printf(\"%s (%d) opens %s\\n\", comm, pid, str(args->filename)); }";
