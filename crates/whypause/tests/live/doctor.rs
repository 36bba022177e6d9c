//! JVMs that are set up wrong on purpose, each in one way, and one that is set up right: `doctor` finds
//! what is wrong with each, and nothing with the last.
use serde_json::Value;
use spawn::Running;
use std::{
    collections::{BTreeMap, BTreeSet},
    io::PipeReader,
    path::Path,
};
use testing::{Group, Java, Jdk, JvmProcess, PATIENCE, until};

/// Hazards that come from the host and not from how the JVM is started: they may be there or not.
const OF_HOST: [&str; 3] = ["memory-may-be-swapped", "memory-in-swap", "huge-pages-fragmented"];
/// What is wrong with none but those that are started for it.
const RIGHT: [&str; 6] = [
    "-XX:+UseG1GC",
    "-Xmx96m",
    "-Xms96m",
    "-XX:+AlwaysPreTouch",
    "-XX:ParallelGCThreads=1",
    "-XX:CICompilerCount=2",
];
/// Keeps the statistics out of any file.
const NO_FILE: &str = "-XX:+PerfDisableSharedMem";

/// A control group with this controller; otherwise says why there is none.
fn group(controller: &str, name: &str) -> Option<Group> {
    Group::with(controller, name).map_err(|why| println!("SKIPPED: {why}")).ok()
}

/// JDK 17, else the newest one, with the class `Idle` in this directory. Needs no rights.
fn with_compiler(classes: &Path) -> Option<Jdk> {
    let mut all = Jdk::with_probes();
    all.retain(|it| it.tool("javac").exists());
    let Some(jdk) = all.into_iter().max_by_key(|it| (it.major == 17, it.major)) else {
        println!("SKIPPED: no JDK with a compiler in /usr/lib/jvm");
        return None;
    };
    jdk.compile("Idle", classes);
    Some(jdk)
}

/// The JVMs of one test, and what is expected of each.
struct Ward<'a> {
    jdk: &'a Jdk,
    classes: &'a Path,
    jvms: Vec<Java>,
    /// After the JVMs, which are in them.
    groups: Vec<Group>,
    expected: BTreeMap<u64, (&'static str, BTreeSet<&'static str>)>,
}

impl Ward<'_> {
    /// Starts one with these flags after the right ones, and these arguments. Returns its id.
    fn admit(
        &mut self,
        what: &'static str,
        flags: &[&str],
        arguments: &[&str],
        hazards: &[&'static str],
    ) -> u32 {
        let mut command = self.jdk.java();
        command.args(RIGHT).args(flags).arg("-cp").arg(self.classes).arg("Idle").args(arguments);
        let jvm = Java::start_by(command);
        let pid = jvm.child.id();
        self.expected.insert(pid.into(), (what, hazards.iter().copied().collect()));
        self.jvms.push(jvm);
        pid
    }
}

fn doctor(args: &[&str]) -> (String, i32) {
    let mut command = spawn::command(env!("CARGO_BIN_EXE_whypause"));
    command.arg("doctor").args(args).env("LC_ALL", "C.UTF-8");
    let output = spawn::run(command, PATIENCE).unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.code().unwrap())
}

fn is_in_memory(path: &Path) -> bool {
    let mut command = spawn::command("stat");
    command.args(["-f", "-c", "%T"]).arg(path);
    let output = spawn::run(command, PATIENCE).unwrap();
    String::from_utf8_lossy(&output.stdout).trim() == "tmpfs"
}

fn hazards(of: &Value) -> BTreeSet<&str> {
    let all = of["hazards"].as_array().unwrap().iter();
    all.filter_map(|it| it["id"].as_str()).filter(|it| !OF_HOST.contains(it)).collect()
}

#[test]
fn ten_that_are_wrong_are_found_and_one_that_is_right_is_left_in_peace() {
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    let Some(jdk) = with_compiler(memory.path()) else { return };
    let disk = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut ward = Ward {
        jdk: &jdk,
        classes: memory.path(),
        jvms: Vec::new(),
        groups: Vec::new(),
        expected: BTreeMap::new(),
    };
    let in_memory = |name: &str| format!("-Xlog:gc*:file={}", memory.path().join(name).display());
    let right = ward.admit("right", &[NO_FILE, "-Xlog:async", &in_memory("right.log")], &[], &[]);
    flags_alone(&mut ward);
    let _reader = ward.admit_on_pipe();
    if is_in_memory(disk.path()) {
        println!("SKIPPED: {} is in memory", disk.path().display());
    } else {
        let log = format!("-Xlog:gc*:file={}", disk.path().join("gc.log").display());
        ward.admit("log on a disk", &[NO_FILE, &log], &[], &["gc-log-on-disk"]);
        let file = disk.path().join("segment");
        let map = ["map", file.to_str().unwrap(), "64"];
        ward.admit("deleted file", &[NO_FILE], &map, &["deleted-files-mapped"]);
    }
    if is_in_memory(Path::new("/tmp")) {
        println!("SKIPPED: /tmp is in memory");
    } else {
        ward.admit("statistics on a disk", &[], &[], &["hsperfdata-on-disk"]);
    }
    let log = in_memory("humongous.log");
    ward.admit("humongous", &[NO_FILE, &log], &["humongous"], &["humongous-objects"]);
    limited(&mut ward);
    let log = memory.path().join("humongous.log");
    until("a collection for such an object is in the log", || {
        std::fs::read_to_string(&log).is_ok_and(|it| it.contains("G1 Humongous Allocation"))
    });

    let (text, code) = doctor(&["--format", "json"]);
    assert_eq!(code, 0, "{text}");
    let all: Value = serde_json::from_str(&text).unwrap();
    for (pid, (what, expected)) in &ward.expected {
        let mut jvms = all["jvms"].as_array().unwrap().iter();
        let jvm = jvms.find(|it| it["pid"].as_u64() == Some(*pid)).unwrap();
        assert_eq!(hazards(jvm), *expected, "{what}: {jvm:#}");
        println!("{what}: {expected:?}");
    }
    println!("{} wrong ones", ward.expected.len() - 1);
    let pid = right.to_string();
    let mut args = vec!["-p", &pid, "--fail-on", "any"];
    args.extend(OF_HOST.iter().flat_map(|it| ["--accept", it]));
    let (text, code) = doctor(&args);
    let of_jvm = text.split("\nhost ").next().unwrap();
    assert!(of_jvm.contains("Nothing found"), "{text}");
    let of_host_alone = text.contains("pressure-off") || text.contains("zone-reclaim");
    assert_eq!(code, i32::from(of_host_alone), "{text}");
}

/// Those that take no rights.
fn flags_alone(ward: &mut Ward<'_>) {
    let grows = ["-Xms32m", NO_FILE];
    ward.admit("grows in pauses", &grows, &[], &["pretouch-in-pauses"]);
    let fixed = ["-Xmn32m", "-XX:MaxGCPauseMillis=50", NO_FILE];
    ward.admit("fixed young generation", &fixed, &[], &["young-size-fixed"]);
    let starts = ["-XX:InitiatingHeapOccupancyPercent=30", NO_FILE];
    ward.admit("start of marking", &starts, &[], &["ihop-adapts"]);
}

/// Those in control groups, as far as some can be made.
fn limited(ward: &mut Ward<'_>) {
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    if let Some(group) = group("cpu", "threads") {
        group.quota_ms(100);
        let many = ["-XX:ParallelGCThreads=4", NO_FILE];
        group.admit(ward.admit("threads", &many, &[], &["gc-threads-over-quota"]));
        ward.groups.push(group);
    }
    if let Some(group) = group("cpu", "resized") {
        // As it starts there is room for all of them.
        let two = ["-XX:ParallelGCThreads=2", NO_FILE];
        group.admit(ward.admit("resized", &two, &[], &["gc-threads-over-quota"]));
        group.quota_ms(100);
        ward.groups.push(group);
    }
    if let Some(group) = group("cpu", "blind").filter(|_| cpus > 1) {
        group.quota_ms(100);
        // A collector of one thread: it is the JVM's idea of the CPUs that is wrong.
        let blind = ["-XX:-UseG1GC", "-XX:+UseSerialGC", "-XX:-UseContainerSupport", NO_FILE];
        let pid = ward.admit_without_threads("blind", &blind, &["cpu-quota-unseen"]);
        group.admit(pid);
        ward.groups.push(group);
    }
    if let Some(group) = group("memory", "limit") {
        group.write(group.memory_limit(), &(96 << 20).to_string());
        group.admit(ward.admit("limit", &[NO_FILE], &[], &["heap-over-limit"]));
        ward.groups.push(group);
    }
}

impl Ward<'_> {
    /// One that logs to its standard error, a pipe that this process reads.
    fn admit_on_pipe(&mut self) -> PipeReader {
        let (reader, writer) = std::io::pipe().unwrap();
        let mut command = self.jdk.java();
        command.args(RIGHT).args(["-Xlog:gc*:stderr", NO_FILE]);
        command.arg("-cp").arg(self.classes).arg("Idle").stderr(writer);
        let mut child = Running::start_answering(command).unwrap();
        child.says("ready", PATIENCE).unwrap();
        let expected = BTreeSet::from(["gc-log-on-stdout"]);
        self.expected.insert(child.id().into(), ("log on a pipe", expected));
        self.jvms.push(Java { child: JvmProcess::of(child) });
        reader
    }

    /// A JVM without a flag for the number of threads.
    fn admit_without_threads(
        &mut self,
        what: &'static str,
        flags: &[&str],
        hazards: &[&'static str],
    ) -> u32 {
        let mut command = self.jdk.java();
        command.args(["-Xmx64m", "-Xms64m"]).args(flags);
        command.arg("-cp").arg(self.classes).arg("Idle");
        let jvm = Java::start_by(command);
        let pid = jvm.child.id();
        self.expected.insert(pid.into(), (what, hazards.iter().copied().collect()));
        self.jvms.push(jvm);
        pid
    }
}

#[test]
fn two_collectors_are_found_before_a_jvm_has_them() {
    let (text, code) =
        doctor(&["--flags", "-XX:+UseZGC -XX:+UseG1GC", "--jdk", "17", "--fail-on", "likely"]);
    assert_eq!(code, 1, "{text}");
    let said = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("2 collectors are chosen: g1, zgc"), "{text}");
}
