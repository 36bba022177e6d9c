//! # Metaspace collection
//!
//! ## What happens
//! Class metadata lives outside the Java heap.
//! When it reaches a threshold, which begins at about 20 MiB whatever the size of the heap, the JVM collects the heap to find classes that can go.
//! During start and while classes are loaded that happens again and again, and for Serial and Parallel each time is a full collection.
//!
//! ## What proves it
//! The collection's cause is `Metadata GC Threshold`, `Metadata GC Clear Soft References`, or before JDK 8 `Permanent Generation Full`.
//!
//! ## What looks alike
//! `full-gc`: the heap was the reason.
//!
//! ## Remedies
//! `metaspace-size`: `-XX:MetaspaceSize` above what the service uses when it has warmed up; then the first collection for it never comes.
//! It is a threshold and reserves nothing.
//! Metadata that grows for ever is a leak of class loaders: look at `jcmd PID VM.classloader_stats`.
//!
//! ## References
//! HotSpot `memory/metaspace.cpp` (`MetaspaceGC::compute_new_size`); JEP 122.
use crate::{
    Advice, Cause, Nature,
    cause::{Claims, Explanation},
    history::Collection,
    index::Index,
    log_evidence::{extent, feature, flag, memory, seen},
    marks::Mark,
    tally::Tally,
};
use recording::Source;
use std::time::Duration;

/// Room above what was in use, in per cent.
const ROOM_PERCENT: u64 = 150;

pub(super) static CAUSE: Cause = Cause {
    id: "metaspace-gc",
    title: "Metaspace collection",
    short: "metaspace collection",
    needs: &[Source::GcLog],
    collectors: &[],
    nature: Nature::Fault,
    file: include_str!("metaspace_gc.rs"),
    claims: Claims::Work(Mark::GcCause, is_claimed),
    beside_pauses: None,
    explain,
};

fn is_claimed(it: &Collection) -> bool {
    it.gc.cause.as_deref().is_some_and(|cause| {
        cause.starts_with("Metadata GC") || cause.starts_with("Permanent Generation")
    })
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    let used = index.log.and_then(|log| log.memory.most_metaspace());
    let mut evidence = vec![extent(tally)];
    evidence.extend(
        used.map(|bytes| {
            seen(Duration::ZERO, format!("class metadata took up to {}", memory(bytes)))
        }),
    );
    Explanation {
        story: vec![
            "Class metadata reached its threshold, and the heap was collected to find classes that can go.".into(),
        ],
        evidence,
        advice: advice(index, used).into_iter().collect(),
        ..Explanation::default()
    }
}

fn advice(index: &Index<'_>, used: Option<u64>) -> Option<Advice> {
    let wanted = used? / 100 * ROOM_PERCENT;
    let mebibytes = (wanted >> 20).next_multiple_of(64);
    let name = if feature(index).is_some_and(|it| it < 8) { "PermSize" } else { "MetaspaceSize" };
    let note = "half as much again as was in use; a threshold, not a reservation";
    flag(index, "metaspace-size", &format!("-XX:{name}={}m", mebibytes.max(64)), note)
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::log_text::{check, pause, told};

    fn log() -> String {
        "[0.9s][info][gc,metaspace] GC(1) Metaspace: 90000K(92160K)->90000K(92160K)\n".to_owned()
            + &pause(1000, 1, "Full (Metadata GC Threshold) 50M->9M(1000M)", 400)
    }

    #[test]
    fn the_threshold_that_ends_it_is_named() {
        check(&CAUSE, &log(), "present 400 ms in 1");
        assert!(
            told(&CAUSE, &log()).contains("-XX:MetaspaceSize=192m"),
            "{}",
            told(&CAUSE, &log())
        );
        check(&CAUSE, &log().replace("Metadata GC Threshold", "Allocation Failure"), "absent");
    }
}
