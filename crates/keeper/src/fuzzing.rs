//! Doors for the programs in `fuzz/`. Only there when built by them (`--cfg fuzzing`).
use crate::{
    Compression,
    pack::MAX_ENTRY_BYTES,
    print::crc,
    record::MAGIC,
    tail::{Whose, scan, whose},
};

/// Reads any bytes as a copy. What holds of every copy is asserted.
///
/// # Panics
///
/// Where something does not hold.
pub fn copy(bytes: &[u8], compression: Compression, name: u32) {
    let tail = scan(&mut &*bytes, compression, name).expect("memory can be read");
    assert!(tail.good <= bytes.len() as u64);
    assert_eq!(tail.good == 0, tail.last.is_none());
    let whose = whose(&mut &*bytes, compression, name).expect("memory can be read");
    assert!(tail.good == 0 || whose == Whose::Ours);
    assert!(whose != Whose::Torn || bytes.len() < MAX_ENTRY_BYTES);
    // What is cut off does not change what is before it.
    let good = usize::try_from(tail.good).expect("not more than there is");
    assert_eq!(scan(&mut &bytes[..good], compression, name).expect("memory can be read"), tail);
}

/// An entry whose record has these fields and the right checksum, which no fuzzer would find.
#[must_use]
pub fn entry(fields: &[u8], payload: &[u8], compression: Compression) -> Vec<u8> {
    let fields = &fields[..fields.len().min(crate::record::MAX_BYTES - 16)];
    let length = u32::try_from(fields.len() + 16).expect("a record is small");
    let mut record = [&MAGIC[..], &length.to_le_bytes(), fields].concat();
    record.extend(crc(&record).to_le_bytes());
    [&compression.envelope(record.len())[..], &record, payload].concat()
}
