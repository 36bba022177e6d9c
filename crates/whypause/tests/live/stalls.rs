//! What `watch` says of threads that stand while the JVM runs.
use crate::newest;
use std::{
    fs::File,
    io::Read,
    time::{Duration, Instant},
};
use testing::{Java, program, until};

/// How long no process reads what the thread writes.
const UNREAD: Duration = Duration::from_millis(200);

/// Reads all that is in the pipe; what is not there is not waited for.
fn empty(pipe: &mut File) {
    let mut all = Vec::new();
    // It ends where there is no more.
    let _ = pipe.read_to_end(&mut all);
}

#[test]
fn watch_tells_a_stall_when_it_is_over() {
    let Some(jdk) = newest() else { return };
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let path = directory.path().join("pipe");
    let mut pipe = testing::pipe(&path);
    let mut command = jdk.java();
    command.args(["-Xmx64m", "-XX:+UseSerialGC"]).arg(program("Pour")).arg(&path);
    let jvm = Java::start_by(command);
    let mut command = spawn::command(env!("CARGO_BIN_EXE_whypause"));
    command.args(["watch", "-p", &jvm.pid(), "--over", "100ms", "-d", "100s"]);
    let watch = spawn::Running::start_heard(command).unwrap();
    let mut read = Instant::now();
    let stalls = |text: &[u8]| {
        let text = String::from_utf8_lossy(text).into_owned();
        let lines = text.lines().filter(|it| it.contains("stall of")).map(str::to_owned);
        lines.collect::<Vec<_>>()
    };
    until("two stalls are told", || {
        if read.elapsed() >= UNREAD {
            empty(&mut pipe);
            read = Instant::now();
        }
        stalls(&watch.stdout()).len() >= 3
    });
    for (nth, it) in stalls(&watch.stdout()).iter().enumerate() {
        // Of a wait that had begun before the recording no stack is known, nor what it was for.
        let is_known = nth > 0 || !it.contains("unexplained");
        assert!(!is_known || it.contains("stall of 1 thread (pourer-*): pipe full"), "{it}");
        assert!(it.contains("pourer-1 in write()"), "{it}");
    }
}
