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
//! `explicit-gc`: somebody asked for it with `System.gc()`.
//! `metaspace-gc`: class metadata reached its threshold, and the heap had room.
//! `promotion-failure` and `concurrent-mode-failure`: it ended a collection of Serial, ParNew or CMS that could not go on.
//! `evacuation-failure`: G1 found no free region to copy into.
//!
//! ## Remedies
//! `g1-earlier-cycles`: let G1 begin its cycles earlier or work on them with more threads, so that mixed collections free the old generation in time.
//! `larger-heap`: with twice the live data or more, collections of the old generation become rare.
//! `concurrent-collector`: where full collections are how the collector works and their pauses hurt, use G1, or ZGC where the JDK has it in generations (JDK 21 and later).
//! G1's own full collection has used all its threads since JDK 10; before, one.
//!
//! ## References
//! JEP 307 (parallel full collection for G1), HotSpot `gc/g1/g1FullCollector.cpp`, `gc/parallel/psParallelCompact.cpp`, `gc/serial/serialFullGC.cpp`.
use crate::{
    Action, Advice, Cause, Nature,
    cause::{Claims, Explanation},
    history::{Collection, is_full},
    index::Index,
    log_evidence::{at_next_start, busy, collector, extent, feature, flag},
    marks::Mark,
    tally::Tally,
};
use recording::Source;

pub(super) static CAUSE: Cause = Cause {
    id: "full-gc",
    title: "Full collection",
    short: "full collection",
    needs: &[Source::GcLog],
    collectors: &[],
    nature: Nature::Fault,
    file: include_str!("full_gc.rs"),
    claims: Claims::Work(Mark::Kind, is_claimed),
    beside_pauses: None,
    explain,
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
    let mut story = vec!["The whole heap was collected with the application stopped.".to_owned()];
    story.extend(Some(why.to_owned()).filter(|it| !it.is_empty()));
    Explanation {
        story,
        evidence: std::iter::once(extent(tally)).chain(busy(tally)).collect(),
        advice: advice(index),
        ..Explanation::default()
    }
}

fn advice(index: &Index<'_>) -> Vec<Advice> {
    match collector(index) {
        "g1" => g1(index),
        "serial" | "parallel" | "cms" => vec![concurrent(index)],
        _ => Vec::new(),
    }
}

fn g1(index: &Index<'_>) -> Vec<Advice> {
    let earlier = flag(
        index,
        "g1-earlier-cycles",
        "-XX:InitiatingHeapOccupancyPercent=30",
        "cycles begin with less of the heap in use, and cost more CPU",
    );
    let with_one_thread = feature(index).is_some_and(|it| it < 10);
    let newer = with_one_thread.then(|| {
        at_next_start(
            "newer-jdk",
            Action::say("Use JDK 11 or later."),
            "before JDK 10 a full collection of G1 has one thread",
        )
    });
    [earlier, newer].into_iter().flatten().collect()
}

fn concurrent(index: &Index<'_>) -> Advice {
    let note = "its pauses do not grow with the old generation; it needs some more memory and CPU";
    match feature(index) {
        Some(version) if version >= 21 => at_next_start(
            "concurrent-collector",
            Action::say("-XX:+UseG1GC, or -XX:+UseZGC for the shortest pauses"),
            note,
        ),
        _ => at_next_start("concurrent-collector", Action::flag("-XX:+UseG1GC"), note),
    }
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::log_text::{check, pause, told};

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

    #[test]
    fn advice_fits_the_collector_and_the_flags() {
        let g1 = "[0.001s] Using G1\n".to_owned()
            + &pause(3000, 2, "Full (G1 Compaction Pause) 90M->30M(100M)", 700);
        assert!(told(&CAUSE, &g1).contains("InitiatingHeapOccupancyPercent"));
        let serial = g1.replace("Using G1", "Using Serial");
        assert!(told(&CAUSE, &serial).ends_with("at the next start: -XX:+UseG1GC"));
        let new = format!("[0.001s] Version: 21.0.4+7\n{serial}");
        assert!(told(&CAUSE, &new).contains("-XX:+UseZGC"));
    }
}
