//! Processes that play a JVM, or an attacker that poses as one.
//!
//! An actor is this very test program, started again to play one part: in a root directory of its
//! own, as `nobody`.
use crate::nobody;
use recorder::{Jvm, Roots};
use std::{
    env, fs,
    io::{Read, Write},
    os::{
        fd::AsRawFd,
        unix::net::{UnixListener, UnixStream},
    },
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicI32, Ordering},
    thread::sleep,
    time::Duration,
};
use testing::{NOBODY, until};

/// Set for an actor alone: what it plays, in which root directory, as which user.
const PART: &str = "WHYPAUSE_TEST_PART";
const ROOT: &str = "WHYPAUSE_TEST_ROOT";
const USER: &str = "WHYPAUSE_TEST_USER";

/// What an actor does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    /// Nothing, as a JVM that was never asked. Counts signals.
    Idle,
    /// Listens and answers with a thread called `liar`.
    Answer,
    /// Listens and accepts no connection.
    Ignore,
    /// Answers with a byte at a time, without end.
    Drip,
    /// Answers as fast as it can, without end.
    Flood,
}

const PARTS: [(&str, Part); 5] = [
    ("idle", Part::Idle),
    ("answer", Part::Answer),
    ("ignore", Part::Ignore),
    ("drip", Part::Drip),
    ("flood", Part::Flood),
];

/// A running actor; ends with the value.
pub(crate) struct Actor {
    child: spawn::Running,
    root: PathBuf,
}

impl Actor {
    /// Starts one in this directory, where it listens at `socket` if it does that; `PID` in the name
    /// stands for its own id.
    pub(crate) fn start(root: &Path, part: Part, socket: &str) -> Actor {
        Actor::start_with(root, part, socket, |_| {})
    }

    pub(crate) fn start_with(
        root: &Path,
        part: Part,
        socket: &str,
        change: impl FnOnce(&mut Command),
    ) -> Actor {
        let part = PARTS.iter().find(|it| it.1 as u8 == part as u8).unwrap().0;
        let mut command = spawn::command(env::current_exe().unwrap());
        command.args(["--exact", "actor::play", "--nocapture", "--test-threads=1"]);
        command.env(PART, format!("{part} {socket}")).env(ROOT, root);
        change(&mut command);
        let child = spawn::Running::start(command).unwrap();
        let mut actor = Actor { child, root: root.to_owned() };
        let ready = root.join(format!("ready-{}", actor.pid()));
        until("the actor plays", || {
            assert!(actor.child.ended().unwrap().is_none(), "the actor ended");
            ready.exists()
        });
        actor
    }

    /// One that plays for another user.
    pub(crate) fn start_as(root: &Path, part: Part, socket: &str, user: u32) -> Actor {
        Actor::start_with(root, part, socket, |it| {
            it.env(USER, user.to_string());
        })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Whether it has not ended.
    pub(crate) fn plays(&self) -> bool {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.pid())).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|it| !it.1.starts_with(['Z', 'X']))
    }

    /// Where HotSpot would listen, on the host.
    pub(crate) fn socket(&self) -> PathBuf {
        self.root.join(format!("tmp/.java_pid{}", self.pid()))
    }

    /// How often SIGQUIT came.
    pub(crate) fn quits(&self) -> u64 {
        fs::metadata(self.root.join(format!("quits-{}", self.pid()))).unwrap().len()
    }

    /// As if it were a JVM with these arguments.
    pub(crate) fn jvm(&self, arguments: &[&str]) -> Jvm {
        let mut jvm = recorder::jvm(&Roots::default(), self.pid()).unwrap();
        let words = arguments.iter().map(|it| (*it).to_owned()).collect();
        jvm.arguments = Some(recorder::Arguments { words, cut: false });
        jvm.java_launcher = true;
        jvm
    }

    /// Asks it for the names of its threads.
    pub(crate) fn names(
        &self,
        arguments: &[&str],
    ) -> Result<recorder::ThreadNames, recorder::ConnectionError> {
        let never = std::sync::atomic::AtomicBool::new(false);
        recorder::ThreadNames::request(&Roots::default(), &self.jvm(arguments), &never)
    }
}

/// A root directory of `nobody` with an empty `tmp`; `None` where no actor can be started.
pub(crate) fn root() -> Option<tempfile::TempDir> {
    if !rustix::process::geteuid().is_root() {
        println!("SKIPPED: not root");
        return None;
    }
    let root = nobody::home();
    let tmp = root.path().join("tmp");
    fs::create_dir(&tmp).unwrap();
    std::os::unix::fs::chown(&tmp, Some(NOBODY), Some(NOBODY)).unwrap();
    Some(root)
}

/// Not a test of its own: what an actor does when this program is started as one.
#[test]
fn play() {
    let (Ok(part), Ok(root)) = (env::var(PART), env::var(ROOT)) else { return };
    let (part, socket) = part.split_once(' ').unwrap();
    let part = PARTS.iter().find(|it| it.0 == part).unwrap().1;
    let user = env::var(USER).map_or(NOBODY, |it| it.parse().unwrap());
    rustix::process::chroot(root).unwrap();
    env::set_current_dir("/").unwrap();
    let own = std::process::id();
    let quits = fs::File::create(format!("/quits-{own}")).unwrap();
    count_quits(&quits);
    map_libjvm();
    become_user(user);
    let socket = socket.replace("PID", &own.to_string());
    let listener = (!socket.is_empty()).then(|| UnixListener::bind(socket).unwrap());
    fs::write(format!("/ready-{own}"), "").unwrap();
    perform(part, listener);
}

fn perform(part: Part, listener: Option<UnixListener>) {
    loop {
        let Some(listener) = &listener else {
            sleep(Duration::from_secs(1));
            continue;
        };
        match part {
            Part::Idle | Part::Ignore => sleep(Duration::from_secs(1)),
            Part::Answer => {
                let mut stream = question(listener);
                let lie = format!("0\n\"liar\" #1 prio=5 tid=0x1 nid={} x\n", std::process::id());
                let _ = stream.write_all(lie.as_bytes());
            }
            Part::Drip => {
                let mut stream = question(listener);
                let _ = stream.write_all(b"0\n");
                while stream.write_all(b"x").is_ok() {
                    sleep(Duration::from_millis(20));
                }
            }
            Part::Flood => {
                let mut stream = question(listener);
                let _ = stream.write_all(b"0\n");
                while stream.write_all(&[b'x'; 65536]).is_ok() {}
            }
        }
    }
}

fn question(listener: &UnixListener) -> UnixStream {
    let mut stream = listener.accept().unwrap().0;
    let _ = stream.read(&mut [0; 4096]);
    stream
}

static QUITS: AtomicI32 = AtomicI32::new(-1);

extern "C" fn on_quit(_: libc::c_int) {
    // SAFETY: `write` may be called in a handler, and the pointer is to a byte.
    #[expect(unsafe_code, reason = "a handler of signals")]
    unsafe {
        libc::write(QUITS.load(Ordering::Relaxed), b"q".as_ptr().cast(), 1)
    };
}

/// Handles SIGQUIT with a byte in this file.
fn count_quits(file: &fs::File) {
    // SAFETY: only makes another descriptor, which stays open for ever.
    #[expect(unsafe_code, reason = "a handler of signals")]
    let fd = unsafe { libc::dup(file.as_raw_fd()) };
    QUITS.store(fd, Ordering::Relaxed);
    let handler: extern "C" fn(libc::c_int) = on_quit;
    // SAFETY: the handler does nothing that a handler may not do.
    #[expect(unsafe_code, reason = "a handler of signals")]
    unsafe {
        libc::signal(libc::SIGQUIT, handler as libc::sighandler_t)
    };
}

/// What JVMs are known by: a library of this name.
fn map_libjvm() {
    use rustix::mm::{MapFlags, ProtFlags, mmap};
    // As since JDK 9, which knows argument files.
    let directory = format!("/jdk-{}/lib/server", std::process::id());
    fs::create_dir_all(&directory).unwrap();
    let name = format!("{directory}/libjvm.so");
    fs::write(&name, [0; 4096]).unwrap();
    let library = fs::File::open(name).unwrap();
    let (how, flags) = (ProtFlags::READ | ProtFlags::EXEC, MapFlags::PRIVATE);
    // SAFETY: a new place, chosen by the kernel, that nothing reads.
    #[expect(unsafe_code, reason = "rustix cannot know what else is at an address")]
    unsafe { mmap(std::ptr::null_mut(), 4096, how, flags, library, 0) }.unwrap();
}

/// All threads, for good.
fn become_user(user: u32) {
    // SAFETY: plain numbers, and no group.
    #[expect(unsafe_code, reason = "rustix changes one thread alone")]
    let failed = unsafe {
        libc::setgroups(0, std::ptr::null())
            | libc::setresgid(user, user, user)
            | libc::setresuid(user, user, user)
    };
    assert_eq!(failed, 0);
    // The kernel forgets with the user that this process is to end with the test.
    let end = rustix::process::Signal::KILL;
    rustix::process::set_parent_process_death_signal(Some(end)).unwrap();
}
