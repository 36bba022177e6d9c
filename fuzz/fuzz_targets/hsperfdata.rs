//! Any bytes as a JVM's file of performance counters; with a first byte that is odd, behind a
//! prologue that is right.
#![no_main]
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((how, data)) = data.split_first() else { return };
    let mut file = Vec::new();
    if how % 2 == 1 {
        // Magic number, byte order, version 2.0, accessible, 16 bytes that do not matter, the first
        // entry behind the prologue, and so many entries.
        file.extend([0xca, 0xfe, 0xc0, 0xc0, 1, 2, 0, 1]);
        file.extend([0; 16]);
        file.extend(32_i32.to_le_bytes());
        file.extend(i32::from(*how).to_le_bytes());
    }
    file.extend(data);
    let found = recorder::fuzzing::perf_counters(&file);
    assert!(found.len() <= 4096);
    for it in found {
        assert!(!it.name.is_empty() && it.name.len() <= 256);
        let end = it.offset.checked_add(it.length).expect("a place in the file");
        assert!(end <= file.len() as u64, "{it:?}");
    }
});
