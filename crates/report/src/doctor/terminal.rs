//! What JVMs are exposed to, on a terminal: a block for each hazard, and what is fine in a line.
use super::{Checkup, Examined, Reported};
use crate::{
    Options,
    clean::{MOST_NAME, clean, clean_name},
    terminal::findings::{BODY, FIELD, field, fix, when_width},
    text::{Page, Role, columns_of, glued},
    words,
};
use diagnose::{Likelihood, text::cpus};
use remedy::{Action, Command};

/// Number of culprits and pieces of evidence shown of each hazard.
const MOST_ITEMS: usize = 4;
/// Everything. Ends with a line end.
#[must_use]
pub fn render(all: &Checkup, options: &Options) -> String {
    let mut page = Page::new(options.style);
    for it in &all.jvms {
        page.blank();
        page.wrapped(0, Some(Role::Strong), &header(it));
        body(&mut page, it);
    }
    if let Some(host) = &all.host {
        page.blank();
        page.wrapped(0, Some(Role::Strong), &glued(&host.name()));
        body(&mut page, host);
    }
    for it in &all.not_responding {
        page.blank();
        let name = clean_name(&it.name, MOST_NAME);
        page.wrapped(
            0,
            None,
            &format!("Not looked at: {name} (pid {}), {}.", it.pid, clean(&it.reason)),
        );
    }
    page.finish()
}

/// `orders · pid 4242 · JDK 17.0.15 · G1, 2 GC threads · quota of 2 CPUs`
fn header(it: &Examined) -> String {
    let pid = if it.jvm.pid == 0 { String::new() } else { format!("pid {}", it.jvm.pid) };
    let quota = it.milli_cpus.map_or_else(String::new, |it| format!("quota of {}", cpus(it)));
    let items = [it.name(), pid, words::jdk(&it.jvm), words::collector(&it.jvm), quota];
    let items: Vec<String> = items.iter().filter(|it| !it.is_empty()).map(|it| glued(it)).collect();
    items.join(" · ")
}

fn body(page: &mut Page, it: &Examined) {
    let (accepted, open): (Vec<&Reported>, Vec<&Reported>) =
        it.hazards.iter().partition(|it| it.accepted.is_some());
    for (n, reported) in open.iter().enumerate() {
        page.blank();
        block(page, n + 1, reported);
    }
    page.blank();
    if open.is_empty() {
        let looked = it.fine.len() + accepted.len();
        let what = if looked == 1 { "hazard was" } else { "hazards were" };
        let but = if accepted.is_empty() { "" } else { " that is not accepted" };
        page.wrapped(0, None, &format!("Nothing found{but}: {looked} {what} looked for."));
    }
    for reported in accepted {
        page.wrapped(0, None, &acceptance(reported));
    }
    let fine: Vec<String> = it.fine.iter().map(|it| glued(it.subject)).collect();
    if !fine.is_empty() {
        page.wrapped(0, Some(Role::Faint), &format!("Looked at and fine: {}.", fine.join(", ")));
    }
    let unknown = it.unknown.iter().map(|(_, what)| (*what).to_owned());
    let unseen: Vec<String> = it.unseen.iter().map(|it| clean(it)).chain(unknown).collect();
    if !unseen.is_empty() {
        let text = format!("Not looked at: {}.", unseen.join("; "));
        page.wrapped(0, Some(Role::Faint), &text);
    }
}

/// `Accepted: gc-log-on-disk (a disk of its own): The GC log is …`
fn acceptance(reported: &Reported) -> String {
    let why = reported.accepted.as_ref().map(|it| clean(&it.reason)).unwrap_or_default();
    let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
    format!("Accepted: {}{why}: {}", reported.hazard.kind.id, clean(&reported.hazard.statement))
}

fn block(page: &mut Page, number: usize, reported: &Reported) {
    let hazard = &reported.hazard;
    heading(page, number, hazard.kind.title, hazard.likelihood);
    page.wrapped(BODY, None, &clean(&hazard.statement));
    for (n, culprit) in hazard.culprits.iter().take(MOST_ITEMS).enumerate() {
        field(page, if n == 0 { "who" } else { "" }, &clean(&culprit.statement));
    }
    for (n, evidence) in hazard.evidence.iter().take(MOST_ITEMS).enumerate() {
        field(page, if n == 0 { "seen" } else { "" }, &clean(evidence));
    }
    field(page, "why", hazard.kind.about);
    for (n, it) in reported.advice.iter().enumerate() {
        fix(page, if n == 0 { "fix" } else { "" }, it, when_width(&reported.advice));
    }
    if let Some(what) = &hazard.to_do {
        field(page, "fix", &clean(what));
    }
    if let Some(cause) = hazard.cause {
        command_line(page, "more", Command::new("whypause").arg("cause").arg(cause.id));
    }
    page.line(&format!("{:BODY$}{:7}--accept {}", "", "accept", hazard.kind.id));
}

fn command_line(page: &mut Page, label: &str, command: Command) {
    let action = page.copyable(&Action::run([command]));
    page.line(&format!("{:BODY$}{label:7}{action}", ""));
}

/// `1  GC log written to a disk …                                    likely`
fn heading(page: &mut Page, number: usize, title: &str, likelihood: Likelihood) {
    let left = format!("{number}  {title}");
    let role = if likelihood == Likelihood::Likely { Role::Bad } else { Role::Strong };
    let painted = page.paint(role, &left);
    let right = likelihood.id();
    let columns = columns_of(&left) + 2 + right.len();
    if columns <= page.width() {
        let gap = page.width() - columns + 2;
        page.line(&format!("{painted}{:gap$}{right}", ""));
    } else {
        page.line(&painted);
        page.wrapped(BODY, None, right);
    }
}

const _: () = assert!(FIELD == BODY + 7, "labels are as wide as those of findings");
