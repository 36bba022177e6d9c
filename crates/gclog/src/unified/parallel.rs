//! What only Parallel writes: its generations.
use super::Names;
use crate::Space;

/// The generations whose lines begin with these names. `PSOldGen` is the old one without
/// `-XX:+UseParallelOldGC` (until JDK 14).
///
/// # Source
///
/// `PSYoungGen::print_used_change` and `PSOldGen::name` in `src/hotspot/share/gc/parallel`.
pub(super) const GENERATIONS: Names<Space> =
    &[(b"PSYoungGen", Space::Young), (b"ParOldGen", Space::Old), (b"PSOldGen", Space::Old)];
