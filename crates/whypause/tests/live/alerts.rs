//! `watch --json`, `--exec` and `--webhook`: what other programs get of a JVM that stops again and again.
use crate::{newest, receiver::receiver};
use serde_json::Value;
use spawn::Running;
use std::{fs, net::SocketAddr, path::Path, process::Command, sync::mpsc::Receiver};
use testing::{Java, Jdk, PATIENCE, until};

/// A part of a path that no other user is to read.
const SECRET: &str = "T0P5ECRET";

/// Collects dozens of times a second, and is called like no other JVM of these tests.
fn jvm(jdk: &Jdk, name: &str) -> (Java, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let source = dir.path().join(format!("{name}.java"));
    fs::copy(testing::program("Alloc"), &source).unwrap();
    let mut command = jdk.java();
    command.args(testing::busy("-XX:+UseSerialGC")).arg(&source);
    (Java::start_by(command), dir)
}

/// A server for a webhook with the secret in its path, and the objects that it gets.
fn webhook() -> (SocketAddr, Receiver<Value>) {
    receiver(|head, body| {
        assert!(head.starts_with(&format!("POST /{SECRET} HTTP/1.1")), "{head}");
        serde_json::from_slice(body).unwrap()
    })
}

fn watch(arguments: &[&str]) -> Command {
    let mut command = spawn::command(env!("CARGO_BIN_EXE_whypause"));
    command.args(["watch", "--json", "--over", "1ms"]).args(arguments);
    command
}

fn validator() -> jsonschema::Validator {
    let mut command = spawn::command(env!("CARGO_BIN_EXE_whypause"));
    command.args(["schema", "watch"]);
    let schema = spawn::run(command, PATIENCE).unwrap().stdout;
    jsonschema::validator_for(&serde_json::from_slice(&schema).unwrap()).unwrap()
}

/// The objects in these lines, the last of which may be under way.
fn objects(text: &[u8]) -> Vec<Value> {
    let text = String::from_utf8(text.to_vec()).unwrap();
    let lines = text.split_inclusive('\n').filter_map(|it| it.strip_suffix('\n'));
    lines.map(|it| serde_json::from_str(it).unwrap_or_else(|e| panic!("{e}: {it}"))).collect()
}

/// Each is one of the schema, of this JVM, and an alert or none.
#[track_caller]
fn check(objects: &[Value], pid: &str, are_alerts: bool) {
    let validator = validator();
    for it in objects {
        let errors: Vec<String> = validator.iter_errors(it).map(|it| it.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}: {it}");
        assert_eq!(it["jvm"]["pid"].to_string(), pid, "{it}");
        assert_eq!(it.get("left_out").is_some(), are_alerts, "{it}");
    }
}

/// Waits until it has printed one of a pause: on a host that is short of CPUs threads also stall.
fn prints_a_pause(watch: &Running) {
    until("it prints a pause", || objects(&watch.stdout()).iter().any(|it| it["event"] == "pause"));
}

fn said(watch: &Running) -> String {
    String::from_utf8_lossy(&watch.stderr()).into_owned()
}

#[test]
fn a_command_and_a_webhook_get_what_is_printed_and_no_rights() {
    let Some(jdk) = newest() else { return };
    let (jvm, _source) = jvm(&jdk, "Alerting");
    let (to, requests) = webhook();
    let dir = tempfile::tempdir().unwrap();
    let [file, rights] = ["objects", "rights"].map(|it| dir.path().join(it).display().to_string());
    let exec = format!("sh -c 'cat >>{file}; cat /proc/$$/status >{rights}'");
    let url = dir.path().join("url");
    fs::write(&url, format!("http://{to}/{SECRET}\n")).unwrap();
    let webhook = format!("@{}", url.display());
    let mut command = watch(&["-p", &jvm.pid(), "--redact", "--alert-every", "200ms"]);
    command.args(["--exec", &exec, "--webhook", &webhook]);
    let mut watch = Running::start_heard(command).unwrap();
    let first = requests.recv_timeout(PATIENCE).unwrap();
    let second = requests.recv_timeout(PATIENCE).unwrap();
    until("the command got some, too", || {
        fs::read(&file).is_ok_and(|it| it.iter().filter(|it| **it == b'\n').count() >= 2)
    });
    assert_rights(watch.id());
    prints_a_pause(&watch);
    watch.terminate();
    assert!(watch.wait(PATIENCE).unwrap().success());
    check(&objects(&watch.stdout()), &jvm.pid(), false);
    check(&[first, second], &jvm.pid(), true);
    check(&objects(&fs::read(&file).unwrap()), &jvm.pid(), true);
    let printed = String::from_utf8(watch.stdout()).unwrap();
    assert!(printed.contains("\"host\":\"host-1\""), "{printed}");
    let said = said(&watch);
    assert!(said.contains(&format!("alerts to `sh` and `http://{to}`: pauses")), "{said}");
    for receiver in ["`sh`".to_owned(), format!("`http://{to}`")] {
        let line = said.lines().find(|it| it.starts_with(&format!("alerts to {receiver}: ")));
        assert!(line.is_some_and(|it| it.contains(" left out by --alert-every")), "{said}");
    }
    assert!(!said.contains(SECRET), "{said}");
    let rights = fs::read_to_string(&rights).unwrap();
    for line in ["CapInh", "CapPrm", "CapEff", "CapAmb"] {
        assert!(rights.contains(&format!("{line}:\t0000000000000000")), "{rights}");
    }
}

/// The threads that speak to receivers have no rights at all.
#[track_caller]
fn assert_rights(pid: u32) {
    let tasks = fs::read_dir(Path::new("/proc").join(pid.to_string()).join("task")).unwrap();
    let threads = tasks.filter_map(|it| fs::read_to_string(it.ok()?.path().join("status")).ok());
    let alerting: Vec<String> = threads.filter(|it| it.contains("whypause-alert")).collect();
    assert_eq!(alerting.len(), 2);
    for status in alerting {
        for line in ["CapEff:\t0000000000000000", "CapPrm:\t0000000000000000", "NoNewPrivs:\t1"] {
            assert!(status.contains(line), "{line}: {status}");
        }
    }
}

#[test]
fn each_line_of_many_jvms_says_whose_it_is() {
    let Some(jdk) = newest() else { return };
    let jvms = [jvm(&jdk, "Objects"), jvm(&jdk, "Objects")];
    let mut watch = Running::start_heard(watch(&["--all", "--match", "Objects"])).unwrap();
    until("there are lines of both", || {
        let objects = objects(&watch.stdout());
        let is_there = |pid: u32| objects.iter().any(|it| it["jvm"]["pid"] == pid);
        jvms.iter().all(|(jvm, _)| is_there(jvm.child.id()))
    });
    watch.terminate();
    assert!(watch.wait(PATIENCE).unwrap().success());
    assert!(!said(&watch).contains("alerts"), "{}", said(&watch));
}

#[test]
fn a_secret_reaches_the_part_that_watches_and_no_list_of_processes() {
    let Some(jdk) = newest() else { return };
    let (to, requests) = webhook();
    let mut command = watch(&["--wait", "--match", "Secretive", "--alert-every", "200ms"]);
    command.env("WHYPAUSE_WEBHOOK", format!("http://{to}/{SECRET}"));
    let mut watch = Running::start_heard(command).unwrap();
    let (jvm, _source) = jvm(&jdk, "Secretive");
    let first = requests.recv_timeout(PATIENCE).unwrap();
    check(&[first], &jvm.pid(), true);
    for process in fs::read_dir("/proc").unwrap() {
        let words = fs::read(process.unwrap().path().join("cmdline")).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&words).contains(SECRET));
    }
    prints_a_pause(&watch);
    watch.terminate();
    assert!(watch.wait(PATIENCE).unwrap().success());
    check(&objects(&watch.stdout()), &jvm.pid(), false);
    assert!(!said(&watch).contains(SECRET), "{}", said(&watch));
}
