//! Header, white space, and what no file may contain.
use super::{FOR_TESTS, ask_of_all, blank, complain_of_lines};
use crate::tree::{SourceFile, files, rust_files};

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

/// Returns a predicate on the path of each of these files: whether it is for tests alone.
pub(super) fn is_of_tests(all: &[SourceFile]) -> impl Fn(&str) -> bool + use<> {
    let declared = declared_test_files(all);
    move |path| is_test_file(path, &declared)
}

/// Complains of what no Rust file may contain, tests included.
fn everywhere(path: &str, text: &str) -> Vec<String> {
    let code = blank::code(text);
    let mut complaints = Vec::new();
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
    fn nothing_forbidden_is_in_any_file() {
        ask_of_all(&rust_files(), |file| everywhere(&file.path, &file.text));
    }

    #[test]
    fn no_line_ends_in_space() {
        // What was recorded elsewhere or written by another tool is kept as it is.
        let theirs = ["testdata/", "packaging/man/", "packaging/completions/"];
        let is_ours = |file: &SourceFile| !theirs.iter().any(|it| file.path.starts_with(it));
        let ours = files().into_iter().filter(is_ours);
        ask_of_all(&ours.collect::<Vec<_>>(), |file| trailing_space(&file.path, &file.text));
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
        assert_eq!(everywhere("a.rs", "//! x\n#[ignore = \"y\"]\nfn f() {}").len(), 1);
        assert_eq!(everywhere("a.rs", "//! x\n// #[ignore in a comment"), [""; 0]);
        assert_eq!(everywhere("a.rs", "fn main() {}").len(), 1);
    }

    #[test]
    fn space_at_the_end_is_found() {
        assert_eq!(trailing_space("a.md", "a\nb \n").len(), 1);
        assert_eq!(trailing_space("a.md", "a\nb\n"), [""; 0]);
    }
}
