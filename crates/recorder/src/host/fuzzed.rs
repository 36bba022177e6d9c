//! Doors for the fuzzer to what reads the words of a process and of the kernel.
use super::{
    cgroup::{self, mounts},
    flags::Environment,
    launch, maps,
    mounts::Mounts,
    outputs::{Doing, search},
    process::Stat,
    status::Status,
    writer_details, writers,
};

/// Reads a command line whose argument files all hold `text`, and `text` as a file of options and as
/// an environment variable. Each must hold whatever they are.
///
/// # Panics
///
/// Where something does not hold.
pub fn argument_files(arguments: &[String], text: &str) {
    let bytes = |words: &[String]| words.iter().map(String::len).sum::<usize>();
    let words = launch::file_words(text);
    assert!(bytes(&words) <= text.len() && words.len() <= text.len());
    assert!(bytes(&launch::environment_words(text)) <= text.len());
    let mut files = 0;
    let launch = launch::parse(arguments, &mut |_| {
        files += 1;
        (files % 3 != 0).then(|| text.to_owned())
    });
    // Files do not nest, and each is read where it is named.
    assert!(files <= arguments.len());
    assert!(bytes(&launch.options) <= bytes(arguments) + files * text.len());
    let main = launch::main(arguments, &mut |_| None);
    assert!(main.len() <= bytes(arguments) + 1, "{main}");
}

/// Reads a text as each of the files of a process. Each must hold whatever they are.
pub(crate) fn proc_texts(text: &[u8]) {
    of_writes(text);
    of_descriptors(&String::from_utf8_lossy(text));
    let environment = Environment(text.to_vec());
    for name in ["JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "A", ""] {
        // What is no UTF-8 takes three bytes for each.
        let value = environment.get(name);
        assert!(value.is_none_or(|it| name.len() + 1 + it.len() / 3 <= text.len()));
    }
    for line in text.split(|it| *it == b'\n') {
        if let Some(found) = maps::parse(line) {
            assert!(!found.path.is_empty() && found.path.len() <= 3 * line.len());
        }
    }
    let text = String::from_utf8_lossy(text);
    if let Some(stat) = Stat::parse(&text) {
        assert!(stat.name.len() < text.len());
    }
    let status = Status(&text);
    let _ = (status.uid(), status.id_inside(), status.file_ids(), status.groups());
    let _ = (status.bits("CapEff"), status.bytes("VmRSS"));
    let mounts = Mounts::parse(&text);
    for path in ["/", "/a/b", &*text] {
        let found = mounts.of_file(42, path);
        assert!(found.is_none_or(|it| it.point == "/" || path.starts_with(&it.point)));
    }
    let group = cgroup::parse(&text, "cpu");
    assert!(group.is_none_or(|it| it.path.len() < text.len()));
    for version in [cgroup::Version::V1, cgroup::Version::V2] {
        assert!(mounts::of(&text, version, "cpu").len() <= text.lines().count());
    }
}

/// `io` of a process.
fn of_writes(text: &[u8]) {
    if let Some(io) = writers::parse_io(text) {
        let again = format!("read_bytes: {}\nwrite_bytes: {}\n", io.read, io.written);
        assert_eq!(writers::parse_io(again.as_bytes()), Some(io));
    }
}

/// `fdinfo/N` and `stat` of a process.
fn of_descriptors(text: &str) {
    for name in ["mnt_id:", "tty-index:", "flags:"] {
        let fields = [writer_details::field(text, name), search::field(text, name)];
        assert_eq!(fields[0], fields[1], "one file, one reading");
        assert!(fields[0].is_none() || text.contains(name));
    }
    assert!(!search::opened_for_reading(text) || text.contains("flags:"));
    if let Some(doing) = Doing::parse(text) {
        assert!(!doing.state.is_empty());
    }
}
