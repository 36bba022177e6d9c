//! Does one thing aside and brings back what came of it.
use super::{Aside, Channel, Kind, MESSAGE_BYTES, NoAnswer, Patience, shared};
use rustix::fd::{OwnedFd, RawFd};
use std::{
    fs::File,
    io,
    time::{Duration, Instant},
};

/// How long a file system is waited for that does not answer: disks that had been switched off need
/// seconds.
const PATIENT: Duration = Duration::from_secs(2);
/// The same for some time after one has not answered: it, or others of its kind, shall not hang us
/// once for each file.
const IMPATIENT: Duration = Duration::from_millis(200);
const IMPATIENT_FOR: Duration = Duration::from_secs(10);
/// How long what needs a CPU is waited for: a library of 60 MiB is read in less.
const MOST: Duration = Duration::from_secs(10);
/// More bytes are not brought back.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// What can be brought back from another process: bytes, and a descriptor.
pub(crate) trait Passed: Sized {
    /// Takes it apart.
    fn apart(self) -> (Vec<u8>, Option<OwnedFd>);
    /// Puts it together; `None` of what is none.
    fn together(bytes: Vec<u8>, with: Option<OwnedFd>) -> Option<Self>;
}

impl Passed for () {
    fn apart(self) -> (Vec<u8>, Option<OwnedFd>) {
        (Vec::new(), None)
    }

    fn together(bytes: Vec<u8>, _: Option<OwnedFd>) -> Option<()> {
        bytes.is_empty().then_some(())
    }
}

impl Passed for Vec<u8> {
    fn apart(self) -> (Vec<u8>, Option<OwnedFd>) {
        (self, None)
    }

    fn together(bytes: Vec<u8>, _: Option<OwnedFd>) -> Option<Vec<u8>> {
        Some(bytes)
    }
}

impl Passed for OwnedFd {
    fn apart(self) -> (Vec<u8>, Option<OwnedFd>) {
        (Vec::new(), Some(self))
    }

    fn together(_: Vec<u8>, with: Option<OwnedFd>) -> Option<OwnedFd> {
        with
    }
}

impl Passed for File {
    fn apart(self) -> (Vec<u8>, Option<OwnedFd>) {
        (Vec::new(), Some(self.into()))
    }

    fn together(_: Vec<u8>, with: Option<OwnedFd>) -> Option<File> {
        with.map(File::from)
    }
}

/// Numbers, each as they are in memory.
impl Passed for Vec<u64> {
    fn apart(self) -> (Vec<u8>, Option<OwnedFd>) {
        (self.into_iter().flat_map(u64::to_ne_bytes).collect(), None)
    }

    fn together(bytes: Vec<u8>, _: Option<OwnedFd>) -> Option<Vec<u64>> {
        let (numbers, rest) = bytes.as_chunks();
        rest.is_empty().then(|| numbers.iter().map(|it| u64::from_ne_bytes(*it)).collect())
    }
}

/// Runs `work`, which may use the descriptors of `kept`, in a process aside and waits for what comes
/// of it.
///
/// # Errors
/// Those of `work`; `TimedOut` where it waits in the kernel for two seconds, or takes ten.
pub(crate) fn run<T: Passed>(
    kind: Kind,
    kept: &[RawFd],
    work: impl FnOnce() -> io::Result<T>,
) -> io::Result<T> {
    let aside = Aside::start(kind, kept, move |channel| {
        // Nobody listens any more where it came too late.
        let _ = answer(channel, work());
    })?;
    let (mut bytes, mut buffer) = (Vec::new(), vec![0; MESSAGE_BYTES]);
    loop {
        let patience = Patience { waiting: patience(), most: MOST };
        let (length, with) = aside.receive(&mut buffer, patience).map_err(no_answer)?;
        match &buffer[..length] {
            [PART, part @ ..] if bytes.len() + part.len() <= MAX_BYTES => {
                bytes.extend_from_slice(part);
            }
            [END] => return T::together(bytes, with).ok_or_else(broken),
            [FAILED, failure @ ..] => return Err(error(failure).unwrap_or_else(broken)),
            _ => return Err(broken()),
        }
    }
}

const PART: u8 = 0;
const END: u8 = 1;
const FAILED: u8 = 2;

fn answer<T: Passed>(channel: &Channel, result: io::Result<T>) -> io::Result<()> {
    let (bytes, with) = match result {
        Ok(it) => it.apart(),
        Err(failure) => return channel.send(&[&[FAILED], &*reported(&failure)].concat(), None),
    };
    for part in bytes.chunks(MESSAGE_BYTES - 1) {
        channel.send(&[&[PART], part].concat(), None)?;
    }
    let with = with.as_ref().map(rustix::fd::AsFd::as_fd);
    channel.send(&[END], with)
}

/// Kinds of errors that callers distinguish.
const KINDS: [io::ErrorKind; 6] = [
    io::ErrorKind::Other,
    io::ErrorKind::NotFound,
    io::ErrorKind::PermissionDenied,
    io::ErrorKind::InvalidInput,
    io::ErrorKind::FileTooLarge,
    io::ErrorKind::WouldBlock,
];

/// An error as bytes: its number, or 0, its kind and its words.
fn reported(error: &io::Error) -> Vec<u8> {
    let number = error.raw_os_error().unwrap_or(0).to_ne_bytes();
    let kind = KINDS.iter().position(|it| *it == error.kind()).unwrap_or(0);
    let mut bytes = number.to_vec();
    bytes.push(u8::try_from(kind).unwrap_or(0));
    bytes.extend_from_slice(error.to_string().as_bytes());
    bytes.truncate(MESSAGE_BYTES - 1);
    bytes
}

fn error(reported: &[u8]) -> Option<io::Error> {
    let (number, rest) = reported.split_first_chunk()?;
    let (kind, words) = rest.split_first()?;
    Some(match i32::from_ne_bytes(*number) {
        0 => {
            let words = String::from_utf8_lossy(words).into_owned();
            io::Error::new(*KINDS.get(usize::from(*kind))?, words)
        }
        number => io::Error::from_raw_os_error(number),
    })
}

fn broken() -> io::Error {
    io::Error::other("a process aside failed")
}

fn no_answer(why: NoAnswer) -> io::Error {
    let what = match why {
        NoAnswer::Ended => return broken(),
        NoAnswer::Waits(_) => "the file system does not answer",
        NoAnswer::Late => "it takes too long",
    };
    shared().not_answered = Some(Instant::now());
    io::Error::new(io::ErrorKind::TimedOut, what)
}

fn patience() -> Duration {
    if shared().not_answered.is_some_and(|it| it.elapsed() < IMPATIENT_FOR) {
        IMPATIENT
    } else {
        PATIENT
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{io::Read, os::fd::AsRawFd};

    const KIND: Kind = Kind::with_thread(c"test", None);

    fn check_error(error: fn() -> io::Error) {
        let (there, here) = (error(), run::<()>(KIND, &[], move || Err(error())).unwrap_err());
        assert_eq!(here.to_string(), there.to_string());
        assert_eq!((here.kind(), here.raw_os_error()), (there.kind(), there.raw_os_error()));
    }

    #[test]
    fn result_of_work_aside_comes_back_unchanged() {
        for bytes in [0, 1, MESSAGE_BYTES - 1, MESSAGE_BYTES, 20 * MESSAGE_BYTES + 7] {
            let made = run(KIND, &[], move || Ok(vec![7_u8; bytes])).unwrap();
            assert!(made == vec![7_u8; bytes], "{bytes}");
        }
        assert_eq!(run(KIND, &[], || Ok(vec![u64::MAX, 0])).unwrap(), [u64::MAX, 0]);
        let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let mut file = run(KIND, &[], || File::open(manifest)).unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        assert!(text.contains("name = \"recorder\""));
        check_error(|| io::Error::from_raw_os_error(2));
        check_error(|| io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }

    #[test]
    fn it_has_no_descriptors_but_its_own_and_those_it_is_given() {
        let (given, other) = (File::open("/dev/null").unwrap(), File::open("/dev/null").unwrap());
        let (kept, closed) = (given.as_raw_fd(), other.as_raw_fd());
        let open = run(KIND, &[kept], move || {
            let is_open = |fd: i32| std::fs::read_link(format!("/proc/self/fd/{fd}")).is_ok();
            Ok([0, 1, 2, closed, kept].map(|it| u8::from(is_open(it))).to_vec())
        });
        assert_eq!(open.unwrap(), [0, 0, 0, 0, 1]);
    }

    #[test]
    fn what_panics_aside_is_an_error_here() {
        assert!(run::<()>(KIND, &[], || panic!("aside")).is_err());
    }
}
