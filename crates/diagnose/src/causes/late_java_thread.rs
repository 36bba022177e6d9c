//! # Late Java thread
//!
//! ## What happens
//! To stop the application the JVM asks every Java thread to stop, and each does so at its next safepoint poll.
//! A thread in a long loop without polls, in a large array copy or in a long intrinsic comes late, and all others wait for it.
//!
//! ## What proves it
//! The straggler, the last application thread to stop, was running on a CPU all the while.
//! The JVM's log shows a long time to safepoint.
//!
//! ## What looks alike
//! `mapped-file-fault`: the straggler is not running, it waits for a page of a file.
//! `cpu-contention`: the straggler wants to run and has no CPU.
//!
//! ## Remedies
//! `find-late-code`: name the Java code with `async-profiler --ttsp`, or with the event `jdk.SafepointLatency` of JDK 25; `-XX:+SafepointTimeout` prints the thread.
//! `counted-loop-safepoints`: collectors other than G1, ZGC and Shenandoah need `-XX:+UseCountedLoopSafepoints` to poll inside counted loops.
//!
//! ## References
//! HotSpot `runtime/safepoint.cpp` (`SafepointSynchronize::synchronize_threads`), `opto/loopopts.cpp` (loop strip mining, JEP 312 and JDK-8186027).
use crate::{
    Advice, AdviceWhen, Cause, Culprit, CulpritKind, Nature,
    case::{Case, Phase, Segment},
    cause::{Claims, Explanation},
    index::Index,
    jvm_flags,
    os_evidence::spent_in_stops,
    tally::Tally,
    text,
};
use recording::{Source, ThreadRole, ThreadState};
use std::time::Duration;

/// Threads need some time to stop, always; it is part of every operation's cost. From one
/// millisecond on, a thread is late: polls are microseconds apart in compiled code.
const MIN_LATE: Duration = Duration::from_millis(1);

pub(super) static CAUSE: Cause = Cause {
    id: "late-java-thread",
    title: "Late Java thread",
    short: "late Java thread",
    needs: &[Source::Scheduler],
    collectors: &[],
    nature: Nature::Fault,
    file: include_str!("late_java_thread.rs"),
    claims: Claims::AtLeast(MIN_LATE, is_late),
    beside_pauses: None,
    explain,
};

fn is_late(_case: &Case<'_>, segment: &Segment) -> bool {
    segment.phase == Phase::Reaching
        && segment.role == ThreadRole::Java
        && segment.state == Some(ThreadState::OnCpu)
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    let place = tally.place(index).unwrap_or_default();
    let tid = tally.main_spot().map(|it| it.0.tid);
    let threads: std::collections::BTreeSet<u32> = tally.spots.keys().map(|it| it.tid).collect();
    let who = Culprit {
        kind: CulpritKind::Thread,
        name: place.thread.clone(),
        pid: tid,
        statement: match threads.len() {
            1 => format!("{} was the last to stop", text::the_thread(&place.thread)),
            many => format!(
                "{} was most often the last to stop, of {many} threads",
                text::the_thread(&place.thread)
            ),
        },
    };
    Explanation {
        story: vec!["A Java thread went on running after it was asked to stop, and all others waited for it.".into()],
        culprits: vec![who],
        evidence: vec![spent_in_stops(tally, "the last thread to stop was on a CPU")],
        advice: advice(index),
    }
}

fn advice(index: &Index<'_>) -> Vec<Advice> {
    let Some(jvm) = index.jvm else { return Vec::new() };
    let mut advice = vec![Advice {
        remedy: "find-late-code",
        when: AdviceWhen::Now,
        action: format!("asprof --ttsp -d 60 -f ttsp.html {}", jvm.pid),
        note: "async-profiler shows the Java code that ran while the others waited".into(),
    }];
    let strips = matches!(jvm.collector.as_str(), "g1" | "zgc" | "shenandoah");
    if !strips && !jvm_flags::has(jvm, "-XX:+UseCountedLoopSafepoints") {
        advice.push(Advice {
            remedy: "counted-loop-safepoints",
            when: AdviceWhen::NextStart,
            action: "-XX:+UseCountedLoopSafepoints".into(),
            note: "costs a little speed in tight loops".into(),
        });
    }
    advice
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::facts_text::{advice_of, check};

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
    fn a_thread_in_native_code_runs_on_and_was_not_waited_for() {
        check(&CAUSE, &late(5000).replace("7 on-cpu 0us 5000us", "7 on-cpu 0us 9000us"), "absent");
    }

    #[test]
    fn a_thread_that_queues_for_a_cpu_on_its_way_to_sleep_is_still_the_late_one() {
        check(
            &CAUSE,
            &format!("{}\n7 runnable 5000us 9000us\n7 on-cpu 9000us 9100us", late(5000)),
            "present 5ms measured",
        );
    }

    #[test]
    fn a_vm_thread_blocked_in_the_kernel_was_waited_for_and_not_the_java_thread() {
        let blocked = late(5000)
            .replace("1 waiting 0us 5000us", "1 blocked 0us 5000us fault hs stack do_page_mkwrite");
        check(&CAUSE, &blocked, "absent");
    }

    #[test]
    fn g1_polls_in_counted_loops_already() {
        assert!(advice_of(&CAUSE, &late(3000)).contains("UseCountedLoopSafepoints"));
        assert!(
            !advice_of(&CAUSE, &late(3000).replace("parallel", "g1"))
                .contains("UseCountedLoopSafepoints")
        );
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
