//! What a document or the head of a module names is there: a path in backticks, the README of each large
//! crate, and the tables of a recording.
//!
//! In a path, `<cause>`, `*` and a word of capitals, as in `TARGET`, stand for any name: one that fits must
//! be there.
use super::{ask_of_all, no_complaints};
use crate::tree::{SourceFile, files, paths, read, rust_files};
use std::collections::{BTreeMap, BTreeSet};

/// Number of lines of Rust from which on a crate has a README.
const LARGE: usize = 5_000;

/// A README is read at one glance.
const MOST_LINES: usize = 40;

/// Documents whose paths are checked, beside the READMEs of crates. A README may name what is in its folder.
const DOCUMENTS: [&str; 4] =
    ["ARCHITECTURE.md", "CONTRIBUTING.md", "java/README.md", "web/README.md"];

/// How files end that are ours: those of the kernel and of HotSpot end otherwise.
const ENDS: [&str; 11] =
    [".bpf.c", ".bpf.h", ".jq", ".mjs", ".py", ".rs", ".sh", ".toml", ".ts", ".tsx", ".yml"];

/// How paths from the project's folder begin.
const FOLDERS: [&str; 11] = [
    "bench/",
    "crates/",
    "docs/",
    "fuzz/",
    "java/",
    "packaging/",
    "scripts/",
    "suite/",
    "testdata/",
    "web/",
    "xtask/",
];

/// How paths in a README may begin: in the head of a module, HotSpot's begin so, too.
const IN_A_CRATE: [&str; 2] = ["src/", "tests/"];

/// All files and folders, as paths from the project's folder.
#[derive(Debug)]
struct Places(BTreeSet<String>);

impl Places {
    fn of(paths: impl IntoIterator<Item = String>) -> Places {
        let mut all = BTreeSet::new();
        for path in paths {
            all.extend(path.match_indices('/').map(|(at, _)| path[..at].to_owned()));
            all.insert(path);
        }
        Places(all)
    }

    /// Whether it is there: from the project's folder, or anywhere in `folder`.
    fn has(&self, named: &str, folder: Option<&str>) -> bool {
        let named: Vec<&str> = named.trim_end_matches('/').split('/').collect();
        self.0.iter().any(|place| {
            let is_inside = folder.is_some_and(|it| place.starts_with(it));
            let place: Vec<&str> = place.split('/').collect();
            let Some(more) = place.len().checked_sub(named.len()) else { return false };
            let is_same = named.iter().zip(&place[more..]).all(|(wanted, name)| fits(wanted, name));
            is_same && (more == 0 || is_inside)
        })
    }
}

/// Whether a part of a path has this name, or is a pattern that it fits.
fn fits(wanted: &str, name: &str) -> bool {
    let stem = wanted.split('.').next().unwrap_or_default();
    let is_any = stem.len() > 1 && stem.bytes().all(|it| it.is_ascii_uppercase() || it == b'_');
    let pattern =
        if is_any { format!("*{}", &wanted[stem.len()..]) } else { without_names(wanted) };
    let Some((begin, end)) = pattern.split_once('*') else { return wanted == name };
    let is_long_enough = name.len() > begin.len() + end.len();
    wanted == name || (is_long_enough && name.starts_with(begin) && name.ends_with(end))
}

/// With `*` for `<cause>`.
fn without_names(wanted: &str) -> String {
    match (wanted.find('<'), wanted.find('>')) {
        (Some(begin), Some(end)) if begin < end => {
            format!("{}*{}", &wanted[..begin], &wanted[end + 1..])
        }
        _ => wanted.to_owned(),
    }
}

/// What braces stand for: `a/{b,c}.rs` is `a/b.rs` and `a/c.rs`.
fn without_braces(word: &str) -> Vec<String> {
    let parts = word.split_once('{').and_then(|(before, rest)| {
        let (inside, after) = rest.split_once('}')?;
        Some((before, inside, after))
    });
    match parts {
        Some((before, inside, after)) => {
            inside.split(',').map(|it| format!("{before}{it}{after}")).collect()
        }
        None => vec![word.to_owned()],
    }
}

/// Whether a word in backticks is the path of a file or folder of ours.
fn is_path(word: &str, is_readme: bool) -> bool {
    let is_elsewhere = word.contains("://") || word.starts_with(['/', '~', '$', '-', '.']);
    let begins = FOLDERS.iter().chain(IN_A_CRATE.iter().filter(|_| is_readme));
    let has_end = ENDS.iter().any(|it| word.ends_with(it));
    let is_file = has_end && (word.contains('/') || word.ends_with(".rs"));
    !is_elsewhere && (is_file || begins.into_iter().any(|it| word.starts_with(it)))
}

/// Complains of each path in backticks that is not there. `lines` are the lines of a text, with their numbers.
fn not_there<'a>(
    path: &str,
    lines: impl Iterator<Item = (usize, &'a str)>,
    folder: &str,
    places: &Places,
) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut in_code = false;
    for (number, line) in lines {
        in_code ^= line.trim_start().starts_with("```");
        let spans = line.split('`').skip(1).step_by(2).filter(|_| !in_code);
        for word in spans.flat_map(str::split_ascii_whitespace).flat_map(without_braces) {
            // In a document of the whole project, a path is one from its folder, and a name alone any file's.
            let is_from_root = folder.is_empty() && word.contains('/');
            let folder = (!is_from_root).then_some(folder);
            if is_path(&word, path.ends_with(".md")) && !places.has(&word, folder) {
                complaints.push(format!("{path}:{number}: there is no `{word}`"));
            }
        }
    }
    complaints
}

/// Complains of the paths that a document names.
fn in_document(file: &SourceFile, places: &Places) -> Vec<String> {
    let folder = file.path.rfind('/').map_or("", |at| &file.path[..=at]);
    let lines = file.text.lines().enumerate().map(|(index, line)| (index + 1, line));
    not_there(&file.path, lines, folder, places)
}

/// Complains of the paths that the head of a module names.
fn in_head(file: &SourceFile, places: &Places) -> Vec<String> {
    let depth = if file.path.starts_with("crates/") { 2 } else { 1 };
    let ends = file.path.match_indices('/').map(|(at, _)| at + 1);
    let folder = ends.take(depth).last().map_or("", |end| &file.path[..end]);
    let head = file.text.lines().map_while(|line| line.strip_prefix("//!"));
    not_there(&file.path, head.enumerate().map(|(index, it)| (index + 1, it)), folder, places)
}

/// Whether it is the README of a crate below `crates/`.
fn is_of_crate(path: &str) -> bool {
    path.strip_prefix("crates/").is_some_and(|it| it.split('/').skip(1).eq(["README.md"]))
}

/// Complains of a README that is too long to be read at one glance.
fn too_long(file: &SourceFile) -> Option<String> {
    let lines = file.text.lines().count();
    (lines > MOST_LINES).then(|| format!("{}: {lines} lines, at most {MOST_LINES}", file.path))
}

/// Complains of large crates without a README.
fn without_readme(all: &[SourceFile]) -> Vec<String> {
    let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
    for file in all.iter().filter(|it| it.is_rust() && it.path.starts_with("crates/")) {
        *lines.entry(file.crate_name()).or_default() += file.text.lines().count();
    }
    let has = |name: &str| all.iter().any(|it| it.path == format!("crates/{name}/README.md"));
    let large = lines.into_iter().filter(|(name, lines)| *lines > LARGE && !has(name));
    large.map(|(name, lines)| format!("crates/{name}: {lines} lines and no README.md")).collect()
}

/// Complains of tables that the line of ARCHITECTURE.md does not have, and of others that it has.
fn tables(page: &str, tables: &BTreeSet<&str>) -> Vec<String> {
    let line = page.lines().find(|it| it.starts_with("The tables are "));
    let listed: BTreeSet<&str> = line.unwrap_or_default().split('`').skip(1).step_by(2).collect();
    let wrong = listed.symmetric_difference(tables);
    wrong.map(|it| format!("ARCHITECTURE.md: table `{it}` is not there, or not listed")).collect()
}

mod tests {
    use super::*;

    #[test]
    fn what_documents_name_is_there() {
        let places = Places::of(paths());
        let is_checked =
            |it: &SourceFile| is_of_crate(&it.path) || DOCUMENTS.contains(&it.path.as_str());
        let documents: Vec<_> = files().into_iter().filter(is_checked).collect();
        assert!(documents.len() > DOCUMENTS.len(), "no crate has a README");
        ask_of_all(&documents, |file| in_document(file, &places));
    }

    #[test]
    fn what_heads_of_modules_name_is_there() {
        let places = Places::of(paths());
        ask_of_all(&rust_files(), |file| in_head(file, &places));
    }

    #[test]
    fn each_large_crate_has_a_readme_of_one_glance() {
        let all = files();
        let of_crates = all.iter().filter(|it| is_of_crate(&it.path));
        let mut complaints: Vec<_> = of_crates.filter_map(too_long).collect();
        complaints.extend(without_readme(&all));
        no_complaints(&complaints);
    }

    #[test]
    fn the_tables_of_a_recording_are_listed() {
        let all = recording::Table::all().iter().map(|it| it.name).collect();
        no_complaints(&tables(&read("ARCHITECTURE.md"), &all));
    }

    /// What is complained of in a text, in a project with a few files.
    #[track_caller]
    fn check(path: &str, text: &str, expected: &[&str]) {
        let places = Places::of(
            [
                "ARCHITECTURE.md",
                "crates/a/src/causes/swap_in.rs",
                "crates/a/src/causes/swap_in/hazards.rs",
                "crates/a/src/lib.rs",
                "crates/b/src/door.rs",
                "scripts/test.sh",
            ]
            .map(str::to_owned),
        );
        let file = SourceFile { path: path.into(), text: text.into() };
        let found =
            if file.is_rust() { in_head(&file, &places) } else { in_document(&file, &places) };
        let named: Vec<_> = found.iter().filter_map(|it| it.split('`').nth(1)).collect();
        assert_eq!(named, expected, "{text}");
    }

    #[test]
    fn a_path_that_is_gone_is_found_in_a_document() {
        let check = |text: &str, expected: &[&str]| check("ARCHITECTURE.md", text, expected);
        check(
            "`crates/a/src/lib.rs`, `crates/a/src/`, `lib.rs`, `scripts/test.sh --only 'a b'`",
            &[],
        );
        check(
            "`crates/a/src/gone.rs` and `scripts/gone/`",
            &["crates/a/src/gone.rs", "scripts/gone/"],
        );
        check("`make X` `--only crates/c/src/gone.rs`", &["crates/c/src/gone.rs"]);
        check("`src/lib.rs`: of which crate? `gone.rs`", &["src/lib.rs", "gone.rs"]);
        check("`/proc/PID/io`, `mm/filemap.c`, `http://docs/a.md`, `a/b`, `x.md`", &[]);
        check("```\n`crates/gone`\n```\n`crates/gone`", &["crates/gone"]);
    }

    #[test]
    fn a_placeholder_stands_for_any_name() {
        let check = |text: &str, expected: &[&str]| check("ARCHITECTURE.md", text, expected);
        check("`crates/a/src/causes/<cause>.rs`, `crates/a/src/causes/<cause>/hazards.rs`", &[]);
        check("`crates/a/src/<cause>.sh`", &["crates/a/src/<cause>.sh"]);
        check(
            "`crates/NAME/src/lib.rs`, `crates/*/src`, `crates/a/src/causes/{swap_in.rs,*.rs}`",
            &[],
        );
        check("`crates/NAME/src/gone.rs`", &["crates/NAME/src/gone.rs"]);
        check("`crates/gone/<a>.rs`", &["crates/gone/<a>.rs"]);
    }

    #[test]
    fn a_readme_and_a_head_may_name_what_is_in_their_crate() {
        let readme = |text: &str, expected: &[&str]| check("crates/a/README.md", text, expected);
        readme("`src/causes/`, `causes/swap_in.rs`, `swap_in.rs`, `crates/b/src/door.rs`", &[]);
        readme("`src/gone/` `door.rs`", &["src/gone/", "door.rs"]);
        let head = |text: &str, expected: &[&str]| check("crates/a/src/lib.rs", text, expected);
        head("//! `causes/swap_in.rs`, HotSpot `src/hotspot/share/a.cpp`, `kernel/fork.c`\n", &[]);
        head("//! See\n//! `causes/gone.rs`.\nuse a;\n// `crates/gone`\n", &["causes/gone.rs"]);
        head("//! `door.rs`\n", &["door.rs"]);
    }

    #[test]
    fn a_long_readme_and_a_missing_one_are_found() {
        let file =
            |path: &str, lines: usize| SourceFile { path: path.into(), text: "x\n".repeat(lines) };
        assert_eq!(too_long(&file("crates/a/README.md", 40)), None);
        assert!(too_long(&file("crates/a/README.md", 41)).is_some());
        let code = |lines| file("crates/a/src/lib.rs", lines);
        assert_eq!(without_readme(&[code(5_000)]), [""; 0]);
        assert_eq!(without_readme(&[code(5_001)]).len(), 1);
        assert_eq!(without_readme(&[code(5_001), file("crates/a/README.md", 1)]), [""; 0]);
        assert!(is_of_crate("crates/a/README.md") && !is_of_crate("crates/a/src/README.md"));
    }

    #[test]
    fn a_table_that_is_not_listed_is_found() {
        let all = BTreeSet::from(["jvm", "host"]);
        assert_eq!(tables("The tables are `jvm` and `host`.\n", &all), [""; 0]);
        assert_eq!(tables("The tables are `jvm` and `hosts`.\n", &all).len(), 2);
    }
}
