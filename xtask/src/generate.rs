//! What is written once and rendered elsewhere: pages of causes and mechanisms, man pages,
//! completions.
use crate::tree::{paths, root};
use anyhow::Context;
use diagnose::{Cause, Nature};
use recording::Source;
use std::{collections::BTreeMap, fmt::Write as _, fs};
use table::{SCHEMA_VERSION, Table};

/// Folders in which every file is generated.
const FOLDERS: [&str; 5] = [
    "docs/causes/",
    "docs/mechanisms/",
    "docs/remedies/",
    "packaging/completions/",
    "packaging/man/",
];

/// Every generated file: its path from the project's folder, and its text.
pub(crate) fn all() -> anyhow::Result<BTreeMap<String, String>> {
    let mut all = pages();
    for (path, bytes) in whypause::generated::files()? {
        all.insert(format!("packaging/{path}"), String::from_utf8(bytes)?);
    }
    Ok(all)
}

/// Writes every generated file, and removes those that nothing generates any more.
pub(crate) fn write(generated: &BTreeMap<String, String>) -> anyhow::Result<()> {
    for path in left_over(generated) {
        fs::remove_file(root().join(&path)).with_context(|| format!("cannot remove `{path}`"))?;
    }
    for (path, text) in generated {
        let target = root().join(path);
        let folder = target.parent().context("a generated file has a folder")?;
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder of `{path}`"))?;
        fs::write(&target, text).with_context(|| format!("cannot write `{path}`"))?;
    }
    Ok(())
}

/// Files in the generated folders that nothing generates.
fn left_over(generated: &BTreeMap<String, String>) -> Vec<String> {
    let ours =
        paths().into_iter().filter(|path| FOLDERS.iter().any(|folder| path.starts_with(folder)));
    ours.filter(|path| !generated.contains_key(path)).collect()
}

fn pages() -> BTreeMap<String, String> {
    let mut pages = BTreeMap::from([("docs/causes/README.md".to_owned(), table_of_causes())]);
    for cause in diagnose::causes() {
        let facts = format!("{}.\nNeeds {}.", kind(cause), sources(cause.needs));
        pages.insert(
            format!("docs/causes/{}.md", cause.id),
            page("diagnose/src/causes", cause.id, &remedy::page_of_cause(cause), &facts),
        );
    }
    for mechanism in diagnose::mechanisms() {
        let facts = "How a thread was blocked: refines the causes in which it occurs.";
        pages.insert(
            format!("docs/mechanisms/{}.md", mechanism.id),
            page("diagnose/src/mechanisms", mechanism.id, &mechanism.page(), facts),
        );
    }
    pages.insert("docs/tables.md".to_owned(), tables());
    pages.insert("docs/remedies/README.md".to_owned(), table_of_remedies());
    for remedy in remedy::remedies() {
        pages.insert(
            format!("docs/remedies/{}.md", remedy.id),
            page("remedy/src/remedies", remedy.id, &remedy.page(), &good_for(remedy.id)),
        );
    }
    pages
}

/// The columns of all tables.
fn tables() -> String {
    let mut page = format!(
        "<!-- Written by `make gen` from crates/table -->\n# Tables\n\nVersion {SCHEMA_VERSION}, in the metadata of each file \
         and stream as `whypause.schema_version`; `whypause.table` is the table's name.\n\
         A table only grows: a column keeps its name, type and meaning, and new ones come last.\n\
         What is not known is null.\n\
         In Parquet, texts are texts; the library for Python gives them as dictionaries.\n\
         How to use them: [many hosts](fleet.md).\n",
    );
    for table in Table::ALL {
        let (id, about) = (table.id(), table.about());
        write!(page, "\n## `{id}`\n\n{about}\n\n{}", table.markdown())
            .expect("writing to a string cannot fail");
    }
    page
}

/// The page as it stands in the source, with where it comes from and `facts` below its title.
fn page(folder: &str, id: &str, page: &str, facts: &str) -> String {
    let (title, body) = page.split_once('\n').unwrap_or((page, ""));
    let file = format!("crates/{folder}/{}.rs", id.replace('-', "_"));
    format!("<!-- Written by `make gen` from {file} -->\n{title}\n\n`{id}`: {facts}\n{body}\n")
}

fn table_of_causes() -> String {
    let mut table = String::from(
        "<!-- Written by `make gen` -->\n# Causes\n\n| Cause | Title | Kind | Needs |\n|---|---|---|---|\n",
    );
    for cause in diagnose::causes() {
        let (id, needs) = (cause.id, sources(cause.needs));
        writeln!(table, "| [`{id}`]({id}.md) | {} | {} | {needs} |", cause.title, kind(cause))
            .expect("writing to a string cannot fail");
    }
    table.push_str("\n# Mechanisms\n\n| Mechanism | Title |\n|---|---|\n");
    for mechanism in diagnose::mechanisms() {
        let id = mechanism.id;
        writeln!(table, "| [`{id}`](../mechanisms/{id}.md) | {} |", mechanism.title)
            .expect("writing to a string cannot fail");
    }
    table
}

fn table_of_remedies() -> String {
    let mut table = String::from(
        "<!-- Written by `make gen` -->\n# Remedies\n\n| Remedy | Title |\n|---|---|\n",
    );
    for remedy in remedy::remedies() {
        let id = remedy.id;
        writeln!(table, "| [`{id}`]({id}.md) | {} |", remedy.title)
            .expect("writing to a string cannot fail");
    }
    table
}

/// The causes that a remedy is good for.
fn good_for(id: &str) -> String {
    let causes = diagnose::causes().iter().filter(|it| it.remedies.contains(&id));
    let names: Vec<String> =
        causes.map(|it| format!("[`{}`](../causes/{}.md)", it.id, it.id)).collect();
    format!("for {}.", names.join(", "))
}

fn kind(cause: &Cause) -> &'static str {
    match cause.nature {
        Nature::Fault => "a fault",
        Nature::Symptom => "a symptom: its time stays unexplained",
        Nature::Ordinary => "the ordinary cost",
    }
}

fn sources(needs: &[Source]) -> String {
    if needs.is_empty() {
        return "nothing more than the pause itself".to_owned();
    }
    needs.iter().map(|source| source.title()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::read;

    #[test]
    fn what_is_generated_is_fresh() {
        let generated = all().expect("everything can be generated");
        let stale = generated.iter().filter(|(path, text)| {
            let there = root().join(path).exists();
            !there || read(path) != **text
        });
        let mut wrong: Vec<_> = stale.map(|(path, _)| path.clone()).collect();
        wrong.extend(left_over(&generated));
        assert!(wrong.is_empty(), "stale, run `make gen`:\n{}", wrong.join("\n"));
    }
}
