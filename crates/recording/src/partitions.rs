//! A directory of files in partitions, as tables laid out for Hive are: `DIR/TABLE/date=YYYY-MM-DD/host=NAME/PART`.
//!
//! Each file appears whole under its name, and is written under one that begins with a dot before, which readers of
//! such directories leave out. Nothing is synced, as that would make others wait for the disk: a file that a power
//! failure cut off is removed by the next writer of its host. Many writers, also of many hosts, may share a
//! directory; each looks at the files of its host alone.
mod part;
#[cfg(test)]
mod tests;

use crate::{RecordingError, directory::Directory};
use jiff::{Timestamp, civil::Date};
use part::PartName;
use std::{
    collections::BTreeSet,
    fs::File,
    io::{ErrorKind, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// A file takes whole blocks of a disk.
const BLOCK: u64 = 4096;
/// Names that are looked at in one directory.
const MOST_ENTRIES: usize = 200_000;
/// How often is looked again at what other writers of this host have written.
const LIST_EVERY: Duration = Duration::from_secs(600);
/// Where locks are unknown, what is this old is of a writer that was killed.
const LEFT_BEHIND: Duration = Duration::from_secs(3600);
/// The newest files, of which each is inspected when the store is opened: older ones are on storage.
const MOST_INSPECTED: usize = 64;
/// What a file of Parquet begins and ends with.
const MAGIC: &[u8; 4] = b"PAR1";
/// Names that are tried for a file.
const MOST_NAMES: u32 = 100;
/// Longest name of a partition; that of a file is at most 255 bytes.
const MOST_VALUE: usize = 200;

/// What is kept at most of one host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartitionLimits {
    /// Bytes of all its files together.
    pub bytes: u64,
    /// How old one may become.
    pub age: Duration,
}

/// The files of one host in such a directory, to write to.
#[derive(Clone, Debug)]
pub struct PartitionStore {
    path: PathBuf,
    tables: &'static [&'static str],
    /// `host=NAME`.
    host: String,
    limits: PartitionLimits,
    /// What was there when it was last looked at, oldest first, and when that was.
    all: Vec<Entry>,
    listed: Instant,
    /// Of this process: no name is used twice.
    count: u32,
}

/// A file that is there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    name: PartName,
    table: &'static str,
    date: Date,
    bytes: u64,
}

impl PartitionStore {
    /// The least room that a store can do with: 16 MiB.
    pub const LEAST_BYTES: u64 = 16 << 20;

    /// Opens the directory, or makes it with mode 0700, for tables of these names. What of this host is too much, too
    /// old, or was left by a writer that was killed goes at once.
    ///
    /// # Errors
    ///
    /// Where its parent is missing, or another user can change it or one above it.
    pub fn open(
        path: &Path,
        tables: &'static [&'static str],
        host: &str,
        limits: PartitionLimits,
    ) -> Result<PartitionStore, RecordingError> {
        let path =
            std::path::absolute(path).map_err(|error| RecordingError::io(path, "find", error))?;
        Directory::make(&path)?;
        let host = format!("host={}", partition_value(host));
        let listed = Instant::now();
        let mut store =
            PartitionStore { path, tables, host, limits, all: Vec::new(), listed, count: 0 };
        store.clean()?;
        store.list()?;
        store.make_room(0)?;
        Ok(store)
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file of this table and day whose rows begin at `at`, without a sync. Makes room before: with it the
    /// files of this host have no more bytes than the limit, as far as those of other writers are known.
    ///
    /// # Errors
    ///
    /// Where it cannot be written; nothing of it stays then.
    pub fn add(
        &mut self,
        table: &'static str,
        date: Date,
        at: Timestamp,
        bytes: &[u8],
    ) -> Result<PathBuf, RecordingError> {
        let room = blocks(bytes.len() as u64);
        if room > self.limits.bytes {
            let path = self.path.join(table);
            return Err(RecordingError::io(path, "write", ErrorKind::FileTooLarge));
        }
        if self.listed.elapsed() >= LIST_EVERY {
            self.list()?;
        }
        self.make_room(room)?;
        let (place, name) = match self.write(table, date, at, bytes) {
            // Another writer has removed the directory, which was empty, after it was made here.
            Err(error) if is(&error, ErrorKind::NotFound) => self.write(table, date, at, bytes),
            written => written,
        }?;
        let path = place.join(name.to_string());
        self.all.push(Entry { name, table, date, bytes: room });
        self.all.sort();
        Ok(path)
    }

    fn write(
        &mut self,
        table: &str,
        date: Date,
        at: Timestamp,
        bytes: &[u8],
    ) -> Result<(PathBuf, PartName), RecordingError> {
        let place = self.place(table, date)?;
        let mut written = Err(RecordingError::io(place.path(), "create", ErrorKind::AlreadyExists));
        for _ in 0..MOST_NAMES {
            self.count = self.count.wrapping_add(1);
            let at = Timestamp::from_millisecond(at.as_millisecond()).unwrap_or(at);
            let name = PartName { at, pid: std::process::id(), count: self.count };
            written = write_new(&place, &name, bytes);
            match &written {
                Err(error) if is(error, ErrorKind::AlreadyExists) => {}
                _ => return written.map(|()| (place.path().to_owned(), name)),
            }
        }
        written.map(|()| (place.path().to_owned(), PartName::default()))
    }

    /// The directory of this host for that table and day, which is made.
    fn place(&self, table: &str, date: Date) -> Result<Directory, RecordingError> {
        let of_table = self.path.join(table);
        let of_date = of_table.join(format!("date={date}"));
        for it in [&self.path, &of_table, &of_date] {
            Directory::make(it)?;
        }
        Directory::make(&of_date.join(&self.host))
    }

    /// Gives each directory of this host that is there, with its table and day. No link is followed.
    fn each_place(
        &self,
        take: &mut dyn FnMut(&'static str, Date, &Directory),
    ) -> Result<(), RecordingError> {
        let root = Directory::make(&self.path)?;
        for &table in self.tables {
            let Ok(of_table) = root.inside(table) else { continue };
            for name in of_table.some_names(MOST_ENTRIES)? {
                let Some(date) = date_of(&name) else { continue };
                let of_host = of_table.inside(&name).and_then(|it| it.inside(&self.host));
                if let Ok(of_host) = of_host {
                    take(table, date, &of_host);
                }
            }
        }
        Ok(())
    }

    /// Looks at what is there.
    fn list(&mut self) -> Result<(), RecordingError> {
        let mut all = Vec::new();
        self.each_place(&mut |table, date, place| {
            for name in place.some_names(MOST_ENTRIES).unwrap_or_default() {
                if let Some(part) = PartName::of(&name)
                    && place.is_file(&name)
                {
                    let bytes = blocks(place.bytes(&name));
                    all.push(Entry { name: part, table, date, bytes });
                }
            }
        })?;
        all.sort();
        (self.all, self.listed) = (all, Instant::now());
        Ok(())
    }

    /// Removes what is too old, and of the rest the oldest, until there is room for this many bytes.
    fn make_room(&mut self, room: u64) -> Result<(), RecordingError> {
        let oldest = Timestamp::now().checked_sub(self.limits.age).unwrap_or(Timestamp::MIN);
        let mut bytes = self.all.iter().fold(room, |sum, it| sum.saturating_add(it.bytes));
        let mut gone = 0;
        for it in &self.all {
            if it.name.at >= oldest && bytes <= self.limits.bytes {
                break;
            }
            self.remove(it)?;
            bytes -= it.bytes;
            gone += 1;
        }
        self.all.drain(..gone);
        Ok(())
    }

    /// Removes a file, and the directories that are empty then.
    fn remove(&self, it: &Entry) -> Result<(), RecordingError> {
        let date = format!("date={}", it.date);
        let Ok(of_table) = Directory::make(&self.path)?.inside(it.table) else { return Ok(()) };
        let Ok(of_date) = of_table.inside(&date) else { return Ok(()) };
        let Ok(of_host) = of_date.inside(&self.host) else { return Ok(()) };
        of_host.remove(&it.name.to_string())?;
        of_date.remove_if_empty(&self.host);
        of_table.remove_if_empty(&date);
        Ok(())
    }

    /// Removes what is not whole: what writers of this host have left that were killed, and of the newest files those
    /// that a power failure has cut off.
    fn clean(&self) -> Result<(), RecordingError> {
        let mut newest = BTreeSet::new();
        let mut places = Vec::new();
        self.each_place(&mut |table, date, place| {
            for name in place.some_names(MOST_ENTRIES).unwrap_or_default() {
                if PartName::of_unfinished(&name).is_some() {
                    remove_left(place, &name);
                } else if let Some(part) = PartName::of(&name) {
                    newest.insert((part, table, date));
                }
            }
            places.push((table, date));
        })?;
        for (part, table, date) in newest.into_iter().rev().take(MOST_INSPECTED) {
            let place = Directory::make(&self.path)
                .and_then(|it| it.inside(table))
                .and_then(|it| it.inside(&format!("date={date}")))
                .and_then(|it| it.inside(&self.host));
            let Ok(place) = place else { continue };
            let name = part.to_string();
            // What cannot be opened says nothing: it stays.
            if place.open_file(&name).is_ok_and(|file| is_cut_off(file).unwrap_or(false)) {
                place.remove(&name)?;
            }
        }
        Ok(())
    }
}

/// Writes a file under another name, and gives it its own when all of it is there.
fn write_new(place: &Directory, name: &PartName, bytes: &[u8]) -> Result<(), RecordingError> {
    let (begun, name) = (name.unfinished(), name.to_string());
    let mut file = place.create_file(&begun)?;
    // Who cleans up removes nothing that is locked; what it had removed before goes under another name.
    let written = match Directory::lock_file(&file) {
        Some(false) => return Err(place.error(&begun, "lock", ErrorKind::AlreadyExists)),
        _ if !place.is_file(&begun) => Err(ErrorKind::AlreadyExists.into()),
        _ => file.write_all(bytes),
    };
    let placed = written
        .map_err(|error| place.error(&begun, "write", error))
        .and_then(|()| place.rename_new(&begun, &name));
    if placed.is_err() {
        let _ = place.remove(&begun);
    }
    placed
}

/// Removes what a writer has left, unless that is alive.
fn remove_left(place: &Directory, name: &str) {
    let Ok(file) = place.open_file(name) else { return };
    let is_left = match Directory::lock_file(&file) {
        Some(is_free) => is_free,
        None => {
            let changed = file.metadata().and_then(|it| it.modified());
            changed.is_ok_and(|it| it.elapsed().is_ok_and(|it| it >= LEFT_BEHIND))
        }
    };
    if is_left {
        let _ = place.remove(name);
    }
}

/// Whether the end of a Parquet file is missing.
fn is_cut_off(mut file: File) -> std::io::Result<bool> {
    if file.metadata()?.len() < 2 * MAGIC.len() as u64 {
        return Ok(true);
    }
    let mut end = [0; MAGIC.len()];
    file.seek(SeekFrom::End(-(MAGIC.len() as i64)))?;
    file.read_exact(&mut end)?;
    Ok(end != *MAGIC)
}

fn is(error: &RecordingError, kind: ErrorKind) -> bool {
    match error {
        RecordingError::NoSuchDirectory { .. } => kind == ErrorKind::NotFound,
        RecordingError::Io { source, .. } => source.kind() == kind,
        _ => false,
    }
}

fn blocks(bytes: u64) -> u64 {
    bytes.div_ceil(BLOCK).saturating_mul(BLOCK)
}

fn date_of(name: &str) -> Option<Date> {
    let date: Date = name.strip_prefix("date=")?.parse().ok()?;
    (format!("date={date}") == name).then_some(date)
}

/// What a text is called in the name of a partition. What is not harmless in a path is there as `%` and two hexadecimal
/// digits, as Hive and Spark write it and read it again; what is too long is cut off, and a checksum tells it from
/// others. No text makes a name of more than 255 bytes with `host=` before it.
#[must_use]
pub fn partition_value(text: &str) -> String {
    let mut name = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-') {
            name.push(char::from(byte));
        } else {
            name.push_str(&format!("%{byte:02X}"));
        }
    }
    match name.len() {
        // As Hive calls what has no name.
        0 => "__HIVE_DEFAULT_PARTITION__".to_owned(),
        length if length > MOST_VALUE => {
            let end = (MOST_VALUE - 2..=MOST_VALUE).rev();
            // No digit of a byte is cut off.
            let end = end.min_by_key(|it| name[..*it].rfind('%').is_some_and(|at| at + 3 > *it));
            name.truncate(end.unwrap_or(MOST_VALUE));
            format!("{name}-{:08x}", crc32fast::hash(text.as_bytes()))
        }
        _ => name,
    }
}
