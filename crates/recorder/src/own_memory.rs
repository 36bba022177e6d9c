//! How this process holds memory while it records; its ring buffer, the largest part, is in `kernel/ring.rs`.

/// With less than this at the end of the heap, in bytes, nothing is given back.
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

/// Lets go of the pages of this program and its libraries that were needed so far, many of them for
/// reading arguments and for attaching alone. To be called once, when what follows goes on for long.
///
/// They stay in the kernel's cache of files, and what is needed again is mapped again from there. Only
/// what is read and never written is let go of: code, and constants without addresses in them.
#[allow(unsafe_code, reason = "std knows neither the parts of a program nor their pages")]
pub fn drop_program_pages() {
    // SAFETY: it calls `drop_pages_of` for each object that is loaded, which takes what it is given by.
    unsafe { libc::dl_iterate_phdr(Some(drop_pages_of), std::ptr::null_mut()) };
}

#[allow(unsafe_code, reason = "as above")]
unsafe extern "C" fn drop_pages_of(
    object: *mut libc::dl_phdr_info,
    _: libc::size_t,
    _: *mut libc::c_void,
) -> libc::c_int {
    // SAFETY: the loader hands over a description that is valid during the call, with an array of as
    // many headers as it says.
    let (base, headers) = unsafe {
        let object = &*object;
        (object.dlpi_addr, std::slice::from_raw_parts(object.dlpi_phdr, object.dlpi_phnum.into()))
    };
    let page = rustix::param::page_size() as u64;
    for header in
        headers.iter().filter(|it| it.p_type == libc::PT_LOAD && it.p_flags & libc::PF_W == 0)
    {
        let (start, end) = (base + header.p_vaddr, base + header.p_vaddr + header.p_filesz);
        // Pages that this part has for itself.
        let (start, end) = (start.next_multiple_of(page), end / page * page);
        if start < end {
            // SAFETY: the pages are mapped from a file and nobody can have written to them, so that they
            // are the same whenever they are mapped again.
            unsafe { libc::madvise(start as *mut _, (end - start) as usize, libc::MADV_DONTNEED) };
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Status;

    fn resident_of_files() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        Status(&status).bytes("RssFile").unwrap()
    }

    #[test]
    fn what_was_let_go_of_comes_back_when_it_is_needed() {
        // Whoever needs them meanwhile, in another test, may have some back at once.
        let before = resident_of_files();
        let fewer = (0..100).any(|_| {
            drop_program_pages();
            resident_of_files() < before
        });
        assert!(fewer, "{before}");
        assert_eq!(format!("{:.3}", std::f64::consts::PI.sqrt()), "1.772");
    }
}
