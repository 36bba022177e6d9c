//! Memory that a process of the lab maps and keeps until it ends.
#![allow(unsafe_code, reason = "mapping memory is unsafe")]
use rustix::mm::{Advice, MapFlags, ProtFlags};
use std::{fs::File, io, ptr};

/// Never unmapped, so it needs no lifetime.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mapping {
    start: *mut u8,
    bytes: usize,
}

impl Mapping {
    /// Memory of its own that asks for huge pages; none is there before it is touched.
    pub(crate) fn huge(bytes: usize) -> io::Result<Mapping> {
        let rights = ProtFlags::READ | ProtFlags::WRITE;
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
        // SAFETY: the kernel chooses the place, so no other memory is affected.
        let start = unsafe { rustix::mm::mmap_anonymous(ptr::null_mut(), bytes, rights, flags)? };
        // SAFETY: the range is the mapping above, and this advice changes no contents.
        unsafe { rustix::mm::madvise(start, bytes, Advice::LinuxHugepage)? };
        Ok(Mapping { start: start.cast(), bytes })
    }

    /// The first `bytes` of a file; no page is mapped before it is touched.
    pub(crate) fn shared(file: &File, bytes: usize) -> io::Result<Mapping> {
        let (rights, flags) = (ProtFlags::READ, MapFlags::SHARED);
        // SAFETY: the kernel chooses the place, so no other memory is affected.
        let start = unsafe { rustix::mm::mmap(ptr::null_mut(), bytes, rights, flags, file, 0)? };
        Ok(Mapping { start: start.cast(), bytes })
    }

    /// Offsets of the pieces of this size, beginning at a multiple of it in the address space.
    pub(crate) fn pieces(self, bytes: usize) -> impl Iterator<Item = usize> {
        (self.start.align_offset(bytes)..self.bytes).step_by(bytes)
    }

    /// Writes to the page at `offset`, of a mapping of its own; beyond the end it does nothing.
    pub(crate) fn write(self, offset: usize) {
        if offset < self.bytes {
            // SAFETY: `offset` is inside the mapping, which is never unmapped; nobody has a
            // reference into it.
            unsafe { self.start.add(offset).write_volatile(1) };
        }
    }

    /// Reads from the page at `offset`; beyond the end it does nothing. The file must be as long as
    /// the mapping.
    pub(crate) fn read(self, offset: usize) {
        if offset < self.bytes {
            // SAFETY: as for `write`; the mapping may be read.
            unsafe { self.start.add(offset).read_volatile() };
        }
    }
}
