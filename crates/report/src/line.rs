//! One pause on one line, for `watch`.
use crate::{
    Options, duration,
    text::{Role, ascii, paint, wrap},
    when::Clockface,
    words,
};
use diagnose::{Attribution, CulpritKind, Diagnosis, Place};

/// `14:02:41.118   3.36 s   3.35 s GC log write blocked · 9 ms GC work`, and below it where it
/// happened and who did it, where that is known.
///
/// `diagnosis` should be that of this pause alone: its findings are taken to be about this pause.
/// Ends with a line end.
#[must_use]
pub fn render(diagnosis: &Diagnosis, attribution: &Attribution, options: &Options) -> String {
    let clock = Clockface::new(diagnosis, &options.zone);
    let start = clock.show(&attribution.pause);
    let length =
        paint(options.style, Role::Strong, &format!("{:>8}", words::length(&attribution.pause)));
    let mut parts = words::parts(attribution, 4);
    parts.extend(words::unseen_part(&attribution.pause).map(str::to_owned));
    body(format!("{start}  {length}   {}\n", parts.join(" · ")), diagnosis, attribution, options)
}

/// The same of a stop that is not over: `14:02:41.118   still stopped after 2.05 s   2.05 s late Java
/// thread`.
#[must_use]
pub fn render_under_way(
    diagnosis: &Diagnosis,
    attribution: &Attribution,
    options: &Options,
) -> String {
    let clock = Clockface::new(diagnosis, &options.zone);
    let start = clock.show(&attribution.pause);
    let length = format!("still stopped after {}", duration(attribution.pause.duration));
    let length = paint(options.style, Role::Strong, &length);
    let mut parts = words::parts(attribution, 4);
    if attribution.pause.cut.begin {
        parts.push("had begun before".to_owned());
    }
    body(format!("{start}  {length}   {}\n", parts.join(" · ")), diagnosis, attribution, options)
}

/// A first line with its details.
fn body(
    mut out: String,
    diagnosis: &Diagnosis,
    attribution: &Attribution,
    options: &Options,
) -> String {
    for line in details(diagnosis, attribution) {
        let width = options.style.width.clamp(40, 110).saturating_sub(25);
        for line in wrap(&line, width) {
            let line = paint(options.style, Role::Faint, &line);
            out.push_str(&format!("{:25}{line}\n", ""));
        }
    }
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
    let telling = |it: &&Place| !it.call.is_empty() || !it.path.is_empty();
    let place = finding.place.as_ref().filter(telling).map(words::place);
    let others = finding.culprits.iter().skip(1).filter(|it| it.kind == CulpritKind::Method);
    let culprits = finding.culprits.first().into_iter().chain(others);
    place.into_iter().chain(culprits.map(|it| crate::text::clean(&it.statement))).collect()
}
