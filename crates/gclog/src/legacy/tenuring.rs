//! `-XX:+PrintTenuringDistribution`.
use super::Legacy;
use crate::{Tenuring, scan::integer};

impl Legacy {
    /// Reads `Desired survivor size …` into the record under way.
    pub(super) fn tenuring(&mut self, line: &[u8]) -> bool {
        let Some(tenuring) = parse(line) else { return false };
        if let Some(record) = self.inner.as_mut().or(self.outer.as_mut()) {
            record.tenuring = Some(tenuring);
        } else if let Some(pause) = &mut self.held.pause {
            pause.tenuring.get_or_insert(tenuring);
        }
        true
    }
}

/// # Source
///
/// `ageTable::compute_tenuring_threshold` in HotSpot `gc_implementation/shared/ageTable.cpp`.
fn parse(line: &[u8]) -> Option<Tenuring> {
    let (desired_survivor_bytes, rest) = integer(line.strip_prefix(b"Desired survivor size ")?)?;
    let (threshold, rest) = integer(rest.strip_prefix(b" bytes, new threshold ")?)?;
    let (max, _) = integer(rest.strip_prefix(b" (max ")?)?;
    let narrow = |age| u32::try_from(age).ok();
    Some(Tenuring {
        desired_survivor_bytes,
        threshold: narrow(threshold)?,
        max_threshold: narrow(max)?,
    })
}
