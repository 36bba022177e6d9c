//! A JVM that logs, and the program on it.
use std::{
    fs,
    path::PathBuf,
    process::{Command, Output},
    sync::{LazyLock, Mutex, MutexGuard, OnceLock, PoisonError},
};
use testing::{CommonDirectory, Jdk, JvmProcess, PATIENCE, is_root, ready};

/// What is changed is kept in mind in one place for each user: one test after the other.
static ONE: Mutex<()> = Mutex::new(());

/// Waits until no other test has changed anything.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A JVM and a directory for its logs.
pub(crate) struct Bench {
    pub(crate) jvm: JvmProcess,
    pub(crate) logs: tempfile::TempDir,
    _one: MutexGuard<'static, ()>,
}

/// The oldest JDK whose log can be moved, and nothing to be taken back that a person has changed here;
/// otherwise says why the test cannot run.
pub(crate) fn jdk() -> Option<Jdk> {
    let jdk = Jdk::installed(9).into_iter().next();
    let why = if !is_root() {
        "not root"
    } else if jdk.is_none() {
        "no JDK in /usr/lib/jvm"
    } else {
        return jdk;
    };
    println!("SKIPPED: {why}");
    None
}

/// The program with these arguments, as this user.
pub(crate) fn command(arguments: &[&str], uid: u32) -> Command {
    let mut command = spawn::command(env!("CARGO_BIN_EXE_whypause"));
    command.args(arguments);
    if uid != 0 {
        use std::os::unix::process::CommandExt;
        command = spawn::command(readable_program());
        command.args(arguments).uid(uid).gid(uid);
    }
    command
}

/// The program where every user may run it.
fn readable_program() -> PathBuf {
    static COPY: LazyLock<CommonDirectory> = LazyLock::new(|| {
        let directory = CommonDirectory::new();
        fs::copy(env!("CARGO_BIN_EXE_whypause"), directory.path().join("whypause")).unwrap();
        directory
    });
    COPY.path().join("whypause")
}

pub(crate) fn whypause(arguments: &[&str]) -> Output {
    spawn::run(command(arguments, 0), PATIENCE).unwrap()
}

pub(crate) fn said(output: &Output) -> String {
    let of = |it: &[u8]| String::from_utf8_lossy(it).into_owned();
    format!("{}{}", of(&output.stdout), of(&output.stderr))
}

/// Runs it, and it must succeed.
#[track_caller]
pub(crate) fn done(arguments: &[&str]) -> String {
    let output = whypause(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", said(&output));
    said(&output)
}

impl Bench {
    /// One of root, that logs to `gc.log` on a disk, and to standard output where that is said.
    pub(crate) fn new(jdk: &Jdk, flags: &[&str]) -> Bench {
        Bench::of_user(jdk, flags, 0)
    }

    /// One of this user.
    pub(crate) fn of_user(jdk: &Jdk, flags: &[&str], uid: u32) -> Bench {
        Bench::started(jdk, flags, uid, &[])
    }

    /// One that a program starts which becomes it, as a container's; `LOGS` in its arguments is where the log
    /// goes.
    pub(crate) fn started_by(jdk: &Jdk, uid: u32, program: &[&str]) -> Bench {
        Bench::started(jdk, &[], uid, program)
    }

    pub(crate) fn started(jdk: &Jdk, flags: &[&str], uid: u32, by: &[&str]) -> Bench {
        let one = alone();
        let logs = tempfile::tempdir_in("/var/tmp").unwrap();
        std::os::unix::fs::chown(logs.path(), Some(uid), Some(uid)).unwrap();
        let classes = classes(jdk);
        let place = logs.path().to_str().unwrap();
        let mut command = match by {
            [program, arguments @ ..] => {
                let mut command = spawn::command(program);
                command.args(arguments.iter().map(|it| it.replace("LOGS", place)));
                command.arg(jdk.tool("java"));
                command
            }
            [] => jdk.java(),
        };
        let log = format!("-Xlog:gc*,safepoint=debug:file={}:tn,tags:filecount=0", log_of(&logs));
        command.args(["-Xmx64m", "-XX:CICompilerCount=2", "-XX:TieredStopAtLevel=1"]);
        command.args(["-XX:-UsePerfData"]).arg(log).args(flags);
        command.arg("-cp").arg(classes).arg("Alloc");
        if uid != 0 {
            use std::os::unix::process::CommandExt;
            command.uid(uid).gid(uid);
        }
        Bench { jvm: ready(command), logs, _one: one }
    }

    pub(crate) fn pid(&self) -> String {
        self.jvm.id().to_string()
    }

    pub(crate) fn log(&self) -> String {
        log_of(&self.logs)
    }

    /// The log's outputs, as the JVM tells them, but for what a reopened log cannot have as before.
    pub(crate) fn outputs(&self) -> Vec<String> {
        let roots = recorder::Roots::default();
        let jvm = recorder::jvm(&roots, self.jvm.id()).unwrap();
        let never = std::sync::atomic::AtomicBool::new(false);
        let outputs = recorder::log_outputs(&roots, &jvm, &never).unwrap();
        outputs.iter().map(|it| format!("{} {} {}", it.name, it.what, it.decorators)).collect()
    }

    /// The files that the JVM has open for its log.
    pub(crate) fn open_logs(&self) -> Vec<String> {
        let directory = fs::read_dir(format!("/proc/{}/fd", self.jvm.id())).unwrap();
        let links = directory.flatten().filter_map(|it| fs::read_link(it.path()).ok());
        let names = links.map(|it| it.display().to_string());
        names.filter(|it| it.contains(".log")).collect()
    }

    /// What is left of a move in memory.
    pub(crate) fn left_in_memory(&self) -> Vec<String> {
        let mark = format!("-{}-", self.jvm.id());
        let names = fs::read_dir("/dev/shm").unwrap().flatten();
        let names = names.filter_map(|it| it.file_name().into_string().ok());
        let moved = names.filter(|it| it.starts_with("whypause-gc-log-") && it.contains(&mark));
        moved.chain(self.notes_of_keepers()).collect()
    }

    /// What is kept in mind of this JVM's keepers.
    fn notes_of_keepers(&self) -> Vec<String> {
        let of = format!("{}-", self.jvm.id());
        let folder = recording::default_directory().unwrap().path.join("keepers");
        let notes = fs::read_dir(folder).into_iter().flatten().flatten();
        let names = notes.filter_map(|it| it.file_name().into_string().ok());
        names.filter(|it| it.starts_with(&of)).collect()
    }

    /// Keepers of this JVM's log, by their process ids.
    pub(crate) fn keepers(&self) -> Vec<u32> {
        let of = format!("{}:", self.jvm.id());
        let is_keeper = |pid: &u32| {
            let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let words: Vec<_> = line.split(|it| *it == 0).collect();
            words.get(1) == Some(&&b"keep"[..])
                && words.iter().any(|it| it.starts_with(of.as_bytes()))
        };
        let all = fs::read_dir("/proc").unwrap().flatten();
        let pids = all.filter_map(|it| it.file_name().to_str()?.parse().ok());
        pids.filter(is_keeper).collect()
    }
}

fn log_of(logs: &tempfile::TempDir) -> String {
    logs.path().join("gc.log").display().to_string()
}

/// The workload, compiled once, where every user may read it.
fn classes(jdk: &Jdk) -> PathBuf {
    static CLASSES: OnceLock<CommonDirectory> = OnceLock::new();
    let directory = CLASSES.get_or_init(|| {
        let directory = CommonDirectory::new();
        jdk.compile("Alloc", directory.path());
        directory
    });
    directory.path().to_owned()
}
