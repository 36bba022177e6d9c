//! # Slow time to safepoint
//!
//! ## What happens
//! Before anything can happen in a stop, every application thread must have stopped, and the first waits for the last.
//! One thread was late: it ran in a loop or a copy without a safepoint poll, it waited for a page of a mapped file or of swapped memory, or it waited for a CPU.
//! The VM thread itself may be late, too: it waits for concurrent GC threads to yield, and it may wait for a file that it writes, the safepoint log or the counters of `/tmp/hsperfdata_*`.
//! The collection, if there was one, had not begun.
//!
//! ## What proves it
//! `Reaching safepoint` (before JDK 13 `Stopping threads took`) is 1 ms or more.
//! A log does not show which thread was late, nor why, so the time stays unexplained until the threads are recorded.
//!
//! ## What looks alike
//! `inverted-parallelism`: the threads had stopped, and the collection waited.
//! `stop-beyond-gc`: the stop went on after the collection.
//! `late-java-thread` and `mapped-file-fault`: what it turns out to be when the threads are recorded.
//!
//! ## References
//! HotSpot `runtime/safepoint.cpp` (`SafepointSynchronize::begin`, `print_safepoint_timeout`).
use crate::{
    Cause, Class, Nature,
    account::tally::Tally,
    case::LogPart,
    cause::{
        Claims, Explanation,
        log_evidence::{seconds, seen, symptom},
    },
    facts::index::Index,
    text,
};
use recording::Source;

pub(super) static CAUSE: Cause = Cause {
    id: "slow-time-to-safepoint",
    title: "Slow time to safepoint",
    short: "slow time to safepoint",
    needs: &[Source::GcLog],
    nature: Nature::Symptom,
    class: Class::Collector,
    remedies: &["safepoint-timeout"],
    page: crate::page!("slow_time_to_safepoint.rs"),
    claims: Claims::Unexplained(LogPart::Reaching),
    explain,
    ..Cause::BASE
};

fn explain(tally: &Tally, _index: &Index<'_>) -> Explanation {
    let story = "It took long until all threads had stopped. An application thread was late, or \
                 the VM thread itself waited (a write to its log, its file of counters, a \
                 concurrent GC thread). A log does not show which.";
    let extent = format!(
        "{} in {} went by before all threads had stopped",
        text::duration(tally.time),
        text::stops(tally.pauses)
    );
    symptom(tally, vec![story.into()], extent, longest(tally))
}

/// `of the longest stop, 37.56 s, 37.56 s (99.99 %) were for reaching the safepoint`.
fn longest(tally: &Tally) -> Option<crate::Evidence> {
    let worst = tally.worst.as_ref()?;
    let hundredths = worst.part.as_nanos() * 10_000 / worst.pause.duration.as_nanos().max(1);
    let text = format!(
        "of the longest, {}, {} ({}.{:02} %) were for reaching the safepoint",
        seconds(worst.pause.duration),
        seconds(worst.part),
        hundredths / 100,
        hundredths % 100
    );
    Some(seen(worst.part, text))
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::as_text::log::{check, reported};

    fn log(reaching_us: u64) -> String {
        format!(
            "[9.000s][info][safepoint] Safepoint \"G1CollectForAllocation\", Time since last: 5 ns, Reaching safepoint: {} ns, At safepoint: 200000 ns, Total: {} ns\n",
            reaching_us * 1000,
            reaching_us * 1000 + 200_000
        )
    }

    #[test]
    fn a_millisecond_is_slow() {
        check(&CAUSE, &log(999), "absent");
        check(&CAUSE, &log(1000), "present 1 ms in 1");
    }

    #[test]
    fn the_share_of_the_stop_is_reported() {
        let text = reported(&CAUSE, &log(999_800));
        let share = "of the longest, 1.00 s, 1.00 s (99.98 %) were for reaching the safepoint";
        assert!(text.contains(share), "{text}");
    }
}
