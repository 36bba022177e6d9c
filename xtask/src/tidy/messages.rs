//! What is said to people: lower case, no full stop.
use super::{ask_of_all, blank};
use crate::tree::rust_files;

/// What stands before the text of a message in code.
const BEFORE_A_MESSAGE: [&str; 8] = [
    "#[error(",
    "bail!(",
    "anyhow!(",
    ".context(",
    ".context(format!(",
    "hint: ",
    ".hint(",
    "hint: Some(",
];

/// Complains of messages that start with a capital or end in a full stop, and of such hints.
fn messages(path: &str, text: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    for before in BEFORE_A_MESSAGE {
        for (at, _) in text.match_indices(before) {
            let Some(message) = literal(&text[at + before.len()..]) else { continue };
            if starts_with_capital(message) || ends_with_stop(message) {
                let line = text[..at].lines().count().max(1);
                complaints.push(format!("{path}:{line}: message \"{message}\""));
            }
        }
    }
    let code = blank::code(text);
    for (index, (line, code)) in text.lines().zip(code.lines()).enumerate() {
        // Inside of quotes, and not the field of that name, nor a comment.
        let quoted = line.find("hint: ").filter(|&at| code.as_bytes()[at] == b' ');
        let quoted = quoted.filter(|_| !line.trim_start().starts_with("//"));
        if quoted.is_some_and(|at| starts_with_capital(&line[at + "hint: ".len()..])) {
            complaints.push(format!("{path}:{}: a hint starts in lower case", index + 1));
        }
    }
    complaints
}

/// The text in quotes that follows, if one does at once.
fn literal(rest: &str) -> Option<&str> {
    let body = rest.trim_start().strip_prefix('"')?;
    let mut escaped = false;
    let end = body.find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    })?;
    Some(&body[..end])
}

/// Names written in capitals throughout, such as JVM and PIDs, are no capitals of a sentence.
fn starts_with_capital(message: &str) -> bool {
    let word = message.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let singular = word.strip_suffix('s').unwrap_or(word);
    let mut letters = singular.chars().filter(|c| c.is_alphabetic());
    letters.next().is_some_and(char::is_uppercase)
        && (word.len() == 1 || letters.any(char::is_lowercase))
}

fn ends_with_stop(message: &str) -> bool {
    message.ends_with('.') && !message.ends_with("...")
}

mod tests {
    use super::*;

    #[test]
    fn messages_are_lower_case_without_a_full_stop() {
        // These very rules have wrong messages in them, to show that they are found.
        let ours =
            rust_files().into_iter().filter(|file| file.path != "xtask/src/tidy/messages.rs");
        ask_of_all(&ours.collect::<Vec<_>>(), |file| messages(&file.path, &file.text));
    }

    #[track_caller]
    fn check(text: &str, wanted: usize) {
        assert_eq!(messages("a.rs", text).len(), wanted, "{text}");
    }

    #[test]
    fn wrong_ones_are_found() {
        check(r##"#[error("Cannot open `{0}`")]"##, 1);
        check(r##"#[error("cannot open `{0}`.")]"##, 1);
        check("bail!(\n    \"No such process\"\n)", 1);
        check(r##"    "hint: Start it as root""##, 1);
        check(r##"Failure { hint: "Start it as root" }"##, 1);
    }

    #[test]
    fn right_ones_are_not() {
        check(r##"#[error("cannot open `{path}`: {source}")]"##, 0);
        check(r##"#[error("JVM {pid} has \"no\" probes")]"##, 0);
        check(r##"#[error("{0}")] #[error(transparent)]"##, 0);
        check("struct Failure { hint: String }\n// hint: Why", 0);
        check(r##"    "hint: PIDs are shown by `whypause ps`""##, 0);
    }
}
