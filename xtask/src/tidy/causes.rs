//! One cause or mechanism is one file, and the same id runs through everything about it.
use super::no_complaints;
use crate::tree::{SourceFile, files};
use std::collections::BTreeSet;

const CAUSES: &str = "crates/diagnose/src/causes/";
const MECHANISMS: &str = "crates/diagnose/src/mechanisms/";
const REMEDIES: &str = "crates/remedy/src/remedies/";
const SCENARIOS: &str = "crates/lab/src/scenarios/";

/// The headings of a cause's page, in this order and no others.
const HEADINGS: [&str; 4] = ["What happens", "What proves it", "What looks alike", "References"];
/// Those of a mechanism's, which names no remedies of its own.
const OF_MECHANISMS: [&str; 5] =
    ["What happens", "What proves it", "What looks alike", "Remedies", "References"];

/// Those of a remedy's page; the two in the middle may be missing.
const OF_REMEDIES: [&str; 5] = [
    "What it changes",
    "What it costs",
    "How to see that it helped",
    "How to undo it",
    "References",
];

/// Complains of a remedy's file: its id and its page.
fn remedy(file: &SourceFile) -> Vec<String> {
    let path = &file.path;
    let mut complaints = Vec::new();
    let id = file.stem().replace('_', "-");
    if !file.text.contains(&format!("id: \"{id}\"")) {
        complaints.push(format!("{path}: its id is not `{id}`"));
    }
    let page = page(&file.text);
    if !page.lines().next().is_some_and(|line| line.starts_with("# ")) {
        complaints.push(format!("{path}: its page does not start with a title"));
    }
    let headings: Vec<_> = page.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let may_lack = |it: &&str| (2..4).any(|n| OF_REMEDIES[n] == *it) && !headings.contains(it);
    let wanted: Vec<_> = OF_REMEDIES.into_iter().filter(|it| !may_lack(it)).collect();
    if headings != wanted {
        complaints.push(format!("{path}: its page has the headings {headings:?}"));
    }
    complaints
}

/// The page that is at the top of a cause's file.
fn page(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix("//!"));
    lines.map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line))).collect()
}

/// Complains of a cause's or mechanism's file: its id, its page, the ids that its page names.
fn cause(file: &SourceFile, ids: &BTreeSet<String>) -> Vec<String> {
    let path = &file.path;
    let mut complaints = Vec::new();
    let id = file.stem().replace('_', "-");
    if !file.text.contains(&format!("id: \"{id}\"")) {
        complaints.push(format!("{path}: its id is not `{id}`"));
    }
    let page = page(&file.text);
    let is_title = page.lines().next().is_some_and(|line| line.starts_with("# "));
    if !is_title {
        complaints.push(format!("{path}: its page does not start with a title"));
    }
    let headings: Vec<_> = page.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let wanted = if path.starts_with(MECHANISMS) { &OF_MECHANISMS[..] } else { &HEADINGS };
    if headings != wanted {
        complaints.push(format!("{path}: its page has the headings {headings:?}"));
    }
    let unknown = ids_that_look_alike(&page).into_iter().filter(|id| !ids.contains(id));
    complaints.extend(unknown.map(|id| format!("{path}: looks like `{id}`, which is no cause")));
    complaints
}

/// The ids in backticks under "What looks alike". Flags, files and functions are no ids.
fn ids_that_look_alike(page: &str) -> Vec<String> {
    let section = page.split("## ").find(|section| section.starts_with("What looks alike"));
    let quoted = section.unwrap_or_default().split('`').skip(1).step_by(2);
    let is_id = |text: &&str| {
        text.contains('-')
            && text.split('-').all(|part| {
                !part.is_empty()
                    && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
            })
    };
    quoted.filter(is_id).map(str::to_owned).collect()
}

/// Complains of a file whose `item` is not in the list of its folder.
fn listed(file: &SourceFile, item: &str, list: &str) -> Option<String> {
    let module = file.stem();
    let is_declared = list.lines().any(|line| line.trim() == format!("mod {module};"));
    let is_listed = list.contains(&format!("{module}::{item}"));
    (!is_declared || !is_listed).then(|| format!("{}: not in the list of its folder", file.path))
}

/// Ids that the files of a folder are named after.
fn ids(all: &[SourceFile], folder: &str) -> BTreeSet<String> {
    let files = all.iter().filter(|file| is_entry(file, folder));
    files.map(|file| file.stem().replace('_', "-")).collect()
}

/// Whether a file is one entry of a folder that has one file for each.
fn is_entry(file: &SourceFile, folder: &str) -> bool {
    let name = file.path.strip_prefix(folder);
    name.is_some_and(|name| name.ends_with(".rs") && !name.contains('/') && name != "mod.rs")
}

mod tests {
    use super::*;

    #[test]
    fn each_cause_and_mechanism_is_complete() {
        let all = files();
        let known = &ids(&all, CAUSES) | &ids(&all, MECHANISMS);
        let mut complaints = Vec::new();
        for (folder, item) in [(CAUSES, "CAUSE"), (MECHANISMS, "MECHANISM")] {
            let list = all.iter().find(|file| file.path == format!("{folder}mod.rs"));
            let list = &list.expect("the folder has a list").text;
            for file in all.iter().filter(|file| is_entry(file, folder)) {
                complaints.extend(cause(file, &known));
                complaints.extend(listed(file, item, list));
            }
        }
        assert!(!ids(&all, CAUSES).is_empty(), "there are no causes");
        no_complaints(&complaints);
    }

    #[test]
    fn each_remedy_is_complete() {
        let all = files();
        let list = all.iter().find(|file| file.path == format!("{REMEDIES}mod.rs"));
        let list = &list.expect("the folder has a list").text;
        let entries: Vec<_> = all.iter().filter(|file| is_entry(file, REMEDIES)).collect();
        assert!(!entries.is_empty(), "there are no remedies");
        let complaints: Vec<_> = entries
            .into_iter()
            .flat_map(|file| remedy(file).into_iter().chain(listed(file, "REMEDY", list)))
            .collect();
        no_complaints(&complaints);
    }

    #[test]
    fn a_good_remedy_is_fine_and_others_are_not() {
        let good = "//! # T\n//! ## What it changes\n//! ## What it costs\n//! ## How to undo it\n\
                    //! ## References\nstatic REMEDY: Remedy = Remedy { id: \"a-b\" };\n";
        let check = |text: &str, wanted: usize| {
            let file = SourceFile { path: format!("{REMEDIES}a_b.rs"), text: text.into() };
            assert_eq!(remedy(&file).len(), wanted, "{text}");
        };
        check(good, 0);
        check(&good.replace("//! ## How to undo it\n", ""), 0);
        check(&good.replace("//! ## What it costs\n", ""), 1);
        check(&good.replace("a-b", "a-c"), 1);
        check(&good.replace("# T", "T"), 1);
        check(&good.replace("undo it", "mend it"), 1);
    }

    /// One that makes stalls is named after its load: several loads make one cause.
    #[test]
    fn each_scenario_is_named_after_a_cause_or_a_remedy_or_makes_stalls() {
        let mut all = files();
        let makes_stalls = |it: &SourceFile| it.text.contains("judged_by: JudgedBy::Stalls");
        all.retain(|it| !(is_entry(it, SCENARIOS) && makes_stalls(it)));
        let scenarios = ids(&all, SCENARIOS);
        assert!(!scenarios.is_empty(), "there are no scenarios");
        let known = &ids(&all, CAUSES) | &ids(&all, REMEDIES);
        let unknown = scenarios.difference(&known);
        let complaints: Vec<_> =
            unknown.map(|id| format!("{SCENARIOS}: no cause or remedy `{id}`")).collect();
        no_complaints(&complaints);
    }

    const GOOD: &str = "\
//! # Somebody else has the CPU
//!
//! ## What happens
//! ## What proves it
//! ## What looks alike
//! `late-java-thread`, where `sched_switch` and `-Xlog` differ.
//! ## References
static CAUSE: Cause = Cause { id: \"cpu-contention\" };
";

    #[track_caller]
    fn check(text: &str, wanted: usize) {
        let path = format!("{CAUSES}cpu_contention.rs");
        let known = BTreeSet::from(["late-java-thread".to_owned()]);
        assert_eq!(cause(&SourceFile { path, text: text.into() }, &known).len(), wanted, "{text}");
    }

    #[test]
    fn a_good_one_is_fine_and_others_are_not() {
        check(GOOD, 0);
        check(&GOOD.replace("id: \"cpu", "id: \"gpu"), 1);
        check(&GOOD.replace("# Somebody", "Somebody"), 1);
        check(&GOOD.replace("References", "Cure"), 1);
        check(&GOOD.replace("`late-java", "`early-java"), 1);
    }

    #[test]
    fn a_cause_is_declared_and_listed() {
        let file = SourceFile { path: format!("{CAUSES}a.rs"), text: String::new() };
        assert_eq!(listed(&file, "CAUSE", "mod a;\n&a::CAUSE"), None);
        assert!(listed(&file, "CAUSE", "mod a;").is_some());
        assert!(listed(&file, "CAUSE", "&a::CAUSE").is_some());
    }
}
