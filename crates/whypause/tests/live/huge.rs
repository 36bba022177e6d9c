//! A JVM that has much of all that the recorder reads of it: what that takes has a bound.
use crate::java::newest;
use recording::Recording;
use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

/// What the recorder may take beside its program and its ring buffers, which no JVM makes larger. A
/// plain JVM makes it 7 MiB; all together is measured by `make bench-recorder`.
const MOST_KIB: u64 = 18 << 10;
/// Arguments to the JVM that it does not read. One may have 128 KiB.
const ARGUMENTS: usize = 16;
const ARGUMENT_BYTES: usize = 100 << 10;

#[test]
fn a_jvm_with_much_of_everything_costs_the_recorder_no_more_memory() {
    let Some(java) = newest() else { return };
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    let log = memory.path().join("gc.log");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../recorder/tests/java/Huge.java");
    let mut jvm = Command::new(&java)
        .args(["-XX:+UseSerialGC", "-Xmx128m", "-Xmn16m", "-XX:CICompilerCount=2"])
        // Its file of counters.
        .arg("-XX:PerfDataMemorySize=2m")
        .arg(format!("-Xlog:gc*,safepoint*:file={}:uptime,level,tags:filecount=0", log.display()))
        .arg(source)
        .args([memory.path(), &log])
        .args(vec!["x".repeat(ARGUMENT_BYTES); ARGUMENTS])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(jvm.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line.trim(), "ready");
    for means in [&[][..], &["--ask-jvm"], &["--log-safepoints"], &["--without-ebpf"]] {
        let directory = memory.path().join("recording");
        let mut recorder = Command::new(env!("CARGO_BIN_EXE_whypause"))
            .args(["record", "-d", "5s", "-p", &jvm.id().to_string(), "-o"])
            .arg(&directory)
            .args(means)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut peak = 0;
        while recorder.try_wait().unwrap().is_none() {
            peak = peak.max(anonymous_kib(recorder.id()));
            thread::sleep(Duration::from_millis(5));
        }
        assert!(recorder.wait().unwrap().success(), "{means:?}");
        let stops = Recording::open(&directory).unwrap().facts.safepoints.len();
        println!("{means:?}: {peak} KiB, {stops} stops");
        assert!(stops > 5, "{means:?}: {stops}");
        assert!(peak > 0 && peak <= MOST_KIB, "{means:?}: {peak} KiB");
        fs::remove_dir_all(directory).unwrap();
    }
    jvm.kill().unwrap();
    jvm.wait().unwrap();
}

fn anonymous_kib(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    line.and_then(|it| it.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}
