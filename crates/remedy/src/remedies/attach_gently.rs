//! # Attach to the JVM instead of tracing it
//!
//! ## What it changes
//! What debuggers are used for on a running service, `jcmd` does in a safepoint: thread dumps, heap dumps, statistics.
//!
//! ## What it costs
//! A safepoint, mostly of milliseconds.
//!
//! ## References
//! `man 2 ptrace`; HotSpot `services/attachListener.cpp`.
use crate::{Action, Advice, Remedy, jvm};
use diagnose::{Detail, Finding, Situation, StoppedBy};

pub(super) static REMEDY: Remedy = Remedy {
    id: "attach-gently",
    title: "Attach to the JVM instead of tracing it",
    summary: "`jcmd` and `jstack` without `-F` attach to the JVM and stop it for a safepoint only.",
    page: diagnose::page!("attach_gently.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(situation: &Situation, finding: &Finding) -> Vec<Advice> {
    let (Some(jvm), Detail::StoppedBy(StoppedBy::Tracer)) = (&situation.jvm, &finding.detail)
    else {
        return Vec::new();
    };
    let note =
        "instead of gdb, strace, gcore, jstack -F or jmap -F: these stop every thread, one by one";
    let advice = Advice::now(Action::run([jvm::jcmd(jvm).arg("Thread.print")]), note);
    vec![advice.cautioned(jvm::whose_jcmd(jvm))]
}
