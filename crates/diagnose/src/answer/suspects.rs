//! Which causes may be behind time that a log cannot explain, in order.
//!
//! A log proves that a collection or a stop waited, and never for what. But it tells how often that
//! was and how long, whether the CPUs were busy in the kernel meanwhile, in which collections, and
//! with which flags: each speaks for some causes and against others. Each cause weighs that in its own
//! file ([`Cause::suspicion`](crate::Cause)); here the clues are gathered and the suspects ranked.
use crate::{
    Cause, Nature,
    account::tally::{Tallies, Tally},
    case::LogPart,
    cause::{
        Claims,
        clues::{Clues, Suspicion},
    },
    causes,
    facts::index::Index,
};
use std::cmp::Reverse;

/// Number of suspects that are named, and of unlikely ones.
const MOST: usize = 4;

/// A cause that may be behind unexplained time.
#[derive(Clone, Debug)]
pub struct Suspect {
    /// Which.
    pub cause: &'static Cause,
    /// Whether what speaks against it weighs more than what speaks for it.
    pub is_unlikely: bool,
    /// What in this log speaks for it, most telling first: phrases with numbers.
    pub speaks_for: Vec<String>,
    /// What in this log speaks against it, most telling first.
    pub speaks_against: Vec<String>,
    /// What shows within a minute, or at the next start, whether it is the cause: a phrase.
    pub test: &'static str,
}

/// Who may be behind the time that `cause`, a symptom, has claimed, most suspicious first and the
/// unlikely ones last. Empty for causes that explain what they claim, and for recordings.
pub(crate) fn of(
    cause: &Cause,
    tally: &Tally,
    tallies: &Tallies,
    index: &Index<'_>,
) -> Vec<Suspect> {
    let Some(part) = part_of(cause).filter(|_| index.facts.is_none()) else { return Vec::new() };
    let all_symptoms = causes::ALL.iter().enumerate().filter(|it| it.1.nature == Nature::Symptom);
    let all_symptoms = all_symptoms.filter_map(|(order, _)| tallies.get(&order)).map(|it| it.time);
    let clues =
        Clues { part, tally, of: could_have(part, index), all_symptoms: all_symptoms.sum(), index };
    let mut found: Vec<(i32, Suspect)> = causes::ALL
        .iter()
        .filter_map(|it| Some((*it, (it.suspicion?)(&clues)?)))
        // Of which nothing is to be said.
        .filter(|(_, it)| it.weight > 0 || !it.speaks_against.is_empty())
        .map(|(cause, suspicion)| (suspicion.weight, suspect(cause, suspicion)))
        .collect();
    found.sort_by_key(|(weight, _)| Reverse(*weight));
    let (mut likely, mut unlikely): (Vec<Suspect>, Vec<Suspect>) =
        found.into_iter().map(|it| it.1).partition(|it| !it.is_unlikely);
    likely.truncate(MOST);
    unlikely.truncate(MOST);
    likely.append(&mut unlikely);
    likely
}

fn part_of(cause: &Cause) -> Option<LogPart> {
    if cause.nature != Nature::Symptom {
        return None;
    }
    match cause.claims {
        Claims::Unexplained(part) => Some(part),
        // What an application noticed.
        _ => Some(LogPart::Hiccup),
    }
}

/// How many could have had such a wait.
fn could_have(part: LogPart, index: &Index<'_>) -> u64 {
    let Some(log) = index.log else { return 0 };
    match part {
        LogPart::Reaching | LogPart::Around => log.stops,
        LogPart::Waiting | LogPart::Kernel => log.sums.with_cpu_times(),
        _ => log.sums.count(),
    }
}

fn suspect(cause: &'static Cause, suspicion: Suspicion) -> Suspect {
    let sorted = |mut them: Vec<(i32, String)>| -> Vec<String> {
        them.sort_by_key(|it| Reverse(it.0));
        them.into_iter().map(|it| it.1).collect()
    };
    Suspect {
        cause,
        test: suspicion.test,
        is_unlikely: suspicion.weight <= 0,
        speaks_for: sorted(suspicion.speaks_for),
        speaks_against: sorted(suspicion.speaks_against),
    }
}

#[cfg(test)]
mod tests;
