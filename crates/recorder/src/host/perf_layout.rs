//! The layout of the file of performance counters, version 2.
//!
//! The structures are `PerfDataPrologue` and `PerfDataEntry` of
//! `src/hotspot/share/runtime/perfMemory.hpp`; they are the same in JDK 6 to 25. The JVM may add
//! an entry while this reads: what does not fit together is left out.
use recording::PerfCounterFact;

/// The magic number is written so that these bytes come first in either byte order.
const MAGIC: [u8; 4] = [0xca, 0xfe, 0xc0, 0xc0];
const LITTLE_ENDIAN: u8 = 1;
const MAJOR_VERSION: u8 = 2;
const PROLOGUE_BYTES: usize = 32;
const ENTRY_BYTES: usize = 20;
/// HotSpot has some 400.
const MAX_ENTRIES: usize = 4096;
/// Longer names are none of HotSpot's.
const MAX_NAME_BYTES: usize = 256;

/// The file's bytes with its byte order.
struct Numbers<'a> {
    bytes: &'a [u8],
    little: bool,
}

impl Numbers<'_> {
    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// A `jint` that is no less than zero.
    fn at(&self, at: usize) -> Option<usize> {
        let bytes = self.bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
        let number =
            if self.little { i32::from_le_bytes(bytes) } else { i32::from_be_bytes(bytes) };
        usize::try_from(number).ok()
    }
}

/// Where each counter lies. Empty where these are no counters.
#[must_use]
pub(crate) fn parse(bytes: &[u8]) -> Vec<PerfCounterFact> {
    counters(bytes).unwrap_or_default()
}

fn counters(bytes: &[u8]) -> Option<Vec<PerfCounterFact>> {
    if bytes.len() < PROLOGUE_BYTES || bytes[..4] != MAGIC || bytes[5] != MAJOR_VERSION {
        return None;
    }
    let file = Numbers { bytes, little: bytes[4] == LITTLE_ENDIAN };
    let (mut at, entries) = (file.at(24)?, file.at(28)?);
    let mut found = Vec::new();
    for _ in 0..entries.min(MAX_ENTRIES) {
        // Where an entry has no length, nobody knows where the next one is.
        let Some(length) = file.at(at).filter(|it| *it >= ENTRY_BYTES) else { break };
        found.extend(entry(&file, at, length));
        at += length;
    }
    Some(found)
}

fn entry(file: &Numbers<'_>, at: usize, length: usize) -> Option<PerfCounterFact> {
    let end = at.checked_add(length).filter(|end| *end <= file.bytes.len())?;
    let name = file.bytes.get(at.checked_add(file.at(at + 4)?)?..end)?;
    let name = &name[..memchr::memchr(0, name)?];
    let values = file.at(at + 8)?.max(1);
    let data = at.checked_add(file.at(at + 16)?)?;
    let bytes = size_of_type(file.byte(at + 12)?)?.checked_mul(values)?;
    if data.checked_add(bytes)? > end || name.is_empty() || name.len() > MAX_NAME_BYTES {
        return None;
    }
    let name = std::str::from_utf8(name).ok()?;
    Some(PerfCounterFact { name: name.into(), offset: data as u64, length: bytes as u64 })
}

/// Bytes of a value of a type, by its letter in signatures.
fn size_of_type(letter: u8) -> Option<usize> {
    Some(match letter {
        b'B' | b'Z' => 1,
        b'C' | b'S' => 2,
        b'I' | b'F' => 4,
        b'J' | b'D' => 8,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with these counters: name, type, vector length.
    fn file(counters: &[(&str, u8, i32)], little: bool) -> Vec<u8> {
        let int = |it: i32| if little { it.to_le_bytes() } else { it.to_be_bytes() };
        let mut bytes = MAGIC.to_vec();
        bytes.extend([u8::from(little), 2, 0, 1]);
        bytes.extend([0; 16]);
        bytes.extend(int(32));
        bytes.extend(int(i32::try_from(counters.len()).unwrap()));
        for (name, letter, vector) in counters {
            let data_at = (20 + name.len() + 1).next_multiple_of(8);
            let data = size_of_type(*letter).unwrap() * usize::try_from((*vector).max(1)).unwrap();
            let length = (data_at + data).next_multiple_of(8);
            let start = bytes.len();
            for number in [length, 20] {
                bytes.extend(int(i32::try_from(number).unwrap()));
            }
            bytes.extend(int(*vector));
            bytes.extend([*letter, 1, 1, 1]);
            bytes.extend(int(i32::try_from(data_at).unwrap()));
            bytes.extend(name.as_bytes());
            bytes.resize(start + length, 0);
        }
        bytes
    }

    fn check(bytes: &[u8], expected: &str) {
        let shown: Vec<String> = parse(bytes)
            .iter()
            .map(|it| format!("{} {:#x} {}", it.name, it.offset, it.length))
            .collect();
        assert_eq!(shown.join(", "), expected);
    }

    const COUNTERS: [(&str, u8, i32); 3] =
        [("sun.rt.safepoints", b'J', 0), ("java.cls.name", b'B', 16), ("a", b'J', 0)];

    #[test]
    fn counters_are_found_in_both_byte_orders() {
        let expected = "sun.rt.safepoints 0x48 8, java.cls.name 0x78 16, a 0xa0 8";
        check(&file(&COUNTERS, true), expected);
        check(&file(&COUNTERS, false), expected);
        check(&file(&[], true), "");
    }

    #[test]
    fn other_files_have_no_counters() {
        check(b"", "");
        check(&[0xca; 300], "");
        let mut version_1 = file(&COUNTERS, true);
        version_1[5] = 1;
        check(&version_1, "");
    }

    #[test]
    fn a_file_cut_anywhere_gives_what_is_whole() {
        let whole = file(&COUNTERS, true);
        let all = parse(&whole);
        for cut in 0..whole.len() {
            let found = parse(&whole[..cut]);
            assert!(all.starts_with(&found), "cut at {cut}");
        }
    }

    #[test]
    fn no_bit_of_it_can_lead_beyond_its_end() {
        let whole = file(&COUNTERS, true);
        for byte in 0..whole.len() {
            for bit in 0..8 {
                let mut flipped = whole.clone();
                flipped[byte] ^= 1 << bit;
                for it in parse(&flipped) {
                    assert!(it.offset + it.length <= whole.len() as u64, "{byte}.{bit}: {it:?}");
                }
            }
        }
    }

    #[test]
    fn any_number_of_entries_ends() {
        let mut endless = file(&COUNTERS, true);
        endless[28..32].copy_from_slice(&i32::MAX.to_le_bytes());
        assert_eq!(parse(&endless).len(), 3);
    }

    /// This machine's own JVM, if one runs: HotSpot's names at plausible places.
    #[test]
    fn a_real_file_names_the_safepoints() {
        let directories = std::fs::read_dir("/tmp").into_iter().flatten().flatten();
        let directories =
            directories.filter(|it| it.file_name().to_string_lossy().starts_with("hsperfdata_"));
        let files = directories.flat_map(|it| std::fs::read_dir(it.path()).into_iter().flatten());
        let Some(file) = files.flatten().find_map(|it| std::fs::read(it.path()).ok()) else {
            println!("SKIPPED: no JVM runs that keeps its counters in /tmp");
            return;
        };
        let found = parse(&file);
        // A JVM that just starts has not yet entered all of its counters.
        if found.len() < 100 {
            println!("SKIPPED: the JVM has only just started");
            return;
        }
        // Numbers are aligned; texts lie where their entry's name ends.
        let safepoints = found.iter().find(|it| it.name == "sun.rt.safepoints");
        assert!(safepoints.is_some_and(|it| it.length == 8 && it.offset % 8 == 0), "{found:?}");
    }
}
