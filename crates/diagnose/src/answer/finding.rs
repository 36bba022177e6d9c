//! What is said of one cause.
use crate::{
    Cause, Certainty, Culprit, Detail, Evidence, MechanismShare, Rhythm, Suspect, WaitLocation,
};
use std::time::Duration;

/// One cause over the whole input.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Which.
    pub cause: &'static Cause,
    /// The least certain of its parts, if that is more than a tenth of its time.
    pub certainty: Certainty,
    /// In how many pauses it took part.
    pub pauses: u64,
    /// How many of these are hiccups ([`PauseKind::Hiccup`](crate::PauseKind::Hiccup)) and no stops.
    pub hiccups: u64,
    /// Its time in all pauses.
    pub time: Duration,
    /// How much of that is in hiccups.
    pub in_hiccups: Duration,
    /// Its largest part of one pause.
    pub longest: Duration,
    /// Sum of the squares of its parts, in seconds squared.
    pub squares: f64,
    /// `time` as a share of all stopped time, 0 to 1.
    pub share: f64,
    /// Refinements, most time first.
    pub mechanisms: Vec<MechanismShare>,
    /// Where most of its time was spent, where known.
    pub place: Option<WaitLocation>,
    /// What happened, one to three sentences for a tired person, each with its full stop.
    pub story: Vec<String>,
    /// Who did it; most to blame first.
    pub culprits: Vec<Culprit>,
    /// What proves it.
    pub evidence: Vec<Evidence>,
    /// How often it comes back, where a log does not explain its pauses and they come like clockwork.
    pub rhythm: Option<Rhythm>,
    /// What threads lost outside the pauses, summed over them: it is in no pause and no share.
    pub lost_outside: Duration,
    /// Where a log shows that something waited and not for what: which causes it may be, most likely
    /// first, and then the unlikely ones.
    pub suspects: Vec<Suspect>,
    /// What its remedies need to know besides.
    pub detail: Detail,
}

impl Finding {
    /// One of which nothing is known but its cause: it took part in no pause.
    #[must_use]
    pub fn of_cause(cause: &'static Cause) -> Finding {
        Finding {
            cause,
            certainty: Certainty::Inferred,
            pauses: 0,
            hiccups: 0,
            in_hiccups: Duration::ZERO,
            time: Duration::ZERO,
            longest: Duration::ZERO,
            squares: 0.0,
            share: 0.0,
            mechanisms: Vec::new(),
            place: None,
            story: Vec::new(),
            culprits: Vec::new(),
            evidence: Vec::new(),
            rhythm: None,
            lost_outside: Duration::ZERO,
            suspects: Vec::new(),
            detail: Detail::None,
        }
    }
}
