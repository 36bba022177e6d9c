//! Whether a process that keeps its lock only wants a CPU, and whether to wait for it pays.
use crate::host::status::Status;
use rustix::{
    fd::{AsFd, BorrowedFd},
    fs::{Dir, Mode, OFlags, openat},
};
use std::{
    ffi::CStr,
    fs::File,
    io::Read,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// Number of its threads that are looked at.
const MAX_THREADS: usize = 256;

/// Waits for such processes that brought nothing lately, and when the last one ended. Many processes
/// that compute and never let their lock go shall not cost seconds each.
pub(super) struct InVain(Mutex<(usize, Option<Instant>)>);

impl InVain {
    pub(super) const fn none() -> InVain {
        InVain(Mutex::new((0, None)))
    }

    /// Whether fewer than `most` were in vain, or none within `lately`.
    pub(super) fn is_below(&self, most: usize, lately: Duration) -> bool {
        let mut waits = self.waits();
        if waits.1.is_some_and(|ended| ended.elapsed() >= lately) {
            *waits = (0, None);
        }
        waits.0 < most
    }

    pub(super) fn ended(&self, answered: bool) {
        let mut waits = self.waits();
        *waits =
            if answered { (0, None) } else { (waits.0.saturating_add(1), Some(Instant::now())) };
    }

    fn waits(&self) -> MutexGuard<'_, (usize, Option<Instant>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a thread of this process runs, or would if it had a CPU.
pub(super) fn wants_cpu(dir: BorrowedFd<'_>) -> bool {
    let listing = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(threads) = openat(dir, "task", listing, Mode::empty()) else { return false };
    let Ok(listed) = Dir::read_from(&threads) else { return false };
    let names = listed.filter_map(|it| it.ok()).map(|it| it.file_name().to_owned());
    let mut names = names.filter(|it| it.to_bytes().iter().all(u8::is_ascii_digit));
    names.by_ref().take(MAX_THREADS).any(|it| is_runnable(threads.as_fd(), &it))
}

/// Of a thread: its `status` is read without any lock.
fn is_runnable(threads: BorrowedFd<'_>, id: &CStr) -> bool {
    let path = [id.to_bytes(), b"/status"].concat();
    let file = openat(threads, path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty());
    let mut text = String::new();
    let read = file
        .map(File::from)
        .is_ok_and(|file| file.take(Status::LIMIT_BYTES).read_to_string(&mut text).is_ok());
    read && Status(&text).field("State").is_some_and(|it| it.starts_with('R'))
}
