//! Writing a recording: live segments, their rotation and sealing.
use crate::{
    Coverage, Facts, Limits, Manifest, RecordingError, TableRows,
    directory::Directory,
    part::{Form, Part},
    schema::{Table, Worth},
    seal::{Sealed, seal_before, seal_empty},
    segment::SegmentWriter,
};
use rustix::process::setpriority_process;
use std::{
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
    thread::{self, JoinHandle},
    time::Instant,
};

/// Rows of a batch at most.
const BATCH_ROWS: usize = 8192;
/// Bytes of a batch over which it is written as two. An eighth of what readers take.
const BATCH_BYTES: usize = 8 << 20;
/// Nice value of sealing while recording goes on: only where nobody else wants the CPU.
const ROTATION_NICE: i32 = 19;
/// Nice value of sealing at the end, when somebody waits for it.
const END_NICE: i32 = 10;

/// What a finished recording consists of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Where it is.
    pub path: PathBuf,
    /// Bytes of its files.
    pub bytes: u64,
    /// Rows written.
    pub rows: u64,
    /// Rows left out, for whatever reason.
    pub lost_rows: u64,
    /// Segments that could not be sealed: file name and why. The recording is readable with them.
    pub unsealed: Vec<(String, String)>,
}

/// Rows that were not written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Lost {
    /// Because the recording was full.
    full: u64,
    /// Because the system refused to write.
    failed: u64,
    /// Because they were given faster than they could be written.
    busy: u64,
}

impl Lost {
    fn rows(self) -> u64 {
        self.full + self.failed + self.busy
    }

    fn add_to(self, coverage: &mut Coverage) {
        coverage.lost_rows = coverage.lost_rows.saturating_add(self.rows());
        let notes = [
            (self.full, "rows left out, the recording is full"),
            (self.failed, "rows left out, writing failed"),
            (self.busy, "rows left out, the writer could not keep up"),
        ];
        for (rows, message) in notes.into_iter().filter(|(rows, _)| *rows > 0) {
            coverage.note("recording", message, rows);
        }
    }
}

/// Writes a recording into a directory of its own.
///
/// Every [`write`](Writer::write) is complete when it returns: a process that is killed loses
/// nothing that was written. Files are not synced while they are live, since a sync on the disk
/// under suspicion can itself make the JVM wait; a power failure may lose what was not sealed.
/// Dropped without [`seal`](Writer::seal), it leaves the segments for [`seal`](crate::seal()).
///
/// Not for the sampling thread: it waits for the file system. See
/// [`BackgroundWriter`](crate::BackgroundWriter).
#[derive(Debug)]
pub struct Writer {
    directory: Arc<Directory>,
    limits: Limits,
    /// Number of the live segments.
    number: u32,
    /// In the order of [`Table::all`].
    live: Vec<Option<SegmentWriter>>,
    live_bytes: u64,
    /// Bytes of rotated and sealed parts.
    stored_bytes: u64,
    live_since: Instant,
    sealing: Option<JoinHandle<Result<Sealed, RecordingError>>>,
    rows: u64,
    lost: Lost,
    /// Rows of each table so far, in the order of [`Table::all`].
    written: Vec<TableRows>,
    /// As given, without this writer's losses.
    coverage: Option<Coverage>,
    /// Losses that the last written row of coverage names.
    told: Lost,
    /// The rows that it names.
    told_written: Manifest,
}

impl Writer {
    /// Creates the directory with mode 0700, or takes an empty one.
    ///
    /// # Errors
    ///
    /// [`RecordingError::NoSuchDirectory`] where its parent is missing, [`RecordingError::NotEmpty`],
    /// [`RecordingError::Unsafe`] where a symbolic link stands in its place,
    /// [`RecordingError::InUse`], [`RecordingError::Permission`], [`RecordingError::Io`].
    pub fn create(directory: &Path, limits: Limits) -> Result<Writer, RecordingError> {
        let directory = Directory::create(directory)?;
        Ok(Writer {
            limits: limits.within(directory.free_bytes()),
            directory: Arc::new(directory),
            number: 0,
            live: Table::all().iter().map(|_| None).collect(),
            live_bytes: 0,
            stored_bytes: 0,
            live_since: Instant::now(),
            sealing: None,
            rows: 0,
            lost: Lost::default(),
            written: vec![TableRows::default(); Table::all().len()],
            coverage: None,
            told: Lost::default(),
            told_written: Manifest::default(),
        })
    }

    /// Where it writes.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// The limits that hold here.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Rows left out so far.
    #[must_use]
    pub fn lost_rows(&self) -> u64 {
        self.lost.rows()
    }

    /// Counts rows that never reached this writer.
    pub(crate) fn add_busy(&mut self, rows: u64) {
        self.lost.busy = self.lost.busy.saturating_add(rows);
    }

    /// Writes a batch, a table at a time.
    ///
    /// A row of coverage is written with this writer's own losses added to it.
    ///
    /// # Errors
    ///
    /// The first that the system gave. The rows of the tables concerned are counted as lost, the
    /// others are written, and the next call tries again.
    pub fn write(&mut self, facts: &Facts) -> Result<(), RecordingError> {
        let mut first = Ok(());
        for (index, table) in Table::all().iter().enumerate() {
            let result = match (&facts.coverage, table.name) {
                (Some(coverage), "coverage") => self.write_coverage(index, coverage),
                _ => self.write_table(index, facts),
            };
            first = first.and(result);
        }
        self.rotate_if_due();
        first
    }

    fn write_coverage(&mut self, index: usize, given: &Coverage) -> Result<(), RecordingError> {
        self.coverage = Some(given.clone());
        let mut coverage = given.clone();
        self.lost.add_to(&mut coverage);
        let (told, written) = (self.lost, self.manifest());
        coverage.manifest = Some(written.clone());
        self.write_table(index, &Facts { coverage: Some(coverage), ..Facts::default() })?;
        (self.told, self.told_written) = (told, written);
        Ok(())
    }

    /// What was written so far. The coverage has no entry: it would have to count the row that
    /// holds it.
    fn manifest(&self) -> Manifest {
        let tables = Table::all().iter().map(|table| table.name).zip(&self.written);
        let has = |(name, it): &(&str, &TableRows)| *name != "coverage" && it.rows + it.lost > 0;
        tables.filter(has).map(|(name, it)| (name, *it)).collect()
    }

    fn write_table(&mut self, index: usize, facts: &Facts) -> Result<(), RecordingError> {
        let table = Table::all()[index];
        let rows = (table.rows)(facts);
        let mut start = 0;
        while start < rows {
            let end = rows.min(start + BATCH_ROWS);
            if self.is_full(table.worth) {
                self.lost.full += (rows - start) as u64;
                self.written[index].lost += (rows - start) as u64;
                break;
            }
            if let Err(error) = self.write_rows(index, facts, start..end) {
                self.lost.failed += (rows - start) as u64;
                self.written[index].lost += (rows - start) as u64;
                return Err(error);
            }
            self.rows += (end - start) as u64;
            self.written[index].add((end - start) as u64, self.number);
            start = end;
        }
        Ok(())
    }

    fn is_full(&self, worth: Worth) -> bool {
        let bytes = self.live_bytes + self.stored_bytes;
        match worth {
            Worth::Detail => bytes >= self.limits.detail_bytes(),
            Worth::Fact => bytes >= self.limits.max_bytes,
            Worth::LastRow => false,
        }
    }

    fn write_rows(
        &mut self,
        index: usize,
        facts: &Facts,
        rows: Range<usize>,
    ) -> Result<(), RecordingError> {
        let table = Table::all()[index];
        let batch = table.batch(facts, rows.clone());
        if batch.get_array_memory_size() > BATCH_BYTES && rows.len() > 1 {
            let middle = rows.start + rows.len() / 2;
            self.write_rows(index, facts, rows.start..middle)?;
            return self.write_rows(index, facts, middle..rows.end);
        }
        let part = Part { table, number: self.number, form: Form::Live };
        let failed = |error| self.directory.error(&part.name(), "write", error);
        let segment = match &mut self.live[index] {
            Some(segment) => segment,
            none => {
                let file = self.directory.create_file(&part.name())?;
                none.insert(SegmentWriter::new(file, table).map_err(failed)?)
            }
        };
        self.live_bytes += segment.write(&batch).map_err(failed)?;
        Ok(())
    }

    /// Starts new segments and seals the old ones in a thread of low priority. Waits for nothing:
    /// where the sealing before is not done yet, the segments grow on.
    fn rotate_if_due(&mut self) {
        if self.sealing.as_ref().is_some_and(JoinHandle::is_finished) {
            self.sealing = None;
            self.stored_bytes = self.measure_stored().saturating_sub(self.live_bytes);
        }
        let due = self.live_bytes >= self.limits.rotate_bytes
            || self.live_since.elapsed() >= self.limits.rotate_after;
        if !due || self.sealing.is_some() || self.live_bytes == 0 {
            return;
        }
        self.live.fill_with(|| None);
        self.number += 1;
        self.live_since = Instant::now();
        self.stored_bytes += std::mem::take(&mut self.live_bytes);
        let (directory, number) = (Arc::clone(&self.directory), self.number);
        self.sealing = at_nice(ROTATION_NICE, move || seal_before(&directory, number)).ok();
    }

    /// Waits until what was rotated is sealed.
    #[cfg(test)]
    pub(crate) fn settle(&mut self) {
        if let Some(sealing) = self.sealing.take() {
            sealing.join().expect("no panic").expect("sealing");
        }
    }

    /// Bytes of all parts.
    fn measure_stored(&self) -> u64 {
        let parts = self.directory.parts().unwrap_or_default();
        parts.iter().map(|part| self.directory.bytes(&part.name())).sum()
    }

    /// Writes the last losses, seals everything, and gives every table at least an empty part.
    ///
    /// # Errors
    ///
    /// Where the directory cannot be read or written any more. What was written stays readable.
    pub fn seal(mut self) -> Result<Summary, RecordingError> {
        self.tell_losses()?;
        self.live.fill_with(|| None);
        if let Some(sealing) = self.sealing.take() {
            // What a rotation could not seal is tried again below.
            let _ = sealing.join();
        }
        let (directory, number) = (Arc::clone(&self.directory), self.number);
        let sealed = at_nice(END_NICE, move || seal_all(&directory, number))
            .map_err(|error| self.directory.error("", "seal", error))?
            .join()
            .map_err(|_| RecordingError::WriterGone { why: "sealing panicked".into() })??;
        Ok(Summary {
            path: self.directory.path().into(),
            bytes: self.measure_stored(),
            rows: self.rows,
            lost_rows: self.lost.rows(),
            unsealed: sealed.left,
        })
    }

    fn tell_losses(&mut self) -> Result<(), RecordingError> {
        // Who was never told of sources is told of rows neither.
        let is_told = self.coverage.is_none() || self.manifest() == self.told_written;
        if self.lost == self.told && is_told {
            return Ok(());
        }
        let coverage = self.coverage.clone().unwrap_or_default();
        self.write(&Facts { coverage: Some(coverage), ..Facts::default() })
    }
}

fn seal_all(directory: &Directory, number: u32) -> Result<Sealed, RecordingError> {
    let sealed = seal_before(directory, u32::MAX)?;
    let parts = directory.parts()?;
    for table in Table::all() {
        if !parts.iter().any(|part| part.table.name == table.name) {
            seal_empty(directory, Part { table, number, form: Form::Sealed })?;
        }
    }
    directory.sync()?;
    Ok(sealed)
}

/// Runs `work` in a thread of its own that gives way to others.
fn at_nice<T: Send + 'static>(
    nice: i32,
    work: impl FnOnce() -> T + Send + 'static,
) -> std::io::Result<JoinHandle<T>> {
    thread::Builder::new().name("whypause-seal".into()).spawn(move || {
        // On Linux this is the priority of the calling thread alone (setpriority(2), "Notes").
        let _ = setpriority_process(None, nice);
        work()
    })
}
