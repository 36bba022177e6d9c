//! Doors for the fuzzer to what reads the words of a process and of the kernel.
use super::{cgroup, cgroup_mounts, launch, maps, mounts::Mounts, process::Stat, status::Status};

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

/// Reads a text as each of the files in `/proc/PID` that others have a hand in: names of threads,
/// of files, of mounts and of groups.
///
/// # Panics
///
/// Where something does not hold.
pub fn proc_texts(text: &[u8]) {
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
        assert!(cgroup_mounts::of(&text, version, "cpu").len() <= text.lines().count());
    }
}
