//! What is left to a process that root starts for another user.
#![allow(clippy::print_stdout, reason = "a test may")]
use super::*;
use crate::Running;
use std::{fs, time::Duration};

const PATIENCE: Duration = Duration::from_secs(60);
/// `UID:CAPABILITIES` that this test program, started again, is to take on.
const PART: &str = "SPAWN_TEST_IDENTITY";
const NOBODY: u32 = 65534;

/// The other process: it changes its identity, and waits.
fn is_the_part() {
    let Ok(what) = std::env::var(PART) else { return };
    let (uid, capabilities) = what.split_once(':').unwrap();
    let uid = uid.parse().unwrap();
    let capabilities = capabilities.parse().unwrap();
    // In the one thread that is to go on: the others of a test program only wait.
    Identity { uid, gid: uid, groups: Vec::new(), capabilities }.assume(None).unwrap();
    println!("is assumed");
    loop {
        std::thread::park();
    }
}

/// What `/proc` shows of the thread that has taken an identity with these capabilities.
fn status_of(test: &str, uid: u32, capabilities: CapabilitySet) -> Option<(Running, String)> {
    is_the_part();
    if !geteuid().is_root() {
        println!("SKIPPED: not root");
        return None;
    }
    let mut command = crate::command(std::env::current_exe().unwrap());
    crate::without_environment(&mut command);
    command.args(["--exact", "--nocapture", test]);
    command.env(PART, format!("{uid}:{}", capabilities.bits()));
    let mut part = Running::start_heard(command).unwrap();
    part.says("is assumed", PATIENCE).unwrap();
    let tasks = fs::read_dir(format!("/proc/{}/task", part.id())).unwrap();
    let texts = tasks.map(|it| fs::read_to_string(it.unwrap().path().join("status")).unwrap());
    let status = texts.into_iter().find(|it| it.contains("NoNewPrivs:\t1")).unwrap();
    Some((part, status))
}

fn line<'a>(status: &'a str, name: &str) -> &'a str {
    let line = status.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix(":\t"));
    line.unwrap_or_else(|| panic!("no {name} in {status}"))
}

fn check(status: &str, uid: u32, kept: CapabilitySet) {
    assert_eq!(line(status, "Uid"), format!("{uid}\t{uid}\t{uid}\t{uid}"));
    assert_eq!(line(status, "Gid"), format!("{uid}\t{uid}\t{uid}\t{uid}"));
    assert_eq!(line(status, "Groups").trim(), "");
    for (name, wanted) in [
        ("CapEff", kept),
        ("CapPrm", kept),
        ("CapInh", CapabilitySet::empty()),
        ("CapAmb", CapabilitySet::empty()),
    ] {
        let has = u64::from_str_radix(line(status, name), 16).unwrap();
        assert_eq!(has, wanted.bits(), "{name}");
    }
}

#[test]
fn other_user_inherits_nothing_of_root_and_cannot_read_its_variables() {
    let test = "identity::tests::other_user_inherits_nothing_of_root_and_cannot_read_its_variables";
    let Some((part, status)) = status_of(test, NOBODY, CapabilitySet::all()) else { return };
    check(&status, NOBODY, CapabilitySet::empty());
    let bounds = u64::from_str_radix(line(&status, "CapBnd"), 16).unwrap();
    assert_eq!(bounds, OF_FILES.bits());
    let environ = fs::read(format!("/proc/{}/environ", part.id())).unwrap();
    let variables = environ.split(|it| *it == 0).map(String::from_utf8_lossy);
    let names: Vec<String> =
        variables.filter_map(|it| Some(it.split_once('=')?.0.to_owned())).collect();
    assert!(names.iter().all(|it| HARMLESS.contains(&&**it) || it == PART), "{names:?}");
}

#[test]
fn a_root_of_a_container_gets_no_more_than_it_has_there() {
    let test = "identity::tests::a_root_of_a_container_gets_no_more_than_it_has_there";
    let theirs = CapabilitySet::MKNOD | CapabilitySet::DAC_OVERRIDE;
    let Some((_part, status)) = status_of(test, 0, theirs) else { return };
    check(&status, 0, CapabilitySet::DAC_OVERRIDE);
    let bounds = u64::from_str_radix(line(&status, "CapBnd"), 16).unwrap();
    assert_eq!(bounds, CapabilitySet::DAC_OVERRIDE.bits());
}

#[test]
fn what_a_thread_without_rights_starts_has_no_capability() {
    let status = std::thread::spawn(|| {
        without_rights().unwrap();
        let mut command = crate::command("grep");
        command.args(["-E", "^(Cap(Inh|Prm|Eff|Amb)|NoNewPrivs)", "/proc/self/status"]);
        crate::run(command, std::time::Duration::from_secs(60)).unwrap().stdout
    });
    let status = String::from_utf8(status.join().unwrap()).unwrap();
    let values: Vec<_> = status.lines().filter_map(|it| it.split_once(":\t")).collect();
    assert_eq!(values.len(), 5, "{status}");
    for (name, value) in values {
        let wanted = if name == "NoNewPrivs" { "1" } else { "0000000000000000" };
        assert_eq!(value, wanted, "{name}");
    }
}
