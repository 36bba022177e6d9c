//! The old generation before each collection: what tells fragmentation from a heap too small.
use super::{kinds::is_full, sizes::Sizes};
use gclog::{FreeSpace, GcEvent, GcKind, YoungKind};

/// The old generation as it was before a collection. Bytes; `None` where the log does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OldSpace {
    /// Used.
    pub(crate) used: Option<u64>,
    /// Free.
    pub(crate) free: Option<u64>,
    /// The most that an earlier young collection promoted.
    pub(crate) most_promoted: Option<u64>,
    /// The largest free block, of CMS's own statistics.
    pub(crate) largest_free: Option<u64>,
}

impl OldSpace {
    /// Whether there was room for twice the most that ever was promoted, so that a promotion that
    /// failed did so for want of a block large enough and not for want of space.
    pub(crate) fn had_room(&self) -> Option<bool> {
        let (free, promoted) = (self.free?, self.most_promoted?);
        Some(promoted > 0 && free >= promoted.saturating_mul(2))
    }
}

/// Watches the old generation.
#[derive(Debug, Default)]
pub(crate) struct OldWatch {
    capacity: Option<u64>,
    most_promoted: Option<u64>,
    largest_free: Option<u64>,
}

impl OldWatch {
    pub(crate) fn free_space(&mut self, free: &FreeSpace) {
        self.largest_free = Some(free.largest_bytes);
    }

    /// What the old generation was like before this collection.
    pub(crate) fn collection(
        &mut self,
        gc: &GcEvent,
        sizes: &Sizes,
        promoted: Option<u64>,
    ) -> OldSpace {
        let used = sizes.old.map(|it| it.before);
        // The capacity printed is that after the collection; before it counts.
        let capacity = self.capacity.or(sizes.old.and_then(|it| it.capacity));
        let before = OldSpace {
            used,
            free: capacity.zip(used).and_then(|(capacity, used)| capacity.checked_sub(used)),
            most_promoted: self.most_promoted,
            largest_free: self.largest_free,
        };
        self.capacity = sizes.old.and_then(|it| it.capacity).or(self.capacity);
        let ordinary = matches!(gc.kind, GcKind::Young(kind) if kind != YoungKind::Mixed);
        if ordinary && gc.failures.is_empty() && !is_full(gc) {
            self.most_promoted = self.most_promoted.max(promoted);
        }
        before
    }
}
