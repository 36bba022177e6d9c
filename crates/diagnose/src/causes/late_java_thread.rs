//! # Late Java thread
//!
//! ## What happens
//! To stop the application the JVM requests a safepoint, and each Java thread stops at its next safepoint poll.
//! A thread in a long loop without polls, in a large array copy or in a long intrinsic comes late, and all others wait for it.
//!
//! ## What proves it
//! The last application thread to stop was running on a CPU all the time.
//! The JVM's log shows a long time to safepoint.
//!
//! ## What looks alike
//! `mapped-file-fault`: the last thread to stop is not running, it waits for a page of a file.
//! `cpu-contention`: the last thread to stop is runnable and waits for a CPU.
//!
//! ## References
//! HotSpot `runtime/safepoint.cpp` (`SafepointSynchronize::synchronize_threads`), `opto/loopopts.cpp` (loop strip mining, JEP 312 and JDK-8186027).
use crate::{
    Cause, Class, Culprit, CulpritKind, Detail, Evidence, Nature,
    account::tally::Tally,
    case::{Case, LogPart, PausePhase, Segment},
    cause::{
        Claims, Explanation,
        clues::{Clues, Suspicion},
        java_stack,
        os_evidence::spent_in_stops,
    },
    facts::index::Index,
    text,
};
use recording::{JavaStackFact, Source, ThreadRole, ThreadState};
use std::{collections::BTreeMap, time::Duration};

/// Threads need some time to stop, always; it is part of every operation's cost. From one
/// millisecond on, a thread is late: polls are microseconds apart in compiled code.
const MIN_LATE: Duration = Duration::from_millis(1);

pub(super) static CAUSE: Cause = Cause {
    id: "late-java-thread",
    title: "Late Java thread",
    short: "late Java thread",
    needs: &[Source::Scheduler],
    nature: Nature::Fault,
    class: Class::LateThread,
    remedies: &["find-late-code", "break-up-late-code", "counted-loop-safepoints"],
    page: crate::page!("late_java_thread.rs"),
    claims: Claims::AtLeast(MIN_LATE, is_late),
    suspicion: Some(suspicion),
    explain,
    ..Cause::BASE
};

fn is_late(_case: &Case<'_>, segment: &Segment<'_>) -> bool {
    segment.phase == PausePhase::Reaching
        && segment.role == ThreadRole::Java
        && segment.state() == Some(ThreadState::OnCpu)
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    let place = tally.place(index).unwrap_or_default();
    let tid = tally.main_site().map(|it| it.0.tid);
    let threads: std::collections::BTreeSet<u32> = tally.sites.keys().map(|it| it.tid).collect();
    let who = Culprit {
        kind: CulpritKind::Thread,
        name: place.thread.clone(),
        pid: tid,
        statement: match threads.len() {
            1 => format!("{} was the last to stop", text::the_thread(&place.thread)),
            many => format!(
                "{} was most often the last to stop; {many} threads were late in all",
                text::the_thread(&place.thread)
            ),
        },
    };
    let samples = Samples::at(tid, index);
    let mut evidence = vec![spent_in_stops(tally, "the last thread to stop was on a CPU")];
    evidence.extend(tid.and_then(|tid| stack_of_dump(tid, index)));
    Explanation {
        story: vec![
            "A Java thread kept running after the safepoint request, and all others waited \
                     for it."
                .into(),
        ],
        culprits: std::iter::once(who).chain(samples.culprit(&place.thread)).collect(),
        evidence,
        detail: samples.detail(),
    }
}

/// What was seen of the code of one thread while it was late.
#[derive(Default)]
struct Samples<'a> {
    all: usize,
    /// The method in which it was seen most often, and how often.
    method: Option<(&'a str, usize)>,
}

impl<'a> Samples<'a> {
    fn at(tid: Option<u32>, index: &Index<'a>) -> Samples<'a> {
        let code = index.facts.map_or(&[][..], |it| &it.code);
        let samples: Vec<_> = code.iter().filter(|it| Some(it.tid) == tid).collect();
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for sample in samples.iter().filter(|it| !it.method.is_empty()) {
            *seen.entry(&sample.method).or_default() += 1;
        }
        Samples { all: samples.len(), method: seen.into_iter().max_by_key(|it| it.1) }
    }

    fn detail(&self) -> Detail {
        let method = self.method.map(|(name, _)| without_types(name).to_owned());
        Detail::LateCode { method, samples: self.all }
    }

    fn culprit(&self, thread: &str) -> Option<Culprit> {
        let (method, times) = self.method?;
        Some(Culprit {
            kind: CulpritKind::Method,
            name: method.to_owned(),
            pid: None,
            statement: format!(
                "{} was in {} in {times} of {} samples while it was late",
                text::the_thread(thread),
                without_types(method),
                self.all
            ),
        })
    }
}

/// Where the thread stopped at last when a dump was made and it was late for just that: in the code
/// that kept it, or right after.
fn stack_of_dump(tid: u32, index: &Index<'_>) -> Option<Evidence> {
    let facts = index.facts?;
    let late = |it: &&JavaStackFact| {
        facts.code.iter().any(|code| code.tid == tid && it.reaching.contains(code.at))
    };
    let stack = facts.java_stacks.iter().filter(|it| it.tid == tid).find(late)?;
    java_stack::evidence(stack, "the thread was late for a thread dump and stopped")
}

/// `a.B.sum` of `a.B.sum([D)D`.
fn without_types(method: &str) -> &str {
    method.split('(').next().unwrap_or(method)
}

/// A loop without a safepoint poll is late in many stops, and for as long as it lasts.
fn suspicion(clues: &Clues<'_>) -> Option<Suspicion> {
    if clues.part != LogPart::Reaching {
        return None;
    }
    let test =
        "start with -XX:+SafepointTimeout -XX:SafepointTimeoutDelay=500: it names the thread";
    let elsewhere = clues.waits_elsewhere().map(|it| format!("{it}, where no thread is late"));
    Some(Suspicion::new(4, test).pro(2, clues.usual()).con(2, elsewhere))
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::as_text::facts::{check, culprits_of, evidence_of};

    fn late(until_us: u64) -> String {
        format!(
            "jvm 17.0.15 parallel
             thread 1 vm-thread VM Thread
             thread 7 java loop
             safepoint 0us {end}us op ParallelGCFailedAllocation {until_us}us {end}us vm 1
             1 waiting 0us {until_us}us
             7 on-cpu 0us {until_us}us
             1 on-cpu {until_us}us {end}us",
            end = until_us + 5000
        )
    }

    #[test]
    fn one_millisecond_is_late_and_less_is_not() {
        check(&CAUSE, &late(999), "absent");
        check(&CAUSE, &late(1000), "present 1ms measured");
    }

    #[test]
    fn the_method_that_it_was_in_most_often_is_named() {
        let sample = |method: &str| format!("\ncode 7 500us {method}");
        let samples =
            [sample("a.B.sum([D)D"), sample("a.B.sum([D)D"), sample("a.B.copy()V"), sample("")];
        let facts = late(1000) + &samples.concat() + "\ncode 8 500us c.D.other()V";
        let reported = culprits_of(&CAUSE, &facts);
        assert!(reported.contains("in a.B.sum in 2 of 4 samples while it was late"), "{reported}");
    }

    #[test]
    fn a_stack_is_reported_where_the_thread_was_late_for_it() {
        let reported = |at: u32| {
            let stack =
                "\njava-stack 7 400us 600us a.B.sum(java.base@17/B.java:3) a.B.run(B.java:9)";
            evidence_of(&CAUSE, &format!("{}{stack}\ncode 7 {at}us a.B.sum()V", late(1000)))
        };
        assert!(reported(500).contains("stopped in a.B.sum(B.java:3) ← a.B.run(B.java:9)"));
        assert!(!reported(399).contains("stopped in"));
        assert!(!reported(601).contains("stopped in"));
    }

    #[test]
    fn code_that_has_no_method_names_none() {
        let facts = late(1000) + "\ncode 7 500us";
        assert!(!culprits_of(&CAUSE, &facts).contains("looks"));
    }

    #[test]
    fn a_thread_in_native_code_runs_on_and_was_not_waited_for() {
        check(&CAUSE, &late(5000).replace("7 on-cpu 0us 5000us", "7 on-cpu 0us 9000us"), "absent");
    }

    #[test]
    fn late_thread_queued_for_a_cpu_before_sleep_is_still_blamed() {
        check(
            &CAUSE,
            &format!("{}\n7 runnable 5000us 9000us\n7 on-cpu 9000us 9100us", late(5000)),
            "present 5ms measured",
        );
    }

    #[test]
    fn blocked_vm_thread_is_blamed_and_not_the_java_thread() {
        let blocked = late(5000)
            .replace("1 waiting 0us 5000us", "1 blocked 0us 5000us fault hs stack do_page_mkwrite");
        check(&CAUSE, &blocked, "absent");
    }

    /// A stop that only the log saw the edges of, and what samples saw of the thread that was late.
    const SAMPLED: &str = "
        missing safepoint-probes
        missing safepoint-symbols
        missing scheduler
        missing kernel-stacks
        recorded thread-samples
        jvm 17.0.15 g1
        thread 1 vm-thread VM Thread
        thread 7 java counter
        log 2000ms [2.000s][info][safepoint] Safepoint \"ThreadDump\", Time since last: 5 ns, Reaching safepoint: 900000000 ns, At safepoint: 20000000 ns, Total: 920000000 ns
        7 on-cpu 1000ms 1980ms sampled";

    #[test]
    fn samples_name_the_late_thread_of_a_log() {
        check(&CAUSE, SAMPLED, "present 900ms inferred");
    }

    #[test]
    fn a_thread_that_goes_on_through_the_stop_runs_native_code() {
        let long = SAMPLED
            .replace("At safepoint: 20000000", "At safepoint: 99000000")
            .replace("Total: 920000000", "Total: 999000000");
        let on = |ms: u64| long.replace("1980ms sampled", &format!("{ms}ms sampled"));
        check(&CAUSE, &on(1926), "present 900ms inferred");
        check(&CAUSE, &on(1927), "unknown scheduler");
    }

    #[test]
    fn a_sample_in_a_call_is_of_native_code() {
        let call = SAMPLED.replace("7 on-cpu 1000ms 1980ms", "7 blocked 1000ms 1980ms read a.bin");
        check(&CAUSE, &call, "unknown scheduler");
    }

    #[test]
    fn the_log_tells_a_stop_better_than_the_jvms_counters() {
        let counted = "\nsafepoint 1070ms 1990ms op X 1970ms 1990ms vm 1";
        check(&CAUSE, &format!("{SAMPLED}{counted}"), "present 900ms inferred");
        let lines = SAMPLED.lines().filter(|it| !it.trim_start().starts_with("log"));
        let without_log =
            lines.collect::<Vec<_>>().join("\n").replace("1000ms 1980ms", "1200ms 1980ms");
        check(&CAUSE, &format!("{without_log}{counted}"), "present 770ms inferred");
    }
}
