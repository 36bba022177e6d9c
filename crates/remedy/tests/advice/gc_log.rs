//! A GC log whose writes wait.
use crate::{advised, reported};
use diagnose::{Culprit, CulpritKind, Detail};

const CAUSE: &str = "gc-log-write-blocked";

/// The VM thread blocks in the log write of a young collection.
const BLOCKED: &str = "
    jvm 17.0.15 g1 log gc.log flags -Xlog:gc*:file=gc.log
    thread 1 vm-thread VM Thread
    safepoint 0ms 1000ms op G1CollectForAllocation 1ms 999ms vm 1
    1 on-cpu 0ms 10ms
    1 blocked 10ms 990ms write gc.log stack io_schedule do_get_write_access ext4_dirty_inode vfs_write
    1 on-cpu 990ms 1000ms";

const PIPE: &str = "
    jvm 17.0.15 g1 flags -Xlog:gc*
    thread 1 vm-thread VM Thread
    output 1 pipe pipe:[9] log looked 40 0
    reader 1 77 cat T 100ms
    reader 1 77 cat S 900ms
    safepoint 0ms 1000ms op G1CollectForAllocation 1ms 999ms vm 1
    1 on-cpu 0ms 10ms
    1 blocked 10ms 990ms write fd1 stack schedule anon_pipe_write vfs_write ksys_write
    1 on-cpu 990ms 1000ms";

#[test]
fn a_flag_already_given_is_not_advised() {
    assert!(advised(CAUSE, BLOCKED).contains("-Xlog:async"));
    let given = |flag: &str| BLOCKED.replace("flags ", &format!("flags {flag} "));
    assert!(!advised(CAUSE, &given("-Xlog:async")).contains("at the next start"));
    assert!(!advised(CAUSE, &given("-Xlog:async:stall")).contains("at the next start"));
    assert!(
        advised(CAUSE, &given("-Xlog:gc:async.log")).contains("at the next start: -Xlog:async")
    );
}

#[test]
fn a_jdk_without_asynchronous_logging_is_not_told_to_use_it() {
    let advice = advised(CAUSE, &BLOCKED.replace("17.0.15", "11.0.31"));
    assert!(!advice.contains("-Xlog:async"), "{advice}");
    assert!(advice.contains("now: jcmd 4242 VM.log output=file=/dev/shm/gc-"), "{advice}");
    let next = "at the next start: '-Xlog:gc*:file=/dev/shm/gc-%p.log:";
    assert!(advice.contains(next) && advice.contains("filecount=2,filesize=8m"), "{advice}");
    assert!(advice.contains("in place of -Xlog:gc*:file=gc.log"), "{advice}");
}

/// In memory it would grow until there is none left.
#[test]
fn a_log_of_java_8_in_memory_has_a_bound() {
    let old = BLOCKED.replace("17.0.15", "1.8.0_412").replace("-Xlog:gc*:file=", "-Xloggc:");
    let advice = advised(CAUSE, &old);
    assert!(!advice.contains("jcmd"), "{advice}");
    let flags = "-Xloggc:/dev/shm/gc-%p.log -XX:+UseGCLogFileRotation -XX:NumberOfGCLogFiles=2 -XX:GCLogFileSize=8M";
    assert!(advice.contains(&format!("at the next start: {flags}")), "{advice}");
    assert!(advice.contains("in place of -Xloggc:gc.log"), "{advice}");
}

#[test]
fn who_fills_the_disk_can_be_bound() {
    let alone = advised(CAUSE, BLOCKED);
    assert!(!alone.contains("ionice"), "{alone}");
}

/// Only where its writes were seen, and were most of all.
#[test]
fn a_jvm_that_fills_the_disk_itself_is_told_to_compress_its_log() {
    let mut diagnosis = diagnose::facts_text::diagnose(BLOCKED);
    let culprit = |pid| Culprit {
        kind: CulpritKind::Process,
        name: "java".into(),
        pid: Some(pid),
        statement: "java wrote".into(),
    };
    let at = diagnosis.findings.iter().position(|it| it.cause.id == CAUSE).expect("it struck");
    diagnosis.findings[at].culprits = vec![culprit(4242)];
    let unknown = reported(CAUSE, &diagnosis);
    assert!(!unknown.contains("whypause-logback") && !unknown.contains("ionice"), "{unknown}");
    diagnosis.findings[at].detail = Detail::OwnWrites;
    let own = reported(CAUSE, &diagnosis);
    assert!(own.contains("in the code: compress this JVM's own log"), "{own}");
    assert!(own.contains("whypause-logback:0.1.0") && own.contains("whypause-log4j2:0.1.0"));
    assert!(!own.contains("ionice"), "{own}");
    diagnosis.findings[at].culprits.push(culprit(991));
    assert!(reported(CAUSE, &diagnosis).contains("ionice -c 3 -p 991"));
}

#[test]
fn an_output_is_switched_off_and_not_only_doubled() {
    let advice = advised(CAUSE, PIPE);
    let now = "now: jcmd 4242 VM.log output=file=/dev/shm/gc-0.log 'what=all=warning,gc*' decorators=time,uptime,level,tags output_options=filecount=2,filesize=8m\n\
               jcmd 4242 VM.log output=stdout what=all=off (";
    assert!(advice.contains(now), "{advice}");
    let next = "at the next start: -Xlog:disable '-Xlog:all=warning,gc*:file=/dev/shm/gc-%p.log:";
    assert!(advice.contains(next), "{advice}");
    assert!(advice.contains("at the next start: -Xlog:async (instead, to keep"), "{advice}");
    let stderr =
        PIPE.replace("output 1", "output 2").replace("fd1", "fd2").replace("reader 1", "reader 2");
    assert!(advised(CAUSE, &stderr).contains("VM.log output=stderr what=all=off"));
}

#[test]
fn what_an_output_is_reported_fits_the_jdk() {
    let of = |version: &str| advised(CAUSE, &PIPE.replace("17.0.15", version));
    assert!(!of("11.0.31").contains("-Xlog:async"));
    let old = of("1.8.0_412");
    assert!(!old.contains("jcmd") && old.contains("-Xloggc:/dev/shm/gc-%p.log"), "{old}");
}

/// The VM thread blocks on a counter before it has even asked the threads to stop.
const COUNTERS: &str = "
    jvm 17.0.15 g1
    counter sun.rt.safepoints 896
    thread 1 vm-thread VM Thread
    safepoint 0ms 130ms op G1CollectForAllocation 120ms 129ms vm 1
    1 blocked 2ms 117ms fault /tmp/hsperfdata_app/42 offset 896 stack io_schedule do_get_write_access ext4_dirty_inode file_update_time ext4_page_mkwrite do_page_mkwrite
    1 on-cpu 117ms 130ms";

#[test]
fn counters_leave_the_disk_with_a_flag_or_a_mount_before_the_start() {
    let advice = advised("hsperfdata-write-blocked", COUNTERS);
    assert!(
        advice.contains("at the next start: -XX:+PerfDisableSharedMem (jps and jstat"),
        "{advice}"
    );
    assert!(advice.contains("tmpfs /tmp/hsperfdata_app ("), "{advice}");
    assert!(advice.contains("hides the files of JVMs that run already, and goes at a reboot"));
    for given in ["-XX:+PerfDisableSharedMem", "-XX:-UsePerfData"] {
        let given = COUNTERS.replace("g1", &format!("g1 flags {given}"));
        assert!(!advised("hsperfdata-write-blocked", &given).contains("PerfDisableSharedMem"));
    }
}
