//! Packed text, whole and damaged.
use super::*;
use std::io::Write;

const TEXT: &[u8] = b"[0.1s][info][gc] Using G1\n[0.2s][info][gc] GC(0) Pause Remark\n";

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).expect("memory");
    encoder.finish().expect("memory")
}

fn zstd(text: &[u8]) -> Vec<u8> {
    zstd::encode_all(text, 1).expect("memory")
}

fn unpack(packed: &[u8]) -> (Vec<u8>, Option<Damage>) {
    let mut raw = LogStream::raw(Box::new(io::Cursor::new(packed.to_vec())));
    let container = Container::of(raw.peek(264).expect("memory"));
    let mut stream = raw.unpacked(container).expect("a decoder");
    let mut text = Vec::new();
    stream.read_to_end(&mut text).expect("no error of the system");
    assert_eq!(stream.packed_bytes(), packed.len() as u64);
    (text, stream.damage())
}

#[test]
fn whole_files() {
    for packed in [TEXT.to_vec(), gzip(TEXT), zstd(TEXT)] {
        assert_eq!(unpack(&packed), (TEXT.to_vec(), None));
    }
    assert_eq!(unpack(b""), (Vec::new(), None));
}

#[test]
fn one_after_the_other() {
    let twice = (TEXT.repeat(2), None);
    assert_eq!(unpack(&gzip(TEXT).repeat(2)), twice);
    assert_eq!(unpack(&zstd(TEXT).repeat(2)), twice);
}

#[test]
fn cut_at_every_byte_the_begin_is_read() {
    let text: Vec<u8> = (0..40_u8).flat_map(|n| [&[n + 48][..], TEXT].concat()).collect();
    // Zstandard gives out whole blocks of up to 128 KiB, and this is a single one.
    for (whole, until_cut) in [(gzip(&text), text.len()), (zstd(&text), 0)] {
        let mut longest = 0;
        for end in 4..whole.len() {
            let (part, damage) = unpack(&whole[..end]);
            assert!(text.starts_with(&part), "cut at {end}");
            assert!(part.len() >= longest, "cut at {end}");
            assert_eq!(damage, Some(Damage::Cut), "cut at {end}");
            longest = part.len();
        }
        assert_eq!(longest, until_cut);
    }
}

#[test]
fn whole_blocks_of_a_cut_file_are_read() {
    let mut random = 1_u64;
    let text: Vec<u8> = std::iter::repeat_with(|| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 60) as u8 + b'a'
    })
    .take(600_000)
    .collect();
    for whole in [gzip(&text), zstd(&text)] {
        let (part, damage) = unpack(&whole[..whole.len() - 20]);
        assert!(text.starts_with(&part) && part.len() > 500_000, "{}", part.len());
        assert_eq!(damage, Some(Damage::Cut));
    }
}

#[test]
fn other_bytes_after_the_end_are_left_out() {
    for whole in [gzip(TEXT), zstd(TEXT)] {
        let with_rest = [&whole[..], b"something else entirely"].concat();
        let (text, damage) = unpack_some(&with_rest);
        assert_eq!((text, damage), (TEXT.to_vec(), Some(Damage::TrailingBytes)));
    }
}

/// Where not all packed bytes are of use.
fn unpack_some(packed: &[u8]) -> (Vec<u8>, Option<Damage>) {
    let raw = LogStream::raw(Box::new(io::Cursor::new(packed.to_vec())));
    let mut stream = raw.unpacked(Container::of(packed)).expect("a decoder");
    let mut text = Vec::new();
    stream.read_to_end(&mut text).expect("no error of the system");
    (text, stream.damage())
}

#[test]
fn every_bit_flipped_is_damage_and_no_panic() {
    for whole in [gzip(TEXT), zstd(TEXT)] {
        for at in 4..whole.len() {
            for bit in 0..8 {
                let mut damaged = whole.clone();
                damaged[at] ^= 1 << bit;
                unpack_some(&damaged);
            }
        }
    }
}

#[test]
fn what_was_peeked_at_is_read_again() {
    let mut stream = LogStream::raw(Box::new(TEXT));
    assert_eq!(stream.peek(4).expect("memory"), b"[0.1");
    assert_eq!(stream.peek(8).expect("memory"), b"[0.1s][i");
    let mut text = Vec::new();
    stream.read_to_end(&mut text).expect("memory");
    assert_eq!(text, TEXT);
}
