//! # Inverted parallelism (real > user + sys): GC threads were not running
//!
//! ## What happens
//! Several threads collect at once, so a collection should use more CPU time than time passes on the clock.
//! Here it used less: its threads were not running.
//! Either they were blocked (a write to the GC log behind a busy disk, a page fault on a file, memory that was swapped out), or they were runnable and waited for a CPU (a quota, other processes, a hypervisor).
//!
//! ## What proves it
//! `real` is larger than `user` and `sys` together, by more than their rounding.
//! The difference is the least that is unexplained: with several threads at work it is more.
//! A GC log does not show the reason, so the time stays unexplained until the host is recorded too.
//!
//! ## What looks alike
//! `system-time`: the threads did run, in the kernel.
//! `slow-time-to-safepoint`: the wait was before the collection began.
//! `gc-work`: a collection that used its CPUs; then neither a disk nor a lack of CPU is the reason, however long it took.
//!
//! ## References
//! The term is the field's (JDK Mission Control's rule of this name, garbagecat); HotSpot `gc/shared/gcTraceTime.cpp`.
use crate::{
    Cause, Class, Nature,
    account::tally::Tally,
    case::LogPart,
    cause::{
        Claims, Explanation,
        log_evidence::{collections, cpu, seconds, seen, symptom},
    },
    facts::index::Index,
    text,
};
use recording::Source;

/// Fewer collections than this say nothing about what is usual.
const MIN_COLLECTIONS: u64 = 20;

pub(super) static CAUSE: Cause = Cause {
    id: "inverted-parallelism",
    title: "Inverted parallelism (real > user + sys): GC threads were not running",
    short: "inverted parallelism",
    needs: &[Source::GcLog],
    nature: Nature::Symptom,
    class: Class::Collector,
    remedies: &[],
    page: crate::page!("inverted_parallelism.rs"),
    claims: Claims::Unexplained(LogPart::Waiting),
    explain,
    ..Cause::BASE
};

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    let story = "Collections took longer than their GC threads ran: the threads were blocked, \
                 or waited for a CPU. A log does not show which.";
    let story = std::iter::once(story.to_owned()).chain(how_often(tally, index)).collect();
    let extent = format!(
        "{} in {} unexplained, up to {} in one",
        text::duration(tally.time),
        collections(tally.pauses),
        text::duration(tally.longest)
    );
    symptom(tally, story, extent, worst(tally).map(|it| seen(tally.longest, it)))
}

/// `in the longest: user=0.25 sys=0.05 real=15.35, so 15.05 s of 15.35 s (98 %) are unexplained`.
fn worst(tally: &Tally) -> Option<String> {
    let worst = tally.worst.as_ref()?;
    let whole = worst.collection.as_ref()?.gc.duration;
    let percent = worst.part.as_nanos() * 100 / whole.as_nanos().max(1);
    Some(format!(
        "in the longest {}, so {} of {} ({percent} %) were not work",
        cpu(worst)?,
        seconds(worst.part),
        seconds(whole)
    ))
}

/// How usual it is. That alone tells no wait from a lack of CPU: quotas strike rarely where there
/// is little to do, and a busy disk may hold up every collection.
fn how_often(tally: &Tally, index: &Index<'_>) -> Option<String> {
    let all = index.log?.sums.with_cpu_times();
    (all >= MIN_COLLECTIONS)
        .then(|| format!("It happened in {} of {}.", tally.pauses, collections(all)))
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::as_text::log::{check, cpu, pause, reported};

    fn log(user: u64, sys: u64, ms: u64) -> String {
        pause(2_000_000, 1, "Young (Normal) (G1 Evacuation Pause) 99M->9M(100M)", ms)
            + &cpu(2_000_000, 1, user, sys, ms / 10)
    }

    #[test]
    fn a_pause_that_was_not_the_collectors() {
        let text = reported(&CAUSE, &log(25, 5, 15_350));
        assert!(
            text.contains(
                "user=0.25 sys=0.05 real=15.35, so 15.05 s of 15.35 s (98 %) were not work"
            ),
            "{text}"
        );
    }

    #[test]
    fn the_rounding_of_cpu_times_is_no_evidence() {
        check(&CAUSE, &log(1, 1, 40), "absent");
        check(&CAUSE, &log(1, 1, 41), "present 21 ms in 1");
    }

    #[test]
    fn a_long_collection_that_used_its_cpus_is_blamed_on_nothing_else() {
        check(&CAUSE, &log(1_178_000, 0, 1_221_000), "absent");
    }

    fn many(good: u64, bad: u64) -> String {
        let one = |n: u64, used: u64| {
            pause(n * 1000, n, "Young (Normal) (G1 Evacuation Pause) 99M->9M(100M)", 500)
                + &cpu(n * 1000, n, used, 0, 50)
        };
        (1..=good).map(|n| one(n, 90)).chain((good + 1..=good + bad).map(|n| one(n, 5))).collect()
    }

    #[test]
    fn how_often_is_distinguished_from_twenty_collections_on() {
        assert!(reported(&CAUSE, &many(14, 6)).contains("It happened in 6 of 20 collections."));
        assert!(!reported(&CAUSE, &many(13, 6)).contains("It happened"));
    }
}
