//! # Long remark
//!
//! ## What happens
//! A concurrent collector marks while the application runs, and ends that with a pause, the remark.
//! It looks again at what changed meanwhile, at references and at classes to unload.
//! CMS also goes through the whole young generation, which takes long when that is full.
//!
//! ## What proves it
//! A remark took 50 ms or more; its time in the reference phase is told apart where the log has it.
//!
//! ## What looks alike
//! `reference-processing`: the part of the remark that is spent on references.
//! `inverted-parallelism`: the remark waited for something outside the collector.
//!
//! ## Remedies
//! `scavenge-before-remark`: `-XX:+CMSScavengeBeforeRemark` empties the young generation first (CMS).
//! `parallel-references`: `-XX:+ParallelRefProcEnabled`, the default since JDK 17.
//! Class unloading in the remark grows with the number of loaded classes: find out who makes them (proxies, scripts, lambdas in loops).
//!
//! ## References
//! HotSpot `gc/g1/g1ConcurrentMark.cpp` (`remark`), until JDK 13 `gc/cms/concurrentMarkSweepGeneration.cpp` (`checkpointRootsFinalWork`).
use crate::{
    Advice, Cause, Nature,
    cause::{Claims, Explanation},
    history::{Collection, is_remark},
    index::Index,
    log_evidence::{collector, extent, flag, seen, worst},
    marks::Mark,
    tally::Tally,
    text,
};
use recording::Source;
use std::time::Duration;

use super::reference_processing::parallel;

/// Remarks of healthy services take some milliseconds; from here on they are worth a look.
const MIN_TIME: Duration = Duration::from_millis(50);

pub(super) static CAUSE: Cause = Cause {
    id: "long-remark",
    title: "Long remark",
    short: "long remark",
    needs: &[Source::GcLog],
    collectors: &["cms", "g1", "shenandoah", "zgc"],
    nature: Nature::Fault,
    file: include_str!("long_remark.rs"),
    claims: Claims::Work(Mark::Kind, is_claimed),
    beside_pauses: None,
    explain,
};

fn is_claimed(it: &Collection) -> bool {
    is_remark(it.gc.kind) && it.gc.duration >= MIN_TIME
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    let phases = worst(tally).and_then(|it| {
        let longest = it.gc.phases.iter().max_by_key(|phase| phase.duration)?;
        let text = format!(
            "the longest part of the longest remark was {}, {}",
            longest.phase.id(),
            text::duration(longest.duration)
        );
        Some(seen(Duration::ZERO, text))
    });
    Explanation {
        story: vec!["The end of concurrent marking took long.".into()],
        evidence: std::iter::once(extent(tally)).chain(phases).collect(),
        advice: advice(index),
        ..Explanation::default()
    }
}

fn advice(index: &Index<'_>) -> Vec<Advice> {
    let scavenge = (collector(index) == "cms").then(|| {
        let note = "a young collection first, so that the remark finds it nearly empty";
        flag(index, "scavenge-before-remark", "-XX:+CMSScavengeBeforeRemark", note)
    });
    scavenge.flatten().into_iter().chain(parallel(index)).collect()
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::log_text::{check, pause};

    #[test]
    fn fifty_milliseconds_are_long() {
        check(&CAUSE, &pause(1000, 1, "Remark 99M->98M(100M)", 50), "present 50 ms in 1");
        check(&CAUSE, &pause(1000, 1, "Remark 99M->98M(100M)", 49), "absent");
        check(&CAUSE, &pause(1000, 1, "Cleanup 99M->98M(100M)", 50), "absent");
    }
}
