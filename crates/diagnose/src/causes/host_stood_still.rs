//! # The host stood still
//!
//! ## What happens
//! Nothing ran on the host for a while, in no process and not in the kernel.
//! A hypervisor pauses a virtual machine like that: for a live migration, a snapshot or a backup, or because its own host is stopped or swaps.
//! On hardware, firmware does it (a system management interrupt, SMI).
//! The kernel does not notice and books no steal time, so a thread seems to run, or to wait for its disk, all that time: in a log and in a profiler it looks like work of the collector.
//!
//! ## What proves it
//! Nothing proves it from within, so it is always inferred.
//! A thread of whypause that only sleeps was woken 10 ms late or more, did not wait for a CPU, and was not woken in between.
//! No thread of the JVM began or ended anything meanwhile, and the kernel booked less than half of the time as steal.
//! One sleeping thread shows one CPU alone: whether the others stood too only the operator of the host can tell.
//!
//! ## What looks alike
//! `cpu-steal`: the hypervisor ran another guest, and the kernel knows for how long.
//! `frozen-or-traced`: one process was stopped, and the others went on.
//! `cfs-throttling` and `cpu-contention`: a thread could run, and waited for its quota or for a CPU.
//! `gc-work`: what a log alone shows instead.
//!
//! ## References
//! Linux `kernel/time/hrtimer.c` (`clock_nanosleep`), `Documentation/scheduler/sched-stats.rst` (`/proc/PID/schedstat`), `Documentation/trace/hwlat_detector.rst` (SMI).
//! QEMU, developer documentation of migration (downtime).
use crate::{
    Certainty, Class, Detail, Evidence, Nature,
    account::tally::Tally,
    case::{Case, Segment},
    cause::{Cause, Claims, Explanation, os_evidence::spent},
    facts::index::Index,
    text,
    values::intervals::union,
};
use recording::Source;
use std::time::Duration;

pub(super) static CAUSE: Cause = Cause {
    id: "host-stood-still",
    title: "The host stood still",
    short: "host stood still",
    needs: &[Source::Sleeper],
    nature: Nature::Fault,
    class: Class::CpuContention,
    remedies: &["find-host-pauses"],
    page: crate::page!("host_stood_still.rs"),
    is_of_host: true,
    claims: Claims::Segments(stood_still),
    explain,
    ..Cause::BASE
};

/// The account puts what lies in such a time into segments of their own.
fn stood_still(_case: &Case<'_>, segment: &Segment<'_>) -> bool {
    segment.stood_still
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    let late = late(tally, index);
    let (times, longest) = (late.len() as u64, late.iter().max().copied().unwrap_or_default());
    let longest = text::duration(longest);
    let (how_often, when) = match times {
        0 | 1 => (format!("{longest} late"), "at that moment"),
        _ => (format!("late {times} times, by up to {longest}"), "at those moments"),
    };
    let seen = Evidence {
        source: Source::Sleeper,
        certainty: Certainty::Inferred,
        statement: format!(
            "a thread of whypause that only sleeps was woken {how_often} {when}, though it did not wait for a CPU"
        ),
        time: Duration::ZERO,
    };
    Explanation {
        story: vec![
            format!(
                "The host, or one CPU of it, seems to have stood still: whypause's own sleeping thread was \
                 woken {how_often} {when}, though it did not wait for a CPU."
            ),
            "No thread of the JVM began or ended anything meanwhile, and the kernel booked no steal time \
             for it."
                .into(),
            "A hypervisor that pauses the virtual machine (live migration, snapshot) does that, or \
             firmware (SMI)."
                .into(),
        ],
        culprits: Vec::new(),
        evidence: vec![spent(tally, Source::Sleeper, "the host seems to have stood still"), seen],
        detail: Detail::None,
    }
}

/// How late the sleeping thread was each time around the longest pauses.
fn late(tally: &Tally, index: &Index<'_>) -> Vec<Duration> {
    let windows = union(tally.windows.iter().map(|it| it.1).collect());
    let mut late: Vec<_> = windows.iter().flat_map(|it| index.stood_still(*it)).copied().collect();
    // One may share time with two pauses.
    late.dedup();
    late.iter().map(|it| it.duration()).collect()
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::as_text::facts::{check, diagnose, evidence_of, story_of};

    /// A sleeping thread that was late from then on until then, on a host that books no steal.
    fn late(from: &str, until: &str, by_ns: u64) -> String {
        format!(
            "sample cpu.steal_ms 0ms 700
             sample host.stood_still_ns 0ms 0
             sample host.stood_still_ns {from} 0
             sample host.stood_still_ns {until} {by_ns}
             sample cpu.steal_ms 9000ms 700"
        )
    }

    /// A collection of 3 s, in which the VM thread seems to run all the time.
    const COLLECTION: &str = "
        jvm 17.0.15 g1
        cpus 2 gc-threads 2
        thread 1 vm-thread VM Thread
        thread 5 java http-1
        safepoint 0ms 3000ms op G1CollectForAllocation 0ms 3000ms vm 1
        1 on-cpu 0ms 3000ms
        ";

    fn paused() -> String {
        COLLECTION.to_owned() + &late("500ms", "2500ms", 2_000_000_000)
    }

    #[test]
    fn a_collection_in_a_paused_virtual_machine() {
        check(&CAUSE, &paused(), "present 2s inferred");
        let parts: Vec<_> = diagnose(&paused()).pauses[0]
            .parts
            .iter()
            .map(|it| (it.cause.id, it.time.as_millis()))
            .collect();
        assert_eq!(parts, [("host-stood-still", 2000), ("gc-work", 1000)]);
        let evidence = evidence_of(&CAUSE, &paused());
        assert!(evidence.contains("was woken 2.00 s late"), "{evidence}");
        assert!(story_of(&CAUSE, &paused()).contains("though it did not wait for a CPU"));
    }

    #[test]
    fn whatever_a_thread_seems_to_do_it_did_not() {
        let doing = |what: &str| paused().replace("1 on-cpu 0ms 3000ms", what);
        check(&CAUSE, &doing("1 runnable 0ms 3000ms held 77 stress"), "present 2s inferred");
        let write = "1 blocked 0ms 3000ms write gc.log stack do_get_write_access vfs_write";
        check(&CAUSE, &doing(write), "present 2s inferred");
        check(&CAUSE, &doing("1 on-cpu 0ms 10ms"), "present 2s inferred");
    }

    #[test]
    fn what_was_stopped_from_outside_is_another_cause() {
        let stopped = "1 stopped 0ms 3000ms stack do_signal_stop get_signal";
        check(&CAUSE, &paused().replace("1 on-cpu 0ms 3000ms", stopped), "absent");
    }

    #[test]
    fn lateness_of_10_ms_counts_and_less_does_not() {
        let by = |us: u64| {
            COLLECTION.to_owned() + &late("500ms", &format!("{}us", 500_000 + us), us * 1000)
        };
        check(&CAUSE, &by(10_000), "present 10ms inferred");
        check(&CAUSE, &by(9_999), "absent");
    }

    #[test]
    fn where_a_thread_of_the_jvm_went_on_the_recorder_alone_stood() {
        let event = |at_us: u64| format!("{}\n5 blocked {at_us}us 3500000us write a.log", paused());
        check(&CAUSE, &event(502_000), "present 2s inferred");
        check(&CAUSE, &event(502_001), "absent");
        check(&CAUSE, &event(1_500_000), "absent");
        check(&CAUSE, &event(2_497_999), "absent");
        check(&CAUSE, &event(2_498_000), "present 2s inferred");
        let end = format!("{}\n5 blocked 100ms 1500ms write a.log", paused());
        check(&CAUSE, &end, "absent");
    }

    #[test]
    fn what_the_kernel_booked_as_steal_is_another_cause() {
        let booked = |ms: u64| paused().replace("9000ms 700", &format!("9000ms {}", 700 + ms));
        check(&CAUSE, &booked(999), "present 2s inferred");
        check(&CAUSE, &booked(1000), "absent");
        let taken = paused().replace("1 on-cpu 0ms 3000ms", "1 on-cpu 0ms 3000ms taken 1500ms");
        // What was taken is laid to the end of the slice, and stays with the hypervisor.
        check(&CAUSE, &taken, "present 1s inferred");
        let unread = paused().replace("sample cpu.steal_ms 9000ms 700", "");
        check(&CAUSE, &unread, "absent");
    }

    #[test]
    fn the_stall_of_a_thread_too() {
        let stalled = format!(
            "jvm 17.0.15 g1
             stalls 10ms
             thread 5 java http-1
             5 blocked 400ms 2600ms fsync a.log stack jbd2_log_wait_commit ext4_sync_file
             {}",
            late("500ms", "2500ms", 2_000_000_000)
        );
        let stalls = diagnose(&stalled).stalls.unwrap();
        let found: Vec<_> =
            stalls.findings.iter().map(|it| (it.cause.id, it.time.as_millis())).collect();
        assert_eq!(found, [("host-stood-still", 2000), ("file-sync-blocked", 200)]);
        assert!(stalls.findings[0].story[0].contains("woken 2.00 s late"));
        assert!(stalls.findings[0].evidence[0].statement.contains("in 1 stall"));
        assert_eq!(stalls.unattributed.as_nanos(), 0);
    }

    #[test]
    fn a_recording_of_an_older_version_does_not_rule_it_out() {
        check(&CAUSE, &format!("missing sleeper\n{COLLECTION}"), "unknown sleeper");
        check(&CAUSE, COLLECTION, "absent");
    }
}
