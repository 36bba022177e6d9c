//! The reasoning is a function: it reads no file, no clock, no environment, no network.
use super::{ask_of_all, blank, files::is_of_tests};
use crate::tree::rust_files;

const IMPURE: [&str; 9] = [
    "std::fs",
    "std::net",
    "std::env",
    "std::process",
    "std::io::stdin",
    "std::thread",
    "std::time::Instant",
    "std::time::SystemTime",
    "rand",
];

/// Complains of every impure module that product code names, in a `use` or in a path.
fn impure_names(path: &str, text: &str) -> Vec<String> {
    let code = blank::product_code(text);
    let flat: String = code.split_whitespace().collect();
    let mut named = paths_in_uses(&code);
    named.extend(IMPURE.iter().filter(|name| flat.contains(**name)).map(|name| (*name).to_owned()));
    named.sort();
    named.dedup();
    let is_impure = |named: &&String| {
        IMPURE.iter().any(|it| named == it || named.starts_with(&format!("{it}::")))
    };
    named.iter().filter(is_impure).map(|named| format!("{path}: names `{named}`")).collect()
}

/// Every path that `use` brings in, with groups written out.
fn paths_in_uses(code: &str) -> Vec<String> {
    let uses = code.split(';').filter_map(|statement| statement.rsplit_once("use "));
    let trees = uses.map(|(_, tree)| tree.split_whitespace().collect::<String>());
    trees.flat_map(|tree| write_out("", &tree)).collect()
}

fn write_out(prefix: &str, tree: &str) -> Vec<String> {
    let Some((before, group)) = tree.split_once('{') else {
        return vec![format!("{prefix}{tree}")];
    };
    let prefix = format!("{prefix}{before}");
    let group = group.strip_suffix('}').unwrap_or(group);
    split_at_commas(group).iter().flat_map(|part| write_out(&prefix, part)).collect()
}

/// The parts of a group, each with its own groups whole.
fn split_at_commas(group: &str) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for c in group.chars() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if c == ',' && depth == 0 {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    parts
}

mod tests {
    use super::*;

    #[test]
    fn the_reasoning_is_pure() {
        let all = rust_files();
        let is_of_tests = is_of_tests(&all);
        let crates = ["crates/diagnose/src/", "crates/fleet/src/"];
        let is_reasoning = |path: &str| crates.iter().any(|it| path.starts_with(it));
        let ours = all.into_iter().filter(|it| is_reasoning(&it.path) && !is_of_tests(&it.path));
        ask_of_all(&ours.collect::<Vec<_>>(), |file| impure_names(&file.path, &file.text));
    }

    #[track_caller]
    fn check(text: &str, wanted: &[&str]) {
        let wanted: Vec<_> = wanted.iter().map(|name| format!("a.rs: names `{name}`")).collect();
        assert_eq!(impure_names("a.rs", text), wanted);
    }

    #[test]
    fn it_is_found_in_groups_and_paths() {
        check(
            "use std::{collections::BTreeMap, time::{Duration, Instant}};",
            &["std::time::Instant"],
        );
        check("use std::fs;", &["std::fs"]);
        check("fn f() { std::env::var(x); }", &["std::env"]);
    }

    #[test]
    fn what_only_looks_like_it_is_fine() {
        check("use std::time::Duration;\n// std::fs\nconst X: &str = \"std::fs\";", &[]);
        check("#[cfg(test)]\nmod tests { use std::fs; }", &[]);
    }
}
