//! Saying in the row of coverage what this writer lost.
use super::Writer;
use crate::{Coverage, Facts, RecordingError, segment::SegmentWriter};

impl Writer {
    /// Counts rows whose files were removed. What comes goes into new ones.
    pub(super) fn look_for_removed(&mut self) {
        for live in &mut self.live {
            if let Some(rows) = live.as_ref().and_then(SegmentWriter::removed_rows) {
                self.lost.removed += rows;
                *live = None;
            }
        }
    }

    /// The coverage with what was lost here.
    pub(super) fn with_losses(&self, mut coverage: Coverage) -> Coverage {
        coverage.lost_rows = coverage.lost_rows.saturating_add(self.lost.rows());
        for (why, rows) in self.lost.reasons(self.failure.as_deref()) {
            coverage.note("recording", &why, rows);
        }
        coverage
    }

    /// Writes the row of coverage once more if it does not say all yet.
    pub(super) fn tell_losses(&mut self) -> Result<(), RecordingError> {
        self.look_for_removed();
        if self.lost == self.told {
            return Ok(());
        }
        let coverage = self.coverage.clone().unwrap_or_default();
        let facts = Facts { coverage: Some(coverage), ..Facts::default() };
        let first = self.write(&facts);
        // A first failure has told it already, in the space that is kept for that.
        if self.lost == self.told {
            return Ok(());
        }
        self.tell_in_reserve().or_else(|_| {
            // The last that can be tried: what was kept is free for whoever writes.
            self.reserve = None;
            self.write(&facts).or(first)
        })
    }

    /// Writes the row of coverage into space that was kept for it.
    pub(super) fn tell_in_reserve(&mut self) -> Result<(), RecordingError> {
        let Some(mut reserve) = self.reserve.take() else {
            return Ok(());
        };
        // Later rows replace earlier ones: it must be in the last part.
        self.end_segments();
        let coverage = self.with_losses(self.coverage.clone().unwrap_or_default());
        let facts = Facts { coverage: Some(coverage), ..Facts::default() };
        let written = reserve.write(self.number, &facts);
        self.reserve = Some(reserve);
        if written.is_ok() {
            self.told = self.lost;
            // The number is taken by this part.
            self.number += 1;
        }
        written
    }
}
