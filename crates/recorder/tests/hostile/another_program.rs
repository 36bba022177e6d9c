//! The JVM's process becomes another program, or its id another process: what follows is no fact about
//! the JVM.
use crate::common::{Java, newest};
use recorder::{AttachError, Options, SampledSession, Session, Step};
use recording::{Coverage, Facts};
use std::{fs, io::Write, process::Stdio, time::Instant};
use testing::{PATIENCE, busy, program, until};

/// A recording of either kind.
trait Recording {
    fn step(&mut self) -> Step;
    fn finish(self) -> Facts;
}

impl Recording for Session {
    fn step(&mut self) -> Step {
        Session::step(self)
    }

    fn finish(self) -> Facts {
        Session::finish(self)
    }
}

impl Recording for SampledSession {
    fn step(&mut self) -> Step {
        SampledSession::step(self)
    }

    fn finish(self) -> Facts {
        SampledSession::finish(self)
    }
}

/// Steps until the recording says that it is over.
fn ended(mut recording: impl Recording) -> Facts {
    let end = Instant::now() + PATIENCE;
    let mut facts = Facts::default();
    while !{
        let step = recording.step();
        facts.append(step.facts);
        step.exited
    } {
        assert!(Instant::now() < end, "it goes on");
    }
    facts.append(recording.finish());
    facts
}

/// A JVM that becomes this program on command; none where no JDK here can do that.
fn before(program: &[&str]) -> Option<Java> {
    let jdk = newest()?;
    if jdk.major < 22 {
        println!("SKIPPED: no JDK from 22 on, which can call `execv`");
        return None;
    }
    let mut command = jdk.java();
    command.stdin(Stdio::piped());
    let mut flags = busy("-XX:+UseSerialGC");
    flags.push("--enable-native-access=ALL-UNNAMED");
    Some(Java::start_by(command, &flags, "Exec", program))
}

fn become_it(java: &mut Java) {
    java.child.stdin().unwrap().write_all(b"\n").unwrap();
}

fn check_end(coverage: &Coverage) {
    assert_eq!(coverage.end, "the JVM's process became another program");
    let reported = coverage.notes.iter().any(|it| it.message.contains("became another program"));
    assert!(reported, "{:?}", coverage.notes);
}

#[test]
fn a_jvm_that_becomes_another_program_ends_the_recording() {
    let Some(mut java) = before(&["/bin/sleep", "600"]) else { return };
    let session = Session::attach(&java.jvm(), Options::default()).unwrap();
    become_it(&mut java);
    check_end(&ended(session).coverage.unwrap());
}

#[test]
fn a_jvm_that_becomes_another_program_ends_the_sampling() {
    let Some(mut java) = before(&["/bin/sleep", "600"]) else { return };
    let session = SampledSession::start(&java.jvm(), Options::default()).unwrap();
    become_it(&mut java);
    check_end(&ended(session).coverage.unwrap());
}

#[test]
fn a_jvm_that_has_become_another_program_before_the_attach_is_refused() {
    let Some(mut java) = before(&["/bin/sleep", "600"]) else { return };
    let jvm = java.jvm();
    become_it(&mut java);
    let name = format!("/proc/{}/comm", jvm.pid);
    until("it is another", || fs::read_to_string(&name).unwrap().trim() == "sleep");
    let exited = AttachError::Exited { pid: jvm.pid };
    assert_eq!(Session::attach(&jvm, Options::default()).unwrap_err(), exited);
    assert_eq!(SampledSession::start(&jvm, Options::default()).unwrap_err(), exited);
}

#[test]
fn a_jvm_that_starts_itself_anew_ends_the_recording() {
    let Some(jdk) = newest() else { return };
    let (java, source) = (jdk.tool("java"), program("Alloc"));
    let again = [java.to_str().unwrap(), "-Xmx64m", source.to_str().unwrap()];
    let Some(mut java) = before(&again) else { return };
    let session = Session::attach(&java.jvm(), Options::default()).unwrap();
    become_it(&mut java);
    check_end(&ended(session).coverage.unwrap());
}

#[test]
fn a_jvm_whose_id_another_process_has_by_now_has_exited() {
    let Some(jdk) = newest() else { return };
    let mut java = Java::start(&jdk, &busy("-XX:+UseSerialGC"), "Alloc", &[]);
    let pid = java.child.id();
    let session = Session::attach(&java.jvm(), Options::default()).unwrap();
    java.child.kill().unwrap();
    let Some(successor) = successor(pid) else {
        println!("SKIPPED: the id is not given again");
        return;
    };
    let facts = ended(session);
    assert_eq!(facts.coverage.unwrap().end, "the JVM exited");
    let names: Vec<_> = facts.threads.iter().map(|it| it.name.as_str()).collect();
    assert!(!names.contains(&"sleep"), "{names:?}");
    drop(successor);
}

/// A process with this id. The next one has the number after the last, unless another process comes first.
fn successor(pid: u32) -> Option<spawn::Running> {
    let mut found = None;
    let mut tries = 0;
    until("the id is given again", || {
        tries += 1;
        let last = fs::write("/proc/sys/kernel/ns_last_pid", (pid - 1).to_string());
        if last.is_err() || tries > 200 {
            return true;
        }
        let mut command = spawn::command("sleep");
        command.arg("600");
        let sleep = spawn::Running::start(command).unwrap();
        found = (sleep.id() == pid).then_some(sleep);
        found.is_some()
    });
    found
}
