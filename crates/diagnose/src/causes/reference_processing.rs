//! # Reference processing
//!
//! ## What happens
//! In each collection the JVM visits every soft, weak, final and phantom reference it met, and decides whether to clear it.
//! Usually that takes a fraction of a millisecond.
//! With many of them (caches of soft references, weak maps with an entry for each connection, objects with finalizers) it takes longer than the collection itself, and before JDK 17 G1 does it with one thread unless a flag changes that.
//!
//! ## What proves it
//! The log's own phase (`Reference Processing`, `Ref Proc`, `weak refs processing`) took 10 ms or more and a fifth of the pause or more.
//!
//! ## What looks alike
//! `eden-shrunk`: what such a phase does to the collections after it.
//! `long-remark`: the rest of a remark, without its references.
//! `gc-work`: the collection itself was long.
//!
//! ## References
//! Balode: Tuning Espresso's JVM Performance (2016), where it went from 4 ms to 101 ms; HotSpot `gc/shared/referenceProcessor.cpp`; JDK-8205043.
use crate::{
    Cause, Class, Nature,
    account::tally::Tally,
    case::{Case, LogPart, Segment},
    cause::{
        Claims, Explanation,
        log_evidence::{collections, seen, worst},
    },
    facts::index::Index,
    history::reference_time,
    text,
};
use recording::Source;
use std::time::Duration;

/// A phase below this is no reason for anything.
const MIN_TIME: Duration = Duration::from_millis(10);
/// A phase below this part of the pause is not what makes the pause long, in per cent.
const MIN_PERCENT: u32 = 20;

pub(super) static CAUSE: Cause = Cause {
    id: "reference-processing",
    title: "Reference processing",
    short: "reference processing",
    needs: &[Source::GcLog],
    nature: Nature::Fault,
    class: Class::Collector,
    remedies: &["parallel-references", "fewer-references", "g1-advice"],
    page: crate::page!("reference_processing.rs"),
    claims: Claims::Segments(claims),
    explain,
    ..Cause::BASE
};

fn claims(case: &Case<'_>, segment: &Segment<'_>) -> bool {
    let Some((LogPart::References, n)) = segment.collection() else { return false };
    case.collections.get(n).is_some_and(|it| {
        let time = reference_time(&it.gc).unwrap_or_default();
        time >= MIN_TIME && time * 100 >= it.gc.duration * MIN_PERCENT
    })
}

fn explain(tally: &Tally, _index: &Index<'_>) -> Explanation {
    let took = format!(
        "{} in {}, up to {} in one",
        text::duration(tally.time),
        collections(tally.pauses),
        text::duration(tally.longest)
    );
    let mut evidence = vec![seen(tally.time, took)];
    let counts = worst(tally).and_then(|it| it.gc.references);
    evidence.extend(counts.map(|it| {
        let text = format!(
            "{} soft, {} weak, {} final and {} phantom references in the longest",
            it.soft, it.weak, it.finalizable, it.phantom
        );
        seen(Duration::ZERO, text)
    }));
    Explanation {
        story: vec![
            "Collections spent their time on soft, weak, final and phantom references, and not on objects.".into(),
        ],
        evidence,
        ..Explanation::default()
    }
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::as_text::log::{check, pause};

    fn log(references: &str, total_ms: u64) -> String {
        format!(
            "[0.999s][debug][gc,phases] GC(1)     Reference Processing: {references}ms\n{}",
            pause(1000, 1, "Young (Normal) (G1 Evacuation Pause) 99M->20M(100M)", total_ms)
        )
    }

    #[test]
    fn ten_milliseconds_and_a_fifth_of_the_pause() {
        check(&CAUSE, &log("10.0", 50), "present 10 ms in 1");
        check(&CAUSE, &log("9.9", 40), "absent");
        check(&CAUSE, &log("10.0", 51), "absent");
    }
}
