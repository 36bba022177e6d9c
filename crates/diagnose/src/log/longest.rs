//! The pauses of a log inside a recording, as many as memory holds.
use crate::log::{pause::LogPause, pauses::LogPauses};

/// This number of pauses takes some 170 MB with their accounts. A day with a collection each second and a
/// half has as many.
const MOST: usize = 1 << 16;
/// Of a log with more lines there may be as many pauses as a usual log has: detailed ones write
/// ten lines and more for each. A million lines with a pause in each take 240 MB so.
const LINES_EACH: usize = 9;
/// Lines after which pauses are taken over.
const BETWEEN: usize = 4096;

/// Gathers pauses while the log is read, and gives up the shortest where there are too many.
#[derive(Debug)]
pub(crate) struct Longest {
    found: Vec<LogPause>,
    most: usize,
    lines: usize,
    /// Pauses given up.
    pub(crate) left_out: u64,
}

impl Longest {
    /// Of a log with this number of lines.
    pub(crate) fn new(lines: usize) -> Longest {
        Longest { found: Vec::new(), most: MOST.max(lines / LINES_EACH), lines: 0, left_out: 0 }
    }

    /// Another line was read.
    pub(crate) fn line(&mut self, pauses: &mut LogPauses) {
        self.lines += 1;
        if self.lines.is_multiple_of(BETWEEN) {
            self.take(pauses);
            if self.found.len() > self.most + self.most / 4 {
                self.thin();
            }
        }
    }

    /// All that were kept, in their order.
    pub(crate) fn finish(&mut self, pauses: &mut LogPauses) -> Vec<LogPause> {
        self.take(pauses);
        self.thin();
        let mut found = std::mem::take(&mut self.found);
        found.shrink_to_fit();
        found
    }

    fn take(&mut self, pauses: &mut LogPauses) {
        self.found.extend(pauses.take());
    }

    fn thin(&mut self) {
        let Some(over) = self.found.len().checked_sub(self.most).filter(|it| *it > 0) else {
            return;
        };
        let mut lengths: Vec<_> = self.found.iter().map(|it| it.pause.duration).collect();
        let (_, limit, _) = lengths.select_nth_unstable(over - 1);
        let (limit, mut left) = (*limit, over);
        // Of those that are no longer than the limit, the first: short ones, all of them.
        self.found.retain(|it| {
            let goes = left > 0 && it.pause.duration <= limit;
            left -= usize::from(goes);
            !goes
        });
        self.left_out += (over - left) as u64;
    }
}
