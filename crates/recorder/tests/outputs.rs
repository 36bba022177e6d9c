//! A GC log on standard output: the recorder names the process that holds the other end of the pipe
//! and says what it does, with eBPF and by samples.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may")]
mod common;

use common::{newest, record};
use recorder::{Options, SampledSession, Step};
use recording::{Facts, OffCpuCause, OutputKind, Source, SourceState, ThreadSlice};
use rustix::process::Signal;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};
use testing::{Jdk, JvmProcess, PATIENCE, busy, program, signal};

/// Size of the pipe: this many bytes are written in a few stops.
const PIPE_BYTES: usize = 4096;

/// A JVM whose GC log goes to a pipe, and `cat`, which reads that and is stopped most of the time.
struct Piped {
    jvm: JvmProcess,
    reader: spawn::Running,
    ends: Arc<AtomicBool>,
    hand: Option<JoinHandle<()>>,
}

/// A JVM with these flags whose standard output is a pipe, and `cat`, which reads that.
fn piped(jdk: &Jdk, flags: &[&str]) -> (JvmProcess, spawn::Running) {
    let (read, write) = std::io::pipe().unwrap();
    rustix::pipe::fcntl_setpipe_size(&write, PIPE_BYTES).unwrap();
    let mut command = spawn::command("cat");
    command.stdin(read);
    let mut reader = spawn::Running::start_heard(command).unwrap();
    let mut command = jdk.java();
    command.args(busy("-XX:+UseSerialGC")).args(flags).arg(program("Alloc")).stdout(write);
    let jvm = JvmProcess::of(spawn::Running::start(command).unwrap());
    reader.says("ready", PATIENCE).unwrap();
    (jvm, reader)
}

impl Piped {
    fn start(jdk: &Jdk) -> Piped {
        let (jvm, reader) = piped(jdk, &["-Xlog:gc*=debug,safepoint*=debug"]);
        let (ends, pid) = (Arc::new(AtomicBool::new(false)), reader.id());
        let stop = Arc::clone(&ends);
        let hand = std::thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                signal(pid, Signal::STOP);
                std::thread::sleep(Duration::from_millis(700));
                signal(pid, Signal::CONT);
                std::thread::sleep(Duration::from_millis(100));
            }
        });
        Piped { jvm, reader, ends, hand: Some(hand) }
    }

    fn jvm(&self) -> recorder::Jvm {
        recorder::jvm(&recorder::Roots::default(), self.jvm.id()).unwrap()
    }
}

impl Drop for Piped {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        let _ = self.hand.take().map(JoinHandle::join);
        self.jvm.kill();
        let _ = self.reader.ends_within(PATIENCE);
    }
}

fn waits_in_write<'a>(facts: &'a Facts, function: &str) -> Vec<&'a ThreadSlice> {
    let has = |it: &&ThreadSlice| {
        let stack = facts.stacks.iter().find(|stack| Some(stack.id) == it.stack);
        stack.is_some_and(|it| it.frames.iter().any(|frame| frame.contains(function)))
            && it.interval.duration() > Duration::from_millis(100)
    };
    facts.slices.iter().filter(has).collect()
}

fn is_enough(facts: &Facts) -> bool {
    let stopped = facts.output_readers.iter().any(|it| it.state == "T");
    stopped && !waits_in_write(facts, "pipe_write").is_empty()
}

/// The pipe, its reader, what that did, and the thread that waited for it.
fn check(facts: &Facts, reader: u32) {
    let output = facts.outputs.iter().rfind(|it| it.fd == 1).unwrap();
    assert_eq!((output.kind, output.gc_log, output.hidden.as_str()), (OutputKind::Pipe, true, ""));
    assert!(output.inspected > 1, "{output:?}");
    let readers: Vec<_> = facts.output_readers.iter().filter(|it| it.fd == 1).collect();
    assert!(readers.iter().all(|it| it.pid == reader && it.name == "cat"), "{readers:?}");
    assert!(readers.iter().any(|it| it.state == "T"), "{readers:?}");
    let counter = format!("output_reader.{reader}.read_bytes");
    assert!(facts.samples.iter().any(|it| it.counter == counter));
    let waits = waits_in_write(facts, "pipe_write");
    let write = Some(OffCpuCause::Syscall(i32::try_from(libc::SYS_write).unwrap()));
    assert!(waits.iter().any(|it| it.entered == write && it.fd == Some(1)), "{waits:?}");
    let missing = "the JVM writes its GC log to standard output, which cannot be read back";
    let state = &facts.coverage.as_ref().unwrap().sources[&Source::GcLog];
    assert_eq!(*state, SourceState::Missing(missing.into()));
}

#[test]
fn the_process_that_does_not_read_the_log_is_found() {
    let Some(jdk) = newest() else { return };
    let piped = Piped::start(&jdk);
    check(&record(&piped.jvm(), Options::default(), is_enough), piped.reader.id());
}

#[test]
fn samples_show_it_too() {
    let Some(jdk) = newest() else { return };
    let piped = Piped::start(&jdk);
    let mut session = SampledSession::start(&piped.jvm(), Options::default()).unwrap();
    let (end, mut all) = (Instant::now() + PATIENCE, Facts::default());
    while Instant::now() < end && !is_enough(&all) {
        let Step { facts, .. } = session.step();
        all.append(facts);
    }
    all.append(session.finish());
    check(&all, piped.reader.id());
}

/// Neither a file nor `/dev/null` has a reader, and there is no search.
#[test]
fn where_the_log_is_a_file_nobody_is_searched_for() {
    let Some(jdk) = newest() else { return };
    let log = tempfile::NamedTempFile::new_in("/dev/shm").unwrap();
    let (jvm, _reader) = piped(&jdk, &[&format!("-Xlog:gc:file={}", log.path().display())]);
    let jvm = recorder::jvm(&recorder::Roots::default(), jvm.id()).unwrap();
    let facts = record(&jvm, Options::default(), |it| it.safepoints.len() > 10);
    let output = facts.outputs.iter().find(|it| it.fd == 1).unwrap();
    assert_eq!((output.gc_log, output.inspected), (false, 0));
    assert!(facts.output_readers.is_empty());
}
