//! What is unusual about the collections of a pause.
//!
//! Most pauses hold one usual collection, or none. Then the causes that want a certain collection
//! need not be asked at all: each names the mark that a collection must bear to be its.
use crate::history::Collection;
use gclog::GcKind;

/// What a cause wants a collection for. Each is a bit of [`Marks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Something failed in it.
    Failure = 1,
    /// It has a GC cause other than that the room for new objects was used up.
    GcCause = 2,
    /// It is no young collection.
    Kind = 4,
    /// Something was known about its surroundings.
    Surroundings = 8,
}

/// The marks that the collections of a pause bear together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Marks(u8);

impl Marks {
    /// How many different ones there are.
    pub(crate) const COUNT: usize = 16;

    /// All there are, by [`place`](Marks::place).
    pub(crate) fn all() -> [Marks; Marks::COUNT] {
        let mut bits = 0;
        [(); Marks::COUNT].map(|()| {
            let marks = Marks(bits);
            bits += 1;
            marks
        })
    }

    pub(crate) fn of(collections: &[Collection]) -> Marks {
        Marks(collections.iter().map(bits).fold(0, |all, it| all | it))
    }

    pub(crate) fn has(self, mark: Mark) -> bool {
        self.0 & mark as u8 != 0
    }

    /// Below [`COUNT`](Marks::COUNT).
    pub(crate) fn place(self) -> usize {
        usize::from(self.0)
    }
}

fn bits(it: &Collection) -> u8 {
    let (gc, around) = (&it.gc, &it.around);
    let usual =
        matches!(gc.cause.as_deref(), None | Some("Allocation Failure" | "G1 Evacuation Pause"));
    let bit = |mark: Mark, is_there: bool| if is_there { mark as u8 } else { 0 };
    bit(Mark::Failure, !gc.failures.is_empty())
        | bit(Mark::GcCause, !usual)
        | bit(Mark::Kind, !matches!(gc.kind, GcKind::Young(_)))
        | bit(Mark::Surroundings, around.pressure.is_some() || around.eden_shrunk.is_some())
}
