//! Terms: where HotSpot, the kernel, tracing or statistics has a word, no other one is used, and a
//! message or a doc comment names the process, thread or user that it means.
use super::{ask_of_all, blank};
use crate::tree::{SourceFile, files, rust_files};

/// Words that must not be left in what people read, each with what to write instead. A word is also
/// found with a capital at its begin; everything else counts as it is written.
const TERMS: [(&str, &str); 76] = [
    // Titles and terms.
    ("no CPU free", "CPU contention"),
    ("found no CPU", "waited for a CPU"),
    ("CPU quota used up", "CFS throttling, or CFS throttling (CPU quota used up)"),
    ("memory freed by the thread itself", "direct reclaim"),
    ("making room for a huge page", "THP compaction"),
    ("had to make room themselves", "entered direct compaction"),
    ("lock of the address space", "mmap_lock"),
    ("CPU taken away", "CPU steal"),
    ("CPU that was not there", "on a CPU while the hypervisor ran another guest"),
    ("page being moved", "page migration"),
    ("memory swapped out", "swap-in"),
    ("slowed down above", "throttled above (memory.high throttling)"),
    ("JVM statistics file", "hsperfdata"),
    ("JVM's statistics file", "the JVM's hsperfdata file"),
    ("deleted file released", "unmap of a deleted file"),
    ("release of a deleted file", "freeing a deleted file"),
    ("a collection that did not run", "inverted parallelism (real > user + sys)"),
    ("% at most", "p99"),
    ("% took at most", "p99"),
    ("looks while", "samples while"),
    ("a look every", "sampled every"),
    ("looks at late threads", "samples of late threads"),
    ("reckoned", "estimated (from …)"),
    ("longest felt", "longest observed"),
    ("felt by", "observed by"),
    ("application felt", "application observed"),
    ("watched and not the cause", "ruled out"),
    ("not watched", "not checked, or of a source: not recorded"),
    ("could not be watched", "could not be checked"),
    ("also, but small", "minor"),
    ("beside the pauses", "outside the pauses"),
    ("fault struck", "no known fault occurred"),
    ("had the CPU in waits", "ran on the CPU while these threads waited (60 ms in total)"),
    ("everybody", "all others, or every process"),
    ("somebody", "a process, a user, or the passive"),
    ("nobody", "no process, no thread, or nothing"),
    ("anybody", "every user"),
    ("whoever", "the process that, the thread that"),
    // Messages.
    ("which jvm is missing", "no JVM named"),
    ("be looked into", "be inspected"),
    ("cannot look into", "cannot inspect"),
    ("could not look into", "could not inspect"),
    ("permission to look into", "permission to inspect"),
    ("the time given", "duration elapsed"),
    ("holds no word of", "does not list"),
    ("a word this version does not know", "unknown value"),
    ("let itself be asked", "accept attach requests"),
    ("lets itself be asked", "accepts attach requests"),
    ("could not be asked", "the attach request failed"),
    ("cannot be asked", "cannot be attached to"),
    ("cut by the end", "incomplete at the end of the recording"),
    ("too many at once to keep", "dropped: over budget"),
    ("dropped undecided", "dropped: buffer full"),
    ("what they write is not known", "their writes are unknown"),
    ("could not be told from", "could not be separated from"),
    ("what else a GC log shows", "the names of the causes"),
    ("was stopped in the page fault", "stalled in a page fault while updating the counter"),
    ("world kept running", "other threads kept running"),
    ("mostly with that", "compacting memory in the kernel"),
    ("moving pages together", "compacting memory"),
    ("blocks of a deleted file back", "freed the blocks of a deleted file"),
    ("must not exist or be empty", "must be new or empty"),
    ("nothing was lost, or was it", "lost events"),
    ("cannot tell why", "does not show why"),
    ("cannot tell with what", "does not show with what"),
    ("tells of a pause", "shows a pause"),
    ("not told by a log", "cannot be derived from a log"),
    // Names.
    ("the jvm", "the JVM"),
    ("no jvm", "no JVM"),
    ("this jvm", "this JVM"),
    ("the gc log", "the GC log"),
    ("its gc log", "its GC log"),
    ("no ebpf", "no eBPF"),
    ("without ebpf", "without eBPF"),
    ("hotspot jvm", "HotSpot JVM"),
    ("vm thread", "VM thread"),
];

/// Words that must not be left in doc comments in addition, each with what to write instead: in printed
/// text some of them are right.
const IN_COMMENTS: [(&str, &str); 11] = [
    ("told", "reported, recorded, distinguished, instructed"),
    ("tell of", "report, show"),
    ("tells of", "reports, shows"),
    ("telling of", "reporting, showing"),
    ("so many", "number of …, this many, at most this many"),
    ("so much", "size of …, this much, at most this much"),
    ("so long", "length of …, this long, after this time"),
    ("whose trouble", "which process or thread is affected"),
    ("someone", "a process, a user, or the passive"),
    ("anyone", "every user"),
    ("everyone", "all others, or every process"),
];

/// Where a term that is wrong elsewhere is right: as the gloss of the term, as a name, or with its usual
/// meaning.
const RIGHT_HERE: [&str; 4] =
    ["CFS throttling (CPU quota used up)", "`nobody`", "so many that", "so much that"];

/// Complains of each term in `text`, which begins in this line.
fn terms_in(path: &str, first_line: usize, text: &str) -> Vec<String> {
    let text = without_right(text);
    let lines = text.lines().enumerate();
    let found = lines.flat_map(|(index, line)| {
        let wrong = TERMS.iter().filter(move |(term, _)| has_term(line, term));
        wrong.map(move |it| complaint(path, first_line + index, it))
    });
    found.collect()
}

fn without_right(text: &str) -> String {
    RIGHT_HERE.iter().fold(text.to_owned(), |text, right| text.replace(right, ""))
}

fn complaint(path: &str, line: usize, (term, write): &(&str, &str)) -> String {
    format!("{path}:{line}: \"{term}\", write: {write}")
}

/// Complains of each term in the doc comments of a source, also of one that a line break divides.
fn terms_in_comments(path: &str, text: &str) -> Vec<String> {
    let comments = blank::doc_comments(text);
    let lines: Vec<(usize, String)> =
        comments.into_iter().map(|(line, it)| (line, without_right(it.trim()))).collect();
    let mut complaints = Vec::new();
    for (index, (at, line)) in lines.iter().enumerate() {
        let next = lines.get(index + 1).filter(|it| it.0 == at + 1).map_or("", |it| it.1.as_str());
        let both = format!("{line} {next}");
        // A term that is in the next line alone is found there.
        let begins_here = |term: &str| has_term(line, term) || !has_term(next, term);
        let wrong = TERMS.iter().chain(&IN_COMMENTS);
        let wrong = wrong.filter(|(term, _)| has_term(&both, term) && begins_here(term));
        complaints.extend(wrong.map(|it| complaint(path, *at, it)));
    }
    complaints
}

/// Whether `line` has the term as whole words, also with a capital at its begin.
fn has_term(line: &str, term: &str) -> bool {
    let (first, rest) = term.split_at(1);
    let capital = first.to_uppercase() + rest;
    [term, &capital].into_iter().any(|term| {
        line.match_indices(term).any(|(at, _)| {
            let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
            !is_letter(line[..at].chars().next_back())
                && !is_letter(line[at + term.len()..].chars().next())
        })
    })
}

/// Complains of terms in the literals of a source, as they are when they are printed.
fn terms_in_literals(path: &str, text: &str) -> Vec<String> {
    let literals = blank::product_literals(text).into_iter();
    let complaints = literals.flat_map(|(at, literal)| {
        let line = text[..at].lines().count().max(1);
        terms_in(path, line, &joined(literal))
    });
    complaints.collect()
}

/// A literal without the breaks of its lines that are not part of it.
fn joined(literal: &str) -> String {
    let mut parts = literal.split("\\\n");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.trim_start())
}

/// Whether a file's literals reach people who use the program.
fn is_product(file: &SourceFile) -> bool {
    let in_tests = file.path.contains("/tests/") || file.stem() == "tests";
    let shipped = file.path.starts_with("crates/") && file.path.contains("/src/");
    file.is_rust()
        && (shipped || file.path == "xtask/src/generate.rs")
        && !in_tests
        && file.crate_name() != super::FOR_TESTS
}

/// Whether it is a page that people read who use the program.
fn is_page(path: &str) -> bool {
    let folders = ["docs/", "java/", "packaging/man/", "packaging/completions/"];
    let is_text = path.ends_with(".md") || path.starts_with("packaging/");
    let in_folder = folders.iter().any(|it| path.starts_with(it));
    path == "README.md" || path == "SECURITY.md" || (in_folder && is_text)
}

mod tests {
    use super::*;

    #[test]
    fn no_literal_has_a_word_that_was_replaced() {
        let ours: Vec<SourceFile> = files().into_iter().filter(is_product).collect();
        ask_of_all(&ours, |file| terms_in_literals(&file.path, &file.text));
    }

    #[test]
    fn no_page_has_a_word_that_was_replaced() {
        let ours: Vec<SourceFile> = files().into_iter().filter(|it| is_page(&it.path)).collect();
        ask_of_all(&ours, |file| terms_in(&file.path, 1, &file.text));
    }

    #[test]
    fn no_doc_comment_has_a_word_that_was_replaced() {
        ask_of_all(&rust_files(), |file| terms_in_comments(&file.path, &file.text));
    }

    #[test]
    fn each_word_is_found_and_its_replacement_is_right() {
        for (term, write) in TERMS {
            assert_eq!(terms_in("a", 1, &format!("x {term}.")).len(), 1, "{term}");
            assert_eq!(terms_in("a", 1, &format!("{write}.")), [""; 0], "{term}");
        }
    }

    #[test]
    fn the_complaint_names_word_file_line_and_replacement() {
        assert_eq!(
            terms_in("a.md", 1, "fine\nNo CPU free: 3 ms"),
            ["a.md:2: \"no CPU free\", write: CPU contention"]
        );
    }

    #[test]
    fn literals_are_read_as_they_are_printed() {
        let text = "f(\"the time \\\n    given was over\"); // the time given\n";
        assert_eq!(terms_in_literals("a.rs", text).len(), 1);
        assert_eq!(terms_in_literals("a.rs", "f(\"a libjvm, CPU quota\")"), [""; 0]);
    }

    #[test]
    fn a_gloss_and_a_name_are_right() {
        assert_eq!(terms_in("a", 1, "CFS throttling (CPU quota used up), `nobody`"), [""; 0]);
    }

    #[test]
    fn each_word_of_comments_is_found_and_its_replacement_is_right() {
        let comment = |text: &str| terms_in_comments("a", &format!("/// {text}.\n"));
        for (term, write) in IN_COMMENTS {
            assert_eq!(comment(&format!("x {term}")).len(), 1, "{term}");
            assert_eq!(comment(write), [""; 0], "{term}");
        }
        for fine in ["so that", "as long as", "many", "tells which", "tells it", "so much that"] {
            assert_eq!(comment(fine), [""; 0], "{fine}");
        }
    }

    #[test]
    fn comments_are_read_line_by_line_and_over_line_breaks() {
        let text = "//! Nobody's wait.\n\n// whoever\nfn f() {\n    /// Of so\n    /// many, told\n    \
                    /// by a log.\n    g(\"/// told\");\n}\n/// No CPU free.\n";
        let found = terms_in_comments("a.rs", text);
        let places: Vec<&str> = found.iter().filter_map(|it| it.split(", write").next()).collect();
        let wanted = [
            "a.rs:1: \"nobody\"",
            "a.rs:5: \"so many\"",
            "a.rs:6: \"told\"",
            "a.rs:10: \"no CPU free\"",
        ];
        assert_eq!(places, wanted);
    }
}
