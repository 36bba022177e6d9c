//! The log: which of its files is read, up to where, and which comes next.
mod files;

use crate::{
    Event, KeeperError,
    print::{HEAD_BYTES, Print, TAIL_BYTES, head},
    record::{Done, Position},
    ring::{Known, Member, Rotation, successors},
};
use files::{Directory, Found};
use std::{
    fs::File,
    io,
    os::{fd::OwnedFd, unix::fs::FileExt},
    path::PathBuf,
    sync::Arc,
};

/// What there is to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// There is no log.
    Nothing,
    /// A file that the JVM may still write to.
    Open,
    /// A file that has a successor: what is in it now is all of it.
    Whole,
    /// The files change faster than they can be listed. The open one can be read.
    Unsettled,
}

/// Reads a log and the files that were rotated.
#[derive(Debug)]
pub(crate) struct Source {
    directory: Directory,
    position: Position,
    /// The file of the position. Held, its inode is no other file's, and what was rotated away can
    /// still be read; no other one is held, for that would keep memory from being given back.
    file: Option<File>,
    /// Its first bytes.
    head: Vec<u8>,
    /// Files that come behind it, when they were last looked at.
    pending: Vec<Found>,
    /// The file of the position is still to be found among those that are there.
    unresolved: bool,
    /// The file of the position is gone.
    missing: bool,
    events: Vec<Event>,
}

impl Source {
    pub(crate) fn new(
        from: PathBuf,
        uid: u32,
        boot: [u8; 16],
        descriptors: Option<Arc<OwnedFd>>,
    ) -> Result<Source, KeeperError> {
        Ok(Source {
            directory: Directory::of(from, uid, descriptors)?,
            position: Position { boot, ..Position::default() },
            file: None,
            head: Vec::new(),
            pending: Vec::new(),
            unresolved: false,
            missing: false,
            events: Vec::new(),
        })
    }

    /// Goes on from a position that was stored.
    pub(crate) fn resume(&mut self, position: Position) {
        let boot = self.position.boot;
        let other_boot = position.boot != boot;
        self.position = Position { boot, ..position };
        (self.file, self.unresolved, self.missing) = (None, true, false);
        self.pending.clear();
        if other_boot && self.directory.is_in_memory() {
            // Nothing of it is there any more; another file may have its numbers and its first line.
            self.unresolved = false;
            self.position.done.clear();
        }
    }

    pub(crate) fn position(&self) -> &Position {
        &self.position
    }

    pub(crate) fn events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Looks what there is to read, and what is gone unread.
    pub(crate) fn next(&mut self) -> Result<Next, KeeperError> {
        if !self.directory.open()? {
            return Ok(if self.file.is_some() { Next::Open } else { Next::Nothing });
        }
        if self.unresolved {
            self.resolve()?;
            if self.unresolved {
                return Ok(Next::Unsettled);
            }
        }
        if self.file.is_some() {
            self.verify()?;
            // Nothing is newer than the file that a JVM from JDK 9 on writes to.
            if self.directory.is_written(self.position.device, self.position.inode)? {
                self.pending.clear();
                return Ok(Next::Open);
            }
        }
        let Some(found) = self.directory.list()? else { return Ok(Next::Unsettled) };
        let next = self.behind(&found);
        self.notice(&found, next);
        match (&self.file, self.pending.is_empty()) {
            (Some(_), true) => Ok(Next::Open),
            (Some(_), false) => Ok(Next::Whole),
            (None, true) => Ok(Next::Nothing),
            (None, false) => match self.advance()? {
                true => self.next(),
                false => Ok(Next::Unsettled),
            },
        }
    }

    /// Finds the file of a stored position.
    fn resolve(&mut self) -> Result<(), KeeperError> {
        let Position { inode, offset, head: first, tail, .. } = self.position;
        let Some(found) = self.directory.list()? else { return Ok(()) };
        for it in found.iter().filter(|it| it.inode == inode && it.bytes >= offset) {
            // Renamed since it was listed: it is not gone, and is looked for again.
            let Some(file) = self.directory.file(it)? else { return Ok(()) };
            if offset > 0 && first.begins(&file) && tail.is_before(&file, offset) {
                self.position.device = it.device;
                self.head = self.read_head(&file)?;
                self.head.truncate(first.length as usize);
                self.file = Some(file);
            }
        }
        self.missing = self.file.is_none() && offset > 0;
        self.unresolved = false;
        Ok(())
    }

    fn read_head(&self, file: &File) -> Result<Vec<u8>, KeeperError> {
        head(file).map_err(|error| self.directory.failed("read", error))
    }

    /// Notices that the file was truncated, or begun anew.
    fn verify(&mut self) -> Result<(), KeeperError> {
        let Some(file) = &self.file else { return Ok(()) };
        let Position { offset, head, tail, .. } = self.position;
        let size = file.metadata().map_err(|error| self.directory.failed("inspect", error))?.len();
        if size >= offset && head.begins(file) && tail.is_before(file, offset) {
            return Ok(());
        }
        self.begin_file(self.position.device, self.position.inode);
        self.position.gaps += 1;
        self.events.push(Event::Replaced { path: self.directory.log().into() });
        Ok(())
    }

    fn begin_file(&mut self, device: u64, inode: u64) {
        let none = Print::default();
        self.position = Position {
            device,
            inode,
            offset: 0,
            head: none,
            tail: none,
            ..std::mem::take(&mut self.position)
        };
        self.head.clear();
    }

    /// The files behind the one that is open, in the order in which they were written.
    fn behind(&mut self, found: &[Found]) -> Vec<Found> {
        let members: Vec<Member> = found
            .iter()
            .map(|it| Member { rotation: it.rotation, known: self.known(it), age: it.age })
            .collect();
        let last = members.iter().find(|it| it.known == Known::Last).map(|it| it.rotation);
        let is_behind = |rotation: Rotation| match last {
            // Another one may be written to only where the JVM of this one was killed.
            Some(Rotation::Current(_)) => !matches!(rotation, Rotation::Rotated(_)),
            _ => true,
        };
        let next = successors(&members).into_iter().map(|it| found[it].clone());
        let next = next.filter(|it| is_behind(it.rotation)).collect();
        let is_there = |it: &Done| found.iter().any(|found| found.inode == it.inode);
        self.position.done.retain(is_there);
        next
    }

    fn known(&self, found: &Found) -> Known {
        let Position { device, inode, done, .. } = &self.position;
        if self.file.is_some() && (found.device, found.inode) == (*device, *inode) {
            return Known::Last;
        }
        let of_inode = done.iter().filter(|it| it.inode == found.inode);
        let is_done = |it: &Done| match it.head.length {
            0 => found.bytes == 0,
            _ => {
                let file = self.directory.file(found).ok().flatten();
                file.is_some_and(|file| it.head.begins(&file))
            }
        };
        if of_inode.into_iter().any(is_done) { Known::Done } else { Known::New }
    }

    /// Counts what was rotated away before it was read.
    fn notice(&mut self, found: &[Found], next: Vec<Found>) {
        let is_there = |inode: u64| found.iter().any(|it| it.inode == inode);
        let gone: Vec<&Found> = self.pending.iter().filter(|it| !is_there(it.inode)).collect();
        let lost: u64 = gone.iter().map(|it| it.bytes).sum();
        // As long as the newest file that was seen is there, so are all that came behind it.
        let newest_is_gone = match self.pending.last() {
            Some(newest) => !is_there(newest.inode),
            None => self.missing || self.file.is_some() && !is_there(self.position.inode),
        };
        let rotates = found.iter().any(|it| it.rotation != Rotation::Plain);
        if newest_is_gone && !next.is_empty() || !gone.is_empty() {
            self.position.lost += lost;
            self.position.gaps += 1;
            self.missing = false;
            self.events.push(match rotates || !gone.is_empty() {
                true => Event::Lost { at_least_bytes: lost },
                false => Event::Replaced { path: self.directory.log().into() },
            });
        }
        self.pending = next;
    }

    /// Goes on to the next file. Whether that is there still.
    pub(crate) fn advance(&mut self) -> Result<bool, KeeperError> {
        let Some(next) = self.pending.first() else { return Ok(false) };
        let Some(file) = self.directory.file(next)? else { return Ok(false) };
        let next = self.pending.remove(0);
        if self.file.is_some() {
            let Position { inode, head, done, .. } = &mut self.position;
            // Where file systems use numbers again, the file that had it before is gone.
            done.retain(|it| it.inode != *inode);
            done.push(Done { inode: *inode, head: *head });
        }
        self.begin_file(next.device, next.inode);
        self.file = Some(file);
        Ok(true)
    }

    /// Reads on into `buffer`, as much as there is or fits.
    pub(crate) fn read(&self, buffer: &mut [u8]) -> Result<usize, KeeperError> {
        let Some(file) = &self.file else { return Ok(0) };
        let mut read = 0;
        while read < buffer.len() {
            match file.read_at(&mut buffer[read..], self.position.offset + read as u64) {
                Ok(0) => break,
                Ok(more) => read += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.directory.failed("read", error)),
            }
        }
        Ok(read)
    }

    /// The position after `text`, which was read on from this one.
    pub(crate) fn after(&self, text: &[u8]) -> Position {
        let first = &text[..text.len().min(HEAD_BYTES - self.head.len())];
        // Taken from what was read and not from the file, which may have changed meanwhile.
        let head = Print::of(&[&self.head, first].concat());
        let tail = Print::of(&text[text.len().saturating_sub(TAIL_BYTES)..]);
        let Position { sequence, offset, copied, .. } = self.position;
        let read = text.len() as u64;
        Position {
            sequence: sequence + 1,
            offset: offset + read,
            copied: copied + read,
            head,
            tail,
            ..self.position.clone()
        }
    }

    /// Takes over a position that is stored now.
    pub(crate) fn commit(&mut self, position: Position, text: &[u8]) {
        let first = text.len().min(HEAD_BYTES - self.head.len());
        self.head.extend(&text[..first]);
        self.position = position;
    }
}

#[cfg(test)]
mod tests;
