//! Times as the page has them.
use std::time::Duration;

/// Microseconds, to the nanosecond.
pub(super) fn us(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
