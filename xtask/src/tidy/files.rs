//! Size, header, white space, and what no file may contain.
use super::{FOR_TESTS, ask_of_all, blank, complain_of_lines, no_complaints};
use crate::tree::{SourceFile, files, read, rust_files};
use std::collections::BTreeMap;

/// More lines than this need a reason in `xtask/large-files.txt`.
const LARGE: usize = 400;
/// More lines than this are never right.
const TOO_LARGE: usize = 600;

/// The folders whose programs speak to people and so may print.
const MAY_PRINT: [&str; 4] = ["whypause", "lab", "suite", "xtask"];

/// Complains of files that are too large, and of reasons that are no longer needed.
fn sizes(lines_of: &BTreeMap<String, usize>, reasons: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    let reasons: BTreeMap<&str, &str> = reasons
        .lines()
        .filter(|line| !line.starts_with('#') && !line.trim().is_empty())
        .map(|line| line.split_once(": ").unwrap_or((line, "")))
        .collect();
    for (path, &lines) in lines_of {
        if lines > TOO_LARGE {
            complaints.push(format!("{path}: {lines} lines, the limit is {TOO_LARGE}"));
        } else if lines > LARGE && !reasons.contains_key(path.as_str()) {
            complaints.push(format!(
                "{path}: {lines} lines; over {LARGE} needs a reason in xtask/large-files.txt"
            ));
        }
    }
    for (path, reason) in reasons {
        if lines_of.get(path).is_none_or(|&lines| lines <= LARGE) {
            complaints.push(format!("xtask/large-files.txt: `{path}` is not over {LARGE} lines"));
        } else if reason.is_empty() {
            complaints.push(format!("xtask/large-files.txt: `{path}` has no reason"));
        }
    }
    complaints
}

/// Whether a file is written by hand in a language that the size limit is for.
fn counts(file: &SourceFile) -> bool {
    let suffixes = [".rs", ".bpf.c", ".java", ".py", ".sh", ".awk"];
    suffixes.iter().any(|suffix| file.path.ends_with(suffix))
}

/// Whether a file has nothing but tests in it, or is for nothing else: by its name, its crate, or how
/// it is declared.
fn is_test_file(path: &str, declared: &[String]) -> bool {
    path.ends_with("/tests.rs")
        || path.starts_with(&format!("crates/{FOR_TESTS}/"))
        || path.split('/').any(|folder| folder == "tests" || folder == "benches")
        || declared.iter().any(|prefix| {
            path.strip_prefix(prefix.as_str())
                .is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
        })
}

/// Paths, without extension, of the modules that are declared under `#[cfg(test)]`.
fn declared_test_files(files: &[SourceFile]) -> Vec<String> {
    let of_file = |file: &SourceFile| {
        let folder = match file.stem() {
            "lib" | "main" | "mod" => file.path.rsplit_once('/').map(|(folder, _)| folder),
            _ => file.path.strip_suffix(".rs"),
        };
        let folder = folder.unwrap_or_default().to_owned();
        blank::test_modules(&file.text).into_iter().map(move |name| format!("{folder}/{name}"))
    };
    files.iter().flat_map(of_file).collect()
}

/// Tells of the path of each of these files whether it is for tests alone.
pub(super) fn is_of_tests(all: &[SourceFile]) -> impl Fn(&str) -> bool + use<> {
    let declared = declared_test_files(all);
    move |path| is_test_file(path, &declared)
}

/// Complains of a macro call in code.
fn macros(path: &str, code: &str, names: &[&str]) -> Vec<String> {
    let calls = |line: &str, name: &str| {
        line.match_indices(name).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            before.is_none_or(|c| !c.is_alphanumeric() && c != '_')
        })
    };
    let of_name = |name: &&str| {
        let call = format!("{name}!");
        complain_of_lines(path, code, &format!("`{call}`"), |line| calls(line, &call))
    };
    names.iter().flat_map(of_name).collect()
}

/// Complains of what product code may not do.
fn product(path: &str, crate_name: &str, text: &str) -> Vec<String> {
    let code = blank::product_code(text);
    let mut complaints = complain_of_lines(
        path,
        &code,
        "`unwrap()` in product code: use `expect(\"why it cannot fail\")`",
        |line| line.contains(".unwrap()"),
    );
    // A build script speaks to cargo by printing.
    if !MAY_PRINT.contains(&crate_name) && !path.ends_with("build.rs") {
        complaints.extend(macros(path, &code, &["print", "println", "eprint", "eprintln"]));
    }
    complaints
}

/// Complains of what no Rust file may contain, tests included.
fn everywhere(path: &str, text: &str) -> Vec<String> {
    let code = blank::code(text);
    let mut complaints = macros(path, &code, &["todo", "unimplemented", "dbg"]);
    for attribute in ["#[ignore", "#[should_panic"] {
        let complaint = format!("`{attribute}]`: assert what happens today and say why");
        complaints
            .extend(complain_of_lines(path, &code, &complaint, |line| line.contains(attribute)));
    }
    if !text.starts_with("//! ") {
        complaints.push(format!("{path}:1: does not start with `//!` and what it is for"));
    }
    complaints
}

fn trailing_space(path: &str, text: &str) -> Vec<String> {
    complain_of_lines(path, text, "space at the end of the line", |line| {
        line.ends_with([' ', '\t', '\r'])
    })
}

mod tests {
    use super::*;

    #[test]
    fn no_file_is_too_large() {
        let all = files().into_iter().filter(counts);
        let lines_of = all.map(|file| (file.path, file.text.lines().count())).collect();
        no_complaints(&sizes(&lines_of, &read("xtask/large-files.txt")));
    }

    #[test]
    fn nothing_forbidden_is_in_any_file() {
        ask_of_all(&rust_files(), |file| everywhere(&file.path, &file.text));
    }

    #[test]
    fn nothing_forbidden_is_in_product_code() {
        let all = rust_files();
        let is_of_tests = is_of_tests(&all);
        let product_files = all.into_iter().filter(|file| !is_of_tests(&file.path));
        ask_of_all(&product_files.collect::<Vec<_>>(), |file| {
            product(&file.path, file.crate_name(), &file.text)
        });
    }

    #[test]
    fn no_line_ends_in_space() {
        // What was recorded elsewhere or written by another tool is kept as it is.
        let theirs = ["testdata/", "packaging/man/", "packaging/completions/"];
        let is_ours = |file: &SourceFile| !theirs.iter().any(|it| file.path.starts_with(it));
        let ours = files().into_iter().filter(is_ours);
        ask_of_all(&ours.collect::<Vec<_>>(), |file| trailing_space(&file.path, &file.text));
    }

    #[track_caller]
    fn check_size(lines: usize, reasons: &str, wanted: usize) {
        let lines_of = BTreeMap::from([("a.rs".to_owned(), lines)]);
        assert_eq!(sizes(&lines_of, reasons).len(), wanted);
    }

    #[test]
    fn both_sides_of_the_limits() {
        check_size(400, "", 0);
        check_size(401, "", 1);
        check_size(401, "a.rs: a table", 0);
        check_size(600, "a.rs: a table", 0);
        check_size(601, "a.rs: a table", 1);
    }

    #[test]
    fn a_reason_is_given_and_needed() {
        check_size(401, "a.rs: ", 1);
        check_size(400, "a.rs: a table", 1);
        check_size(10, "gone.rs: a table", 1);
    }

    #[test]
    fn tests_may_do_what_product_code_may_not() {
        let text = "//! x\nfn f() { g().unwrap(); println!(); }";
        assert_eq!(product("crates/a/src/a.rs", "a", text).len(), 2);
        assert_eq!(product("crates/lab/src/a.rs", "lab", text).len(), 1);
        let text = format!("//! x\n#[cfg(test)]\nmod tests {{ {} }}", &text[6..]);
        assert_eq!(product("crates/a/src/a.rs", "a", &text), [""; 0]);
    }

    #[test]
    fn a_macro_of_a_longer_name_is_another() {
        assert_eq!(macros("a.rs", "eprintln!(x)", &["println"]), [""; 0]);
        assert_eq!(macros("a.rs", "std::println!(x)", &["println"]), ["a.rs:1: `println!`"]);
    }

    #[test]
    fn test_files_are_known_by_name_or_declaration() {
        let declared = ["crates/a/src/fixtures".to_owned()];
        for path in [
            "crates/a/tests/b.rs",
            "crates/a/src/b/tests.rs",
            "crates/a/src/fixtures.rs",
            "crates/testing/src/a.rs",
        ] {
            assert!(is_test_file(path, &declared), "{path}");
        }
        for path in ["crates/a/src/fixtures_of_war.rs", "crates/testing-grounds/src/a.rs"] {
            assert!(!is_test_file(path, &declared), "{path}");
        }
    }

    #[test]
    fn what_is_forbidden_everywhere_is_found() {
        assert_eq!(everywhere("a.rs", "//! x\n#[ignore = \"y\"]\nfn f() {\n todo!() }").len(), 2);
        assert_eq!(everywhere("a.rs", "//! x\n// todo!() in a comment"), [""; 0]);
        assert_eq!(everywhere("a.rs", "fn main() {}").len(), 1);
    }

    #[test]
    fn space_at_the_end_is_found() {
        assert_eq!(trailing_space("a.md", "a\nb \n").len(), 1);
        assert_eq!(trailing_space("a.md", "a\nb\n"), [""; 0]);
    }
}
