//! What is advised: facts or a log in, advice out.
#![allow(clippy::expect_used, reason = "a test may")]
mod collector;
mod cpu;
mod flag_line;
mod gc_log;
mod hazards;
mod heap;
mod late;
mod memory;
mod registry;

use diagnose::{Diagnosis, facts_text, log_text};

/// All that is advised about a cause, one piece a line: `now: …`.
#[track_caller]
fn reported(cause: &str, diagnosis: &Diagnosis) -> String {
    let all = remedy::advise(diagnosis);
    let at = diagnosis.findings.iter().position(|it| it.cause.id == cause);
    let advice = &all[at.expect("the cause struck")];
    advice.iter().map(|it| format!("{}: {} ({})\n", it.when.id(), it.action, it.note)).collect()
}

/// About facts as text.
#[track_caller]
fn advised(cause: &str, facts: &str) -> String {
    reported(cause, &facts_text::diagnose(facts))
}

/// About a log.
#[track_caller]
fn of_log(cause: &str, log: &str) -> String {
    reported(cause, &log_text::diagnose(log))
}

/// A pause of a JDK 17 log with G1. Times in milliseconds.
fn pause(at_ms: u64, id: u64, what: &str, took_ms: u64) -> String {
    let (seconds, ms) = (at_ms / 1000, at_ms % 1000);
    format!("[{seconds}.{ms:03}s][info][gc] GC({id}) Pause {what} {took_ms}.000ms\n")
}
