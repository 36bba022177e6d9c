//! A JVM in namespaces of its own, as in a container.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may")]
mod common;

use common::{
    Java, child_of,
    container::{Container, below_root, group, inner},
    newest, record,
};
use recorder::{Options, Roots};
use recording::{Source, ThreadState};
use std::path::Path;
use testing::{busy, runs, signal};

/// Where the JDK and the log are, in the JVM's own mount namespace only.
const INSIDE: &str = "/mnt/whypause-jdk";
const ENTER: &str = "\
mount -t tmpfs none /mnt && mkdir /mnt/whypause-jdk && \
mount --bind \"$0\" /mnt/whypause-jdk && exec /mnt/whypause-jdk/bin/java \"$@\"";

fn can_unshare() -> bool {
    let can = runs("unshare", ["-m", "-p", "-f", "true"]);
    if !can {
        println!("SKIPPED: `unshare` cannot make namespaces here");
    }
    can
}

#[test]
fn a_jvm_in_its_own_namespaces_is_recorded_with_its_log() {
    let Some(jdk) = newest() else { return };
    if !can_unshare() {
        return;
    }
    let mut command = spawn::command("unshare");
    command
        .args(["-m", "-p", "-f", "--kill-child", "--mount-proc", "sh", "-c", ENTER])
        .arg(jdk.home);
    let mut flags = busy("-XX:+UseSerialGC");
    flags.push("-Xlog:gc,safepoint:file=/mnt/gc-%p.log:tn,tags");
    let java = Java::start_by(command, &flags, "Alloc", &["1", "2048"]);
    let pid = child_of(java.child.id()).unwrap();
    let jvm = recorder::jvm(&Roots::default(), pid).unwrap();
    assert_eq!(jvm.libjvm, format!("{INSIDE}/lib/server/libjvm.so"));
    assert!(!Path::new(INSIDE).exists());
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

/// Enough to see that it is recorded as any other JVM.
fn enough(it: &recording::Facts) -> bool {
    it.safepoints.len() >= 20 && it.log_lines.len() >= 20
}

#[test]
fn jvm_in_user_namespace_container_is_recorded_with_log_on_overlay() {
    let Some(jdk) = newest() else { return };
    let Some(group) = group("plain") else { return };
    let mut flags = busy("-XX:+UseSerialGC");
    flags.push("-Xlog:gc,safepoint:file=/tmp/gc-%p.log:tn,tags");
    let Some(container) = Container::start(&jdk, &flags, Some(&inner(&group))) else { return };
    let found = recorder::find_jvms(&Roots::default()).jvms;
    let jvm = found.into_iter().find(|it| it.pid == container.pid).unwrap();
    let mut facts = record(&jvm, Options::default(), enough);
    assert!(enough(&facts), "{} stops, {} lines", facts.safepoints.len(), facts.log_lines.len());
    // It asks who is at the other end, and in its namespace our root is nobody.
    let never = std::sync::atomic::AtomicBool::new(false);
    let names = recorder::ThreadNames::request(&Roots::default(), &jvm, &never).unwrap();
    names.apply(&mut facts);
    // The kernel's name is two bytes shorter.
    assert!(facts.threads.iter().any(|it| it.name == "Reference Handler"), "{:?}", facts.threads);
    let fact = facts.jvm.as_ref().unwrap();
    assert_eq!((fact.pid_in_namespace, fact.gc_log.as_str()), (1, "/tmp/gc-1.log"));
    assert!(!fact.version.is_empty());
    let log = facts.files.iter().find(|it| Some(it.key) == fact.gc_log_file).unwrap();
    assert_eq!((log.file_system.as_str(), log.mount_point.as_str()), ("overlay", "/tmp"));
    let coverage = facts.coverage.unwrap();
    for source in [Source::GcLog, Source::Files, Source::CgroupLimits] {
        assert!(coverage.has(source), "{source:?}: {coverage:?}");
    }
    let cgroup = facts.cgroup.unwrap();
    assert_eq!(cgroup.cpu_path, format!("{}/container", below_root(&group)));
}

#[test]
fn the_quota_of_the_group_around_a_container_is_named() {
    let Some(jdk) = newest() else { return };
    let Some(group) = group("quota") else { return };
    let flags = busy("-XX:+UseSerialGC");
    let Some(container) = Container::start(&jdk, &flags, Some(&inner(&group))) else { return };
    group.quota_ms(20);
    let jvm = recorder::jvm(&Roots::default(), container.pid).unwrap();
    let is_throttled = |it: &recording::Facts| {
        it.slices.iter().filter(|it| it.state == ThreadState::Throttled).count() >= 10
    };
    let facts = record(&jvm, Options::default(), is_throttled);
    // Ended before it is looked at: with so little CPU time that takes a while.
    group.quota_ms(200);
    assert!(is_throttled(&facts));
    let cgroup = facts.cgroup.unwrap();
    assert_eq!(cgroup.cpu_path, below_root(&group));
    assert_eq!(cgroup.cpu_quota, Some(std::time::Duration::from_millis(20)));
}
