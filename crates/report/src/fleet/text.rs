//! What many hosts have in common, on a terminal of 80 columns or more: differences first.
use super::{tables, words};
use crate::{
    Options,
    clean::clean,
    text::{Page, Role, glued},
};
use ::fleet::{Answer, Finding};

/// Column at which what is said of a finding begins.
const TEXT: usize = 10;
/// Findings, hosts, causes and culprits of a short answer, and of a full one.
const FEW: [usize; 4] = [5, 5, 8, 5];
const MANY: [usize; 4] = [100, 50, 100, 20];

/// The whole answer; with [`Options::full`] with longer lists. Ends with a line end.
#[must_use]
pub fn text(it: &Answer, options: &Options) -> String {
    let mut page = Page::new(options.style);
    let [findings, hosts, causes, culprits] = if options.full { MANY } else { FEW };
    page.wrapped(0, Some(Role::Strong), &words::verdict(it));
    page.blank();
    for items in words::header(&it.totals) {
        let items: Vec<String> = items.iter().map(|it| glued(it)).collect();
        page.wrapped(0, None, &items.join(" · "));
    }
    for (n, finding) in it.findings.iter().take(findings).enumerate() {
        block(&mut page, n + 1, finding, options);
    }
    if let Some(more @ 1..) = it.findings.len().checked_sub(findings) {
        page.blank();
        page.wrapped(3, Some(Role::Faint), &format!("… {more} more with `--full`"));
    }
    if !it.findings.is_empty() {
        page.blank();
        page.wrapped(3, Some(Role::Faint), &words::foot(it));
    }
    tables::new_causes(&mut page, it);
    tables::hosts(&mut page, it, hosts);
    tables::causes(&mut page, it, causes, options.style);
    tables::culprits(&mut page, it, culprits);
    page.blank();
    for loss in words::losses(it) {
        page.wrapped(0, None, &loss);
    }
    page.finish()
}

fn block(page: &mut Page, number: usize, it: &Finding, options: &Options) {
    page.blank();
    page.field(0, &number.to_string(), 3, Some(Role::Strong), &words::headline(it));
    for (label, text) in words::facts(it) {
        page.field(3, label, TEXT, None, &text);
    }
    if options.full {
        let p =
            format!("p ≤ {:.1e}, corrected for {} comparisons", it.p, crate::count(it.comparisons));
        page.field(3, "test", TEXT, None, &p);
    }
    let shown = if options.full { it.examples.len() } else { 1 };
    for (n, example) in it.examples.iter().take(shown).enumerate() {
        let label = if n == 0 { "worst" } else { "" };
        page.field(3, label, TEXT, None, &words::example(example, &options.zone));
        next(page, &example.pause.source);
    }
}

/// What to do next, in one piece.
fn next(page: &mut Page, source: &str) {
    let action = page.copyable(&words::explain(source));
    let painted = page.paint(Role::Action, &clean(&action.to_string()));
    page.line(&format!("{:TEXT$}{painted}", "   next"));
}
