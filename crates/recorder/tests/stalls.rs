//! Threads that cannot go on while the JVM runs: they are recorded when they go on, where they had begun to wait
//! before the recording, and where they still wait at its end.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may")]
mod common;

use common::newest;
use recorder::{Options, Session};
use recording::{Facts, Interval, MonoTime, OffCpuCause, ThreadSlice, ThreadState};
use std::{
    fs,
    io::{PipeReader, Read},
    net::TcpListener,
    time::{Duration, Instant},
};
use testing::{JvmProcess, PATIENCE, busy, program, until};

/// A JVM whose standard output this test reads, or does not.
struct Printers {
    jvm: JvmProcess,
    output: PipeReader,
}

impl Printers {
    fn start(arguments: &[&str]) -> Option<Printers> {
        let jdk = newest()?;
        let (mut output, write) = std::io::pipe().unwrap();
        let mut command = jdk.java();
        command.args(busy("-XX:+UseSerialGC")).arg(program("Printers")).args(arguments);
        command.stdout(write);
        let jvm = JvmProcess::of(spawn::Running::start(command).unwrap());
        output.read_exact(&mut [0; 6]).unwrap();
        Some(Printers { jvm, output })
    }

    fn jvm(&self) -> recorder::Jvm {
        recorder::jvm(&recorder::Roots::default(), self.jvm.id()).unwrap()
    }

    /// Reads what the pipe holds and more, so that its writer goes on and waits again.
    fn read(&mut self) {
        self.output.read_exact(&mut vec![0; 100 << 10]).unwrap();
    }

    /// Waits until a thread waits for this test to read.
    fn until_full(&self) {
        let tasks = format!("/proc/{}/task", self.jvm.id());
        let waits = |task: fs::DirEntry| {
            let call = fs::read_to_string(task.path().join("syscall")).unwrap_or_default();
            call.starts_with(&format!("{} 0x1 ", libc::SYS_write))
        };
        until("a thread waits for the reader", || {
            fs::read_dir(&tasks).unwrap().flatten().any(waits)
        });
    }
}

fn record(session: &mut Session, facts: &mut Facts, time: Duration) {
    let end = Instant::now() + time;
    while Instant::now() < end {
        facts.append(session.step().facts);
    }
}

/// The waits in a write to standard output.
fn writes(facts: &Facts) -> Vec<&ThreadSlice> {
    let write = Some(OffCpuCause::Syscall(i32::try_from(libc::SYS_write).unwrap()));
    let is_write = |it: &&ThreadSlice| {
        it.state == ThreadState::Blocked && it.entered == write && it.fd == Some(1)
    };
    facts.slices.iter().filter(is_write).collect()
}

fn name(facts: &Facts, tid: u32) -> &str {
    // HotSpot names a thread after it has started.
    facts.threads.iter().rfind(|it| it.tid == tid).map_or("", |it| &it.name)
}

#[test]
fn who_waits_for_a_reader_is_recorded_with_who_waits_for_that_thread() {
    let Some(mut printers) = Printers::start(&[]) else { return };
    let mut session = Session::attach(&printers.jvm(), Options::default()).unwrap();
    let begun = now();
    let mut facts = Facts::default();
    let is_enough = |facts: &Facts| {
        let has_waited =
            |it: &ThreadSlice| it.woken_by.is_some_and(|by| name(facts, by).starts_with("printer"));
        writes(facts).len() >= 3 && facts.slices.iter().any(has_waited)
    };
    let end = Instant::now() + PATIENCE;
    while !is_enough(&facts) && Instant::now() < end {
        record(&mut session, &mut facts, Duration::from_millis(300));
        printers.read();
    }
    facts.append(session.finish());
    assert!(is_enough(&facts), "{:?}", facts.slices);
    for it in writes(&facts) {
        assert!(name(&facts, it.tid).starts_with("printer"), "{it:?}");
        // The stack of an older wait is not known.
        assert!(it.stack.is_some() || it.interval.start <= begun, "{it:?}");
        assert_eq!(it.file, None);
    }
    let idle = |it: &&ThreadSlice| name(&facts, it.tid).starts_with("idle");
    assert_eq!(facts.slices.iter().find(idle), None, "who waits for work is left alone");
    assert_eq!(facts.coverage.unwrap().stalls_over, Some(Duration::from_millis(10)));
}

#[test]
fn a_stall_over_the_whole_recording_was_not_seen() {
    let Some(printers) = Printers::start(&[]) else { return };
    printers.until_full();
    let mut session = Session::attach(&printers.jvm(), Options::default()).unwrap();
    let begun = now();
    let mut facts = Facts::default();
    record(&mut session, &mut facts, Duration::from_millis(500));
    facts.append(session.finish());
    let writes = writes(&facts);
    let whole = writes.iter().any(|it| {
        it.interval
            .intersect(Interval::new(begun, begun + Duration::from_millis(500)))
            .is_some_and(|it| it.duration() == Duration::from_millis(500))
    });
    assert!(whole, "{writes:?}");
}

#[test]
fn a_stall_that_had_begun_before_the_recording_was_not_seen() {
    let Some(mut printers) = Printers::start(&[]) else { return };
    printers.until_full();
    let mut session = Session::attach(&printers.jvm(), Options::default()).unwrap();
    let begun = now();
    let mut facts = Facts::default();
    record(&mut session, &mut facts, Duration::from_millis(300));
    printers.read();
    record(&mut session, &mut facts, Duration::from_millis(300));
    facts.append(session.finish());
    let writes = writes(&facts);
    let first = writes.iter().find(|it| {
        it.interval.start <= begun && it.interval.duration() >= Duration::from_millis(300)
    });
    assert!(first.is_some(), "{writes:?}");
    let last = writes.iter().find(|it| it.interval.start > begun);
    assert!(last.is_some(), "the next one is not over: {writes:?}");
}

#[test]
fn a_full_send_buffer_is_recorded_with_the_address_of_its_peer() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let Some(mut printers) = Printers::start(&[&address.port().to_string()]) else { return };
    let (mut peer, _) = listener.accept().unwrap();
    let mut session = Session::attach(&printers.jvm(), Options::default()).unwrap();
    let mut facts = Facts::default();
    let socket = |facts: &Facts| {
        facts.files.iter().find(|it| it.file_system == "tcp").map(|it| (it.key, it.path.clone()))
    };
    let end = Instant::now() + PATIENCE;
    while socket(&facts).is_none() && Instant::now() < end {
        record(&mut session, &mut facts, Duration::from_millis(300));
        printers.read();
        let mut some = vec![0; 8 << 20];
        peer.read_exact(&mut some).unwrap();
    }
    facts.append(session.finish());
    let (key, path) = socket(&facts).expect("a socket");
    assert_eq!(path, address.to_string());
    let waits = facts.slices.iter().filter(|it| it.file == Some(key));
    assert!(waits.clone().count() > 0);
    // One that has just started may not be named yet.
    waits.for_each(|it| assert!(["sender-1", "java"].contains(&name(&facts, it.tid)), "{it:?}"));
}

#[test]
fn who_holds_the_mmap_lock_is_recorded_with_what_it_does() {
    let Some(jdk) = newest() else { return };
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    let mut command = jdk.java();
    command.args(busy("-XX:+UseSerialGC")).arg(program("Unmapper")).arg(dir.path().join("file"));
    let mut child = spawn::Running::start_heard(command).unwrap();
    child.says("ready", PATIENCE).unwrap();
    let jvm = JvmProcess::of(child);
    let of_jvm = recorder::jvm(&recorder::Roots::default(), jvm.id()).unwrap();
    let options = Options { stalls_over: Duration::from_millis(1), ..Options::default() };
    let mut session = Session::attach(&of_jvm, options).unwrap();
    let mut facts = Facts::default();
    let munmap = i32::try_from(libc::SYS_munmap).unwrap();
    // it waits in a call that changes mappings, and the other one gives the lock back
    let is_held = |facts: &Facts, it: &ThreadSlice| {
        let by = it.released_by.as_ref();
        name(facts, it.tid) == "mapper"
            && by.is_some_and(|by| {
                (by.pid, by.call) == (jvm.id(), Some(munmap)) && by.name == "unmapper"
            })
    };
    let end = Instant::now() + PATIENCE;
    while !facts.slices.iter().any(|it| is_held(&facts, it)) && Instant::now() < end {
        record(&mut session, &mut facts, Duration::from_millis(300));
    }
    facts.append(session.finish());
    assert!(facts.slices.iter().any(|it| is_held(&facts, it)), "{:?}", facts.slices);
}

fn now() -> MonoTime {
    recorder::now()
}
