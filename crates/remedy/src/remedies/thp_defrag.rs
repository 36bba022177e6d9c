//! # Leave compaction to the kernel's own threads
//!
//! ## What it changes
//! `/sys/kernel/mm/transparent_hugepage/defrag` is `defer`: a thread that finds no free huge page gets small ones, and `kcompactd` compacts memory in the background.
//!
//! ## What it costs
//! Memory comes in small pages until then.
//!
//! ## How to see that it helped
//! `compact_stall` of `/proc/vmstat` no longer grows.
//!
//! ## How to undo it
//! Write the old value again: it stands in brackets.
//!
//! ## References
//! Linux `Documentation/admin-guide/mm/transhuge.rst`.
//! Zhuang, Tran, Ramachandra, Sridharan: "OS-Caused Large JVM Pauses: Investigations and Solutions", 2016, section 3.4.
use crate::{Action, Advice, Remedy};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "thp-defrag",
    title: "Leave compaction to the kernel's own threads",
    summary: "Leave compaction for huge pages to the kernel's own threads (`defrag`).",
    page: diagnose::page!("thp_defrag.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(_situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    vec![Advice::now(
        Action::write("defer", "/sys/kernel/mm/transparent_hugepage/defrag"),
        "then there is no direct compaction; memory comes in small pages until the kernel's \
         threads have made huge ones",
    )]
}
