//! # Hiccup without GC
//!
//! ## What happens
//! A thread of the application that sleeps for a fixed time woke late: it, and most likely all others, did not run.
//! The JVM counted no collection meanwhile, or only short ones.
//! No safepoint needs to be involved: the whole process, or the whole host, did not run, because of swap-in, of page faults on files, of CFS throttling, of CPU contention, or of CPU steal.
//! It may also have been a stop for something else than a collection, or one that the threads were slow to reach.
//!
//! ## What proves it
//! The application's own monitor (Neo4j, Hadoop) noticed the pause, and the collections that it counted are shorter by 100 ms or more.
//! The application's log does not show the reason, so the time stays unexplained until the host is recorded too.
//!
//! ## What looks alike
//! `gc-work`: the collections that were counted are as long as the pause.
//! `slow-time-to-safepoint` and `stop-beyond-gc`: what it turns out to be if it was a stop, when the JVM writes a safepoint log.
//!
//! ## References
//! Neo4j `VmPauseMonitor`; Hadoop and what is built on it `JvmPauseMonitor`.
use crate::{
    Cause, Class, Nature,
    account::tally::Tally,
    case::{Case, LogPart, Segment},
    cause::{Claims, Explanation, log_evidence::symptom},
    facts::index::Index,
    text,
};
use std::time::Duration;

/// Monitors wake some ten times a second, and collections are counted in whole milliseconds: less
/// than this beyond the collections is their inaccuracy.
const MIN_TIME: Duration = Duration::from_millis(100);

pub(super) static CAUSE: Cause = Cause {
    id: "hiccup-without-gc",
    title: "Hiccup without GC: the application did not run",
    short: "hiccup without GC",
    needs: &[],
    nature: Nature::Symptom,
    class: Class::Collector,
    remedies: &["safepoint-log"],
    page: crate::page!("hiccup_without_gc.rs"),
    claims: Claims::Segments(claims),
    explain,
    ..Cause::BASE
};

fn claims(_case: &Case<'_>, segment: &Segment<'_>) -> bool {
    let beyond = segment.state().is_none() && segment.log_part() == Some(LogPart::Hiccup);
    beyond && segment.interval.duration() >= MIN_TIME
}

fn explain(tally: &Tally, _index: &Index<'_>) -> Explanation {
    let story = "The application did not run, and the collector is not the cause. No safepoint \
                 needs to be involved: the whole process, or the host, may not have run (memory \
                 read back from disk or swap, a CPU quota, a hypervisor). The application's log \
                 does not show which.";
    let extent = format!(
        "{} of {} that the application noticed, up to {} of one, were in no collection that it counted",
        text::duration(tally.time),
        text::pauses(tally.pauses),
        text::duration(tally.longest)
    );
    symptom(tally, vec![story.into()], extent, None)
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::as_text::log::{check, diagnose, reported};

    fn log(pause_ms: u64, gc_ms: u64) -> String {
        format!(
            "2023-08-25 08:23:33.328+0000 WARN  [c] Detected VM stop-the-world pause: {{pauseTime={pause_ms}, gcTime={gc_ms}, gcCount={}}}\n",
            u8::from(gc_ms > 0)
        )
    }

    #[test]
    fn a_pause_in_which_nothing_was_collected() {
        check(&CAUSE, &log(444, 0), "present 444 ms in 1");
        assert!(reported(&CAUSE, &log(444, 0)).contains("the collector is not the cause"));
        assert_eq!(
            diagnose(&log(444, 0)).statistics.unattributed.as_millis(),
            444,
            "a symptom explains nothing"
        );
    }

    #[test]
    fn a_tenth_of_a_second_beyond_the_collections() {
        check(&CAUSE, &log(444, 344), "present 100 ms in 1");
        check(&CAUSE, &log(444, 345), "absent");
        check(&CAUSE, &log(714, 727), "absent");
    }

    #[test]
    fn a_monitor_that_does_not_look_for_collections_proves_nothing() {
        check(
            &CAUSE,
            "2019-06-24 16:47:28,787 We slept 50631ms instead of 3000ms, this\n",
            "absent",
        );
    }
}
