//! # Full collection
//!
//! ## What happens
//! The collector stops the application and goes through the whole heap: it marks what is live, computes where everything goes, and moves it.
//! That takes about a second for each few gigabytes of live data, and longer with one thread.
//! Serial and Parallel have no other way to collect the old generation.
//! For G1, CMS and Shenandoah it is the last resort, after the concurrent cycle came too late.
//!
//! ## What proves it
//! The log has a `Pause Full` (a `Full GC` before JDK 9) with its time and the heap before and after.
//!
//! ## What looks alike
//! `heap-pressure`: the full collection freed little, because what is in the heap is live.
//! `explicit-gc`: requested with `System.gc()`.
//! `metaspace-gc`: class metadata reached its threshold, and the heap had room.
//! `promotion-failure` and `concurrent-mode-failure`: it ended a collection of Serial, ParNew or CMS that could not go on.
//! `evacuation-failure`: G1 found no free region to copy into.
//!
//! ## References
//! JEP 307 (parallel full collection for G1), HotSpot `gc/g1/g1FullCollector.cpp`, `gc/parallel/psParallelCompact.cpp`, `gc/serial/serialFullGC.cpp`.
use crate::{
    Cause, Class, Nature,
    account::tally::Tally,
    cause::{
        Claims, Explanation,
        log_evidence::{busy, collector, extent, memory, worst},
    },
    facts::{index::Index, situation::FULL_PERCENT},
    history::{Collection, collection_traits::CollectionTrait, is_full},
};
use gclog::GcEvent;
use recording::Source;

pub(super) static CAUSE: Cause = Cause {
    id: "full-gc",
    title: "Full collection",
    short: "full collection",
    needs: &[Source::GcLog],
    nature: Nature::Fault,
    class: Class::Collector,
    remedies: &[
        "g1-earlier-cycles",
        "larger-heap",
        "newer-jdk",
        "concurrent-collector",
        "g1-advice",
    ],
    page: crate::page!("full_gc.rs"),
    claims: Claims::Work(CollectionTrait::Kind, is_claimed),
    explain,
    ..Cause::BASE
};

fn is_claimed(it: &Collection) -> bool {
    is_full(&it.gc)
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    let why = match collector(index) {
        "serial" | "parallel" => "That is how this collector frees the old generation.",
        "g1" | "cms" | "shenandoah" => {
            "Concurrent cycles had not freed the old generation in time."
        }
        _ => "",
    };
    let fills = worst(tally).and_then(|it| live_part(&it.gc, index));
    let why = if fills.is_some() { "" } else { why };
    let stayed = fills.map(|it| format!(", and {it} stayed in use")).unwrap_or_default();
    let mut story =
        vec![format!("The whole heap was collected with the application stopped{stayed}.")];
    story.extend(Some(why.to_owned()).filter(|it| !it.is_empty()));
    Explanation {
        story,
        evidence: std::iter::once(extent(tally)).chain(busy(tally, index)).collect(),
        ..Explanation::default()
    }
}

/// How much of the heap is live, where that is so much that to collect earlier would free no more:
/// `430 MB of 504 MB`.
fn live_part(gc: &GcEvent, index: &Index<'_>) -> Option<String> {
    let heap = gc.heap?;
    let most = index.log.and_then(|it| it.jvm.max_heap_bytes);
    let capacity = heap.capacity?.max(most.unwrap_or(0));
    (u128::from(heap.after) * 100 > u128::from(capacity) * FULL_PERCENT)
        .then(|| format!("{} of {}", memory(heap.after), memory(capacity)))
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::as_text::log::{check, pause};

    #[test]
    fn a_full_collection_and_only_that() {
        let log = pause(1000, 1, "Young (Normal) (G1 Evacuation Pause) 50M->20M(100M)", 30)
            + &pause(3000, 2, "Full (G1 Compaction Pause) 90M->30M(100M)", 700);
        check(&CAUSE, &log, "present 700 ms in 1");
        check(&CAUSE, &log.replace("Full", "Remark"), "absent");
    }

    #[test]
    fn one_that_somebody_asked_for_is_another_cause() {
        check(&CAUSE, &pause(3000, 2, "Full (System.gc()) 90M->30M(100M)", 700), "absent");
    }
}
