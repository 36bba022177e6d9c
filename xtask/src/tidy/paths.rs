//! A path that another user may change is opened once and acted on by descriptor: calls that make, move,
//! mount or remove something by its path are in a few files, each with the reason why it may.
use super::{ask_of_all, blank, complain_of_lines, files::is_of_tests};
use crate::tree::{SourceFile, rust_files};

/// What takes a path once more.
const CALLS: [&str; 21] = [
    "DirBuilder::new",
    "File::create",
    "File::options",
    "OpenOptions::new",
    "fs::chown",
    "fs::copy(",
    "fs::create_dir",
    "fs::hard_link(",
    "fs::mkdir(",
    "fs::remove_",
    "fs::rename(",
    "fs::set_permissions(",
    "fs::symlink(",
    "fs::unlink(",
    "fs::write(",
    "mount::mount",
    "mount::unmount",
    "rename_noreplace(",
    "unix::fs::chown",
    "unix::fs::lchown",
    "unix::fs::symlink",
];

/// Crates that change hosts for the sake of tests and demonstrations, or that only develop.
const FREE: [&str; 6] = ["lab", "fleet-data", "suite", "testing", "xtask", "logset"];

/// Files that may, and why no other user can interfere.
const MAY: [(&str, &str); 11] = [
    ("crates/recorder/src/attach/journal.rs", "this user's own directory"),
    ("crates/recorder/src/rights.rs", "/proc/self"),
    (
        "crates/remedy/src/change/keeper_process.rs",
        "what a keeper says, in this user's own directory",
    ),
    ("crates/remedy/src/change/keeper_process/notes.rs", "this user's own directory"),
    ("crates/remedy/src/held.rs", "the room for it: everything there goes by descriptor"),
    ("crates/remedy/src/journal.rs", "this user's own directory"),
    ("crates/remedy/src/store/lock.rs", "this user's own directory"),
    ("crates/remedy/src/store/notes.rs", "this user's own directory"),
    ("crates/whypause/src/commands/check.rs", "a report where whoever runs it wants it"),
    ("crates/whypause/src/commands/fix/verify.rs", "below this user's own directory"),
    (
        "crates/whypause/src/commands/man.rs",
        "manual pages where whoever builds a package wants them",
    ),
];

/// Complains of code that reaches a file system by path.
fn by_path(path: &str, crate_name: &str, text: &str) -> Vec<String> {
    if FREE.contains(&crate_name) || MAY.iter().any(|(it, _)| *it == path) {
        return Vec::new();
    }
    let complaint = "goes by a path once more: hold it (`remedy::held`, `recording::NewFile`)";
    complain_of_lines(path, &blank::product_code(text), complaint, has_call)
}

fn has_call(code: &str) -> bool {
    let begins = |at: usize| !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    CALLS.iter().any(|call| code.match_indices(call).any(|(at, _)| begins(at)))
}

mod tests {
    use super::*;

    #[test]
    fn nothing_is_made_moved_mounted_or_removed_by_path() {
        let all = rust_files();
        let is_of_tests = is_of_tests(&all);
        let product: Vec<SourceFile> = all
            .into_iter()
            .filter(|it| it.path.contains("/src/") && !is_of_tests(&it.path))
            .collect();
        ask_of_all(&product, |file| by_path(&file.path, file.crate_name(), &file.text));
    }

    #[test]
    fn every_file_that_may_is_there_and_has_a_reason_to() {
        let all = rust_files();
        for (path, _) in MAY {
            let file = all.iter().find(|it| it.path == path).expect(path);
            let code = blank::product_code(&file.text);
            assert!(has_call(&code) || code.contains(" unmount("), "{path} may, and does not");
        }
    }

    #[test]
    fn a_call_is_found_and_one_of_a_test_is_none() {
        let check = |of: &str, text: &str| by_path("crates/x/src/a.rs", of, text).len();
        assert_eq!(check("remedy", "fs::rename(&from, &to)?;"), 1);
        assert_eq!(check("remedy", "std::fs::remove_file(it)"), 1);
        assert_eq!(check("remedy", "NewFile::create(&path)?"), 0);
        assert_eq!(check("remedy", "rustix::mount::mount(a, b)"), 1);
        assert_eq!(check("remedy", "fs::renameat(&d, a, &d, b)"), 0);
        assert_eq!(check("lab", "fs::rename(&from, &to)?;"), 0);
        assert_eq!(check("remedy", "#[cfg(test)]\nmod tests { fn f() { fs::write(a, b) } }"), 0);
        assert_eq!(by_path("crates/remedy/src/held.rs", "remedy", "fs::write(a, b)").len(), 0);
    }
}
