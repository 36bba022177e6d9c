//! Which of its numbered files a log was rotated to.
use crate::host::maps::DELETED;

/// What became of a file that the JVM writes no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Archive {
    /// `gc.log.3`
    Number(u32),
    /// Overwritten by a later one already.
    Deleted,
    /// Any other name.
    Other,
}

impl Archive {
    pub(super) fn of(path: &str) -> Archive {
        if path.ends_with(DELETED) {
            return Archive::Deleted;
        }
        let number = path.rsplit_once('.').and_then(|(_, number)| number.parse().ok());
        number.map_or(Archive::Other, Archive::Number)
    }

    /// Whether files must have come and gone between two that were read. HotSpot counts upwards
    /// and starts again at 0 after the highest; other tools always rotate to the same number.
    pub(super) fn misses_some_before(self, next: Archive, highest: u32) -> bool {
        match (self, next) {
            (Archive::Number(before), Archive::Number(0)) => before != 0 && before < highest,
            (Archive::Number(before), Archive::Number(now)) => {
                now != before && now != before.saturating_add(1)
            }
            (_, Archive::Deleted) => true,
            _ => false,
        }
    }
}
