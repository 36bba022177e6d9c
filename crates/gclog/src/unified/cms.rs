//! What only CMS and its young collector ParNew write (JDK 9 to 13).
use super::{Names, durations::first_ms};
use crate::{GcKind, Space};
use std::time::Duration;

/// The pauses of a cycle. Its remark is that of G1, too.
pub(super) const PAUSES: [(&[u8], GcKind); 1] = [(b"Initial Mark", GcKind::InitialMark)];

/// The generations whose lines begin with these names. `Old`, which a sweep writes, is not among
/// them: no pause belongs to it.
///
/// # Source
///
/// `ParNewGeneration::name` and `ConcurrentMarkSweepGeneration::short_name` in
/// `src/hotspot/share/gc/cms` of JDK 11.
pub(super) const GENERATIONS: Names<Space> = &[(b"ParNew", Space::Young), (b"CMS", Space::Old)];

/// The last phase of a cycle has ended: `Concurrent Reset 0.817ms`, and not `Concurrent Reset
/// Relocation Set 0.817ms` of ZGC. A cycle has no line of its own.
pub(super) fn ends_cycle(message: &[u8]) -> Option<Duration> {
    let rest = message.strip_prefix(b"Concurrent Reset ")?;
    rest.first().is_some_and(u8::is_ascii_digit).then(|| first_ms(rest))?
}

/// `Concurrent mode failure`, which is logged at debug level only.
pub(super) const CONCURRENT_MODE_FAILURE: &[u8] = b"Concurrent mode failure";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_own_last_phase_ends_a_cycle() {
        assert_eq!(ends_cycle(b"Concurrent Reset 0.817ms"), Some(Duration::from_micros(817)));
        assert_eq!(ends_cycle(b"Concurrent Reset"), None);
        assert_eq!(ends_cycle(b"Concurrent Reset Relocation Set 0.817ms"), None);
    }
}
