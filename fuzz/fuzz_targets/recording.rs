//! A recording of which an attacker has changed one part and made its checksum right again: the
//! first byte says which part, and what follows is laid over it, six bytes for each change.
#![no_main]
use libfuzzer_sys::fuzz_target;
use recording::{Limits, Recording, Writer};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
};

/// Rows of each table that are kept, so that a run is short.
const ROWS: usize = 40;
/// Stands before the eight digits of a part's checksum.
const MARK: &[u8] = b"whypause-crc32:";

/// Recordings on storage in memory, sealed and live, and their parts as they were written.
struct Base {
    parts: Vec<(PathBuf, Vec<u8>)>,
}

fuzz_target!(|data: &[u8]| {
    static BASE: OnceLock<Base> = OnceLock::new();
    let base = BASE.get_or_init(base);
    let Some((which, changes)) = data.split_first() else { return };
    let (path, whole) = &base.parts[usize::from(*which) % base.parts.len()];
    let mut bytes = whole.clone();
    for change in changes.chunks_exact(6) {
        apply(&mut bytes, change);
    }
    seal(&mut bytes);
    fs::write(path, &bytes).expect("writing");
    let directory = path.parent().expect("a directory");
    let recording = Recording::open(directory).expect("the other parts are whole");
    let diagnosis = diagnose::diagnose_recording(&recording);
    for it in &diagnosis.pauses {
        let parts: std::time::Duration = it.parts.iter().map(|it| it.time).sum();
        assert_eq!(parts + it.unattributed, it.pause.duration, "a pause adds up");
    }
    // Whoever shows it must not be the one to find an overflow.
    assert!(!report::terminal::render(&diagnosis, &report::Options::default()).is_empty());
    fs::write(path, whole).expect("writing");
});

/// One change: where, counted from either end, and what: another byte, a piece more or less.
fn apply(bytes: &mut Vec<u8>, change: &[u8]) {
    let [how, a, b, c, value, count] = change else { return };
    let place = usize::from(*a) << 16 | usize::from(*b) << 8 | usize::from(*c);
    let length = bytes.len();
    if length == 0 {
        return;
    }
    // Heads and footers are where the lengths are.
    let place = if how & 1 == 0 { place % length } else { length - 1 - place % length };
    let end = (place + usize::from(*count)).min(length);
    match (how >> 1) % 5 {
        0 => bytes[place] = *value,
        1 => bytes[place] ^= 1 << (value % 8),
        2 => bytes[place..end].fill(*value),
        3 => drop(bytes.drain(place..end)),
        _ => drop(bytes.splice(place..place, std::iter::repeat_n(*value, usize::from(*count)))),
    }
}

/// Makes the checksum of a sealed part right, which is taken with its own digits as zeros.
fn seal(bytes: &mut [u8]) {
    let Some(mark) = bytes.windows(MARK.len()).rposition(|it| it == MARK) else { return };
    let start = mark + MARK.len();
    let Some(digits) = bytes.get_mut(start..start + 8) else { return };
    digits.fill(b'0');
    let sum = format!("{:08x}", crc32(bytes));
    bytes[start..start + 8].copy_from_slice(sum.as_bytes());
}

/// As zip and PNG have it.
fn crc32(bytes: &[u8]) -> u32 {
    static TABLE: OnceLock<[u32; 256]> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        std::array::from_fn(|byte| {
            (0..8).fold(byte as u32, |sum, _| {
                if sum & 1 == 1 { (sum >> 1) ^ 0xedb8_8320 } else { sum >> 1 }
            })
        })
    });
    !bytes.iter().fold(u32::MAX, |sum, byte| (sum >> 8) ^ table[(sum as u8 ^ byte) as usize])
}

/// A few rows of a kept recording, written by this version.
fn base() -> Base {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/recordings");
    let kept = root.join("gc-log-write-blocked.pipe-full/recording");
    let mut facts = Recording::open(&kept).expect("it is kept").facts;
    facts.slices.truncate(ROWS);
    facts.log_lines.truncate(ROWS);
    facts.samples.truncate(ROWS);
    facts.threads.truncate(ROWS);
    facts.safepoints.truncate(ROWS);
    let memory = Path::new("/dev/shm");
    let parent = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let mut parts = Vec::new();
    for is_sealed in [true, false] {
        let name = format!("whypause-fuzz-{}-{is_sealed}", std::process::id());
        let directory = parent.join(name);
        let _ = fs::remove_dir_all(&directory);
        let mut writer = Writer::create(&directory, Limits::default()).expect("a new recording");
        writer.write(&facts).expect("writing");
        if is_sealed {
            writer.seal().expect("sealing");
        }
        for entry in fs::read_dir(&directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            let bytes = fs::read(&path).expect("a part");
            parts.push((path, bytes));
        }
    }
    parts.sort();
    Base { parts }
}
