//! Any bytes as the copy of a log, of which a keeper must find the end; and any fields of a record
//! whose checksum is right.
#![no_main]
use keeper::{Compression, fuzzing};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&how, data)) = data.split_first() else { return };
    let compression = if how & 1 == 0 { Compression::Zstd } else { Compression::Gzip };
    fuzzing::copy(data, compression, NAME);
    // The name of the log is the first field.
    let (fields, payload) = data.split_at(data.len().min(usize::from(how >> 1) * 4));
    let fields = [&NAME.to_le_bytes(), fields].concat();
    let one = fuzzing::entry(&fields, payload, compression);
    fuzzing::copy(&one, compression, NAME);
    fuzzing::copy(&one.repeat(2), compression, NAME);
});

/// Checksum of `gc.log`, of which the seeds are copies.
const NAME: u32 = 0x4a32_fa06;
