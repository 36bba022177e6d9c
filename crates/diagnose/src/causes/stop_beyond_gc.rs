//! # Stop beyond the collection
//!
//! ## What happens
//! The application was stopped for longer than the collection in the stop took, after all threads had stopped.
//! Something at the edge of the operation waited: most often the JVM, writing its log lines about the collection with the application still stopped; or the counters of `/tmp/hsperfdata_*`, whose page waits for the disk; or the VM thread waited for a CPU.
//! Where no line names the operation, as before JDK 9, it may also be an operation that is no collection.
//!
//! ## What proves it
//! The stop's own line is longer than time to safepoint and collections together, by 1 ms and a tenth of the collections or more.
//! A log does not show the reason, so the time stays unexplained until the host is recorded too.
//!
//! ## What looks alike
//! `slow-time-to-safepoint`: the wait was before the threads had stopped.
//! `inverted-parallelism`: the wait was inside the collection.
//! `vm-operation`: the log names an operation that is no collection.
//! `gc-log-write-blocked`: what it often turns out to be when the host is recorded.
//!
//! ## References
//! Zhuang et al.: OS-Caused Large JVM Pauses (11.45 s stopped, 0.19 s of work); HotSpot `runtime/vmThread.cpp`, `runtime/safepoint.cpp`.
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
    id: "stop-beyond-gc",
    title: "Stop beyond the collection",
    short: "stop beyond the collection",
    needs: &[Source::GcLog],
    nature: Nature::Symptom,
    class: Class::Collector,
    remedies: &["name-operations"],
    page: crate::page!("stop_beyond_gc.rs"),
    claims: Claims::Unexplained(LogPart::Around),
    explain,
    ..Cause::BASE
};

fn explain(tally: &Tally, _index: &Index<'_>) -> Explanation {
    let story = "The application stayed stopped though no collection was running. A log does not \
                 show what the JVM waited for.";
    let extent = format!(
        "{} in {} were neither collection nor waiting for threads to stop",
        text::duration(tally.time),
        text::stops(tally.pauses)
    );
    symptom(tally, vec![story.into()], extent, longest(tally))
}

fn longest(tally: &Tally) -> Option<crate::Evidence> {
    let worst = tally.worst.as_ref()?;
    let beside = match worst.pause.collection {
        None => "without any collection".to_owned(),
        Some(time) => format!("outside its collection of {}", text::duration(time)),
    };
    let percent = worst.part.as_nanos() * 100 / worst.pause.duration.as_nanos().max(1);
    let whole = seconds(worst.pause.duration);
    let text =
        format!("of the longest, {whole}, {} ({percent} %) went by {beside}", seconds(worst.part));
    Some(seen(worst.part, text))
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::as_text::log::{check, pause};

    fn log(at_us: u64) -> String {
        pause(9000, 1, "Young (Normal) (G1 Evacuation Pause) 99M->9M(100M)", 20)
            + &format!(
                "[9.001s][info][safepoint] Safepoint \"G1CollectForAllocation\", Time since last: 5 ns, Reaching safepoint: 1000 ns, At safepoint: {0}000 ns, Total: {0}000 ns\n",
                at_us
            )
    }

    #[test]
    fn a_millisecond_and_a_tenth_of_the_collection_more() {
        check(&CAUSE, &log(23_000), "absent");
        check(&CAUSE, &log(23_001), "present 3 ms in 1");
    }
}
