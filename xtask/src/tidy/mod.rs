//! The house rules that a test can hold.
//!
//! Each rule is a function from text to complaints, so that it can be tried on a few lines; the
//! test beside it asks it about the whole project.
mod attacks;
mod blank;
mod causes;
mod circles;
mod commands;
mod examples;
mod files;
mod layers;
mod measured;
mod messages;
mod network;
mod packaging;
mod paths;
mod places;
mod prose;
mod purity;
mod reach;
mod terms;
mod unsafe_code;
mod words;

use crate::tree::SourceFile;

/// The crate that is for tests: it may do what they may, and only they may depend on it.
const FOR_TESTS: &str = "testing";

/// Fails with one line for each complaint.
#[track_caller]
fn no_complaints(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// The lines of `text` in which `wanted` is true, as `path:line: complaint`.
fn complain_of_lines(
    path: &str,
    text: &str,
    complaint: &str,
    wanted: impl Fn(&str) -> bool,
) -> Vec<String> {
    let numbered = text.lines().enumerate().filter(|(_, line)| wanted(line));
    numbered.map(|(index, _)| format!("{path}:{}: {complaint}", index + 1)).collect()
}

/// Asks `rule` about every file, and fails with what it has to say.
#[track_caller]
fn ask_of_all(files: &[SourceFile], rule: impl Fn(&SourceFile) -> Vec<String>) {
    assert!(!files.is_empty(), "there is nothing to check");
    no_complaints(&files.iter().flat_map(rule).collect::<Vec<_>>());
}
