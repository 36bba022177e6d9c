//! Zip archives: which files are inside, and their bytes.
//!
//! Only the table of contents at the end is believed, as the format demands (APPNOTE 4.3). It is
//! read entry by entry, so an archive cannot make it large in memory.
use flate2::{Crc, bufread::DeflateDecoder};
use std::{
    io::{self, BufReader, Cursor, Read, Seek, SeekFrom},
    path::PathBuf,
    sync::Arc,
};

/// More files in one archive are not looked at.
pub(crate) const MAX_ENTRIES: usize = 10_000;

/// Entries with longer names are not read: no log has such a name, and all are held in memory.
const MAX_NAME: usize = 1024;

/// The longest comment, and so the last place where the end record can begin.
const MAX_COMMENT: u64 = 65_535;
const END_BYTES: usize = 22;
const ENTRY_BYTES: usize = 46;
const LOCAL_BYTES: usize = 30;

/// Where the bytes of an archive are.
#[derive(Clone, Debug)]
pub(crate) enum Store {
    /// In a file.
    File(PathBuf, crate::links::Links),
    /// In memory: it came through a pipe.
    Memory(Arc<[u8]>),
}

trait Bytes: Read + Seek + Send {}
impl<T: Read + Seek + Send> Bytes for T {}

impl Store {
    fn open(&self) -> io::Result<Box<dyn Bytes>> {
        Ok(match self {
            Store::File(path, links) => Box::new(crate::links::open(path, *links)?),
            Store::Memory(bytes) => Box::new(Cursor::new(Arc::clone(bytes))),
        })
    }
}

/// How an entry is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Stored,
    Deflate,
    Zstd,
}

/// One file inside of an archive.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// Its path, as the archive has it; what is no UTF-8 is replaced. Never used as a path.
    pub(crate) name: String,
    /// As packed.
    pub(crate) size_bytes: u64,
    method: Method,
    unpacked_bytes: u64,
    crc: u32,
    /// Of its header.
    offset: u64,
}

/// What is in an archive.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    /// Files that can be read.
    pub(crate) entries: Vec<Entry>,
    /// Files that need a password.
    pub(crate) encrypted: usize,
    /// Files packed in a way not known here.
    pub(crate) unknown_method: usize,
    /// There were more than [`MAX_ENTRIES`].
    pub(crate) too_many: bool,
}

/// Lists the files. An error that is not the system's means that the archive is damaged, or that
/// several of its files are made of the same bytes, so that reading them all would take for ever.
pub(crate) fn contents(store: &Store) -> io::Result<Contents> {
    let mut bytes = store.open()?;
    let (count, offset) = table(&mut *bytes)?;
    let size = bytes.seek(SeekFrom::End(0))?;
    bytes.seek(SeekFrom::Start(offset))?;
    let mut table = BufReader::new(bytes);
    let mut contents = Contents::default();
    for seen in 0..count {
        if seen >= MAX_ENTRIES as u64 {
            contents.too_many = true;
            break;
        }
        entry(&mut table, &mut contents)?;
    }
    let packed = contents.entries.iter().fold(0_u64, |sum, it| sum.saturating_add(it.size_bytes));
    if packed > size {
        return Err(damaged());
    }
    Ok(contents)
}

/// How many entries the table of contents has, and where it begins.
fn table(bytes: &mut dyn Bytes) -> io::Result<(u64, u64)> {
    let size = bytes.seek(SeekFrom::End(0))?;
    let start = size.saturating_sub(MAX_COMMENT + END_BYTES as u64);
    bytes.seek(SeekFrom::Start(start))?;
    let mut tail = Vec::new();
    bytes.take(MAX_COMMENT + END_BYTES as u64).read_to_end(&mut tail)?;
    let at = memchr::memmem::rfind(&tail, b"PK\x05\x06").ok_or_else(damaged)?;
    let end = tail.get(at..at + END_BYTES).ok_or_else(damaged)?;
    let (count, offset) = (u64::from(u16_at(end, 10)), u64::from(u32_at(end, 16)));
    if count < 0xffff && offset < 0xffff_ffff {
        return Ok((count, offset));
    }
    match at.checked_sub(20).map(|from| &tail[from..at]) {
        Some(locator) if locator.starts_with(b"PK\x06\x07") => large_table(bytes, locator),
        _ => Ok((count, offset)),
    }
}

/// The same of an archive with 64-bit offsets.
fn large_table(bytes: &mut dyn Bytes, locator: &[u8]) -> io::Result<(u64, u64)> {
    bytes.seek(SeekFrom::Start(u64_at(locator, 8)))?;
    let mut end = [0; 56];
    bytes.read_exact(&mut end)?;
    if !end.starts_with(b"PK\x06\x06") {
        return Err(damaged());
    }
    Ok((u64_at(&end, 32), u64_at(&end, 48)))
}

fn entry(table: &mut impl Read, contents: &mut Contents) -> io::Result<()> {
    let mut head = [0; ENTRY_BYTES];
    table.read_exact(&mut head)?;
    if !head.starts_with(b"PK\x01\x02") {
        return Err(damaged());
    }
    let mut part = |length_at: usize| {
        let mut part = vec![0; usize::from(u16_at(&head, length_at))];
        table.read_exact(&mut part).map(|()| part)
    };
    let (name, extra) = (part(28)?, part(30)?);
    part(32)?;
    let method = match u16_at(&head, 10) {
        0 => Method::Stored,
        8 => Method::Deflate,
        93 => Method::Zstd,
        _ => {
            contents.unknown_method += 1;
            return Ok(());
        }
    };
    if name.len() > MAX_NAME {
        return Ok(());
    }
    if u16_at(&head, 8) & 1 != 0 {
        contents.encrypted += 1;
        return Ok(());
    }
    let mut large = Large::of(&extra);
    contents.entries.push(Entry {
        name: String::from_utf8_lossy(&name).into_owned(),
        method,
        unpacked_bytes: large.or(u32_at(&head, 24)),
        size_bytes: large.or(u32_at(&head, 20)),
        offset: large.or(u32_at(&head, 42)),
        crc: u32_at(&head, 16),
    });
    Ok(())
}

/// The 64-bit numbers of an entry, in the order in which the 32-bit ones are full.
struct Large<'a>(&'a [u8]);

impl<'a> Large<'a> {
    fn of(mut extra: &'a [u8]) -> Large<'a> {
        while let [id_low, id_high, low, high, rest @ ..] = extra {
            let length = usize::from(u16::from_le_bytes([*low, *high])).min(rest.len());
            if [*id_low, *id_high] == [1, 0] {
                return Large(&rest[..length]);
            }
            extra = &rest[length..];
        }
        Large(&[])
    }

    fn or(&mut self, small: u32) -> u64 {
        match self.0.split_first_chunk::<8>() {
            Some((large, rest)) if small == u32::MAX => {
                self.0 = rest;
                u64::from_le_bytes(*large)
            }
            _ => u64::from(small),
        }
    }
}

/// The packed bytes of an entry, counted by `LogStream`, and then its text.
pub(crate) fn open(store: &Store, entry: &Entry) -> io::Result<Box<dyn Read + Send>> {
    let mut bytes = store.open()?;
    bytes.seek(SeekFrom::Start(entry.offset))?;
    let mut head = [0; LOCAL_BYTES];
    bytes.read_exact(&mut head)?;
    if !head.starts_with(b"PK\x03\x04") {
        return Err(damaged());
    }
    let names = i64::from(u16_at(&head, 26)) + i64::from(u16_at(&head, 28));
    bytes.seek(SeekFrom::Current(names))?;
    Ok(Box::new(bytes.take(entry.size_bytes)))
}

/// Unpacks what [`open`] gives.
pub(crate) fn unpack(
    packed: impl Read + Send + 'static,
    entry: &Entry,
) -> io::Result<Box<dyn Read + Send>> {
    let inner: Box<dyn Read + Send> = match entry.method {
        Method::Stored => Box::new(packed),
        Method::Deflate => Box::new(DeflateDecoder::new(BufReader::new(packed))),
        Method::Zstd => Box::new(zstd::Decoder::new(packed)?),
    };
    let (wanted, wanted_bytes) = (entry.crc, entry.unpacked_bytes);
    Ok(Box::new(Checked { inner, crc: Crc::new(), bytes: 0, wanted, wanted_bytes }))
}

/// Compares length and checksum at the end.
struct Checked {
    inner: Box<dyn Read + Send>,
    crc: Crc,
    bytes: u64,
    wanted: u32,
    wanted_bytes: u64,
}

impl Read for Checked {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.crc.update(&buffer[..read]);
        self.bytes += read as u64;
        if read > 0 || buffer.is_empty() {
            return Ok(read);
        }
        if self.bytes < self.wanted_bytes {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if self.crc.sum() != self.wanted || self.bytes != self.wanted_bytes {
            return Err(damaged());
        }
        Ok(0)
    }
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the archive is damaged")
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}
