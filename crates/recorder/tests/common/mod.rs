//! Real JVMs for the tests, and when there are none.
#![allow(dead_code, reason = "each test file uses a part of it")]
pub(crate) mod container;
pub(crate) mod disk;

use recorder::{Jvm, Options, Roots, Session, Step};
use recording::Facts;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

/// A JVM is ready within this, on any host that is not overloaded beyond use.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// Homes of the JDKs that are here, of the versions that have probes.
pub(crate) fn jdks() -> Vec<PathBuf> {
    let mut homes: Vec<PathBuf> = fs::read_dir("/usr/lib/jvm")
        .into_iter()
        .flatten()
        .flatten()
        .map(|it| it.path())
        .filter(|home| home.join("bin/java").exists() && !home.is_symlink())
        .filter(|home| major(home).is_some_and(|major| major >= 11))
        .collect();
    homes.sort();
    homes
}

/// The version's first number, from the `release` file.
pub(crate) fn major(home: &Path) -> Option<u32> {
    let release = fs::read_to_string(home.join("release")).ok()?;
    let version = release.lines().find_map(|it| it.strip_prefix("JAVA_VERSION=\""))?;
    version.split(['.', '"', '-', '+']).next()?.parse().ok()
}

/// The newest JDK, if recording is possible at all; otherwise says why not.
pub(crate) fn newest() -> Option<PathBuf> {
    let homes = possible().then(jdks).unwrap_or_default();
    homes.into_iter().max_by_key(|home| major(home))
}

/// Whether a JVM can be recorded here; otherwise prints `SKIPPED`.
pub(crate) fn possible() -> bool {
    let why = if !rustix::process::geteuid().is_root() {
        "not root"
    } else if !Path::new("/sys/kernel/btf/vmlinux").exists() {
        "the kernel has no BTF"
    } else if jdks().is_empty() {
        "no JDK from 11 on in /usr/lib/jvm"
    } else if cfg!(not(feature = "bpf")) {
        "built without the kernel side"
    } else {
        return true;
    };
    println!("SKIPPED: {why}");
    false
}

/// A running JVM that is killed when the test ends.
pub(crate) struct Java {
    pub(crate) child: spawn::Running,
    pub(crate) log: PathBuf,
    _directory: tempfile::TempDir,
}

impl Java {
    /// Starts `tests/java/NAME.java` and waits until it says that it is ready. The safepoint log
    /// goes to tmpfs, so that it pauses nothing.
    pub(crate) fn start(home: &Path, flags: &[&str], name: &str, arguments: &[&str]) -> Java {
        Java::start_by(spawn::command(home.join("bin/java")), flags, name, arguments)
    }

    /// The same with a command that becomes the JVM, or starts it, when it is given arguments.
    pub(crate) fn start_by(
        mut command: Command,
        flags: &[&str],
        name: &str,
        arguments: &[&str],
    ) -> Java {
        let directory = tempfile::tempdir_in("/dev/shm").unwrap();
        let log = directory.path().join("safepoints.log");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/java/{name}.java"));
        command
            .args(flags)
            .arg(format!("-Xlog:safepoint:file={}:tn,tags", log.display()))
            .arg(source)
            .args(arguments);
        let mut child = spawn::Running::start_heard(command).unwrap();
        child.says("ready", PATIENCE).unwrap();
        Java { child, log, _directory: directory }
    }

    pub(crate) fn jvm(&self) -> Jvm {
        recorder::jvm(&Roots::default(), self.child.id()).unwrap()
    }

    pub(crate) fn runs(&mut self) -> bool {
        self.child.ended().unwrap().is_none()
    }

    /// Stamp (`tn`) and total in nanoseconds of each safepoint that the JVM logged.
    pub(crate) fn logged(&self) -> Vec<(u64, u64)> {
        let log = fs::read_to_string(&self.log).unwrap();
        let number = |text: &str| {
            let digits = text.trim_start().split(|it: char| !it.is_ascii_digit()).next();
            digits.and_then(|it| it.parse::<u64>().ok())
        };
        let line = |line: &str| {
            let (_, total) = line.split_once("Total:")?;
            Some((number(line.strip_prefix('[')?)?, number(total)?))
        };
        log.lines().filter_map(line).collect()
    }
}

/// Runs a tool to its end; whether it succeeded.
pub(crate) fn runs(program: &str, arguments: &[&str]) -> bool {
    let mut command = spawn::command(program);
    command.args(arguments);
    spawn::run(command, PATIENCE).is_ok_and(|it| it.status.success())
}

/// Records for this long.
pub(crate) fn record_for(jvm: &Jvm, options: Options, time: Duration) -> Facts {
    let end = Instant::now() + time;
    record(jvm, options, |_| Instant::now() >= end)
}

/// The JVM's threads by what the kernel says of them now: id and state (`R`, `S`, `D`, …).
pub(crate) fn states(pid: u32) -> Vec<(u32, char)> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let state = |task: fs::DirEntry| {
        let stat = fs::read_to_string(task.path().join("stat")).ok()?;
        let state = stat.rsplit_once(')')?.1.trim_start().chars().next()?;
        Some((task.file_name().to_str()?.parse().ok()?, state))
    };
    tasks.filter_map(state).collect()
}

/// The process whose parent this is.
pub(crate) fn child_of(parent: u32) -> Option<u32> {
    let pids = fs::read_dir("/proc").ok()?.flatten();
    let mut pids = pids.filter_map(|it| it.file_name().to_str()?.parse::<u32>().ok());
    pids.find(|pid| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let fields = stat.rsplit_once(')').map(|(_, rest)| rest.to_owned()).unwrap_or_default();
        fields.split_ascii_whitespace().nth(1) == Some(parent.to_string().as_str())
    })
}

/// Sends a signal to this very process.
pub(crate) fn signal(pid: u32, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
}

/// Waits until something is so, for 20 s at most.
pub(crate) fn wait_until(what: &str, mut so: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !so() {
        assert!(Instant::now() < end, "still not so: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Records until `enough` of what came so far, for 20 s at most.
pub(crate) fn record(jvm: &Jvm, options: Options, enough: impl Fn(&Facts) -> bool) -> Facts {
    let mut session = Session::attach(jvm, options).unwrap();
    let end = Instant::now() + Duration::from_secs(20);
    let mut all = Facts::default();
    while Instant::now() < end && !enough(&all) {
        let Step { facts, exited } = session.step();
        all.append(facts);
        if exited {
            break;
        }
    }
    all.append(session.finish());
    all
}

/// Flags for many short collections.
pub(crate) fn busy(collector: &str) -> Vec<&str> {
    vec![
        collector,
        "-Xmx128m",
        "-Xms128m",
        "-Xmn32m",
        "-XX:ParallelGCThreads=2",
        "-XX:CICompilerCount=2",
    ]
}
