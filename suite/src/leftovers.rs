//! What a run may not leave behind on the host: whatever outlives a process and has a name of ours.
use crate::{
    job::{Done, Job, Lane},
    output::Output,
};
use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    time::{Duration, Instant},
};

/// How long what was killed at the end may take to go.
const PATIENCE: Duration = Duration::from_secs(20);

/// What there is now, a line each.
pub(crate) fn things() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for folder in ["/tmp", "/var/tmp", "/dev/shm"] {
        let names = names(Path::new(folder)).into_iter().filter(|it| is_ours(it));
        found.extend(names.map(|it| format!("`{folder}/{it}`")));
    }
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let mounts = mounts.lines().filter_map(|it| it.split(' ').nth(1));
    found.extend(mounts.filter(|it| it.contains("whypause")).map(|it| format!("mount on `{it}`")));
    for device in names(Path::new("/sys/block")) {
        let file = fs::read_to_string(format!("/sys/block/{device}/loop/backing_file"));
        if let Ok(file) = file
            && file.contains("whypause")
        {
            found.insert(format!("loop device `{device}` over `{}`", file.trim()));
        }
    }
    groups(Path::new("/sys/fs/cgroup"), 2, &mut found);
    found
}

/// Whether a file of this name in a folder for everybody is of ours: of a JVM that is gone, and so was
/// ended by somebody who attached to it, or with our name.
fn is_ours(name: &str) -> bool {
    let of = [".java_pid", ".attach_pid"].into_iter().find_map(|it| name.strip_prefix(it));
    match of {
        Some(pid) => !Path::new("/proc").join(pid).exists(),
        None => name.starts_with("whypause"),
    }
}

/// Control groups of the lab and of tests, down to so many levels.
fn groups(folder: &Path, levels: u32, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if !entry.file_type().is_ok_and(|it| it.is_dir()) {
            continue;
        }
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with("whypause-") {
            found.insert(format!("control group `{}`", entry.path().display()));
        } else if levels > 0 {
            groups(&entry.path(), levels - 1, found);
        }
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|it| it.file_name().to_string_lossy().into_owned()).collect()
}

/// Compares what there is with what was there before the run, as a check of its own.
pub(crate) fn check(before: &BTreeSet<String>) -> Done {
    let begun = Instant::now();
    let left = loop {
        let left: Vec<String> = things().difference(before).cloned().collect();
        if left.is_empty() || begun.elapsed() >= PATIENCE {
            break left;
        }
        std::thread::sleep(Duration::from_millis(200));
    };
    let mut job = Job::command("nothing is left behind", Lane::Host, &["make", "test"]);
    job.again = "make test".to_owned();
    Done {
        job,
        took: Duration::ZERO,
        output: Output::default(),
        wrong: (!left.is_empty()).then(|| format!("left behind: {}", left.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_of_jvms_that_are_gone_are_ours_and_those_of_others_are_not() {
        let own = std::process::id();
        assert!(!is_ours(&format!(".java_pid{own}")));
        assert!(!is_ours(&format!(".attach_pid{own}")));
        // more than the kernel gives out (`PID_MAX_LIMIT`)
        assert!(is_ours(".java_pid4194305"));
        assert!(is_ours(".attach_pid4194305"));
        assert!(is_ours("whypause-lab-0"));
        assert!(!is_ours("hsperfdata_root"));
    }

    #[test]
    fn what_was_there_before_is_not_left_behind() {
        let file = tempfile::Builder::new().prefix("whypause-left").tempfile().unwrap();
        let there = format!("`{}`", file.path().display());
        assert!(things().contains(&there), "{there}");
        drop(file);
        assert!(!things().contains(&there), "{there}");
    }
}
