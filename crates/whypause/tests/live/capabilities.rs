//! A recorder of another user with the documented capabilities alone: what it may not inspect is never
//! reported as absent.
use crate::newest;
use recording::{Recording, Source, SourceState};
use std::{fs, os::unix::fs::PermissionsExt, path::Path, process::Command};
use testing::{Java, NOBODY, PATIENCE, runs};

/// `whypause` as a user without rights but these.
fn whypause(program: &Path, capabilities: &str) -> Command {
    let mut command = spawn::command("setpriv");
    command
        // the kernel forgets with the user that it is to end with the test
        .args(["--pdeathsig", "KILL"])
        .arg(format!("--reuid={NOBODY}"))
        .arg(format!("--regid={NOBODY}"))
        .arg("--clear-groups")
        .arg(format!("--bounding-set=-all,{capabilities}"))
        .arg(format!("--inh-caps=-all,{capabilities}"))
        .arg(format!("--ambient-caps=-all,{capabilities}"))
        .arg(program);
    command
}

#[test]
fn a_log_that_may_not_be_looked_at_is_not_reported_as_not_there() {
    let Some(jdk) = newest() else { return };
    if !runs("setpriv", ["--version"]) {
        println!("SKIPPED: no setpriv");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let open = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode));
    open(directory.path(), 0o755).unwrap();
    let program = directory.path().join("whypause");
    fs::copy(env!("CARGO_BIN_EXE_whypause"), &program).unwrap();
    let (out, hidden) = (directory.path().join("out"), directory.path().join("hidden"));
    fs::create_dir(&out).unwrap();
    std::os::unix::fs::chown(&out, Some(NOBODY), Some(NOBODY)).unwrap();
    fs::create_dir(&hidden).unwrap();
    open(&hidden, 0o700).unwrap();
    let log = format!("-Xlog:gc*:file={}", hidden.join("gc.log").display());
    let jvm = Java::start(&jdk, &["-Xmx128m", "-Xmn32m", "-XX:+UseSerialGC", &log], "Alloc");
    let four = "+bpf,+perfmon,+sys_ptrace,+syslog";
    let record = |name: &str, capabilities: &str, way: &[&str]| {
        let path = out.join(name);
        let mut command = whypause(&program, capabilities);
        command.args(["record", "-d", "1s", "-p", &jvm.pid(), "-o"]).arg(&path).args(way);
        let reported = spawn::run(command, PATIENCE).unwrap();
        let text = String::from_utf8_lossy(&reported.stderr).into_owned();
        assert!(reported.status.success(), "{text}");
        assert!(!text.contains("writes no GC log"), "{text}");
        assert!(!text.contains("keeps no counters"), "{text}");
        Recording::open(&path).unwrap().coverage().sources
    };
    let missing = |sources: &std::collections::BTreeMap<Source, SourceState>, source| match sources
        .get(&source)
    {
        Some(SourceState::Missing(why)) => why.clone(),
        other => panic!("{source:?}: {other:?}"),
    };
    let sources = record("four", four, &[]);
    for source in [Source::GcLog, Source::Files] {
        let why = missing(&sources, source);
        assert!(why.contains("CAP_DAC_READ_SEARCH"), "{why}");
    }
    // Stops are seen by the probes, and the JVM's own word can be read.
    assert!(matches!(sources.get(&Source::StopState), Some(SourceState::Recorded)), "{sources:?}");
    let sources = record("sampled", four, &["--without-ebpf"]);
    let why = missing(&sources, Source::SafepointCounters);
    assert!(why.contains("CAP_DAC_READ_SEARCH"), "{why}");
    let sources = record("five", &format!("{four},+dac_read_search"), &[]);
    assert!(matches!(sources.get(&Source::GcLog), Some(SourceState::Recorded)), "{sources:?}");
}
