//! Pieces are whole lines, whatever the files.
use super::*;
use crate::{container::Container, file::Source};
use std::sync::Mutex;

fn file(text: Vec<u8>) -> LogFile {
    let stream = LogStream::raw(Box::new(std::io::Cursor::new(text)));
    LogFile {
        shown: "-".to_owned(),
        source: Source::Once(Mutex::new(Some(stream))),
        container: Container::Plain,
        size_bytes: None,
    }
}

/// All text, the number of pieces and of lines that were too long.
fn read(texts: &[&[u8]]) -> (Vec<u8>, usize, u64) {
    let files: Vec<_> = texts.iter().map(|text| file(text.to_vec())).collect();
    let (mut blocks, mut block) = (Blocks::of(&files), Block::default());
    let (mut text, mut pieces) = (Vec::new(), 0);
    while blocks.next(&mut block).expect("memory") {
        assert!(block.text().ends_with(b"\n"));
        assert!(block.bytes.len() <= MAX_LINE + BLOCK_BYTES + GROW_BYTES, "memory is bounded");
        text.extend_from_slice(block.text());
        pieces += 1;
    }
    let summary = blocks.summary();
    assert_eq!(summary.bytes, texts.iter().map(|text| text.len() as u64).sum::<u64>());
    (text, pieces, summary.lines_too_long)
}

#[test]
fn a_file_ends_a_line() {
    assert_eq!(read(&[b"a\nb", b"c\n", b"", b"d"]), (b"a\nb\nc\nd\n".to_vec(), 3, 0));
    assert_eq!(read(&[]), (vec![], 0, 0));
    assert_eq!(read(&[b""]), (vec![], 0, 0));
    assert_eq!(read(&[b"\n"]), (b"\n".to_vec(), 1, 0));
}

#[test]
fn no_piece_ends_inside_of_a_line() {
    let text = b"0123456789\n".repeat(200_000);
    let (read, pieces, too_long) = read(&[&text]);
    assert!(read == text && pieces > 3 && too_long == 0);
}

#[test]
fn a_line_longer_than_a_piece_is_read_whole() {
    let text = [&b"x".repeat(MAX_LINE)[..], b"\nafter\n"].concat();
    let (read, _, too_long) = read(&[&text]);
    assert!(read == text && too_long == 0);
}

#[test]
fn a_line_without_end_holds_no_memory() {
    let long = b"x".repeat(3 * MAX_LINE);
    assert_eq!(read(&[&[b"a\n", &long[..], b"\nb\n"].concat()]), (b"a\nb\n".to_vec(), 2, 1));
    assert_eq!(read(&[&long, b"b"]), (b"b\n".to_vec(), 1, 1));
}
