//! A file in memory stands in for the kernel's map.
use super::*;
use rustix::{
    fd::OwnedFd,
    fs::{MemfdFlags, ftruncate, memfd_create},
    io::pwrite,
};

/// What the kernel would do.
struct Producer {
    file: OwnedFd,
    size: usize,
    written: usize,
}

impl Producer {
    fn start(size: usize) -> (Producer, Ring) {
        let file = memfd_create("ring", MemfdFlags::CLOEXEC).unwrap();
        ftruncate(&file, (2 * page_size() + size) as u64).unwrap();
        let ring = Ring::map(&file, size).unwrap();
        (Producer { file, size, written: 0 }, ring)
    }

    fn put(&self, at: usize, bytes: &[u8]) {
        for (n, byte) in bytes.iter().enumerate() {
            let offset = 2 * page_size() + (at + n) % self.size;
            pwrite(&self.file, &[*byte], offset as u64).unwrap();
        }
    }

    /// A record with these flags; where it begins.
    fn send(&mut self, record: &[u8], flags: u32) -> usize {
        let at = self.written;
        self.put(at, &(u32::try_from(record.len()).unwrap() | flags).to_ne_bytes());
        self.put(at + HEADER_BYTES, record);
        self.written += (HEADER_BYTES + record.len()).next_multiple_of(8);
        pwrite(&self.file, &self.written.to_ne_bytes(), page_size() as u64).unwrap();
        at
    }
}

fn read(ring: &Ring, most: usize) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    ring.consume(most, |record| found.push(record.to_vec()));
    found
}

#[test]
fn records_come_in_order_and_once() {
    let (mut kernel, ring) = Producer::start(page_size());
    assert!(read(&ring, 9).is_empty());
    for record in [&b"a"[..], b"bcdefghij", b"k"] {
        kernel.send(record, 0);
    }
    assert_eq!(read(&ring, 2), [&b"a"[..], b"bcdefghij"]);
    assert_eq!(read(&ring, 9), [b"k"]);
    assert!(read(&ring, 9).is_empty());
}

#[test]
fn a_record_over_the_end_is_whole() {
    let (mut kernel, ring) = Producer::start(page_size());
    // 120 bytes each with its header: no divisor of a page, so some go over its end.
    for n in 0..page_size() {
        let record = [u8::try_from(n % 251).unwrap(); 112];
        kernel.send(&record, 0);
        assert_eq!(read(&ring, 9), [record], "{n}");
    }
}

#[test]
fn what_is_being_written_is_waited_for_and_what_was_discarded_is_left_out() {
    let (mut kernel, ring) = Producer::start(page_size());
    kernel.send(b"gone", DISCARDED);
    kernel.send(b"first", 0);
    let at = kernel.send(b"slow", BUSY);
    kernel.send(b"after", 0);
    assert_eq!(read(&ring, 9), [b"first"]);
    kernel.put(at, &4_u32.to_ne_bytes());
    assert_eq!(read(&ring, 9), [&b"slow"[..], b"after"]);
}

#[test]
fn a_length_that_cannot_be_is_not_followed() {
    let (mut kernel, ring) = Producer::start(page_size());
    let at = kernel.send(b"odd", 0);
    kernel.put(at, &u32::try_from(page_size()).unwrap().to_ne_bytes());
    assert!(read(&ring, 9).is_empty());
}
