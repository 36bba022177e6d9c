//! One run at a time.
use super::StoreError;
use rustix::fs::{FlockOperation, flock};
use std::{
    fs::File,
    path::Path,
    time::{Duration, Instant},
};

/// A file that is locked.
#[derive(Debug)]
pub(crate) struct Locked(File);

impl Drop for Locked {
    fn drop(&mut self) {
        // A child that has not begun its program yet has the descriptor as well, and with it the lock, if
        // it is not given back.
        let _ = flock(&self.0, FlockOperation::Unlock);
    }
}

/// Takes the lock of a file in this user's own directory; waits at most this long for another run.
///
/// # Errors
/// [`StoreError::Busy`], and where it cannot be opened.
pub(crate) fn take(path: &Path, patience: Duration) -> Result<Locked, StoreError> {
    let failed = |source| StoreError::Journal { path: path.display().to_string(), source };
    let lock =
        File::options().create(true).truncate(false).write(true).open(path).map_err(failed)?;
    let until = Instant::now() + patience;
    while let Err(error) = flock(&lock, FlockOperation::NonBlockingLockExclusive) {
        if error != rustix::io::Errno::WOULDBLOCK {
            return Err(failed(error.into()));
        }
        if Instant::now() >= until {
            return Err(StoreError::Busy);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(Locked(lock))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As a child of another thread has it between `fork` and `execve`.
    #[test]
    fn a_lock_that_was_given_back_is_free_though_a_child_has_its_descriptor() {
        let dir = tempfile::tempdir().unwrap();
        let take = || take(&dir.path().join("lock"), Duration::ZERO);
        let first = take().unwrap();
        let inherited = first.0.try_clone().unwrap();
        assert!(matches!(take(), Err(StoreError::Busy)));
        drop(first);
        assert!(take().is_ok());
        drop(inherited);
    }
}
