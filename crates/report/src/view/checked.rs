//! Which causes are ruled out, and which could not be checked and why.
use crate::{clean::clean, words};
use diagnose::{Cause, Diagnosis, Nature, Verdict};
use recording::{Source, SourceState};
use std::collections::BTreeMap;

/// Causes that could not be checked, for one reason.
pub(crate) struct NotChecked {
    /// Their names for the middle of a sentence; empty for all known faults.
    pub(crate) causes: Vec<&'static str>,
    /// Why, as a phrase.
    pub(crate) reason: String,
    /// The command that would check them; empty where the reason says what to do.
    pub(crate) command: String,
}

impl NotChecked {
    /// `Not checked: THP compaction (tracepoint not found).`, and the command that would check them.
    pub(crate) fn text(&self) -> String {
        let names = match self.causes.as_slice() {
            [] => "every known fault".to_owned(),
            causes => causes.join(", "),
        };
        let text = self.of(&names);
        if self.command.is_empty() { text } else { format!("{text} To check: {}", self.command) }
    }

    /// The same in short: of more causes than these only the number, and no command.
    pub(crate) fn short(&self, most_names: usize) -> String {
        match self.causes.len() {
            0 => self.of("every known fault"),
            n if n > most_names => self.of(&format!("{n} causes")),
            _ => self.of(&self.causes.join(", ")),
        }
    }

    fn of(&self, names: &str) -> String {
        format!("Not checked: {names} ({}).", self.reason)
    }
}

/// The faults that may stop a JVM.
fn faults(diagnosis: &Diagnosis) -> impl Iterator<Item = &diagnose::Watched> {
    let of_stops = diagnosis.watched.iter().filter(|it| !it.cause.is_of_stalls_alone());
    of_stops.filter(|it| it.cause.nature == Nature::Fault)
}

/// The short names of the faults that were checked and did not occur.
pub(super) fn ruled_out(diagnosis: &Diagnosis) -> Vec<&'static str> {
    // Full collections that other causes explain are full collections all the same.
    let full = |it: &diagnose::Attribution| it.collected == Some(diagnose::Collected::Full);
    let has_full = diagnosis.pauses.iter().any(full);
    let holds_up_threads = |cause| diagnosis.stalls.as_ref().is_some_and(|it| it.has(cause));
    faults(diagnosis)
        .filter(|it| it.verdict == Verdict::Absent && !holds_up_threads(it.cause))
        .map(|it| it.cause)
        .filter(|it| it.concerns(&diagnosis.jvm.collector) && !(has_full && it.id == "full-gc"))
        .map(|it| it.short)
        .collect()
}

/// Whether every fault was checked, and threads were watched for stalls.
pub(super) fn all(diagnosis: &Diagnosis) -> bool {
    if of_stalls(diagnosis).is_some() {
        return false;
    }
    let mut faults = faults(diagnosis).peekable();
    faults.peek().is_some() && faults.all(|it| !matches!(it.verdict, Verdict::Unknown(_)))
}

pub(super) fn not_checked(diagnosis: &Diagnosis) -> Vec<NotChecked> {
    let mut all = of_causes(diagnosis);
    all.extend(of_stalls(diagnosis));
    all
}

/// Where a recording could not tell whether threads stalled, or samples tell not all of it: why. One that was not
/// asked to, or is of a version that could not, says nothing.
fn of_stalls(diagnosis: &Diagnosis) -> Option<NotChecked> {
    let coverage = &diagnosis.coverage;
    let tells_stops =
        coverage.has(Source::SafepointProbes) || coverage.has(Source::SafepointSymbols);
    let is_watched = diagnosis.stalls.is_some();
    let missing = match () {
        () if !words::is_recording(diagnosis) => return None,
        () if is_watched && coverage.ran(Source::Scheduler) => return None,
        () if !coverage.has(Source::Scheduler) => Source::Scheduler,
        () if !tells_stops => Source::SafepointProbes,
        () => return None,
    };
    let what = match is_watched {
        true => {
            "short stalls of threads, and those in page faults, for a CPU or behind another thread"
        }
        false => "stalls of threads",
    };
    let reason = reason(diagnosis, &[missing]);
    Some(NotChecked { causes: vec![what], reason, command: String::new() })
}

fn of_causes(diagnosis: &Diagnosis) -> Vec<NotChecked> {
    let unknown: Vec<(&'static Cause, &[Source])> = faults(diagnosis)
        .filter_map(|it| match &it.verdict {
            Verdict::Unknown(missing) => Some((it.cause, missing.as_slice())),
            _ => None,
        })
        .collect();
    if unknown.is_empty() {
        return Vec::new();
    }
    let command = words::record_command(diagnosis).typed().unwrap_or_default();
    if words::is_of_application(diagnosis) {
        let reason = "the application's log tells only that it did not run".to_owned();
        return vec![NotChecked { causes: Vec::new(), reason, command }];
    }
    if !words::is_recording(diagnosis) {
        return of_log(diagnosis, &unknown, command);
    }
    let mut groups: BTreeMap<String, Vec<&'static str>> = BTreeMap::new();
    for (cause, missing) in unknown {
        groups.entry(reason(diagnosis, missing)).or_default().push(cause.short);
    }
    let group = |(reason, causes)| NotChecked { causes, reason, command: String::new() };
    groups.into_iter().map(group).collect()
}

/// What a log cannot show, and what its lines that were not understood may have shown.
fn of_log(
    diagnosis: &Diagnosis,
    unknown: &[(&'static Cause, &[Source])],
    command: String,
) -> Vec<NotChecked> {
    let concerned = unknown.iter().filter(|(cause, _)| cause.concerns(&diagnosis.jvm.collector));
    let (shown, hidden): (Vec<_>, Vec<_>) =
        concerned.partition(|(_, missing)| *missing == [Source::GcLog]);
    let names =
        |causes: Vec<&(&'static Cause, &[Source])>| causes.iter().map(|it| it.0.short).collect();
    let reason = match diagnosis.lost_of_log() {
        Some(lost) => lost.to_string(),
        None if diagnosis.statistics.all.count > 0 => {
            "lines of its collections are not in the log".to_owned()
        }
        None => "no line of the log shows a pause".to_owned(),
    };
    let groups = [
        NotChecked { causes: names(hidden), reason: "a log cannot show them".to_owned(), command },
        NotChecked { causes: names(shown), reason, command: String::new() },
    ];
    groups.into_iter().filter(|it| !it.causes.is_empty()).collect()
}

/// Why a cause that needs these sources could not be checked.
fn reason(diagnosis: &Diagnosis, missing: &[Source]) -> String {
    let Some(source) = missing.first() else { return words::doubt(diagnosis) };
    match diagnosis.coverage.sources.get(source) {
        Some(SourceState::Missing(why) | SourceState::Partial(why)) => {
            format!("{}: {}", source.id(), clean(why))
        }
        _ => words::how_to_record(*source).to_owned(),
    }
}
