//! The stages of a stop as a GC log gives them.
//!
//! A log says how long each stage took and in which order they came; what lies between two of them is
//! summed up in the rest of the stop.
use crate::{Pause, PauseKind, history::Collection};
use gclog::GcEvent;
use std::time::Duration;

/// A stage of a stop. The stages of one follow each other and make its length.
#[derive(Clone, Debug)]
pub struct Stage {
    /// Which.
    pub kind: StageKind,
    /// How long; of a collection no more than is left of the stop.
    pub length: Duration,
}

/// Which stage of a stop.
#[derive(Clone, Debug)]
pub enum StageKind {
    /// Until all application threads had stopped.
    Reaching,
    /// A collection, with all that the log says of it.
    Collection(Box<GcEvent>),
    /// What is neither of these: the operation itself where it is no collection, and what surrounds a
    /// collection.
    Rest,
}

/// The stages of a stop; none of what is no stop of the JVM.
pub(crate) fn of(pause: &Pause, collections: Vec<Collection>) -> Vec<Stage> {
    if pause.kind == PauseKind::Hiccup {
        return Vec::new();
    }
    let mut left = pause.duration;
    let mut take = |kind, length: Duration| {
        let length = length.min(left);
        left -= length;
        (!length.is_zero()).then_some(Stage { kind, length })
    };
    let reaching = take(StageKind::Reaching, pause.reaching);
    let collection = |it: Collection| (it.gc.duration, StageKind::Collection(it.gc));
    let collections = collections.into_iter().map(collection);
    let mut stages: Vec<Stage> = reaching.into_iter().collect();
    stages.extend(collections.filter_map(|(length, kind)| take(kind, length)));
    stages.extend(take(StageKind::Rest, Duration::MAX));
    stages
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Keep, answer::opened::MOST_PAUSES, as_text::log as log_text};
    use std::fmt::Write;

    /// The stages of each opened pause, with the steps of its collections.
    fn stages(log: &str, keep: Keep) -> String {
        let mut text = String::new();
        for it in log_text::read(log, keep).opened {
            write!(text, "{}:", it.pause).expect("a string takes all");
            for Stage { kind, length } in &it.stages {
                let name = match kind {
                    StageKind::Reaching => "reaching",
                    StageKind::Collection(gc) => gc.kind.id(),
                    StageKind::Rest => "rest",
                };
                write!(text, " {name} {length:?}").expect("a string takes all");
                let StageKind::Collection(gc) = kind else { continue };
                for step in &gc.steps {
                    write!(text, " [{} {:?}]", step.name, step.duration)
                        .expect("a string takes all");
                }
            }
            text.push('\n');
        }
        text
    }

    const G1: &str = "\
[1.000s][info][gc,start] GC(0) Pause Young (Normal) (G1 Evacuation Pause)
[1.008s][info][gc,phases] GC(0)   Pre Evacuate Collection Set: 0.1ms
[1.008s][info][gc,phases] GC(0)   Merge Heap Roots: 0.2ms
[1.008s][info][gc,phases] GC(0)   Evacuate Collection Set: 6.0ms
[1.008s][info][gc,phases] GC(0)   Post Evacuate Collection Set: 0.5ms
[1.008s][info][gc,phases] GC(0)   Other: 0.4ms
[1.008s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 8.000ms
[1.028s][info][safepoint] Safepoint \"G1CollectForAllocation\", Time since last: 5 ns, Reaching safepoint: 1000000 ns, At safepoint: 27000000 ns, Total: 28000000 ns
";

    #[test]
    fn logged_stop_consists_of_time_to_safepoint_collection_and_rest() {
        let read = stages(G1, Keep::All);
        assert_eq!(
            read,
            "0: reaching 1ms young 8ms [Pre Evacuate Collection Set 100µs] [Merge Heap Roots 200µs] \
             [Evacuate Collection Set 6ms] [Post Evacuate Collection Set 500µs] [Other 400µs] rest 19ms\n"
        );
    }

    #[test]
    fn the_longest_are_opened_where_they_are_kept() {
        let stop = |n: u64, ms: u64| {
            format!(
                "[{n}.000s][info][safepoint] Safepoint \"Cleanup\", Time since last: 5 ns, Reaching \
                 safepoint: 1000 ns, At safepoint: {at} ns, Total: {all} ns\n",
                at = ms * 1_000_000 - 1_000,
                all = ms * 1_000_000,
            )
        };
        let log: String = (1..=40).map(|n| stop(n, n)).collect();
        assert_eq!(stages(&log, Keep::All).lines().count(), MOST_PAUSES);
        let read = stages(&log, Keep::Longest(3));
        assert_eq!(read.lines().count(), 3, "{read}");
        assert!(read.ends_with("2: reaching 1µs rest 39.999ms\n"), "{read}");
        assert_eq!(stages(&log, Keep::Longest(0)), "");
    }
}
