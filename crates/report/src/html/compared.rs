//! Two runs on one page: what `web/src/compare/` is given. The words and the numbers are those of the terminal,
//! the pauses those of the pages of the two runs.
use super::{
    columns::{self, Columns},
    data,
    glossary::{self, Meaning},
    head,
    numbered::{self, CauseInfo, Numbered},
};
use crate::{
    Options, Pauses, Style, compare as words_of, counted, duration, html::escaped, percent, share,
    words,
};
use diagnose::{CauseRow, Comparison, Diagnosis, Significance};
use serde::Serialize;
use std::{
    io::{self, Write},
    time::Duration,
};

/// A share of less is not worth a row of its own.
const LEAST_UNEXPLAINED: f64 = 0.001;

/// See `ComparePage` in `web/src/model.ts`.
#[derive(Serialize)]
struct Page<'a> {
    version: &'static str,
    verdict: &'a [String],
    caveats: &'a [String],
    hiccup: Option<&'static str>,
    /// Whether pauses are those of collections alone.
    of_collections: bool,
    runs: [Run; 2],
    cards: Vec<Card>,
    causes: Vec<CauseBar>,
    rows: Vec<Row>,
    words: Vec<Meaning>,
}

#[derive(Serialize)]
struct Run {
    title: String,
    header: Vec<String>,
    /// Of the whole input, in microseconds; 0 where it has no times.
    span_us: f64,
    pauses: Columns,
    causes: Vec<CauseInfo>,
}

#[derive(Serialize)]
struct Card {
    label: String,
    before: String,
    after: String,
}

#[derive(Serialize)]
struct CauseBar {
    name: &'static str,
    class: &'static str,
    before: Side,
    after: Side,
    note: String,
}

/// `share` of the run's time, or of nothing: only to be compared with the others.
#[derive(Serialize)]
struct Side {
    share: f64,
    text: String,
}

#[derive(Serialize)]
struct Row {
    cells: [String; 5],
    is_significant: bool,
}

/// The pauses of a run, for the page of a comparison.
#[derive(Debug)]
pub struct RunPauses {
    columns: Columns,
    causes: Vec<CauseInfo>,
}

/// Takes the pauses of one of the runs.
///
/// # Errors
///
/// Those of `pauses`.
pub fn pauses_of(
    diagnosis: &Diagnosis,
    pauses: &mut dyn Pauses,
    options: &Options,
) -> io::Result<RunPauses> {
    let mut causes = Numbered::default();
    let columns = columns::of(diagnosis, pauses, options, &mut causes)?;
    Ok(RunPauses { columns, causes: causes.brief() })
}

/// Writes the page, with the pauses of the run before and of the one after it.
///
/// # Errors
///
/// Those of `out`.
pub fn write(
    it: &Comparison<'_>,
    pauses: [RunPauses; 2],
    options: &Options,
    out: &mut dyn Write,
) -> io::Result<()> {
    head(&format!("{}, before and after", words::service(it.after)), "", out)?;
    out.write_all(b"<main id=\"page\">\n<pre>")?;
    let options = Options { style: Style::PLAIN, ..options.clone() };
    escaped(&words_of::terminal::render(it, &options), out)?;
    out.write_all(b"</pre>\n</main>\n<script type=\"application/json\" id=\"compare\">")?;
    data(&page(it, pauses), out)?;
    out.write_all(b"</script>\n<script>")?;
    out.write_all(super::SCRIPT.as_bytes())?;
    out.write_all(b"</script>\n</body>\n</html>\n")
}

fn page<'a>(it: &'a Comparison<'_>, pauses: [RunPauses; 2]) -> Page<'a> {
    let of_collections = is_of_collections(it);
    let [before, after] = pauses;
    let words = meanings(it, [&before, &after]);
    Page {
        version: env!("CARGO_PKG_VERSION"),
        verdict: &it.verdict,
        caveats: &it.caveats,
        hiccup: words_of::what_a_hiccup_is(it),
        of_collections,
        runs: [run(it.before, before), run(it.after, after)],
        cards: cards(it, of_collections),
        causes: causes(it),
        rows: it.rows.iter().filter_map(|row| Some(line(row, words_of::cells(row, it)?))).collect(),
        words,
    }
}

/// Of the words of the verdict, of both runs and of their causes.
fn meanings(it: &Comparison<'_>, pauses: [&RunPauses; 2]) -> Vec<Meaning> {
    let verdict = it.verdict.iter().chain(&it.caveats).map(String::as_str);
    let headers: Vec<String> =
        [it.before, it.after].into_iter().flat_map(|it| words::header(it, false)).collect();
    let causes = it.causes.iter().flat_map(|it| [it.cause.short, it.cause.title]);
    let names = pauses.iter().flat_map(|it| it.columns.names());
    let texts = verdict.chain(headers.iter().map(String::as_str)).chain(causes).chain(names);
    glossary::of(texts.chain(words_of::what_a_hiccup_is(it)))
}

fn line(row: &diagnose::Row, cells: [String; 5]) -> Row {
    Row { cells, is_significant: row.significance == Significance::MoreThanNoise }
}

/// Whether only one of the runs knows every stop; then the numbers are of collections.
fn is_of_collections(it: &Comparison<'_>) -> bool {
    let stops = |it: &Diagnosis| it.statistics.time_to_safepoint.count > 0;
    let collections = |it: &Diagnosis| it.collections_seen().is_some();
    stops(it.before) != stops(it.after) && collections(it.before) && collections(it.after)
}

fn run(it: &Diagnosis, pauses: RunPauses) -> Run {
    Run {
        title: words::service(it),
        header: words_of::run(it),
        span_us: it.span.as_secs_f64() * 1e6,
        pauses: pauses.columns,
        causes: pauses.causes,
    }
}

/// What people ask first, each of both runs.
fn cards(it: &Comparison<'_>, of_collections: bool) -> Vec<Card> {
    let pair = |label: &str, of: &dyn Fn(&Diagnosis) -> String| Card {
        label: label.to_owned(),
        before: of(it.before),
        after: of(it.after),
    };
    let all = |it: &Diagnosis| match &it.gc {
        Some(gc) if of_collections => gc.pauses,
        _ => it.statistics.all,
    };
    let stopped = |it: &Diagnosis| match it.span.is_zero() {
        true => duration(all(it).total),
        false => percent(share::of(all(it).total, it.span)),
    };
    let in_all = |it: &Diagnosis| match it.span.is_zero() {
        true => "?".to_owned(),
        false => format!("{} in {}", duration(all(it).total), words_of::about(it.span)),
    };
    let longest = |it: &Diagnosis| match all(it).count {
        0 => "none".to_owned(),
        _ => duration(all(it).max),
    };
    let mut cards = vec![
        pair("of the time stopped", &stopped),
        pair("stopped", &in_all),
        pair("longest pause", &longest),
    ];
    if [it.before, it.after].iter().any(|it| it.span.is_zero()) {
        cards.drain(..2);
        cards.insert(0, pair("stopped", &|it| duration(all(it).total)));
    }
    if !of_collections {
        let over = |it: &Diagnosis| crate::count(it.statistics.over[0]);
        cards.push(pair("pauses over 100 ms", &over));
    }
    cards
}

/// What each cause took of the time of both runs, most first; at last what none explains.
fn causes(it: &Comparison<'_>) -> Vec<CauseBar> {
    let mut causes: Vec<CauseBar> = it.causes.iter().map(|row| cause(row, it)).collect();
    let unexplained = [it.before, it.after].map(|run| {
        let ratio = run.statistics.unattributed_share.ratio().unwrap_or_default();
        (ratio, run.statistics.all.total.mul_f64(ratio.clamp(0.0, 1.0)))
    });
    if unexplained.iter().any(|it| it.0 >= LEAST_UNEXPLAINED) {
        let [before, after] = [(it.before, unexplained[0].1), (it.after, unexplained[1].1)]
            .map(|(run, time)| Side { share: of_run(time, run), text: some(time, "") });
        let name = "unexplained";
        causes.push(CauseBar { name, class: name, before, after, note: String::new() });
    }
    causes
}

fn cause(row: &CauseRow, it: &Comparison<'_>) -> CauseBar {
    let side = |per_hour: Option<Duration>, run: &Diagnosis| {
        let found = run.findings.iter().find(|it| it.cause.id == row.cause.id);
        match (found, per_hour) {
            (Some(it), _) => Side {
                share: of_run(it.time, run),
                text: some(it.time, &format!(" in {}", counted(it.pauses, "pause"))),
            },
            (None, None) if !run.span.is_zero() => {
                Side { share: 0.0, text: "not checked".to_owned() }
            }
            (None, _) => Side { share: 0.0, text: "none".to_owned() },
        }
    };
    let [.., change, note] = words_of::cause_cells(row);
    let said = [change, note].into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>();
    CauseBar {
        name: row.cause.short,
        class: numbered::class(row.cause),
        before: side(row.before, it.before),
        after: side(row.after, it.after),
        note: said.join(", "),
    }
}

fn some(time: Duration, more: &str) -> String {
    if time.is_zero() { "none".to_owned() } else { format!("{}{more}", duration(time)) }
}

/// The share of the run's time; of a log without times, seconds.
fn of_run(time: Duration, run: &Diagnosis) -> f64 {
    match run.span.is_zero() {
        true => time.as_secs_f64(),
        false => time.as_secs_f64() / run.span.as_secs_f64(),
    }
}
