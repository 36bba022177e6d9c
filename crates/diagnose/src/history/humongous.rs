//! Humongous objects of G1: how large, how many, and which region size would end them.
use crate::HumongousStatistics;
use gclog::{Collector, Extent, GcEvent, HumongousAllocation, Space};

/// The smallest and the largest region that G1 takes, as powers of two of bytes. The largest is
/// 512 MiB since JDK 18 (JDK-8275056) and was 32 MiB before.
const REGION_SHIFTS: std::ops::RangeInclusive<u32> = 20..=29;

/// What was seen of humongous objects.
#[derive(Debug, Default)]
pub(crate) struct Humongous {
    /// Requests by the region size that would make them ordinary, as a power of two.
    requests: [u64; 32],
    largest_bytes: u64,
    count: u64,
    collections: u64,
    most_regions: u64,
    regions: u64,
}

impl Humongous {
    pub(crate) fn request(&mut self, request: &HumongousAllocation) {
        self.count += 1;
        self.largest_bytes = self.largest_bytes.max(request.bytes);
        let shift = region_shift(request.bytes);
        self.requests[shift.min(31) as usize] += 1;
    }

    pub(crate) fn collection(&mut self, gc: &GcEvent) {
        let is_g1 = gc.collector == Some(Collector::G1);
        let asked = gc.cause.as_deref() == Some("G1 Humongous Allocation");
        self.collections += u64::from(is_g1 && asked && !gc.nested);
        let regions = gc.generations.iter().find(|it| it.space == Space::Humongous);
        if let Some(Extent::Regions(regions)) = regions.map(|it| it.extent) {
            self.most_regions = self.most_regions.max(regions.before);
            self.regions = self.regions.saturating_add(regions.before);
        }
    }

    /// The smallest region size with which none of the objects seen would be humongous, in bytes.
    pub(crate) fn region_size_that_ends_them(&self) -> Option<u64> {
        let shift = self.requests.iter().rposition(|&count| count > 0)?;
        let shift = u32::try_from(shift).ok()?.max(*REGION_SHIFTS.start());
        (shift <= *REGION_SHIFTS.end()).then(|| 1 << shift)
    }

    pub(crate) fn statistics(&self, region_size_bytes: Option<u64>) -> Option<HumongousStatistics> {
        let seen = self.count > 0 || self.collections > 0 || self.most_regions > 0;
        seen.then(|| HumongousStatistics {
            collections: self.collections,
            most_regions: self.most_regions,
            requests: self.count,
            largest_bytes: Some(self.largest_bytes).filter(|bytes| *bytes > 0),
            region_size_bytes,
            region_size_needed_bytes: self.region_size_that_ends_them(),
        })
    }
}

/// The smallest region, as a power of two, in which an object of this size is not humongous.
///
/// An object is humongous from more than half a region on (`G1CollectedHeap::is_humongous`,
/// `src/hotspot/share/gc/g1/g1CollectedHeap.hpp`).
fn region_shift(bytes: u64) -> u32 {
    bytes.saturating_mul(2).checked_next_power_of_two().map_or(63, u64::trailing_zeros)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gclog::Stamp;

    fn needed(bytes: u64) -> Option<u64> {
        let mut humongous = Humongous::default();
        humongous.request(&HumongousAllocation { stamp: Stamp::default(), bytes });
        humongous.region_size_that_ends_them()
    }

    #[test]
    fn half_a_region_is_not_humongous_and_a_byte_more_is() {
        assert_eq!(needed(1 << 20), Some(2 << 20));
        assert_eq!(needed((1 << 20) + 1), Some(4 << 20));
    }

    #[test]
    fn no_region_is_smaller_than_a_mebibyte_or_larger_than_512() {
        assert_eq!(needed(10), Some(1 << 20));
        assert_eq!(needed(256 << 20), Some(512 << 20));
        assert_eq!(needed((256 << 20) + 1), None);
        assert_eq!(needed(u64::MAX), None);
    }
}
