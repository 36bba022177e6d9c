//! # Heap pressure
//!
//! ## What happens
//! What is live nearly fills the heap.
//! Each collection frees little, so the next one comes soon, and a growing part of the time goes into collecting the same objects again.
//! The end of that road is `OutOfMemoryError: GC overhead limit exceeded`, or hours of a service that answers a tenth of its requests.
//!
//! ## What proves it
//! A full collection leaves 80 % of the heap or more in use: what a full collection leaves is live.
//! Or a quarter of the time or more goes into collections that follow each other, with half of the heap in use after them.
//!
//! ## What looks alike
//! `full-gc`: the full collection freed most of the heap.
//! `gc-work`: collections are frequent because the application allocates much; after each of them the heap is mostly empty.
//!
//! ## References
//! Detlefs, Flood, Heller, Printezis: Garbage-First Garbage Collection (ISMM 2004); HotSpot `gc/shared/gcOverheadChecker.cpp`.
use crate::{
    Cause, Nature,
    cause::{Claims, Explanation},
    collection_traits::CollectionTrait,
    history::{Collection, Pressure},
    index::Index,
    log_evidence::{extent, memory, seen, worst},
    tally::Tally,
};
use recording::Source;
use std::time::Duration;

/// Growth per hour that is worth a word, as a part of the live data.
const GROWTH: f64 = 0.05;

pub(super) static CAUSE: Cause = Cause {
    id: "heap-pressure",
    title: "Heap pressure",
    short: "heap pressure",
    needs: &[Source::GcLog],
    collectors: &[],
    nature: Nature::Fault,
    remedies: &["larger-heap", "less-live-data"],
    hazards: &[],
    file: include_str!("heap_pressure.rs"),
    claims: Claims::Work(CollectionTrait::Surroundings, is_claimed),
    outside_pauses: None,
    explain,
};

fn is_claimed(it: &Collection) -> bool {
    it.around.pressure.is_some()
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    let story = match worst(tally).and_then(|it| it.around.pressure) {
        Some(Pressure::NearlyFull { used, capacity }) => format!(
            "What is live nearly fills the heap: a full collection left {} of {} in use.",
            memory(used),
            memory(capacity)
        ),
        Some(Pressure::TooOften { percent }) => format!(
            "Collections followed each other: they took {percent} % of the time, and left at least half of the heap in use."
        ),
        None => "What is live nearly fills the heap.".to_owned(),
    };
    let mut evidence = vec![extent(tally)];
    evidence.extend(growth(index).map(|it| seen(Duration::ZERO, it)));
    Explanation { story: vec![story], evidence, ..Explanation::default() }
}

/// Live data that grows.
fn growth(index: &Index<'_>) -> Option<String> {
    let live = index.log?.memory.live_set()?;
    let per_hour = live.growth_per_hour?;
    #[expect(clippy::cast_precision_loss, reason = "a share for people")]
    let much = per_hour > live.most as f64 * GROWTH;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive")]
    let bytes = per_hour as u64;
    much.then(|| {
        format!(
            "live data grew by {} an hour, from {} to {} in {} collections of the old generation",
            memory(bytes),
            memory(live.first),
            memory(live.last),
            live.samples
        )
    })
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::log_text::{check, cpu, pause, reported};
    use std::fmt::Write;

    fn full(after: u64) -> String {
        pause(3000, 2, &format!("Full (G1 Compaction Pause) 99M->{after}M(100M)"), 700)
    }

    #[test]
    fn four_fifths_after_a_full_collection_are_pressure() {
        check(&CAUSE, &full(79), "absent");
        check(&CAUSE, &full(80), "present 700 ms in 1");
    }

    /// Collections of 10 ms every so many milliseconds.
    fn young(every_ms: u64, after: u64) -> String {
        let mut log = String::new();
        for n in 1..=20 {
            let what = format!("Young (Normal) (G1 Evacuation Pause) 90M->{after}M(100M)");
            write!(log, "{}", pause(n * every_ms, n, &what, 10)).expect("a string takes all");
        }
        log
    }

    #[test]
    fn a_quarter_of_the_time_is_too_much_if_the_heap_is_half_full() {
        check(&CAUSE, &young(40, 50), "present 40 ms in 4");
        check(&CAUSE, &young(45, 50), "absent");
        check(&CAUSE, &young(40, 49), "absent");
    }

    #[test]
    fn a_collection_that_waited_for_a_disk_is_no_sign_of_a_small_heap() {
        let what = "Young (Normal) (G1 Evacuation Pause) 90M->60M(100M)";
        let one =
            |n: u64, used: u64| pause(n * 2_000, n, what, 1_000) + &cpu(n * 2_000, n, used, 0, 100);
        let log = |used: u64| (1..=20).map(|n| one(n, used)).collect::<String>();
        check(&CAUSE, &log(1), "absent");
        check(&CAUSE, &log(100), "present 4.00 s in 4");
    }

    #[test]
    fn the_heap_that_is_advised_is_from_the_live_data() {
        let text = reported(&CAUSE, &full(90));
        assert!(text.contains("left 90 MiB of 100 MiB in use"), "{text}");
    }
}
