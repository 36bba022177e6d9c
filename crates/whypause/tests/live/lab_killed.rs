//! A lab that is killed leaves nothing: its guardian undoes the journal at once, and where that is
//! killed too, the next start does.
use crate::{newest, one_lab};
use serde_json::Value;
use spawn::Running;
use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

/// Longer than it takes to prepare a run, or to clean up, on a loaded host.
const PATIENCE: Duration = Duration::from_secs(240);

fn text(path: impl AsRef<Path>) -> String {
    fs::read(path).map(|it| String::from_utf8_lossy(&it).into_owned()).unwrap_or_default()
}

/// Asks until the answer is not empty any more; then that is why it failed.
#[track_caller]
fn comes_true(child: Option<&mut Running>, what: impl Fn() -> Result<(), String>) {
    let until = Instant::now() + PATIENCE;
    let mut child = child;
    while let Err(why) = what() {
        let ended = child.as_mut().and_then(|it| it.ended().unwrap());
        assert!(Instant::now() < until && ended.is_none(), "{ended:?} {why}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn work_dir() -> PathBuf {
    ::lab::work_dir::default_path()
}

/// A run of the lab that is under way, and what its journal says that it has changed.
struct Lab {
    child: Running,
    said: tempfile::NamedTempFile,
    promises: Vec<Value>,
}

impl Lab {
    /// Starts one, and waits until it records.
    fn start(scenario: &str) -> Lab {
        Lab::start_by(scenario, |command| command)
    }

    /// The same by a command that is made of the lab's.
    fn start_by(scenario: &str, by: impl Fn(Command) -> Command) -> Lab {
        let said = tempfile::NamedTempFile::new().unwrap();
        let until = Instant::now() + PATIENCE;
        let child = loop {
            let mut child = start(scenario, &said, &by);
            let is_under_way = || match text(said.path()) {
                it if it.contains("recording for") || it.contains("another lab is running") => {
                    Ok(())
                }
                it => Err(it),
            };
            comes_true(Some(&mut child), is_under_way);
            if text(said.path()).contains("recording for") {
                break child;
            }
            child.wait(PATIENCE).unwrap();
            assert!(Instant::now() < until, "another lab does not end");
            std::thread::sleep(Duration::from_secs(2));
        };
        let journal = text(work_dir().join("journal"));
        let lines = journal.lines().map(|it| serde_json::from_str::<Value>(it).unwrap());
        let promises = lines.filter_map(|it| it.get("promise").map(|it| it[1].clone())).collect();
        Lab { child, said, promises }
    }

    fn promised<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Value> {
        self.promises.iter().filter_map(move |it| it.get(kind))
    }

    fn guardian(&self) -> rustix::process::Pid {
        let of_lab = format!(" {} ", self.child.id());
        let guards = |pid: &i32| {
            let stat = text(format!("/proc/{pid}/stat"));
            let after = stat.rsplit_once(") ").map_or("", |it| it.1);
            let parent = after.get(1..).is_some_and(|it| it.starts_with(&of_lab));
            parent && text(format!("/proc/{pid}/cmdline")).contains("\0guard\0")
        };
        let pids = fs::read_dir("/proc").unwrap().flatten();
        let mut pids = pids.filter_map(|it| it.file_name().to_str()?.parse().ok());
        let pid = pids.find(guards).expect("the lab has a guardian");
        rustix::process::Pid::from_raw(pid).unwrap()
    }

    /// Kills it with everything in its process group.
    fn kill(&mut self) {
        self.child.kill().expect("it ends");
    }

    /// What is left of what it has changed.
    fn left(&self) -> Result<(), String> {
        let mut left = Vec::new();
        let dir = work_dir().display().to_string();
        let mounts = text("/proc/self/mountinfo");
        left.extend(mounts.lines().filter(|it| it.contains(&dir)).map(str::to_owned));
        for knob in self.promised("knob").chain(self.promised("choice")) {
            let (file, from) = (knob["file"].as_str().unwrap(), knob["from"].as_str().unwrap());
            let now = text(file);
            let chosen = now.split_once('[').and_then(|it| it.1.split_once(']')).map(|it| it.0);
            // a setting of a loop device may be gone with it
            if Path::new(file).exists() && chosen.unwrap_or(now.trim()) != from {
                left.push(format!("{file} is {now}, was {from}"));
            }
        }
        for process in self.promised("process").chain(self.promised("server")) {
            let id = serde_json::from_value(process["id"].clone()).unwrap();
            if is_running(id) {
                left.push(format!("process {process}"));
            }
        }
        for group in self.promised("remove-kernel-dir") {
            let path = group["path"].as_str().unwrap();
            left.extend(Path::new(path).exists().then(|| path.to_owned()));
        }
        for swap in self.promised("swap-off") {
            let device = swap["device"].as_str().unwrap();
            left.extend(text("/proc/swaps").contains(device).then(|| format!("swap {device}")));
        }
        for entry in fs::read_dir("/sys/block").unwrap().flatten() {
            let backing = text(entry.path().join("loop/backing_file"));
            left.extend(backing.starts_with(&dir).then_some(backing));
        }
        for entry in fs::read_dir(work_dir()).unwrap().flatten() {
            let name = entry.file_name();
            let stays = name == "lock" || (name == "journal" && text(entry.path()).is_empty());
            left.extend((!stays).then(|| entry.path().display().to_string()));
        }
        if left.is_empty() { Ok(()) } else { Err(left.join("\n")) }
    }
}

fn start(
    scenario: &str,
    said: &tempfile::NamedTempFile,
    by: impl Fn(Command) -> Command,
) -> Running {
    said.as_file().set_len(0).unwrap();
    let stderr = fs::OpenOptions::new().append(true).open(said.path()).unwrap();
    let variants = ["--variants", "fault", "-d", "300s", "--on-this-host"];
    let mut command = by(one_lab::command(&[&["run", scenario][..], &variants].concat()));
    command.stderr(stderr);
    Running::start(command).unwrap()
}

fn is_running(id: ::lab::ProcessId) -> bool {
    let is_zombie = || {
        let stat = text(format!("/proc/{}/stat", id.pid));
        stat.rsplit_once(") ").is_none_or(|it| it.1.starts_with('Z'))
    };
    ::lab::ProcessId::of(id.pid) == Some(id) && !is_zombie()
}

/// Whether the lab can be killed here while it does this: it needs root and a slow disk.
fn can_run(scenario: &str) -> bool {
    if newest().is_none() {
        return false;
    }
    let scenario = ::lab::list().iter().find(|it| it.id == scenario).unwrap();
    let lacking = ::lab::slow_disk::can_run().and_then(|()| (scenario.can_run)());
    lacking.inspect_err(|reason| println!("SKIPPED: {reason}")).is_ok()
}

/// Kills a run, as soon as it is `ready`, with its whole process group and checks what it has changed,
/// while no other run is started. Of each of these kinds it must have changed something.
#[track_caller]
fn leaves_nothing(scenario: &str, kinds: &[&str], ready: impl Fn(&Lab) -> bool) {
    if !can_run(scenario) {
        return;
    }
    let _turn = one_lab::turn();
    let mut lab = Lab::start(scenario);
    for kind in kinds {
        assert!(lab.promised(kind).next().is_some(), "{kind}: {:?}", lab.promises);
    }
    let said = text(lab.said.path());
    let reported =
        said.find("this run takes and changes on this host").expect("it says what it does");
    assert!(reported < said.find("preparing").unwrap(), "{said}");
    assert!(lab.left().is_err(), "nothing was changed");
    comes_true(None, || if ready(&lab) { Ok(()) } else { Err("it is never ready".to_owned()) });
    lab.kill();
    comes_true(None, || lab.left());
}

#[test]
fn killed_lab_with_slow_disk_leaves_nothing_behind() {
    let kinds = ["process", "server", "unmount", "knob", "detach-loop", "remove-kernel-dir"];
    leaves_nothing("gc-log-write-blocked", &kinds, |_| true);
}

/// The processes that have a file open which is known by this link.
fn holders(file: &Path) -> Vec<u32> {
    let pids = fs::read_dir("/proc").unwrap().flatten();
    let pids = pids.filter_map(|it| it.file_name().to_str()?.parse::<u32>().ok());
    let has = |pid: &u32| {
        let open = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        open.filter_map(|it| fs::read_link(it.path()).ok()).any(|it| it == file)
    };
    pids.filter(has).collect()
}

/// The lab with the descriptor 9 as well, which is its standard output otherwise.
fn with_a_pipe(lab: &Command, write: std::io::PipeWriter) -> Command {
    let mut command = spawn::command("sh");
    command.args(["-c", "exec 9>&1 >/dev/null; exec \"$@\"", "sh"]).arg(lab.get_program());
    command.args(lab.get_args()).stdout(write);
    command
}

#[test]
fn killed_lab_closes_its_output_and_ends_its_processes() {
    let scenario = "gc-log-write-blocked";
    if !can_run(scenario) {
        return;
    }
    let _turn = one_lab::turn();
    let (mut read, write) = std::io::pipe().unwrap();
    let mut lab = Lab::start_by(scenario, |lab| with_a_pipe(&lab, write.try_clone().unwrap()));
    drop(write);
    let pipe = fs::read_link(format!("/proc/{}/fd/9", lab.child.id())).unwrap();
    assert!(pipe.to_string_lossy().starts_with("pipe:"), "the lab has it: {pipe:?}");
    // So its end is there as soon as the lab is gone, whoever else of the lab still is.
    // A process that is just being started has it until it executes its program.
    comes_true(None, || {
        let mut holders = holders(&pipe);
        holders.retain(|it| *it != std::process::id());
        let lab_alone = holders == [lab.child.id()];
        lab_alone.then_some(()).ok_or_else(|| format!("these have the pipe: {holders:?}"))
    });
    let ids = |it: &Value| serde_json::from_value(it["id"].clone()).unwrap();
    let mut processes: Vec<::lab::ProcessId> = lab.promised("process").map(ids).collect();
    processes.extend(lab.promised("server").map(ids));
    processes.extend(::lab::ProcessId::of(lab.guardian().as_raw_nonzero().get()));
    processes.retain(|it| is_running(*it));
    assert!(
        processes.len() >= 4,
        "a JVM, its recorder, the server and the guardian: {processes:?}"
    );
    testing::signal(lab.child.id(), rustix::process::Signal::KILL);
    let mut ended = [rustix::event::PollFd::new(&read, rustix::event::PollFlags::IN)];
    let limit = rustix::event::Timespec { tv_sec: 120, tv_nsec: 0 };
    assert_eq!(
        rustix::event::poll(&mut ended, Some(&limit)).unwrap(),
        1,
        "somebody holds the pipe"
    );
    assert_eq!(read.read(&mut [0]).unwrap(), 0);
    lab.child.wait(PATIENCE).unwrap();
    comes_true(None, || match processes.iter().find(|it| is_running(**it)) {
        Some(it) => Err(format!("it outlives the lab: {it:?}")),
        None => Ok(()),
    });
    comes_true(None, || lab.left());
}

#[test]
fn a_killed_lab_with_swap_space_leaves_none() {
    leaves_nothing("swap-in", &["swap-off", "server", "remove-kernel-dir"], |_| true);
}

#[test]
fn a_killed_lab_leaves_no_jvm_frozen() {
    // of version 1, or of version 2
    let is_frozen = |state: &str| matches!(state.trim(), "FROZEN" | "1");
    leaves_nothing("frozen-or-traced", &["thaw", "remove-kernel-dir"], |lab| {
        let mut files = lab.promised("thaw").filter_map(|it| it["file"].as_str());
        files.any(|it| is_frozen(&text(it)))
    });
}

#[test]
fn where_the_guardian_is_killed_too_the_next_start_cleans_up() {
    if !can_run("late-java-thread") {
        return;
    }
    let _turn = one_lab::turn();
    let mut lab = Lab::start("late-java-thread");
    rustix::process::kill_process(lab.guardian(), rustix::process::Signal::KILL).unwrap();
    lab.kill();
    assert!(lab.left().is_err(), "who undid it?");
    let ran = one_lab::when_free(&["clean"]);
    let said = String::from_utf8(ran.stderr).unwrap();
    assert!(ran.status.success() && said.contains("removed: mount on "), "{said}");
    comes_true(None, || lab.left());
}
