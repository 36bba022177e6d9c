//! The process aside: what is asked of it, and how it answers.
//!
//! A question is the sign of [`What`] and a name, and comes with the directory that it is about. An
//! answer begins with [`MORE_COMES`], [`LAST`] or [`FAILED`]; any message without a directory asks for
//! the next part.
use crate::{
    aside::{Channel, MESSAGE_BYTES},
    host::process::{self, READ},
};
use rustix::{
    fd::{AsFd, OwnedFd},
    fs::{Mode, openat},
};
use std::{
    fs::File,
    io::{self, Read},
};

/// Number of bytes read of each of several files at most.
pub(super) const PAGE: u64 = 4096;

/// First bytes of answers: a part of it follows, the last part, or the number of an error.
pub(super) const MORE_COMES: u8 = 0;
pub(super) const FAILED: u8 = 1;
pub(super) const LAST: u8 = 2;

/// What is asked of a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::VariantArray)]
pub(in crate::host) enum What {
    /// The bytes of a file.
    File,
    /// Where a link points.
    Link,
    /// What is behind a link, as [`Behind`](process::Behind) writes it.
    Behind,
    /// The numbers among the names in a directory, four bytes each.
    Numbers,
    /// Where each link of a directory points whose names are numbers: number, length, text.
    Links,
    /// A file of each of several processes: number of the error or 0, length, bytes.
    Each,
}

impl What {
    const ALL: &'static [What] = <What as strum::VariantArray>::VARIANTS;

    /// The first byte of the question.
    pub(super) fn sign(self) -> u8 {
        match self {
            What::File => b'f',
            What::Link => b'l',
            What::Behind => b'b',
            What::Numbers => b'n',
            What::Links => b'a',
            What::Each => b'e',
        }
    }

    fn answer(self, dir: &OwnedFd, name: &[u8]) -> io::Result<Box<dyn Read>> {
        let bytes = match self {
            What::File => {
                return Ok(Box::new(File::from(openat(dir, name, READ, Mode::empty())?)));
            }
            What::Link => rustix::fs::readlinkat(dir, name, Vec::new())?.into_bytes(),
            What::Behind => process::behind(dir.as_fd(), name)?.to_bytes().to_vec(),
            What::Numbers => {
                let numbers = process::numbers_in(dir.as_fd(), name)?;
                numbers.into_iter().flat_map(u32::to_ne_bytes).collect()
            }
            What::Links => links(dir, name)?,
            What::Each => each(dir, name)?,
        };
        Ok(Box::new(io::Cursor::new(bytes)))
    }
}

/// Of a process with very many descriptors the first are reported.
const MAX_LINKS_BYTES: usize = 4 * 1024 * 1024;

fn links(dir: &OwnedFd, name: &[u8]) -> io::Result<Vec<u8>> {
    let flags = process::DIRECTORY;
    let inside = openat(dir, name, flags, Mode::empty())?;
    let mut bytes = Vec::new();
    for number in process::numbers_in(dir.as_fd(), name)? {
        // It may be closed by now.
        let Ok(link) = rustix::fs::readlinkat(&inside, number.to_string(), Vec::new()) else {
            continue;
        };
        let link = link.as_bytes();
        bytes.extend_from_slice(&number.to_ne_bytes());
        bytes.extend_from_slice(&u32::try_from(link.len()).unwrap_or(u32::MAX).to_ne_bytes());
        bytes.extend_from_slice(link);
        if bytes.len() > MAX_LINKS_BYTES {
            break;
        }
    }
    Ok(bytes)
}

/// The question ends in the name of the file and its length.
fn each(proc: &OwnedFd, question: &[u8]) -> io::Result<Vec<u8>> {
    let invalid = || io::Error::from(io::ErrorKind::InvalidInput);
    let (length, rest) = question.split_last().ok_or_else(invalid)?;
    let at = rest.len().checked_sub(usize::from(*length)).ok_or_else(invalid)?;
    let (pids, name) = rest.split_at(at);
    let name = std::str::from_utf8(name).map_err(|_| invalid())?;
    let mut bytes = Vec::new();
    for pid in pids.as_chunks().0 {
        let pid = u32::from_ne_bytes(*pid);
        let mut read = Vec::new();
        let done = openat(proc, format!("{pid}/{name}"), READ, Mode::empty())
            .map_err(io::Error::from)
            .and_then(|file| File::from(file).take(PAGE).read_to_end(&mut read));
        let number = done.err().map_or(0, |it| it.raw_os_error().unwrap_or(libc::EIO));
        bytes.extend_from_slice(&number.to_ne_bytes());
        bytes.extend_from_slice(&u32::try_from(read.len()).unwrap_or(0).to_ne_bytes());
        bytes.append(&mut read);
    }
    Ok(bytes)
}

/// What the reader does: answers questions about the directory that comes with each.
pub(super) fn serve(channel: &Channel) {
    let mut source: Option<Box<dyn Read>> = None;
    let mut answer = vec![0; MESSAGE_BYTES];
    let mut question = [0; 4096];
    while let Ok((length @ 1.., dir)) = channel.receive(&mut question) {
        let mut failure = None;
        if let Some(dir) = dir {
            source = None;
            let what = What::ALL.iter().copied().find(|it| it.sign() == question[0]);
            let answered = what.map(|it| it.answer(&dir, &question[1..length]));
            match answered.unwrap_or_else(|| Err(io::ErrorKind::InvalidInput.into())) {
                Ok(it) => source = Some(it),
                Err(error) => failure = Some(error),
            }
        }
        let read = match (&mut source, failure) {
            (Some(source), None) => fill(source, &mut answer[1..]),
            (_, Some(error)) => Err(error),
            (None, None) => Err(io::ErrorKind::InvalidInput.into()),
        };
        let length = match read {
            Ok((read, ended)) => {
                answer[0] = if ended { LAST } else { MORE_COMES };
                1 + read
            }
            Err(error) => {
                let number = error.raw_os_error().unwrap_or(libc::EIO);
                answer[0] = FAILED;
                answer[1..5].copy_from_slice(&number.to_ne_bytes());
                5
            }
        };
        if channel.send(&answer[..length], None).is_err() {
            return;
        }
    }
}

/// Reads until the buffer is full; says how much, and whether that was all.
fn fill(source: &mut dyn Read, buffer: &mut [u8]) -> io::Result<(usize, bool)> {
    let mut filled = 0;
    while filled < buffer.len() {
        match source.read(&mut buffer[filled..]) {
            Ok(0) => return Ok((filled, true)),
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // What came before it is reported first; it comes again.
            Err(_) if filled > 0 => break,
            Err(error) => return Err(error),
        }
    }
    Ok((filled, false))
}
