//! Which of the JVMs that are watched are stopped now: nothing is written meanwhile, as the disk may be what they
//! wait for.
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// How many JVMs of this watch are stopped, as far as their watches know.
#[derive(Clone, Debug, Default)]
pub(super) struct Stopped(Arc<AtomicUsize>);

impl Stopped {
    /// What the watch of one JVM says it with.
    pub(super) fn of_one(&self) -> Stops {
        Stops { all: self.clone(), is_stopped: false }
    }

    /// Whether none is.
    pub(super) fn is_none(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }
}

/// Says of one JVM whether it is stopped. A watch that ends is of no JVM that is.
#[derive(Debug)]
pub(super) struct Stops {
    all: Stopped,
    is_stopped: bool,
}

impl Stops {
    pub(super) fn set(&mut self, is_stopped: bool) {
        match (self.is_stopped, is_stopped) {
            (false, true) => self.all.0.fetch_add(1, Ordering::Relaxed),
            (true, false) => self.all.0.fetch_sub(1, Ordering::Relaxed),
            _ => return,
        };
        self.is_stopped = is_stopped;
    }
}

impl Drop for Stops {
    fn drop(&mut self) {
        self.set(false);
    }
}
