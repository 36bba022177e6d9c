//! How long a command may take, and who may end it before.
use super::ConnectionError;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::{
    fmt,
    os::fd::AsFd,
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc::{RecvTimeoutError, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

/// For all of a command: until the JVM listens, is reached, and has answered. It listens and
/// answers at safepoints.
const PATIENCE: Duration = Duration::from_secs(5);
/// How soon an interrupt is noticed.
const SLICE: Duration = Duration::from_millis(50);

/// The end of one command.
#[derive(Clone, Copy)]
pub(super) struct Until<'a> {
    end: Instant,
    interrupt: &'a AtomicBool,
}

impl fmt::Debug for Until<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Until").finish_non_exhaustive()
    }
}

impl Until<'_> {
    /// Five seconds from now on, or as soon as `interrupt` is raised.
    pub(super) fn new(interrupt: &AtomicBool) -> Until<'_> {
        Until::within(PATIENCE, interrupt)
    }

    /// For this time from now on, or until `interrupt` is set.
    pub(super) fn within(patience: Duration, interrupt: &AtomicBool) -> Until<'_> {
        Until { end: Instant::now() + patience, interrupt }
    }

    /// An error where it is over.
    pub(super) fn go_on(&self) -> Result<(), ConnectionError> {
        if self.interrupt.load(Ordering::Relaxed) {
            Err(ConnectionError::Interrupted)
        } else if Instant::now() >= self.end {
            Err(ConnectionError::Late)
        } else {
            Ok(())
        }
    }

    fn slice(&self) -> Duration {
        self.end.saturating_duration_since(Instant::now()).min(SLICE)
    }

    /// Waits a little.
    pub(super) fn pause(&self) {
        thread::sleep(self.slice().min(Duration::from_millis(20)));
    }

    /// Waits until a descriptor is ready.
    pub(super) fn ready(&self, fd: &impl AsFd, what: PollFlags) -> Result<(), ConnectionError> {
        loop {
            self.go_on()?;
            let slice = self.slice();
            let timeout = Timespec { tv_sec: 0, tv_nsec: slice.subsec_nanos().into() };
            // An interrupted wait is only a shorter one.
            if matches!(poll(&mut [PollFd::new(fd, what)], Some(&timeout)), Ok(ready) if ready > 0)
            {
                return Ok(());
            }
        }
    }

    /// Does something that may wait for a file system, in a thread that is left behind where it
    /// takes too long.
    pub(super) fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, ConnectionError> + Send + 'static,
    ) -> Result<T, ConnectionError> {
        let (done, answer) = sync_channel(1);
        let worker = move || {
            // Nobody listens any more where it came too late.
            let _ = done.send(work());
        };
        thread::Builder::new().name("attach".into()).spawn(worker)?;
        loop {
            match answer.recv_timeout(self.slice()) {
                Ok(result) => return result,
                Err(RecvTimeoutError::Timeout) => self.go_on()?,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(ConnectionError::Broken("a thread failed".into()));
                }
            }
        }
    }
}
