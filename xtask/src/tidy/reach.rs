//! What is never run breaks: every target of the Makefile is run by `make test` or is a part of
//! `make nightly`, and every script is started by something that is.
use super::no_complaints;
use crate::tree::{SourceFile, files, read};
use std::collections::{BTreeMap, BTreeSet};

const PARTS: &str = "scripts/nightly/parts.sh";

/// Targets that no part runs, each with the reason.
const EXEMPT: [(&str, &str); 3] = [
    ("clean", "removes what all others build"),
    ("nightly", "runs the others"),
    ("test", "runs with each change"),
];

/// Where everything that is run begins.
const ROOTS: [&str; 4] = [".cargo/config.toml", ".ci/run", "Makefile", "web/package.json"];

/// What `make test` runs begins here.
const ROOTS_OF_TESTS: [&str; 2] = ["scripts/test.sh", "suite/"];

/// Names every script, and runs none of them.
const NAMES_ALL: &str = "scripts/lint.sh";

/// Where scripts are, for whatever program.
const RUN: [&str; 5] = ["bench/", "scripts/", "web/dev.mjs", "web/sample/", "web/test/"];

/// The targets that `.PHONY` lists.
fn targets(makefile: &str) -> Vec<&str> {
    let line = makefile.lines().find_map(|it| it.strip_prefix(".PHONY:"));
    line.unwrap_or_default().split_ascii_whitespace().collect()
}

/// The recipe of a target.
fn recipe<'a>(makefile: &'a str, target: &str) -> Vec<&'a str> {
    let begins = |line: &str| line.strip_prefix(target).is_some_and(|rest| rest.starts_with(':'));
    let lines = makefile.lines().skip_while(|it| !begins(it)).skip(1);
    lines.take_while(|it| it.starts_with('\t')).collect()
}

/// Whether a line of shell calls `make` for a target; words with a hyphen before it are options.
fn makes(line: &str, target: &str) -> bool {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let calls = words.iter().enumerate().filter(|(_, word)| **word == "make");
    let mut wanted =
        calls.map(|(at, _)| words[at + 1..].iter().find(|it| !it.starts_with('-')).copied());
    wanted.any(|it| it == Some(target))
}

/// Complains of targets that are not run, and of exemptions of what is none.
fn targets_not_run(makefile: &str, parts: &str, tested: &BTreeSet<&str>) -> Vec<String> {
    let parts: Vec<String> = parts.lines().map(without_comment).collect();
    let is_part = |target: &str| parts.iter().any(|line| makes(line, target));
    let is_tested = |target: &str| {
        let lines = recipe(makefile, target);
        let scripts: Vec<&str> =
            lines.iter().flat_map(|it| words(it)).filter(|it| it.starts_with("scripts/")).collect();
        !scripts.is_empty() && scripts.iter().all(|it| tested.contains(it))
    };
    let all = targets(makefile);
    let not_run = all.iter().filter(|target| {
        !EXEMPT.iter().any(|(it, _)| it == *target) && !is_part(target) && !is_tested(target)
    });
    let not_run = not_run.map(|target| {
        format!("Makefile: `make {target}` is run neither by `make test` nor by a part of {PARTS}")
    });
    let gone = EXEMPT.iter().filter(|(target, _)| !all.contains(target));
    let gone = gone.map(|(target, _)| format!("Makefile: there is no target `{target}`"));
    not_run.chain(gone).collect()
}

/// Complains of parts that `scripts/nightly.sh` does not see: one line in one form begins each.
fn parts_not_seen(parts: &str) -> Vec<String> {
    let is_name = |it: &str| it.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let is_seen = |rest: &str| {
        rest.split_once("() { # ")
            .is_some_and(|(name, needs)| is_name(name) && !needs.trim().is_empty())
    };
    let wrong = parts.lines().filter(|it| it.strip_prefix("part_").is_some_and(|it| !is_seen(it)));
    let wrong = wrong.map(|it| format!("{PARTS}: not `part_NAME() {{ # WHAT IT NEEDS`: `{it}`"));
    wrong.collect()
}

/// A line without a comment, and without what it says to people, which may name what it does not run.
fn without_comment(line: &str) -> String {
    let line = line.strip_prefix('#').map_or(line, |_| "");
    let ends = [" #", "\t#", "fail \"", "say \""].map(|it| line.find(it).unwrap_or(line.len()));
    let line = &line[..ends.into_iter().min().unwrap_or_default()];
    if line.trim_start().starts_with("//") { String::new() } else { line.to_owned() }
}

fn is_in_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || "._-/".contains(c)
}

/// What could be paths in a line.
fn words(line: &str) -> Vec<&str> {
    line.split(|c| !is_in_word(c)).filter(|it| !it.is_empty()).collect()
}

/// The words of a text, with those that braces stand for: `a/{b,c}` are `a/b` and `a/c`.
fn mentions(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines().map(without_comment) {
        found.extend(words(&line).into_iter().map(str::to_owned));
        for (before, rest) in line.match_indices("/{").map(|(at, _)| line.split_at(at + 1)) {
            let folder = before.rsplit(|c| !is_in_word(c)).next().unwrap_or_default();
            let inside = rest[1..].split('}').next().unwrap_or_default();
            found.extend(inside.split(',').map(|it| format!("{folder}{it}")));
        }
    }
    found
}

/// A path as it is without `.` and `..`.
fn normal(path: &str) -> String {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The files that `of` names, from the project's folder or its own.
fn named<'a>(of: &SourceFile, all: &BTreeMap<&'a str, &'a SourceFile>) -> Vec<&'a SourceFile> {
    let folder = of.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let places = mentions(&of.text).into_iter();
    let places = places.flat_map(|it| [normal(&it), normal(&format!("{folder}/{it}"))]);
    places.filter_map(|it| all.get(it.as_str()).copied()).collect()
}

/// The paths of all files that are reached from those that `is_root` is true of.
fn reached(files: &[SourceFile], is_root: impl Fn(&str) -> bool) -> BTreeSet<&str> {
    let all: BTreeMap<&str, &SourceFile> =
        files.iter().map(|file| (file.path.as_str(), file)).collect();
    let mut open: Vec<&SourceFile> = files.iter().filter(|file| is_root(&file.path)).collect();
    let mut reached = BTreeSet::new();
    while let Some(file) = open.pop() {
        // What a document names is not run by it.
        let runs = is_root(&file.path) || is_to_be_run(&file.path) && file.path != NAMES_ALL;
        if reached.insert(file.path.as_str()) && runs {
            open.extend(named(file, &all));
        }
    }
    reached
}

fn begins_with_any(path: &str, beginnings: &[&str]) -> bool {
    beginnings.iter().any(|it| path.starts_with(it))
}

/// Whether it is a script, for whatever program.
fn is_to_be_run(path: &str) -> bool {
    begins_with_any(path, &RUN) && !path.ends_with(".txt")
}

/// Whether it is a test, or what runs them.
fn is_test(path: &str) -> bool {
    path.ends_with(".rs") && (path.contains("/tests/") || path.starts_with("suite/"))
}

/// Complains of scripts that nothing starts.
fn scripts_not_run(files: &[SourceFile]) -> Vec<String> {
    let reached = reached(files, |path| ROOTS.contains(&path) || is_test(path));
    let all = files.iter().map(|file| file.path.as_str());
    let not_run = all.filter(|path| is_to_be_run(path) && !reached.contains(path));
    not_run.map(|path| format!("{path}: nothing that is run names it; add it to {PARTS}")).collect()
}

mod tests {
    use super::*;

    #[test]
    fn every_target_is_run() {
        let all = files();
        let tested = reached(&all, |path| begins_with_any(path, &ROOTS_OF_TESTS));
        no_complaints(&targets_not_run(&read("Makefile"), &read(PARTS), &tested));
    }

    #[test]
    fn every_script_is_run() {
        no_complaints(&scripts_not_run(&files()));
    }

    #[test]
    fn every_part_is_seen() {
        assert!(read(PARTS).contains("\npart_"), "there are parts");
        no_complaints(&parts_not_seen(&read(PARTS)));
    }

    const MAKEFILE: &str = "\
.PHONY: clean nightly test lint new
new: build ## make what is new
\t@scripts/new.sh $(if $(CHECK),--check)
lint: ## check
\t@scripts/lint.sh
test:
\t@scripts/test.sh
";

    /// Whether the target `new` is complained of, with these parts and what `make test` runs.
    #[track_caller]
    fn check_target(parts: &str, tested: &[&str], is_run: bool) {
        let tested = tested.iter().copied().chain(["scripts/lint.sh"]).collect();
        let found = targets_not_run(MAKEFILE, parts, &tested);
        let wanted = "Makefile: `make new` is run neither by `make test` nor by a part of \
                      scripts/nightly/parts.sh";
        assert_eq!(found, if is_run { vec![] } else { vec![wanted] }, "{parts} {tested:?}");
    }

    #[test]
    fn a_target_is_run_by_a_part_or_by_the_tests() {
        check_target("", &[], false);
        check_target("    make -s new CHECK=1", &[], true);
        check_target("    A=1 make new", &[], true);
        check_target("", &["scripts/new.sh"], true);
    }

    #[test]
    fn a_target_that_is_only_spoken_of_is_not_run() {
        check_target("    make -s newer", &[], false);
        check_target("    # make new", &[], false);
        check_target("part_x() { # make new", &[], false);
        check_target("    fail \"no\" \"make new\"", &[], false);
        check_target("    scripts/other.sh new", &["scripts/newer.sh"], false);
    }

    #[test]
    fn an_exemption_of_nothing_is_found() {
        let makefile = MAKEFILE.replace(" clean", "");
        let found = targets_not_run(&makefile, "make new\nmake lint", &BTreeSet::new());
        assert_eq!(found, ["Makefile: there is no target `clean`"]);
    }

    #[test]
    fn a_part_says_what_it_needs() {
        assert_eq!(parts_not_seen("part_a() { # root\n    part_b\n}\nskip() {\n"), [""; 0]);
        for wrong in ["part_a() {", "part_a() { # ", "part_a () { # root", "part_a() { :; }"] {
            assert_eq!(parts_not_seen(wrong).len(), 1, "{wrong}");
        }
    }

    /// Whether `scripts/new.sh` is complained of beside these files, each a path and a text.
    #[track_caller]
    fn check_script(others: &[(&str, &str)], is_run: bool) {
        let all = others.iter().copied().chain([("scripts/new.sh", "")]);
        let all = all.map(|(path, text)| SourceFile { path: path.into(), text: text.into() });
        let found = scripts_not_run(&all.collect::<Vec<_>>());
        let is_complaint = |it: &String| it.starts_with("scripts/new.sh: ");
        assert_eq!(!found.iter().any(is_complaint), is_run, "{others:?}: {found:?}");
    }

    #[test]
    fn a_script_is_run_by_what_is_run_itself() {
        check_script(&[], false);
        check_script(&[("Makefile", "a:\n\t@scripts/new.sh")], true);
        check_script(&[("crates/a/tests/b.rs", "run(\"scripts/new.sh\")")], true);
        check_script(&[("scripts/old.sh", "scripts/new.sh")], false);
        let old = |text| [("Makefile", "\t@scripts/a/old.sh"), ("scripts/a/old.sh", text)];
        check_script(&old("scripts/new.sh --all"), true);
        check_script(&old("source \"$(dirname \"$0\")/../new.sh\""), true);
        check_script(&old("cp scripts/{other.sh,new.sh} \"$to\""), true);
        check_script(&[("web/package.json", "node ../scripts/new.sh")], true);
    }

    #[test]
    fn a_script_that_is_only_spoken_of_is_not_run() {
        let old = |text| [("Makefile", "\t@scripts/old.sh"), ("scripts/old.sh", text)];
        check_script(&old("# scripts/new.sh does more"), false);
        check_script(&old("true # as scripts/new.sh"), false);
        check_script(&old("fail \"no\" \"scripts/new.sh\""), false);
        check_script(&old("shellcheck scripts/*.sh"), false);
        check_script(&old("scripts/new.shop"), false);
        check_script(&[("crates/a/src/b.rs", "/// As `scripts/new.sh` does.")], false);
        check_script(&[("crates/a/tests/b.rs", "    // scripts/new.sh")], false);
        check_script(&[("Makefile", "cp docs/a.md"), ("docs/a.md", "scripts/new.sh")], false);
        check_script(
            &[("Makefile", "scripts/lint.sh"), ("scripts/lint.sh", "scripts/new.sh")],
            false,
        );
    }
}
