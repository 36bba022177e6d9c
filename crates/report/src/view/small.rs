//! Which findings are only named.
use diagnose::Finding;
use std::time::Duration;

/// A cause with less than this share of the stopped time, and no part of a pause as long as
/// [`SMALL_TIME`], is only named: it would hide what matters.
const SMALL_SHARE: f64 = 0.01;

/// A shorter pause is no reason for an alert.
const SMALL_TIME: Duration = Duration::from_millis(10);

/// Whether a finding is only named.
pub(super) fn is_small(finding: &Finding) -> bool {
    // What shows outside of pauses has no time in them.
    finding.pauses > 0 && finding.share < SMALL_SHARE && finding.longest < SMALL_TIME
}
