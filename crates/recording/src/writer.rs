//! Writing a recording: live segments, their rotation and sealing.
use crate::{
    Coverage, Facts, Limits, Manifest, RecordingError, TableRows,
    directory::Directory,
    losses::{self, Lost},
    part::{Form, Part},
    reserve::Reserve,
    schema::{Retention, Table},
    seal::{Left, seal_before, seal_empty},
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

mod loss_report;

/// Rows of a batch at most.
const BATCH_ROWS: usize = 8192;
/// Bytes of a batch over which it is written as two. An eighth of what readers take.
const BATCH_BYTES: usize = 8 << 20;
/// Nice value of sealing while recording goes on: only where no other process wants the CPU.
const ROTATION_NICE: i32 = 19;
/// Nice value of sealing at the end, while the user waits for it.
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
    /// Why rows were left out, and how many for each reason.
    pub losses: Vec<(String, u64)>,
}

/// Writes a recording into a directory of its own.
///
/// Every [`write`](Writer::write) is complete when it returns: a process that is killed loses
/// nothing that was written. Files are not synced while they are live, since a sync on the disk
/// under suspicion can itself make the JVM wait; a power failure may lose what was not sealed.
/// Dropped without [`seal`](Writer::seal), it leaves the segments, which
/// [`Recording::open`](crate::Recording::open) reads as they are.
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
    sealing: Option<JoinHandle<Result<Left, RecordingError>>>,
    /// Space for the row that says what was lost.
    reserve: Option<Reserve>,
    rows: u64,
    lost: Lost,
    /// What the system said when it first refused to write.
    failure: Option<String>,
    /// Rows of each table so far, in the order of [`Table::all`].
    written: Vec<TableRows>,
    /// As given, without this writer's losses.
    coverage: Option<Coverage>,
    /// Losses that the last written row of coverage names.
    reported: Lost,
    /// The rows that it names.
    reported_written: Manifest,
}

impl Writer {
    /// Creates the directory with mode 0700, or takes an empty one.
    ///
    /// # Errors
    ///
    /// [`RecordingError::NoSuchDirectory`] where its parent is missing, [`RecordingError::NotEmpty`],
    /// [`RecordingError::Unsafe`] where a symbolic link stands in its place or others can write to
    /// it, [`RecordingError::UnsafePath`] where another user can change a directory above it,
    /// [`RecordingError::InUse`], [`RecordingError::Permission`], [`RecordingError::Io`], also
    /// where there is no space at all. After an error there is nothing that was not there before.
    pub fn create(directory: &Path, limits: Limits) -> Result<Writer, RecordingError> {
        Writer::into(Directory::create(directory)?, limits)
    }

    /// Creates a directory that did not exist: `name` in `place`, or else `name-2` and so on.
    ///
    /// # Errors
    ///
    /// As [`create`](Writer::create).
    pub fn create_new(place: &Path, name: &str, limits: Limits) -> Result<Writer, RecordingError> {
        Writer::into(Directory::create_new(place, name)?, limits)
    }

    fn into(directory: Directory, limits: Limits) -> Result<Writer, RecordingError> {
        let directory = if limits.sync { directory } else { directory.without_sync() };
        let directory = Arc::new(directory);
        let limits = limits.within(directory.free_bytes());
        let coverage = Table::named("coverage").expect("coverage is one of the tables");
        let reserve = Reserve::take(&directory, coverage).inspect_err(|_| directory.discard())?;
        Ok(Writer {
            limits,
            directory,
            number: 0,
            live: Table::all().iter().map(|_| None).collect(),
            live_bytes: 0,
            stored_bytes: 0,
            live_since: Instant::now(),
            sealing: None,
            reserve: Some(reserve),
            rows: 0,
            lost: Lost::default(),
            failure: None,
            written: vec![TableRows::default(); Table::all().len()],
            coverage: None,
            reported: Lost::default(),
            reported_written: Manifest::default(),
        })
    }

    /// Gives up a recording of which nothing was written: removes the directory if it was made
    /// here. One that was there before stays as it was.
    pub fn discard(mut self) {
        self.reserve = None;
        self.directory.discard();
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
        self.count_removed();
        let failed_before = self.lost.failed;
        let mut first = Ok(());
        for (index, table) in Table::all().iter().enumerate() {
            let result = match (&facts.coverage, table.name) {
                (Some(coverage), "coverage") => self.write_coverage(index, coverage),
                _ => self.write_table(index, facts),
            };
            first = first.and(result);
        }
        if let Err(error) = &first {
            self.failure.get_or_insert_with(|| losses::reason(error));
            if failed_before == 0 {
                // Should the recorder be killed from now on, it is known that something is missing.
                let _ = self.write_in_reserve();
            }
        }
        self.rotate_if_due();
        first
    }

    fn write_coverage(&mut self, index: usize, given: &Coverage) -> Result<(), RecordingError> {
        self.coverage = Some(given.clone());
        let mut coverage = self.with_losses(given.clone());
        let (reported, written) = (self.lost, self.manifest());
        coverage.manifest = Some(written.clone());
        self.write_table(index, &Facts { coverage: Some(coverage), ..Facts::default() })?;
        (self.reported, self.reported_written) = (reported, written);
        Ok(())
    }

    fn write_table(&mut self, index: usize, facts: &Facts) -> Result<(), RecordingError> {
        let table = Table::all()[index];
        let rows = (table.rows)(facts);
        let mut start = 0;
        while start < rows {
            let end = rows.min(start + BATCH_ROWS);
            if self.is_full(table.retention) {
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

    fn is_full(&self, retention: Retention) -> bool {
        let bytes = self.live_bytes + self.stored_bytes;
        match retention {
            Retention::Detail => bytes >= self.limits.detail_bytes(),
            Retention::Fact | Retention::Reference => bytes >= self.limits.max_bytes,
            Retention::LastRow => false,
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
        self.end_segments();
        let (directory, number) = (Arc::clone(&self.directory), self.number);
        self.sealing = at_nice(ROTATION_NICE, move || seal_before(&directory, number)).ok();
    }

    /// What is written next goes into new segments.
    fn end_segments(&mut self) {
        self.live.fill_with(|| None);
        self.number += 1;
        self.live_since = Instant::now();
        self.stored_bytes += std::mem::take(&mut self.live_bytes);
    }

    /// Other limits than fit the file system.
    #[cfg(test)]
    pub(crate) fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
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
    /// [`RecordingError::Removed`] where the directory is gone; others where it cannot be read or
    /// written any more. What was written stays readable.
    pub fn seal(mut self) -> Result<Summary, RecordingError> {
        if self.directory.is_removed() {
            return Err(RecordingError::Removed { path: self.directory.path().into() });
        }
        self.write_losses()?;
        // From here on it is space for sealing.
        self.reserve = None;
        self.live.fill_with(|| None);
        if let Some(sealing) = self.sealing.take() {
            // What a rotation could not seal is tried again below.
            let _ = sealing.join();
        }
        let (directory, number) = (Arc::clone(&self.directory), self.number);
        let unsealed = at_nice(END_NICE, move || seal_all(&directory, number))
            .map_err(|error| self.directory.error("", "seal", error))?
            .join()
            .map_err(|_| RecordingError::WriterGone { why: "sealing panicked".into() })??;
        Ok(Summary {
            path: self.directory.path().into(),
            bytes: self.measure_stored(),
            rows: self.rows,
            lost_rows: self.lost.rows(),
            unsealed,
            losses: self.lost.reasons(self.failure.as_deref()),
        })
    }
}

fn seal_all(directory: &Directory, number: u32) -> Result<Left, RecordingError> {
    let mut left = seal_before(directory, u32::MAX)?;
    let parts = directory.parts()?;
    for table in Table::all() {
        if parts.iter().any(|part| part.table.name == table.name) {
            continue;
        }
        let part = Part { table, number, form: Form::Sealed };
        if let Err(error) = seal_empty(directory, part) {
            left.push((part.name(), error.to_string()));
        }
    }
    directory.sync()?;
    Ok(left)
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
