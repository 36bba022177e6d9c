//! Removes the probes when that can be done without waiting for another process.
//!
//! Probes are removed when the last descriptor of them is closed, by the process that closes it, also by its
//! death. That waits for every process that has the library mapped, and keeps the whole host from
//! forking ([`ProbedLibrary`]). So a small process holds a second descriptor of each, and is the last:
//! it looks before it closes them. There is one for all recordings of this process.
use crate::{
    Roots,
    aside::{Aside, Channel, Ends, Kind},
    host::ProbedLibrary,
    rights::READING_PROCESSES,
};
use libbpf_rs::Link;
use recording::FileKey;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    pipe::{PipeFlags, pipe_with},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    os::fd::{AsFd, OwnedFd},
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicU32, Ordering},
    },
    thread::sleep,
    time::Duration,
};

/// How long the end of a recording waits for the probes to be gone. It takes milliseconds.
const PATIENCE: Timespec = Timespec { tv_sec: 2, tv_nsec: 0 };
/// How long the end of the last one waits for the process, which has nothing left to do mostly.
const LAST_PATIENCE: Duration = Duration::from_secs(1);
/// How often is looked again while a process is in the way.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

const KIND: Kind =
    Kind { name: c"whypause-probes", rights: Some(READING_PROCESSES), ends: Ends::WhenDone };

/// The process, as long as any recording has use for it.
static RUNNING: Mutex<Weak<Running>> = Mutex::new(Weak::new());
/// The number of the next recording.
static NEXT: AtomicU32 = AtomicU32::new(0);

#[derive(Debug)]
struct Running {
    /// Only taken to be let go.
    aside: Option<Aside>,
    roots: Roots,
}

impl Drop for Running {
    fn drop(&mut self) {
        // Where that takes longer, it goes on without us.
        if let Some(aside) = self.aside.take() {
            aside.release(LAST_PATIENCE);
        }
    }
}

impl Running {
    fn start(roots: &Roots) -> io::Result<Running> {
        let of = roots.clone();
        let aside = Aside::start(KIND, &[], move |channel| keep(channel, &of))?;
        Ok(Running { aside: Some(aside), roots: roots.clone() })
    }

    fn send(&self, message: &Message, with: Option<&OwnedFd>) -> io::Result<()> {
        let aside = self.aside.as_ref().ok_or(io::ErrorKind::BrokenPipe)?;
        aside.send(&message.bytes(), with.map(AsFd::as_fd))
    }
}

/// What the process keeps for one recording.
#[derive(Debug)]
pub(super) struct ProbeGuard {
    running: Arc<Running>,
    number: u32,
    /// Closed at its other end when the probes are gone, or the process is.
    gone: OwnedFd,
}

impl ProbeGuard {
    /// Has probes of this library kept, of which there is none yet. A process is started where none
    /// runs: it is a copy of this one, so this is to be done while this one is small.
    ///
    /// # Errors
    /// Where no process can be started.
    pub(super) fn start(library: &ProbedLibrary) -> io::Result<ProbeGuard> {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let (gone, closed) = pipe_with(PipeFlags::CLOEXEC)?;
        let begin = Message::Begin(number, library.key());
        let mut known = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        let running = known.upgrade().filter(|it| &it.roots == library.roots());
        // One that somebody has killed is replaced.
        if let Some(running) = running.filter(|it| it.send(&begin, Some(&closed)).is_ok()) {
            return Ok(ProbeGuard { running, number, gone });
        }
        let running = Arc::new(Running::start(library.roots())?);
        running.send(&begin, Some(&closed))?;
        *known = Arc::downgrade(&running);
        Ok(ProbeGuard { running, number, gone })
    }

    /// Hands over a descriptor of a probe.
    ///
    /// # Errors
    /// Where the process is gone.
    pub(super) fn keep(&self, link: &Link) -> io::Result<()> {
        let aside = self.running.aside.as_ref().ok_or(io::ErrorKind::BrokenPipe)?;
        aside.send(&Message::Probe(self.number).bytes(), Some(link.as_fd()))
    }
}

impl Drop for ProbeGuard {
    fn drop(&mut self) {
        if self.running.send(&Message::End(self.number), None).is_ok() {
            // Where that takes longer, it goes on without us.
            let _ = poll(&mut [PollFd::new(&self.gone, PollFlags::empty())], Some(&PATIENCE));
        }
    }
}

/// What the process is sent about a recording, which has a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Message {
    /// It sets probes in this library. With the end of a pipe that is to be closed when they are gone.
    Begin(u32, FileKey),
    /// With a descriptor of a probe.
    Probe(u32),
    /// It has closed its own descriptors.
    End(u32),
}

/// The longest: sign, number, and a file.
const MESSAGE_BYTES: usize = 1 + 4 + 8 + 8;

impl Message {
    fn bytes(self) -> [u8; MESSAGE_BYTES] {
        let none = FileKey { device: 0, inode: 0 };
        let (sign, number, key) = match self {
            Message::Begin(number, key) => (b'b', number, key),
            Message::Probe(number) => (b'p', number, none),
            Message::End(number) => (b'e', number, none),
        };
        let mut bytes = [sign; MESSAGE_BYTES];
        bytes[1..5].copy_from_slice(&number.to_ne_bytes());
        bytes[5..13].copy_from_slice(&key.device.to_ne_bytes());
        bytes[13..].copy_from_slice(&key.inode.to_ne_bytes());
        bytes
    }

    fn of(bytes: &[u8]) -> Option<Message> {
        let (sign, rest) = bytes.split_first()?;
        let (number, rest) = rest.split_first_chunk()?;
        let (device, rest) = rest.split_first_chunk()?;
        let number = u32::from_ne_bytes(*number);
        Some(match sign {
            b'b' => {
                let device = u64::from_ne_bytes(*device);
                let inode = u64::from_ne_bytes(*rest.first_chunk()?);
                Message::Begin(number, FileKey { device, inode })
            }
            b'p' => Message::Probe(number),
            b'e' => Message::End(number),
            _ => return None,
        })
    }
}

/// What is kept for one recording. The probes are closed before the pipe.
#[derive(Debug)]
struct Kept {
    key: FileKey,
    probes: Vec<OwnedFd>,
    _pipe: Option<OwnedFd>,
    ended: bool,
}

/// What the process does.
fn keep(channel: &Channel, roots: &Roots) {
    let mut all: BTreeMap<u32, Kept> = BTreeMap::new();
    let mut bytes = [0; MESSAGE_BYTES];
    loop {
        // Of many that end together all are looked at together.
        let pending = all.values().any(|it| it.ended);
        if pending && !channel.is_ready(Duration::ZERO) {
            close(&mut all, roots);
            if all.values().any(|it| it.ended) && !channel.is_ready(RETRY_INTERVAL) {
                continue;
            }
        }
        match channel.receive(&mut bytes) {
            Ok((length @ 1.., with)) => take(&mut all, Message::of(&bytes[..length]), with),
            _ => break,
        }
    }
    all.values_mut().for_each(|it| it.ended = true);
    close(&mut all, roots);
    while !all.is_empty() {
        sleep(RETRY_INTERVAL);
        close(&mut all, roots);
    }
}

fn take(all: &mut BTreeMap<u32, Kept>, message: Option<Message>, with: Option<OwnedFd>) {
    match message {
        Some(Message::Begin(number, key)) => {
            let kept = Kept { key, probes: Vec::new(), _pipe: with, ended: false };
            all.insert(number, kept);
        }
        Some(Message::Probe(number)) => {
            if let Some(kept) = all.get_mut(&number) {
                kept.probes.extend(with);
            }
        }
        Some(Message::End(number)) => {
            if let Some(kept) = all.get_mut(&number) {
                kept.ended = true;
            }
        }
        None => {}
    }
}

/// Removes the probes of recordings that have ended, in libraries where no process is in the way.
fn close(all: &mut BTreeMap<u32, Kept>, roots: &Roots) {
    let to_go = |it: &Kept| it.ended && !it.probes.is_empty();
    let ended: BTreeSet<FileKey> = all.values().filter(|it| to_go(it)).map(|it| it.key).collect();
    let blocked: BTreeSet<FileKey> =
        ended.into_iter().filter(|it| ProbedLibrary::at(roots, *it).blocker().is_some()).collect();
    all.retain(|_, it| !it.ended || to_go(it) && blocked.contains(&it.key));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(message: Message) {
        assert_eq!(Message::of(&message.bytes()), Some(message));
    }

    #[test]
    fn a_message_is_understood() {
        check(Message::Begin(u32::MAX, FileKey { device: u64::MAX, inode: 7 }));
        check(Message::Probe(1));
        check(Message::End(0));
        assert_eq!(Message::of(b""), None);
        assert_eq!(Message::of(&[b'b'; 20]), None);
        assert_eq!(Message::of(&[b'x'; MESSAGE_BYTES]), None);
    }

    /// Stands for a recording: its probe is one end of a pipe, of which this is the other one.
    fn recording(keeper: &ProbeGuard) -> OwnedFd {
        let (end, probe) = pipe_with(PipeFlags::CLOEXEC).unwrap();
        keeper.running.send(&Message::Probe(keeper.number), Some(&probe)).unwrap();
        end
    }

    fn is_closed(end: &OwnedFd) -> bool {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        matches!(poll(&mut [PollFd::new(end, PollFlags::empty())], Some(&now)), Ok(1..))
    }

    fn keeper() -> ProbeGuard {
        // A library that nobody has mapped.
        let key = FileKey { device: u64::MAX, inode: 1 };
        ProbeGuard::start(&ProbedLibrary::at(&Roots::default(), key)).unwrap()
    }

    #[test]
    fn one_process_keeps_the_probes_of_all_and_each_goes_with_its_recording() {
        let (first, second) = (keeper(), keeper());
        assert!(Arc::ptr_eq(&first.running, &second.running));
        let (of_first, of_second) = (recording(&first), recording(&second));
        assert!(!is_closed(&of_first) && !is_closed(&of_second));
        drop(first);
        assert!(is_closed(&of_first) && !is_closed(&of_second));
        drop(second);
        assert!(is_closed(&of_second));
    }
}
