//! What kind of collection a pause held, in the few kinds that people tell apart at a glance.
use crate::history::Collection;
use gclog::{GcKind, YoungKind};

/// What the garbage collector did in a pause: of several collections the one that weighs most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Collected {
    /// A collection or a phase of one whose kind is not known: the recording has no GC log of it, and the
    /// VM operation has the same name for several.
    Unknown,
    /// A pause of a concurrent cycle: initial mark, remark, cleanup, and so on.
    Cycle,
    /// The young generation.
    Young,
    /// The young generation and some old regions (G1).
    Mixed,
    /// A young or mixed collection that found no room for what it moved (evacuation or promotion failed).
    Failed,
    /// A concurrent cycle that memory did not suffice for, ended in the pause (Shenandoah).
    Degenerated,
    /// The whole heap.
    Full,
}

impl Collected {
    /// All of them, lightest first.
    pub const ALL: [Collected; 7] = [
        Collected::Unknown,
        Collected::Cycle,
        Collected::Young,
        Collected::Mixed,
        Collected::Failed,
        Collected::Degenerated,
        Collected::Full,
    ];

    /// Of the collections in a pause, where a log has any.
    pub(crate) fn of(collections: &[Collection]) -> Option<Collected> {
        collections.iter().map(of_collection).max()
    }

    /// Of a VM operation that is a collection or a phase of one, as far as HotSpot's name of it says it for certain
    /// (`vmOperation.hpp`, the collectors' `*VMOperations`): `G1CollectForAllocation` may be a young, a mixed or a full one.
    pub(crate) fn of_operation(operation: &str) -> Collected {
        const FULL: [&str; 5] = [
            "G1CollectFull",
            "GenCollectFull",
            "SerialGCCollect",
            "ShenandoahFullGC",
            "ParallelGCSystemGC",
        ];
        const CYCLE: [&str; 8] = [
            "G1PauseRemark",
            "G1PauseCleanup",
            "CMS_Initial_Mark",
            "CMS_Final_Remark",
            "ZMark",
            "ZRelocate",
            "XMark",
            "XRelocate",
        ];
        const SHENANDOAH_CYCLE: [&str; 2] = ["ShenandoahInit", "ShenandoahFinal"];
        let begins = |names: &[&str]| names.iter().any(|it| operation.starts_with(it));
        if begins(&FULL) {
            Collected::Full
        } else if operation.starts_with("ShenandoahDegeneratedGC") {
            Collected::Degenerated
        } else if begins(&CYCLE) || begins(&SHENANDOAH_CYCLE) {
            Collected::Cycle
        } else {
            Collected::Unknown
        }
    }
}

fn of_collection(it: &Collection) -> Collected {
    match it.gc.kind {
        GcKind::Full => Collected::Full,
        GcKind::Degenerated => Collected::Degenerated,
        // Regions that native code had pinned are no lack of room.
        GcKind::Young(_) if it.gc.failures.evacuation || it.gc.failures.promotion => {
            Collected::Failed
        }
        GcKind::Young(YoungKind::Mixed) => Collected::Mixed,
        GcKind::Young(_) => Collected::Young,
        GcKind::Other => Collected::Unknown,
        _ => Collected::Cycle,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_says_its_kind_only_where_it_has_one() {
        let of = Collected::of_operation;
        assert_eq!(of("G1CollectFull"), Collected::Full);
        assert_eq!(of("G1PauseRemark"), Collected::Cycle);
        assert_eq!(of("ShenandoahDegeneratedGC"), Collected::Degenerated);
        assert_eq!(of("ShenandoahFinalMarkStartEvac"), Collected::Cycle);
        assert_eq!(of("G1CollectForAllocation"), Collected::Unknown);
    }

    /// The kinds of the pauses of a log.
    fn of_log(lines: &str) -> Vec<Option<Collected>> {
        let mut diagnosis = crate::LogDiagnosis::new(crate::Keep::All);
        let mut parser = gclog::Parser::new();
        for line in lines.lines() {
            parser.line(line.as_bytes(), &mut |event| diagnosis.event(event));
        }
        parser.finish(&mut |event| diagnosis.event(event));
        let input = crate::InputSummary::of_log(String::new(), 0, &parser.counts(), 0);
        diagnosis.finish(input).pauses.iter().map(|it| it.collected).collect()
    }

    #[test]
    fn a_log_says_the_kind_of_each_collection() {
        let found = of_log(
            "[1.0s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 8.000ms\n\
             [2.0s][info][gc] GC(1) Pause Young (Mixed) (G1 Evacuation Pause) 24M->4M(256M) 8.000ms\n\
             [3.0s][info][gc] GC(2) Pause Remark 24M->4M(256M) 8.000ms\n\
             [4.0s][info][gc] GC(3) To-space exhausted\n\
             [4.1s][info][gc] GC(3) Pause Young (Normal) (G1 Evacuation Pause) 250M->254M(256M) 8.000ms\n\
             [5.0s][info][gc] GC(4) Pause Full (G1 Compaction Pause) 250M->200M(256M) 8.000ms\n\
             [6.0s][info][gc] GC(5) Pause Degenerated GC (Mark) 250M->200M(256M) 8.000ms\n",
        );
        let expected = [
            Collected::Young,
            Collected::Mixed,
            Collected::Cycle,
            Collected::Failed,
            Collected::Full,
            Collected::Degenerated,
        ];
        assert_eq!(found, expected.map(Some));
    }
}
