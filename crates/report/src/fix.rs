//! Remedies that can be applied, plans, and what became of them: for people and for programs.
pub mod flags;
pub mod json;
pub mod terminal;
pub mod what_if;

use diagnose::{Certainty, Diagnosis, Finding};
use remedy::{Advice, AdviceWhen};
use std::time::Duration;

/// A remedy that applies to what was found.
#[derive(Clone, Debug)]
pub struct Ranked {
    /// The remedy.
    pub remedy: &'static remedy::Remedy,
    /// The pauses that it is about, in which nothing more than this can be saved.
    pub saves: Duration,
    /// In how many pauses.
    pub pauses: u64,
    /// The stalls that it is about, threads by time, in which nothing more than this can be saved.
    pub saves_in_stalls: Duration,
    /// In how many stalls.
    pub stalls: u64,
    /// The causes that it is about, by their ids.
    pub causes: Vec<&'static str>,
    /// How sure it is that they are the causes.
    pub certainty: Certainty,
    /// What it comes to here.
    pub advice: Vec<Advice>,
}

impl Ranked {
    /// When it can be followed at the earliest.
    #[must_use]
    pub fn when(&self) -> AdviceWhen {
        self.advice.iter().map(|it| it.when).min().unwrap_or(AdviceWhen::Code)
    }
}

/// What to do about all that was found, in pauses and in stalls: what saves most comes first, and of equals what
/// can be done now.
#[must_use]
pub fn rank(diagnosis: &Diagnosis) -> Vec<Ranked> {
    let mut ranked: Vec<Ranked> = Vec::new();
    for (finding, advice) in diagnosis.findings.iter().zip(remedy::advise(diagnosis)) {
        add(&mut ranked, finding, advice, |it| {
            it.saves += finding.time;
            it.pauses += finding.pauses;
        });
    }
    let of_stalls = diagnosis.stalls.iter().flat_map(|it| &it.findings);
    for (finding, advice) in of_stalls.zip(remedy::advise_stalls(diagnosis)) {
        add(&mut ranked, finding, advice, |it| {
            it.saves_in_stalls += finding.time;
            it.stalls += finding.pauses;
        });
    }
    let saves = |it: &Ranked| it.saves.max(it.saves_in_stalls);
    ranked.sort_by(|a, b| saves(b).cmp(&saves(a)).then(a.when().cmp(&b.when())));
    ranked
}

/// Adds what is advised about a finding; `count` adds the finding to a remedy, once.
fn add(
    ranked: &mut Vec<Ranked>,
    finding: &Finding,
    advice: Vec<Advice>,
    count: impl Fn(&mut Ranked),
) {
    let mut counted: Vec<&str> = Vec::new();
    for it in advice {
        let Some(remedy) = remedy::find(it.remedy) else { continue };
        let known = ranked.iter().position(|known| known.remedy.id == remedy.id);
        let known = known.unwrap_or_else(|| {
            ranked.push(Ranked {
                remedy,
                saves: Duration::ZERO,
                pauses: 0,
                saves_in_stalls: Duration::ZERO,
                stalls: 0,
                causes: Vec::new(),
                certainty: Certainty::Measured,
                advice: Vec::new(),
            });
            ranked.len() - 1
        });
        let known = &mut ranked[known];
        if !counted.contains(&remedy.id) {
            counted.push(remedy.id);
            count(known);
            known.certainty = known.certainty.max(finding.certainty);
        }
        if !known.causes.contains(&finding.cause.id) {
            known.causes.push(finding.cause.id);
        }
        known.advice.push(it);
    }
}

/// What is done to whom.
#[derive(Clone, Copy, Debug)]
pub struct Planned<'a> {
    /// The remedy.
    pub remedy: &'static remedy::Remedy,
    /// What it changes.
    pub plan: &'a remedy::Plan,
    /// The JVM: `kafka.Kafka (pid 4242)`; empty where it is about none.
    pub whom: &'a str,
    /// The value that each change finds, in the order of the changes; `None` where it was not read.
    pub before: &'a [Option<remedy::Value>],
}
