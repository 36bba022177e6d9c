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
    for section in ["NAME", "SYNOPSIS", "OPTIONS", "EXAMPLES", "EXIT STATUS", "ENVIRONMENT"] {
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
fn every_man_page_has_exit_status_and_environment() {
    for (name, page) in whypause::generated::man_pages().expect("written to memory") {
        let page = String::from_utf8(page).expect("UTF-8");
        for section in ["EXIT STATUS", "ENVIRONMENT"] {
            let count = page.matches(&format!(".SH \"{section}\"")).count();
            assert_eq!(count, 1, "{name}: {section}");
        }
        assert!(!page.contains("EXIT CODES"), "{name}");
    }
}

/// Names of variables in calls that read one.
fn read_variables(dir: &Path, names: &mut Vec<String>) {
    for entry in fs::read_dir(dir).expect("a directory").flatten() {
        let path = entry.path();
        if path.is_dir() && !path.ends_with("tests") {
            read_variables(&path, names);
        }
        let is_test = path.ends_with("tests.rs") || path.ends_with("test_dir.rs");
        if path.extension().is_none_or(|it| it != "rs") || is_test {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a text");
        let product = text.split("#[cfg(test)]").next().unwrap_or_default();
        for call in ["env::var(\"", "env::var_os(\"", "variable(\"", "set(\""] {
            let found = product.split(call).skip(1).filter_map(|it| it.split('"').next());
            let is_name = |it: &&str| it.chars().all(|c| c.is_ascii_uppercase() || c == '_');
            names.extend(found.filter(is_name).map(str::to_owned));
        }
    }
}

#[test]
fn the_man_page_names_every_variable_that_is_read() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut names = Vec::new();
    for name in ["whypause", "recorder", "recording", "report", "keeper", "lab"] {
        read_variables(&crates.join(name).join("src"), &mut names);
    }
    assert!(names.len() > 5, "{names:?}");
    let page = run(&["man"]).stdout;
    for name in names.iter().map(String::as_str).chain([remedy::FLAGS_VARIABLE, "LC_CTYPE", "TZ"]) {
        assert!(page.contains(name), "{name}");
    }
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
