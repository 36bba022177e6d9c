//! Man pages and completions are made from the arguments, and those in `packaging/` are fresh.
use crate::run::run;
use std::{fs, path::Path};

#[test]
fn completions_know_every_command() {
    for shell in ["bash", "zsh", "fish"] {
        let ran = run(&["completions", shell]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        for command in ["record", "explain", "watch", "ps", "cause", "lab"] {
            assert!(ran.stdout.contains(command), "{shell}: {command}");
        }
    }
}

#[test]
fn hidden_verbs_are_offered_nowhere() {
    for shell in ["bash", "zsh", "fish"] {
        let offered = run(&["completions", shell]).stdout;
        for verb in ["serve-disk", "fragment", "guard", "man"] {
            let is_word = |at: usize| {
                let is_part = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
                let before = offered[..at].chars().next_back().is_some_and(is_part);
                !before && !offered[at + verb.len()..].starts_with(is_part)
            };
            let found = offered.match_indices(verb).find(|(at, _)| is_word(*at));
            let line = found.map(|(at, _)| offered[at..].lines().next());
            assert_eq!(line, None, "{shell}: {verb}");
        }
    }
}

#[test]
fn a_man_page_has_its_sections() {
    let page = run(&["man", "record"]).stdout;
    for section in ["NAME", "SYNOPSIS", "OPTIONS", "EXAMPLES"] {
        assert!(
            page.contains(&format!(".SH \"{section}\""))
                || page.contains(&format!(".SH {section}"))
        );
    }
    let ran = run(&["man", "frobnicate"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("no man page `whypause-frobnicate`"));
}

#[test]
fn the_files_in_packaging_are_fresh() {
    let packaging = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging");
    for (name, content) in whypause::generated::files().expect("written to memory") {
        let found = fs::read(packaging.join(&name)).unwrap_or_default();
        assert!(
            found == content,
            "packaging/{name} is stale: run `cargo run -p whypause -- man --write packaging`"
        );
    }
}
