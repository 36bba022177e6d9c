//! One pause on one line, for `watch`.
use crate::{
    Options, duration,
    text::{Role, ascii, paint},
    when::Clockface,
    words,
};
use diagnose::{Attribution, CulpritKind, Diagnosis, WaitLocation};

/// What stands above the lines: the columns, with the time zone. Ends with a line end.
#[must_use]
pub fn header(diagnosis: &Diagnosis, options: &Options) -> String {
    let clock = Clockface::dated(diagnosis, &options.zone);
    let start = diagnosis.pauses.first().map_or(0, |it| clock.show(&it.pause).chars().count());
    let text = format!("{:start$}  {:>8}   breakdown", clock.title, "stopped");
    format!("{}\n", paint(options.style, Role::Faint, &text))
}

/// `2026-11-24 14:02:41.118   3.36 s   3.35 s GC log write blocked · 9 ms GC work · …`, and behind it
/// where it happened and who did it, where that is known.
///
/// `diagnosis` should be that of this pause alone: its findings are taken to be about this pause.
/// Ends with a line end.
#[must_use]
pub fn render(diagnosis: &Diagnosis, attribution: &Attribution, options: &Options) -> String {
    let length = format!("{:>8}", words::length(&attribution.pause));
    let mut parts = words::parts(attribution, 4);
    parts.extend(words::unseen_part(&attribution.pause).map(str::to_owned));
    line(&length, parts, diagnosis, attribution, options)
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
    let mut parts = words::parts(attribution, 4);
    if attribution.pause.cut.begin {
        parts.push("had begun before".to_owned());
    }
    line(&length, parts, diagnosis, attribution, options)
}

fn line(
    length: &str,
    mut parts: Vec<String>,
    diagnosis: &Diagnosis,
    attribution: &Attribution,
    options: &Options,
) -> String {
    let start = Clockface::dated(diagnosis, &options.zone).show(&attribution.pause);
    let length = paint(options.style, Role::Strong, length);
    parts.extend(details(diagnosis, attribution));
    let out = format!("{start}  {length}   {}\n", parts.join(" · "));
    if options.style.unicode { out } else { ascii(&out) }
}

/// Where the largest part happened and who did it; nothing for ordinary work.
fn details(diagnosis: &Diagnosis, attribution: &Attribution) -> Vec<String> {
    let Some(part) = attribution.parts.first().filter(|it| it.cause.is_fault()) else {
        return Vec::new();
    };
    let Some(finding) = diagnosis.findings.iter().find(|it| it.cause.id == part.cause.id) else {
        return Vec::new();
    };
    // A thread alone says nothing; a call or a file does.
    let telling = |it: &&WaitLocation| !it.call.is_empty() || !it.path.is_empty();
    let place = finding.place.as_ref().filter(telling).map(words::place);
    let others = finding.culprits.iter().skip(1).filter(|it| it.kind == CulpritKind::Method);
    let culprits = finding.culprits.first().into_iter().chain(others);
    place.into_iter().chain(culprits.map(|it| crate::text::clean(&it.statement))).collect()
}
