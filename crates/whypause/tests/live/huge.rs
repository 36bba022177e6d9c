//! A JVM that has much of all that the recorder reads of it: what that takes has a bound.
use crate::newest;
use recording::Recording;
use std::{
    fs, thread,
    time::{Duration, Instant},
};
use testing::{Java, PATIENCE, program};

/// What the recorder may take beside its program and its ring buffers, which no JVM makes larger. A
/// plain JVM makes it 7 MiB; all together is measured by `make bench-recorder`.
const MOST_KIB: u64 = 18 << 10;
/// Arguments to the JVM that it does not read. One may have 128 KiB.
const ARGUMENTS: usize = 16;
const ARGUMENT_BYTES: usize = 100 << 10;

#[test]
fn a_jvm_with_much_of_everything_costs_the_recorder_no_more_memory() {
    let Some(jdk) = newest() else { return };
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    let log = memory.path().join("gc.log");
    let mut command = jdk.java();
    command
        .args(["-XX:+UseSerialGC", "-Xmx128m", "-Xmn16m", "-XX:CICompilerCount=2"])
        // Its file of counters.
        .arg("-XX:PerfDataMemorySize=2m")
        .arg(format!("-Xlog:gc*,safepoint*:file={}:uptime,level,tags:filecount=0", log.display()))
        .arg(program("Huge"))
        .args([memory.path(), &log])
        .args(vec!["x".repeat(ARGUMENT_BYTES); ARGUMENTS]);
    let jvm = Java::start_by(command);
    for means in [&[][..], &["--ask-jvm"], &["--log-safepoints"], &["--without-ebpf"]] {
        let directory = memory.path().join("recording");
        let mut command = spawn::command(env!("CARGO_BIN_EXE_whypause"));
        command.args(["record", "-d", "5s", "-p", &jvm.pid(), "-o"]).arg(&directory).args(means);
        let mut recorder = spawn::Running::start(command).unwrap();
        let (mut peak, end) = (0, Instant::now() + PATIENCE);
        let status = loop {
            if let Some(status) = recorder.ended().unwrap() {
                break status;
            }
            assert!(Instant::now() < end, "{means:?}: it does not end");
            peak = peak.max(anonymous_kib(recorder.id()));
            thread::sleep(Duration::from_millis(5));
        };
        assert!(status.success(), "{means:?}");
        let stops = Recording::open(&directory).unwrap().facts.safepoints.len();
        println!("{means:?}: {peak} KiB, {stops} stops");
        assert!(stops > 5, "{means:?}: {stops}");
        assert!(peak > 0 && peak <= MOST_KIB, "{means:?}: {peak} KiB");
        fs::remove_dir_all(directory).unwrap();
    }
}

fn anonymous_kib(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    line.and_then(|it| it.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}
