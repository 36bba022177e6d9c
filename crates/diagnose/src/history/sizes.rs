//! The sizes of the young and the old generation around a collection, whatever the collector.
use gclog::{Extent, GcEvent, Space, Transition};

/// In bytes; `None` where the log does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sizes {
    /// Eden; its capacity is what the next collection finds.
    pub(crate) eden: Option<Transition>,
    /// Eden and survivors.
    pub(crate) young: Option<Transition>,
    /// The old generation, with G1's humongous regions in it.
    pub(crate) old: Option<Transition>,
    /// The whole heap.
    pub(crate) heap: Option<Transition>,
}

impl Sizes {
    /// Reads them from a collection; G1 of JDK 9 and later prints regions.
    pub(crate) fn of(gc: &GcEvent, region_size_bytes: Option<u64>) -> Sizes {
        let eden = of(gc, Space::Eden, region_size_bytes);
        let survivor = of(gc, Space::Survivor, region_size_bytes);
        let young = of(gc, Space::Young, region_size_bytes).or(both(eden, survivor));
        let old = of(gc, Space::Old, region_size_bytes).map(|old| {
            let humongous = of(gc, Space::Humongous, region_size_bytes);
            both(Some(old), humongous).unwrap_or(old)
        });
        Sizes { eden, young, old: old.or(rest(gc.heap, young)), heap: gc.heap }
    }

    /// What moved from the young to the old generation. `None` where it cannot be derived, as in a
    /// collection that freed old memory too.
    pub(crate) fn promoted(&self) -> Option<u64> {
        let old = self.old?;
        Some(old.after.saturating_sub(old.before))
    }
}

/// One space of a collection. Where several lines report it, such as the two survivor spaces of
/// Serial, the first counts.
fn of(gc: &GcEvent, space: Space, region_size_bytes: Option<u64>) -> Option<Transition> {
    let generation = gc.generations.iter().find(|it| it.space == space)?;
    match generation.extent {
        Extent::Bytes(transition) => Some(transition),
        regions @ Extent::Regions(_) => regions.bytes(region_size_bytes),
    }
}

fn both(a: Option<Transition>, b: Option<Transition>) -> Option<Transition> {
    let (a, b) = (a?, b?);
    Some(Transition {
        before: a.before.checked_add(b.before)?,
        after: a.after.checked_add(b.after)?,
        capacity: a.capacity.zip(b.capacity).and_then(|(a, b)| a.checked_add(b)),
    })
}

/// The heap without its young generation.
fn rest(heap: Option<Transition>, young: Option<Transition>) -> Option<Transition> {
    let (heap, young) = (heap?, young?);
    Some(Transition {
        before: heap.before.checked_sub(young.before)?,
        after: heap.after.checked_sub(young.after)?,
        capacity: heap.capacity.zip(young.capacity).and_then(|(a, b)| a.checked_sub(b)),
    })
}
