//! The accounts of pauses as text, for a test that shows what a change of the house changes in them.
//!
//! ```text
//! 1800000000 350000000 stop
//!  0 1200 reaching slow-safepoint - measured
//!  1200 348000000 operation gc-log-write-blocked journal-commit inferred
//! ```
//!
//! A pause is its begin and length, in nanoseconds, and a segment its begin within the pause, its length, its
//! phase, the cause that has it, the mechanism that its stack shows, and how well it is known.
use crate::{
    PauseKind,
    case::{Case, PausePhase},
    causes,
};
use std::{cell::RefCell, fmt::Write};

thread_local! {
    static NOTED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// The accounts of all pauses that `diagnose` divides among causes.
pub fn of<T>(diagnose: impl FnOnce() -> T) -> String {
    NOTED.set(Some(String::new()));
    diagnose();
    NOTED.take().unwrap_or_default()
}

/// Notes a pause that was divided, if enabled.
pub(crate) fn note(case: &Case<'_>) {
    NOTED.with_borrow_mut(|noted| {
        if let Some(text) = noted {
            // Writing to a string does not fail.
            let _ = write(text, case);
        }
    });
}

fn write(text: &mut String, case: &Case<'_>) -> std::fmt::Result {
    let kind = match case.pause.kind {
        PauseKind::Hiccup => "hiccup",
        PauseKind::Stall => "stall",
        PauseKind::Safepoint | PauseKind::Gc => "stop",
    };
    let start = case.interval.start;
    writeln!(text, "{} {} {kind}", start.0, case.interval.duration().as_nanos())?;
    for it in &case.segments {
        let phase = match it.phase {
            PausePhase::Reaching => "reaching",
            PausePhase::Operation => "operation",
        };
        let cause = it.taken.map_or("-", |place| causes::ALL[place].id);
        let mechanism = it.mechanism(case.index).map_or("-", |it| it.id);
        let (begin, length) = (it.interval.start.since(start).as_nanos(), it.length_ns());
        writeln!(text, " {begin} {length} {phase} {cause} {mechanism} {}", it.certainty.id())?;
    }
    Ok(())
}
