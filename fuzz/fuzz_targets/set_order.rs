//! Any names and times of the files of a set: each is read once, and always in the same order.
//! The files are the lines of the input, `NAME=TEXT`, put into a zip archive.
#![no_main]
use libfuzzer_sys::fuzz_target;
use std::{collections::BTreeSet, io::Cursor};

/// A GC log, so that whatever comes before it, it is one.
const LOG: &[u8] = b"\n[info][gc] Using G1\n";

fuzz_target!(|data: &[u8]| {
    let lines: Vec<&[u8]> = data.split(|&byte| byte == b'\n').take(64).collect();
    // Two files of one name, as only an archive can have: the first counts, so order matters.
    let name =
        |line: &&[u8]| file(line).map(|(name, _)| String::from_utf8_lossy(name).into_owned());
    let all: Vec<String> = lines.iter().filter_map(name).collect();
    if all.iter().collect::<BTreeSet<_>>().len() < all.len() {
        return;
    }
    let forwards = order(lines.iter().copied());
    let backwards = order(lines.iter().rev().copied());
    let names = |order: &[Vec<String>]| order.concat().into_iter().collect::<BTreeSet<_>>();
    assert_eq!(names(&forwards), names(&backwards));
});

/// The names of the files of each set.
fn order<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Vec<Vec<String>> {
    let files: Vec<(&[u8], Vec<u8>)> = lines.filter_map(file).collect();
    let sets = logset::find(&["-"], Box::new(Cursor::new(archive(&files)))).unwrap_or_default();
    let names = |set: &logset::LogSet| {
        let names: Vec<String> = set.files().iter().map(|it| it.name().to_owned()).collect();
        let once: BTreeSet<_> = names.iter().collect();
        assert_eq!(once.len(), names.len(), "a file is read twice");
        names
    };
    sets.iter().map(names).collect()
}

fn file(line: &[u8]) -> Option<(&[u8], Vec<u8>)> {
    let at = line.iter().position(|&byte| byte == b'=')?;
    Some((&line[..at.min(200)], [&line[at + 1..], LOG].concat()))
}

/// Stored as they are, with wrong checksums: those are looked at when the end has been read.
fn archive(files: &[(&[u8], Vec<u8>)]) -> Vec<u8> {
    let (mut bytes, mut table) = (Vec::new(), Vec::new());
    for (name, text) in files {
        let (size, name_size) = (text.len() as u32, name.len() as u16);
        let mut common = vec![20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        common.extend(size.to_le_bytes().repeat(2));
        common.extend(name_size.to_le_bytes());
        common.extend([0; 2]);
        table.extend(b"PK\x01\x02\x14\0");
        table.extend(&common);
        table.extend([0; 10]);
        table.extend((bytes.len() as u32).to_le_bytes());
        table.extend(*name);
        bytes.extend(b"PK\x03\x04");
        bytes.extend(&common);
        bytes.extend(*name);
        bytes.extend(text);
    }
    let (count, offset) = ((files.len() as u16).to_le_bytes(), bytes.len() as u32);
    bytes.extend(&table);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend(count.repeat(2));
    bytes.extend((table.len() as u32).to_le_bytes());
    bytes.extend(offset.to_le_bytes());
    bytes.extend([0; 2]);
    bytes
}
