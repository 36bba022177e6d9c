//! Chores of the project: `cargo xtask gen` writes what is generated, `cargo test -p xtask` checks
//! what can be checked of the house rules.
mod generate;
mod imports;
mod tree;

#[cfg(test)]
mod tidy;

use std::collections::BTreeMap;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["gen" | "docs"] => generate::write(&generate::all()?),
        ["circles", names @ ..] => circles(names),
        ["lines"] => lines(),
        _ => anyhow::bail!(
            "usage: `cargo xtask gen`, `cargo xtask circles CRATE [FROM TO]`, `cargo xtask lines`"
        ),
    }
}

/// Prints the circles of a crate, or its arrows from what lies below one module to what lies below another.
#[expect(clippy::print_stdout, reason = "it speaks to people")]
fn circles(names: &[&str]) -> anyhow::Result<()> {
    let [name, between @ ..] = names else { anyhow::bail!("which crate?") };
    let imports = imports::Imports::of(name)?;
    if let [from, to] = between {
        imports.arrows_between(from, to).iter().for_each(|it| println!("{it}"));
        return Ok(());
    }
    let (files, arrows, inside) = imports.counts();
    let siblings = imports.siblings();
    println!(
        "{name}: {files} files, {siblings} side by side, {arrows} arrows, {inside} within circles"
    );
    for circle in imports.circles() {
        println!("circle of {}: {}", circle.len(), circle.join(", "));
    }
    for circle in imports.folder_circles() {
        println!("folders that import each other: {}", circle.join(", "));
    }
    Ok(())
}

/// Prints how many lines of Rust each crate of the program has without its tests.
#[expect(clippy::print_stdout, reason = "it speaks to people")]
fn lines() -> anyhow::Result<()> {
    let mut of_crates: BTreeMap<String, usize> = BTreeMap::new();
    for path in tree::paths() {
        let Some((name, file)) = path.strip_prefix("crates/").and_then(|it| it.split_once("/src/"))
        else {
            continue;
        };
        let is_test = name == "testing" || path.contains("/tests/") || file.ends_with("tests.rs");
        if file.ends_with(".rs") && !is_test {
            let text = std::fs::read_to_string(tree::root().join(&path))?;
            let product = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            *of_crates.entry(name.to_owned()).or_default() += product.lines().count();
        }
    }
    of_crates.iter().for_each(|(name, lines)| println!("{name}: {lines}"));
    println!("all: {}", of_crates.values().sum::<usize>());
    Ok(())
}
