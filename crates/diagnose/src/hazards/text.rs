//! Surveys as text, for tests: the lines of `facts_text`, and some that only a survey has.
//!
//! ```text
//! launch 17 -XX:+UseZGC -Xmx1g          a JVM that does not run, with its JDK and flags
//! on tmpfs /dev/shm/gc.log              the file system of a file
//! busy sdb1 200                         its device was busy for this many ms of a second
//! writer 991 dd 412                     wrote this many MB to the device of the files, in a second
//! grown vmstat.compact_stall 3          a counter, in a second
//! swap 2048 swappiness 60 group 10 max 0 low 512 locked 512
//! huge madvise defrag madvise free 100  huge pages; MiB free in large blocks
//! resident 900 swapped 20               of the JVM, in MiB
//! deleted 64 /data/segment              a deleted file, MiB mapped
//! host-memory 8192                      of the host, in MiB
//! zones 1 nodes 2                       zone reclaim
//! pressure off
//! mappings                              were read
//! ```
use super::{Exposure, Scope, examine};
use crate::as_text::facts as facts_text;
use recording::{
    DeletedFile, FileFact, FileKey, Interval, JvmFact, MemoryFact, MonoTime, Sample, Survey,
    WriterFact,
};

/// The two looks of every survey.
const FIRST: MonoTime = MonoTime(1_000_000_000);
const SECOND: MonoTime = MonoTime(2_000_000_000);
/// Device of files in `facts_text`.
const DEVICE: u64 = 7;

/// Looks for hazards. `expected` is `ABOUT` and then, one a line, `LIKELIHOOD ID: STATEMENT` of those
/// whose subject ABOUT is, where `flags` are those of flags, `host` those of the host, and any other
/// word is a cause's id.
#[track_caller]
pub(crate) fn check(text: &str, expected: &str) {
    let (about, expected) = expected.split_once(' ').expect("what it is about");
    let survey = survey(text);
    let exposure = Exposure::new(&survey);
    let scope = if about == "host" { Scope::Host } else { Scope::Jvm };
    let all = examine(&exposure, scope).hazards;
    let wanted = all.iter().filter(|it| match about {
        "flags" => it.cause.is_none(),
        "host" => true,
        id => it.cause.is_some_and(|it| it.id == id),
    });
    let said =
        |it: &crate::Hazard| format!("{} {}: {}", it.likelihood.id(), it.kind.id, it.statement);
    let said: Vec<String> = wanted.map(said).collect();
    assert_eq!(said.join("\n"), expected, "{text}");
}

/// What proves the only hazard, and who makes it likely, one a line.
#[track_caller]
pub(crate) fn evidence_of(text: &str) -> String {
    let survey = survey(text);
    let exposure = Exposure::new(&survey);
    let all = examine(&exposure, Scope::Jvm).hazards;
    let [one] = all.as_slice() else { panic!("{all:?}") };
    let culprits = one.culprits.iter().map(|it| &it.statement);
    one.evidence.iter().chain(culprits).map(|it| format!("{it}\n")).collect()
}

pub(super) fn survey(text: &str) -> Survey {
    let mut survey = Survey::default();
    let (mut own, mut of_facts) = (Vec::new(), String::new());
    for line in text.lines().map(str::trim).filter(|it| !it.is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let first = words.first().copied().unwrap_or_default();
        if KNOWN.contains(&first) { own.push(words) } else { of_facts += &format!("{line}\n") }
    }
    survey.facts = facts_text::facts(&of_facts);
    for words in own {
        add(&mut survey, &words);
    }
    survey
}

const KNOWN: [&str; 13] = [
    "launch",
    "on",
    "busy",
    "writer",
    "grown",
    "swap",
    "huge",
    "resident",
    "deleted",
    "host-memory",
    "zones",
    "pressure",
    "mappings",
];

fn add(survey: &mut Survey, words: &[&str]) {
    let after = |word: &str| {
        let at = words.iter().position(|it| *it == word)?;
        words[at + 1].parse::<u64>().ok()
    };
    let mebibytes = |word: &str| after(word).map(|it| it << 20);
    match words[0] {
        "launch" => {
            survey.facts.jvm = Some(JvmFact {
                version: words[1].into(),
                flags: words[2..].iter().map(|it| (*it).to_owned()).collect(),
                ..JvmFact::default()
            });
        }
        "on" => file(survey, words[2]).file_system = words[1].into(),
        "busy" => grown(survey, &format!("disk.{}.io_ms", words[1]), words[2]),
        "grown" => grown(survey, words[1], words[2]),
        "writer" => survey.facts.writers.push(writer(words)),
        "swap" => {
            survey.host.swap_bytes = mebibytes("swap");
            survey.host.swappiness = after("swappiness");
            survey.memory.swappiness = after("group");
            survey.memory.swap_max_bytes = mebibytes("max");
            survey.memory.protected_bytes = mebibytes("low");
            survey.memory.locked_bytes = mebibytes("locked");
        }
        "huge" => {
            survey.host.huge_pages = words[1].into();
            survey.host.huge_pages_defrag = words[3].into();
            survey.host.free_huge_bytes = mebibytes("free");
        }
        "resident" => survey.facts.memory.push(MemoryFact {
            at: SECOND,
            pid: 4242,
            name: "java".into(),
            command_line: String::new(),
            cgroup: String::new(),
            resident_bytes: mebibytes("resident").unwrap_or(0),
            swapped_bytes: mebibytes("swapped").unwrap_or(0),
        }),
        "deleted" => {
            let key = file(survey, &format!("{} (deleted)", words[2])).key;
            let mapped_bytes = mebibytes("deleted").expect("a size");
            survey.deleted.push(DeletedFile { key, mapped_bytes });
        }
        "host-memory" => {
            let bytes = mebibytes("host-memory").expect("a size");
            survey.facts.host.get_or_insert_default().memory_bytes = bytes;
        }
        "zones" => {
            survey.host.zone_reclaim = after("zones");
            survey.host.nodes = after("nodes").and_then(|it| u32::try_from(it).ok());
        }
        "pressure" => survey.host.pressure = Some(words[1] == "on"),
        _ => survey.mappings_read = true,
    }
}

/// `writer PID NAME MB [DEVICE]`.
fn writer(words: &[&str]) -> WriterFact {
    WriterFact {
        interval: Interval::new(FIRST, SECOND),
        pid: words[1].parse().expect("a pid"),
        name: words[2].into(),
        command_line: String::new(),
        cgroup: String::new(),
        bytes: words[3].parse::<u64>().expect("a number") * 1_000_000,
        device: Some(words.get(4).map_or(DEVICE, |it| it.parse().expect("a device"))),
        path: String::new(),
        read_bytes: 0,
        devices: Vec::new(),
    }
}

fn grown(survey: &mut Survey, counter: &str, by: &str) {
    let by: u64 = by.parse().expect("a number");
    for (at, value) in [(FIRST, 100), (SECOND, 100 + by)] {
        survey.facts.samples.push(Sample { at, counter: counter.into(), value });
    }
}

fn file<'a>(survey: &'a mut Survey, path: &str) -> &'a mut FileFact {
    let files = &mut survey.facts.files;
    if let Some(at) = files.iter().position(|it| it.path == path) {
        return &mut files[at];
    }
    files.push(FileFact {
        key: FileKey { device: DEVICE, inode: 100 + files.len() as u64 },
        path: path.into(),
        file_system: "ext4".into(),
        device_name: "sdb1".into(),
        mount_point: "/".into(),
        mapped: true,
        devices: vec!["sdb1".into(), "sdb".into()],
    });
    files.last_mut().expect("it was just added")
}
