//! # A collector that works while the application runs
//!
//! ## What it changes
//! `-XX:+UseG1GC` or `-XX:+UseZGC` in place of the collector that was chosen: two at once, and the JVM does not start.
//!
//! ## What it costs
//! Some more memory and CPU.
//! Until JDK 9 a full collection of G1 has one thread.
//!
//! ## How to undo it
//! The old flags at the next start.
//!
//! ## References
//! JEP 307 (parallel full collection for G1), JEP 439.
use crate::{Action, Advice, Remedy};
use diagnose::{Finding, Situation};
use recording::VmFlag;
use std::time::Duration;

pub(super) static REMEDY: Remedy = Remedy {
    id: "concurrent-collector",
    title: "A collector that works while the application runs",
    summary: "Where full collections are how the collector works and their pauses hurt, use G1, or ZGC where the JDK has it in generations (JDK 21 and later).",
    page: diagnose::page!("concurrent_collector.rs"),
    advise,
    ..Remedy::BASE
};

/// Collections that are work alone are worth another collector from here on.
const LONG: Duration = Duration::from_millis(200);

fn advise(situation: &Situation, finding: &Finding) -> Vec<Advice> {
    let collector = situation.collector();
    if finding.cause.id == "gc-work" && finding.longest < LONG {
        return Vec::new();
    }
    if finding.cause.id == "gc-work" && collector == "g1" {
        return beyond_g1(situation).into_iter().collect();
    }
    if !matches!(collector, "serial" | "parallel" | "cms") {
        return Vec::new();
    }
    let mut note = match collector {
        "cms" => "it compacts while it collects",
        _ => "its pauses do not grow with the old generation; it needs some more memory and CPU",
    }
    .to_owned();
    let action = match situation.feature() {
        Some(version) if version >= 23 => {
            Action::say("-XX:+UseG1GC, or -XX:+UseZGC for the shortest pauses")
        }
        Some(version) if version >= 21 => {
            Action::say("-XX:+UseG1GC, or -XX:+UseZGC -XX:+ZGenerational for the shortest pauses")
        }
        _ => Action::flag("-XX:+UseG1GC"),
    };
    if situation.feature().is_some_and(|it| it < 10) {
        note += "; before JDK 10 its full collections have one thread: a later JDK is better";
    }
    let old = situation.flags().iter().map(String::as_str).filter(|it| is_of_old(it));
    vec![Advice::at_next_start(action, note).in_place_of(old)]
}

/// Where G1 itself is what takes long.
fn beyond_g1(situation: &Situation) -> Option<Advice> {
    let action = match situation.feature()? {
        23.. => Action::flag("-XX:+UseZGC"),
        21.. => Action::flags(["-XX:+UseZGC", "-XX:+ZGenerational"]),
        17.. => Action::say("-XX:+UseZGC or -XX:+UseShenandoahGC"),
        _ => return None,
    };
    let note =
        "it copies while the application runs: pauses of a millisecond for more CPU and memory";
    let old = situation.flags().iter().map(String::as_str);
    let old = old.filter(|it| *it == "-XX:+UseG1GC" || it.starts_with("-XX:G1"));
    Some(Advice::at_next_start(action, note).in_place_of(old))
}

/// Whether a flag chooses another collector or is of no use, or refused, with G1 and ZGC.
fn is_of_old(flag: &str) -> bool {
    const NAMES: [&str; 5] =
        ["UseSerialGC", "UseParallelGC", "UseParallelOldGC", "UseConcMarkSweepGC", "UseParNewGC"];
    let Some(VmFlag { name, .. }) = VmFlag::of(flag) else { return flag == "-Xconcgc" };
    NAMES.contains(&name) || name.starts_with("CMS") || name.starts_with("UseCMS")
}
