//! What many hosts have in common as a page: one file that needs nothing else, and runs no script.
//!
//! It is made of text, pictures and parts that open, all of which a browser draws by itself; its policy lets no script
//! run at all. Names in it come from the inputs: each is cleaned by `words.rs` and escaped by `markup.rs`.
use super::{heat, markup::text, multiples, words};
use crate::{
    Options, Style,
    clean::{MOST_NAME, clean_name},
    counted,
    html::begin_still,
};
use ::fleet::{Answer, Finding};
use std::{
    collections::BTreeMap,
    fmt::Write as _,
    io::{self, Write},
};

/// What the other pages do not have.
const STYLE: &str = include_str!("page.css");
/// Affected hosts that are named.
const MOST_HOSTS: usize = 200;

/// Writes the page.
///
/// # Errors
///
/// Those of `out`.
pub fn html(it: &Answer, options: &Options, out: &mut dyn Write) -> io::Result<()> {
    let hosts = counted(it.totals.hosts, "host");
    begin_still(&format!("Pauses of {hosts}"), STYLE, out)?;
    out.write_all(bar(it, &hosts).as_bytes())?;
    out.write_all(b"<main id=\"page\">\n")?;
    out.write_all(answer(it).as_bytes())?;
    out.write_all(findings(it, options).as_bytes())?;
    out.write_all(new_causes(it).as_bytes())?;
    out.write_all(heat::section(it, &options.zone).as_bytes())?;
    out.write_all(multiples::section(it).as_bytes())?;
    out.write_all(multiples::culprits(it).as_bytes())?;
    out.write_all(rest(it, options).as_bytes())?;
    out.write_all(b"</main>\n</body>\n</html>\n")
}

fn bar(it: &Answer, hosts: &str) -> String {
    let sections = [
        ("findings", "Differences", !it.findings.is_empty()),
        ("hosts", "Hosts", !it.heat.rows.is_empty()),
        ("causes", "Causes", !it.causes.is_empty()),
        ("culprits", "Culprits", !it.culprits.is_empty()),
    ];
    let links: String = sections
        .iter()
        .filter(|it| it.2)
        .map(|(id, name, _)| format!("<a href=\"#{id}\">{name}</a>"))
        .collect();
    format!(
        "<header class=\"topbar\"><a class=\"skip\" href=\"#page\">to the answer</a><b class=\"brand\">whypause</b>\
         <span class=\"context clip\">{hosts}</span><nav aria-label=\"sections\">{links}</nav></header>\n"
    )
}

fn answer(it: &Answer) -> String {
    let mut out = format!("<section class=\"verdict\"><h1>{}</h1>\n", text(&words::verdict(it)));
    for items in words::header(&it.totals) {
        writeln!(out, "<p class=\"lead\">{}</p>", text(&items.join(" · ")))
            .expect("memory takes all");
    }
    for loss in words::losses(it) {
        writeln!(out, "<p class=\"wrap\">{}</p>", text(&loss)).expect("memory takes all");
    }
    out + "</section>\n"
}

fn findings(it: &Answer, options: &Options) -> String {
    if it.findings.is_empty() {
        return String::new();
    }
    let lines: BTreeMap<&str, usize> =
        it.heat.rows.iter().enumerate().map(|(n, row)| (row.host.as_str(), n)).collect();
    let mut out = String::from(
        "<section id=\"findings\" class=\"panel\" aria-labelledby=\"findings-title\">\n<div class=\"panel-head\">\
         <h2 id=\"findings-title\">Differences between hosts</h2></div>\n<ol class=\"findings\">\n",
    );
    for finding in &it.findings {
        out.push_str(&one(finding, &lines, options));
    }
    writeln!(out, "</ol>\n<p class=\"hint\">{}</p>\n</section>", text(&words::foot(it)))
        .expect("memory takes all");
    out
}

fn one(it: &Finding, lines: &BTreeMap<&str, usize>, options: &Options) -> String {
    let mut out = format!("<li><h3>{}</h3>\n<dl>\n", text(&words::headline(it)));
    let mut field = |label: &str, markup: &str| {
        writeln!(out, "<dt>{label}</dt><dd>{markup}</dd>").expect("memory takes all");
    };
    for (label, fact) in words::facts(it) {
        field(label, &text(&fact));
    }
    for example in &it.examples {
        let command = crate::clean::clean(&words::explain(&example.pause.source).to_string());
        let example = text(&words::example(example, &options.zone));
        field("worst", &format!("{example}<br><code>{}</code>", text(&command)));
    }
    out.push_str("</dl>\n");
    // Of all hosts no list helps.
    if it.group.is_some() && !it.hosts.is_empty() {
        out.push_str(&hosts(it, lines));
    }
    out + "</li>\n"
}

/// The affected hosts, each with a link to its line.
fn hosts(it: &Finding, lines: &BTreeMap<&str, usize>) -> String {
    let number = counted(u64::try_from(it.hosts.len()).unwrap_or(u64::MAX), "host");
    let names: Vec<String> = it
        .hosts
        .iter()
        .take(MOST_HOSTS)
        .map(|host| {
            let name = text(&clean_name(host, MOST_NAME));
            match lines.get(host.as_str()) {
                Some(n) => format!("<a href=\"#h{n}\">{name}</a>"),
                None => name,
            }
        })
        .collect();
    let more = if it.hosts.len() > MOST_HOSTS { ", …" } else { "" };
    format!(
        "<details><summary>{number}</summary><p class=\"wrap\">{}{more}</p></details>\n",
        names.join(", ")
    )
}

fn new_causes(it: &Answer) -> String {
    let Some((_, last)) = it.totals.days.filter(|_| !it.new_causes.is_empty()) else {
        return String::new();
    };
    let mut out = format!(
        "<section class=\"panel\" aria-labelledby=\"new-title\">\n<div class=\"panel-head\"><h2 id=\"new-title\">\
         New on {} (UTC)</h2></div>\n<ul>\n",
        words::day(last)
    );
    for it in &it.new_causes {
        writeln!(out, "<li>{}</li>", text(&words::new_cause(it))).expect("memory takes all");
    }
    out + "</ul>\n</section>\n"
}

/// The same as text, for those who want to search or copy it.
fn rest(it: &Answer, options: &Options) -> String {
    let options =
        Options { full: true, style: Style { width: 100, ..Style::PLAIN }, ..options.clone() };
    let all = super::text::text(it, &options);
    format!(
        "<section class=\"panel\" aria-labelledby=\"text-title\">\n<h2 id=\"text-title\">As text</h2>\n\
         <details><summary>all of it as on a terminal</summary><pre class=\"scroll\" tabindex=\"0\">{}</pre>\
         </details>\n</section>\n",
        text(&all)
    )
}
