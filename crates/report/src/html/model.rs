//! What the page is given: the shapes of `web/src/model.ts`, which changes together with this.
use super::{
    columns::{self, Columns},
    finding::{Finding, copied, finding, lines},
    glossary::{self, Meaning},
    host::{self, HostLine},
    numbered::{CauseInfo, Numbered},
    opened::{self, Opened},
    stalls::{self, Stalls},
    to_do::{self, ToDo},
};
use crate::{
    Options, Pauses,
    clean::{MOST_PATH, clean, clean_name},
    counted, duration, json, percent, share,
    value::has_percentile,
    view::View,
    words,
};
use diagnose::{Cause, Diagnosis};
use remedy::Action;
use serde::Serialize;
use std::io;

/// Everything on one page.
#[derive(Serialize)]
pub(super) struct Page<'a> {
    version: &'static str,
    answer: Answer<'a>,
    numbers: json::Numbers<'a>,
    causes: Vec<CauseInfo>,
    pauses: Columns,
    opened: Vec<Opened<'a>>,
    host: Vec<HostLine>,
    stalls: Option<Stalls<'a>>,
}

#[derive(Serialize)]
struct Answer<'a> {
    title: String,
    verdict: &'a str,
    steps: Vec<Step>,
    to_do: Vec<ToDo>,
    header: &'a [String],
    cards: Vec<Card>,
    hiccup: Option<&'static str>,
    cut_stop: Option<&'a str>,
    findings: Vec<Finding<'a>>,
    minor: &'a [String],
    numbers: Vec<(&'static str, String)>,
    rest: Option<Rest<'a>>,
    not_checked: Vec<String>,
    losses: &'a [String],
    notes: &'a [String],
    ruled_out: &'a [&'static str],
    flags: Vec<String>,
    words: Vec<Meaning>,
}

#[derive(Serialize)]
struct Step {
    when: &'static str,
    text: String,
    copy: Option<String>,
}

#[derive(Serialize)]
struct Card {
    value: String,
    label: String,
}

#[derive(Serialize)]
struct Rest<'a> {
    text: &'a str,
    seen: &'a [(String, String)],
    command: Option<String>,
}

/// All of it, with the pauses that there are.
pub(super) fn page<'a>(
    diagnosis: &'a Diagnosis,
    view: &'a View<'a>,
    pauses: &mut dyn Pauses,
    options: &Options,
) -> io::Result<Page<'a>> {
    let mut causes = Numbered::default();
    let mut answer = answer(diagnosis, view, &mut causes);
    let columns = columns::of(diagnosis, pauses, options, &mut causes)?;
    answer.cards = cards(diagnosis, view, &columns, options);
    answer.words = meanings(&answer, &columns, view, causes.all());
    let opened = opened::of(diagnosis, &columns, &mut causes);
    let zero_ns = columns.zero_ns();
    let told = diagnosis.stalls.as_ref().zip(view.stalls.as_ref());
    let stalls = told.map(|(stalls, view)| stalls::of(stalls, view, zero_ns, &mut causes));
    Ok(Page {
        version: env!("CARGO_PKG_VERSION"),
        answer,
        numbers: json::numbers(diagnosis, zero_ns),
        causes: causes.with_pages(),
        pauses: columns,
        opened,
        host: host::of(diagnosis, zero_ns),
        stalls,
    })
}

fn answer<'a>(diagnosis: &Diagnosis, view: &'a View<'a>, causes: &mut Numbered) -> Answer<'a> {
    let rest = view.rest.as_ref().map(|it| Rest {
        text: &it.text,
        seen: &it.seen,
        command: it.command.as_ref().and_then(remedy::Command::typed),
    });
    Answer {
        title: words::service(diagnosis),
        verdict: &view.verdict,
        steps: view.steps.iter().map(|it| step(it.when, &it.action)).collect(),
        to_do: to_do::of(view, causes),
        header: &view.header,
        cards: Vec::new(),
        hiccup: view.hiccup,
        cut_stop: view.cut_stop.as_deref(),
        findings: view.findings.iter().map(|it| finding(it, causes)).collect(),
        minor: &view.minor,
        numbers: view.numbers.iter().map(|(label, text)| (*label, clean(text))).collect(),
        rest,
        not_checked: view.not_checked.iter().map(|it| it.text()).collect(),
        losses: &view.losses,
        notes: &view.notes,
        ruled_out: &view.ruled_out,
        flags: diagnosis.situation.flags().iter().map(|it| clean_name(it, MOST_PATH)).collect(),
        words: Vec::new(),
    }
}

/// Of the words that are on the first screen.
fn meanings(
    answer: &Answer<'_>,
    columns: &Columns,
    view: &View<'_>,
    causes: &[&'static Cause],
) -> Vec<Meaning> {
    // What the heap's line has beside it.
    const HEAP: [&str; 2] = ["after collections", "capacity"];
    let cards = answer.cards.iter().map(|it| it.label.as_str());
    let to_do = answer.to_do.iter().flat_map(ToDo::texts);
    let lines = view.header.iter().map(String::as_str).chain(answer.hiccup);
    let names = causes.iter().flat_map(|it| [it.short, it.title]);
    let steps = answer.steps.iter().map(|it| it.text.as_str());
    let texts = [answer.verdict, "pause", "measured", "inferred"]
        .into_iter()
        .chain(cards)
        .chain(to_do)
        .chain(steps);
    let mut words =
        glossary::of(texts.chain(lines).chain(names).chain(columns.names()).chain(HEAP));
    for it in &answer.to_do {
        words.extend(it.flags(&words));
    }
    words
}

/// What can be pasted is offered for that; a phrase is not.
fn step(when: &'static str, action: &Action) -> Step {
    let text = lines(&action.to_string());
    Step { when, copy: copied(action), text }
}

fn cards(
    diagnosis: &Diagnosis,
    view: &View<'_>,
    columns: &Columns,
    options: &Options,
) -> Vec<Card> {
    let mut cards = of_pauses(diagnosis);
    if diagnosis.statistics.all.count > 0 {
        let label = format!("{} or longer", duration(options.over));
        cards.push(Card { value: crate::count(columns.as_long_as(options.over)), label });
    }
    let stalls =
        diagnosis.stalls.as_ref().filter(|_| view.stalls.as_ref().is_some_and(|it| it.is_long));
    cards.extend(stalls.map(|it| Card {
        value: duration(it.longest),
        label: format!("longest stall of {}", counted(it.threads, "thread")),
    }));
    cards
}

fn of_pauses(diagnosis: &Diagnosis) -> Vec<Card> {
    let statistics = &diagnosis.statistics;
    let card = |value: String, label: String| Card { value, label };
    let stopped = share::of(statistics.all.total, diagnosis.span);
    let mut cards = vec![card(
        duration(statistics.all.total),
        match diagnosis.span.is_zero() {
            true => "stopped".to_owned(),
            false => {
                format!("stopped, {} of {}", percent(stopped), duration(diagnosis.span))
            }
        } + &of_hiccups(diagnosis),
    )];
    if statistics.all.count == 0 {
        return cards;
    }
    cards.push(card(duration(statistics.all.max), "longest".to_owned()));
    if has_percentile("p99", statistics.all.count) {
        let p99 = duration(statistics.quantiles.p99);
        cards.push(card(p99, format!("p99 of {}", words::pauses(diagnosis))));
    }
    if let Some(throughput) = share::throughput(diagnosis) {
        cards.push(card(percent(throughput), "throughput".to_owned()));
    }
    let (explained, what) = words::explained(diagnosis);
    cards.push(card(percent(explained), what.to_owned()));
    cards
}

/// How much of the stopped time was no stop of the JVM.
fn of_hiccups(diagnosis: &Diagnosis) -> String {
    let hiccups = diagnosis.statistics.hiccups;
    match words::what_a_hiccup_is(diagnosis) {
        Some(_) => {
            format!("; {} of it in {}", duration(hiccups.total), words::hiccups(hiccups.count))
        }
        None => String::new(),
    }
}
