//! How far a log was copied, as it stands before the text that was copied with it.
use crate::print::{Print, crc};

/// What each record begins with. The last byte is the version.
pub(crate) const MAGIC: [u8; 8] = *b"wpKeep\0\x01";
/// Bytes of a record without its files that are done.
const FIXED_BYTES: usize = 124;
/// Bytes of each of these.
const DONE_BYTES: usize = 16;
/// So large is a record at most, in bytes: it fits the extra field of a gzip member.
pub(crate) const MAX_BYTES: usize = 60_000;
/// Number of files kept as done at most; HotSpot's ring has no more than 1000
/// (`LogFileOutput::MaxRotationFileCount`).
const MAX_DONE: usize = (MAX_BYTES - FIXED_BYTES) / DONE_BYTES;

/// A file of the ring that was read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Done {
    pub(crate) inode: u64,
    pub(crate) head: Print,
}

/// How far a log was copied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Position {
    /// The running of the host, as the kernel names it.
    pub(crate) boot: [u8; 16],
    /// How many entries were written before.
    pub(crate) sequence: u64,
    /// The file that was read last.
    pub(crate) device: u64,
    pub(crate) inode: u64,
    /// So far it was read, in bytes.
    pub(crate) offset: u64,
    /// Its first bytes, and those before the offset.
    pub(crate) head: Print,
    pub(crate) tail: Print,
    /// Files that were read before it and are still there.
    pub(crate) done: Vec<Done>,
    /// All that was copied ever, in bytes.
    pub(crate) copied: u64,
    /// What was seen and could not be read before it was gone, in bytes.
    pub(crate) lost: u64,
    /// How often something may have been lost.
    pub(crate) gaps: u64,
}

/// A position, and what comes behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// Checksum of the log's name: two logs may have copies whose names are alike.
    pub(crate) name: u32,
    pub(crate) position: Position,
    /// Length and checksum of the packed text behind it.
    pub(crate) payload: Print,
}

impl Record {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let Position { boot, sequence, device, inode, offset, head, tail, done, .. } =
            &self.position;
        let Position { copied, lost, gaps, .. } = &self.position;
        // Where there are too many, those that were read last count.
        let done = &done[done.len().saturating_sub(MAX_DONE)..];
        let length = FIXED_BYTES + done.len() * DONE_BYTES;
        let mut bytes = Vec::with_capacity(length);
        bytes.extend(MAGIC);
        bytes.extend(u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
        bytes.extend(self.name.to_le_bytes());
        bytes.extend(boot);
        for number in [sequence, device, inode, offset, copied, lost, gaps] {
            bytes.extend(number.to_le_bytes());
        }
        for print in [head, tail, &self.payload] {
            bytes.extend(print.length.to_le_bytes());
            bytes.extend(print.crc.to_le_bytes());
        }
        // Reserved.
        bytes.extend([0; 8]);
        for it in done {
            bytes.extend(it.inode.to_le_bytes());
            bytes.extend(it.head.length.to_le_bytes());
            bytes.extend(it.head.crc.to_le_bytes());
        }
        bytes.extend(crc(&bytes).to_le_bytes());
        bytes
    }

    /// Reads a whole record. `None` where it is none, or damaged.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Record> {
        let (rest, sum) = bytes.split_last_chunk::<4>()?;
        let whole = crc(rest) == u32::from_le_bytes(*sum);
        let mut fields = Fields(rest);
        let begins = fields.take::<8>()? == MAGIC && fields.u32()? as usize == bytes.len();
        if !whole || !begins {
            return None;
        }
        let (name, boot) = (fields.u32()?, fields.take()?);
        let [sequence, device, inode, offset, copied, lost, gaps] = fields.u64s()?;
        let [head, tail, payload] = [fields.print()?, fields.print()?, fields.print()?];
        let _reserved: [u8; 8] = fields.take()?;
        let mut done = Vec::new();
        while !fields.0.is_empty() {
            done.push(Done { inode: fields.u64()?, head: fields.print()? });
        }
        let position = Position {
            boot,
            sequence,
            device,
            inode,
            offset,
            head,
            tail,
            done,
            copied,
            lost,
            gaps,
        };
        Some(Record { name, position, payload })
    }
}

/// Reads numbers, the least byte first.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*first)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    fn u64s<const N: usize>(&mut self) -> Option<[u64; N]> {
        let mut numbers = [0; N];
        for number in &mut numbers {
            *number = self.u64()?;
        }
        Some(numbers)
    }

    fn print(&mut self) -> Option<Print> {
        Some(Print { length: self.u32()?, crc: self.u32()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(done: usize) -> Record {
        let print = |n| Print { length: n, crc: n + 1 };
        let done = (0..done as u64).map(|inode| Done { inode, head: print(7) }).collect();
        let position = Position {
            boot: [3; 16],
            sequence: 4,
            device: 5,
            inode: 6,
            offset: 7,
            head: print(8),
            tail: print(9),
            done,
            copied: 10,
            lost: 11,
            gaps: 12,
        };
        Record { name: 13, position, payload: print(14) }
    }

    #[test]
    fn written_record_is_read_back() {
        for done in [0, 1, 1000] {
            let record = record(done);
            let bytes = record.to_bytes();
            assert_eq!(bytes.len(), FIXED_BYTES + done * DONE_BYTES);
            assert_eq!(Record::parse(&bytes), Some(record));
        }
    }

    #[test]
    fn record_keeps_the_last_of_too_many_files() {
        let bytes = record(MAX_DONE + 2).to_bytes();
        assert!(bytes.len() <= MAX_BYTES);
        let read = Record::parse(&bytes).unwrap().position.done;
        assert_eq!((read.len(), read[0].inode), (MAX_DONE, 2));
    }

    #[test]
    fn damage_is_no_record() {
        let bytes = record(2).to_bytes();
        for at in 0..bytes.len() {
            assert_eq!(Record::parse(&bytes[..at]), None, "cut at {at}");
            let mut damaged = bytes.clone();
            damaged[at] ^= 4;
            assert_eq!(Record::parse(&damaged), None, "changed at {at}");
        }
        assert_eq!(Record::parse(&[bytes, vec![0]].concat()), None);
    }
}
