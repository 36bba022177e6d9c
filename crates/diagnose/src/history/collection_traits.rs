//! What is unusual about the collections of a pause.
//!
//! Most pauses hold one usual collection, or none. Then the causes that want a certain collection
//! need no look at the pause at all: each names the trait that its collections have.
use crate::history::Collection;
use gclog::GcKind;

/// What a cause wants a collection for. Each is a bit of [`CollectionTraits`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CollectionTrait {
    /// Something failed in it.
    Failure = 1,
    /// It has a GC cause other than that the room for new objects was used up.
    GcCause = 2,
    /// It is no young collection.
    Kind = 4,
    /// Something was known about its surroundings.
    Surroundings = 8,
}

/// The traits that the collections of a pause have together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CollectionTraits(u8);

impl CollectionTraits {
    /// How many different ones there are.
    pub(crate) const COUNT: usize = 16;

    /// All there are, by [`place`](CollectionTraits::place).
    pub(crate) fn all() -> [CollectionTraits; CollectionTraits::COUNT] {
        let mut bits = 0;
        [(); CollectionTraits::COUNT].map(|()| {
            let traits = CollectionTraits(bits);
            bits += 1;
            traits
        })
    }

    pub(crate) fn of(collections: &[Collection]) -> CollectionTraits {
        CollectionTraits(collections.iter().map(bits).fold(0, |all, it| all | it))
    }

    pub(crate) fn has(self, of: CollectionTrait) -> bool {
        self.0 & of as u8 != 0
    }

    /// Below [`COUNT`](CollectionTraits::COUNT).
    pub(crate) fn place(self) -> usize {
        usize::from(self.0)
    }
}

fn bits(it: &Collection) -> u8 {
    let (gc, around) = (&it.gc, &it.around);
    let usual =
        matches!(gc.cause.as_deref(), None | Some("Allocation Failure" | "G1 Evacuation Pause"));
    let bit = |of: CollectionTrait, is_there: bool| if is_there { of as u8 } else { 0 };
    bit(CollectionTrait::Failure, !gc.failures.is_empty())
        | bit(CollectionTrait::GcCause, !usual)
        | bit(CollectionTrait::Kind, !matches!(gc.kind, GcKind::Young(_)))
        | bit(
            CollectionTrait::Surroundings,
            around.pressure.is_some() || around.eden_shrunk.is_some(),
        )
}
