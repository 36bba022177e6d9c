//! # Find the code that keeps a thread
//!
//! ## What it changes
//! Nothing is changed: the recording names the method that ran while the others waited.
//!
//! ## What it costs
//! The JVM stops for a moment for each attach request.
//!
//! ## References
//! HotSpot `runtime/safepoint.cpp`; async-profiler, `--ttsp`.
use crate::{Action, Advice, Command, Remedy};
use diagnose::{Detail, Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "find-late-code",
    title: "Find the code that keeps a thread",
    summary: "Record with `--ask-jvm`, which names the compiled method that the thread was in; `async-profiler --ttsp` shows who called it.",
    page: diagnose::page!("find_late_code.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(situation: &Situation, finding: &Finding) -> Vec<Advice> {
    let (Some(jvm), Detail::LateCode { samples: 0, .. }) = (&situation.jvm, &finding.detail) else {
        return Vec::new();
    };
    let (command, note) = match situation.feature() {
        Some(8) => (
            Command::new("asprof").args(["--ttsp", "-d", "60", "-f", "ttsp.html"]),
            "async-profiler shows the Java code that ran while the others waited",
        ),
        _ => (
            Command::new("whypause").args(["record", "--ask-jvm", "-p"]),
            "names the method that ran while the others waited",
        ),
    };
    vec![Advice::now(Action::run([command.arg(jvm.pid.to_string())]), note)]
}
