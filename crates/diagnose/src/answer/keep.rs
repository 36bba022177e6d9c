//! Which pauses of a log are kept.
use crate::Attribution;
use std::{cmp::Reverse, collections::BinaryHeap};

/// Which pauses of a log stay in memory, to be listed one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Every one: memory grows with the log.
    All,
    /// This many of the longest.
    Longest(usize),
}

/// The pauses that are kept so far.
#[derive(Debug)]
pub(crate) struct Kept {
    keep: Keep,
    count: u64,
    heap: BinaryHeap<Entry>,
    all: Vec<Attribution>,
}

/// A pause in a heap with the shortest on top; of two alike the later one goes first.
#[derive(Debug)]
struct Entry(Reverse<std::time::Duration>, u64, Attribution);

impl PartialEq for Entry {
    fn eq(&self, other: &Entry) -> bool {
        (self.0, self.1) == (other.0, other.1)
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Entry) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Entry) -> std::cmp::Ordering {
        (self.0, self.1).cmp(&(other.0, other.1))
    }
}

impl Kept {
    pub(crate) fn new(keep: Keep) -> Kept {
        Kept { keep, count: 0, heap: BinaryHeap::new(), all: Vec::new() }
    }

    pub(crate) fn add(&mut self, attribution: Attribution) {
        self.count += 1;
        match self.keep {
            Keep::All => self.all.push(attribution),
            Keep::Longest(most) => self.add_longest(attribution, most),
        }
    }

    fn add_longest(&mut self, attribution: Attribution, most: usize) {
        let length = attribution.pause.duration;
        let full = self.heap.len() >= most;
        if full && self.heap.peek().is_none_or(|shortest| shortest.0.0 >= length) {
            return;
        }
        if full {
            self.heap.pop();
        }
        self.heap.push(Entry(Reverse(length), self.count, attribution));
    }

    /// In the order of the log; `by_date` puts what was found late where it belongs.
    pub(crate) fn finish(self, by_date: bool) -> Vec<Attribution> {
        let mut kept: Vec<Entry> = self.heap.into_vec();
        kept.sort_by_key(|it| it.1);
        let mut all = self.all;
        all.extend(kept.into_iter().map(|it| it.2));
        if by_date {
            all.sort_by_key(|it| it.pause.start_wall_ns);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PauseKind, log::pause::pause_of};
    use gclog::Stamp;
    use std::time::Duration;

    fn kept(keep: Keep, lengths: &[u64]) -> Vec<u64> {
        let mut kept = Kept::new(keep);
        for &ms in lengths {
            let length = Duration::from_millis(ms);
            let pause = pause_of(PauseKind::Gc, &Stamp::default(), 0, length);
            let parts = Vec::new();
            kept.add(Attribution {
                pause,
                parts,
                unattributed: length,
                symptom: None,
                collected: None,
            });
        }
        let ms = |it: &Attribution| u64::try_from(it.pause.duration.as_millis()).expect("small");
        kept.finish(false).iter().map(ms).collect()
    }

    #[test]
    fn the_longest_are_kept_in_the_order_of_the_log() {
        assert_eq!(kept(Keep::Longest(3), &[5, 1, 9, 2, 7, 3]), [5, 9, 7]);
        assert_eq!(kept(Keep::Longest(0), &[5]), [0; 0]);
        assert_eq!(kept(Keep::All, &[5, 1, 9]), [5, 1, 9]);
    }

    #[test]
    fn first_of_equal_pauses_are_kept() {
        assert_eq!(kept(Keep::Longest(2), &[4, 4, 4, 5]), [4, 5]);
    }
}
