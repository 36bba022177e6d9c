//! # Explicit collection
//!
//! ## What happens
//! Somebody asked for a collection: the application with `System.gc()`, the JDK when direct buffers ran out, RMI once an hour, an agent, or `jcmd PID GC.run`.
//! It is a full one, whether or not there was anything to collect.
//!
//! ## What proves it
//! The collection's cause in the log is `System.gc()`, `Diagnostic Command`, `Heap Inspection Initiated GC` or `Heap Dump Initiated GC`.
//!
//! ## What looks alike
//! `full-gc`: the collector itself saw a need.
//!
//! ## Remedies
//! `concurrent-explicit-gc`: `-XX:+ExplicitGCInvokesConcurrent` (G1 and CMS) makes a concurrent cycle of it, and what relies on the call still works.
//! `no-explicit-gc`: `-XX:+DisableExplicitGC` makes nothing of it; direct buffers are then freed late or never, so prefer the former.
//! Find the caller: `-Xlog:gc*` has the time, and a stack of the calling thread shows who it is.
//! Heap dumps and class histograms (`jmap -histo:live`) collect too; ask for them where a pause does not matter.
//!
//! ## References
//! HotSpot `prims/jvm.cpp` (`JVM_GC`), `gc/shared/gcCause.cpp`; JDK `java.nio.Bits` (`reserveMemory`).
use crate::{
    Advice, Cause, Nature,
    cause::{Claims, Explanation},
    history::Collection,
    index::Index,
    log_evidence::{collector, extent, flag},
    marks::Mark,
    rhythm,
    tally::Tally,
    text,
};
use recording::Source;
use std::time::Duration;

/// Causes of collections that somebody asked for, as JDK 8 and later print them.
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
    collectors: &[],
    nature: Nature::Fault,
    file: include_str!("explicit_gc.rs"),
    claims: Claims::Work(Mark::GcCause, is_claimed),
    beside_pauses: None,
    explain,
};

fn is_claimed(it: &Collection) -> bool {
    it.gc.cause.as_deref().is_some_and(|cause| ASKED_FOR.contains(&cause))
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    let mut evidence = vec![extent(tally)];
    evidence.extend(rhythm::of(&tally.windows).map(|it| {
        let text = format!("they came every {}, {} times", text::duration(it.period), it.times);
        crate::log_evidence::seen(Duration::ZERO, text)
    }));
    Explanation {
        story: vec![
            "Somebody asked for these collections; the collector saw no need for them.".into(),
        ],
        evidence,
        advice: advice(index).into_iter().collect(),
        ..Explanation::default()
    }
}

fn advice(index: &Index<'_>) -> Option<Advice> {
    let (name, note) = match collector(index) {
        "g1" | "cms" | "" => (
            "-XX:+ExplicitGCInvokesConcurrent",
            "a concurrent cycle instead of a full collection (G1 and CMS)",
        ),
        "zgc" | "shenandoah" => return None,
        _ => (
            "-XX:+DisableExplicitGC",
            "not where the application relies on direct buffers or RMI being cleaned up by it",
        ),
    };
    flag(index, "explicit-gc-flags", name, note)
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::log_text::{check, pause, told};

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
            told(&CAUSE, &log).contains("they came every 1 h 00 min, 5 times"),
            "{}",
            told(&CAUSE, &log)
        );
    }

    #[test]
    fn parallel_cannot_do_it_concurrently() {
        let log = "[0.001s] Using Parallel\n".to_owned()
            + &pause(1000, 1, "Full (System.gc()) 99M->9M(100M)", 400);
        assert!(told(&CAUSE, &log).contains("DisableExplicitGC"));
    }
}
