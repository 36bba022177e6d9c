//! Markdown has one sentence per line, and scripts stop at the first error.
use super::{ask_of_all, complain_of_lines};
use crate::tree::files;

/// Complains of lines with more than one sentence, outside of code and tables.
fn sentences(path: &str, text: &str) -> Vec<String> {
    let mut in_code = false;
    let mut complaints = Vec::new();
    for (index, line) in text.lines().enumerate() {
        in_code ^= line.trim_start().starts_with("```");
        if !in_code && !line.starts_with('|') && has_two_sentences(line) {
            complaints.push(format!("{path}:{}: more than one sentence in the line", index + 1));
        }
    }
    complaints
}

fn has_two_sentences(line: &str) -> bool {
    line.match_indices(". ").any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + 2..].chars().next();
        // `1. First` is an item of a list.
        before.is_some_and(|c| !c.is_ascii_digit()) && after.is_some_and(char::is_uppercase)
    })
}

/// Complains of a script that goes on after an error.
fn stops_at_errors(path: &str, text: &str) -> Vec<String> {
    let is_sourced = text.starts_with("# shellcheck shell=bash");
    let is_careful = text.starts_with("#!/usr/bin/env bash\n")
        && text.lines().any(|line| line == "set -euo pipefail");
    if is_sourced || is_careful {
        return Vec::new();
    }
    vec![format!("{path}: no bash with `set -euo pipefail`")]
}

mod tests {
    use super::*;

    #[test]
    fn markdown_has_one_sentence_per_line() {
        let ours = files().into_iter().filter(|file| file.path.ends_with(".md"));
        ask_of_all(&ours.collect::<Vec<_>>(), |file| sentences(&file.path, &file.text));
    }

    #[test]
    fn scripts_stop_at_errors() {
        let ours = files().into_iter();
        let ours = ours.filter(|file| file.path.ends_with(".sh") || file.path == ".ci/run");
        ask_of_all(&ours.collect::<Vec<_>>(), |file| stops_at_errors(&file.path, &file.text));
    }

    #[test]
    fn no_script_has_an_absolute_temporary_path() {
        let ours = files().into_iter().filter(|file| file.path.ends_with(".sh"));
        ask_of_all(&ours.collect::<Vec<_>>(), |file| {
            complain_of_lines(
                &file.path,
                &file.text,
                "a name in /tmp that others can take",
                |line| line.contains("/tmp/"),
            )
        });
    }

    #[track_caller]
    fn check(text: &str, wanted: usize) {
        assert_eq!(sentences("a.md", text).len(), wanted, "{text}");
    }

    #[test]
    fn sentences_are_distinguished() {
        check("One. Two.", 1);
        check("One.\nTwo.", 0);
        check("1. First", 0);
        check("JDK 8. Other", 0);
        check("| One. Two. |\n```\nOne. Two.\n```", 0);
    }
}
