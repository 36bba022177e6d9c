//! Real JVMs for the tests, and when there are none.
#![allow(dead_code, reason = "each test file uses a part of it")]
pub(crate) mod container;

use recorder::{Jvm, Options, Roots, Session, Step};
use recording::Facts;
use std::{
    fs,
    path::PathBuf,
    process::Command,
    time::{Duration, Instant},
};
use testing::{Jdk, JvmProcess, PATIENCE, program, ready};

/// The newest JDK, if recording is possible at all; otherwise says why not.
pub(crate) fn newest() -> Option<Jdk> {
    testing::Jdk::newest(cfg!(feature = "bpf"))
}

/// All JDKs with probes, oldest first, if recording is possible at all; otherwise says why not.
pub(crate) fn all() -> Vec<Jdk> {
    newest().map(|_| testing::Jdk::with_probes()).unwrap_or_default()
}

/// Of a disk that a JVM logs to: it is not filled.
pub(crate) const DISK_BYTES: u64 = 48 << 20;

/// A running JVM that is killed when the test ends.
pub(crate) struct Java {
    pub(crate) child: JvmProcess,
    pub(crate) log: PathBuf,
    _directory: tempfile::TempDir,
}

impl Java {
    /// Starts a program of the tests and waits until it is ready. The safepoint log goes to tmpfs, so
    /// that it pauses nothing.
    pub(crate) fn start(jdk: &Jdk, flags: &[&str], name: &str, arguments: &[&str]) -> Java {
        Java::start_by(jdk.java(), flags, name, arguments)
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
        command
            .args(flags)
            .arg(format!("-Xlog:safepoint:file={}:tn,tags", log.display()))
            .arg(program(name))
            .args(arguments);
        Java { child: ready(command), log, _directory: directory }
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

/// Records for this long.
pub(crate) fn record_for(jvm: &Jvm, options: Options, time: Duration) -> Facts {
    let end = Instant::now() + time;
    record(jvm, options, |_| Instant::now() >= end)
}

/// Records on until `enough` of what comes from now on; the test fails where that is not so within
/// [`PATIENCE`]. Without a rest between two steps, in which the kernel could have more to say than its
/// buffers hold.
#[track_caller]
pub(crate) fn step_until(
    session: &mut Session,
    what: &str,
    mut enough: impl FnMut(&Facts) -> bool,
) -> Facts {
    let end = Instant::now() + PATIENCE;
    let mut facts = Facts::default();
    while !enough(&facts) {
        assert!(Instant::now() < end, "still not so: {what}");
        facts.append(session.step().facts);
    }
    facts
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

/// Records until `enough` of what came so far, for [`PATIENCE`] at most.
pub(crate) fn record(jvm: &Jvm, options: Options, enough: impl Fn(&Facts) -> bool) -> Facts {
    let mut session = Session::attach(jvm, options).unwrap();
    let end = Instant::now() + PATIENCE;
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
