//! Where the last whole entry of a copy ends.
use crate::{
    Compression,
    pack::MAX_PAYLOAD_BYTES,
    print::Print,
    record::{MAGIC, Record},
};
use flate2::Crc;
use std::io::{self, Read};

/// Whose file it is, by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// A keeper of this log made it.
    Ours,
    /// It ends before that can be reported, and has nothing else in it.
    Torn,
    /// Not made by a keeper, or made by a keeper of another log.
    Foreign,
}

/// What a copy ends with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tail {
    /// The last whole entry ends here, in bytes; 0 where there is none.
    pub(crate) good: u64,
    /// Its record.
    pub(crate) last: Option<Record>,
}

/// Looks at the first record of a file.
pub(crate) fn whose(
    file: &mut impl Read,
    compression: Compression,
    name: u32,
) -> io::Result<Whose> {
    let envelope = up_to(file, compression.envelope_bytes())?;
    let begin = compression.begin();
    let common = envelope.len().min(begin.len());
    if envelope[..common] != begin[..common] {
        return Ok(Whose::Foreign);
    }
    if envelope.len() < compression.envelope_bytes() {
        return Ok(Whose::Torn);
    }
    let Some(length) = compression.record_bytes(&envelope) else { return Ok(Whose::Foreign) };
    let bytes = up_to(file, length)?;
    let common = bytes.len().min(MAGIC.len());
    if bytes.len() < length && bytes[..common] == MAGIC[..common] {
        return Ok(Whose::Torn);
    }
    let ours = Record::parse(&bytes).is_some_and(|it| it.name == name);
    Ok(if ours { Whose::Ours } else { Whose::Foreign })
}

/// Goes from entry to entry, with bounded memory. An entry whose text is damaged does not end it,
/// for what is behind it is whole; one whose record is damaged does.
pub(crate) fn scan(file: &mut impl Read, compression: Compression, name: u32) -> io::Result<Tail> {
    let mut tail = Tail::default();
    let mut at = 0;
    loop {
        let envelope = up_to(file, compression.envelope_bytes())?;
        let Some(length) = compression.record_bytes(&envelope) else { break };
        let Some(record) = Record::parse(&up_to(file, length)?) else { break };
        let payload = record.payload;
        if record.name != name || payload.length as usize > MAX_PAYLOAD_BYTES {
            break;
        }
        let found = print(file, payload.length)?;
        if found.length < payload.length {
            break;
        }
        at += (envelope.len() + length) as u64 + u64::from(payload.length);
        if found == payload {
            tail = Tail { good: at, last: Some(record) };
        }
    }
    Ok(tail)
}

/// This many bytes, or fewer at the end of the file.
fn up_to(file: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(length);
    file.take(length as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn print(file: &mut impl Read, length: u32) -> io::Result<Print> {
    let mut crc = Crc::new();
    let mut left = file.take(length.into());
    let mut buffer = [0; 16 << 10];
    loop {
        match left.read(&mut buffer) {
            Ok(0) => return Ok(Print { length: crc.amount(), crc: crc.sum() }),
            Ok(read) => crc.update(&buffer[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{pack::Packer, record::Position};

    const NAME: u32 = 7;
    const BOTH: [Compression; 2] = [Compression::Zstd, Compression::Gzip];

    /// The entries of a copy.
    fn entries(compression: Compression) -> Vec<Vec<u8>> {
        let mut packer = Packer::new(compression).unwrap();
        let text = |n: usize| format!("[{n}.1s][info][gc] GC({n})\n").repeat(n * 40);
        let entry = |n: usize| {
            let position = Position { sequence: n as u64, ..Position::default() };
            packer.entry(NAME, &position, text(n).as_bytes()).unwrap()
        };
        (0..3).map(entry).collect()
    }

    #[track_caller]
    fn check(bytes: &[u8], compression: Compression, good: usize, last: Option<u64>) {
        let tail = scan(&mut &*bytes, compression, NAME).unwrap();
        let sequence = tail.last.map(|it| it.position.sequence);
        assert_eq!((tail.good, sequence), (good as u64, last), "{compression:?}");
    }

    #[test]
    fn cut_anywhere_it_ends_with_the_last_whole_entry() {
        for compression in BOTH {
            let entries = entries(compression);
            let whole = entries.concat();
            for length in 0..=whole.len() {
                let (mut good, mut last) = (0, None);
                for (n, entry) in entries.iter().enumerate() {
                    if good + entry.len() <= length {
                        (good, last) = (good + entry.len(), Some(n as u64));
                    }
                }
                check(&whole[..length], compression, good, last);
            }
        }
    }

    #[test]
    fn damaged_text_does_not_hide_what_is_behind_it() {
        for compression in BOTH {
            let entries = entries(compression);
            let mut whole = entries.concat();
            let middle = entries[0].len() + entries[1].len() - 3;
            whole[middle] ^= 1;
            check(&whole, compression, whole.len(), Some(2));
            let end = whole.len() - 3;
            whole[end] ^= 1;
            check(&whole, compression, entries[0].len(), Some(0));
        }
    }

    #[test]
    fn a_damaged_record_ends_it() {
        for compression in BOTH {
            let entries = entries(compression);
            let mut whole = entries.concat();
            whole[entries[0].len() + 40] ^= 1;
            check(&whole, compression, entries[0].len(), Some(0));
        }
    }

    #[test]
    fn cut_entry_is_torn_and_whole_entry_is_attributed() {
        for compression in BOTH {
            let first = &entries(compression)[1];
            let record = compression.record_bytes(&first[..compression.envelope_bytes()]).unwrap();
            let reported = compression.envelope_bytes() + record;
            let whose = |bytes: &[u8], name| whose(&mut &*bytes, compression, name).unwrap();
            for length in 0..first.len() {
                let wanted = if length < reported { Whose::Torn } else { Whose::Ours };
                assert_eq!(whose(&first[..length], NAME), wanted, "{compression:?} {length}");
            }
            assert_eq!(whose(first, NAME + 1), Whose::Foreign);
            assert_eq!(whose(b"text", NAME), Whose::Foreign);
            let mut other = zstd::encode_all(&b"text"[..], 1).unwrap();
            assert_eq!(whose(&other, NAME), Whose::Foreign);
            other.splice(0..0, [0x5e, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4]);
            assert_eq!(whose(&other, NAME), Whose::Foreign);
        }
    }
}
