//! # Explicit collection
//!
//! ## What happens
//! A collection was requested: by the application with `System.gc()`, by the JDK when direct buffers ran out, by RMI once an hour, by an agent, or by `jcmd PID GC.run`.
//! The collection is a full one, whether or not there was anything to collect.
//!
//! ## What proves it
//! The collection's cause in the log is `System.gc()`, `Diagnostic Command`, `Heap Inspection Initiated GC` or `Heap Dump Initiated GC`.
//!
//! ## What looks alike
//! `full-gc`: the collector itself needed the collection.
//!
//! ## References
//! HotSpot `prims/jvm.cpp` (`JVM_GC`), `gc/shared/gcCause.cpp`; JDK `java.nio.Bits` (`reserveMemory`).
use crate::{
    Cause, Class, Detail, Nature,
    account::tally::Tally,
    cause::{
        Claims, Explanation,
        log_evidence::{extent, worst},
        rhythm,
    },
    facts::index::Index,
    history::{Collection, collection_traits::CollectionTrait},
    text,
};
use recording::Source;
use std::time::Duration;

/// Causes of explicitly requested collections, as JDK 8 and later print them.
const ASKED_FOR: [&str; 5] = [
    "System.gc()",
    "Diagnostic Command",
    "Heap Inspection Initiated GC",
    "Heap Dump Initiated GC",
    "JvmtiEnv ForceGarbageCollection",
];

pub(super) static CAUSE: Cause = Cause {
    id: "explicit-gc",
    title: "Explicit collection",
    short: "explicit collection",
    needs: &[Source::GcLog],
    nature: Nature::Fault,
    class: Class::Collector,
    remedies: &["concurrent-explicit-gc", "no-explicit-gc"],
    page: crate::page!("explicit_gc.rs"),
    claims: Claims::Work(CollectionTrait::GcCause, is_claimed),
    explain,
    ..Cause::BASE
};

fn is_claimed(it: &Collection) -> bool {
    it.gc.cause.as_deref().is_some_and(|cause| ASKED_FOR.contains(&cause))
}

fn explain(tally: &Tally, _index: &Index<'_>) -> Explanation {
    let mut evidence = vec![extent(tally)];
    evidence.extend(rhythm::of(&tally.windows).map(|it| {
        let text = format!("they came every {}, {} times", text::duration(it.period), it.times);
        crate::cause::log_evidence::seen(Duration::ZERO, text)
    }));
    Explanation {
        story: vec![
            "These collections were requested by code or by a tool; the collector itself did not \
             need them."
                .into(),
        ],
        evidence,
        detail: Detail::Explicit { by_inspection: by_inspection(tally) },
        ..Explanation::default()
    }
}

/// Whether the longest was for a heap dump or histogram.
fn by_inspection(tally: &Tally) -> bool {
    let cause = worst(tally).and_then(|it| it.gc.cause.as_deref());
    cause.is_some_and(|it| it.starts_with("Heap ") || it == "JvmtiEnv ForceGarbageCollection")
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::as_text::log::{check, pause, reported};

    #[test]
    fn asked_for_or_not() {
        check(
            &CAUSE,
            &pause(1000, 1, "Full (System.gc()) 99M->9M(100M)", 400),
            "present 400 ms in 1",
        );
        check(&CAUSE, &pause(1000, 1, "Full (Allocation Failure) 99M->9M(100M)", 400), "absent");
    }

    #[test]
    fn an_hourly_caller_is_noticed() {
        let log: String = (1..=5)
            .map(|n| pause(n * 3_600_000, n, "Full (System.gc()) 99M->9M(100M)", 400))
            .collect();
        assert!(
            reported(&CAUSE, &log).contains("they came every 1 h 00 min, 5 times"),
            "{}",
            reported(&CAUSE, &log)
        );
    }
}
