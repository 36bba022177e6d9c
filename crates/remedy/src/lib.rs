//! What to do about a pause: one remedy is one file, and all that is said, printed or done of it
//! comes from there.
//!
//! A cause names its remedies by their ids and nothing more. [`advise`] fits them to the JVM and host
//! at hand: never a flag that is set already, never one that this JVM would refuse to start with,
//! and no two pieces of advice in one answer that contradict each other.
mod action;
mod advice;
mod agree;
mod change;
mod disk;
mod flag_line;
mod held;
mod host;
pub mod journal;
mod jvm;
mod live_log;
mod log_output;
mod plan;
mod remedies;
mod remedy;
mod start_flags;
mod store;
pub mod tuner;
mod units;

pub use action::{Action, Command};
pub use advice::{Advice, AdviceWhen};
pub use change::{
    BEGUN, Change, ChangeError, DeviceLimit, GO, Group, GroupMemory, Host, InMemory, IoPriority,
    JvmLog, Keep, KeptLog, LogDirectory, Member, Mount, Needs, PRESENT, Process, Setting, UnitFile,
    UnitProperty, UnitState, Value,
};
pub use flag_line::{FlagLine, LineFlag, OtherCollector, flag_line};
pub use held::directory;
pub use journal::NOTES;
pub use plan::{Plan, Refusal, Target, Wishes};
pub use remedy::{Remedy, Works, page_of_cause};
pub use start_flags::FLAGS_VARIABLE;
pub use store::{Entry, Places, Store, StoreError, Undone, Which};
pub use units::Units;

use diagnose::{Diagnosis, Finding, Hazard, Situation};

pub use remedies::quota_sentence;

/// All remedies, in the order of their ids.
#[must_use]
pub fn remedies() -> &'static [&'static Remedy] {
    &remedies::ALL
}

/// The remedy with this id.
#[must_use]
pub fn find(id: &str) -> Option<&'static Remedy> {
    remedies::ALL.iter().copied().find(|it| it.id == id)
}

/// What to do about each finding, in the order of the findings; what can be done now comes first.
#[must_use]
pub fn advise(diagnosis: &Diagnosis) -> Vec<Vec<Advice>> {
    let of = |finding| advice(&diagnosis.situation, finding);
    let mut all: Vec<Vec<Advice>> = diagnosis.findings.iter().map(of).collect();
    agree::settle(&mut all);
    all
}

/// What to do about each cause of stalls, in the order of `diagnosis.stalls`.
#[must_use]
pub fn advise_stalls(diagnosis: &Diagnosis) -> Vec<Vec<Advice>> {
    let findings = diagnosis.stalls.iter().flat_map(|it| &it.findings);
    let mut all: Vec<Vec<Advice>> = findings.map(|it| advice(&diagnosis.situation, it)).collect();
    agree::settle(&mut all);
    all
}

/// What to do about each hazard before it strikes, in their order. Nothing where the hazard itself says
/// what to do; for a JVM that does not run (a pid of 0) nothing that needs one.
#[must_use]
pub fn advise_hazards(situation: &Situation, hazards: &[Hazard]) -> Vec<Vec<Advice>> {
    let runs = situation.jvm.as_ref().is_some_and(|it| it.pid != 0);
    let of = |hazard: &Hazard| {
        let finding = hazard.finding().filter(|_| hazard.to_do.is_none());
        let mut all = finding.map(|it| advice(situation, &it)).unwrap_or_default();
        all.retain(|it| runs || it.when != AdviceWhen::Now);
        all
    };
    let mut all: Vec<Vec<Advice>> = hazards.iter().map(of).collect();
    agree::settle(&mut all);
    all
}

fn advice(situation: &Situation, finding: &Finding) -> Vec<Advice> {
    let remedies = finding.cause.remedies.iter().filter_map(|id| find(id));
    let mut advice: Vec<_> = remedies.flat_map(|it| it.advice(situation, finding)).collect();
    advice.sort_by_key(|it| it.when);
    advice
}
