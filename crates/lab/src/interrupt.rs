//! Ctrl-C and termination signals, as a question that every wait of the lab asks.
use crate::LabError;
use signal_hook::{
    SigId,
    consts::{SIGHUP, SIGINT, SIGTERM},
};
use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// How long each wait sleeps before it looks again.
const TICK: Duration = Duration::from_millis(20);

/// Remembers a signal instead of dying of it, so that there is time to clean up. Signals act as
/// before once this is dropped.
#[derive(Debug)]
pub struct Interrupt {
    seen: Arc<AtomicBool>,
    registered: Vec<SigId>,
}

impl Interrupt {
    /// Starts to listen.
    ///
    /// # Errors
    /// [`LabError::Step`] where the kernel refuses a handler.
    pub fn listen() -> Result<Interrupt, LabError> {
        let seen = Arc::new(AtomicBool::new(false));
        let register = |signal| signal_hook::flag::register(signal, Arc::clone(&seen));
        let registered: io::Result<Vec<_>> =
            [SIGINT, SIGTERM, SIGHUP].into_iter().map(register).collect();
        let registered = registered.map_err(LabError::step("listen for signals"))?;
        Ok(Interrupt { seen, registered })
    }

    /// # Errors
    /// [`LabError::Interrupted`] once a signal came.
    pub fn check(&self) -> Result<(), LabError> {
        if self.seen.load(Ordering::Relaxed) { Err(LabError::Interrupted) } else { Ok(()) }
    }

    /// Asks `done` every few milliseconds until it has an answer, at most for `patience`; then
    /// the answer is `None`.
    ///
    /// # Errors
    /// [`LabError::Interrupted`] once a signal came, and any error of `done`.
    pub fn wait<T>(
        &self,
        patience: Duration,
        mut done: impl FnMut() -> Result<Option<T>, LabError>,
    ) -> Result<Option<T>, LabError> {
        let until = Instant::now() + patience;
        loop {
            self.check()?;
            if let Some(answer) = done()? {
                return Ok(Some(answer));
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            std::thread::sleep(left.min(TICK));
        }
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        for id in self.registered.drain(..) {
            signal_hook::low_level::unregister(id);
        }
    }
}
