//! What a comparison says for certain, and what makes it doubtful, in sentences.
mod felt;
mod mechanism;
mod runs;

use super::row::{CauseRow, Row, Significance};
use crate::{Diagnosis, Value, text::memory};
use runs::{Runs, differs, from_to, shows};

/// Loads that differ by less than this need no word: services are never loaded quite alike.
const OTHER_LOAD: f64 = 0.10;

/// Number of new or gone causes named in a sentence; all are in the table.
const MOST_CAUSES: usize = 4;

/// What changed by more than noise, first what users feel: how long the application was stopped, how
/// often for long, and only then how long a pause usually is. `collections` says that pauses are
/// those of collections alone.
pub(super) fn sentences(
    rows: &[Row],
    causes: &[CauseRow],
    (before, after): (&Diagnosis, &Diagnosis),
    collections: bool,
) -> Vec<String> {
    let runs = Runs { before, after, collections };
    let what = if collections { "Collection pauses" } else { "Pauses" };
    let mechanism = mechanism::of(causes, &runs);
    let (named, mechanism) = (mechanism.as_ref().map(|it| it.0), mechanism.map(|it| it.1));
    let mut sentences: Vec<String> = felt::sentence(rows, &runs).into_iter().collect();
    let certain = !sentences.is_empty();
    let chance = felt::too_few(rows, &runs).filter(|_| !certain);
    let is_said = certain || chance.is_some();
    sentences.extend(felt::few_long(&runs).filter(|_| !certain).into_iter().chain(chance));
    if !is_said || lengths_differ(rows) {
        sentences.push(lengths(rows, what));
    }
    if !is_said {
        sentences.push(stopped(rows));
    }
    let causes: Vec<&CauseRow> = causes.iter().filter(|it| Some(it.cause.id) != named).collect();
    sentences.extend(appeared("New in the second run", &causes, CauseRow::is_new));
    sentences.extend(appeared("Gone in the second run", &causes, CauseRow::is_gone));
    mechanism.into_iter().chain(sentences).collect()
}

fn lengths_differ(rows: &[Row]) -> bool {
    rows.iter().any(|row| LENGTHS.iter().any(|(id, _)| *id == row.id) && shows(row))
}

const LENGTHS: [(&str, &str); 4] =
    [("mean", "mean"), ("p50", "median"), ("p99", "p99"), ("p99.9", "p99.9")];

/// `Pauses got shorter: mean 41 ms → 29 ms, 99 % 120 ms → 60 ms.` Only what is certain is reported.
fn lengths(rows: &[Row], what: &str) -> String {
    let reported: Vec<(&Row, &str)> = LENGTHS
        .iter()
        .filter_map(|(id, name)| Some((rows.iter().find(|it| it.id == *id)?, *name)))
        .collect();
    let certain: Vec<_> = reported.iter().filter(|(row, _)| shows(row)).collect();
    if certain.is_empty() {
        let decided = reported.iter().any(|(row, _)| row.significance == Significance::WithinNoise);
        return match decided {
            true => format!("{what} did not get significantly shorter or longer."),
            false => format!("{what} are too few to show whether they got shorter or longer."),
        };
    }
    let less = certain.iter().filter(|(row, _)| row.change().is_some_and(|it| it < 0.0)).count();
    let how = match less {
        0 => "got longer",
        n if n == certain.len() => "got shorter",
        _ => "changed, some for the better and some for the worse",
    };
    let numbers: Vec<String> = certain
        .iter()
        .filter_map(|(row, name)| Some(format!("{name} {}", from_to(row)?)))
        .collect();
    format!("{what} {how}: {}.", numbers.join(", "))
}

fn stopped(rows: &[Row]) -> String {
    let row = rows.iter().find(|it| it.id == "stopped");
    match row.map(|it| it.significance) {
        Some(Significance::WithinNoise) => {
            "The time stopped per second did not change significantly."
        }
        _ => "Whether the time stopped per second changed is not known.",
    }
    .to_owned()
}

/// Causes that struck in one run alone, by more than chance.
fn appeared(what: &str, causes: &[&CauseRow], is: fn(&CauseRow) -> bool) -> Option<String> {
    let names: Vec<&str> = causes
        .iter()
        .filter(|it| is(it) && it.significance == Significance::MoreThanNoise)
        .map(|it| it.cause.short)
        .collect();
    let more = names.len().saturating_sub(MOST_CAUSES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let named = names.iter().take(MOST_CAUSES).copied().collect::<Vec<_>>().join(", ");
    (!names.is_empty()).then(|| format!("{what}: {named}{more}."))
}

/// Why the two may not be comparable.
pub(super) fn caveats(rows: &[Row], before: &Diagnosis, after: &Diagnosis) -> Vec<String> {
    let mut caveats: Vec<String> = load(rows).into_iter().collect();
    if super::rows::of_collections(before, after) {
        caveats.push(
            "Only one of the two has lines of every stop (`-Xlog:safepoint`), so that pauses are \
             those of collections here, in both."
                .to_owned(),
        );
    }
    let steps = |it: &Diagnosis| matches!(it.jvm.collector.as_str(), "zgc" | "shenandoah");
    if steps(before) != steps(after) {
        caveats.push(
            "One of the collectors does most of its work while the application runs: its pauses \
             are \
             short steps of a cycle, and no whole collections."
                .to_owned(),
        );
    }
    if before.span.is_zero() || after.span.is_zero() {
        caveats.push("A log without times does not show how often something happens.".to_owned());
    }
    caveats
}

/// Where the application did not allocate alike, it did not do the same work, or not as much.
fn load(rows: &[Row]) -> Option<String> {
    let row = rows.iter().find(|it| it.id == "allocation").filter(|it| differs(it))?;
    let far = row.change().is_none_or(|it| it.abs() > OTHER_LOAD);
    let rate = |it: Option<Value>| match it {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "for people")]
        Some(Value::BytesPerSecond(it)) => memory(it.max(0.0) as u64),
        _ => String::new(),
    };
    far.then(|| {
        format!(
            "The two runs did not do the same work: {}/s allocated before, {}/s after.",
            rate(row.before),
            rate(row.after)
        )
    })
}
