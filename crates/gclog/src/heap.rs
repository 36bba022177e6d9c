//! Sizes of the heap and of its parts before and after a collection.
use crate::scan::{integer, size_bytes};

/// A size before and after, and how large it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transition {
    /// Before the collection.
    pub before: u64,
    /// After it.
    pub after: u64,
    /// After it, used or not; for a number of regions, the target for the next collection.
    pub capacity: Option<u64>,
}

/// In what a [`Generation`] is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extent {
    /// In bytes, rounded to the unit printed.
    Bytes(Transition),
    /// In G1 regions.
    Regions(Transition),
}

impl Extent {
    /// In bytes. `region_size_bytes` is needed where it is measured in regions.
    #[must_use]
    pub fn bytes(self, region_size_bytes: Option<u64>) -> Option<Transition> {
        match self {
            Extent::Bytes(transition) => Some(transition),
            Extent::Regions(Transition { before, after, capacity }) => {
                let size = region_size_bytes?;
                Some(Transition {
                    before: before.checked_mul(size)?,
                    after: after.checked_mul(size)?,
                    capacity: capacity.and_then(|it| it.checked_mul(size)),
                })
            }
        }
    }
}

/// A part of the heap, as the collectors name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// The young generation as a whole (`DefNew`, `PSYoungGen`).
    Young,
    /// Where objects are allocated; a part of the young generation.
    Eden,
    /// Where young survivors are (`Survivor regions`, `From`); a part of the young generation.
    Survivor,
    /// The old generation (`Tenured`, `ParOldGen`, `Old regions`).
    Old,
    /// Objects of half a G1 region and more.
    Humongous,
    /// Objects mapped from the CDS archive (G1).
    Archive,
    /// Class metadata. Not a part of the Java heap.
    Metaspace,
}

impl Space {
    /// The name used in reports.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Space::Young => "young",
            Space::Eden => "eden",
            Space::Survivor => "survivor",
            Space::Old => "old",
            Space::Humongous => "humongous",
            Space::Archive => "archive",
            Space::Metaspace => "metaspace",
        }
    }
}

/// A part of the heap before and after a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Generation {
    /// Which part.
    pub space: Space,
    /// How large.
    pub extent: Extent,
}

/// `31M->28M(600M)`, or `153600K(179200K)->25578K(179200K)` as JDK 15 and later print a
/// generation; the capacity in parentheses may be missing. Gives what follows, too.
pub(crate) fn bytes_transition(text: &[u8]) -> Option<(Transition, &[u8])> {
    transition(text, size_bytes)
}

/// `30->0(26)`: a number of regions.
pub(crate) fn regions_transition(text: &[u8]) -> Option<(Transition, &[u8])> {
    transition(text, integer)
}

type Number = fn(&[u8]) -> Option<(u64, &[u8])>;

fn transition(text: &[u8], number: Number) -> Option<(Transition, &[u8])> {
    let (before, rest) = number(text)?;
    let (_, rest) = capacity(rest, number);
    let (after, rest) = number(rest.strip_prefix(b"->")?)?;
    let (capacity, rest) = capacity(rest, number);
    Some((Transition { before, after, capacity }, rest))
}

fn capacity(text: &[u8], number: Number) -> (Option<u64>, &[u8]) {
    let inside = || number(text.strip_prefix(b"(")?);
    match inside() {
        Some((value, [b')', rest @ ..])) => (Some(value), rest),
        _ => (None, text),
    }
}

/// The generation that a line like `DefNew: 1K->2K(3K) Eden: …` reports, and the parts that
/// follow on the same line. `None` for a part that is not named here, such as `To:`.
pub(crate) fn byte_generations(
    text: &[u8],
    space: Space,
    mut each: impl FnMut(Generation),
) -> Option<()> {
    let (first, mut rest) = bytes_transition(text)?;
    each(Generation { space, extent: Extent::Bytes(first) });
    while let Some(next) = rest.strip_prefix(b" ") {
        let (space, sizes) = if let Some(sizes) = next.strip_prefix(b"Eden: ") {
            (Space::Eden, sizes)
        } else if let Some(sizes) = next.strip_prefix(b"From: ") {
            (Space::Survivor, sizes)
        } else {
            break;
        };
        let (sizes, after) = bytes_transition(sizes)?;
        each(Generation { space, extent: Extent::Bytes(sizes) });
        rest = after;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, wanted: Option<(u64, u64, Option<u64>)>) {
        let read = bytes_transition(text.as_bytes());
        assert_eq!(read.map(|(it, _)| (it.before, it.after, it.capacity)), wanted, "{text}");
    }

    #[test]
    fn both_forms_of_all_jdks() {
        check("31K->28K(600K)", Some((31 << 10, 28 << 10, Some(600 << 10))));
        check("31K(99K)->28K(600K) Eden", Some((31 << 10, 28 << 10, Some(600 << 10))));
        check("31K->28K", Some((31 << 10, 28 << 10, None)));
        check("31K->28K(60", Some((31 << 10, 28 << 10, None)));
        check("31K->", None);
        check("31->28(600)", None);
    }

    #[test]
    fn regions_become_bytes_only_with_their_size() {
        let (regions, _) = regions_transition(b"30->0(26)").expect("well-formed");
        let extent = Extent::Regions(regions);
        assert_eq!(extent.bytes(None), None);
        assert_eq!(
            extent.bytes(Some(10)),
            Some(Transition { before: 300, after: 0, capacity: Some(260) })
        );
        assert_eq!(extent.bytes(Some(u64::MAX)), None, "an overflow is not a size");
    }
}
