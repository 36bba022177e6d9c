//! Any bytes as a `libjvm.so`: all of it, or its notes of probes, or its symbols and their names in a
//! library that is otherwise right.
#![no_main]
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((how, data)) = data.split_first() else { return };
    let half = data.len() / 2;
    let (first, second) = data.split_at(half);
    let read = match how % 3 {
        0 => recorder::fuzzing::read_libjvm(data),
        1 => recorder::fuzzing::read_libjvm(&library([(".note.stapsdt", 7, data), (".strtab", 3, &[])])),
        _ => recorder::fuzzing::read_libjvm(&library([(".symtab", 2, first), (".strtab", 3, second)])),
    };
    // Bounds of `usdt.rs` and `libjvm.rs`.
    assert!(read.0 <= 2 * 64 && read.1 <= 4, "{read:?}");
});

/// With two sections, of which the first belongs to the second, and all of it loaded as code to 0.
fn library(sections: [(&str, u32, &[u8]); 2]) -> Vec<u8> {
    const HEADER: usize = 64;
    const SEGMENT: usize = 56;
    let names = "\0.note.stapsdt\0.symtab\0.strtab\0";
    let mut file = vec![0; HEADER + SEGMENT];
    let mut headers = vec![0; 64];
    for (name, kind, bytes) in sections.into_iter().chain([("", 3, names.as_bytes())]) {
        let name = names.find(&format!("\0{name}\0")).map_or(0, |it| it + 1);
        let mut header = Vec::new();
        header.extend((name as u32).to_ne_bytes());
        header.extend(kind.to_ne_bytes());
        header.extend([0; 16]);
        header.extend((file.len() as u64).to_ne_bytes());
        header.extend((bytes.len() as u64).to_ne_bytes());
        header.extend(2_u32.to_ne_bytes());
        header.resize(64, 0);
        headers.extend(header);
        file.extend(bytes);
    }
    let at = file.len() as u64;
    file.extend(headers);
    let len = file.len() as u64;
    file[..7].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1, 1]);
    file[32..40].copy_from_slice(&(HEADER as u64).to_ne_bytes());
    file[40..48].copy_from_slice(&at.to_ne_bytes());
    file[56] = 1;
    file[60] = 4;
    file[62] = 3;
    file[HEADER] = 1;
    file[HEADER + 4] = 5;
    file[HEADER + 32..HEADER + 40].copy_from_slice(&len.to_ne_bytes());
    file
}
