//! What only Serial writes: its generations.
use crate::Space;

/// The generation whose line begins with this name.
///
/// # Source
///
/// `DefNewGeneration` and `TenuredGeneration` in `src/hotspot/share/gc/serial`.
pub(super) fn generation(name: &[u8]) -> Option<Space> {
    match name {
        b"DefNew" => Some(Space::Young),
        b"Tenured" => Some(Space::Old),
        _ => None,
    }
}
