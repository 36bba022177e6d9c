//! Chores of the project: `cargo xtask gen` writes what is generated, `cargo test -p xtask` checks
//! what can be checked of the house rules.
mod generate;
mod imports;
mod tree;

#[cfg(test)]
mod tidy;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["gen" | "docs"] => generate::write(&generate::all()?),
        ["circles", names @ ..] => circles(names),
        _ => anyhow::bail!("usage: `cargo xtask gen`, `cargo xtask circles CRATE [FROM TO]`"),
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
