//! How large a recording may become, and when its parts are written.
use std::time::Duration;

/// Bounds of a [`Writer`](crate::Writer).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of all files together. The writer takes at most half of what the file system has
    /// left, however much is given here.
    ///
    /// At three quarters of it slices, samples and kernel work are left out, at the whole of it
    /// everything but the rows that replace an earlier one ([`Retention`](crate::Retention)). What is left
    /// out is counted in [`Coverage::lost_rows`](crate::Coverage::lost_rows).
    /// Exceeded by at most one batch (8 MiB), and for the moment of sealing by one Parquet part.
    pub max_bytes: u64,
    /// Bytes of live segments after which they are sealed. The writer takes at most a quarter of
    /// `max_bytes`.
    pub rotate_bytes: u64,
    /// Time after which live segments are sealed.
    pub rotate_after: Duration,
    /// How long rows may wait in a [`BackgroundWriter`](crate::BackgroundWriter), at most 1 s.
    pub flush_after: Duration,
    /// Whether a part is on the disk before the segment goes that has the same rows. A sync waits for the disk,
    /// and on a file system with a journal others wait with it; without it a power failure may lose rows.
    pub sync: bool,
}

impl Default for Limits {
    /// 512 MiB in all; sealed after 64 MiB or 10 minutes; written twice a second; synced.
    fn default() -> Limits {
        Limits {
            max_bytes: 512 << 20,
            rotate_bytes: 64 << 20,
            rotate_after: Duration::from_secs(600),
            flush_after: Duration::from_millis(500),
            sync: true,
        }
    }
}

impl Limits {
    /// The limits that hold where `free` bytes are left.
    pub(crate) fn within(self, free: Option<u64>) -> Limits {
        let max_bytes = self.max_bytes.min(free.map_or(u64::MAX, |free| free / 2));
        Limits {
            max_bytes,
            rotate_bytes: self.rotate_bytes.min(max_bytes / 4),
            flush_after: self.flush_after.min(Duration::from_secs(1)),
            ..self
        }
    }

    /// Where detail is left out.
    pub(crate) fn detail_bytes(self) -> u64 {
        self.max_bytes / 4 * 3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_place_makes_a_small_recording() {
        let limits = Limits::default().within(Some(64 << 20));
        assert_eq!((limits.max_bytes, limits.rotate_bytes), (32 << 20, 8 << 20));
        assert_eq!(Limits::default().within(Some(100 << 30)), Limits::default());
        assert_eq!(Limits::default().within(None), Limits::default());
    }
}
