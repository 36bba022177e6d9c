//! # System time
//!
//! ## What happens
//! The collector's threads were busy, but in the kernel and not with the heap.
//! A collection has little reason to be there: it touches memory for the first time (a page fault for each 4 KiB of a heap that grows), gets huge pages made for it, gives memory back, or waits for swap-in.
//!
//! ## What proves it
//! `sys` is larger than `user` and at least 50 ms.
//! A GC log does not show what the kernel did, so the time stays unexplained until the host is recorded too.
//!
//! ## What looks alike
//! `inverted-parallelism`: the threads did not run at all.
//! `gc-work`: the threads ran, in user mode.
//!
//! ## References
//! Zhuang et al.: OS-Caused Large JVM Pauses (huge pages under memory pressure); Linux `Documentation/admin-guide/mm/transhuge.rst`.
use crate::{
    Cause, Class, Nature,
    account::tally::Tally,
    case::LogPart,
    cause::{
        Claims, Explanation,
        log_evidence::{collections, cpu, seen, symptom},
    },
    facts::index::Index,
    text,
};
use recording::Source;
use std::time::Duration;

pub(super) static CAUSE: Cause = Cause {
    id: "system-time",
    title: "System time: a collection busy in the kernel",
    short: "system time",
    needs: &[Source::GcLog],
    nature: Nature::Symptom,
    class: Class::Collector,
    remedies: &["pretouch"],
    page: crate::page!("system_time.rs"),
    claims: Claims::Unexplained(LogPart::Kernel),
    explain,
    ..Cause::BASE
};

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    let story =
        "Collections spent more time in the kernel than on the heap. A log does not show on what.";
    let extent = format!(
        "{} of {} went into the kernel, up to {} of one",
        text::duration(tally.time),
        collections(tally.pauses),
        text::duration(tally.longest)
    );
    let longest = tally.worst.as_deref().and_then(cpu);
    let longest = longest.map(|it| seen(tally.longest, format!("the longest had {it}")));
    let swap = index.log.and_then(|log| log.jvm.swap).filter(|(total, free)| free < total);
    let swap =
        swap.map(|_| seen(Duration::ZERO, "swap space was in use when the JVM started".to_owned()));
    symptom(tally, vec![story.into()], extent, longest.into_iter().chain(swap))
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::as_text::log::{check, cpu, pause};

    fn log(user: u64, sys: u64) -> String {
        pause(20_000, 1, "Young (Normal) (G1 Evacuation Pause) 99M->9M(100M)", 100)
            + &cpu(20_000, 1, user, sys, 10)
    }

    #[test]
    fn more_in_the_kernel_than_outside_and_fifty_milliseconds() {
        check(&CAUSE, &log(4, 6), "present 60 ms in 1");
        check(&CAUSE, &log(5, 5), "absent");
        check(&CAUSE, &log(1, 4), "absent");
    }
}
