//! Less memory in the kernel, for a JVM that is one of many.
//!
//! The kernel takes all of a ring buffer and of a table of stacks at once, 11 MiB for a JVM: what a JVM
//! with 100,000 switches a second may need is too much for each of fifty small ones. What does not fit is
//! counted as lost, as ever.
use super::Target;
use libbpf_rs::OpenObject;

/// A thousand slices between two drains, and what the largest JVM has that is recorded alone.
const RING_BYTES: [usize; 2] = [128 << 10, 4 << 20];
/// In a stop each thread leaves a CPU and gets one a few times: room for forty slices.
const RING_BYTES_OF_THREAD: usize = 5 << 10;
/// Different stacks of one JVM.
const STACKS: u32 = 1_024;

/// Makes the ring buffer and the table of stacks small, before they are made, where the JVM is one of many.
pub(super) fn shrink(open: &mut OpenObject, target: &Target) -> libbpf_rs::Result<()> {
    let Some(threads) = target.small_for else { return Ok(()) };
    for mut map in open.maps_mut() {
        let entries = match map.name().to_str() {
            Some("records") => ring_bytes(threads),
            Some("stacks") => STACKS,
            _ => continue,
        };
        map.set_max_entries(entries)?;
    }
    Ok(())
}

/// The size of a ring buffer for a JVM with this many threads: the kernel takes powers of two.
fn ring_bytes(threads: usize) -> u32 {
    let [least, most] = RING_BYTES;
    let bytes = threads.saturating_mul(RING_BYTES_OF_THREAD).clamp(least, most);
    u32::try_from(bytes.next_power_of_two()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_has_room_for_all_threads() {
        let kib = |threads| ring_bytes(threads) >> 10;
        assert_eq!([0, 25, 26, 51, 52].map(kib), [128, 128, 256, 256, 512]);
        assert_eq!([200, 2_000, usize::MAX].map(kib), [1_024, 4_096, 4_096]);
    }
}
