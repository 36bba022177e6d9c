//! Real JVMs for the tests, and when there are none.
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

/// A JVM is ready within this, on any host that is not overloaded beyond use.
const PATIENCE: Duration = Duration::from_secs(120);

/// `java` of the newest JDK, if recording is possible at all; otherwise says why not.
pub(crate) fn newest() -> Option<PathBuf> {
    let why = if !rustix::process::geteuid().is_root() {
        "not root"
    } else if cfg!(not(feature = "bpf")) {
        "built without the kernel side"
    } else if !Path::new("/sys/kernel/btf/vmlinux").exists() {
        "the kernel has no BTF"
    } else if let Some(java) = javas().into_iter().max_by_key(|it| it.0) {
        return Some(java.1);
    } else {
        "no JDK from 11 on in /usr/lib/jvm"
    };
    println!("SKIPPED: {why}");
    None
}

fn javas() -> Vec<(u32, PathBuf)> {
    let homes = fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten().map(|it| it.path());
    let java = |home: PathBuf| {
        let release = fs::read_to_string(home.join("release")).ok()?;
        let version = release.lines().find_map(|it| it.strip_prefix("JAVA_VERSION=\""))?;
        let major = version.split(['.', '"', '-', '+']).next()?.parse().ok()?;
        let java = home.join("bin/java");
        (major >= 11 && java.exists()).then_some((major, java))
    };
    homes.filter_map(java).collect()
}

/// `java` of JDK 17, else of the newest one, with the class `Idle` in this directory. Needs no rights.
#[allow(dead_code, reason = "not every test program needs it")]
pub(crate) fn with_compiler(classes: &Path) -> Option<PathBuf> {
    let mut all = javas();
    all.sort_by_key(|it| (it.0 != 17, std::cmp::Reverse(it.0)));
    let with_javac = |it: &PathBuf| it.with_file_name("javac").exists();
    let Some(java) = all.into_iter().map(|it| it.1).find(with_javac) else {
        println!("SKIPPED: no JDK with a compiler in /usr/lib/jvm");
        return None;
    };
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testing/java/Idle.java");
    let mut javac = spawn::command(java.with_file_name("javac"));
    javac.arg("-d").arg(classes).arg(source);
    assert!(spawn::run(javac, PATIENCE).unwrap().status.success());
    Some(java)
}

/// A JVM that collects dozens of times a second; killed when the test ends.
pub(crate) struct Java {
    pub(crate) child: spawn::Running,
}

impl Java {
    pub(crate) fn start(java: &Path) -> Java {
        Java::start_by(command(java))
    }

    /// One of another command; waits until it says that it is ready.
    pub(crate) fn start_by(command: Command) -> Java {
        let mut child = spawn::Running::start_heard(command).unwrap();
        child.says("ready", PATIENCE).unwrap();
        Java { child }
    }

    /// One that runs `tests/java/NAME.java` of the recorder with these flags.
    pub(crate) fn start_with(java: &Path, flags: &[&str], name: &str) -> Java {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testing/java");
        let mut command = spawn::command(java);
        command.args(flags).arg(tests.join(format!("{name}.java")));
        Java::start_by(command)
    }

    pub(crate) fn pid(&self) -> String {
        self.child.id().to_string()
    }

    pub(crate) fn runs(&mut self) -> bool {
        self.child.ended().unwrap().is_none()
    }
}

/// The command of such a JVM.
pub(crate) fn command(java: &Path) -> Command {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testing/java/Alloc.java");
    let mut command = spawn::command(java);
    command.args(["-XX:+UseG1GC", "-Xmx128m", "-Xms128m", "-Xmn32m", "-XX:ParallelGCThreads=2"]);
    command.args(["-XX:CICompilerCount=2"]).arg(source);
    command
}

/// `java` of a JDK below `bare` that is the given one, but for a libjvm which has lost its probes and
/// symbols; otherwise says why there is none.
pub(crate) fn bare_jdk(java: &Path, bare: &Path) -> Option<PathBuf> {
    let home = java.parent()?.parent()?.to_owned();
    let jdk = testing::Jdk::installed(0).into_iter().find(|it| it.home == home)?;
    Some(jdk.stripped(bare)?.tool("java"))
}
