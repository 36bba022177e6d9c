//! Hazards in the Static Analysis Results Interchange Format, version 2.1.0 (OASIS), which servers that
//! show findings of tools read: a rule for each kind of hazard, a result for each hazard.
use super::{Checkup, Examined, Reported};
use crate::{clean::clean, json::write_document};
use diagnose::{Cause, HazardKind, Likelihood, hazard_kinds};
use serde_json::{Value as Json, json};
use std::io::{self, Write};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Writes the log, indented, with a line end. An accepted hazard is a suppressed result; what could not
/// be looked at is a notification of the invocation.
///
/// # Errors
///
/// Those of `out`.
pub fn write(all: &Checkup, out: &mut dyn Write) -> io::Result<()> {
    let results: Vec<Json> =
        all.examined().flat_map(|of| of.hazards.iter().map(|it| result(it, of))).collect();
    let document = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "whypause",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": hazard_kinds().map(|(it, cause)| rule(it, cause)).collect::<Vec<_>>(),
            }},
            "invocations": [{
                "executionSuccessful": all.not_responding.is_empty(),
                "toolExecutionNotifications": notifications(all),
            }],
            "results": results,
        }],
    });
    write_document(&document, out)
}

/// The page of its cause is in the rule itself: nothing of it is elsewhere to be looked up.
fn rule(it: &HazardKind, cause: Option<&Cause>) -> Json {
    let mut help = json!({ "text": it.about });
    if let Some(cause) = cause {
        help["markdown"] = json!(remedy::page_of_cause(cause));
    }
    json!({
        "id": it.id,
        "shortDescription": { "text": it.title },
        "fullDescription": { "text": it.about },
        "help": help,
    })
}

fn result(reported: &Reported, of: &Examined) -> Json {
    let it = &reported.hazard;
    let level = match it.likelihood {
        Likelihood::Likely => "error",
        Likelihood::Possible => "warning",
    };
    let mut result = json!({
        "ruleId": it.kind.id,
        "ruleIndex": hazard_kinds().position(|(kind, _)| kind.id == it.kind.id),
        "level": level,
        "message": { "text": message(reported) },
        "locations": [{ "logicalLocations": [location(of)] }],
    });
    if let Some(accepted) = &reported.accepted {
        result["suppressions"] = json!([{
            "kind": "external",
            "justification": clean(&accepted.reason),
        }]);
    }
    result
}

/// The statement, what speaks for it, and what to do.
fn message(reported: &Reported) -> String {
    let hazard = &reported.hazard;
    let evidence = hazard.culprits.iter().map(|it| &it.statement).chain(&hazard.evidence);
    let mut text = clean(&hazard.statement);
    for it in evidence {
        text += &format!(" Seen: {}.", clean(it));
    }
    for it in &reported.advice {
        let action = it.action.to_string().replace('\n', "; ");
        text += &format!(" To do, {}: {}.", it.when.id(), clean(&action));
    }
    if let Some(what) = &hazard.to_do {
        text += &format!(" To do: {}.", clean(what));
    }
    text
}

fn location(of: &Examined) -> Json {
    let name = of.name();
    let full = match of.jvm.pid {
        0 => name.clone(),
        pid => format!("{name} (pid {pid})"),
    };
    json!({ "name": name, "fullyQualifiedName": full, "kind": "process" })
}

fn notifications(all: &Checkup) -> Vec<Json> {
    let reported =
        |text: String| json!({ "level": "warning", "message": { "text": clean(&text) } });
    let not_responding = all
        .not_responding
        .iter()
        .map(|it| format!("not looked at: {} (pid {}), {}", it.name, it.pid, it.reason));
    let unseen = all.examined().flat_map(|of| {
        let name = of.name();
        let unknown = of.unknown.iter().map(|(_, what)| *what);
        let phrases = of.unseen.iter().map(String::as_str).chain(unknown);
        phrases.map(move |it| format!("not looked at of {name}: {it}")).collect::<Vec<_>>()
    });
    not_responding.chain(unseen).map(reported).collect()
}
