//! One pause as it is divided, with what is known from its own facts alone.
use crate::{
    Attribution, Culprit, MechanismShare, Situation, WaitLocation,
    account::tally::Tally,
    answer::findings,
    case::Case,
    causes,
    facts::index::Index,
    history::{Collection, LogJvm},
};
use recording::Clock;
use std::time::Duration;

/// A pause, given to the caller as soon as it was divided among its causes.
#[derive(Debug)]
pub struct Seen<'a> {
    /// Its parts.
    pub attribution: &'a Attribution,
    /// The clock of its start.
    pub clock: Clock,
    case: &'a Case<'a>,
    /// The JVM, where a log shows it.
    log_jvm: Option<&'a LogJvm>,
}

/// What a log had shown of its JVM at one pause: to see at later ones whether it shows something else.
#[derive(Clone, Debug, Default)]
pub struct ShownJvm(Option<LogJvm>);

/// What is known of the cause of most of a pause, from the facts of that pause alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// Who did it, most important first.
    pub culprits: Vec<Culprit>,
    /// Where the thread stood.
    pub place: Option<WaitLocation>,
}

impl<'a> Seen<'a> {
    pub(crate) fn new(
        attribution: &'a Attribution,
        clock: Clock,
        case: &'a Case<'a>,
        log_jvm: Option<&'a LogJvm>,
    ) -> Seen<'a> {
        Seen { attribution, clock, case, log_jvm }
    }

    /// The number and the GC cause of the collection in it, as the log gives them; of several the longest.
    #[must_use]
    pub fn collection(&self) -> Option<(u64, Option<&'a str>)> {
        let collections: &'a [Collection] = &self.case.collections;
        let it = collections.iter().max_by_key(|it| it.gc.duration)?;
        Some((it.gc.gc_id, it.gc.cause.as_deref()))
    }

    /// Whether a log shows the same of its JVM as it did then. For each pause this is much cheaper than
    /// [`situation`](Seen::situation).
    #[must_use]
    pub fn is_still(&self, shown: &ShownJvm) -> bool {
        self.log_jvm == shown.0.as_ref()
    }

    /// What a log shows of its JVM, to compare.
    #[must_use]
    pub fn shown(&self) -> ShownJvm {
        ShownJvm(self.log_jvm.cloned())
    }

    /// What a log has shown of its JVM until now; `None` in a recording, whose facts are read as a whole.
    #[must_use]
    pub fn situation(&self) -> Option<Situation> {
        let jvm = self.log_jvm?;
        let (fact, max_heap_bytes) = (jvm.as_fact(), jvm.max_heap_bytes);
        Some(Situation { jvm: Some(fact), max_heap_bytes, ..Situation::default() })
    }

    /// Of each part of the pause how exactly, most time first: as long and in the order of its parts. Empty
    /// where no stack shows it.
    #[must_use]
    pub fn mechanisms(&self) -> Vec<Vec<MechanismShare>> {
        let of = |it: &crate::Part| self.tally(it.cause.id).mechanism_shares();
        self.attribution.parts.iter().map(of).collect()
    }

    /// What is known of the cause of most of it, where that is a fault and the threads' slices were kept.
    #[must_use]
    pub fn told(&self) -> Told {
        let first = self.attribution.parts.first().map(|it| it.cause);
        let Some(cause) = first.filter(|it| it.is_fault() && self.attribution.pause.detailed)
        else {
            return Told::default();
        };
        let finding = findings::of_one(cause, &self.tally(cause.id), self.index());
        Told { culprits: finding.culprits, place: finding.place }
    }

    fn index(&self) -> &'a Index<'a> {
        self.case.index
    }

    /// What a cause has of this pause.
    fn tally(&self, id: &str) -> Tally {
        let order = causes::ALL.iter().position(|it| it.id == id);
        let segments = self.case.segments.iter().enumerate();
        let claimed: Vec<usize> =
            segments.filter(|(_, it)| it.taken == order).map(|(place, _)| place).collect();
        let part = self.attribution.parts.iter().find(|it| it.cause.id == id);
        let time = part.map_or(Duration::ZERO, |it| it.time);
        let mut tally = Tally::default();
        tally.add(self.case, &claimed, time, Duration::ZERO);
        tally
    }
}
