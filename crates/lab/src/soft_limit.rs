//! A soft limit (`memory.high`) that follows what its group uses, from a little below.
//!
//! How long the kernel lets a thread sleep grows with the square of what the group is over its limit
//! (`calculate_high_delay` in `mm/memcontrol.c`). A limit that stays where it is either comes too
//! late, on a host where the JVM is slow to take memory, or stops the JVM for good.
use crate::{Cleanup, Disturbance, LabError, MemoryGroup};
use std::time::Duration;

/// What the limit is of what is used. At 1 % over, a thread sleeps some 6 ms for each 256 KiB that it
/// takes, and 50 ms for a huge page; at 3 %, which two huge pages make of it, ten times that.
const PER_CENT: u64 = 99;

/// Before a JVM uses more than this it still starts.
const STARTED_BYTES: u64 = 96 << 20;

/// Keeps a group a little above its soft limit while it grows.
#[derive(Debug)]
pub(crate) struct SoftLimit {
    group: MemoryGroup,
    bytes: u64,
}

impl SoftLimit {
    /// For this group, from the first [`keep_going`](Disturbance::keep_going) on.
    pub(crate) fn new(group: MemoryGroup) -> SoftLimit {
        SoftLimit { group, bytes: 0 }
    }
}

/// The limit to set, where one is due. It never goes down: then the kernel would free the group's
/// memory for it.
fn next(bytes: u64, used_bytes: u64) -> Option<u64> {
    let wanted = used_bytes / 100 * PER_CENT;
    (used_bytes > STARTED_BYTES && wanted > bytes).then_some(wanted)
}

impl Disturbance for SoftLimit {
    fn keep_going(&mut self, _: &mut Cleanup) -> Result<(), LabError> {
        if let Some(bytes) = next(self.bytes, self.group.used_bytes()?) {
            self.group.slow_down_above(Some(bytes))?;
            self.bytes = bytes;
        }
        Ok(())
    }

    fn stop(&mut self, _: Duration) {
        // whoever sleeps wakes by itself within two seconds; the group goes in any case
        let _ = self.group.slow_down_above(None);
    }
}

#[cfg(test)]
mod tests {
    use super::{STARTED_BYTES, next};

    #[test]
    fn the_limit_follows_what_is_used_and_never_goes_down() {
        assert_eq!(next(0, 200_000_000), Some(198_000_000));
        assert_eq!(next(198_000_000, 200_000_100), Some(198_000_099));
        assert_eq!(next(198_000_000, 200_000_000), None);
        assert_eq!(next(198_000_000, 110_000_000), None);
    }

    #[test]
    fn a_jvm_that_still_starts_is_left_alone() {
        assert_eq!(next(0, STARTED_BYTES), None);
        assert!(next(0, STARTED_BYTES + 1).is_some());
    }
}
