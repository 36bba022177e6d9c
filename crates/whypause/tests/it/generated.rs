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
