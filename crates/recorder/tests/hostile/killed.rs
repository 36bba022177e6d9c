//! What a recorder leaves behind that was killed, and the next one undoes.
use crate::nobody::{self, Sleeper};
use recorder::{ConnectionError, Journal, Roots, SafepointLog};
use std::{
    env, fs,
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
    thread::sleep,
    time::Duration,
};
use testing::{NOBODY, signal, until};

/// Set for a recorder alone: the JVM, and the directory of the journal.
const PART: &str = "WHYPAUSE_TEST_RECORDER";
const MARK: &str = "whypause-safepoints-";

fn switch_on(pid: u32, journal: &Path) -> Result<SafepointLog, ConnectionError> {
    let roots = Roots::default();
    let jvm = recorder::jvm(&roots, pid).unwrap();
    SafepointLog::switch_on(&roots, &jvm, &Journal::at(journal), &AtomicBool::new(false))
}

/// Not a test of its own: what this program does when it is started as a recorder.
#[test]
fn record() {
    let Ok(part) = env::var(PART) else { return };
    let (pid, journal) = part.split_once(' ').unwrap();
    let _log = switch_on(pid.parse().unwrap(), Path::new(journal)).unwrap();
    loop {
        sleep(Duration::from_secs(1));
    }
}

/// A JVM that logs for a recorder.
struct Logging {
    _home: tempfile::TempDir,
    jvm: Option<Sleeper>,
    journal: tempfile::TempDir,
    recorder: spawn::Running,
    directory: PathBuf,
}

impl Logging {
    fn start() -> Option<Logging> {
        let jdk = nobody::jdk()?;
        let home = nobody::home();
        let command = nobody::command(&jdk.tool("java"), home.path());
        let jvm = Sleeper::start(command, home.path());
        let start = recorder::jvm(&Roots::default(), jvm.pid()).unwrap().start_ticks;
        let directory = PathBuf::from(format!("/dev/shm/{MARK}{}-{start}", jvm.pid()));
        let journal = tempfile::tempdir().unwrap();
        let mut command = spawn::command(env::current_exe().unwrap());
        command.args(["--exact", "killed::record", "--nocapture"]);
        command.env(PART, format!("{} {}", jvm.pid(), journal.path().display()));
        let recorder = spawn::Running::start(command).unwrap();
        let logging = Logging { _home: home, jvm: Some(jvm), journal, recorder, directory };
        until("the JVM logs", || logging.logs());
        Some(logging)
    }

    fn pid(&self) -> u32 {
        self.jvm.as_ref().unwrap().pid()
    }

    /// Whether the JVM has a log of ours open.
    fn logs(&self) -> bool {
        let files = fs::read_dir(format!("/proc/{}/fd", self.pid())).into_iter().flatten();
        let paths = files.flatten().filter_map(|it| fs::read_link(it.path()).ok());
        paths.into_iter().any(|it| it.to_string_lossy().contains(MARK))
    }

    fn kill_recorder(&mut self) {
        self.recorder.kill().unwrap();
    }

    fn undo(&self) -> Vec<String> {
        Journal::at(self.journal.path()).undo(&Roots::default(), &AtomicBool::new(false))
    }

    fn entries(&self) -> usize {
        fs::read_dir(self.journal.path()).unwrap().count()
    }
}

impl Drop for Logging {
    fn drop(&mut self) {
        self.recorder.kill();
        drop(self.jvm.take());
        let _ = fs::remove_dir_all(&self.directory);
    }
}

#[test]
fn the_log_of_a_killed_recorder_is_switched_off_by_the_next_one() {
    let Some(mut logging) = Logging::start() else { return };
    use std::os::unix::fs::MetadataExt;
    assert_eq!(fs::metadata(&logging.directory).unwrap().uid(), NOBODY);
    assert!(logging.undo().is_empty() && logging.logs(), "its recorder lives");
    logging.kill_recorder();
    assert!(logging.logs(), "a JVM goes on by itself");
    let said = logging.undo();
    assert!(said.len() == 1 && said[0].starts_with("switched off"), "{said:?}");
    assert!(!logging.logs());
    assert!(!logging.directory.exists());
    assert_eq!(logging.entries(), 0);
    // The next run may have one, and leaves nothing either.
    let log = switch_on(logging.pid(), logging.journal.path()).unwrap();
    assert!(logging.logs() && logging.entries() == 1);
    drop(log);
    assert!(!logging.logs() && logging.entries() == 0 && !logging.directory.exists());
}

#[test]
fn of_a_jvm_that_is_gone_only_the_log_is_removed() {
    let Some(mut logging) = Logging::start() else { return };
    logging.kill_recorder();
    drop(logging.jvm.take());
    assert!(logging.directory.exists());
    assert!(logging.undo().is_empty());
    assert!(!logging.directory.exists());
    assert_eq!(logging.entries(), 0);
}

#[test]
fn a_log_that_cannot_be_switched_off_stays_in_the_journal() {
    let Some(mut logging) = Logging::start() else { return };
    logging.kill_recorder();
    let jvm = logging.pid();
    signal(jvm, rustix::process::Signal::STOP);
    let said = logging.undo();
    signal(jvm, rustix::process::Signal::CONT);
    assert!(said.len() == 1 && said[0].starts_with("could not switch off"), "{said:?}");
    assert_eq!(logging.entries(), 1);
    let said = logging.undo();
    assert!(said.len() == 1 && said[0].starts_with("switched off"), "{said:?}");
    assert_eq!(logging.entries(), 0);
}
