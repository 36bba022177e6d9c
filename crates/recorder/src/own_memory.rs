//! How this process holds memory while it records.

/// Below so many bytes at the end of the heap nothing is given back.
#[cfg(target_env = "gnu")]
const TRIM_BYTES: libc::c_int = 128 << 10;
/// From here on a block is mapped by itself, and unmapped when it is freed.
#[cfg(target_env = "gnu")]
const MAPPED_BYTES: libc::c_int = 64 << 10;

/// Has the C library give freed memory back, for the whole process. To be called once, before
/// threads are started.
///
/// It keeps a heap for each thread otherwise, and what a burst of events or the sealing of a part
/// took stays there: beside a JVM with a thousand stops a second that was a third of all memory.
/// With another C library than glibc nothing is done.
#[cfg_attr(target_env = "gnu", allow(unsafe_code, reason = "std has no way to say it"))]
pub fn give_memory_back() {
    #[cfg(target_env = "gnu")]
    for (option, value) in [
        (libc::M_ARENA_MAX, 1),
        (libc::M_TRIM_THRESHOLD, TRIM_BYTES),
        (libc::M_MMAP_THRESHOLD, MAPPED_BYTES),
    ] {
        // SAFETY: it takes two numbers and changes how later calls of the allocator behave. One that
        // it refuses leaves that as it was.
        unsafe { libc::mallopt(option, value) };
    }
}
