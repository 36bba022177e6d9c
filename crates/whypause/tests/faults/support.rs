//! A JVM to record, a recorder to hurt, and what must hold of what they leave.
use recording::{Coverage, Recording, is_recording};
use spawn::Running;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{ExitStatus, Output},
    sync::Once,
    thread,
    time::{Duration, Instant, SystemTime},
};
use tempfile::TempDir;
use testing::{Java, Jdk, PATIENCE, until};

/// How often a fault is injected: a few times, or with `WHYPAUSE_FAULTS=full` many.
pub(crate) fn times(few: u32, many: u32) -> u32 {
    if std::env::var("WHYPAUSE_FAULTS").is_ok_and(|it| it == "full") { many } else { few }
}

/// Numbers that differ from run to run. The seed is printed, to run the same again.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new() -> Random {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        let given = std::env::var("WHYPAUSE_FAULTS_SEED").ok().and_then(|it| it.parse().ok());
        let seed = given.unwrap_or(u64::from(now.subsec_nanos()) | 1);
        println!("WHYPAUSE_FAULTS_SEED={seed}");
        Random(seed)
    }

    /// Marsaglia's xorshift64.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }

    pub(crate) fn up_to(&mut self, longest: Duration) -> Duration {
        Duration::from_micros(self.below(u64::try_from(longest.as_micros()).unwrap()))
    }
}

/// Where the classes of the JVM are.
const CLASSES: &str = env!("CARGO_TARGET_TMPDIR");

/// A JVM to start, and a directory for recordings in memory.
pub(crate) struct Stage {
    jdk: Jdk,
    pub(crate) memory: TempDir,
}

impl Stage {
    /// `None` where nothing can be recorded; the reason is printed.
    pub(crate) fn new() -> Option<Stage> {
        static COMPILED: Once = Once::new();
        let jdk = testing::Jdk::newest(cfg!(feature = "bpf"))?;
        COMPILED.call_once(|| jdk.compile("Alloc", Path::new(CLASSES)));
        Some(Stage { jdk, memory: tempfile::tempdir_in("/dev/shm").unwrap() })
    }

    pub(crate) fn directory(&self, name: &str) -> PathBuf {
        self.memory.path().join(name)
    }

    /// Starts a JVM that stops dozens of times a second and logs its collections, so that nothing
    /// is unknown of it but what a fault took.
    pub(crate) fn jvm(&self) -> Java {
        let mut command = self.jdk.java();
        command
            .args(["-XX:+UseSerialGC", "-Xmx64m", "-Xmn16m", "-XX:CICompilerCount=2"])
            .arg("-Xlog:gc*:file=gc-%p.log:uptime,level,tags:filecount=1,filesize=1m")
            .args(["-cp", CLASSES, "Alloc"])
            .current_dir(self.memory.path());
        Java::start_by(command)
    }
}

/// Ends it as a service is ended.
pub(crate) fn terminate(mut jvm: Java) {
    jvm.child.terminate();
    wait(&mut jvm.child);
}

/// Waits for its end, but not for ever.
#[track_caller]
pub(crate) fn wait(child: &mut Running) -> ExitStatus {
    child.wait(PATIENCE).unwrap()
}

/// `whypause record -o DIRECTORY`, with what it says in a file beside.
pub(crate) fn record(directory: &Path, arguments: &[&str]) -> Running {
    let said = fs::File::create(said_file(directory)).unwrap();
    let mut command = spawn::command(env!("CARGO_BIN_EXE_whypause"));
    command.args(["record", "-o"]).arg(directory).args(arguments).stderr(said);
    Running::start(command).unwrap()
}

fn said_file(directory: &Path) -> PathBuf {
    // Not beside it: there may be no space.
    let name = directory.to_string_lossy().replace('/', "_");
    std::env::temp_dir().join(format!("whypause-faults-{}{name}", std::process::id()))
}

/// What the recorder said; forgotten afterwards.
pub(crate) fn said(directory: &Path) -> String {
    let file = said_file(directory);
    let text = fs::read_to_string(&file).unwrap_or_default();
    let _ = fs::remove_file(file);
    text
}

/// Waits until the directory holds a file of which `is` is true, or the recorder has ended.
pub(crate) fn wait_for_file(directory: &Path, recorder: &mut Running, is: impl Fn(&str) -> bool) {
    let end = Instant::now() + PATIENCE;
    while recorder.ended().unwrap().is_none() {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        if entries.into_iter().any(|it| is(&it.file_name().to_string_lossy())) {
            return;
        }
        assert!(Instant::now() < end, "no such file comes");
        thread::sleep(Duration::from_millis(1));
    }
}

/// What has to be read before the first loss: a row of every kind, and which sources run.
pub(crate) fn wait_until_it_records(directory: &Path, recorder: &mut Running) {
    let is_enough = |it: Recording| it.facts.safepoints.len() > 5 && it.facts.coverage.is_some();
    until("something is recorded", || {
        recorder.ended().unwrap().is_some() || Recording::open(directory).is_ok_and(is_enough)
    });
}

fn explain(directory: &Path) -> Output {
    let mut command = spawn::command(env!("CARGO_BIN_EXE_whypause"));
    command.args(["explain", "--full", "--color", "never"]).arg(directory);
    spawn::run(command, PATIENCE).unwrap()
}

/// What must hold of a recording, however it came to its end: it opens, it says what is missing,
/// and is firm about nothing where something is.
///
/// The coverage; `None` where nothing had been written yet, which is then said.
#[track_caller]
pub(crate) fn check(directory: &Path) -> Option<Coverage> {
    let output = explain(directory);
    let text = String::from_utf8(output.stdout).unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(!error.contains("panicked"), "{error}");
    if !is_recording(directory) {
        let words = ["neither a GC log nor a recording", "not a recording", "no such"];
        let nothing = words.iter().any(|it| error.contains(it));
        assert!(output.status.code() == Some(2) && nothing, "{error}");
        return None;
    }
    // A recording whose every row was lost may be one of which nothing can be said.
    assert!(matches!(output.status.code(), Some(0 | 3)), "{error}{text}");
    let recording = Recording::open(directory).unwrap();
    let coverage = recording.coverage();
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if coverage.end.is_empty() {
        assert!(words.contains("the recorder was killed"), "{text}");
    }
    if coverage.lost_rows > 0 {
        assert!(words.contains("rows lost"), "{text}");
    }
    if coverage.lost_rows > 0 || coverage.end.is_empty() {
        assert!(!words.contains("No fault struck: every known one"), "{text}");
        assert!(!words.contains("the JVM was never stopped"), "{text}");
    }
    Some(coverage.clone())
}

/// That nothing of a recorder is left: in the JVM's place, in memory, or in the JVM itself.
#[track_caller]
pub(crate) fn check_nothing_left(stage: &Stage, jvm: Java, log_outputs: &str) {
    let pid = jvm.pid();
    assert_eq!(self::log_outputs(stage, &jvm), log_outputs, "what the JVM logs");
    // `jcmd` above made its socket, which the JVM removes at its end.
    terminate(jvm);
    let places = ["/tmp", "/dev/shm", stage.memory.path().to_str().unwrap()];
    let left = places.iter().flat_map(|place| fs::read_dir(place).unwrap().flatten());
    let left: Vec<String> = left
        .map(|it| it.file_name().to_string_lossy().into_owned())
        .filter(|name| {
            let of_attaching = [format!(".attach_pid{pid}"), format!(".java_pid{pid}")];
            of_attaching.contains(name) || name.starts_with(&format!("whypause-safepoints-{pid}-"))
        })
        .collect();
    assert_eq!(left, [""; 0]);
}

/// Where the JVM logs to, as it says itself.
pub(crate) fn log_outputs(stage: &Stage, jvm: &Java) -> String {
    let mut command = spawn::command(stage.jdk.tool("jcmd"));
    command.args([&jvm.pid(), "VM.log", "list"]);
    let listed = spawn::run(command, PATIENCE).unwrap();
    let text = String::from_utf8(listed.stdout).unwrap();
    let outputs = text.lines().skip_while(|line| !line.contains("Log output configuration"));
    outputs.collect::<Vec<_>>().join("\n")
}
