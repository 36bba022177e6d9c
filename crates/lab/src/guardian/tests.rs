//! What the guardian promises: what a killed lab has left goes without a next start, and the
//! guardian goes with the lab.
use super::*;
use crate::{Undo, test_dir::TestDir};
use testing::{PATIENCE, until};

/// The directory for which the program of the tests is to be the guardian.
pub(super) const GUARDED: &str = "WHYPAUSE_LAB_TEST_GUARDED";

/// The directory for which it is to be the lab.
const HELD: &str = "WHYPAUSE_LAB_TEST_HELD";

/// Not a test of its own: the guardian of the other tests, when the variable says so.
#[test]
fn guardian_of_the_tests() {
    let Some(dir) = std::env::var_os(GUARDED).map(PathBuf::from) else { return };
    guard(&dir).unwrap();
    // the rest of the program of the tests would print what nobody wants to read
    std::process::exit(0);
}

/// Not a test of its own: the lab of the other tests, when the variable says so.
#[test]
fn lab_of_the_tests() {
    let Some(path) = std::env::var_os(HELD).map(PathBuf::from) else { return };
    let dir = WorkDir::open(&path).unwrap();
    let (mut cleanup, _) = Cleanup::open(&dir).unwrap();
    let guardian = Guardian::start(&dir).unwrap();
    let file = path.join("left");
    cleanup.promise(Undo::Remove { path: file.clone() }).unwrap();
    std::fs::write(&file, "").unwrap();
    println!("guarded by {}", guardian.child.id());
    loop {
        std::thread::park();
    }
}

/// A lab that has changed something, its guardian, and what is left when the lab is killed.
struct Lab {
    child: spawn::Running,
    guardian: ProcessId,
    file: PathBuf,
    _parent: TestDir,
}

impl Lab {
    fn start() -> Lab {
        let parent = TestDir::new();
        let path = parent.path().join("lab");
        let mut command = spawn::command(std::env::current_exe().unwrap());
        command.args(["--exact", "--nocapture", "guardian::tests::lab_of_the_tests"]);
        command.env(HELD, &path);
        let mut child = spawn::Running::start_heard(command).unwrap();
        let line = child.says("guarded by ", PATIENCE).unwrap();
        let guardian = line.split_once("guarded by ").unwrap().1.trim().parse().unwrap();
        let guardian = ProcessId::of(guardian);
        let file = path.join("left");
        assert!(file.exists());
        Lab { child, guardian: guardian.unwrap(), file, _parent: parent }
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
    }
}

fn runs(id: ProcessId) -> bool {
    let stat = crate::small_file::read(Path::new(&format!("/proc/{}/stat", id.pid)));
    let is_zombie = stat.rsplit_once(") ").is_none_or(|it| it.1.starts_with('Z'));
    ProcessId::of(id.pid) == Some(id) && !is_zombie
}

#[test]
fn guardian_cleans_up_after_a_killed_lab_and_ends() {
    let mut lab = Lab::start();
    assert!(runs(lab.guardian));
    lab.kill();
    until("what it has changed is undone", || !lab.file.exists());
    until("the guardian is gone", || !runs(lab.guardian));
}

#[test]
fn signals_to_the_labs_process_group_or_to_the_guardian_do_not_end_it() {
    use rustix::process::{Pid, Signal, kill_process, kill_process_group};
    let mut lab = Lab::start();
    let group = Pid::from_raw(lab.child.id().cast_signed()).unwrap();
    let guardian = Pid::from_raw(lab.guardian.pid).unwrap();
    let handled = || {
        let status = crate::small_file::read(Path::new(&format!("/proc/{guardian}/status")));
        let caught = status.lines().find_map(|it| it.strip_prefix("SigCgt:\t")).map(str::to_owned);
        let caught = caught.and_then(|it| u64::from_str_radix(it.trim(), 16).ok()).unwrap_or(0);
        // bit 14 is SIGTERM
        caught & (1 << 14) != 0
    };
    until("it listens", handled);
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        kill_process(guardian, signal).unwrap();
    }
    kill_process_group(group, Signal::KILL).unwrap();
    lab.child.wait(PATIENCE).unwrap();
    until("what it has changed is undone", || !lab.file.exists());
    until("the guardian is gone", || !runs(lab.guardian));
}

#[test]
fn where_both_are_killed_the_next_start_cleans_up() {
    let mut lab = Lab::start();
    lab.guardian.kill(PATIENCE).unwrap();
    lab.kill();
    assert!(lab.file.exists());
    let dir = WorkDir::open(lab.file.parent().unwrap()).unwrap();
    let (_cleanup, leftovers) = Cleanup::open(&dir).unwrap();
    assert_eq!(leftovers, [format!("`{}`", lab.file.display())]);
    assert!(!lab.file.exists());
}

#[test]
fn a_guardian_ends_with_its_value_and_undoes_nothing() {
    let parent = TestDir::new();
    let dir = WorkDir::open(&parent.path().join("lab")).unwrap();
    let guardian = Guardian::start(&dir).unwrap();
    let id = ProcessId::of(guardian.child.id().cast_signed()).unwrap();
    drop(guardian);
    assert_eq!(ProcessId::of(id.pid).filter(|it| *it == id), None);
}

#[test]
fn a_guardian_holds_nothing_of_the_lab_but_its_process() {
    let parent = TestDir::new();
    let dir = WorkDir::open(&parent.path().join("lab")).unwrap();
    let (read, write) = io::pipe().unwrap();
    rustix::io::fcntl_setfd(&write, rustix::io::FdFlags::empty()).unwrap();
    let guardian = Guardian::start(&dir).unwrap();
    let open = format!("/proc/{}/fd", guardian.child.id());
    let log = guardian.log.clone();
    let holds = |it: &str| std::fs::read_link(format!("{open}/{it}")).unwrap_or_default();
    assert_eq!(holds("0"), Path::new("anon_inode:[pidfd]"));
    assert_eq!((holds("1"), holds("2")), ("/dev/null".into(), log.clone()));
    drop(write);
    let mut ended = [PollFd::new(&read, PollFlags::IN)];
    let limit = rustix::event::Timespec { tv_sec: 60, tv_nsec: 0 };
    assert_eq!(poll(&mut ended, Some(&limit)).unwrap(), 1, "it holds the pipe");
    drop(guardian);
    assert!(!log.exists());
}
