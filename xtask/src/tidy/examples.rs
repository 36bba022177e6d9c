//! An example in a comment is run: rustdoc takes seconds a crate to look for some, so that crates without
//! any say `doctest = false`, and those with one do not.
use super::{ask_of_all, complain_of_lines};
use crate::tree::{read, rust_files};

/// What a block of code in a comment is in, if it is no example in Rust.
const OTHERS: [&str; 4] = ["java", "sql", "text", "xml"];

/// Complains of examples that are not run.
fn not_run(path: &str, text: &str, manifest: &str) -> Vec<String> {
    if !manifest.lines().any(|it| it.trim() == "doctest = false") {
        return Vec::new();
    }
    let mut is_open = false;
    let mut blocks = Vec::new();
    for line in text.lines() {
        let line = line.trim_start();
        let comment = line.strip_prefix("//!").or_else(|| line.strip_prefix("///"));
        if let Some(language) = comment.and_then(|it| it.trim().strip_prefix("```")) {
            is_open = !is_open;
            blocks.extend((is_open && !OTHERS.contains(&language)).then_some(line));
        }
    }
    let complaint = "an example, and `doctest = false` in its crate's Cargo.toml";
    let is_one = |line: &str| blocks.contains(&line.trim_start());
    if blocks.is_empty() { Vec::new() } else { complain_of_lines(path, text, complaint, is_one) }
}

mod tests {
    use super::*;

    #[test]
    fn every_example_is_run() {
        ask_of_all(&rust_files(), |file| {
            let folder = file.path.split("/src/").next().unwrap_or_default();
            let is_library = file.path.starts_with("crates/") && file.path.contains("/src/");
            let manifest =
                if is_library { read(&format!("{folder}/Cargo.toml")) } else { String::new() };
            not_run(&file.path, &file.text, &manifest)
        });
    }

    #[test]
    fn a_block_that_is_not_said_to_be_something_else_is_an_example() {
        let not_run = |text: &str| not_run("a.rs", text, "[lib]\ndoctest = false\n").len();
        assert_eq!(not_run("/// ```text\n/// a\n/// ```\nfn a() {}\n"), 0);
        assert_ne!(not_run("//! ```\n//! let a = 1;\n//! ```\n"), 0);
        assert_ne!(not_run("    /// ```no_run\n    /// a();\n    /// ```\n"), 0);
        assert_eq!(super::not_run("a.rs", "/// ```\n/// a();\n/// ```\n", "[package]\n").len(), 0);
    }
}
