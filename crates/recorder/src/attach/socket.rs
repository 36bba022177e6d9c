//! The attach mechanism of HotSpot on Linux (`attachListener_posix.cpp`, JDK 8:
//! `attachListener_linux.cpp`; client: `sun.tools.attach.VirtualMachineImpl`).
//!
//! The JVM listens at `/tmp/.java_pidN`. Where it does not yet, a file `.attach_pidN` and SIGQUIT
//! make it.
//!
//! A user who may write to that `/tmp` may put any socket there, and answer. So the socket must
//! belong to the JVM's user, and the kernel says whose process listens at it.
use super::{ConnectionError, answer::Answer, request::Request, until::Until};
use crate::{
    Jvm, Roots,
    host::{Given, Named, ProcessDir, Rights, Stat, Status, Unopened, flags},
    process::Process,
};
use recording::VmFlags;
use rustix::{
    event::PollFlags,
    fd::OwnedFd,
    fs::FileType,
    io::Errno,
    net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with},
    process::Signal,
};
use std::{
    io,
    os::fd::{AsFd, AsRawFd},
};

/// An answer of 10,000 threads with stacks is smaller.
const MAX_ANSWER_BYTES: usize = 16 << 20;
/// The bit of SIGQUIT in `SigCgt` of `/proc/PID/status`.
const CATCHES_QUIT: u64 = 1 << (3 - 1);
/// The switch that keeps a JVM from listening: SIGQUIT only makes it print its threads.
const DISABLED: &str = "DisableAttachMechanism";

/// A connection to a JVM that listens.
#[derive(Debug)]
pub(super) struct Connection {
    roots: Roots,
    jvm: Jvm,
}

impl Connection {
    /// Makes the JVM listen, where it does not yet and accepts attach requests.
    pub(super) fn open(
        roots: &Roots,
        jvm: &Jvm,
        until: &Until<'_>,
    ) -> Result<Connection, ConnectionError> {
        let connection = Connection { roots: roots.clone(), jvm: jvm.clone() };
        let process = connection.hold()?;
        if connection.socket(until)?.is_none() {
            let request = connection.request(until)?;
            process.signal(Signal::QUIT)?;
            while connection.socket(until)?.is_none() {
                if process.has_ended_within(std::time::Duration::ZERO) {
                    return Err(ConnectionError::Gone);
                }
                until.go_on().map_err(|error| match error {
                    ConnectionError::Late => ConnectionError::NotResponding,
                    other => other,
                })?;
                until.pause();
            }
            drop(request);
        }
        Ok(connection)
    }

    /// A JVM that listens already, because it was attached to before. Never signals it.
    pub(super) fn again(
        roots: &Roots,
        jvm: &Jvm,
        until: &Until<'_>,
    ) -> Result<Connection, ConnectionError> {
        let connection = Connection { roots: roots.clone(), jvm: jvm.clone() };
        let _process = connection.hold()?;
        match connection.socket(until)? {
            Some(_) => Ok(connection),
            None => Err(ConnectionError::NotResponding),
        }
    }

    /// Runs one command of `jcmd` and answers what it printed.
    pub(super) fn command(
        &self,
        command: &str,
        until: &Until<'_>,
    ) -> Result<Answer, ConnectionError> {
        // Another process with the same id would not be the one that was chosen.
        let _process = self.hold()?;
        let socket = self.socket(until)?.ok_or(ConnectionError::NotResponding)?;
        let stream = self.connect(&socket, until)?;
        // Version 1 of the protocol: a command and always three arguments.
        send(&stream, format!("1\0jcmd\0{command}\0\0\0").as_bytes(), until)?;
        Answer::read(&String::from_utf8_lossy(&receive(&stream, until)?))
    }

    /// The very process, of which nothing else can take the place while it is held.
    fn hold(&self) -> Result<Process, ConnectionError> {
        // Ids in a `/proc` of another pid namespace would be those of other processes here.
        let own = std::fs::read_link(self.roots.proc.join("self"))?;
        if own.to_str() != Some(&*std::process::id().to_string()) {
            let why = "its process id is one of another namespace";
            return Err(ConnectionError::Unsure(why.into()));
        }
        let process = Process::hold(&self.roots, &self.jvm).map_err(|_| ConnectionError::Gone)?;
        self.dir()?;
        Ok(process)
    }

    /// Its directory in `/proc`.
    fn dir(&self) -> Result<ProcessDir, ConnectionError> {
        let dir = ProcessDir::open(&self.roots, self.jvm.pid).map_err(|_| ConnectionError::Gone)?;
        match Stat::of(&dir) {
            Ok(stat) if stat.start_ticks == self.jvm.start_ticks => Ok(dir),
            _ => Err(ConnectionError::Gone),
        }
    }

    fn socket_name(&self) -> String {
        format!("/tmp/.java_pid{}", self.jvm.pid_in_namespace)
    }

    /// Where it listens; `None` where nothing has the name.
    fn socket(&self, until: &Until<'_>) -> Result<Option<OwnedFd>, ConnectionError> {
        let (dir, name) = (self.dir()?, self.socket_name());
        until.run(move || {
            let Unopened { found, kind, uid } = match dir.find_inside(&name) {
                Err(error) if Errno::from_io_error(&error) == Some(Errno::NOENT) => {
                    return Ok(None);
                }
                other => other?,
            };
            if kind != FileType::Socket {
                return Err(ConnectionError::Impostor(format!("`{name}` is not a socket")));
            }
            if uid != Rights::of(&dir)?.uid() {
                let why = format!(
                    "`{name}` belongs to user {uid}, not to the JVM's (left by an earlier process \
                     with its id? then remove it)"
                );
                return Err(ConnectionError::Impostor(why));
            }
            Ok(Some(found))
        })
    }

    /// Requests that the JVM listens, where the signal that follows can do no harm.
    fn request(&self, until: &Until<'_>) -> Result<Request, ConnectionError> {
        let (dir, jvm) = (self.dir()?, self.jvm.clone());
        until.run(move || {
            let status = dir.text("status", Status::LIMIT_BYTES)?;
            if !catches_quit(&status) {
                return Err(ConnectionError::NoSigquitHandler);
            }
            accepts_attach(&flags(&dir, &jvm, Named::Read))?;
            Request::place(&dir, jvm.pid_in_namespace)
        })
    }

    /// Connects as the JVM's user: HotSpot compares the user and the group at the other end with
    /// its own (since JDK 11 also with root), as its user namespace shows them (`SO_PEERCRED`):
    /// there the root of the host is the overflow user.
    fn connect(&self, to: &OwnedFd, until: &Until<'_>) -> Result<OwnedFd, ConnectionError> {
        let rights = Rights::of(&self.dir()?)?;
        loop {
            let to = to.try_clone()?;
            let connected = until.run({
                let rights = rights.clone();
                move || Ok(rights.run_as_user(&[to.as_raw_fd()], |_| reach(&to)))
            })?;
            match connected {
                Ok(stream) => {
                    self.is_its_own(&stream)?;
                    return Ok(stream);
                }
                // So many wait already to be let in.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => until.pause(),
                Err(error) => return Err(error.into()),
            }
            until.go_on()?;
        }
    }

    /// The kernel keeps who called `listen`.
    fn is_its_own(&self, stream: &OwnedFd) -> Result<(), ConnectionError> {
        let pid = listener(stream)?;
        if u32::try_from(pid) == Ok(self.jvm.pid) {
            return Ok(());
        }
        let name = self.socket_name();
        // A process that this pid namespace does not show has no id here.
        Err(ConnectionError::Impostor(match pid {
            0 => format!("a process that cannot be seen from here listens at `{name}`"),
            pid => format!("process {pid} listens at `{name}`"),
        }))
    }
}

/// A connection, if there is one at once.
fn reach(to: &OwnedFd) -> io::Result<OwnedFd> {
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let stream = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    let address = SocketAddrUnix::new(format!("/proc/self/fd/{}", to.as_raw_fd()))?;
    connect(&stream, &address)?;
    Ok(stream)
}

/// The process at the other end of a connection; 0 where this pid namespace does not show it.
#[expect(unsafe_code, reason = "rustix has no id of 0 there")]
fn listener(stream: &OwnedFd) -> io::Result<i32> {
    let mut peer = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut length = libc::socklen_t::try_from(size_of::<libc::ucred>()).unwrap_or_default();
    // SAFETY: the descriptor is open, and both pointers are to values that live through the call,
    // of which the second says how long the first is.
    let failed = unsafe {
        libc::getsockopt(
            stream.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERCRED,
            (&raw mut peer).cast(),
            &raw mut length,
        )
    };
    if failed == 0 { Ok(peer.pid) } else { Err(io::Error::last_os_error()) }
}

fn send(stream: &OwnedFd, mut bytes: &[u8], until: &Until<'_>) -> Result<(), ConnectionError> {
    while !bytes.is_empty() {
        until.ready(stream, PollFlags::OUT)?;
        match rustix::net::send(stream, bytes, rustix::net::SendFlags::NOSIGNAL) {
            Ok(sent) => bytes = &bytes[sent..],
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(error) => return Err(io::Error::from(error).into()),
        }
    }
    Ok(())
}

fn receive(stream: &OwnedFd, until: &Until<'_>) -> Result<Vec<u8>, ConnectionError> {
    let mut answer = Vec::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        until.ready(stream, PollFlags::IN)?;
        match rustix::io::read(stream.as_fd(), &mut buffer) {
            Ok(0) => return Ok(answer),
            Ok(read) if answer.len() + read > MAX_ANSWER_BYTES => {
                return Err(ConnectionError::Broken("the answer is longer than 16 MiB".into()));
            }
            Ok(read) => answer.extend_from_slice(&buffer[..read]),
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(error) => return Err(io::Error::from(error).into()),
        }
    }
}

/// Whether SIGQUIT would be handled and not end the process.
fn catches_quit(status: &str) -> bool {
    Status(status).bits("SigCgt").is_some_and(|it| it & CATCHES_QUIT != 0)
}

/// An error where SIGQUIT would make it print a thread dump and no more, or may do so.
fn accepts_attach(given: &Given) -> Result<(), ConnectionError> {
    let flags = VmFlags(&given.flags);
    if flags.is_on(DISABLED) || flags.value(DISABLED).is_some() {
        return Err(ConnectionError::NotResponding);
    }
    match given.unread.first() {
        None => Ok(()),
        Some(what) => Err(ConnectionError::Unsure(format!("{what} could not be read"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jvm_that_would_die_of_the_signal_is_not_signalled() {
        assert!(catches_quit("Name:\tjava\nSigCgt:\t2000000181005ccf\n"));
        // -Xrs
        assert!(!catches_quit("SigCgt:\t2000000181001cc8\n"));
        assert!(!catches_quit("Name:\tjava\n"));
    }

    #[test]
    fn a_jvm_that_only_dumps_its_threads_is_not_signalled() {
        let check = |flags: &str, unread: &[&str], expected: Result<(), ConnectionError>| {
            let given = Given {
                flags: flags.split(' ').map(str::to_owned).collect(),
                unread: unread.iter().map(|it| (*it).to_owned()).collect(),
            };
            assert_eq!(accepts_attach(&given), expected, "{flags} {unread:?}");
        };
        check("-Xmx1g", &[], Ok(()));
        check("-XX:+DisableAttachMechanism -Xmx1g", &[], Err(ConnectionError::NotResponding));
        check("-XX:+DisableAttachMechanism -XX:-DisableAttachMechanism", &[], Ok(()));
        check(
            "-XX:-DisableAttachMechanism -XX:+DisableAttachMechanism",
            &[],
            Err(ConnectionError::NotResponding),
        );
        let unsure = Err(ConnectionError::Unsure("`opts` could not be read".into()));
        check("-XX:-DisableAttachMechanism", &["`opts`"], unsure);
    }
}
