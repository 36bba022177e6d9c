//! One run at a time.
use super::StoreError;
use rustix::fs::{FlockOperation, flock};
use std::{
    fs::File,
    path::Path,
    time::{Duration, Instant},
};

/// How long another run is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// A file that is locked.
#[derive(Debug)]
pub(crate) struct Locked(pub(crate) File);

impl Drop for Locked {
    fn drop(&mut self) {
        // A child that has not begun its program yet has the descriptor as well, and with it the lock, if
        // it is not given back.
        let _ = flock(&self.0, FlockOperation::Unlock);
    }
}

/// Takes the lock of a file; waits for another run.
///
/// # Errors
/// [`StoreError::Busy`], and where it cannot be opened.
pub(super) fn take(path: &Path) -> Result<Locked, StoreError> {
    let failed = |source| StoreError::Journal { path: path.display().to_string(), source };
    let lock =
        File::options().create(true).truncate(false).write(true).open(path).map_err(failed)?;
    let until = Instant::now() + PATIENCE;
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
