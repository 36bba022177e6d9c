//! # Heap pressure
//!
//! ## What happens
//! What is live nearly fills the heap.
//! Each collection frees little, so the next one comes soon, and a growing part of the time goes into collecting the same objects again.
//! The end of that road is `OutOfMemoryError: GC overhead limit exceeded`, or hours of a service that answers a tenth of its requests.
//!
//! ## What proves it
//! Two full collections in a row leave 80 % of the heap or more in use: what a full collection leaves is live.
//! Or a quarter of the time or more goes into collections that follow each other, with half of the heap live: what young collections leave in use does not count, as most of it may be dead.
//!
//! ## What looks alike
//! `full-gc`: the full collection freed most of the heap.
//! `gc-work`: collections are frequent because the application allocates much; after each of them the heap is mostly empty.
//!
//! ## References
//! Detlefs, Flood, Heller, Printezis: Garbage-First Garbage Collection (ISMM 2004); HotSpot `gc/shared/gcOverheadChecker.cpp`.
use crate::{
    Cause, Class, Nature,
    account::tally::Tally,
    cause::{
        Claims, Explanation,
        log_evidence::{extent, memory, seen, worst},
    },
    facts::index::Index,
    history::{Collection, Pressure, collection_traits::CollectionTrait},
    text,
};
use recording::Source;
use std::time::Duration;

/// An application that runs less than this between its collections hardly runs, in thousandths.
const LITTLE_THOUSANDTHS: u128 = 500;
/// Growth per hour that is worth a word, as a part of the live data.
const GROWTH: f64 = 0.05;

pub(super) static CAUSE: Cause = Cause {
    id: "heap-pressure",
    title: "Heap pressure",
    short: "heap pressure",
    needs: &[Source::GcLog],
    nature: Nature::Fault,
    class: Class::Collector,
    remedies: &["larger-heap", "less-live-data"],
    page: crate::page!("heap_pressure.rs"),
    claims: Claims::Work(CollectionTrait::Surroundings, is_claimed),
    explain,
    ..Cause::BASE
};

fn is_claimed(it: &Collection) -> bool {
    it.around.pressure.is_some()
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    let story = match worst(tally).and_then(|it| it.around.pressure) {
        Some(Pressure::NearlyFull { used, capacity }) => format!(
            "What is live nearly fills the heap: full collections left up to {} of {} in use.",
            memory(used),
            memory(capacity)
        ),
        Some(Pressure::TooOften { percent }) => format!(
            "Collections followed each other: they took {percent} % of the time, and at least half of the heap is live."
        ),
        None => "What is live nearly fills the heap.".to_owned(),
    };
    let mut evidence = vec![extent(tally)];
    let more = [between(index), growth(index)];
    evidence.extend(more.into_iter().flatten().map(|it| seen(Duration::ZERO, it)));
    Explanation { story: vec![story], evidence, ..Explanation::default() }
}

/// How little the application ran between collections, where it says so itself.
fn between(index: &Index<'_>) -> Option<String> {
    let (ran, stopped) = index.log?.between;
    let all = ran + stopped;
    let thousandths = (ran.as_nanos() * 1_000).checked_div(all.as_nanos())?;
    (thousandths < LITTLE_THOUSANDTHS).then(|| {
        format!(
            "the application ran for {} of {} ({}.{} %), the rest was these collections",
            text::duration(ran),
            text::duration(all),
            thousandths / 10,
            thousandths % 10
        )
    })
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
    use crate::as_text::log::{check, cpu, pause, reported};
    use std::fmt::Write;

    /// Full collections that leave `after` in use.
    fn full(after: &[u64]) -> String {
        let what = |after: &u64| format!("Full (G1 Compaction Pause) 99M->{after}M(100M)");
        let one = |(n, after)| pause(3000 * n, n, &what(after), 700);
        (1..).zip(after).map(one).collect()
    }

    #[test]
    fn four_fifths_after_two_full_collections_are_pressure() {
        check(&CAUSE, &full(&[80, 79]), "absent");
        check(&CAUSE, &full(&[80, 80]), "present 700 ms in 1");
        check(&CAUSE, &full(&[80, 20, 80]), "absent");
    }

    #[test]
    fn one_collection_is_no_pressure() {
        check(&CAUSE, &full(&[99]), "absent");
        // Of 20 minutes, with half of the heap in use.
        let what = "Young (Normal) (G1 Evacuation Pause) 90M->55M(100M)";
        let usual: String = (1..=20).map(|n| pause(n * 60_000, n, what, 20)).collect();
        check(&CAUSE, &(usual + &pause(2_421_000, 21, what, 1_221_000)), "absent");
    }

    /// A full collection that leaves `live`, and collections of 10 ms every `every_ms`,
    /// after which 60 MB are in use.
    fn young(every_ms: u64, live: u64) -> String {
        let what = format!("Full (G1 Compaction Pause) 99M->{live}M(100M)");
        let mut log = pause(10, 0, &what, 1);
        for n in 1..=20 {
            let what = "Young (Normal) (G1 Evacuation Pause) 90M->60M(100M)";
            write!(log, "{}", pause(100 + n * every_ms, n, what, 10)).expect("a string takes all");
        }
        log
    }

    #[test]
    fn a_quarter_of_the_time_is_too_much_if_half_of_the_heap_is_live() {
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
        let live = pause(10, 0, "Full (G1 Compaction Pause) 99M->60M(100M)", 1);
        check(&CAUSE, &(live.clone() + &log(1)), "absent");
        check(&CAUSE, &(live + &log(100)), "present 5.00 s in 5");
    }

    #[test]
    fn the_heap_that_is_advised_is_from_the_live_data() {
        let text = reported(&CAUSE, &full(&[90, 90]));
        assert!(text.contains("left up to 90 MiB of 100 MiB in use"), "{text}");
    }
}
