//! A list of a few intervals.
use recording::{Interval, MonoTime};
use std::ops::Deref;

/// Up to so many are held without memory of their own; the parts of a pause that only a log tells
/// of are hardly ever more.
const FEW: usize = 4;

/// What fills the places that are not used.
const NOTHING: Interval = Interval { start: MonoTime(0), end: MonoTime(0) };

/// Intervals in order. Several such lists are made for each pause of a log, and most are short or
/// empty: to ask for memory for each took a large part of the time in which a log is read.
#[derive(Clone, Debug)]
pub(crate) struct Intervals {
    few: [Interval; FEW],
    /// How many are in `few`; zero once they are in `many`.
    count: usize,
    many: Vec<Interval>,
}

impl Default for Intervals {
    fn default() -> Intervals {
        Intervals { few: [NOTHING; FEW], count: 0, many: Vec::new() }
    }
}

impl Intervals {
    /// Adds one at the end.
    pub(crate) fn push(&mut self, interval: Interval) {
        if self.many.is_empty() {
            if let Some(place) = self.few.get_mut(self.count) {
                *place = interval;
                self.count += 1;
                return;
            }
            self.many.extend_from_slice(&self.few);
            self.count = 0;
        }
        self.many.push(interval);
    }

    /// How long all of them are together.
    pub(crate) fn duration(&self) -> std::time::Duration {
        self.iter().map(|it| it.duration()).sum()
    }
}

impl Deref for Intervals {
    type Target = [Interval];

    fn deref(&self) -> &[Interval] {
        if self.many.is_empty() { &self.few[..self.count] } else { &self.many }
    }
}

impl FromIterator<Interval> for Intervals {
    fn from_iter<I: IntoIterator<Item = Interval>>(intervals: I) -> Intervals {
        let mut list = Intervals::default();
        intervals.into_iter().for_each(|it| list.push(it));
        list
    }
}

/// Overlapping intervals joined, in order.
pub(crate) fn union(mut intervals: Vec<Interval>) -> Vec<Interval> {
    intervals.sort_unstable();
    let mut joined: Vec<Interval> = Vec::with_capacity(intervals.len());
    for it in intervals {
        match joined.last_mut() {
            Some(last) if it.start <= last.end => last.end = last.end.max(it.end),
            _ => joined.push(it),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_any_length_keeps_its_order() {
        for length in [0, 1, 4, 5, 6, 100] {
            let wanted: Vec<_> =
                (0..length).map(|at| Interval::new(MonoTime(at), MonoTime(at + 1))).collect();
            let list: Intervals = wanted.iter().copied().collect();
            assert_eq!(list[..], wanted[..]);
        }
    }
}
