//! # Outlier collection: far longer than the log's others
//!
//! ## What happens
//! One collection takes ten times as long as the others of its kind, though it had no more to copy.
//! Either something kept it from running (its GC log, swap-in, a CPU quota), or most of its threads had nothing to do while one worked (a long chain of references, one huge array, a thread that was late).
//!
//! ## What proves it
//! Without CPU times (`-Xlog:gc`, `-verbose:gc`): the collection took 10 times the median of the last 63 collections of its kind or more, scaled by what it left to copy, and 100 ms more.
//! With CPU times: a third of the CPUs that are usually busy, or fewer, were busy in it.
//! A log does not show the reason, so the time beyond the usual stays unexplained.
//!
//! ## What looks alike
//! `inverted-parallelism`: CPU times prove that no thread ran.
//! `gc-work`: all collections are as long.
//! `full-gc`: another kind of collection, which is long because it looks at the whole heap.
//!
//! ## References
//! Outlier and median absolute deviation as in Hampel (1974); HotSpot `gc/shared/gcTraceTime.cpp` (the CPU times of `gc+cpu`), `gc/shared/taskqueue.hpp` (work stealing, its limits).
use crate::{
    Cause, Class, Nature,
    account::tally::Tally,
    case::LogPart,
    cause::{
        Claims, Explanation,
        log_evidence::{collections, cpu, heap, seconds, seen, symptom, worst},
    },
    facts::index::Index,
    history::Beyond,
    text,
};
use recording::Source;

pub(super) static CAUSE: Cause = Cause {
    id: "outlier-collection",
    title: "Outlier collection: far longer than the log's others",
    short: "outlier collection",
    needs: &[Source::GcLog],
    nature: Nature::Symptom,
    class: Class::Collector,
    remedies: &["cpu-times"],
    page: crate::page!("outlier_collection.rs"),
    claims: Claims::Unexplained(LogPart::Beyond),
    explain,
    ..Cause::BASE
};

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    let beyond = worst(tally).and_then(|it| it.around.beyond);
    let story = match beyond {
        Some(Beyond::Cpus { .. }) => {
            "Collections kept far fewer CPUs busy than the others of this log: most of their \
             threads waited, or one had all the work. A log does not show which."
        }
        _ => {
            "Collections took many times as long as the others of this log, and it has no CPU \
             times: whether they worked or waited, it does not show."
        }
    };
    let extent = format!(
        "{} in {} beyond what is usual, up to {} in one",
        text::duration(tally.time),
        collections(tally.pauses),
        text::duration(tally.longest)
    );
    let longest = beyond.and_then(|it| longest(tally, it, index));
    symptom(tally, vec![story.to_owned()], extent, longest.map(|it| seen(tally.longest, it)))
}

/// `the longest took 15.35 s, heap 612 MiB → 210 MiB; others of its kind take 23 ms`.
fn longest(tally: &Tally, beyond: Beyond, index: &Index<'_>) -> Option<String> {
    let exhibit = tally.worst.as_ref()?;
    let gc = &worst(tally)?.gc;
    let took = format!("the longest took {}{}", seconds(gc.duration), heap(gc));
    Some(match beyond {
        Beyond::Time { usual } => {
            format!("{took}; as usual in this log it would have taken {}", text::duration(usual))
        }
        Beyond::Cpus { busy_hundredths, usual_hundredths, .. } => {
            let threads = index.jvm.map_or(0, |it| it.gc_threads);
            let of = if threads == 0 { String::new() } else { format!(" of {threads} GC threads") };
            format!(
                "{took}, {}: {} CPUs busy{of}, {} in most others",
                cpu(exhibit)?,
                text::busy_cpus(busy_hundredths),
                text::busy_cpus(usual_hundredths),
            )
        }
    })
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::as_text::log::{check, cpu, diagnose, pause, reported};

    const YOUNG: &str = "Young (Normal) (G1 Evacuation Pause) 612M->210M(1024M)";

    /// `others` collections of 23 ms, and one of another length among them.
    fn log(others: u64, took_ms: u64, what: &str) -> String {
        let usual: String = (1..=others).map(|n| pause(n * 1_000, n, YOUNG, 23)).collect();
        let at = (others + 1) * 1_000 + took_ms;
        usual + &pause(at, others + 1, what, took_ms)
    }

    #[test]
    fn ten_times_as_long_as_nineteen_others() {
        check(&CAUSE, &log(19, 15_350, YOUNG), "present 15.3 s in 1");
        check(&CAUSE, &log(18, 15_350, YOUNG), "absent");
        check(&CAUSE, &log(19, 230, YOUNG), "present 207 ms in 1");
        check(&CAUSE, &log(19, 229, YOUNG), "absent");
    }

    #[test]
    fn what_comes_first_is_compared_with_what_follows() {
        let first = pause(15_400, 1, YOUNG, 15_350);
        let rest: String = (2..=20).map(|n| pause(20_000 + n * 1_000, n, YOUNG, 23)).collect();
        check(&CAUSE, &(first + &rest), "present 15.3 s in 1");
    }

    #[test]
    fn twice_as_much_to_copy_may_take_twice_as_long() {
        let large = "Young (Normal) (G1 Evacuation Pause) 900M->420M(1024M)";
        check(&CAUSE, &log(19, 459, large), "absent");
        check(&CAUSE, &log(19, 460, large), "present 414 ms in 1");
    }

    #[test]
    fn other_kind_of_collection_is_not_an_outlier() {
        let full = "Full (G1 Compaction Pause) 900M->420M(1024M)";
        check(&CAUSE, &log(19, 15_350, full), "absent");
    }

    #[test]
    fn its_time_is_unexplained_and_the_usual_part_is_work() {
        let log = log(19, 15_350, YOUNG);
        let unattributed = diagnose(&log).statistics.unattributed;
        assert_eq!(unattributed.as_millis(), 15_350 - 23);
        let text = reported(&CAUSE, &log);
        assert!(text.contains("heap 612 MiB → 210 MiB of 1 GiB; as usual"), "{text}");
    }

    /// 24 collections of 300 ms that keep 20 CPUs busy, and one of 3 s.
    fn busy(hundredths: u64) -> String {
        let one = |n: u64, took: u64, user: u64| {
            let at = n * 5_000 + took;
            pause(at, n, YOUNG, took) + &cpu(at, n, user, 0, took / 10)
        };
        (1..=24).map(|n| one(n, 300, 600)).collect::<String>() + &one(25, 3_000, hundredths * 3)
    }

    #[test]
    fn a_third_of_the_cpus_that_are_usually_busy() {
        check(&CAUSE, &busy(100), "present 2.85 s in 1");
        check(&CAUSE, &busy(666), "present 2.00 s in 1");
        check(&CAUSE, &busy(667), "absent");
        let text = reported(&CAUSE, &busy(100));
        assert!(text.contains("1.0 CPUs busy, 20 in most others"), "{text}");
    }

    #[test]
    fn one_gc_thread_has_no_parallelism_to_lose() {
        let one = |n: u64, took: u64, user: u64| {
            let at = n * 5_000 + took;
            pause(at, n, YOUNG, took) + &cpu(at, n, user, 0, took / 10)
        };
        let log = (1..=24).map(|n| one(n, 300, 30)).collect::<String>() + &one(25, 3_000, 300);
        check(&CAUSE, &log, "absent");
    }
}
