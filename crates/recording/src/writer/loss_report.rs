//! Saying in the row of coverage what this writer lost.
use super::Writer;
use crate::{
    Coverage, Facts, Manifest, RecordingError, TableRows, schema::Table, segment::SegmentWriter,
};

impl Writer {
    /// Counts rows whose files were removed. What comes goes into new ones.
    pub(super) fn count_removed(&mut self) {
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

    /// What was written so far. The coverage has no entry: it would have to count the row that
    /// holds it.
    pub(super) fn manifest(&self) -> Manifest {
        let tables = Table::all().iter().map(|table| table.name).zip(&self.written);
        let has = |(name, it): &(&str, &TableRows)| *name != "coverage" && it.rows + it.lost > 0;
        tables.filter(has).map(|(name, it)| (name, *it)).collect()
    }

    /// Writes the row of coverage once more if it does not say all yet.
    pub(super) fn write_losses(&mut self) -> Result<(), RecordingError> {
        self.count_removed();
        // Who was never told of sources is told of rows neither.
        let is_reported = self.coverage.is_none() || self.manifest() == self.reported_written;
        if self.lost == self.reported && is_reported {
            return Ok(());
        }
        let coverage = self.coverage.clone().unwrap_or_default();
        let facts = Facts { coverage: Some(coverage), ..Facts::default() };
        let first = self.write(&facts);
        // A first failure has told it already, in the space that is kept for that.
        if self.lost == self.reported {
            return Ok(());
        }
        self.write_in_reserve().or_else(|_| {
            // The last that can be tried: what was kept is free for whoever writes.
            self.reserve = None;
            self.write(&facts).or(first)
        })
    }

    /// Writes the row of coverage into space that was kept for it.
    pub(super) fn write_in_reserve(&mut self) -> Result<(), RecordingError> {
        let Some(mut reserve) = self.reserve.take() else {
            return Ok(());
        };
        // Later rows replace earlier ones: it must be in the last part.
        self.end_segments();
        let mut coverage = self.with_losses(self.coverage.clone().unwrap_or_default());
        let manifest = self.manifest();
        // Who was never told of sources is told of rows neither.
        coverage.manifest = self.coverage.is_some().then(|| manifest.clone());
        let facts = Facts { coverage: Some(coverage), ..Facts::default() };
        let written = reserve.write(self.number, &facts);
        self.reserve = Some(reserve);
        if written.is_ok() {
            (self.reported, self.reported_written) = (self.lost, manifest);
            // The number is taken by this part.
            self.number += 1;
        }
        written
    }
}
