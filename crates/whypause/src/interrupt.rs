//! Ctrl-C and termination, as a question.
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// Remembers an interrupt, so that the program ends with a sealed recording.
/// A second Ctrl-C ends it at once, as if nothing had been registered.
#[derive(Debug)]
pub(crate) struct Interrupt {
    seen: Arc<AtomicBool>,
}

impl Interrupt {
    pub(crate) fn listen() -> io::Result<Interrupt> {
        let seen = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            // In this order: the first signal finds the flag down and only raises it.
            signal_hook::flag::register_conditional_default(signal, Arc::clone(&seen))?;
            signal_hook::flag::register(signal, Arc::clone(&seen))?;
        }
        Ok(Interrupt { seen })
    }

    /// Set when it came: for code that waits elsewhere.
    pub(crate) fn flag(&self) -> &AtomicBool {
        &self.seen
    }

    pub(crate) fn came(&self) -> bool {
        self.seen.load(Ordering::Relaxed)
    }
}
