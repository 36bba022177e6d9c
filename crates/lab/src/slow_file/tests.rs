//! What a slow file promises: limits hold, change and end while a request waits, and nothing hangs
//! when its server is stopped or killed.
use super::*;
use crate::{cleanup, test_dir::TestDir};
use std::{
    fs::{File, OpenOptions},
    os::unix::fs::FileExt,
};
use testing::{PATIENCE, until};

/// What the program of the tests is to serve, instead of running tests.
pub(super) const SERVED: &str = "WHYPAUSE_LAB_TEST_SERVED";

const MEMORY: Storage = Storage::Memory { most_mib: 256 };

/// Not a test of its own: the server of the other tests, when the variable says so.
#[test]
fn server_of_the_tests() {
    let Ok(served) = std::env::var(SERVED) else { return };
    let served: Served = serde_json::from_str(&served).unwrap();
    serve(&served, &mut std::io::stdout()).unwrap();
    // the rest of the program of the tests would print what nobody wants to read
    std::process::exit(0);
}

/// A work directory that goes away with the test, and its journal.
struct TestPlace {
    cleanup: Cleanup,
    dir: WorkDir,
    _parent: TestDir,
}

impl TestPlace {
    /// `None`, and the reason is printed, where there can be no slow file.
    fn new() -> Option<TestPlace> {
        if let Err(reason) = can_run(256) {
            println!("SKIPPED: {reason}");
            return None;
        }
        let parent = TestDir::new();
        let dir = WorkDir::open(&parent.path().join("lab")).unwrap();
        let (cleanup, _) = Cleanup::open(&dir).unwrap();
        Some(TestPlace { cleanup, dir, _parent: parent })
    }

    fn file(&mut self, storage: Storage) -> SlowFile {
        SlowFile::create(&mut self.cleanup, &self.dir, "disk", 64 << 20, storage).unwrap()
    }

    fn is_empty(&self) -> bool {
        !cleanup::is_mount_point(&self.dir.path().join("disk/served")).unwrap()
            && !self.dir.path().join("disk").exists()
    }
}

/// What a thread answers, which is not waited for for ever.
#[track_caller]
fn answer<T>(thread: std::thread::JoinHandle<T>) -> T {
    until("the thread ends", || thread.is_finished());
    thread.join().unwrap()
}

fn open(file: &SlowFile) -> File {
    OpenOptions::new().read(true).write(true).open(file.path()).unwrap()
}

#[test]
fn written_data_is_read_from_memory_and_from_disk() {
    for storage in [MEMORY, Storage::Disk] {
        let Some(mut place) = TestPlace::new() else { return };
        let file = open(&place.file(storage));
        assert_eq!(file.metadata().unwrap().len(), 64 << 20);
        let data: Vec<_> = (0..1_000_000_u32).map(|it| (it % 251) as u8).collect();
        file.write_all_at(&data, 12_345).unwrap();
        let mut read = vec![0; data.len()];
        file.read_exact_at(&mut read, 12_345).unwrap();
        assert_eq!(read, data);
        file.sync_all().unwrap();
        drop(file);
        place.cleanup.undo_all().unwrap();
        assert!(place.is_empty());
    }
}

#[test]
fn limits_hold_for_bytes_and_for_requests() {
    let Some(mut place) = TestPlace::new() else { return };
    let slow = place.file(MEMORY);
    let file = open(&slow);
    let takes = |work: &dyn Fn()| {
        let begun = Instant::now();
        work();
        begun.elapsed()
    };
    let mut block = vec![1; 1 << 20];
    slow.limit(Limit::WriteBytes(4 << 20)).unwrap();
    // 500 ms, less what the disk takes at once.
    let twice = || (0..2).for_each(|_| file.write_all_at(&block, 0).unwrap());
    assert!(takes(&twice) >= Duration::from_millis(450));
    slow.limit(Limit::Reads(20)).unwrap();
    let few = &mut block[..4096];
    let begun = Instant::now();
    for _ in 0..5 {
        file.read_exact_at(few, 0).unwrap();
    }
    assert!(begun.elapsed() >= Duration::from_millis(250));
}

#[test]
fn a_lifted_limit_lets_a_blocked_writer_go_on() {
    let Some(mut place) = TestPlace::new() else { return };
    let slow = place.file(MEMORY);
    slow.limit(Limit::Writes(0)).unwrap();
    let file = open(&slow);
    let (sender, received) = std::sync::mpsc::channel();
    let writer = std::thread::spawn(move || {
        sender.send(rustix::thread::gettid()).unwrap();
        file.write_all_at(&[1; 4096], 0)
    });
    let stack = format!("/proc/self/task/{}/stack", received.recv().unwrap());
    until("the writer waits for the server", || {
        small_file::read(Path::new(&stack)).contains("fuse_")
    });
    place.cleanup.lift_limits();
    answer(writer).unwrap();
}

/// The server's process.
fn server(place: &TestPlace) -> rustix::process::Pid {
    let journal = std::fs::read_to_string(place.dir.path().join("journal")).unwrap();
    let pid = journal.split_once(r#""server":{"id":{"pid":"#).unwrap().1.split_once(',').unwrap().0;
    rustix::process::Pid::from_raw(pid.parse().unwrap()).unwrap()
}

/// Whether any thread of a process is neither stopped nor dead.
fn runs(pid: rustix::process::Pid) -> bool {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return false };
    let states = threads.flatten().map(|it| small_file::read(&it.path().join("stat")));
    let mut states = states.filter_map(|it| it.rsplit_once(") ")?.1.chars().next());
    states.any(|it| !matches!(it, 'T' | 'Z' | 'X'))
}

/// Has the server killed when this process is gone: one that is stopped does not see that.
fn killed_after_us(server: rustix::process::Pid) -> spawn::Afterwards {
    let pid = server.as_raw_pid();
    let started = crate::process_id::ProcessId::of(pid).unwrap().started_ticks;
    let kill = r#"read -r stat < "/proc/$1/stat" && set -- $1 $2 ${stat##*)} && [ "${22}" = "$2" ] && kill -KILL "$1""#;
    spawn::Afterwards::run(kill, [pid.to_string(), started.to_string()], PATIENCE).unwrap()
}

#[test]
fn nothing_waits_for_a_server_that_was_stopped_or_killed() {
    for signal in [rustix::process::Signal::STOP, rustix::process::Signal::KILL] {
        let Some(mut place) = TestPlace::new() else { return };
        let slow = place.file(MEMORY);
        slow.limit(Limit::Writes(0)).unwrap();
        let server = server(&place);
        let _killed = killed_after_us(server);
        // A process of its own: whoever waits here for a stopped server cannot even be killed.
        let mut writer = spawn::command("dd");
        writer.args(["if=/dev/zero", "bs=4096", "count=1", "conv=notrunc,nocreat"]);
        let mut of = std::ffi::OsString::from("of=");
        of.push(slow.path());
        writer.arg(of);
        let mut writer = spawn::Running::start_heard(writer).unwrap();
        // a writer that opens the file only after the lab has gone from it was let down by nobody
        let written = format!("/proc/{}/fd/1", writer.id());
        let opened = || std::fs::read_link(&written).is_ok_and(|it| it == slow.path());
        until("the writer has the file", opened);
        rustix::process::kill_process(server, signal).unwrap();
        until("the server is gone", || !runs(server));
        place.cleanup.undo_all().unwrap();
        assert!(!writer.wait(PATIENCE).unwrap().success());
        assert!(place.is_empty(), "{signal:?}");
    }
}

#[test]
fn a_limit_for_a_server_that_is_gone_is_an_error_that_says_so() {
    let Some(mut place) = TestPlace::new() else { return };
    let slow = place.file(MEMORY);
    rustix::process::kill_process(server(&place), rustix::process::Signal::KILL).unwrap();
    let said = slow.limit(Limit::Writes(0)).unwrap_err().to_string();
    assert!(said.starts_with("cannot make the disk slow: "), "{said}");
}

#[test]
fn too_little_memory_is_reported() {
    let check = |mib: u64| has_memory(&format!("MemAvailable: {} kB\n", mib << 10), 256);
    assert!(check(512).is_ok());
    let lacks = check(511).unwrap_err().lacks;
    assert_eq!(lacks, "511 MiB of memory are available, and a slow disk needs 512");
}
