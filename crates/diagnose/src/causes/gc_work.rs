//! # Garbage collection work
//!
//! ## What happens
//! The collector does what it is for: it finds live objects and moves them, with the application stopped.
//! This is the part of a pause that heap size, live data and collector settings decide, and nothing outside the JVM.
//!
//! ## What proves it
//! During a collection the thread that all others wait for (the VM thread or a GC worker) runs on a CPU.
//! From a log alone: the collection's time as far as its `User` and `Sys` times cover it.
//!
//! ## What looks alike
//! `cpu-contention`: the collector's threads want to run and have no CPU.
//! `vm-operation`: the operation is no collection.
//!
//! ## References
//! HotSpot `gc/shared/gcVMOperations.hpp`, `gc/g1/g1VMOperations.hpp`, `gc/parallel/psVMOperations.hpp`.
use crate::{
    Cause, Class, Detail, Evidence, Nature,
    account::tally::Tally,
    case::{Case, PausePhase, Segment},
    cause::{
        Claims, Explanation,
        log_evidence::{LONG_COLLECTION, busy, collector, memory, seen, worst},
    },
    facts::index::Index,
    history::{History, Sizes},
    text,
};
use recording::{Source, VmFlags};
use std::time::Duration;

/// From here on a pause is worth more than a word.
const LONG: Duration = Duration::from_millis(100);
/// A phase that takes less than this part of the pauses, in per cent, does not rule them.
const MOST_OF_IT: u128 = 40;
/// G1's goal where none is given (`gc/g1/g1Arguments.cpp`).
const DEFAULT_GOAL_MS: u64 = 200;
/// A collector that copies less than this in a second of CPU time does something else: usual are a
/// hundred times as much and more.
const LEAST_BYTES_PER_S: u64 = 1 << 20;
/// Up to this number HotSpot uses all CPUs for GC threads, of more only a part
/// (`gc/shared/workerPolicy.cpp`).
const MOST_BY_DEFAULT: u32 = 8;

/// Of fewer collections without CPU times it is not known what is usual (`history/usual.rs`).
const ENOUGH: u64 = 20;
/// What such a log shows.
const LENGTH_ALONE: &str = "Collections had the application stopped. The log has neither their CPU times \
                            nor enough others to compare with, so it does not show whether the collector \
                            worked or waited.";

pub(super) static CAUSE: Cause = Cause {
    id: "gc-work",
    title: "Garbage collection work",
    short: "GC work",
    needs: &[],
    nature: Nature::Ordinary,
    class: Class::Collector,
    remedies: &["more-gc-threads", "concurrent-collector"],
    page: crate::page!("gc_work.rs"),
    claims: Claims::Segments(claims),
    explain,
    ..Cause::BASE
};

fn claims(case: &Case<'_>, segment: &Segment<'_>) -> bool {
    segment.phase == PausePhase::Operation && segment.is_collector_at_work() && case.is_collection()
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    let largest = tally.operations.sorted().into_iter().max_by_key(|(_, (_, time))| *time);
    let most = largest.map_or_else(String::new, |(name, (count, time))| {
        format!(", {} of it in {} of {name}", text::duration(*time), text::stops(*count))
    });
    let source = if tally.inferred == tally.time { Source::GcLog } else { Source::Scheduler };
    let mut evidence = vec![Evidence {
        source,
        certainty: tally.certainty(),
        statement: format!(
            "the collector worked for {} in {}{most}",
            text::duration(tally.time),
            text::stops(tally.pauses)
        ),
        time: tally.time,
    }];
    let mut story = Vec::new();
    // What a log has to say where the pauses are long; a recording has better sources.
    let log = index.log.filter(|_| index.facts.is_none());
    if log.is_some_and(|log| log.sums.count() == 0) && tally.inferred == tally.time {
        return of_stops_alone(tally, most, log);
    }
    if log.is_some_and(|log| tally.longest >= LONG && is_length_alone(tally, log)) {
        return Explanation {
            story: vec![LENGTH_ALONE.to_owned()],
            evidence,
            detail: Detail::LengthAlone,
            ..Explanation::default()
        };
    }
    if let Some(log) = log.filter(|_| tally.longest >= LONG) {
        story.push(computing(tally, index).unwrap_or_else(|| {
            "These pauses are ordinary GC work for a heap of this size.".to_owned()
        }));
        let what = [phase(log), copied(log), goal(log, index), few_threads(log, index)];
        evidence.extend(what.into_iter().flatten().map(|it| seen(Duration::ZERO, it)));
    }
    let pinned = index.log.and_then(History::said_of_pinned);
    evidence.extend(pinned.map(|it| seen(Duration::ZERO, it)));
    evidence.extend(busy(tally, index));
    Explanation { story, evidence, ..Explanation::default() }
}

/// Whether a log has how long collections took and nothing more of them. An application reports long ones
/// alone, so what is usual is in none of its logs.
fn is_length_alone(tally: &Tally, log: &History) -> bool {
    let is_few = log.sums.count() < ENOUGH || log.is_of_application;
    is_few && worst(tally).is_some_and(|it| it.gc.cpu.is_none())
}

/// Where the log has the stops and no line of a collection.
fn of_stops_alone(tally: &Tally, most: String, log: Option<&History>) -> Explanation {
    let story = match log.is_some_and(|log| log.is_of_application) {
        true => LENGTH_ALONE,
        false => {
            "The safepoint operations of these stops are collections. The collections' own lines are not in this \
             log, so it does not show whether the collector worked or waited."
        }
    };
    let extent = format!(
        "{} in {} for collections{most}",
        text::duration(tally.time),
        text::stops(tally.pauses)
    );
    Explanation {
        story: vec![story.to_owned()],
        evidence: vec![seen(tally.time, extent)],
        detail: Detail::LengthAlone,
        ..Explanation::default()
    }
}

/// The longest collection, where it kept CPUs busy for far longer than what it copied can take: threads
/// that spin, mostly.
fn computing(tally: &Tally, index: &Index<'_>) -> Option<String> {
    let gc = &worst(tally)?.gc;
    let sizes = Sizes::of(gc, index.log?.jvm.region_size_bytes());
    let (cpu, survivors) = (gc.cpu?, sizes.young?.after);
    let used = cpu.user + cpu.sys;
    let copied = survivors.saturating_add(sizes.promoted().unwrap_or(0));
    let is_little = u128::from(copied) * 1_000 < used.as_millis() * u128::from(LEAST_BYTES_PER_S);
    let hundredths = used.as_nanos() * 100 / gc.duration.as_nanos().max(1);
    let hundredths = u64::try_from(hundredths).unwrap_or(u64::MAX);
    (gc.duration >= LONG_COLLECTION && hundredths >= 100 && is_little).then(|| {
        format!(
            "The longest, of {}, was the collector computing: {} CPUs busy on average over {} of \
             survivors, for which neither a disk nor the size of the heap is the reason.",
            text::duration(gc.duration),
            text::busy_cpus(hundredths),
            memory(copied)
        )
    })
}

/// The phase that takes most of the pauses, where the log has phases.
fn phase(log: &History) -> Option<String> {
    let all = log.sums.total();
    let (phase, time) = log.sums.largest_phase()?;
    let percent = time.as_nanos() * 100 / all.as_nanos().max(1);
    (percent >= MOST_OF_IT).then(|| {
        format!(
            "{} takes {} of it ({percent} %)",
            phase.id().replace('-', " "),
            text::duration(time)
        )
    })
}

/// How much a usual collection copies or leaves.
fn copied(log: &History) -> Option<String> {
    let bytes = log.usual.to_do()?;
    Some(format!("a usual collection has {} of survivors to copy", memory(bytes)))
}

/// The pause goal of G1 against what was reached.
fn goal(log: &History, index: &Index<'_>) -> Option<String> {
    if collector(index) != "g1" {
        return None;
    }
    let given = index.jvm.and_then(|it| VmFlags(&it.flags).number("MaxGCPauseMillis"));
    let goal = Duration::from_millis(given.unwrap_or(DEFAULT_GOAL_MS));
    let median = log.sums.median();
    let whose = if given.is_some() { "its pause goal" } else { "the default pause goal" };
    (median > goal).then(|| {
        format!(
            "the median pause is {}, {whose} {} (-XX:MaxGCPauseMillis): young is at its least already, \
             or fixed by -Xmn",
            text::duration(median),
            text::duration(goal)
        )
    })
}

/// Fewer GC threads than half of the CPUs.
fn few_threads(log: &History, index: &Index<'_>) -> Option<String> {
    let threads = index.jvm.map(|it| it.gc_threads).filter(|it| *it > 0)?;
    let cpus = log.jvm.cpus?;
    (threads * 2 < cpus.min(MOST_BY_DEFAULT))
        .then(|| format!("{threads} GC threads on {cpus} CPUs"))
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::as_text::{
        facts::check,
        log::{cpu, pause, reported},
    };

    const YOUNG: &str = "
        thread 1 vm-thread VM Thread
        thread 2 gc-worker GC Thread#0
        safepoint 0ms 20ms op G1CollectForAllocation 1ms 19ms vm 1
        1 on-cpu 0ms 5ms
        1 waiting 5ms 18ms by 2
        1 on-cpu 18ms 20ms
        2 on-cpu 4ms 19ms";

    #[test]
    fn workers_and_vm_thread_work() {
        check(&CAUSE, YOUNG, "present 19ms measured");
    }

    #[test]
    fn other_vm_operation_is_not_a_collection() {
        check(&CAUSE, &YOUNG.replace("G1CollectForAllocation", "RevokeBias"), "absent");
    }

    #[test]
    fn a_short_pause_is_read_from_totals() {
        check(
            &CAUSE,
            "thread 1 vm-thread VM Thread
             safepoint 0us 2000us op G1CollectForAllocation 100us 1900us vm 1 totals 100 0 0 0 0 / 1000 100 0 0 800",
            "present 1.8ms inferred",
        );
    }

    fn long(seconds: u64, user: u64, sys: u64) -> String {
        reported(
            &CAUSE,
            &(pause(9_000_000, 1, "Young (Normal) (G1 Evacuation Pause) 99M->9M(100M)", seconds)
                + &cpu(9_000_000, 1, user, sys, seconds / 10)),
        )
    }

    #[test]
    fn a_long_collection_that_used_its_cpus_says_how_many() {
        let text = long(1_221_620, 1_178_020, 0);
        assert!(
            text.contains(
                "9.6 CPUs busy on average of 10 GC threads: it is bound by the CPU; at most 43.6 s"
            ),
            "{text}"
        );
        assert!(
            long(1_000, 150, 0)
                .contains("1.5 CPUs busy on average of 2 GC threads; at most 250 ms")
        );
    }

    /// A collection of JDK 8 with two CPUs busy for `seconds`.
    fn computing(seconds: u64, survivors_k: u64) -> String {
        reported(
            &CAUSE,
            &format!(
                "9.000: [GC (Allocation Failure) 9.000: [ParNew: 1606667K->{survivors_k}K(1763584K), {seconds}.0 secs] 5895406K->{}K(16581312K), {seconds}.0 secs] [Times: user={}.00 sys=0.00, real={seconds}.00 secs]\n",
                4_288_739 + survivors_k,
                seconds * 2
            ),
        )
    }

    #[test]
    fn threads_that_spin_are_not_what_the_survivors_cost() {
        let spinning = "was the collector computing: 2.0 CPUs busy on average over";
        assert!(
            computing(20, 40 * 1024 - 1).contains(spinning),
            "{}",
            computing(20, 40 * 1024 - 1)
        );
        assert!(computing(20, 40 * 1024).contains("ordinary GC work for a heap of this size"));
    }

    /// Thirty collections of `took_ms` with 2 GC threads on 16 CPUs.
    fn slow(took_ms: u64) -> String {
        let head = "[0.001s][info][gc,init] Version: 17.0.15+6 (release)\n[0.001s][info][gc] Using G1\n[0.001s][info][gc,init] CPUs: 16 total, 16 available\n[0.001s][info][gc,init] Heap Region Size: 1M\n[0.001s][info][gc,init] Parallel Workers: 2\n";
        let one = |n: u64| {
            let at = n * 5_000 + took_ms;
            let line = |text: &str| {
                format!("[{}.{:03}s][info][gc,heap,phases] GC({n}) {text}\n", at / 1000, at % 1000)
            };
            line(&format!("  Evacuate Collection Set: {took_ms}.0ms"))
                + &line("Eden regions: 500->0(500)")
                + &line("Survivor regions: 100->100(100)")
                + &line("Old regions: 200->250")
                + &pause(at, n, "Young (Normal) (G1 Evacuation Pause) 800M->350M(1024M)", took_ms)
                + &cpu(at, n, took_ms / 5, 0, took_ms / 10)
        };
        head.to_owned() + &(1..=30).map(one).collect::<String>()
    }

    #[test]
    fn long_pauses_say_what_they_are_made_of() {
        let text = reported(&CAUSE, &slow(420));
        for part in [
            "ordinary GC work for a heap of this size",
            "copying takes 12.6 s of it (100 %)",
            "a usual collection has 150 MiB of survivors to copy",
            "the median pause is 420 ms, the default pause goal 200 ms",
            "2 GC threads on 16 CPUs",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn only_pauses_of_a_tenth_of_a_second_are_worth_that() {
        assert!(reported(&CAUSE, &slow(100)).contains("2 GC threads on 16 CPUs"));
        assert!(!reported(&CAUSE, &slow(99)).contains("2 GC threads on 16 CPUs"));
        assert!(!reported(&CAUSE, &slow(200)).contains("pause goal"), "the goal is reached");
    }

    #[test]
    fn nothing_is_said_of_cpus_that_waited_or_of_a_short_collection() {
        assert!(!long(1_000, 149, 0).contains("CPUs"), "it may have waited");
        assert!(!long(999, 900, 0).contains("CPUs"), "it is short");
        assert!(!long(1_000, 90, 91).contains("CPUs"), "it was busy in the kernel");
    }
}
