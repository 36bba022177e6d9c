//! What is known again of a stored position, and what is not.
use super::*;
use std::{fs, path::Path};

const BOOT: [u8; 16] = [1; 16];
const LOG: &str = "[0.004s][info][gc] Using G1\n";

fn source(directory: &Path, boot: [u8; 16]) -> Source {
    let uid = rustix::process::geteuid().as_raw();
    Source::new(directory.join("gc.log"), uid, boot, None).unwrap()
}

/// All that is to be read.
fn read(source: &mut Source) -> String {
    let mut text = String::new();
    while let next @ (Next::Open | Next::Whole) = source.next().unwrap() {
        let mut buffer = vec![0; 4096];
        let read = source.read(&mut buffer).unwrap();
        buffer.truncate(read);
        source.commit(source.after(&buffer), &buffer);
        text += std::str::from_utf8(&buffer).unwrap();
        if next == Next::Open || !source.advance().unwrap() {
            break;
        }
    }
    text
}

/// What a second keeper reads of the same file, which has grown, and what it says.
#[track_caller]
fn check(above: &str, boot: [u8; 16], wanted: &str, reported: usize) {
    let directory = tempfile::tempdir_in(above).unwrap();
    let path = directory.path().join("gc.log");
    fs::write(&path, LOG).unwrap();
    let mut first = source(directory.path(), BOOT);
    assert_eq!(read(&mut first), LOG);
    fs::write(&path, LOG.to_owned() + "more\n").unwrap();
    let mut second = source(directory.path(), boot);
    second.resume(first.position().clone());
    assert_eq!(read(&mut second), wanted);
    assert_eq!(second.events().len(), reported);
    assert_eq!(second.position().boot, boot);
    assert_eq!(second.position().sequence, 2);
}

#[test]
fn file_of_the_same_boot_is_the_same() {
    check("/dev/shm", BOOT, "more\n", 0);
}

#[test]
fn in_memory_nothing_is_what_it_was_before_the_host_started() {
    // The same inode number and the same first line, as the next JVM writes it.
    check("/dev/shm", [2; 16], &(LOG.to_owned() + "more\n"), 0);
}

#[test]
fn on_a_disk_a_file_outlives_the_host() {
    let disk = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target");
    if source(Path::new(disk), BOOT).directory.is_in_memory() {
        return println!("SKIPPED: the sources are in memory");
    }
    check(disk, [2; 16], "more\n", 0);
}

#[test]
fn an_empty_file_that_was_rotated_does_not_hide_a_later_one() {
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let path = |name: &str| directory.path().join(name);
    fs::write(path("gc.log"), "").unwrap();
    let mut source = source(directory.path(), BOOT);
    assert_eq!(read(&mut source), "");
    fs::rename(path("gc.log"), path("gc.log.0")).unwrap();
    fs::write(path("gc.log"), "one\n").unwrap();
    assert_eq!(read(&mut source), "one\n");
    // As if its number were used again.
    fs::write(path("gc.log.0"), "two\n").unwrap();
    fs::rename(path("gc.log"), path("gc.log.1")).unwrap();
    fs::write(path("gc.log"), "three\n").unwrap();
    assert_eq!(read(&mut source), "two\nthree\n");
}

#[test]
fn the_first_bytes_are_those_of_the_file_however_they_came() {
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let path = directory.path().join("gc.log");
    let mut source = source(directory.path(), BOOT);
    let mut text = String::new();
    for n in 0..100 {
        text += &format!("[{n}.1s][info][gc] GC({n})\n");
        fs::write(&path, &text).unwrap();
        read(&mut source);
        let wanted = Print::of(&text.as_bytes()[..text.len().min(HEAD_BYTES)]);
        assert_eq!(source.position().head, wanted);
        assert_eq!(source.position().offset, text.len() as u64);
    }
    assert_eq!(source.events().len(), 0);
}
