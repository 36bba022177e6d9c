//! The copies: which file is written, how large all of them are, and what is left of it when it
//! cannot be.
mod copies;
mod directory;

use crate::{
    Compression, Event, KeeperError, Options,
    pack::MAX_ENTRY_BYTES,
    print::crc,
    record::Position,
    tail::{Tail, scan},
};
use copies::{Copies, Copy};
use directory::{Lock, TargetDirectory};
use rustix::{
    fs::{AtFlags, Mode, OFlags, RenameFlags},
    io::Errno,
};
use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io::BufReader,
    os::unix::{ffi::OsStrExt, fs::FileExt, fs::MetadataExt},
    path::PathBuf,
};

/// Number of names tried for a new copy, where others exist already.
const NAMES: u32 = 1000;

/// The copy that is written to.
#[derive(Debug)]
struct Open {
    file: File,
    number: u32,
    /// All of it up to here is whole and on disk.
    bytes: u64,
}

/// Which part of a file was written by this keeper, and need not be read to be known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Written {
    device: u64,
    inode: u64,
    bytes: u64,
}

/// What all keepers of this log write.
#[derive(Clone, Debug)]
struct Kind {
    base: OsString,
    /// Checksum of `base`.
    name: u32,
    compression: Compression,
    mode: Mode,
    max_file_bytes: u64,
    max_bytes: u64,
}

/// A directory with copies.
#[derive(Debug)]
pub(crate) struct Target {
    kind: Kind,
    directory: TargetDirectory,
    lock: Lock,
    /// Copies that are not written to any more, the oldest first.
    older: Vec<Copy>,
    open: Option<Open>,
    /// The number of the next one.
    next: u32,
}

/// A target, and what was found there.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) target: Target,
    /// How far the log was copied.
    pub(crate) position: Option<Position>,
    pub(crate) events: Vec<Event>,
}

impl Target {
    /// Opens it, and repairs the last copy. `device` is where it was before; nothing is written to
    /// another one.
    pub(crate) fn open(
        options: &Options,
        device: Option<u64>,
        written: Option<Written>,
    ) -> Result<Opened, KeeperError> {
        let base = options.from.file_name().unwrap_or(OsStr::new("gc.log")).to_owned();
        let kind = Kind {
            name: crc(base.as_bytes()),
            base,
            compression: options.compression,
            mode: Mode::from_raw_mode(options.mode & 0o777),
            max_file_bytes: options.max_file_bytes.min(options.max_bytes / 2),
            max_bytes: options.max_bytes,
        };
        let directory = TargetDirectory::open(options, device)?;
        let lock = directory.lock(&kind.base)?;
        let (older, open, next) = (Vec::new(), None, 1);
        let mut target = Target { kind, directory, lock, older, open, next };
        let (position, events) = target.find(written)?;
        Ok(Opened { target, position, events })
    }

    pub(crate) fn device(&self) -> u64 {
        self.directory.device
    }

    /// Finds the copies that are there, and the end of the last one.
    fn find(
        &mut self,
        written: Option<Written>,
    ) -> Result<(Option<Position>, Vec<Event>), KeeperError> {
        let Copies { ours, torn, next } = copies::list(&self.directory, &self.kind)?;
        (self.older, self.next) = (ours, next);
        let mut events = Vec::new();
        for copy in torn {
            events.push(self.remove_torn(&copy)?);
        }
        while let Some(copy) = self.older.pop() {
            let name = self.name(copy.number);
            let Some(file) = copies::file(&self.directory, &name)? else { continue };
            let status =
                file.metadata().map_err(|it| self.directory.failed("inspect", &name, it))?;
            let known = written
                .filter(|it| (it.device, it.inode) == (status.dev(), status.ino()))
                .filter(|it| it.bytes <= status.len());
            let tail = match known {
                Some(it) => Tail { good: it.bytes, last: None },
                None => scan(&mut BufReader::new(&file), self.kind.compression, self.kind.name)
                    .map_err(|it| self.directory.failed("read", &name, it))?,
            };
            let torn = status.len() - tail.good;
            if tail.good == 0 && torn <= MAX_ENTRY_BYTES as u64 {
                events.push(self.remove_torn(&copy)?);
                self.next = copy.number;
                continue;
            }
            let copy = Copy { number: copy.number, bytes: status.len() };
            // More than one entry was not torn by a kill: it is somebody else's damage, and stays.
            match torn <= MAX_ENTRY_BYTES as u64 {
                true => events.extend(self.repair(file, copy.number, tail.good, torn)?),
                false => self.older.push(copy),
            }
            return Ok((tail.last.map(|it| it.position), events));
        }
        Ok((None, events))
    }

    fn remove_torn(&self, copy: &Copy) -> Result<Event, KeeperError> {
        let name = self.name(copy.number);
        self.directory.remove(&name)?;
        Ok(Event::Repaired { path: self.directory.path.join(name), bytes: copy.bytes })
    }

    fn repair(
        &mut self,
        file: File,
        number: u32,
        good: u64,
        torn: u64,
    ) -> Result<Option<Event>, KeeperError> {
        let name = self.name(number);
        if torn > 0 {
            let cut = file.set_len(good).and_then(|()| file.sync_data());
            cut.map_err(|it| self.directory.failed("repair", &name, it))?;
        }
        self.open = Some(Open { file, number, bytes: good });
        let path = self.directory.path.join(name);
        Ok((torn > 0).then_some(Event::Repaired { path, bytes: torn }))
    }

    fn name(&self, number: u32) -> OsString {
        copies::name(&self.kind.base, number, self.kind.compression)
    }

    /// Whether it is as it was left: the same directory, with the same file in it. `false` where it
    /// must be opened anew.
    pub(crate) fn is_there(&self) -> Result<bool, KeeperError> {
        if !self.directory.is_there()? {
            return Ok(false);
        }
        let Some(open) = &self.open else { return Ok(true) };
        let named = rustix::fs::statat(
            &self.directory.directory,
            self.name(open.number),
            AtFlags::SYMLINK_NOFOLLOW,
        );
        let Ok(own) = open.file.metadata() else { return Ok(false) };
        let same = named.is_ok_and(|it| (it.st_dev, it.st_ino) == (own.dev(), own.ino()));
        Ok(same && own.len() == open.bytes)
    }

    /// What is known of the copy that is written to, for when it is opened anew.
    pub(crate) fn written(&self) -> Option<Written> {
        let open = self.open.as_ref()?;
        let status = open.file.metadata().ok()?;
        Some(Written { device: status.dev(), inode: status.ino(), bytes: open.bytes })
    }

    /// Appends one whole entry; it is on the disk when this returns. Where it fails, nothing of it
    /// is left, as far as the disk allows.
    pub(crate) fn append(&mut self, entry: &[u8]) -> Result<Vec<Event>, KeeperError> {
        let size = entry.len() as u64;
        let mut events = self.make_room(size)?;
        let max = self.kind.max_file_bytes;
        match &mut self.open {
            Some(open) if open.bytes + size <= max => {
                let written = open.file.write_all_at(entry, open.bytes);
                if let Err(error) = written.and_then(|()| open.file.sync_data()) {
                    // What could not be synced may never be: it is written anew.
                    let _ = open.file.set_len(open.bytes);
                    let name = copies::name(&self.kind.base, open.number, self.kind.compression);
                    return Err(self.directory.failed("write", &name, error));
                }
                open.bytes += size;
            }
            _ => events.push(self.begin(entry)?),
        }
        Ok(events)
    }

    /// Begins a new copy. It gets its name when its first entry is on the disk, so that a copy
    /// always tells whose it is.
    fn begin(&mut self, entry: &[u8]) -> Result<Event, KeeperError> {
        let new = directory::hidden(&self.kind.base, "new");
        let failed = |it| self.directory.failed("write", &new, it);
        let _ = self.directory.remove(&new);
        let flags =
            OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.directory.directory, &new, flags, self.kind.mode);
        let file = File::from(file.map_err(|it| failed(it.into()))?);
        // Not what is left of them by the mask of this process.
        let made = rustix::fs::fchmod(&file, self.kind.mode).map_err(Into::into);
        let made = made.and_then(|()| file.write_all_at(entry, 0)).and_then(|()| file.sync_data());
        let named = made.map_err(failed).and_then(|()| self.give_name(&new));
        let number = named.inspect_err(|_| {
            let _ = self.directory.remove(&new);
        })?;
        if let Some(Open { number, bytes, .. }) = self.open.take() {
            self.older.push(Copy { number, bytes });
        }
        self.next = number + 1;
        self.open = Some(Open { file, number, bytes: entry.len() as u64 });
        Ok(Event::Began { path: self.directory.path.join(self.name(number)) })
    }

    /// Names a new file, in place of none that is there.
    fn give_name(&self, new: &OsStr) -> Result<u32, KeeperError> {
        let directory = &self.directory.directory;
        let mut number = self.next;
        loop {
            let name = self.name(number);
            let flags = RenameFlags::NOREPLACE;
            let named = match rustix::fs::renameat_with(directory, new, directory, &name, flags) {
                // Some file systems can name a file only once more.
                Err(Errno::INVAL | Errno::NOSYS) => {
                    rustix::fs::linkat(directory, new, directory, &name, AtFlags::empty())
                        .and_then(|()| rustix::fs::unlinkat(directory, new, AtFlags::empty()))
                }
                named => named,
            };
            match named {
                Err(Errno::EXIST) if number - self.next < NAMES => number += 1,
                Err(error) => return Err(self.directory.failed("name", &name, error.into())),
                Ok(()) => {
                    let synced = rustix::fs::fsync(directory);
                    synced
                        .map_err(|it| self.directory.failed("sync", OsStr::new("."), it.into()))?;
                    return Ok(number);
                }
            }
        }
    }

    /// Removes the oldest copies until this many more bytes are within the bound.
    fn make_room(&mut self, more: u64) -> Result<Vec<Event>, KeeperError> {
        let mut events = Vec::new();
        let open = self.open.as_ref().map_or(0, |it| it.bytes);
        let mut all: u64 = open + self.older.iter().map(|it| it.bytes).sum::<u64>();
        while all + more > self.kind.max_bytes && !self.older.is_empty() {
            let Copy { number, bytes } = self.older.remove(0);
            let name = self.name(number);
            // Somebody may have put something else there since.
            if copies::is_ours(&self.directory, &self.kind, &name)? {
                self.directory.remove(&name)?;
                events.push(Event::Removed { path: self.directory.path.join(name), bytes });
            }
            all -= bytes;
        }
        Ok(events)
    }

    /// Gives the lock up; nothing of it is left.
    pub(crate) fn close(self) -> PathBuf {
        self.lock.release(&self.directory);
        self.directory.path
    }
}
