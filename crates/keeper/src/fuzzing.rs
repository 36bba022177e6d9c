//! Doors for the programs in `fuzz/`. Only there when built by them (`--cfg fuzzing`).
use crate::{
    Compression,
    pack::MAX_ENTRY_BYTES,
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
    if whose == Whose::Torn {
        assert!(bytes.len() < MAX_ENTRY_BYTES);
    }
    // What is cut off does not change what is before it.
    let good = usize::try_from(tail.good).expect("not more than there is");
    assert_eq!(scan(&mut &bytes[..good], compression, name).expect("memory can be read"), tail);
}
