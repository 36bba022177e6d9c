//! Chores of the project: `cargo xtask gen` writes what is generated, `cargo test -p xtask` checks
//! what can be checked of the house rules.
mod generate;
mod tree;

#[cfg(test)]
mod tidy;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["gen" | "docs"] => generate::write(&generate::all()?),
        _ => anyhow::bail!("usage: `cargo xtask gen`"),
    }
}
