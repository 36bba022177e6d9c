//! # Allocation stall
//!
//! ## What happens
//! A concurrent collector frees memory while the application uses it up, and must be the faster of the two.
//! When it is not, ZGC makes each thread that needs memory wait (an allocation stall), and Shenandoah ends its cycle with the application stopped (a degenerated collection), or begins again with a full one.
//!
//! ## What proves it
//! The log says `Allocation Stall`, `Pause Degenerated GC`, or has a `Pause Full` of Shenandoah.
//! Stalls of ZGC stop single threads and not the application, so they are counted outside the pauses.
//!
//! ## What looks alike
//! `heap-pressure`: the live data fills the heap, and no collector can be fast enough.
//! `gc-locker`: native code holds up the collector.
//!
//! ## References
//! JEP 439 (generational ZGC); HotSpot `gc/z/zPageAllocator.cpp`, `gc/shenandoah/shenandoahDegeneratedGC.cpp`.
use crate::{
    Cause, Class, Evidence, Nature,
    account::tally::Tally,
    cause::{
        Claims, Explanation,
        log_evidence::{extent, seen},
    },
    facts::index::Index,
    history::{Collection, collection_traits::CollectionTrait, is_full},
    text,
};
use gclog::{Collector, GcKind};
use recording::Source;
use std::time::Duration;

pub(super) static CAUSE: Cause = Cause {
    id: "allocation-stall",
    title: "Allocation stall",
    short: "allocation stall",
    needs: &[Source::GcLog],
    collectors: &["shenandoah", "zgc"],
    nature: Nature::Fault,
    class: Class::Collector,
    remedies: &["larger-heap", "more-concurrent-threads", "generational-zgc", "g1-advice"],
    page: crate::page!("allocation_stall.rs"),
    claims: Claims::Work(CollectionTrait::Kind, is_last_resort),
    outside_pauses: Some(shows),
    explain,
    ..Cause::BASE
};

fn is_last_resort(it: &Collection) -> bool {
    let shenandoah = it.gc.collector == Some(Collector::Shenandoah);
    it.gc.kind == GcKind::Degenerated || (shenandoah && is_full(&it.gc))
}

fn shows(index: &Index<'_>) -> Option<Duration> {
    index.log.filter(|log| log.stalls.count > 0).map(|log| log.stalls.total)
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    let mut evidence = Vec::new();
    if tally.pauses > 0 {
        evidence.push(extent(tally));
    }
    evidence.extend(stalls(index));
    Explanation {
        story: vec![
            "The application allocated faster than the collector freed, and had to wait for it."
                .into(),
        ],
        evidence,
        ..Explanation::default()
    }
}

fn stalls(index: &Index<'_>) -> Option<Evidence> {
    let log = index.log?;
    let stalls = log.stalls;
    (stalls.count > 0).then(|| {
        let text = format!(
            "threads waited {} times for memory, {} in total; {} waited longest, {}",
            stalls.count,
            text::duration(stalls.total),
            text::thread_within(&log.most_stalled),
            text::duration(stalls.max)
        );
        seen(stalls.total, text)
    })
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::as_text::log::{check, reported};

    const SHENANDOAH: &str = "[0.001s][info][gc] Using Shenandoah\n\
        [1.500s][info][gc] GC(3) Pause Degenerated GC (Mark) 95M->40M(100M) 80.000ms\n";

    #[test]
    fn a_degenerated_collection_is_one_and_a_planned_pause_is_not() {
        check(&CAUSE, SHENANDOAH, "present 80 ms in 1");
        check(&CAUSE, &SHENANDOAH.replace("Degenerated GC (Mark)", "Final Mark"), "absent");
    }

    #[test]
    fn a_stall_of_a_thread_is_reported_though_it_is_no_pause() {
        let log = "[0.001s][info][gc,init] Version: 21.0.2+13\n[0.001s][info][gc,init] Using The Z Garbage Collector\n\
            [2.000s][info][gc] Allocation Stall (main) 120.500ms\n\
            [2.001s][info][gc] Allocation Stall (worker-1) 20.500ms\n";
        check(&CAUSE, log, "present 0 s in 0");
        let text = reported(&CAUSE, log);
        assert!(
            text.contains(
                "threads waited 2 times for memory, 141 ms in total; thread `main` waited longest"
            ),
            "{text}"
        );
    }
}
