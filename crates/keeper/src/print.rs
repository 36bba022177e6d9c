//! A few bytes of a file, by which it is known again.
use flate2::Crc;
use std::{fs::File, os::unix::fs::FileExt};

/// Length of the first part of a print, in bytes: some lines of a log, with their times.
pub(crate) const HEAD_BYTES: usize = 1024;
/// Length of the part before the read position, in bytes.
pub(crate) const TAIL_BYTES: usize = 256;

/// Length and checksum of some bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Print {
    pub(crate) length: u32,
    pub(crate) crc: u32,
}

impl Print {
    pub(crate) fn of(bytes: &[u8]) -> Print {
        Print { length: u32::try_from(bytes.len()).unwrap_or(u32::MAX), crc: crc(bytes) }
    }

    /// Whether the file has these bytes at `offset`.
    pub(crate) fn is_at(self, file: &File, offset: u64) -> bool {
        let mut bytes = [0; HEAD_BYTES];
        let Some(bytes) = bytes.get_mut(..self.length as usize) else { return false };
        file.read_exact_at(bytes, offset).is_ok() && crc(bytes) == self.crc
    }

    /// Whether the file begins with these bytes.
    pub(crate) fn begins(self, file: &File) -> bool {
        self.is_at(file, 0)
    }

    /// Whether these bytes are before `offset` of the file.
    pub(crate) fn is_before(self, file: &File, offset: u64) -> bool {
        offset.checked_sub(self.length.into()).is_some_and(|at| self.is_at(file, at))
    }
}

/// CRC-32 as in RFC 1952.
pub(crate) fn crc(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// The first bytes of a file, up to [`HEAD_BYTES`].
pub(crate) fn head(file: &File) -> std::io::Result<Vec<u8>> {
    let mut bytes = vec![0; HEAD_BYTES];
    let mut read = 0;
    while read < bytes.len() {
        match file.read_at(&mut bytes[read..], read as u64) {
            Ok(0) => break,
            Ok(more) => read += more,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(read);
    Ok(bytes)
}
