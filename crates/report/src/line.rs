//! One pause, or one episode of stalled threads, on one line, for `watch`.
use crate::{
    Options, duration,
    text::{Role, ascii, paint},
    view,
    when::Clockface,
    words,
};
use diagnose::{
    Attribution, Cause, Collected, Culprit, CulpritKind, Diagnosis, Episode, Finding, Pause,
    WaitLocation,
};

/// What stands above the lines, of which this is the `first`: the columns, with the time zone. Ends with a line
/// end.
#[must_use]
pub fn header(diagnosis: &Diagnosis, first: &Pause, options: &Options) -> String {
    let clock = Clockface::dated(diagnosis, first, &options.zone);
    let start = clock.show(first).chars().count();
    let text = format!("{:start$}  {:>8}   breakdown", clock.title, "stopped");
    format!("{}\n", paint(options.style, Role::Faint, &text))
}

/// `2026-11-24 14:02:41.118   3.36 s   young: 3.35 s GC log write blocked · 9 ms GC work · …`, and behind it
/// where it happened and who did it, where that is known.
///
/// `diagnosis` should be that of this pause alone: its findings are taken to be about this pause.
/// Ends with a line end.
#[must_use]
pub fn render(diagnosis: &Diagnosis, attribution: &Attribution, options: &Options) -> String {
    let length = format!("{:>8}", words::length(&attribution.pause));
    let mut parts = account(diagnosis, attribution, &length);
    name_kind(&mut parts, attribution);
    joined(&length, &parts, diagnosis, &attribution.pause, options)
}

/// The same without time and columns: `3.36 s stopped (young): 3.35 s GC log write blocked · 9 ms GC work · …`.
pub(crate) fn sentence(diagnosis: &Diagnosis, attribution: &Attribution) -> String {
    let length = words::length(&attribution.pause);
    let kind = kind(attribution).map_or_else(String::new, |it| format!(" ({it})"));
    format!("{length} stopped{kind}: {}", account(diagnosis, attribution, &length).join(" · "))
}

/// What is before the culprit takes no more columns, where the causes leave that much room.
const MOST_BEFORE_CULPRIT: usize = 100;
/// Date and time, and what separates the columns.
const COLUMNS: usize = 23 + 2 + 3;

/// What the pause is made of, who did the largest part and where it happened.
fn account(diagnosis: &Diagnosis, attribution: &Attribution, length: &str) -> Vec<String> {
    let unseen = words::unseen_part(&attribution.pause).map(str::to_owned);
    let mut parts = breakdown(attribution, length, unseen);
    parts.extend(details(diagnosis, attribution));
    parts
}

/// The same of a stop that is not over: `2026-11-24 14:02:41.118   still stopped after 2.05 s   2.05 s
/// late Java thread`.
#[must_use]
pub fn render_under_way(
    diagnosis: &Diagnosis,
    attribution: &Attribution,
    options: &Options,
) -> String {
    let length = format!("still stopped after {}", duration(attribution.pause.duration));
    let begun = attribution.pause.cut.begin.then(|| "had begun before".to_owned());
    let mut parts = breakdown(attribution, &length, begun);
    parts.extend(details(diagnosis, attribution));
    name_kind(&mut parts, attribution);
    joined(&length, &parts, diagnosis, &attribution.pause, options)
}

/// Threads that stood while the JVM ran: `2026-11-24 14:02:41.118   3.12 s   stall of 19 threads (waiter-*,
/// appender-*): fsync blocked · appender-1 in fdatasync(), /data/a.log (ext4 on sdb1) · 10 waited for holder`,
/// and who did it. The length is that of the longest stall.
///
/// `diagnosis` should be that of this episode alone. Ends with a line end.
#[must_use]
pub fn render_stall(diagnosis: &Diagnosis, it: &Episode, options: &Options) -> String {
    let length = format!("{:>8}", duration(it.longest()));
    joined(&length, &account_of_stall(diagnosis, it), diagnosis, &it.interval, options)
}

/// The same without time and columns.
pub(crate) fn sentence_of_stall(diagnosis: &Diagnosis, it: &Episode) -> String {
    format!("{} {}", duration(it.longest()), account_of_stall(diagnosis, it).join(" · "))
}

fn account_of_stall(diagnosis: &Diagnosis, it: &Episode) -> Vec<String> {
    let threads = view::threads(it);
    let cause = it.cause.map_or("unexplained", |it| it.short);
    let mut parts = vec![format!("stall of {threads}: {cause}")];
    let place = Some(&it.place).filter(is_telling).map(words::place);
    parts.extend(place);
    parts.extend(view::waited_for(it));
    let stalls = diagnosis.stalls.iter().flat_map(|it| &it.findings);
    let finding = it.cause.and_then(|cause| stalls.into_iter().find(|it| is_of(it, cause)));
    parts.extend(finding.map(culprits).unwrap_or_default());
    parts
}

/// The kind of the collection goes before its parts.
fn name_kind(parts: &mut [String], attribution: &Attribution) {
    if let (Some(kind), Some(first)) = (kind(attribution), parts.first_mut()) {
        first.insert_str(0, &format!("{kind}: "));
    }
}

/// The largest causes, as many as there is room for beside the kind of the collection.
fn breakdown(attribution: &Attribution, length: &str, more: Option<String>) -> Vec<String> {
    let of = |most: usize| {
        let mut parts = words::parts(attribution, most);
        parts.extend(more.clone());
        parts
    };
    let kind = kind(attribution).map_or(0, |it| it.len() + 2);
    let room = MOST_BEFORE_CULPRIT.saturating_sub(COLUMNS + length.chars().count() + kind);
    let fits = |parts: &Vec<String>| parts.join(" · ").chars().count() <= room;
    (1..=4).rev().map(of).find(fits).unwrap_or_else(|| of(1))
}

/// What the collector did, in a few words; `None` where it did nothing or that is not known.
fn kind(it: &Attribution) -> Option<&'static str> {
    let operation = &it.pause.operation;
    Some(match it.collected? {
        Collected::Unknown => return None,
        Collected::Cycle if operation.contains("Remark") => "remark",
        Collected::Cycle if operation.contains("Cleanup") => "cleanup",
        Collected::Cycle => "cycle",
        Collected::Young => "young",
        Collected::Mixed => "mixed",
        Collected::Failed => "no room to evacuate",
        Collected::Degenerated => "degenerated",
        Collected::Full => "full",
    })
}

fn is_of(it: &Finding, cause: &Cause) -> bool {
    it.cause.id == cause.id
}

fn joined(
    length: &str,
    parts: &[String],
    diagnosis: &Diagnosis,
    pause: &Pause,
    options: &Options,
) -> String {
    let start = Clockface::dated(diagnosis, pause, &options.zone).show(pause);
    let length = paint(options.style, Role::Strong, length);
    let out = format!("{start}  {length}   {}\n", parts.join(" · "));
    if options.style.unicode { out } else { ascii(&out) }
}

/// Who did the largest part and where it happened; nothing for ordinary work.
fn details(diagnosis: &Diagnosis, attribution: &Attribution) -> Vec<String> {
    let Some(part) = attribution.parts.first().filter(|it| it.cause.is_fault()) else {
        return Vec::new();
    };
    let Some(finding) = diagnosis.findings.iter().find(|it| it.cause.id == part.cause.id) else {
        return Vec::new();
    };
    let place = finding.place.as_ref().filter(is_telling).map(words::place);
    culprits(finding).into_iter().chain(place).collect()
}

/// A thread alone says nothing; a call or a file does.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that a filter wants")]
fn is_telling(it: &&WaitLocation) -> bool {
    !it.call.is_empty() || !it.path.is_empty()
}

/// Who did it: the first, and methods.
fn culprits(finding: &Finding) -> Vec<String> {
    let others = finding.culprits.iter().skip(1).filter(|it| it.kind == CulpritKind::Method);
    let culprits = finding.culprits.first().into_iter().chain(others);
    let brief = |it: &Culprit| diagnose::brief(it).unwrap_or_else(|| it.statement.clone());
    culprits.map(|it| crate::text::clean(&brief(it))).collect()
}
