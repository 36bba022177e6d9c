//! A JVM in namespaces of its own, as in a container.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may")]
mod common;

use common::{Java, busy, newest, record, signal};
use recorder::{Options, Roots};
use recording::Source;
use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

/// Where the JDK and the log are, in the JVM's own mount namespace only.
const INSIDE: &str = "/mnt/whypause-jdk";
const ENTER: &str = "\
mount -t tmpfs none /mnt && mkdir /mnt/whypause-jdk && \
mount --bind \"$0\" /mnt/whypause-jdk && exec /mnt/whypause-jdk/bin/java \"$@\"";

fn can_unshare() -> bool {
    let mut command = Command::new("unshare");
    command.args(["-m", "-p", "-f", "true"]).stderr(Stdio::null());
    let can = command.status().is_ok_and(|it| it.success());
    if !can {
        println!("SKIPPED: `unshare` cannot make namespaces here");
    }
    can
}

/// The process whose parent this is.
fn child_of(parent: u32) -> Option<u32> {
    let pids = fs::read_dir("/proc").ok()?.flatten();
    let mut pids = pids.filter_map(|it| it.file_name().to_str()?.parse::<u32>().ok());
    pids.find(|pid| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let fields = stat.rsplit_once(')').map(|(_, rest)| rest.to_owned()).unwrap_or_default();
        fields.split_ascii_whitespace().nth(1) == Some(parent.to_string().as_str())
    })
}

#[test]
fn a_jvm_in_its_own_namespaces_is_recorded_with_its_log() {
    let Some(home) = newest() else { return };
    if !can_unshare() {
        return;
    }
    let mut command = Command::new("unshare");
    command.args(["-m", "-p", "-f", "--mount-proc", "sh", "-c", ENTER]).arg(home);
    let mut flags = busy("-XX:+UseSerialGC");
    flags.push("-Xlog:gc,safepoint:file=/mnt/gc-%p.log:tn,tags");
    let java = Java::start_by(command, &flags, "Alloc", &["1", "2048"]);
    let pid = child_of(java.child.id()).unwrap();
    let jvm = recorder::jvm(&Roots::default(), pid).unwrap();
    assert_eq!(jvm.libjvm, format!("{INSIDE}/lib/server/libjvm.so"));
    assert!(!Path::new(INSIDE).exists());
    let enough = |it: &recording::Facts| it.safepoints.len() >= 20 && it.log_lines.len() >= 20;
    let facts = record(&jvm, Options::default(), enough);
    signal(pid, rustix::process::Signal::KILL);
    assert!(enough(&facts), "{} stops, {} lines", facts.safepoints.len(), facts.log_lines.len());
    let fact = facts.jvm.as_ref().unwrap();
    assert_eq!((fact.pid_in_namespace, fact.gc_log.as_str()), (1, "/mnt/gc-1.log"));
    assert!(!fact.version.is_empty());
    let coverage = facts.coverage.unwrap();
    assert!(coverage.has(Source::GcLog) && coverage.has(Source::Files), "{coverage:?}");
    assert_eq!(coverage.lost_events, 0);
}
