//! Brings back what of a JVM is in swap, without stopping it.
//!
//! What was swapped out stays in swap until it is touched, and a collection touches all of it at
//! once. Here it is touched before: range by range, as long as there is memory for it.
//!
//! The kernel is first advised that a range is needed (`MADV_WILLNEED`, `process_madvise(2)`), so
//! that all of it is read at once; that fills the swap cache and maps nothing (`madvise_willneed` of
//! `mm/madvise.c`), so `VmSwap` stays as it is. Then one byte of each page is read by
//! `process_vm_readv(2)`, which faults it in like any other access. That call takes the
//! `mmap_lock` for reading, for each page anew, and gives it up while a page is read from the disk
//! (`process_vm_rw_single_vec` of `mm/process_vm_access.c`, `folio_lock_or_retry`): a read of
//! `/proc/PID/mem` would keep it. A kernel that refuses the advice loses only the reading at once.
use crate::{
    aside::{Aside, Channel, Kind, NoAnswer, Patience},
    host::{Jvm, MemoryWatch, ProcessDir, Roots, Stat, private_memory},
    rights::READING_PROCESSES,
};
use rustix::{
    fd::{AsFd, AsRawFd, OwnedFd},
    fs::{Mode, OFlags, openat},
    process::{Pid, PidfdFlags, pidfd_open},
    thread::CapabilitySet,
};
use std::{
    fs::File,
    io,
    os::unix::fs::FileExt,
    ptr,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

/// What is brought in between two looks at the memory: a disk of a hundred requests a second needs
/// some seconds for it, and no host is so short of memory that it matters.
const CHUNK_BYTES: u64 = 8 << 20;
/// What stays free: what others take meanwhile must not push anything out.
const KEPT_FREE_BYTES: u64 = 64 << 20;
/// How long a chunk may take, of which every page is read on its own from a slow disk.
const MOST: Duration = Duration::from_secs(120);
/// How long it may go on without a look where nothing was in swap.
const MEMORY_CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// `IOV_MAX` of the kernel (`UIO_MAXIOV`).
const MAX_VECTORS: usize = 1024;

/// The advice also takes `CAP_SYS_NICE`.
const RIGHTS: CapabilitySet = READING_PROCESSES.union(CapabilitySet::SYS_NICE);
const KIND: Kind = Kind::with_thread(c"whypause-swapin", Some(RIGHTS));

/// Why bringing in came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BroughtIn {
    /// All that was in swap was touched.
    All,
    /// There was no more memory for it: more would have pushed something else out.
    NoRoom,
    /// Interrupted.
    Interrupted,
}

/// What of a JVM is in swap, in bytes (`VmSwap`: private memory; a heap in shared memory, as ZGC has
/// it, is not counted by the kernel there).
///
/// # Errors
/// `NotFound` where it has ended.
pub fn swapped_bytes(roots: &Roots, jvm: &Jvm) -> io::Result<u64> {
    let sample = MemoryWatch::open(roots, jvm)?.sample();
    sample.map(|it| it.swapped_bytes).ok_or_else(|| io::ErrorKind::NotFound.into())
}

/// Brings back the JVM's private memory that is in swap, as far as there is memory for it: on the
/// host, and in the limits of its control groups. It stops no thread.
///
/// # Errors
/// `NotFound` where the JVM has ended, `TimedOut` where its memory does not come, and those of the
/// kernel.
pub fn bring_in(roots: &Roots, jvm: &Jvm, interrupt: &AtomicBool) -> io::Result<BroughtIn> {
    let dir = ProcessDir::open(roots, jvm.pid)?;
    if Stat::of(&dir)?.start_ticks != jvm.start_ticks {
        return Err(io::ErrorKind::NotFound.into());
    }
    let mut watch = MemoryWatch::open(roots, jvm)?;
    let ranges = private_memory(&dir)?;
    let pid = jvm.pid;
    let aside = Aside::start(KIND, &[], move |channel| serve(channel, pid))?;
    let mut checked: Option<Instant> = None;
    for (start, end) in ranges.into_iter().flat_map(chunks) {
        if interrupt.load(Ordering::Relaxed) {
            return Ok(BroughtIn::Interrupted);
        }
        if checked.is_none_or(|it| it.elapsed() >= MEMORY_CHECK_INTERVAL) {
            let sample = watch.sample().ok_or(io::ErrorKind::NotFound)?;
            if sample.swapped_bytes == 0 {
                return Ok(BroughtIn::All);
            }
            if !has_room(sample.available_bytes) {
                return Ok(BroughtIn::NoRoom);
            }
            checked = Some(Instant::now());
        }
        if bring_in_chunk(&aside, &dir, start, end)? > 0 {
            checked = None;
        }
    }
    Ok(BroughtIn::All)
}

/// Whether a chunk fits, and something is left.
fn has_room(available_bytes: u64) -> bool {
    available_bytes >= CHUNK_BYTES + KEPT_FREE_BYTES
}

fn chunks((start, end): (u64, u64)) -> impl Iterator<Item = (u64, u64)> {
    let step = usize::try_from(CHUNK_BYTES).unwrap_or(usize::MAX);
    (start..end).step_by(step).map(move |it| (it, it.saturating_add(CHUNK_BYTES).min(end)))
}

/// Has one chunk brought in; the pages that were in swap.
fn bring_in_chunk(aside: &Aside, dir: &ProcessDir, start: u64, end: u64) -> io::Result<u64> {
    let question = [start.to_ne_bytes(), end.to_ne_bytes()].concat();
    aside.send(&question, Some(dir.as_fd()))?;
    let mut answer = [0; 16];
    let patience = Patience { waiting: MOST, most: MOST };
    match aside.receive(&mut answer, patience) {
        Ok((16, _)) => {}
        Ok(_) | Err(NoAnswer::Ended) => return Err(io::ErrorKind::BrokenPipe.into()),
        Err(NoAnswer::Late | NoAnswer::Waits(_)) => return Err(io::ErrorKind::TimedOut.into()),
    }
    let (pages, error) = answer.split_at(8);
    let number = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_ne_bytes);
    match i32::try_from(number(error)).unwrap_or(libc::EIO) {
        0 => Ok(number(pages)),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}

/// The body of the process aside: it waits for the disk, and for the `mmap_lock`.
fn serve(channel: &Channel, pid: u32) {
    let mut question = [0; 16];
    while let Ok((16, Some(dir))) = channel.receive(&mut question) {
        let (start, end) = question.split_at(8);
        let number = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_ne_bytes);
        let (pages, error) = match chunk(&dir, pid, number(start), number(end)) {
            Ok(pages) => (pages, 0),
            Err(error) => (0, error.raw_os_error().unwrap_or(libc::EIO)),
        };
        let error = u64::try_from(error).unwrap_or(0);
        if channel.send(&[pages.to_ne_bytes(), error.to_ne_bytes()].concat(), None).is_err() {
            return;
        }
    }
}

fn chunk(dir: &OwnedFd, pid: u32, start: u64, end: u64) -> io::Result<u64> {
    let page = u64::try_from(rustix::param::page_size()).unwrap_or(4096);
    let pages = usize::try_from(end.saturating_sub(start) / page).unwrap_or(0);
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let pagemap = File::from(openat(dir, "pagemap", flags, Mode::empty())?);
    let mut entries = vec![0; pages * ENTRY];
    let read = pagemap.read_at(&mut entries, start / page * 8)?;
    let swapped = swapped(&entries[..read], start, page);
    if !swapped.is_empty() {
        advise(pid, &runs(&swapped, page));
        touch(pid, &swapped)?;
    }
    Ok(u64::try_from(swapped.len()).unwrap_or(0))
}

/// Bytes of an entry, and its bit for a page in swap (`Documentation/admin-guide/mm/pagemap.rst`).
const ENTRY: usize = 8;
const IS_SWAPPED: u64 = 1 << 62;

/// The addresses of the pages that are in swap.
fn swapped(entries: &[u8], start: u64, page: u64) -> Vec<u64> {
    let addresses = (0..).map(|n: u64| start + n * page);
    let entries = entries.as_chunks::<ENTRY>().0.iter().map(|it| u64::from_ne_bytes(*it));
    let pages = entries.zip(addresses).filter(|(entry, _)| entry & IS_SWAPPED != 0);
    pages.map(|(_, address)| address).collect()
}

/// Pages that follow each other, as ranges: address and length.
fn runs(pages: &[u64], page: u64) -> Vec<(u64, u64)> {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for &address in pages {
        match runs.last_mut() {
            Some((start, length)) if *start + *length == address => *length += page,
            _ => runs.push((address, page)),
        }
    }
    runs
}

fn vector(address: u64, length: u64) -> libc::iovec {
    let address = usize::try_from(address).unwrap_or(0);
    let length = usize::try_from(length).unwrap_or(0);
    libc::iovec { iov_base: ptr::without_provenance_mut(address), iov_len: length }
}

/// Advises that ranges are needed. A kernel that does not know that, or refuses it, reads them when
/// they are touched.
#[allow(unsafe_code, reason = "rustix does not have process_madvise")]
fn advise(pid: u32, ranges: &[(u64, u64)]) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let Some(Ok(process)) = pid.map(|it| pidfd_open(it, PidfdFlags::empty())) else { return };
    let vectors: Vec<libc::iovec> = ranges.iter().map(|it| vector(it.0, it.1)).collect();
    for some in vectors.chunks(MAX_VECTORS) {
        // SAFETY: the kernel reads `some`, which is as long as it is told; what its entries name is
        // memory of the other process, and is not accessed here.
        let done = unsafe {
            libc::syscall(
                libc::SYS_process_madvise,
                process.as_raw_fd(),
                some.as_ptr(),
                some.len(),
                libc::MADV_WILLNEED,
                0,
            )
        };
        if done < 0 {
            return;
        }
    }
}

/// Reads a byte of each page. One that is not there any more is left out.
#[allow(unsafe_code, reason = "rustix does not have process_vm_readv")]
fn touch(pid: u32, pages: &[u64]) -> io::Result<()> {
    let pid = i32::try_from(pid).map_err(|_| io::ErrorKind::InvalidInput)?;
    let mut rest = pages;
    while !rest.is_empty() {
        let some = &rest[..rest.len().min(MAX_VECTORS)];
        let remote: Vec<libc::iovec> = some.iter().map(|it| vector(*it, 1)).collect();
        let mut bytes = vec![0_u8; some.len()];
        let local = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
        let count = libc::c_ulong::try_from(remote.len()).unwrap_or(0);
        // SAFETY: the kernel writes at most `bytes.len()` bytes to `bytes`, which nothing else uses;
        // it reads `remote`, which is as long as it is told, and checks the addresses in it.
        let read =
            unsafe { libc::process_vm_readv(pid, &raw const local, 1, remote.as_ptr(), count, 0) };
        let read = match usize::try_from(read) {
            Ok(read) => read,
            Err(_) => match io::Error::last_os_error() {
                error if error.raw_os_error() == Some(libc::EFAULT) => 0,
                error => return Err(error),
            },
        };
        // It stops before a page that cannot be read.
        let past = if read < some.len() { read + 1 } else { read };
        rest = &rest[past..];
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_in_swap_are_found_and_those_side_by_side_are_one_range() {
        let there = 1_u64 << 63;
        let entries = [IS_SWAPPED, IS_SWAPPED | 7, there, 0, IS_SWAPPED];
        let bytes: Vec<u8> = entries.iter().flat_map(|it| it.to_ne_bytes()).collect();
        let pages = swapped(&bytes, 0x10000, 0x1000);
        assert_eq!(pages, [0x10000, 0x11000, 0x14000]);
        assert_eq!(runs(&pages, 0x1000), [(0x10000, 0x2000), (0x14000, 0x1000)]);
        assert!(runs(&[], 0x1000).is_empty());
    }

    #[test]
    fn a_range_is_cut_into_chunks_and_none_is_left_out() {
        let cut = |start, end| chunks((start, end)).collect::<Vec<_>>();
        assert_eq!(cut(0, CHUNK_BYTES + 1), [(0, CHUNK_BYTES), (CHUNK_BYTES, CHUNK_BYTES + 1)]);
        assert_eq!(cut(4096, 8192), [(4096, 8192)]);
        assert!(cut(4096, 4096).is_empty());
    }

    #[test]
    fn nothing_is_brought_in_where_the_next_chunk_would_leave_too_little() {
        assert!(has_room(KEPT_FREE_BYTES + CHUNK_BYTES));
        assert!(!has_room(KEPT_FREE_BYTES + CHUNK_BYTES - 1));
    }

    #[test]
    fn a_page_that_is_not_there_is_left_out() {
        let memory = vec![1_u8; 3 * 4096];
        let address = memory.as_ptr().addr() as u64;
        let pages = [16, address, 32, address + 4096];
        touch(std::process::id(), &pages).unwrap();
    }

    #[test]
    #[allow(unsafe_code, reason = "rustix does not have MADV_PAGEOUT on all architectures")]
    fn what_was_swapped_out_is_brought_back() {
        const BYTES: usize = 32 << 20;
        let pid = std::process::id();
        let roots = Roots::default();
        let start_ticks = crate::stat(pid).unwrap().start_ticks;
        let jvm = Jvm { pid, start_ticks, ..Jvm::default() };
        let mut memory = vec![0_u8; BYTES];
        memory
            .iter_mut()
            .step_by(512)
            .zip(0_u32..)
            .for_each(|(it, n)| *it = n.to_ne_bytes()[0] | 1);
        let page = rustix::param::page_size();
        let first = memory.as_mut_ptr().map_addr(|it| it.next_multiple_of(page));
        // SAFETY: the range is whole pages inside of `memory`; what is in them stays.
        let done = unsafe { libc::madvise(first.cast(), BYTES - page, libc::MADV_PAGEOUT) };
        let before = swapped_bytes(&roots, &jvm).unwrap();
        if done != 0 || before < 1 << 20 || !rustix::process::geteuid().is_root() {
            println!("SKIPPED: no swap space, or not root");
            return;
        }
        let brought = bring_in(&roots, &jvm, &AtomicBool::new(false)).unwrap();
        let after = swapped_bytes(&roots, &jvm).unwrap();
        assert_eq!(brought, BroughtIn::All);
        assert!(after < before / 4, "{before} bytes before, {after} after");
        assert!(memory.iter().step_by(512).all(|it| it & 1 == 1));
    }
}
