//! Every test that SECURITY.md names is there: an attack without its test is only claimed.
use super::no_complaints;
use crate::tree::{self, SourceFile, rust_files};

/// Where the tests lie that are named by more than their crate.
const SUITES: [(&str, &str); 6] = [
    ("fix", "crates/whypause/tests/fix/"),
    ("hang", "crates/whypause/tests/hang/"),
    ("hostile", "crates/recorder/tests/hostile/"),
    ("live", "crates/whypause/tests/live/"),
    ("it", "crates/whypause/tests/it/"),
    ("faults", "crates/whypause/tests/faults/"),
];

/// Complains of each name in a column `Test` of which there is no test.
///
/// A cell is `SUITE` `NAME`, `NAME`, …: a suite is one of [`SUITES`], a crate, or a module of the
/// recorder; a name is a test, or a module with tests. A suite alone stands for all its tests.
fn untested(page: &str, files: &[SourceFile]) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut in_attacks = false;
    for (index, line) in page.lines().enumerate() {
        let Some(cell) = last_cell(line) else {
            in_attacks = false;
            continue;
        };
        if cell == "Test" {
            in_attacks = true;
            continue;
        }
        if !in_attacks || cell.starts_with("---") {
            continue;
        }
        let missing = missing(cell, files);
        complaints.extend(missing.iter().map(|it| format!("SECURITY.md:{}: {it}", index + 1)));
    }
    complaints
}

fn last_cell(line: &str) -> Option<&str> {
    let row = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    Some(row.rsplit_once(" | ").map_or(row, |(_, last)| last).rsplit('|').next()?.trim())
}

/// What is wrong with one cell.
fn missing(cell: &str, files: &[SourceFile]) -> Vec<String> {
    let pieces: Vec<&str> = cell.split('`').collect();
    let names: Vec<(&str, &str)> = pieces.chunks_exact(2).map(|it| (it[1], it[0])).collect();
    if names.is_empty() {
        return vec!["no test is named".to_owned()];
    }
    let (mut complaints, mut suite) = (Vec::new(), None);
    for (at, (name, _)) in names.iter().enumerate() {
        // Right before another name stands a suite.
        let begins = names.get(at + 1).is_some_and(|(_, between)| *between == " ");
        let place = place_of(name);
        if begins || suite.is_none() {
            match place.filter(|it| has_tests(it, files)) {
                Some(place) => suite = Some(place),
                None => complaints.push(format!("`{name}` has no tests")),
            }
            continue;
        }
        let inside = suite.as_deref().unwrap_or_default();
        let found = name.contains('/') && tree::root().join(name).exists()
            || is_test(name, inside, files)
            || is_module(name, inside, files)
            || place.is_some_and(|it| has_tests(&it, files));
        if !found {
            complaints.push(format!("there is no test `{name}` in {inside}"));
        }
    }
    complaints
}

/// Where the tests of a suite, a crate or a module lie: what their paths begin with.
fn place_of(name: &str) -> Option<String> {
    let suite = SUITES.iter().find(|(suite, _)| *suite == name);
    if let Some((_, place)) = suite {
        return Some((*place).to_owned());
    }
    if name.contains('/') || name.is_empty() {
        return None;
    }
    match name.contains("::") {
        true => Some(format!("crates/recorder/src/{}", name.replace("::", "/"))),
        false => Some(format!("crates/{name}/")),
    }
}

fn inside<'a>(place: &'a str, files: &'a [SourceFile]) -> impl Iterator<Item = &'a SourceFile> {
    // A module is a file, or a folder with files.
    let is_inside = move |path: &str| {
        let rest = path.strip_prefix(place);
        rest.is_some_and(|it| place.ends_with('/') || it == ".rs" || it.starts_with('/'))
    };
    files.iter().filter(move |it| is_inside(&it.path))
}

fn has_tests(place: &str, files: &[SourceFile]) -> bool {
    inside(place, files).any(|it| it.text.contains("#[test]"))
}

fn is_test(name: &str, place: &str, files: &[SourceFile]) -> bool {
    inside(place, files).any(|file| {
        file.text.match_indices("#[test]").any(|(at, _)| {
            let head = file.text[at..].split('{').next().unwrap_or_default();
            head.contains(&format!("fn {name}("))
        })
    })
}

fn is_module(name: &str, place: &str, files: &[SourceFile]) -> bool {
    let (file, folder) = (format!("/{}.rs", name.replace("::", "/")), format!("/{name}/"));
    inside(place, files)
        .filter(|it| it.path.ends_with(&file) || it.path.contains(&folder))
        .any(|it| it.text.contains("#[test]") || has_tests(it.path.trim_end_matches(".rs"), files))
}

mod tests {
    use super::*;

    #[test]
    fn every_test_that_is_named_is_there() {
        let page = std::fs::read_to_string(tree::root().join("SECURITY.md")).expect("readable");
        let files = rust_files();
        assert!(page.matches("| Test |").count() > 3, "the tables are not found");
        no_complaints(&untested(&page, &files));
    }

    #[track_caller]
    fn check(cell: &str, wanted: &[&str]) {
        let file = |path: &str, name: &str| SourceFile {
            path: path.to_owned(),
            text: format!("#[test]\nfn {name}() {{}}\nfn helper() {{}}\n"),
        };
        let files = [
            file("crates/recorder/tests/hostile/attach.rs", "a_fifo"),
            file("crates/whypause/tests/live/lab.rs", "a_lab"),
            file("crates/recorder/src/host/inside.rs", "whose"),
            file("crates/lab/src/cleanup/journal.rs", "a_line"),
            file("crates/report/tests/it/hostile.rs", "formulas"),
        ];
        let page = format!("| Attack | Test |\n|---|---|\n| x \\| y | {cell} |\n\n| a | `b` |\n");
        let wanted: Vec<String> = wanted.iter().map(|it| format!("SECURITY.md:3: {it}")).collect();
        assert_eq!(untested(&page, &files), wanted, "{cell}");
    }

    #[test]
    fn tests_modules_and_whole_suites_are_found() {
        check("`hostile` `a_fifo`", &[]);
        check("`hostile` `attach`, `live`", &[]);
        check("`hostile` `a_fifo`, `attach`, `live` `a_lab`", &[]);
        check("`host::inside` `whose`", &[]);
        check("`hostile` `attach`, `host::inside`", &[]);
        check("`lab` `cleanup::journal`", &[]);
        check("`report` `hostile`", &[]);
        check("`hostile` `a_fifo`; `scripts/faults.sh`", &[]);
    }

    #[test]
    fn what_is_not_there_is_reported() {
        let hostile = "crates/recorder/tests/hostile/";
        check("`hostile` `a_pipe`", &[&format!("there is no test `a_pipe` in {hostile}")]);
        check("`hostile` `a_lab`", &[&format!("there is no test `a_lab` in {hostile}")]);
        check("`hostile` `helper`", &[&format!("there is no test `helper` in {hostile}")]);
        check("`hostile` `a_fif`", &[&format!("there is no test `a_fif` in {hostile}")]);
        check("`host::outside` `whose`", &["`host::outside` has no tests", "`whose` has no tests"]);
        check(
            "`hostile` `a_fifo`; `scripts/none.sh`",
            &[&format!("there is no test `scripts/none.sh` in {hostile}")],
        );
        check("by hand", &["no test is named"]);
    }
}
