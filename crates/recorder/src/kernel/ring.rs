//! The kernel's ring buffer of records, read in place.
//!
//! libbpf maps the data twice, one after the other, so that no record is ever in two pieces. The kernel
//! counts each page as often as it is mapped, and that of the second time would be an eighth of what
//! this process may occupy. So it is mapped once, and the rare record that goes over the end is copied.
//! (`kernel/bpf/ringbuf.c`; `ringbuf_process_ring` of libbpf's `ringbuf.c`.)
use rustix::{
    fd::AsFd,
    mm::{MapFlags, ProtFlags, mmap, munmap},
    param::page_size,
};
use std::{
    ptr::{NonNull, null_mut},
    sync::atomic::{AtomicU32, AtomicUsize, Ordering},
};

/// Before each record: its length with two flags, and four bytes of the kernel's own.
const HEADER_BYTES: usize = 8;
/// `BPF_RINGBUF_BUSY_BIT`: it is being written.
const BUSY: u32 = 1 << 31;
/// `BPF_RINGBUF_DISCARD_BIT`: the record was reserved and then discarded.
const DISCARDED: u32 = 1 << 30;

/// A ring buffer, mapped.
#[derive(Debug)]
pub(super) struct Ring {
    /// How far was read: this side's only word.
    consumer: Mapping,
    /// How far was written, in the first page, and then the data.
    producer: Mapping,
    /// Bytes of the data, a power of two.
    size: usize,
}

impl Ring {
    /// Maps the ring buffer with this many bytes of data.
    ///
    /// # Errors
    ///
    /// Where the kernel does not let it be mapped.
    pub(super) fn map(ring: impl AsFd, size: usize) -> rustix::io::Result<Ring> {
        let page = page_size();
        if !size.is_power_of_two() || size < page {
            return Err(rustix::io::Errno::INVAL);
        }
        let both = ProtFlags::READ | ProtFlags::WRITE;
        let consumer = Mapping::new(&ring, page, both, 0)?;
        let producer = Mapping::new(&ring, page + size, ProtFlags::READ, page)?;
        Ok(Ring { consumer, producer, size })
    }

    /// Hands over what is there, in order, at most this many records.
    pub(super) fn consume(&self, most: usize, mut each: impl FnMut(&[u8])) {
        let (read, written) = (self.consumer.position(), self.producer.position());
        let mut at = read.load(Ordering::Relaxed);
        let mut whole = Vec::new();
        for _ in 0..most {
            if at == written.load(Ordering::Acquire) {
                return;
            }
            let header = self.header(at);
            if header & BUSY != 0 {
                return;
            }
            let bytes = (header & !DISCARDED) as usize;
            if bytes > self.size - HEADER_BYTES {
                return;
            }
            if header & DISCARDED == 0 {
                let (first, rest) = self.data(at.wrapping_add(HEADER_BYTES), bytes);
                if rest.is_empty() {
                    each(first);
                } else {
                    whole.clear();
                    whole.extend_from_slice(first);
                    whole.extend_from_slice(rest);
                    each(&whole);
                }
            }
            at = at.wrapping_add((HEADER_BYTES + bytes).next_multiple_of(HEADER_BYTES));
            // From here on the kernel may write over it.
            read.store(at, Ordering::Release);
        }
    }

    fn offset(&self, at: usize) -> usize {
        page_size() + (at & (self.size - 1))
    }

    #[expect(unsafe_code, reason = "the kernel writes it too")]
    fn header(&self, at: usize) -> u32 {
        // SAFETY: `offset` is inside the mapping and, as every position is, a multiple of 8, so that
        // four bytes from there are inside as well; the kernel writes them as one.
        let header = unsafe {
            AtomicU32::from_ptr(self.producer.at.as_ptr().add(self.offset(at)).cast::<u32>())
        };
        header.load(Ordering::Acquire)
    }

    /// The bytes from `at` on, in two pieces where they go over the end.
    #[expect(unsafe_code, reason = "the mapping is the kernel's")]
    fn data(&self, at: usize, bytes: usize) -> (&[u8], &[u8]) {
        let start = self.offset(at);
        let first = bytes.min(page_size() + self.size - start);
        let piece = |from, bytes| {
            // SAFETY: both pieces are inside the mapping. The kernel has said that the record is
            // written, and leaves it alone until `consume` says that it was read.
            unsafe { std::slice::from_raw_parts(self.producer.at.as_ptr().add(from), bytes) }
        };
        (piece(start, first), piece(page_size(), bytes - first))
    }
}

/// Memory that is unmapped when it is dropped.
#[derive(Debug)]
struct Mapping {
    at: NonNull<u8>,
    bytes: usize,
}

impl Mapping {
    #[expect(unsafe_code, reason = "std cannot map")]
    fn new(
        ring: impl AsFd,
        bytes: usize,
        protection: ProtFlags,
        offset: usize,
    ) -> rustix::io::Result<Mapping> {
        // SAFETY: it is mapped where the kernel finds room, so nothing is mapped over.
        let at =
            unsafe { mmap(null_mut(), bytes, protection, MapFlags::SHARED, ring, offset as u64) }?;
        let at = NonNull::new(at.cast()).ok_or(rustix::io::Errno::NOMEM)?;
        Ok(Mapping { at, bytes })
    }

    /// The number at its beginning.
    #[expect(unsafe_code, reason = "atomic access to shared memory")]
    fn position(&self) -> &AtomicUsize {
        // SAFETY: a mapping begins with a page, and lives as long as what is borrowed from it. Of one
        // that may not be written to the number is only loaded.
        unsafe { AtomicUsize::from_ptr(self.at.as_ptr().cast()) }
    }
}

impl Drop for Mapping {
    #[expect(unsafe_code, reason = "std cannot unmap")]
    fn drop(&mut self) {
        // SAFETY: it is what was mapped, and all that was borrowed from it is gone.
        let _ = unsafe { munmap(self.at.as_ptr().cast(), self.bytes) };
    }
}

#[expect(unsafe_code, reason = "a pointer into a mapping is no thread's own")]
// SAFETY: the mapping belongs to whoever holds this, and all that others write there is atomic.
unsafe impl Send for Mapping {}

#[cfg(test)]
mod tests;
