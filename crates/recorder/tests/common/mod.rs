//! Real JVMs for the tests, and when there are none.
#![allow(dead_code, reason = "each test file uses a part of it")]
use recorder::{Jvm, Options, Roots, Session, Step};
use recording::Facts;
use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

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
    pub(crate) child: Child,
    pub(crate) log: PathBuf,
    _directory: tempfile::TempDir,
}

impl Java {
    /// Starts `tests/java/NAME.java` and waits until it says that it is ready. The safepoint log
    /// goes to tmpfs, so that it pauses nothing.
    pub(crate) fn start(home: &Path, flags: &[&str], name: &str, arguments: &[&str]) -> Java {
        let directory = tempfile::tempdir_in("/dev/shm").unwrap();
        let log = directory.path().join("safepoints.log");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/java/{name}.java"));
        let mut child = Command::new(home.join("bin/java"))
            .args(flags)
            .arg(format!("-Xlog:safepoint:file={}:tn,tags", log.display()))
            .arg(source)
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line.trim(), "ready");
        Java { child, log, _directory: directory }
    }

    pub(crate) fn jvm(&self) -> Jvm {
        recorder::jvm(&Roots::default(), self.child.id()).unwrap()
    }

    pub(crate) fn runs(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
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

impl Drop for Java {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
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
