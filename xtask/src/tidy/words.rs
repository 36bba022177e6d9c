//! Words that have no place in the project: paths of one machine, hosts of package registries,
//! how it came about.
use super::{ask_of_all, complain_of_lines};
use crate::tree::files;

/// Written in two halves so that this file does not contain them.
const FORBIDDEN: [&str; 12] = [
    concat!("/wo", "rk/"),
    concat!("../sha", "red"),
    concat!("/root", "/."),
    concat!("crates", ".io"),
    concat!("deb.debian", ".org"),
    concat!("snapshot.debian", ".org"),
    concat!("pypi", ".org"),
    concat!("npmjs", ".org"),
    concat!("repo.maven", ".apache"),
    concat!("proxy.go", "lang"),
    concat!("the proto", "type"),
    concat!("language mo", "del"),
];

/// Complains of lines with a forbidden word, or with the number of an issue.
fn forbidden_words(path: &str, text: &str) -> Vec<String> {
    let has_word = |line: &str| FORBIDDEN.iter().any(|word| line.contains(word));
    complain_of_lines(path, text, "a word that has no place here", |line| {
        let line = line.to_lowercase();
        has_word(&line) || names_an_issue(&line)
    })
}

fn names_an_issue(line: &str) -> bool {
    let after = line.split("issue ").skip(1).map(|rest| rest.trim_start_matches('#'));
    after.into_iter().any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

mod tests {
    use super::*;

    #[test]
    fn no_file_has_a_forbidden_word() {
        // A lock file names where cargo finds things, in cargo's own words.
        let ours = files().into_iter().filter(|file| !file.path.ends_with("Cargo.lock"));
        ask_of_all(&ours.collect::<Vec<_>>(), |file| forbidden_words(&file.path, &file.text));
    }

    #[test]
    fn each_word_is_found() {
        for word in FORBIDDEN {
            assert_eq!(forbidden_words("a", &format!("x {word} y")).len(), 1, "{word}");
        }
        assert_eq!(forbidden_words("a", concat!("see iss", "ue 7")).len(), 1);
        assert_eq!(forbidden_words("a", "an issue with frameworks/"), [""; 0]);
    }
}
