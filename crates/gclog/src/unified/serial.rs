//! What only Serial writes: its generations.
use crate::Space;

/// The generation whose line begins with this name. CMS has `Tenured` nowhere.
///
/// # Source
///
/// `DefNewGeneration` and `TenuredGeneration` in `src/hotspot/share/gc/serial`.
pub(crate) fn generation(name: &[u8]) -> Option<Space> {
    match name {
        b"DefNew" => Some(Space::Young),
        b"Tenured" => Some(Space::Old),
        _ => None,
    }
}
