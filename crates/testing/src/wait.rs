//! Waiting for what comes true by itself.
use crate::PATIENCE;
use std::{
    thread::sleep,
    time::{Duration, Instant},
};

/// The shortest time between two questions.
const PERIOD: Duration = Duration::from_millis(5);

/// Waits until something is so, for [`PATIENCE`] at most; then the test fails. At least half of the
/// time it sleeps, however long the question takes.
#[track_caller]
pub fn until(what: &str, mut so: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    loop {
        let asked = Instant::now();
        if so() {
            return;
        }
        assert!(Instant::now() < end, "still not so: {what}");
        sleep(asked.elapsed().max(PERIOD));
    }
}
