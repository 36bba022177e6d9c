//! The text of one file, decompressed while it is read.
use crate::container::Container;
use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};
use encoding_rs_io::DecodeReaderBytesBuilder;
use flate2::bufread::MultiGzDecoder;
use std::{
    fmt,
    io::{self, BufReader, Read},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

/// Size of a read of the packed bytes.
const BUFFER_BYTES: usize = 64 * 1024;

/// Number of leading bytes that decide whether a text is UTF-16.
const ENCODING_BYTES: usize = 64;

/// Letters that show it where no mark does.
const LEAST_PAIRS: usize = 8;

/// What is wrong with a packed file. Everything before the damage was given out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Damage {
    /// It ends in the middle.
    Cut,
    /// After its end there is something else.
    TrailingBytes,
    /// It cannot be unpacked any further, or its checksum is wrong.
    Corrupt,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Damage::Cut => "is cut short; what is there was read",
            Damage::TrailingBytes => "has other bytes after its end; they were left out",
            Damage::Corrupt => "is damaged; what comes before the damage was read",
        })
    }
}

/// The text of one file. Reading it never fails for damage, which ends it and is reported by
/// [`damage`](LogStream::damage); it fails only for an error of the system.
pub(crate) struct LogStream {
    /// Read ahead, and not given out yet from `head_at` on.
    head: Vec<u8>,
    head_at: usize,
    inner: Box<dyn Read + Send>,
    packed_bytes: Arc<AtomicU64>,
    /// Whether `inner` has given any bytes.
    begun: bool,
    over: bool,
    /// Of it or of what it is unpacked from.
    damage: Arc<Mutex<Option<Damage>>>,
}

impl fmt::Debug for LogStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogStream").field("damage", &self.damage()).finish_non_exhaustive()
    }
}

/// Counts what goes through.
struct Counted<R> {
    inner: R,
    bytes: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.bytes.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

impl LogStream {
    /// A stream of packed bytes as they are.
    pub(crate) fn raw(from: Box<dyn Read + Send>) -> LogStream {
        let packed_bytes = Arc::<AtomicU64>::default();
        let inner = Box::new(Counted { inner: from, bytes: Arc::clone(&packed_bytes) });
        LogStream::around(inner, packed_bytes, Arc::default())
    }

    fn around(
        inner: Box<dyn Read + Send>,
        packed_bytes: Arc<AtomicU64>,
        damage: Arc<Mutex<Option<Damage>>>,
    ) -> LogStream {
        let (head, head_at) = (Vec::new(), 0);
        LogStream { head, head_at, inner, packed_bytes, begun: false, over: false, damage }
    }

    /// The text inside of the given container, which is not a zip archive, in UTF-8.
    pub(crate) fn unpacked(self, container: Container) -> io::Result<LogStream> {
        let unpacked = match container {
            Container::Plain | Container::Zip => Ok(self),
            Container::Gzip => self.through(|packed| {
                let buffered = BufReader::with_capacity(BUFFER_BYTES, packed);
                Ok(Box::new(MultiGzDecoder::new(buffered)))
            }),
            Container::Zstd => self.through(|packed| Ok(Box::new(zstd::Decoder::new(packed)?))),
        };
        unpacked?.in_utf8()
    }

    /// What a shell of Windows writes is UTF-16.
    fn in_utf8(mut self) -> io::Result<LogStream> {
        let encoding = utf16(self.peek(ENCODING_BYTES)?);
        if encoding.is_none() {
            return Ok(self);
        }
        self.through(|text| {
            let mut decoder = DecodeReaderBytesBuilder::new();
            Ok(Box::new(decoder.encoding(encoding).build(text)))
        })
    }

    /// What a decoder makes of it.
    pub(crate) fn through(
        self,
        decoder: impl FnOnce(LogStream) -> io::Result<Box<dyn Read + Send>>,
    ) -> io::Result<LogStream> {
        let (packed_bytes, damage) = (Arc::clone(&self.packed_bytes), Arc::clone(&self.damage));
        Ok(LogStream::around(decoder(self)?, packed_bytes, damage))
    }

    /// The first bytes, up to `wanted` of them. They will be read once more.
    pub(crate) fn peek(&mut self, wanted: usize) -> io::Result<&[u8]> {
        self.head.drain(..std::mem::take(&mut self.head_at));
        while self.head.len() < wanted {
            let start = self.head.len();
            self.head.resize(wanted, 0);
            let read = self.next(start);
            self.head.truncate(start + *read.as_ref().unwrap_or(&0));
            if read? == 0 {
                break;
            }
        }
        Ok(&self.head)
    }

    /// Reads into `head` from `start` on.
    fn next(&mut self, start: usize) -> io::Result<usize> {
        let mut head = std::mem::take(&mut self.head);
        let read = self.read_inner(&mut head[start..]);
        self.head = head;
        read
    }

    /// How many bytes were read of the file as it is, packed or not.
    pub(crate) fn packed_bytes(&self) -> u64 {
        self.packed_bytes.load(Ordering::Relaxed)
    }

    /// What was wrong with it, as far as it has been read.
    pub(crate) fn damage(&self) -> Option<Damage> {
        *self.damage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read_inner(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.over || buffer.is_empty() {
                return Ok(0);
            }
            match self.inner.read(buffer) {
                Ok(read) => {
                    self.over = read == 0;
                    self.begun |= read > 0;
                    return Ok(read);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // An error of the system and not of the decoder.
                Err(error) if error.raw_os_error().is_some() => return Err(error),
                Err(error) => {
                    self.over = true;
                    let found = damage(&error, self.begun);
                    *self.damage.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
                }
            }
        }
    }
}

impl Read for LogStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let ahead = &self.head[self.head_at..];
        if ahead.is_empty() {
            return self.read_inner(buffer);
        }
        let length = ahead.len().min(buffer.len());
        buffer[..length].copy_from_slice(&ahead[..length]);
        self.head_at += length;
        if self.head_at == self.head.len() {
            (self.head, self.head_at) = (Vec::new(), 0);
        }
        Ok(length)
    }
}

/// The encoding, if text begins with its mark, or as Latin letters look in it: each second byte is zero.
fn utf16(start: &[u8]) -> Option<&'static Encoding> {
    let zeros = |at: usize| start.iter().skip(at).step_by(2).filter(|it| **it == 0).count();
    let (even, odd, pairs) = (zeros(0), zeros(1), start.len() / 2);
    match start {
        [0xff, 0xfe, ..] => Some(UTF_16LE),
        [0xfe, 0xff, ..] => Some(UTF_16BE),
        _ if pairs < LEAST_PAIRS => None,
        _ if even == 0 && odd == pairs => Some(UTF_16LE),
        _ if odd == 0 && even >= pairs => Some(UTF_16BE),
        _ => None,
    }
}

/// What an error of a decoder means. The decoders tell some of it in words only.
fn damage(error: &io::Error, begun: bool) -> Damage {
    let says = error.to_string();
    let not_a_begin = says.contains("invalid gzip header") || says.contains("frame descriptor");
    match error.kind() {
        io::ErrorKind::UnexpectedEof => Damage::Cut,
        _ if not_a_begin && begun => Damage::TrailingBytes,
        _ => Damage::Corrupt,
    }
}

#[cfg(test)]
mod tests;
