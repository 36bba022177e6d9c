//! Hazards as JSON, schema version 1. It only grows.
use super::{Checkup, Examined, Reported};
use crate::json::{SCHEMA_VERSION, culprit, place, remedy, write_document};
use diagnose::Likelihood;
use serde_json::{Value as Json, json};
use std::io::{self, Write};

/// Writes everything, indented, with a line end.
///
/// # Errors
///
/// Those of `out`.
pub fn write(all: &Checkup, out: &mut dyn Write) -> io::Result<()> {
    let document = json!({
        "schema_version": SCHEMA_VERSION,
        "likely": all.count(Likelihood::Likely),
        "possible": all.count(Likelihood::Possible),
        "accepted": all.accepted(),
        "jvms": all.jvms.iter().map(jvm).collect::<Vec<_>>(),
        "host": all.host.as_ref().map(host),
        "not_responding": all.not_responding,
        "unreadable": all.unreadable,
    });
    write_document(&document, out)
}

fn known(text: &str) -> Option<&str> {
    Some(text).filter(|it| !it.is_empty())
}

fn jvm(it: &Examined) -> Json {
    let jvm = &it.jvm;
    let mut document = host(it);
    document["input"] = json!(known(&it.input));
    document["pid"] = json!(Some(jvm.pid).filter(|it| *it != 0));
    document["main"] = json!(known(&jvm.main));
    document["version"] = json!(known(&jvm.version));
    document["collector"] = json!(known(&jvm.collector));
    document["gc_threads"] = json!(Some(jvm.gc_threads).filter(|it| *it != 0));
    document["quota_milli_cpus"] = json!(it.milli_cpus);
    document
}

fn host(it: &Examined) -> Json {
    let unknown = it.unknown.iter().map(|(kind, what)| json!({ "id": kind.id, "what": what }));
    json!({
        "hazards": it.hazards.iter().map(hazard).collect::<Vec<_>>(),
        "fine": it.fine.iter().map(|it| it.id).collect::<Vec<_>>(),
        "unknown": unknown.collect::<Vec<_>>(),
        "unseen": it.unseen,
    })
}

fn hazard(reported: &Reported) -> Json {
    let it = &reported.hazard;
    let accepted = reported.accepted.as_ref().map(|it| json!({ "id": it.id, "reason": it.reason }));
    json!({
        "id": it.kind.id,
        "title": it.kind.title,
        "cause": it.cause.map(|it| it.id),
        "likelihood": it.likelihood.id(),
        "accepted": accepted,
        "statement": it.statement,
        "about": it.kind.about,
        "evidence": it.evidence,
        "culprits": it.culprits.iter().map(culprit).collect::<Vec<_>>(),
        "place": it.place.as_ref().map(place),
        "remedies": reported.advice.iter().map(remedy).collect::<Vec<_>>(),
        "to_do": it.to_do,
    })
}
