//! # Huge pages only for programs that request them
//!
//! ## What it changes
//! `/sys/kernel/mm/transparent_hugepage/enabled` is `madvise`: a program that does not request huge pages gets small pages.
//!
//! ## What it costs
//! A program that does not request huge pages may become slower.
//!
//! ## How to see that it helped
//! `AnonHugePages` of `/proc/PID/smaps_rollup` stays at 0 for a JVM that was started afterwards.
//!
//! ## How to undo it
//! Write the old value again: it stands in brackets.
//!
//! ## References
//! Linux `Documentation/admin-guide/mm/transhuge.rst`.
use crate::{Action, Advice, Remedy};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "no-huge-pages",
    title: "Huge pages only for programs that request them",
    summary: "`enabled=madvise` gives huge pages only to programs that request them; the JVM \
              requests them with `-XX:+UseTransparentHugePages`.",
    page: diagnose::page!("no_huge_pages.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    if situation.is_on("UseTransparentHugePages") {
        return Vec::new();
    }
    vec![Advice::now(
        Action::write("madvise", "/sys/kernel/mm/transparent_hugepage/enabled"),
        "only programs that request huge pages get them; this JVM does not",
    )]
}
