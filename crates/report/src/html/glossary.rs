//! What the words of the field mean, for those who run services and know no JVM from inside: of each page the
//! words that are on its first screen. A term is added here.
use serde::Serialize;
use std::borrow::Cow;

/// See `Meaning` in `web/src/model.ts`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Meaning {
    term: Cow<'static, str>,
    meaning: &'static str,
}

/// Terms, in whatever case they stand in texts, and what they mean.
const ALL: &[(&str, &str)] = &[
    ("time to safepoint", "how long it took until all Java threads had stopped"),
    ("safepoint", "the state in which all Java threads, those of the application, are stopped"),
    ("throughput", "the share of the time in which the application could run"),
    ("explained", "the share of the stopped time that has a known cause"),
    ("measured", "seen by the kernel or in the JVM as it happened"),
    ("inferred", "concluded from other facts, such as the lines of a log"),
    ("pause", "the application stood still: the JVM stopped its threads, or they could not run"),
    ("hiccup", "application threads stood still, though the JVM had not stopped them"),
    ("full collection", "garbage collection of the whole heap, the slowest kind"),
    ("young collection", "garbage collection of new objects only, the usual kind"),
    ("mixed collection", "garbage collection of new objects and of a part of the old ones"),
    ("degenerated collection", "a concurrent collection that went on with the application stopped"),
    (
        "pause of a concurrent cycle",
        "a short stop in a collection that else runs while the application runs",
    ),
    ("concurrent cycle", "a collection that runs while the application runs"),
    ("Pause young", "the name that GC logs have for a young collection"),
    ("Pause full", "the name that GC logs have for a full collection"),
    ("whole heap was collected", "a full collection: the slowest kind"),
    ("old generation", "the part of the heap for objects that have lived for long"),
    ("young generation", "the part of the heap for new objects"),
    ("after collections", "what was in use just after each collection"),
    ("capacity", "how large the JVM had made the heap at that time"),
    ("allocated", "memory that the application asked for in the heap"),
    ("G1", "a garbage collector of the JVM, the default since JDK 9"),
    ("CMS", "a garbage collector, up to JDK 13, that mostly works while the application runs"),
    (
        "ZGC",
        "a garbage collector that works while the application runs, with stops of less than 1 ms",
    ),
    ("Shenandoah", "a garbage collector that works while the application runs"),
    ("Parallel", "a garbage collector with all its work in stops, by several threads"),
    ("Serial", "a garbage collector with all its work in stops, by one thread"),
    ("concurrent mode failure", "CMS had not freed enough in time: a full collection followed"),
    (
        "GC work",
        "ordinary garbage collection (GC): finding the objects in use, and freeing the rest",
    ),
    (
        "VM operation",
        "what the JVM does in a stop apart from garbage collection, and short waits until all threads stop",
    ),
    ("VM thread", "the JVM's own thread that stops the application and lets it go on"),
    ("GC thread", "a thread of the JVM that collects garbage"),
    (
        "late Java thread",
        "a Java thread that kept running when all were to stop, and all others waited for it",
    ),
    ("heap pressure", "the heap is nearly full, so the JVM collects garbage all the time"),
    ("evacuation failure", "there was no free space to move objects to"),
    ("evacuation or promotion failed", "there was no free space to move objects to"),
    (
        "promotion failure",
        "objects could not be moved from the young to the old generation: it had no room",
    ),
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
    (
        "page fault",
        "a thread touches memory that first has to be brought in, from a disk for instance",
    ),
    (
        "direct reclaim",
        "a thread has to free memory of the host or of its group before it gets some",
    ),
    (
        "unmap",
        "a file that was mapped into memory is given back; of a deleted one the blocks are freed",
    ),
    ("mapping", "a file that is a part of the memory of a process (mmap)"),
    ("host stood still", "for that time no program of this host ran"),
    ("compaction", "the kernel moves pages to get a large contiguous one"),
    ("THP", "huge pages that the kernel makes by itself"),
    ("mmap_lock", "the kernel's lock on the memory map of a process"),
    ("hsperfdata", "a file of counters that each JVM keeps in /tmp"),
    ("CFS throttling", "the CPU quota of the control group was used up"),
    ("CPU steal", "the hypervisor gave the CPU to another virtual machine"),
    ("stall", "a thread could not go on, though the JVM had not stopped it"),
    (
        "stop beyond the collection",
        "the rest of a stop, before or after its collection, of unknown cause",
    ),
    ("FileChannel", "a Java class that reads and writes files by system calls"),
    ("MappedByteBuffer", "a Java class for files that are mapped into memory"),
    ("PSI", "pressure stall information: the share of the time in which some task waited for it"),
    ("RevokeBias", "a lock that was bound to one thread is freed for others (before JDK 18)"),
    (
        "BulkRevokeBias",
        "locks that were bound to one thread each are freed for others (before JDK 18)",
    ),
    ("Deoptimize", "compiled code that is not valid any more is left"),
    ("PrintThreads", "the stacks of all threads are written, as jcmd Thread.print asks"),
    ("ThreadDump", "the stacks of all threads are read, as monitoring tools ask"),
    ("FindDeadlocks", "threads that wait for each other are looked for, as monitoring tools ask"),
    ("HeapDumper", "all of the heap is written to a file"),
    ("GC_HeapInspection", "the objects in the heap are counted, as jcmd GC.class_histogram asks"),
    ("ICBufferFull", "calls between compiled methods are put in order"),
    ("p99", "99 % were shorter"),
    ("-Xmx", "a flag of the JVM: how large the heap may become"),
    ("-Xlog:async", "the GC log is written by a thread of its own; lines may get lost"),
    ("ParallelGCThreads", "how many threads collect garbage in a stop"),
    (
        "InitiatingHeapOccupancyPercent",
        "how full the heap may become before a concurrent cycle begins",
    ),
    ("G1ReservePercent", "how much of the heap is kept free to move objects to"),
    ("UseG1GC", "a flag of the JVM: collect garbage with G1"),
    ("UseZGC", "a flag of the JVM: collect garbage with ZGC"),
    ("GC.class_histogram", "counts the objects in the heap; the JVM stops for that"),
    ("--ask-jvm", "asks the JVM for the stacks of its threads, for which it stops briefly"),
    ("cpu.max", "the CPU quota of a control group: microseconds of CPU time, and in which time"),
    ("cpu.max.burst", "CPU time that a group may save up for later, in microseconds"),
];

/// All terms, for a page of which it is not known yet what it will say.
pub(super) fn all() -> Vec<Meaning> {
    ALL.iter().map(|&(term, meaning)| Meaning { term: term.into(), meaning }).collect()
}

/// The terms that are in these texts, in the order of the list, and the remedies that they name.
pub(super) fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<Meaning> {
    let mut text = String::new();
    for it in texts {
        text.push('\n');
        text.push_str(&it.to_lowercase());
    }
    // What a meaning takes for known is explained as well.
    let mut found: Vec<Meaning> = Vec::new();
    loop {
        let named = |it: &Meaning| has(&text, &it.term.to_lowercase());
        let new: Vec<Meaning> =
            all().into_iter().filter(|it| named(it) && !found.contains(it)).collect();
        if new.is_empty() {
            break;
        }
        new.iter().for_each(|it| text.push_str(&format!("\n{}", it.meaning.to_lowercase())));
        found.extend(new);
    }
    let place = |it: &Meaning| ALL.iter().position(|(term, _)| *term == it.term);
    found.sort_by_key(place);
    let remedies = remedy::remedies().iter().filter(|it| has(&text, &format!("fix {}", it.id)));
    found.extend(remedies.map(|it| Meaning { term: it.id.into(), meaning: it.summary }));
    found
}

/// The flags of the JVM in a piece of advice that have no meaning of their own yet, with what its remedy does.
pub(super) fn flags_of(text: &str, remedy: &str, known: &[Meaning]) -> Vec<Meaning> {
    let Some(remedy) = remedy::find(remedy) else { return Vec::new() };
    let is_known =
        |flag: &str| known.iter().any(|it| has(&flag.to_lowercase(), &it.term.to_lowercase()));
    let flags = text.split_whitespace().filter(|it| it.starts_with("-X") && !is_known(it));
    let name = |it: &str| it.split('=').next().unwrap_or(it).to_owned();
    flags.map(|it| Meaning { term: name(it).into(), meaning: remedy.title }).collect()
}

/// Whether a text has a term as a word of its own, also in the plural; a flag of the JVM also with a value after it.
fn has(text: &str, term: &str) -> bool {
    let is_word = |it: char| it.is_alphanumeric() || it == '_';
    text.match_indices(term).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let rest = &text[at + term.len()..];
        let rest = rest.strip_prefix('s').unwrap_or(rest);
        let next = rest.chars().next();
        let is_value = term.starts_with("-x") && next.is_some_and(|it| it.is_ascii_digit());
        !before.is_some_and(is_word) && (is_value || !next.is_some_and(is_word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(texts: &[&str], expected: &[&str]) {
        let found: Vec<String> =
            of(texts.iter().copied()).iter().map(|it| it.term.to_string()).collect();
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

    /// `-XX:+AlwaysPreTouch` was advised and explained nowhere.
    #[test]
    fn each_flag_that_is_advised_has_a_meaning() {
        let flags = |text: &str| {
            let found = flags_of(text, "pretouch", &all());
            found.into_iter().map(|it| (it.term.into_owned(), it.meaning)).collect::<Vec<_>>()
        };
        let title = remedy::find("pretouch").expect("it is there").title;
        assert_eq!(flags("-XX:+AlwaysPreTouch -Xmx48m"), [("-XX:+AlwaysPreTouch".into(), title)]);
        assert_eq!(flags("-XX:A=3"), [("-XX:A".into(), title)]);
        assert_eq!(flags("touch the heap"), []);
        check(&["-Xmx48m"], &["-Xmx"]);
    }

    #[test]
    fn each_is_a_few_words_in_one_line() {
        for (term, meaning) in ALL {
            assert!(meaning.len() <= 100 && !meaning.ends_with('.'), "{term}: {meaning}");
        }
    }
}
