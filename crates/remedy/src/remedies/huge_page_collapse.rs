//! # Collapse huge pages more rarely
//!
//! ## What it changes
//! `khugepaged/scan_sleep_millisecs` is 60000: the thread that collapses small pages into huge ones scans once a minute.
//!
//! ## What it costs
//! A fresh heap stays in small pages for longer.
//!
//! ## How to undo it
//! Write 10000, or what it was.
//!
//! ## References
//! Linux `Documentation/admin-guide/mm/transhuge.rst`, `mm/khugepaged.c`.
use crate::{Action, Advice, Remedy};
use diagnose::{Detail, Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "huge-page-collapse",
    title: "Collapse huge pages more rarely",
    summary: "Make `khugepaged` rarer.",
    page: diagnose::page!("huge_page_collapse.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(_situation: &Situation, finding: &Finding) -> Vec<Advice> {
    if finding.detail == (Detail::PageMoves { between_nodes: true }) {
        return Vec::new();
    }
    let file = "/sys/kernel/mm/transparent_hugepage/khugepaged/scan_sleep_millisecs";
    vec![Advice::now(
        Action::write("60000", file),
        "huge pages are then collapsed more rarely; a fresh heap stays in small pages for longer",
    )]
}
