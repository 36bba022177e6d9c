//! A bound for the work that the accounts of a recording's pauses are.
use crate::case::Case;
use recording::Facts;

/// How many segments the accounts of all pauses may have together. A slice or a piece of kernel work
/// is in one stop, and an account has a segment for it and one beside it; a file that says that
/// thousands of stops were at once would ask for thousands of times its size, and for the time to
/// look at it.
pub(crate) struct SegmentBudget {
    segments: usize,
    /// Pauses left out for want of room.
    pub(crate) left_out: u64,
}

impl SegmentBudget {
    /// Segments that any recording may have.
    const LEAST: usize = 1 << 16;
    /// Segments for each slice or piece of kernel work.
    const OF_SLICE: usize = 2;
    /// Segments for each stop in addition to those of its slices: two phases of five states.
    const OF_STOP: usize = 10;

    pub(crate) fn new(facts: &Facts) -> SegmentBudget {
        let slices = (facts.slices.len() + facts.kernel_work.len()) * SegmentBudget::OF_SLICE;
        // Of the lines of a log few are pauses.
        let stops = facts.safepoints.len() * SegmentBudget::OF_STOP + facts.log_line_count();
        SegmentBudget { segments: SegmentBudget::LEAST + slices + stops, left_out: 0 }
    }

    /// A pause for which there is no room.
    pub(crate) fn without<'a>(&mut self) -> Option<Case<'a>> {
        self.left_out += 1;
        None
    }

    /// The case that `make` makes, if there is room for it.
    pub(crate) fn case<'a>(&mut self, make: impl FnOnce() -> Case<'a>) -> Option<Case<'a>> {
        let case = (self.segments > 0).then(make);
        let left =
            self.segments.checked_sub(case.as_ref().map_or(0, |it| it.segments.len().max(1)));
        match (case, left) {
            (Some(case), Some(left)) => {
                self.segments = left;
                Some(case)
            }
            _ => {
                self.segments = 0;
                self.without()
            }
        }
    }
}
