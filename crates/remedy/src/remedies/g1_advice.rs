//! # All G1 flags of one diagnosis
//!
//! ## What it changes
//! The flags that the findings of one GC log or recording need, put together into one line: none that is given already, none that this JDK refuses, none twice, and each with the numbers that speak for it.
//! Its parts are `g1-region-size`, `g1-young-floor`, `g1-earlier-cycles`, `g1-reserve`, `parallel-references`, `concurrent-collector` (CMS and others to G1) and `generational-zgc`.
//! Of collectors with shorter pauses than the one at work it lists what speaks for and against them, and decides nothing.
//! `whypause fix g1-advice --from gc.log` prints the line; `-p PID` does it after a recording.
//! `--apply` gives the flags to the JVM's unit of systemd, for its next start.
//!
//! ## What it costs
//! A flag that is set is no longer adapted by the JVM: check the flags again when the load has changed.
//!
//! ## How to see that it helped
//! `whypause fix g1-advice --apply --verify 1m -- COMMAND` starts the command without and with the flags and compares.
//!
//! ## How to undo it
//! Leave the flags out at the next start; `whypause fix --undo g1-advice` where systemd has them.
//!
//! ## References
//! HotSpot `gc/g1/g1_globals.hpp`, `gc/shared/gc_globals.hpp`.
//! Balode: Tuning Espresso's JVM Performance (2016).
use crate::{Advice, FlagLine, Plan, Refusal, Remedy, Target, Works, flag_line, start_flags};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "g1-advice",
    title: "All G1 flags of one diagnosis",
    summary: "One line with the flags of all findings, and for each flag why: `whypause fix g1-advice --from gc.log`.",
    page: diagnose::page!("g1_advice.rs"),
    advise,
    plan: Some(plan),
    works: Works::Diagnosis,
    ..Remedy::BASE
};

/// What it comes to is advised by its parts, each beside its finding.
fn advise(_situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    Vec::new()
}

fn plan(target: &Target<'_>) -> Result<Plan, Refusal> {
    let diagnosis = target.diagnosis.ok_or_else(|| {
        Refusal::new("nothing was recorded from which flags can be derived", "name a JVM with -p")
    })?;
    let FlagLine { flags, replaces, .. } = &flag_line(diagnosis);
    if flags.is_empty() {
        return Err(Refusal::new("no flag of G1 would help by what was recorded", ""));
    }
    let words: Vec<&str> = flags.iter().map(|it| it.flag.as_str()).collect();
    if !replaces.is_empty() {
        return Err(Refusal::new(
            format!(
                "{} must go from the command line, which only people can edit",
                replaces.join(" ")
            ),
            format!("add {} in their place", words.join(" ")),
        ));
    }
    start_flags::plan(Plan::new(REMEDY.id), target, &words)
}
