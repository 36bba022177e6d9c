//! What a run may not leave behind on the host: processes that it started, and whatever outlives a process
//! and has a name of ours.
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

/// The variable in the environment of all that is started here, and of what that starts.
pub(crate) const MARK: &str = "WHYPAUSE_SUITE";

/// What it is set to: the number of this process.
pub(crate) fn mark() -> String {
    std::process::id().to_string()
}

/// What a shell does with the processes that carry the mark `$1`, where this process was killed. A JVM has
/// nothing to clean up; others may be there to do that.
pub(crate) const KILL_MARKED: &str = "\
marked() { timeout 5 grep -lszxF \"WHYPAUSE_SUITE=$1\" /proc/[0-9]*/environ | cut -d / -f 3; }
for pid in $(marked); do [ \"$(cat /proc/$pid/comm)\" != java ] || kill -s KILL $pid; done
for i in $(seq 20); do sleep 1; [ -n \"$(marked)\" ] || exit 0; done
for pid in $(marked); do kill -s KILL $pid; done";

/// The variable with the name of the job that something was started by.
pub(crate) const JOB: &str = "WHYPAUSE_SUITE_JOB";

/// The processes that were started here and are still there: their number, and what they are and whose.
fn processes() -> Vec<(String, String)> {
    let mut grep = spawn::command("sh");
    let marked = format!("grep -lszxF {MARK}={} /proc/[0-9]*/environ", mark());
    grep.args(["-c", &marked]);
    // One whose memory map is locked holds whoever reads this.
    let Ok(found) = spawn::run(grep, Duration::from_secs(10)) else { return Vec::new() };
    let found = String::from_utf8_lossy(&found.stdout).into_owned();
    let pids = found.lines().filter_map(|it| it.split('/').nth(2));
    let named = pids.filter_map(|pid| {
        let words = |file: &str| {
            let text = fs::read(format!("/proc/{pid}/{file}")).ok()?;
            Some(String::from_utf8_lossy(&text).replace('\0', "\n"))
        };
        let command = words("cmdline")?;
        let begin = format!("{JOB}=");
        let environment = words("environ").unwrap_or_default();
        let job = environment.lines().find_map(|it| it.strip_prefix(&begin)).unwrap_or("?");
        Some((pid.to_owned(), format!("`{}` of {job}", command.trim().replace('\n', " "))))
    });
    named.collect()
}

/// What there is now, a line each.
pub(crate) fn things() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for folder in ["/tmp", "/var/tmp", "/dev/shm"] {
        let folder = Path::new(folder);
        let names =
            names(folder).into_iter().filter(|it| is_ours(it) && !is_kept(&folder.join(it)));
        let folder = folder.display();
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
    found.extend(processes().into_iter().map(|(pid, name)| format!("process {pid} {name}")));
    found
}

/// Whether a file of this name in a shared folder is of ours: of a JVM that is gone (a process that attached
/// to it had ended it), or with our name.
fn is_ours(name: &str) -> bool {
    let of = [".java_pid", ".attach_pid"].into_iter().find_map(|it| name.strip_prefix(it));
    match of {
        Some(pid) => !Path::new("/proc").join(pid).exists(),
        None => name.starts_with("whypause"),
    }
}

/// Whether it is a folder with which the program keeps account of what it changes, for each user one, and no
/// change is left in it: that stays, empty, for the next time.
fn is_kept(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let user = name.strip_prefix("whypause-").map(|it| it.trim_start_matches("lab-"));
    user.is_some_and(|it| it.parse::<u32>().is_ok()) && is_empty(path)
}

/// Whether nothing below this folder has content, but for locks.
fn is_empty(folder: &Path) -> bool {
    let Ok(mut entries) = fs::read_dir(folder) else { return false };
    entries.all(|entry| {
        let Ok((path, about)) = entry.and_then(|it| Ok((it.path(), it.metadata()?))) else {
            return false;
        };
        let is_lock = path.file_name().is_some_and(|it| it == "lock")
            || path.extension().is_some_and(|it| it == "lock");
        if about.is_dir() {
            is_empty(&path)
        } else {
            about.is_file() && (is_lock || about.len() == 0)
        }
    })
}

/// Control groups of the lab and of tests, down to this many levels.
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
        std::thread::sleep(Duration::from_millis(500));
    };
    for (pid, _) in processes() {
        let mut kill = spawn::command("kill");
        kill.args(["-KILL", &pid]);
        let _ = spawn::run(kill, PATIENCE);
    }
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
    fn account_is_left_behind_only_with_a_change() {
        let folder = tempfile::tempdir().unwrap();
        let account = folder.path().join("whypause-lab-0");
        assert!(!is_kept(&account));
        fs::create_dir_all(account.join("fix")).unwrap();
        fs::write(account.join("lock"), "7\n").unwrap();
        fs::write(account.join("fix/changes"), "").unwrap();
        assert!(is_kept(&account));
        fs::write(account.join("fix/changes"), "a change").unwrap();
        assert!(!is_kept(&account));
        let other = folder.path().join("whypause-left");
        fs::create_dir(&other).unwrap();
        assert!(!is_kept(&other));
    }

    #[test]
    fn a_process_with_the_mark_is_left_behind_and_one_without_is_not() {
        let mut marked = spawn::command("sleep");
        marked.arg("600").env(MARK, mark()).env(JOB, "a job");
        let mut other = spawn::command("sleep");
        other.arg("600").env(MARK, mark() + "0");
        let mut running = [marked, other].map(|it| spawn::Running::start(it).unwrap());
        let wanted = (running[0].id().to_string(), "`sleep 600` of a job".to_owned());
        assert_eq!(processes(), [wanted]);
        running[0].kill();
        assert!(processes().is_empty());
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
