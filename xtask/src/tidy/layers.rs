//! Dependencies between our crates point downwards, as the table in ARCHITECTURE.md says.
use super::{FOR_TESTS, no_complaints};
use crate::tree::{read, root};
use cargo_metadata::{DependencyKind, MetadataCommand};
use std::collections::{BTreeMap, BTreeSet};

/// One row: a crate, its layer, and the crates it depends on.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    layer: u32,
    depends_on: BTreeSet<String>,
}

/// Reads the table whose first two columns are headed `Crate` and `Layer`.
fn table(page: &str) -> BTreeMap<String, Row> {
    let rows = page.lines().skip_while(|line| !line.starts_with("| Crate | Layer |")).skip(2);
    rows.take_while(|line| line.starts_with('|')).filter_map(row).collect()
}

fn row(line: &str) -> Option<(String, Row)> {
    let mut cells = line.trim_matches('|').split('|').map(str::trim);
    let name = cells.next()?.trim_matches('`').to_owned();
    let layer = cells.next()?.parse().ok()?;
    let names = cells.next()?.split(',').map(|name| name.trim().trim_matches('`').to_owned());
    Some((name, Row { layer, depends_on: names.filter(|name| name != "nothing").collect() }))
}

/// Complains of every dependency that the table does not allow, and of a table that is not true.
fn layers(
    table: &BTreeMap<String, Row>,
    dependencies: &BTreeMap<String, BTreeSet<String>>,
) -> Vec<String> {
    let mut complaints = Vec::new();
    for (name, row) in table {
        for lower in &row.depends_on {
            if table.get(lower).is_none_or(|it| it.layer >= row.layer) {
                complaints.push(format!("ARCHITECTURE.md: `{lower}` is not below `{name}`"));
            }
        }
        if !dependencies.contains_key(name) {
            complaints.push(format!("ARCHITECTURE.md: there is no crate `{name}`"));
        }
    }
    for (name, used) in dependencies {
        if used.contains(FOR_TESTS) {
            complaints.push(format!("`{name}` may depend on `{FOR_TESTS}` in its tests alone"));
        }
        let Some(row) = table.get(name) else {
            complaints.push(format!("ARCHITECTURE.md: the crate `{name}` is not in the table"));
            continue;
        };
        let wrong = used.difference(&row.depends_on);
        complaints.extend(wrong.map(|it| format!("`{name}` may not depend on `{it}`")));
        let idle = row.depends_on.difference(used);
        complaints
            .extend(idle.map(|it| format!("ARCHITECTURE.md: `{name}` does not depend on `{it}`")));
    }
    complaints
}

/// What each crate of the workspace depends on, among the crates of the workspace; its tests apart.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let mut command = MetadataCommand::new();
    command.manifest_path(root().join("Cargo.toml")).no_deps();
    command.other_options(["--offline".to_owned()]);
    let packages = command.exec().expect("cargo knows its own workspace").packages;
    let ours: BTreeSet<String> = packages.iter().map(|it| it.name.to_string()).collect();
    let used = |package: &cargo_metadata::Package| {
        let built = package.dependencies.iter().filter(|it| it.kind != DependencyKind::Development);
        let names = built.map(|it| it.name.clone());
        names.filter(|name| ours.contains(name)).collect()
    };
    packages.iter().map(|it| (it.name.to_string(), used(it))).collect()
}

mod tests {
    use super::*;

    #[test]
    fn dependencies_point_downwards() {
        no_complaints(&layers(&table(&read("ARCHITECTURE.md")), &dependencies()));
    }

    const PAGE: &str = "\
| Crate | Layer | Depends on | What |
|---|---|---|---|
| `facts` | 0 | nothing | facts |
| `mind` | 2 | `facts` | reasoning |

text";

    #[track_caller]
    fn check(page: &str, used: &[(&str, &[&str])], wanted: &[&str]) {
        let names = |names: &[&str]| names.iter().map(|&it| it.to_owned()).collect();
        let used = used.iter().map(|&(name, of)| (name.to_owned(), names(of))).collect();
        assert_eq!(layers(&table(page), &used), wanted);
    }

    #[test]
    fn down_is_fine_and_up_is_not() {
        check(PAGE, &[("facts", &[]), ("mind", &["facts"])], &[]);
        check(
            PAGE,
            &[("facts", &["mind"]), ("mind", &["facts"])],
            &["`facts` may not depend on `mind`"],
        );
        let idle = "ARCHITECTURE.md: `mind` does not depend on `facts`";
        check(PAGE, &[("facts", &[]), ("mind", &[])], &[idle]);
    }

    #[test]
    fn what_is_for_tests_is_for_nothing_else() {
        let page = "| Crate | Layer | Depends on | What |\n|---|---|---|---|\n\
                    | `testing` | 0 | nothing | x |\n| `mind` | 2 | `testing` | y |";
        let complaint = "`mind` may depend on `testing` in its tests alone";
        check(page, &[("testing", &[]), ("mind", &["testing"])], &[complaint]);
    }

    #[test]
    fn the_table_is_true() {
        let missing = "ARCHITECTURE.md: the crate `new` is not in the table";
        check(PAGE, &[("facts", &[]), ("mind", &["facts"]), ("new", &[])], &[missing]);
        check(PAGE, &[("facts", &[])], &["ARCHITECTURE.md: there is no crate `mind`"]);
        let upside_down = PAGE.replace("| 2 |", "| 0 |");
        check(
            &upside_down,
            &[("facts", &[]), ("mind", &["facts"])],
            &["ARCHITECTURE.md: `facts` is not below `mind`"],
        );
    }
}
