//! Remedies and plans as text for a terminal.
use super::{Planned, Ranked};
use crate::{
    Options,
    clean::clean,
    text::{Page, Role, columns_of, glued},
};
use diagnose::Diagnosis;
use remedy::{
    Action, Command, Entry,
    tuner::{Measured, Round},
};

/// Column of what belongs to a remedy, and of what belongs to a field of it.
const BODY: usize = 3;
const FIELD: usize = 12;

/// The remedies that apply, most time saved first.
#[must_use]
pub fn ranking(diagnosis: &Diagnosis, ranked: &[Ranked], options: &Options) -> String {
    let mut page = Page::new(options.style);
    let header: Vec<String> =
        crate::words::header(diagnosis, true).iter().map(|it| glued(&clean(it))).collect();
    page.wrapped(0, None, &header.join(" · "));
    page.blank();
    if ranked.is_empty() {
        page.wrapped(0, None, "Nothing to fix: no cause was found that a remedy is known for.");
        return page.finish();
    }
    for (n, it) in ranked.iter().enumerate() {
        one(&mut page, n + 1, it, diagnosis);
        page.blank();
    }
    page.finish()
}

fn one(page: &mut Page, number: usize, it: &Ranked, diagnosis: &Diagnosis) {
    let left = format!("{number}  {}", it.remedy.title);
    let right = format!("up to {} · {}", saves(it), it.certainty.id());
    let columns = columns_of(&left) + 2 + columns_of(&right);
    let painted = page.paint(Role::Strong, &left);
    if columns <= page.width() {
        let gap = page.width() - columns + 2;
        page.line(&format!("{painted}{:gap$}{right}", ""));
    } else {
        page.line(&painted);
        page.wrapped(BODY, None, &right);
    }
    page.field(BODY, "for", FIELD, None, &it.causes.join(", "));
    page.field(BODY, "when", FIELD, None, it.when().id());
    let pid = diagnosis.situation.jvm.as_ref().map_or(0, |it| it.pid);
    // A flag is for whoever starts the JVM, and only for systemd can a program do that.
    if it.advice.iter().any(|it| it.apply.is_some()) {
        let command = page.paint(Role::Action, &command(it.remedy.id, pid).to_string());
        page.line(&format!("{:BODY$}{:9}{command}", "", "fix"));
    } else {
        let mut said: Vec<&Action> = Vec::new();
        for advice in &it.advice {
            if !said.contains(&&advice.action) {
                action(page, if said.is_empty() { "do" } else { "" }, &advice.action);
                said.push(&advice.action);
            }
        }
    }
    for (n, line) in it.remedy.cost().iter().enumerate() {
        page.field(BODY, if n == 0 { "cost" } else { "" }, FIELD, Some(Role::Faint), line);
    }
}

/// `1.20 s in 3 stops`, `31.0 s of threads in 40 stalls`, or both.
fn saves(it: &Ranked) -> String {
    let stops = format!("{} in {}", crate::duration(it.saves), crate::words::stops(it.pauses));
    let stalls = crate::counted(it.stalls, "stall");
    let stalls = format!("{} of threads in {stalls}", crate::duration(it.saves_in_stalls));
    match (it.pauses, it.stalls) {
        (_, 0) => stops,
        (0, _) => stalls,
        _ => format!("{stops}, {stalls}"),
    }
}

/// `whypause fix ID -p PID --apply`.
fn command(id: &str, pid: u32) -> Action {
    let command = Command::new("whypause").args(["fix", id]);
    let command = if pid == 0 { command } else { command.arg("-p").arg(pid.to_string()) };
    Action::run([command.arg("--apply")])
}

/// What is to be copied is never broken; a sentence is.
fn action(page: &mut Page, label: &str, action: &Action) {
    let action = page.copyable(action);
    for (n, line) in action.to_string().lines().enumerate() {
        let label = if n == 0 { label } else { "" };
        let line = clean(line);
        if action.is_said() {
            page.field(BODY, label, FIELD, None, &line);
        } else {
            let painted = page.paint(Role::Action, &line);
            page.line(&format!("{:FIELD$}{painted}", format!("{:BODY$}{label}", "")));
        }
    }
}

/// A plan, before it is carried out.
#[must_use]
pub fn plan(planned: &Planned<'_>, options: &Options) -> String {
    let mut page = Page::new(options.style);
    let Planned { remedy, plan, whom, before } = planned;
    let title = page.paint(Role::Strong, remedy.title);
    let of = if whom.is_empty() { String::new() } else { format!(" · {}", clean(whom)) };
    page.line(&format!("{title}{of}"));
    page.blank();
    let of_it = format!(" of {whom}");
    for (n, change) in plan.changes.iter().enumerate() {
        let subject = change.subject();
        let subject = subject.strip_suffix(&of_it).unwrap_or(&subject);
        let number = format!("{}", n + 1);
        page.field(0, &number, BODY, Some(Role::Strong), &clean(subject));
        if let Some(Some(before)) = before.get(n) {
            page.field(BODY, "before", FIELD, None, &value(before.as_deref(), "–"));
        }
        page.field(BODY, "after", FIELD, None, &value(change.wanted().as_deref(), "removed"));
        action(&mut page, "by hand", &change.by_hand(&change.wanted()));
    }
    page.blank();
    if plan.at_next_start {
        page.field(0, "when", BODY + 4, None, "at the next start");
    }
    for (n, line) in remedy.cost().iter().enumerate() {
        page.field(0, if n == 0 { "cost" } else { "" }, BODY + 4, None, line);
    }
    for (n, line) in plan.notes.iter().enumerate() {
        page.field(0, if n == 0 { "note" } else { "" }, BODY + 4, None, &clean(line));
    }
    let undo = Action::run([Command::new("whypause").args(["fix", "--undo", remedy.id])]);
    let undo = page.paint(Role::Action, &undo.to_string());
    page.line(&format!("undo   {undo}"));
    page.finish()
}

/// A value, or what `none` says of its absence; its lines are shown as they are.
fn value(value: Option<&str>, none: &str) -> String {
    match value {
        None => none.into(),
        Some(remedy::PRESENT) => "created".into(),
        Some(text) if text.contains('\n') => "the text below".into(),
        Some(text) => clean(text),
    }
}

/// The commands that would put everything back, the last change first.
#[must_use]
pub fn undo_by_hand(entries: &[&Entry], options: &Options) -> String {
    let mut page = Page::new(options.style);
    for entry in entries.iter().rev() {
        let Entry { remedy, change, before, .. } = entry;
        let about = format!("# {remedy}: {}", clean(&change.subject()));
        let about = page.paint(Role::Faint, &about);
        page.line(&about);
        let action = page.copyable(&change.by_hand(before));
        let comment = if action.is_said() { "# " } else { "" };
        for line in action.to_string().lines() {
            page.line(&format!("{comment}{}", clean(line)));
        }
    }
    page.finish()
}

/// One decision of `thp-tuner` as a line of `name=value`.
#[must_use]
pub fn tuned(at: jiff::Timestamp, round: &Round) -> String {
    let Measured { available_bytes, scanned_per_s, khugepaged_permille, .. } = round.measured;
    let mut line = format!(
        "{} available={} least={} enough={} scanned={scanned_per_s}/s khugepaged={}.{}%",
        at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        mib(available_bytes),
        mib(round.measured.least_bytes()),
        mib(round.measured.enough_bytes()),
        khugepaged_permille / 10,
        khugepaged_permille % 10,
    );
    for (control, value) in &round.values {
        line += &format!(" {}={}", control.name(), clean(value));
    }
    let switched: Vec<&str> = round.switched.iter().map(|it| it.control.name()).collect();
    if !switched.is_empty() {
        line += &format!(" switched={}", switched.join(","));
    }
    line + "\n"
}

fn mib(bytes: u64) -> String {
    format!("{}MiB", bytes >> 20)
}

#[cfg(test)]
mod tests {
    use super::*;
    use remedy::tuner::{Control, Switched};

    #[test]
    fn a_decision_is_one_line_with_units() {
        let measured = Measured {
            available_bytes: 3 << 30,
            footprint_bytes: 8 << 30,
            missing_bytes: 1 << 30,
            scanned_per_s: 12,
            khugepaged_permille: 4,
            of_group: false,
        };
        let (from, to, why) = ("always".to_owned(), "never".to_owned(), String::new());
        let round = Round {
            measured,
            values: vec![(Control::Enabled, "never".into()), (Control::Khugepaged, "1".into())],
            switched: vec![Switched { control: Control::Enabled, from, to, why }],
            lost: Vec::new(),
            failed: None,
        };
        let at = jiff::Timestamp::from_second(1_700_000_000).unwrap();
        let expected = "2023-11-14T22:13:20Z available=3072MiB least=2048MiB enough=3072MiB \
                        scanned=12/s khugepaged=0.4% enabled=never khugepaged/defrag=1 switched=enabled\n";
        assert_eq!(tuned(at, &round), expected);
        let line = crate::fix::json::tuned(at, &round).unwrap();
        let json: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(json["least_bytes"], 2_u64 << 30);
        assert_eq!(json["values"]["enabled"], "never");
        assert_eq!(json["switched"][0]["to"], "never");
        assert!(line.ends_with("}\n") && line.matches('\n').count() == 1, "{line}");
    }
}
