//! What only Serial writes: its generations.
use super::Names;
use crate::Space;

/// The generations whose lines begin with these names.
///
/// # Source
///
/// `DefNewGeneration` and `TenuredGeneration` in `src/hotspot/share/gc/serial`.
pub(super) const GENERATIONS: Names<Space> = &[(b"DefNew", Space::Young), (b"Tenured", Space::Old)];
