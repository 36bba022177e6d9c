//! What the words of the field mean, for those who run services and know no JVM from inside: of each page the
//! words that are on its first screen. A term is added here.
use serde::Serialize;

/// See `Meaning` in `web/src/model.ts`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Meaning {
    term: &'static str,
    meaning: &'static str,
}

/// Terms, in whatever case they stand in texts, and what they mean.
const ALL: &[(&str, &str)] = &[
    ("time to safepoint", "how long it took until all Java threads had stopped"),
    ("safepoint", "the state in which all Java threads are stopped"),
    ("throughput", "the share of the time in which the application could run"),
    ("explained", "the share of the stopped time that has a known cause"),
    ("hiccup", "application threads stood still, though the JVM had not stopped them"),
    ("full collection", "garbage collection of the whole heap, the slowest kind"),
    ("young collection", "garbage collection of new objects only, the usual kind"),
    ("mixed collection", "garbage collection of new objects and of a part of the old ones"),
    ("whole heap was collected", "a full collection: the slowest kind"),
    (
        "GC work",
        "ordinary garbage collection (GC): finding the objects in use, and freeing the rest",
    ),
    ("garbage collection work", "ordinary garbage collection (GC)"),
    (
        "VM operation",
        "work of the JVM other than garbage collection for which it stops the application",
    ),
    ("VM thread", "the thread of the JVM that stops the application and carries out the work"),
    ("GC thread", "a thread of the JVM that collects garbage while the application is stopped"),
    (
        "late Java thread",
        "a Java thread that kept running when all were to stop, and all others waited for it",
    ),
    ("heap pressure", "the heap is nearly full, so the JVM collects garbage all the time"),
    ("evacuation failure", "there was no free space to move objects to"),
    ("evacuation or promotion failed", "there was no free space to move objects to"),
    ("promotion failure", "there was no free space among the old objects"),
    (
        "humongous",
        "an object of half a region of the heap or more, which has to be allocated whole",
    ),
    ("metaspace", "the JVM's memory for classes"),
    ("GC locker", "a thread in native code kept the garbage collection waiting"),
    ("inverted parallelism", "the threads that collect garbage were not running while they should"),
    ("allocation stall", "a thread waited until the collector had freed memory"),
    ("explicit collection", "a garbage collection that code or a tool asked for (System.gc())"),
    ("journal commit", "the file system writes out its log of changes, and writers wait for it"),
    ("page fault", "a thread touches memory that first has to be brought in"),
    ("direct reclaim", "a thread has to free memory of the host before it gets some"),
    ("compaction", "the kernel moves pages to get a large contiguous one"),
    ("THP", "huge pages that the kernel makes by itself"),
    ("mmap_lock", "the kernel's lock on the memory map of a process"),
    ("hsperfdata", "a file of counters that each JVM keeps in /tmp"),
    ("CFS throttling", "the CPU quota of the control group was used up"),
    ("CPU steal", "the hypervisor gave the CPU to another virtual machine"),
    ("stall", "a single thread could not go on while the JVM ran"),
    ("PSI", "pressure stall information: the share of the time in which some task waited for it"),
    ("p99", "99 % were shorter"),
];

/// The terms that are in these texts, in the order of the list.
pub(super) fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<Meaning> {
    let mut text = String::new();
    for it in texts {
        text.push('\n');
        text.push_str(&it.to_lowercase());
    }
    let mut found = Vec::new();
    for &(term, meaning) in ALL {
        if has(&text, &term.to_lowercase()) {
            found.push(Meaning { term, meaning });
        }
    }
    found
}

/// Whether a text has a term as a word of its own, also in the plural.
fn has(text: &str, term: &str) -> bool {
    let is_word = |it: char| it.is_alphanumeric() || it == '_';
    text.match_indices(term).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let rest = &text[at + term.len()..];
        let rest = rest.strip_prefix('s').unwrap_or(rest);
        !before.is_some_and(is_word) && !rest.chars().next().is_some_and(is_word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(texts: &[&str], expected: &[&str]) {
        let found: Vec<&str> = of(texts.iter().copied()).iter().map(|it| it.term).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn the_terms_that_are_there_are_explained_and_no_others() {
        check(&["1.71 s of 2.15 s stopped: the VM thread waited"], &["VM thread"]);
        check(
            &["2 hiccups", "time to safepoint 15 µs"],
            &["time to safepoint", "safepoint", "hiccup"],
        );
        check(&["the installer", "unexplained", "p99.9"], &["p99"]);
        check(&[], &[]);
    }

    #[test]
    fn each_is_a_few_words_in_one_line() {
        for (term, meaning) in ALL {
            assert!(meaning.len() <= 100 && !meaning.ends_with('.'), "{term}: {meaning}");
        }
    }
}
