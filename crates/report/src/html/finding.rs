//! A cause that was found, with what can be done about it: of pauses and of stalls.
use super::numbered::Numbered;
use crate::{clean::clean, view::FindingView};
use remedy::{Action, Advice};
use serde::Serialize;

/// See `Finding` in `web/src/model.ts`.
#[derive(Serialize)]
pub(super) struct Finding<'a> {
    number: usize,
    cause: usize,
    is_main: bool,
    is_fault: bool,
    extent: &'a str,
    share: &'a str,
    certainty: &'static str,
    story: &'a [String],
    mechanisms: &'a [String],
    who: &'a [String],
    place: &'a str,
    frames: &'a [String],
    evidence: &'a [(&'static str, String)],
    suspects: Vec<Suspect>,
    advice: Vec<Recommended>,
}

#[derive(Serialize)]
struct Suspect {
    title: &'static str,
    #[serde(rename = "for")]
    speaks_for: Vec<String>,
    #[serde(rename = "against")]
    speaks_against: Vec<String>,
    test: &'static str,
    is_unlikely: bool,
}

#[derive(Serialize)]
struct Recommended {
    when: &'static str,
    text: String,
    copy: Option<String>,
    note: String,
    apply: Option<String>,
}

/// One of a view, with the number of its cause.
pub(super) fn finding<'a>(it: &'a FindingView<'a>, causes: &mut Numbered) -> Finding<'a> {
    Finding {
        number: it.number,
        cause: causes.of(it.finding.cause),
        is_main: it.is_main,
        is_fault: it.is_fault,
        extent: &it.extent,
        share: &it.share,
        certainty: it.certainty,
        story: &it.story,
        mechanisms: &it.mechanisms,
        who: &it.who,
        place: &it.place,
        frames: &it.frames,
        evidence: &it.evidence,
        suspects: it.finding.suspects.iter().map(suspect).collect(),
        advice: it.advice.iter().map(recommended).collect(),
    }
}

fn suspect(it: &diagnose::Suspect) -> Suspect {
    let cleaned = |them: &[String]| them.iter().map(|it| clean(it)).collect();
    Suspect {
        title: it.cause.short,
        speaks_for: cleaned(&it.speaks_for),
        speaks_against: cleaned(&it.speaks_against),
        test: it.test,
        is_unlikely: it.is_unlikely,
    }
}

fn recommended(it: &Advice) -> Recommended {
    Recommended {
        when: it.when.id(),
        text: lines(&it.action.to_string()),
        copy: copied(&it.action),
        note: clean(&it.noted()),
        apply: it.apply.as_ref().and_then(remedy::Command::typed),
    }
}

/// Several commands are several lines; each is clean.
pub(super) fn lines(text: &str) -> String {
    text.lines().map(clean).collect::<Vec<_>>().join("\n")
}

/// What a button copies of an action: nothing of one that is a phrase.
pub(super) fn copied(action: &Action) -> Option<String> {
    (!action.is_said()).then(|| action.to_string())
}
