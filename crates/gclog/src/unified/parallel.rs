//! What only Parallel writes: its generations.
use crate::Space;

/// The generation whose line begins with this name. `PSOldGen` is the old one without
/// `-XX:+UseParallelOldGC` (until JDK 14).
///
/// # Source
///
/// `PSYoungGen::print_used_change` and `PSOldGen::name` in `src/hotspot/share/gc/parallel`.
pub(super) fn generation(name: &[u8]) -> Option<Space> {
    match name {
        b"PSYoungGen" => Some(Space::Young),
        b"ParOldGen" | b"PSOldGen" => Some(Space::Old),
        _ => None,
    }
}
