//! One pause and the facts around it: all that a cause may look at.
use crate::{
    Certainty, Mechanism, Pause, PauseKind,
    facts::index::Index,
    history::Collection,
    mechanisms,
    wait::{Blocked, Wait, Waits},
};
use recording::{Interval, KernelWorkKind, OffCpuCause, ThreadRole, ThreadSlice, ThreadState};
use std::time::Duration;

/// From here on a wait for a thread that nothing saw is worth a question.
const LONG_WAIT: Duration = Duration::from_millis(1);

/// In which part of the pause a segment lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PausePhase {
    /// From the request until every application thread had stopped.
    Reaching,
    /// The VM operation and what surrounds it, until the threads were let go.
    Operation,
}

/// A stretch of a pause, labelled with the one thread that all others waited for.
#[derive(Clone, Debug)]
pub(crate) struct Segment<'a> {
    pub(crate) interval: Interval,
    pub(crate) phase: PausePhase,
    /// The thread that was waited for; 0 where only a log speaks.
    pub(crate) tid: u32,
    pub(crate) role: ThreadRole,
    /// What it did.
    pub(crate) what: What<'a>,
    /// Work of the kernel that it did itself, on a CPU or off it.
    pub(crate) work: Option<KernelWorkKind>,
    /// How much of it the CPU was with the hypervisor or an interrupt.
    pub(crate) stolen: Duration,
    /// Whether the host stood still meanwhile, as far as that is known.
    pub(crate) stood_still: bool,
    pub(crate) certainty: Certainty,
    /// What it waits for. Whether that is a thread is known from the begin, all else once it was
    /// [decided](Segment::classify_waits).
    pub(crate) waits: Waits,
    /// The cause that explains it and has it: its place in `causes::ALL`.
    pub(crate) taken: Option<usize>,
}

/// What the thread of a segment did.
#[derive(Clone, Copy, Debug)]
pub(crate) enum What<'a> {
    /// Nothing saw it.
    Unseen,
    /// This, or a part of it.
    Seen(&'a ThreadSlice),
    /// No more than the state is known: from totals, or of one of the peers that had all the CPUs.
    Summed(ThreadState),
    /// A log speaks.
    Logged {
        part: LogPart,
        /// Of which of the case's collections.
        collection: usize,
        /// Whether the log tells that the JVM was at work in it.
        is_known: bool,
    },
}

/// The parts that a log can tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogPart {
    /// Until all threads had stopped.
    Reaching,
    /// A collection's reference phase.
    References,
    /// The rest of a collection that its CPU times cover.
    Collecting,
    /// Of a collection's CPU times, those in the kernel, where they are the larger part.
    Kernel,
    /// A collection beyond its CPU times.
    Waiting,
    /// A collection far beyond what is usual in its log.
    Beyond,
    /// The stop around its collections, or without one.
    Around,
    /// What an application noticed of a pause, beyond the collections that were counted in it.
    Hiccup,
    /// What an application noticed of a pause without looking for collections.
    Unresolved,
}

impl<'a> Segment<'a> {
    /// A stretch in which nothing saw the thread.
    pub(crate) fn unseen(
        interval: Interval,
        phase: PausePhase,
        tid: u32,
        role: ThreadRole,
    ) -> Segment<'a> {
        Segment {
            interval,
            phase,
            tid,
            role,
            what: What::Unseen,
            work: None,
            stolen: Duration::ZERO,
            stood_still: false,
            certainty: Certainty::Measured,
            waits: Waits::default(),
            taken: None,
        }
    }

    /// The same over a part of its interval, with its share of what was stolen.
    pub(crate) fn over(&self, interval: Interval) -> Segment<'a> {
        Segment { interval, stolen: share(self.stolen, interval, self.interval), ..self.clone() }
    }

    /// Decides what it waits for, once its account is made.
    pub(crate) fn classify_waits(&mut self, index: &Index<'_>) {
        let Segment { role, interval, .. } = *self;
        if let Some(slice) = self.slice().filter(|_| self.is_blocked()) {
            let is_sampled = self.certainty == Certainty::Inferred;
            self.waits = Blocked { slice, role, is_sampled, interval }.waits(index);
        }
        if let Some(work) = self.work {
            self.waits = self.waits.with_work(index, work, interval);
        }
    }

    /// Whether it waits for this.
    pub(crate) fn waits_for(&self, wait: Wait) -> bool {
        self.waits.has(wait)
    }

    /// How exactly it was blocked or stopped, where its stack shows that and the host went on.
    pub(crate) fn mechanism(&self, index: &Index<'_>) -> Option<&'static Mechanism> {
        let slice = self.slice().filter(|_| !self.stood_still);
        slice.and_then(|it| mechanisms::of(index, it))
    }

    /// What was seen of its thread.
    pub(crate) fn slice(&self) -> Option<&'a ThreadSlice> {
        if let What::Seen(slice) = self.what { Some(slice) } else { None }
    }

    /// The call that it is in, or the fault.
    pub(crate) fn entered(&self) -> Option<OffCpuCause> {
        self.slice()?.entered
    }

    /// Which part of a pause it is, where only a log speaks.
    pub(crate) fn log_part(&self) -> Option<LogPart> {
        self.collection().map(|it| it.0)
    }

    /// The same with the collection that it is of: a place in the case's collections.
    pub(crate) fn collection(&self) -> Option<(LogPart, usize)> {
        match self.what {
            What::Logged { part, collection, .. } => Some((part, collection)),
            _ => None,
        }
    }

    /// What its thread did. `None` where nothing saw it, and where a log cannot tell.
    pub(crate) fn state(&self) -> Option<ThreadState> {
        match self.what {
            What::Seen(slice) => Some(slice.state),
            What::Summed(state) => Some(state),
            What::Logged { is_known: true, .. } => Some(ThreadState::OnCpu),
            What::Logged { .. } | What::Unseen => None,
        }
    }

    /// Whether it waited for another thread or slept, rather than for a device or a kernel lock.
    pub(crate) fn is_idle(&self) -> bool {
        self.waits_for(Wait::Thread)
    }

    /// How long it is, in nanoseconds: these are summed for every pause of a log.
    pub(crate) fn length_ns(&self) -> u64 {
        self.interval.end.0.saturating_sub(self.interval.start.0)
    }

    /// Whether there is something of it that a cause may still have.
    pub(crate) fn is_free(&self) -> bool {
        self.taken.is_none() && self.interval.start < self.interval.end
    }

    /// Whether it is blocked in something other than waiting for a thread or for work.
    pub(crate) fn is_blocked(&self) -> bool {
        self.state() == Some(ThreadState::Blocked) && !self.is_idle()
    }

    /// Whether the collector works.
    pub(crate) fn is_collector_at_work(&self) -> bool {
        self.role != ThreadRole::Java && self.is_at_work()
    }

    /// Whether it works, as far as is known: it runs, or it waits for another thread so
    /// briefly that it is part of the work.
    ///
    /// A long unobserved wait for a thread is not counted as work and stays unattributed. Totals
    /// have no single waits; what they call waiting is the VM thread waiting for its workers.
    pub(crate) fn is_at_work(&self) -> bool {
        let briefly =
            || self.interval.duration() < LONG_WAIT || self.certainty == Certainty::Inferred;
        match self.state() {
            Some(ThreadState::OnCpu) => true,
            Some(ThreadState::Blocked) => self.is_idle() && briefly(),
            _ => false,
        }
    }
}

/// The share of `amount` of `whole` that falls upon `part`, where its distribution is unknown.
pub(crate) fn share(amount: Duration, part: Interval, whole: Interval) -> Duration {
    if amount.is_zero() || part == whole {
        return amount;
    }
    let of = whole.duration().as_nanos().max(1);
    let nanos = amount.as_nanos().saturating_mul(part.duration().as_nanos()) / of;
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}

/// One pause with its account.
#[derive(Debug)]
pub(crate) struct Case<'a> {
    pub(crate) pause: Pause,
    pub(crate) interval: Interval,
    /// In order, without gaps and overlaps, covering `interval`.
    pub(crate) segments: Vec<Segment<'a>>,
    /// The collections inside, where there is a GC log.
    pub(crate) collections: Vec<Collection>,
    pub(crate) index: &'a Index<'a>,
}

impl Case<'_> {
    /// Whether it is what one thread alone waited for.
    pub(crate) fn is_stall(&self) -> bool {
        self.pause.kind == PauseKind::Stall
    }

    /// Whether the operation is a collection or a phase of one.
    pub(crate) fn is_collection(&self) -> bool {
        !self.collections.is_empty() || is_collection(&self.pause.operation)
    }
}

/// Whether an operation of this name is a collection or a phase of one.
///
/// Names are HotSpot's (`vmOperation.hpp` and the collectors' own lists): all of a collector
/// carry `GC`, `Collect` or the collector's name. `Pause …` is our own, from a log without them.
pub(crate) fn is_collection(operation: &str) -> bool {
    const STARTS: [&str; 8] =
        ["G1", "CMS", "Shenandoah", "ZMark", "ZRelocate", "ZVerify", "XMark", "XRelocate"];
    // Asked of every stop of a log: one walk over the name is cheaper than a search for each mark.
    let name = operation.as_bytes();
    let marked = |at: usize| match name[at] {
        b'G' => name[at..].starts_with(b"GC"),
        b'C' => name[at..].starts_with(b"Collect"),
        b'P' => name[at..].starts_with(b"Pause "),
        _ => false,
    };
    STARTS.iter().any(|start| operation.starts_with(start)) || (0..name.len()).any(marked)
}

#[cfg(test)]
mod tests {
    use super::is_collection;

    #[test]
    fn collections_of_all_ages_and_collectors() {
        for name in [
            "G1CollectForAllocation",
            "G1PauseRemark",
            "CGC_Operation",
            "ParallelGCFailedAllocation",
            "ParallelCollectForAllocation",
            "GenCollectForAllocation",
            "SerialCollectForAllocation",
            "CollectForMetadataAllocation",
            "ZMarkStartYoung",
            "ShenandoahInitMark",
        ] {
            assert!(is_collection(name), "{name}");
        }
    }

    #[test]
    fn other_operations_are_none() {
        for name in ["RevokeBias", "PrintThreads", "Cleanup", "ICBufferFull", "ThreadDump", ""] {
            assert!(!is_collection(name), "{name}");
        }
    }
}
