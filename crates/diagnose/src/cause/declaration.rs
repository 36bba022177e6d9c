//! What a cause is, and what can be said about one.
use crate::{
    Class, Culprit, Detail, Evidence, HazardKind, Nature,
    account::tally::Tally,
    case::{Case, LogPart, PausePhase, Segment},
    cause::clues::{Clues, Suspicion},
    facts::index::Index,
    history::{
        Collection,
        collection_traits::{CollectionTrait, CollectionTraits},
    },
};
use recording::Source;
use std::time::Duration;

/// One known mechanism that stops an application. One file under `causes/` each.
pub struct Cause {
    /// Name in text, JSON, file names and the lab. Never reused.
    pub id: &'static str,
    /// For people, as a heading.
    pub title: &'static str,
    /// A few words for the middle of a sentence: `3.35 s GC log write blocked`.
    pub short: &'static str,
    /// Without all of these the verdict is unknown.
    pub needs: &'static [Source],
    /// The collectors that it can strike, by their ids; empty for all.
    pub collectors: &'static [&'static str],
    /// What it means when it strikes.
    pub nature: Nature,
    /// What kind of thing it is.
    pub class: Class,
    /// Ids of what can be done about it, the most useful first.
    pub remedies: &'static [&'static str],
    /// The hazards by which it announces itself, the most important first.
    pub hazards: &'static [HazardKind],
    /// The leading `//!` lines of the cause's file; [`Cause::page`] adds the hazards.
    pub(crate) page: &'static str,
    /// Whether it holds up single threads alone, and so is in no stop.
    pub(crate) of_stalls: bool,
    /// Whether it is about the host, so that what it says holds for pauses and stalls alike.
    pub(crate) is_of_host: bool,
    /// What it claims of a pause.
    pub(crate) claims: Claims,
    /// Whether it shows in the sums of a log though it claims no time of a pause.
    /// What threads lost by that, summed over them; zero where that is not known.
    pub(crate) outside_pauses: Option<fn(&Index<'_>) -> Option<Duration>>,
    /// Whether it may be behind time that a log cannot explain; `None` where it cannot.
    pub(crate) suspicion: Option<fn(&Clues<'_>) -> Option<Suspicion>>,
    /// What it has to say about all it claimed.
    pub(crate) explain: fn(&Tally, &Index<'_>) -> Explanation,
}

/// What a cause claims of a pause: whole segments of it, or none.
pub(crate) enum Claims {
    /// The collector's work in these collections, all of which have this trait.
    Work(CollectionTrait, fn(&Collection) -> bool),
    /// These segments.
    Segments(fn(&Case<'_>, &Segment<'_>) -> bool),
    /// These segments, where those of them that no other cause has claimed last at least this long
    /// together: less in a pause is negligible.
    AtLeast(Duration, fn(&Case<'_>, &Segment<'_>) -> bool),
    /// Segments of this part that a log cannot explain.
    Unexplained(LogPart),
}

impl Claims {
    /// Whether anything can be claimed of a pause whose collections have these traits.
    pub(crate) fn concern(&self, traits: CollectionTraits) -> bool {
        match self {
            Claims::Work(wants, _) => traits.has(*wants),
            _ => true,
        }
    }

    /// Adds the places of the segments claimed that are still free to `claimed`, in order.
    pub(crate) fn list(&self, case: &Case<'_>, claimed: &mut Vec<usize>) {
        match *self {
            Claims::Work(_, wanted) => {
                if case.collections.iter().any(wanted) {
                    let all = case.collections.iter().all(wanted);
                    list_free(case, claimed, |it| is_work(case, it, wanted, all));
                }
            }
            Claims::Segments(wanted) => list_free(case, claimed, |it| wanted(case, it)),
            Claims::AtLeast(least, wanted) => {
                let free = case.segments.iter().filter(|it| it.is_free());
                let together = free.filter(|it| wanted(case, it));
                if together.map(|it| it.interval.duration()).sum::<Duration>() >= least {
                    list_free(case, claimed, |it| wanted(case, it));
                }
            }
            Claims::Unexplained(part) => {
                list_free(case, claimed, |it| it.state().is_none() && it.log_part() == Some(part))
            }
        }
    }
}

#[inline]
fn list_free(case: &Case<'_>, claimed: &mut Vec<usize>, wanted: impl Fn(&Segment<'_>) -> bool) {
    let free = case.segments.iter().enumerate().filter(|(_, it)| it.is_free() && wanted(it));
    claimed.extend(free.map(|(place, _)| place));
}

/// Whether a segment is the collector's work in the collections that are `wanted`. Where threads
/// were measured the collections of one stop cannot be separated, so `all` must be wanted.
fn is_work(case: &Case<'_>, it: &Segment<'_>, wanted: fn(&Collection) -> bool, all: bool) -> bool {
    match it.collection() {
        Some((LogPart::References | LogPart::Collecting, n)) => {
            case.collections.get(n).is_some_and(wanted)
        }
        Some(_) => false,
        None => all && it.phase == PausePhase::Operation && it.is_collector_at_work(),
    }
}

/// What a cause says about all the time it claimed in an input.
#[derive(Clone, Debug, Default)]
pub(crate) struct Explanation {
    pub(crate) story: Vec<String>,
    pub(crate) culprits: Vec<Culprit>,
    pub(crate) evidence: Vec<Evidence>,
    pub(crate) detail: Detail,
}

impl Cause {
    /// What a cause is that says nothing else: only what most causes do without may be left to it. A test
    /// looks that each says the rest (`causes/mod.rs`).
    pub(crate) const BASE: Cause = Cause {
        id: "",
        title: "",
        short: "",
        needs: &[],
        collectors: &[],
        nature: Nature::Fault,
        class: Class::Collector,
        remedies: &[],
        hazards: &[],
        page: "",
        of_stalls: false,
        is_of_host: false,
        claims: Claims::Segments(|_, _| false),
        outside_pauses: None,
        suspicion: None,
        explain: |_, _| Explanation {
            story: Vec::new(),
            culprits: Vec::new(),
            evidence: Vec::new(),
            detail: Detail::None,
        },
    };

    /// Whether it is worth a look when it strikes: a fault or a symptom of one.
    #[must_use]
    pub fn is_fault(&self) -> bool {
        self.nature != Nature::Ordinary
    }

    /// Whether what it claims is explained by it.
    #[must_use]
    pub fn explains(&self) -> bool {
        self.nature != Nature::Symptom
    }

    /// Whether it holds up single threads alone, and so is the cause of no stop.
    #[must_use]
    pub fn is_of_stalls_alone(&self) -> bool {
        self.of_stalls
    }

    /// Whether it can strike a JVM with this collector; an empty id is one that is not known.
    #[must_use]
    pub fn concerns(&self, collector: &str) -> bool {
        collector.is_empty() || self.collectors.is_empty() || self.collectors.contains(&collector)
    }

    /// Whether it shows in the lines of a collection, so that its stop alone does not tell.
    pub(crate) fn shows_in_collections(&self) -> bool {
        matches!(self.claims, Claims::Work(..))
    }

    /// Whether a GC log alone can show it.
    #[must_use]
    pub fn shows_in_log(&self) -> bool {
        self.needs == [Source::GcLog]
    }

    /// The cause's page in Markdown: the leading `//!` lines of its file, and the hazards by which it
    /// announces itself.
    #[must_use]
    pub fn page(&self) -> String {
        let line = |it: &HazardKind| format!("`{}`: {}.\n", it.id, it.title);
        let hazards: String = self.hazards.iter().map(line).collect();
        match self.page.split_once("## References") {
            Some((before, after)) if !hazards.is_empty() => {
                format!(
                    "{before}## Hazards\nWhat `whypause doctor` finds before it strikes:\n\n{hazards}\n## References{after}"
                )
            }
            _ => self.page.to_owned(),
        }
    }
}

impl std::fmt::Debug for Cause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cause").field("id", &self.id).finish_non_exhaustive()
    }
}
