//! Ctrl-C, termination and SIGUSR1, as questions.
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};
use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
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

/// Counts the times that SIGUSR1 came: a wish, and no reason to end.
#[derive(Debug, Default)]
pub(crate) struct Wishes {
    came: Arc<AtomicBool>,
    count: AtomicU64,
}

impl Wishes {
    pub(crate) fn listen() -> io::Result<Wishes> {
        let wishes = Wishes::default();
        signal_hook::flag::register(SIGUSR1, Arc::clone(&wishes.came))?;
        Ok(wishes)
    }

    /// How many came so far; of those that come within a moment one.
    pub(crate) fn count(&self) -> u64 {
        let new = u64::from(self.came.swap(false, Ordering::Relaxed));
        self.count.fetch_add(new, Ordering::Relaxed) + new
    }
}
