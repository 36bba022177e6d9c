//! Beside a process whose memory map is locked nothing that looks at processes hangs.
use crate::{
    newest,
    stuck_file::{StuckFile, WaitsIn},
};
use rustix::process::Signal;
use spawn::Running;
use std::{
    fs,
    path::Path,
    process::Command,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};
use testing::{Java, Jdk, JvmProcess, PATIENCE, program, signal, until};

/// One test at a time: each takes its host for free of others' stuck processes.
static ALONE: Mutex<()> = Mutex::new(());

/// How soon everything answers beside a stuck process, on a host that is not busy.
const SOON: Duration = Duration::from_secs(5);

/// The same on this host as busy as it is: by how long it takes to list processes while none is stuck.
fn soon() -> Duration {
    let mut free = Run::start(&["ps"]);
    free.ends(PATIENCE);
    SOON + 10 * free.begun.elapsed()
}

/// A run of the program.
struct Run {
    child: Running,
    begun: Instant,
    what: String,
}

impl Run {
    fn start(arguments: &[&str]) -> Run {
        let mut command = spawn::command(env!("CARGO_BIN_EXE_whypause"));
        command.args(arguments);
        let child = Running::start_heard(command).unwrap();
        Run { child, begun: Instant::now(), what: format!("{arguments:?}") }
    }

    /// All that it has said so far.
    fn said(&self) -> String {
        let both = [self.child.stdout(), self.child.stderr()].concat();
        String::from_utf8(both).unwrap()
    }

    /// What it has said once it has said `word`.
    #[track_caller]
    fn says(&self, word: &str, within: Duration) -> String {
        while !self.said().contains(word) {
            assert!(self.begun.elapsed() < within, "{}: {}", self.what, self.said());
            std::thread::sleep(Duration::from_millis(20));
        }
        self.said()
    }

    /// All that it says until its end.
    #[track_caller]
    fn ends(&mut self, within: Duration) -> (String, Option<i32>) {
        let status = self.child.ends_within(within.saturating_sub(self.begun.elapsed())).unwrap();
        let Some(status) = status else {
            panic!("{}: {}\n{}", self.what, self.said(), stacks(self.child.id()));
        };
        println!("{} took {:?}", self.what, self.begun.elapsed());
        (self.said(), status.code())
    }

    fn interrupt(&self) {
        signal(self.child.id(), Signal::INT);
    }
}

/// What the threads of a process wait for.
fn stacks(pid: u32) -> String {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let text = |it: fs::DirEntry| {
        let read = |name| fs::read_to_string(it.path().join(name)).unwrap_or_default();
        format!("{}{}", read("comm"), read("stack"))
    };
    tasks.map(text).collect()
}

/// A process that waits for a file. Dropping it drops the file first: without an answer the process
/// cannot be ended.
struct Stuck {
    function: Option<&'static str>,
    file: Option<StuckFile>,
    child: JvmProcess,
}

impl Stuck {
    /// A JVM that holds the lock of its own memory map, or just waits for a file.
    fn java(jdk: &Jdk, waits_in: WaitsIn) -> Option<Stuck> {
        let mut command = jdk.java();
        command.arg("-Xmx64m").arg(program("Stuck"));
        Stuck::start(command, waits_in, Some("fuse_launder_folio"))
    }

    /// A process that closes a file while it becomes another program.
    fn in_execve() -> Option<Stuck> {
        if !Path::new("/usr/bin/perl").exists() {
            println!("SKIPPED: no perl");
            return None;
        }
        let mut command = spawn::command("/usr/bin/perl");
        // What it opens is closed on exec.
        command.args(["-e", "open my $file, '+<', $ARGV[0] or die; exec 'sleep', '600'"]);
        Stuck::start(command, WaitsIn::Close, None)
    }

    /// Starts `command` with the file as its last argument, and waits until one of its threads waits
    /// in this function, or for the file.
    fn start(
        mut command: Command,
        waits_in: WaitsIn,
        function: Option<&'static str>,
    ) -> Option<Stuck> {
        let file = StuckFile::serve(waits_in)?;
        command.arg(file.path());
        let child = JvmProcess::of(Running::start_heard(command).unwrap());
        let stuck = Stuck { function, file: Some(file), child };
        until("it waits", || stuck.waits());
        Some(stuck)
    }

    fn waits(&self) -> bool {
        let Some(function) = self.function else {
            return self.file.as_ref().is_some_and(StuckFile::is_waited_for);
        };
        let tasks = fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap();
        tasks.flatten().any(|it| {
            let stack = fs::read_to_string(it.path().join("stack")).unwrap_or_default();
            stack.contains(function)
        })
    }

    fn pid(&self) -> String {
        self.child.id().to_string()
    }

    /// Lets it go on, when all has answered while it waited.
    #[track_caller]
    fn ends(self) {
        assert!(self.waits(), "it was not stuck to the end");
    }
}

impl Drop for Stuck {
    fn drop(&mut self) {
        drop(self.file.take());
        self.child.kill();
    }
}

#[test]
fn process_holding_its_mmap_lock_is_named_and_hangs_nothing() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(jdk) = newest() else { return };
    let mut healthy = Java::busy(&jdk);
    let soon = soon();
    let Some(stuck) = Stuck::java(&jdk, WaitsIn::Mmap) else { return };
    let not_responding = format!(
        "process `{}` (`java`) is not responding: its memory map is locked",
        stuck.child.id()
    );
    let waits = "waits in the kernel in folio_wait";

    let (said, code) = Run::start(&["ps"]).ends(soon);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("Alloc.java"), "{said}");
    let listed = format!("{} java: not responding: its memory map is locked", stuck.child.id());
    assert!(said.contains(&listed) && said.contains(waits), "{said}");

    doctor_tells_what_it_did_not_look_at(&healthy, &stuck, soon);

    let (said, code) = Run::start(&["record", "-p", "no.such.Main"]).ends(soon);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains(&not_responding) && said.contains("no JVM matches"), "{said}");

    let (said, code) = Run::start(&["record", "-p", &stuck.child.id().to_string()]).ends(soon);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains(&not_responding) && said.contains(waits), "{said}");

    let mut watch = Run::start(&["watch", "--match", "no.such.Main", "--wait"]);
    let said = watch.says("waiting: ", soon);
    assert!(said.contains(&not_responding), "{said}");
    watch.interrupt();
    watch.ends(soon * 2);

    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let output = directory.path().join("recording");
    let output = output.to_str().unwrap();
    for of in [healthy.pid(), "Alloc.java".into()] {
        let mut record = Run::start(&["record", "-p", &of, "-d", "3s", "-o", output]);
        let (said, code) = record.ends(soon + Duration::from_secs(3));
        assert_eq!(code, Some(0), "{said}");
        assert!(said.contains("recording Alloc.java"), "{said}");
        let why = "is not responding, and a probe in this libjvm would have to wait for it";
        assert!(said.contains(why), "{said}");
        fs::remove_dir_all(output).unwrap();
    }
    assert!(healthy.runs());
    stuck.ends();
}

/// The others are looked at all the same, and one that was asked for by its id is not cleared.
fn doctor_tells_what_it_did_not_look_at(healthy: &Java, stuck: &Stuck, soon: Duration) {
    let not_looked_at = format!("Not looked at: java (pid {}), not responding: ", stuck.pid());
    let (said, code) = Run::start(&["doctor"]).ends(soon);
    assert_eq!(code, Some(0), "{said}");
    let flat = said.replace('\n', " ");
    assert!(flat.contains(&not_looked_at), "{said}");
    assert!(said.contains(&format!("Alloc.java · pid {} · ", healthy.pid())), "{said}");
    let (said, code) = Run::start(&["doctor", "-p", &stuck.pid()]).ends(soon);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.replace('\n', " ").contains(&not_looked_at), "{said}");
    let (said, code) = Run::start(&["doctor", "-p", &healthy.pid()]).ends(soon);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("Alloc.java · pid "), "{said}");
}

/// Since Linux 6.18 nearly every file of `/proc/PID` waits for a process that is in `execve`.
#[test]
fn a_process_that_never_gets_out_of_execve_hangs_nobody_and_is_named() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(jdk) = newest() else { return };
    let healthy = Java::busy(&jdk);
    let soon = soon();
    let Some(stuck) = Stuck::in_execve() else { return };
    let not_responding = "not responding: blocked in execve";
    // What is read without a process aside.
    for free in ["status", "comm", "cgroup", "schedstat", "statm"] {
        let mut head = spawn::command("head");
        head.args(["-c", "1", &format!("/proc/{}/{free}", stuck.pid())]);
        assert!(spawn::run(head, soon).unwrap().status.success(), "{free}");
    }

    let (said, code) = Run::start(&["ps"]).ends(soon);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("Alloc.java"), "{said}");
    assert!(
        said.lines().any(|it| it.contains(&stuck.pid()) && it.contains(not_responding)),
        "{said}"
    );

    let (said, code) = Run::start(&["doctor"]).ends(soon);
    assert_eq!(code, Some(0), "{said}");
    let not_looked_at = format!("(pid {}), {not_responding}", stuck.pid());
    assert!(said.replace('\n', " ").contains(&not_looked_at), "{said}");
    assert!(said.contains(&format!("Alloc.java · pid {} · ", healthy.pid())), "{said}");

    let (said, code) = Run::start(&["record", "-p", "no.such.Main"]).ends(soon);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains(&stuck.pid()) && said.contains("no JVM matches"), "{said}");

    let (said, code) = Run::start(&["record", "-p", &stuck.pid()]).ends(soon);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains(not_responding), "{said}");

    let mut watch = Run::start(&["watch", "--match", "no.such.Main", "--wait"]);
    let said = watch.says("waiting: ", soon);
    assert!(said.contains(not_responding), "{said}");
    watch.interrupt();
    watch.ends(soon * 2);

    // Also what looks at all processes again and again: who writes, and who uses memory.
    for more in [&[][..], &["--without-ebpf"]] {
        let directory = tempfile::tempdir_in("/dev/shm").unwrap();
        let output = directory.path().join("recording");
        let pid = healthy.pid();
        let arguments = ["record", "-p", &pid, "-d", "3s", "-o", output.to_str().unwrap()];
        let mut record = Run::start(&[&arguments[..], more].concat());
        let (said, code) = record.ends(soon + Duration::from_secs(3));
        assert_eq!(code, Some(0), "{said}");
    }
    stuck.ends();
}

/// Processes that hold probes of recorders.
fn keepers() -> Vec<String> {
    let pids =
        fs::read_dir("/proc").unwrap().flatten().filter_map(|it| it.file_name().into_string().ok());
    let name = |pid: &String| fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    pids.filter(|it| name(it).trim() == "whypause-probes").collect()
}

/// The kernel removes probes only after it had the lock of every process that has the library mapped,
/// and no process of the host can fork meanwhile.
#[test]
fn stuck_jvm_does_not_hang_the_end_of_another_recording() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(jdk) = newest() else { return };
    let healthy = Java::busy(&jdk);
    let soon = soon();
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let begin = |name: &str| {
        let output = directory.path().join(name);
        let pid = healthy.pid();
        let arguments = ["record", "-p", &pid, "-d", "20s", "-o", output.to_str().unwrap()];
        let record = Run::start(&arguments);
        record.says("recording Alloc.java", PATIENCE);
        std::thread::sleep(Duration::from_secs(1));
        record
    };
    let end = |mut record: Run| {
        record.interrupt();
        let interrupted = Instant::now();
        let (said, code) = record.ends(PATIENCE);
        (interrupted.elapsed(), said, code)
    };
    // what it takes on this host, beside whatever runs there, where nothing is stuck
    let (usual, ..) = end(begin("usual"));
    let before = keepers();
    let record = begin("recording");
    let Some(stuck) = Stuck::java(&jdk, WaitsIn::Mmap) else { return };
    let (took, said, code) = end(record);
    assert!(took < soon + 2 * usual, "{took:?}, and {usual:?} where nothing is stuck: {said}");
    assert_eq!(code, Some(0), "{said}");
    let forked = Instant::now();
    assert!(spawn::run(spawn::command("true"), PATIENCE).unwrap().status.success());
    assert!(forked.elapsed() < soon, "{:?}", forked.elapsed());
    let kept: Vec<String> = keepers().into_iter().filter(|it| !before.contains(it)).collect();
    assert!(!kept.is_empty(), "whoever removes the probes waits");
    stuck.ends();
    until("the probes are gone", || !keepers().iter().any(|it| kept.contains(it)));
}

/// Its lock is free, but opening the file that it writes, which may be its GC log, never returns.
#[test]
fn a_jvm_whose_files_never_answer_is_listed_and_recorded() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(jdk) = newest() else { return };
    let soon = soon();
    let Some(stuck) = Stuck::java(&jdk, WaitsIn::Open) else { return };
    let pid = stuck.child.id().to_string();
    let (said, code) = Run::start(&["ps"]).ends(soon);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.lines().any(|it| it.contains(&pid) && it.contains("Stuck.java")), "{said}");
    for arguments in [&["doctor"][..], &["doctor", "-p", &pid]] {
        let (said, _) = Run::start(arguments).ends(soon);
        let looked_at = said.contains(&format!("Stuck.java · pid {pid} · "));
        let reported = said.contains(&format!("Not looked at: Stuck.java (pid {pid}), "));
        assert!(looked_at || reported, "{said}");
    }
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let output = directory.path().join("recording");
    let mut record =
        Run::start(&["record", "-p", &pid, "-d", "2s", "-o", output.to_str().unwrap()]);
    let (said, code) = record.ends(soon + Duration::from_secs(2));
    assert_eq!(code, Some(0), "{said}");
    stuck.ends();
}
