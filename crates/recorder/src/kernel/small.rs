//! Less memory in the kernel, for a JVM that is one of many.
//!
//! The kernel takes all of a ring buffer and of a table of stacks at once, 11 MiB for a JVM: what a JVM
//! with 100,000 switches a second may need is too much for each of fifty small ones. What does not fit is
//! counted as lost, as ever.
use super::Target;
use libbpf_rs::OpenObject;

/// 2,000 slices between two drains.
const RING_BYTES: u32 = 256 << 10;
/// Different stacks of one JVM.
const STACKS: u32 = 1_024;

/// Makes the ring buffer and the table of stacks small, before they are made, where the JVM is one of many.
pub(super) fn shrink(open: &mut OpenObject, target: &Target) -> libbpf_rs::Result<()> {
    if !target.one_of_many {
        return Ok(());
    }
    for mut map in open.maps_mut() {
        let entries = match map.name().to_str() {
            Some("records") => RING_BYTES,
            Some("stacks") => STACKS,
            _ => continue,
        };
        map.set_max_entries(entries)?;
    }
    Ok(())
}
