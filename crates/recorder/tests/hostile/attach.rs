//! Who answers where a JVM should, and what the question does to it.
use crate::actor::{self, Actor, Part};
use recorder::{ConnectionError, Roots, ThreadNames};
use rustix::fs::inotify;
use std::{
    fs,
    os::unix::{fs::symlink, net::UnixStream},
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

/// When a question is over at the latest.
const DEADLINE: Duration = Duration::from_secs(5);

/// The error, while the actor plays on: a wait for the actor would never end.
#[track_caller]
fn refused(actor: &Actor) -> ConnectionError {
    let error = actor.names(&[]).unwrap_err();
    assert!(actor.plays(), "{error}");
    error
}

/// Raises the interrupt after a moment, as Ctrl-C does. What is said then, and sooner than it would be
/// said without.
#[track_caller]
fn interrupted(actor: &Actor) -> ConnectionError {
    let begun = Instant::now();
    interrupted_once(actor, || begun.elapsed() > Duration::from_millis(300))
}

/// The same as soon as something has come about.
#[track_caller]
fn interrupted_once(actor: &Actor, is_so: impl Fn() -> bool + Sync) -> ConnectionError {
    let interrupt = AtomicBool::new(false);
    let begun = Instant::now();
    let jvm = actor.jvm(&[]);
    let error = thread::scope(|scope| {
        scope.spawn(|| {
            while !is_so() && begun.elapsed() < DEADLINE {
                thread::sleep(Duration::from_millis(5));
            }
            interrupt.store(true, Ordering::Relaxed);
        });
        ThreadNames::request(&Roots::default(), &jvm, &interrupt).unwrap_err()
    });
    assert!(begun.elapsed() < DEADLINE && actor.plays(), "{:?}", begun.elapsed());
    error
}

#[test]
fn the_jvm_itself_is_believed() {
    let Some(root) = actor::root() else { return };
    let jvm = Actor::start(root.path(), Part::Answer, "/tmp/.java_pidPID");
    let names = format!("{:?}", jvm.names(&[]).unwrap());
    assert!(names.contains("liar"), "{names}");
    assert_eq!(jvm.quits(), 0, "it listened already");
}

#[test]
fn a_squatter_at_the_socket_of_a_jvm_is_not_believed() {
    let Some(root) = actor::root() else { return };
    let jvm = Actor::start(root.path(), Part::Idle, "");
    let name = format!("/tmp/.java_pid{}", jvm.pid());
    let liar = Actor::start(root.path(), Part::Answer, &name);
    let error = refused(&jvm);
    assert_eq!(
        error,
        ConnectionError::Impostor(format!("process {} listens at `{name}`", liar.pid()))
    );
    assert_eq!(jvm.quits(), 0);
}

#[test]
fn a_socket_of_another_user_is_not_even_spoken_to() {
    let Some(root) = actor::root() else { return };
    let jvm = Actor::start(root.path(), Part::Idle, "");
    let name = format!("/tmp/.java_pid{}", jvm.pid());
    fs::set_permissions(root.path().join("tmp"), open_for_all()).unwrap();
    fs::set_permissions(root.path(), open_for_all()).unwrap();
    let _liar = Actor::start_as(root.path(), Part::Answer, &name, 65533);
    let error = refused(&jvm);
    assert!(
        matches!(&error, ConnectionError::Impostor(why) if why.contains("user 65533")),
        "{error}"
    );
}

fn open_for_all() -> fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(0o777)
}

#[test]
fn a_link_to_another_socket_of_the_host_is_not_answered() {
    let Some(root) = actor::root() else { return };
    let jvm = Actor::start(root.path(), Part::Idle, "");
    let other = Actor::start(root.path(), Part::Answer, "/tmp/service");
    symlink("/tmp/service", jvm.socket()).unwrap();
    let error = refused(&jvm);
    let expected = format!("process {} listens", other.pid());
    assert!(matches!(&error, ConnectionError::Impostor(why) if why.contains(&expected)), "{error}");
    // Out of its root nothing leads.
    fs::remove_file(jvm.socket()).unwrap();
    symlink("../../../../../../run/docker.sock", jvm.socket()).unwrap();
    symlink(root.path().join("tmp/service"), root.path().join("tmp/outside")).unwrap();
    assert!(!matches!(refused(&jvm), ConnectionError::Impostor(_)));
}

/// Counts openings of a file from here on.
struct Openings(rustix::fd::OwnedFd);

impl Openings {
    fn of(path: &Path) -> Openings {
        let flags = inotify::CreateFlags::NONBLOCK | inotify::CreateFlags::CLOEXEC;
        let watch = inotify::init(flags).unwrap();
        inotify::add_watch(&watch, path, inotify::WatchFlags::OPEN).unwrap();
        Openings(watch)
    }

    fn none(&self) -> bool {
        rustix::io::read(&self.0, &mut [0; 4096]) == Err(rustix::io::Errno::AGAIN)
    }
}

#[test]
fn a_device_named_tmp_is_not_opened() {
    let Some(root) = actor::root() else { return };
    let device = root.path().join("device");
    let kind = rustix::fs::FileType::CharacterDevice;
    let mode = rustix::fs::Mode::from_raw_mode(0o666);
    let number = rustix::fs::makedev(1, 3);
    if rustix::fs::mknodat(rustix::fs::CWD, &device, kind, mode, number).is_err() {
        println!("SKIPPED: no device can be made here");
        return;
    }
    let jvm = Actor::start(root.path(), Part::Idle, "");
    fs::remove_dir(root.path().join("tmp")).unwrap();
    symlink("/device", root.path().join("tmp")).unwrap();
    let openings = Openings::of(&device);
    let error = refused(&jvm);
    assert!(openings.none(), "{error}");
}

#[test]
fn a_fifo_named_tmp_is_not_waited_for() {
    let Some(root) = actor::root() else { return };
    let jvm = Actor::start(root.path(), Part::Idle, "");
    let tmp = root.path().join("tmp");
    fs::remove_dir(&tmp).unwrap();
    let mode = rustix::fs::Mode::from_raw_mode(0o666);
    rustix::fs::mknodat(rustix::fs::CWD, &tmp, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let openings = Openings::of(&tmp);
    let error = refused(&jvm);
    assert!(openings.none(), "{error}");
}

#[test]
fn a_file_in_place_of_the_socket_is_reported_as_such() {
    let Some(root) = actor::root() else { return };
    let jvm = Actor::start(root.path(), Part::Idle, "");
    let mode = rustix::fs::Mode::from_raw_mode(0o666);
    let fifo = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, jvm.socket(), fifo, mode, 0).unwrap();
    let error = refused(&jvm);
    assert!(
        matches!(&error, ConnectionError::Impostor(why) if why.contains("not a socket")),
        "{error}"
    );
    assert_eq!(jvm.quits(), 0);
}

/// Connections until no more is let in.
fn fill(jvm: &Actor) -> Vec<UnixStream> {
    let mut waiting = Vec::new();
    loop {
        let flags = rustix::net::SocketFlags::NONBLOCK | rustix::net::SocketFlags::CLOEXEC;
        let (family, kind) = (rustix::net::AddressFamily::UNIX, rustix::net::SocketType::STREAM);
        let stream = rustix::net::socket_with(family, kind, flags, None).unwrap();
        let address = rustix::net::SocketAddrUnix::new(jvm.socket()).unwrap();
        match rustix::net::connect(&stream, &address) {
            Ok(()) => waiting.push(stream.into()),
            Err(error) => {
                assert_eq!(error, rustix::io::Errno::AGAIN);
                return waiting;
            }
        }
    }
}

#[test]
fn a_full_backlog_is_waited_for_no_longer_than_the_deadline_or_ctrl_c() {
    let Some(root) = actor::root() else { return };
    let jvm = Actor::start(root.path(), Part::Ignore, "/tmp/.java_pidPID");
    let _waiting = fill(&jvm);
    assert_eq!(refused(&jvm), ConnectionError::Late);
    assert_eq!(interrupted(&jvm), ConnectionError::Interrupted);
}

#[test]
fn wait_for_an_unresponsive_jvm_ends_at_the_deadline_or_ctrl_c() {
    let Some(root) = actor::root() else { return };
    let jvm = Actor::start(root.path(), Part::Ignore, "/tmp/.java_pidPID");
    assert_eq!(refused(&jvm), ConnectionError::Late);
    assert_eq!(interrupted(&jvm), ConnectionError::Interrupted);
}

#[test]
fn a_drip_of_bytes_does_not_move_the_deadline() {
    let Some(root) = actor::root() else { return };
    let jvm = Actor::start(root.path(), Part::Drip, "/tmp/.java_pidPID");
    assert_eq!(refused(&jvm), ConnectionError::Late);
    assert_eq!(interrupted(&jvm), ConnectionError::Interrupted);
}

#[test]
fn an_answer_without_an_end_is_cut_off() {
    let Some(root) = actor::root() else { return };
    let jvm = Actor::start(root.path(), Part::Flood, "/tmp/.java_pidPID");
    let error = refused(&jvm);
    let cut = matches!(&error, ConnectionError::Broken(why) if why.contains("16 MiB"));
    // A busy host may not read so much in time.
    assert!(cut || error == ConnectionError::Late, "{error}");
}

#[test]
fn ctrl_c_while_the_jvm_begins_to_listen_ends_the_question_and_its_file() {
    let Some(root) = actor::root() else { return };
    let jvm = Actor::start(root.path(), Part::Idle, "");
    let error = interrupted_once(&jvm, || jvm.quits() > 0);
    assert_eq!((error, jvm.quits()), (ConnectionError::Interrupted, 1));
    let left: Vec<_> = fs::read_dir(root.path().join("tmp")).unwrap().flatten().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_jvm_with_another_start_is_not_signalled() {
    let Some(root) = actor::root() else { return };
    let actor = Actor::start(root.path(), Part::Idle, "");
    let mut jvm = actor.jvm(&[]);
    jvm.start_ticks += 1;
    let never = AtomicBool::new(false);
    let names = ThreadNames::request(&Roots::default(), &jvm, &never);
    assert_eq!(names, Err(ConnectionError::Gone));
    assert_eq!(actor.quits(), 0);
}

/// A JVM with `-XX:+DisableAttachMechanism` in one place, and what is said of it.
#[track_caller]
fn check_disabled(place: &str, environment: &[(&str, &str)], arguments: &[&str]) {
    let Some(root) = actor::root() else { return };
    for (name, text) in
        [("args", "-XX:+DisableAttachMechanism\n"), ("flags", "+DisableAttachMechanism\n")]
    {
        fs::write(root.path().join(name), text).unwrap();
    }
    let jvm = Actor::start_with(root.path(), Part::Idle, "", |it| {
        it.envs(environment.iter().copied());
    });
    assert_eq!(jvm.names(arguments).unwrap_err(), ConnectionError::NotResponding, "{place}");
    assert_eq!(jvm.quits(), 0, "{place}");
}

#[test]
fn a_jvm_that_was_told_anywhere_not_to_listen_gets_no_signal() {
    let flag = "-XX:+DisableAttachMechanism";
    check_disabled("the command line", &[], &[flag, "Main"]);
    check_disabled("an argument file", &[], &["@args", "Main"]);
    check_disabled("a file of flags", &[], &["-XX:Flags=flags", "Main"]);
    check_disabled("a file of options", &[], &["-XX:VMOptionsFile=/args", "Main"]);
    check_disabled("JAVA_TOOL_OPTIONS", &[("JAVA_TOOL_OPTIONS", flag)], &["Main"]);
    check_disabled("JDK_JAVA_OPTIONS", &[("JDK_JAVA_OPTIONS", flag)], &["Main"]);
    check_disabled("JDK_JAVA_OPTIONS, by file", &[("JDK_JAVA_OPTIONS", "@args")], &["Main"]);
    let off = "-XX:-DisableAttachMechanism";
    check_disabled("_JAVA_OPTIONS", &[("_JAVA_OPTIONS", flag)], &[off, "Main"]);
}

#[test]
fn where_a_source_of_flags_cannot_be_read_no_signal_is_sent() {
    let Some(root) = actor::root() else { return };
    crate::nobody::secret(&root.path().join("secret"), "-Xmx1g");
    symlink("/secret", root.path().join("link")).unwrap();
    let jvm = Actor::start(root.path(), Part::Idle, "");
    for arguments in [&["@/secret", "Main"], &["@/link", "Main"], &["-XX:Flags=/gone", "Main"]] {
        let error = jvm.names(arguments).unwrap_err();
        assert!(matches!(error, ConnectionError::Unsure(_)), "{arguments:?}: {error}");
    }
    assert_eq!(jvm.quits(), 0);
}
