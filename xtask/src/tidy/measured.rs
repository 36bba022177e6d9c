//! The page of remedies that were tried is made by a script and takes the lab: it gets old unless something
//! notices. It may say nothing that the program does not say any more.
#[cfg(test)]
mod tests {
    use crate::{tidy::no_complaints, tree::read};
    use std::collections::BTreeSet;

    const PAGE: &str = "docs/remedies.md";
    const SCRIPT: &str = "scripts/remedies.sh";
    /// Where the names of rows and the notes behind them come from.
    const WORDS: [&str; 4] = [
        "crates/diagnose/src/compare/rows.rs",
        "crates/diagnose/src/compare/causes.rs",
        "crates/diagnose/src/compare/significance.rs",
        "crates/report/src/compare.rs",
    ];

    /// Everything between quotes in the sources of a comparison, and the short names of causes.
    fn known() -> BTreeSet<String> {
        let literals = WORDS.map(read).join("\n");
        let literals = literals.split('"').skip(1).step_by(2).map(str::to_owned);
        literals.chain(diagnose::causes().iter().map(|it| it.short.to_owned())).collect()
    }

    /// What the page's tables say that the program does not: names of rows, and notes.
    fn old_words(page: &str, known: &BTreeSet<String>) -> Vec<String> {
        let mut complaints = Vec::new();
        let mut in_table = false;
        for (n, line) in page.lines().enumerate() {
            let cells: Vec<&str> = line.trim().split("  ").map(str::trim).collect();
            let cells: Vec<&str> = cells.into_iter().filter(|it| !it.is_empty()).collect();
            let is_heading = line.trim_end().ends_with("change");
            in_table = line.starts_with("    ") && !cells.is_empty() && (in_table || is_heading);
            if !in_table || is_heading {
                continue;
            }
            let is_number =
                |it: &&&str| it.starts_with(|c: char| c.is_ascii_digit() || "+-−<–?".contains(c));
            let words =
                cells.iter().filter(|it| !is_number(it) && !["new", "gone", "none"].contains(*it));
            for word in words.filter(|it| !it.starts_with("none in ") && !known.contains(**it)) {
                complaints.push(format!(
                    "{PAGE}:{}: `{word}` is said no more: {SCRIPT} makes it anew",
                    n + 1
                ));
            }
        }
        complaints
    }

    /// Sections and the remedies that the script tries.
    fn old_sections(page: &str, script: &str) -> Vec<String> {
        let names = script.split_once("names=(").and_then(|it| it.1.split_once(')'));
        let names: BTreeSet<&str> = names.map_or("", |it| it.0).split_whitespace().collect();
        let sections: BTreeSet<&str> =
            page.lines().filter_map(|it| it.strip_prefix("## ")).collect();
        let unknown = sections.iter().filter(|it| remedy::find(it).is_none());
        let unknown = unknown.map(|it| format!("{PAGE}: there is no remedy `{it}`"));
        let differ = sections.symmetric_difference(&names);
        let differ =
            differ.map(|it| format!("{PAGE}: `{it}` is in one of {SCRIPT} and the page alone"));
        unknown.chain(differ).collect()
    }

    #[test]
    fn the_page_of_remedies_quoted_words_that_the_program_had_given_up() {
        let page = read(PAGE);
        let mut complaints = old_words(&page, &known());
        complaints.extend(old_sections(&page, &read(SCRIPT)));
        no_complaints(&complaints);
    }

    #[test]
    fn an_old_word_and_an_unknown_remedy_are_found() {
        let known = ["pauses, mean", "significant"].map(str::to_owned).into();
        let table = |note: &str| {
            format!(
                "                before  after  change\n    pauses, mean  1 s  2 s  +99 %  {note}\n"
            )
        };
        assert!(old_words(&table("significant"), &known).is_empty());
        assert_eq!(old_words(&table("more than noise"), &known).len(), 1);
        assert!(old_sections("## gc-log-async\n", "names=(gc-log-async)").is_empty());
        assert_eq!(old_sections("## no-remedy\n", "names=(gc-log-async)").len(), 3);
    }
}
