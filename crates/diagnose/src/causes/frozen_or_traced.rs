//! # Frozen, stopped or traced
//!
//! ## What happens
//! The process was stopped from outside, and no thread of it ran until the process was resumed.
//! Three things do that: a signal (`SIGSTOP`, or `SIGTSTP` of a terminal), a tracer that attaches (`gdb`, `strace`, `jstack -F`, `jmap -F`, a core dump by `gcore`), and the freezer of a control group (`docker pause`, a checkpoint, a container runtime or batch system that makes room).
//! The JVM does not notice: where the stop happened during a safepoint, the log shows a long operation; elsewhere the log shows nothing.
//! A freezer that catches one thread in the kernel waits for it, with all others frozen already: a slow disk makes such a stop long.
//!
//! ## What proves it
//! The kernel's state of the thread that all others waited for: stopped, traced or frozen.
//! The kernel reports whether it was a freezer (`control-group-freezer`); the kernel stack separates the other two: `do_signal_stop` for a signal (`stop-signal`), `ptrace_stop` for a tracer (`tracer`).
//! Since Linux 6.1 the freezer leaves a thread that sleeps where it is: its wait is known as frozen once the group is thawed, and the begin is taken from the thread that ran last.
//!
//! ## What looks alike
//! `cfs-throttling`: the threads could not run either, but because their quota was used up, and for less than its period at a time.
//! `cpu-steal`, `host-stood-still`: the whole host did not run, not one process.
//!
//! ## References
//! Linux `kernel/signal.c` (`do_signal_stop`, `ptrace_stop`, `do_freezer_trap`), `kernel/freezer.c` (`__refrigerator`), `kernel/cgroup/freezer.c`.
//! HotSpot serviceability agent `LinuxDebuggerLocal.c` (`ptrace` of every thread).
use crate::{
    Cause, Class, Detail, Nature, StoppedBy,
    account::tally::Tally,
    case::{Case, LogPart, Segment},
    cause::{
        Claims, Explanation,
        clues::{Clues, Suspicion},
        os_evidence::spent,
    },
    facts::index::Index,
};
use recording::{Source, ThreadState};

pub(super) static CAUSE: Cause = Cause {
    id: "frozen-or-traced",
    title: "Frozen, stopped or traced",
    short: "frozen, stopped or traced",
    needs: &[Source::Scheduler],
    nature: Nature::Fault,
    class: Class::Stopped,
    remedies: &["find-who-stops", "attach-gently"],
    page: crate::page!("frozen_or_traced.rs"),
    claims: Claims::Segments(claims),
    suspicion: Some(suspicion),
    explain,
    ..Cause::BASE
};

fn claims(_case: &Case<'_>, segment: &Segment<'_>) -> bool {
    segment.state() == Some(ThreadState::Stopped)
}

/// Most of the time must speak for it.
fn stopped_by(tally: &Tally) -> StoppedBy {
    let shares = tally.mechanism_shares();
    match shares.first().filter(|it| it.time * 2 > tally.time).map(|it| it.id) {
        Some("control-group-freezer") => StoppedBy::Freezer,
        Some("stop-signal") => StoppedBy::Signal,
        Some("tracer") => StoppedBy::Tracer,
        _ => StoppedBy::Unknown,
    }
}

fn explain(tally: &Tally, _index: &Index<'_>) -> Explanation {
    let stopped_by = stopped_by(tally);
    let what = match stopped_by {
        StoppedBy::Signal => "A signal (SIGSTOP or the like) stopped the whole process.",
        StoppedBy::Tracer => "A debugger or tracer held the process.",
        StoppedBy::Freezer => "The process was frozen by the freezer of its control group.",
        StoppedBy::Unknown => "The process was stopped by a signal, held by a tracer, or frozen.",
    };
    Explanation {
        story: vec![what.into(), "No thread of the JVM ran until the process was resumed.".into()],
        culprits: Vec::new(),
        evidence: vec![spent(
            tally,
            Source::Scheduler,
            "the threads were stopped from outside the \
                                                        JVM",
        )],
        detail: Detail::StoppedBy(stopped_by),
    }
}

/// A signal or the freezer stops all of a process, at any place.
fn suspicion(clues: &Clues<'_>) -> Option<Suspicion> {
    let base = match clues.part {
        LogPart::Hiccup => 2,
        LogPart::Waiting | LogPart::Beyond | LogPart::Reaching | LogPart::Around => 1,
        _ => return None,
    };
    Some(
        Suspicion::new(
            base,
            "the process state when it happens: T in /proc/PID/stat, or a frozen cgroup",
        )
        .con(2, clues.usual()),
    )
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::as_text::facts::{check, story_of};

    const STOPPED: &str = "
        jvm 17.0.15 g1
        thread 1 vm-thread VM Thread
        safepoint 0ms 400ms op G1CollectForAllocation 1ms 399ms vm 1
        1 on-cpu 0ms 10ms
        1 stopped 10ms 390ms stack do_signal_stop get_signal arch_do_signal_or_restart
        1 on-cpu 390ms 400ms";

    #[test]
    fn a_signal_in_the_middle_of_a_collection() {
        check(&CAUSE, STOPPED, "present 380ms measured stop-signal");
        assert!(story_of(&CAUSE, STOPPED).contains("SIGSTOP"));
    }

    #[test]
    fn the_stack_tells_signal_tracer_and_freezer_apart() {
        let story =
            |frames: &str| story_of(&CAUSE, &STOPPED.replace("do_signal_stop get_signal", frames));
        assert!(story("ptrace_stop ptrace_notify").contains("tracer held"));
        assert!(story("ptrace_stop do_jobctl_trap get_signal").contains("tracer held"));
        assert!(story("cgroup_enter_frozen do_freezer_trap get_signal").contains("freezer of"));
        assert!(story("__refrigerator get_signal").contains("freezer of"));
        assert!(story("something_new get_signal").contains("signal, held by a tracer, or frozen"));
    }

    #[test]
    fn a_freezer_that_is_inlined_is_reported_by_the_thread_itself() {
        // Linux 6.1 to 7.3, control groups of version 2
        let inlined = STOPPED.replace("do_signal_stop get_signal", "get_signal");
        check(&CAUSE, &inlined, "present 380ms measured");
        let frozen = inlined.replace("stack get_signal", "frozen stack get_signal");
        check(&CAUSE, &frozen, "present 380ms measured control-group-freezer");
        assert!(story_of(&CAUSE, &frozen).contains("frozen by the freezer of its control group"));
        let sampled = frozen.replace("frozen stack", "sampled frozen stack");
        check(&CAUSE, &sampled, "present 380ms inferred control-group-freezer");
    }

    #[test]
    fn more_than_half_of_the_time_must_speak_for_one_of_the_three() {
        let mixed = |signal_ends: u64| {
            format!(
                "jvm 17.0.15 g1
                 thread 1 vm-thread VM Thread
                 safepoint 0ms 400ms op G1CollectForAllocation 0ms 400ms vm 1
                 1 stopped 0ms {signal_ends}ms stack do_signal_stop get_signal
                 1 stopped {signal_ends}ms 400ms stack get_signal"
            )
        };
        assert!(story_of(&CAUSE, &mixed(201)).contains("SIGSTOP"));
        assert!(story_of(&CAUSE, &mixed(200)).contains("signal, held by a tracer, or frozen"));
    }

    #[test]
    fn outside_of_stops_it_is_a_hiccup() {
        let frozen = |end: u64| {
            format!(
                "jvm 17.0.15 g1
                 thread 5 java http-1
                 5 on-cpu 0ms 10ms
                 5 stopped 10ms {end}ms stack do_freezer_trap get_signal
                 5 on-cpu {end}ms 900ms"
            )
        };
        check(&CAUSE, &frozen(310), "present 300ms measured control-group-freezer");
        check(&CAUSE, &frozen(30), "present 20ms measured control-group-freezer");
        check(&CAUSE, &frozen(29), "absent");
    }

    #[test]
    fn threads_frozen_in_their_sleep_are_a_hiccup_of_the_process() {
        let frozen = "jvm 17.0.15 g1
             thread 9 vm-internal VM Periodic Tas
             9 waiting 0ms 30ms
             9 stopped 30ms 330ms frozen";
        check(&CAUSE, frozen, "present 300ms measured control-group-freezer");
        assert!(story_of(&CAUSE, frozen).contains("freezer of"));
        let traced = frozen.replace("frozen", "stack ptrace_stop ptrace_notify");
        check(&CAUSE, &traced, "absent");
        check(&CAUSE, &frozen.replace("stopped", "throttled"), "absent");
    }

    #[test]
    fn a_blocked_and_a_throttled_thread_are_none() {
        check(&CAUSE, &STOPPED.replace("1 stopped 10ms 390ms", "1 throttled 10ms 390ms"), "absent");
        let fault = STOPPED.replace("1 stopped 10ms 390ms", "1 blocked 10ms 390ms fault a");
        check(&CAUSE, &fault, "absent");
    }

    #[test]
    fn from_samples_it_is_inferred() {
        check(
            &CAUSE,
            &STOPPED.replace("stack do", "sampled stack do"),
            "present 380ms inferred stop-signal",
        );
    }

    #[test]
    fn without_the_scheduler_nothing_is_claimed() {
        check(
            &CAUSE,
            "missing scheduler\nsafepoint 0ms 9ms op X 1ms 8ms vm 1",
            "unknown scheduler",
        );
    }
}
