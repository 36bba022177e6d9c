//! Reading a recording: sealed parts and live segments, nothing written.
use crate::{
    Facts, FileKey, Note, Recording, RecordingError,
    columns::Columns,
    directory::Directory,
    part::{Form, Part},
    schema::{SCHEMA_VERSION, Table},
    sealed::SealedReader,
    segment::SegmentReader,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    path::Path,
};

pub(super) const NO_TABLE: &str = "holds no table of a recording";

/// Decoded bytes that are kept of one recording, rows included: about ten million slices.
const MAX_KEPT_BYTES: u64 = 2 << 30;
/// What a row takes beside its columns (a `ThreadSlice` has 136 bytes).
const ROW_BYTES: u64 = 136;

/// Whether there is a directory that holds at least one table of a recording. Opens no table.
#[must_use]
pub fn is_recording(path: &Path) -> bool {
    Directory::open(path)
        .and_then(|directory| directory.parts())
        .is_ok_and(|parts| !parts.is_empty())
}

impl Recording {
    /// Opens a recording, sealed or live, its recorder running, ended or killed.
    ///
    /// Writes nothing and needs no permission but to read. What cannot be read is left out and
    /// becomes a note of [`Coverage`](crate::Coverage); rows that later ones replace are dropped.
    /// All rows are kept in memory, at most 2 GiB of them; the rest is left out and noted.
    ///
    /// # Errors
    ///
    /// [`RecordingError::NoSuchDirectory`], [`RecordingError::NotARecording`] where there is no
    /// table, [`RecordingError::Permission`] and [`RecordingError::Io`] where the directory itself
    /// cannot be read, [`RecordingError::Unreadable`] where not one table can be.
    pub fn open(path: &Path) -> Result<Recording, RecordingError> {
        let directory = Directory::open(path)?;
        let parts = directory.parts()?;
        if parts.is_empty() {
            return Err(RecordingError::NotARecording { path: path.into(), why: NO_TABLE });
        }
        let mut reading = Reading::new(&directory);
        parts.iter().for_each(|part| reading.part(*part));
        reading.finish(path)
    }
}

/// All rows of one table, as far as they can be read.
pub(crate) fn read_table(directory: &Directory, table: &Table) -> Facts {
    let mut reading = Reading::new(directory);
    let parts = directory.parts().unwrap_or_default();
    parts.iter().filter(|it| it.table.name == table.name).for_each(|it| reading.part(*it));
    reading.facts
}

/// A recording that is being read.
struct Reading<'a> {
    directory: &'a Directory,
    facts: Facts,
    /// Losses, by item and message.
    notes: Vec<Note>,
    bytes: u64,
    room: u64,
    /// Parts of which at least the schema was read.
    readable: u64,
    refused: Option<RecordingError>,
    /// Table and number of the sealed parts that were read: segments of the same are copies.
    done: BTreeSet<(&'static str, u32)>,
}

impl<'a> Reading<'a> {
    fn new(directory: &'a Directory) -> Reading<'a> {
        Reading {
            directory,
            facts: Facts::default(),
            notes: Vec::new(),
            bytes: 0,
            room: MAX_KEPT_BYTES,
            readable: 0,
            refused: None,
            done: BTreeSet::new(),
        }
    }

    fn part(&mut self, part: Part) {
        if self.done.contains(&(part.table.name, part.number)) {
            return;
        }
        match self.directory.open_file(&part.name()) {
            Ok(file) => self.file(part, file),
            // A running recorder sealed it after the directory was listed.
            Err(_) if part.form == Form::Live => {
                let sealed = part.in_form(Form::Sealed);
                match self.directory.open_file(&sealed.name()) {
                    Ok(file) => self.file(sealed, file),
                    Err(error) => self.refuse(part, error),
                }
            }
            Err(error) => self.refuse(part, error),
        }
    }

    fn refuse(&mut self, part: Part, error: RecordingError) {
        let why = match &error {
            RecordingError::Permission { .. } => "no permission to read it".to_owned(),
            RecordingError::Io { source, .. } => source.to_string(),
            other => other.to_string(),
        };
        self.note(part, why, 1);
        self.refused.get_or_insert(error);
    }

    fn file(&mut self, part: Part, file: File) {
        let bytes = file.metadata().map_or(0, |status| status.len());
        self.bytes = self.bytes.saturating_add(bytes);
        let result = match part.form {
            Form::Sealed => self.sealed(part, file),
            Form::Live => self.live(part, file),
        };
        if let Err(why) = result {
            self.note(part, why, 1);
        }
    }

    fn sealed(&mut self, part: Part, file: File) -> Result<(), String> {
        let mut reader = SealedReader::open(file)?;
        self.readable += 1;
        self.done.insert((part.table.name, part.number));
        let version = reader.version().map(str::to_owned);
        self.check_version(part, version.as_deref());
        while let Some(batch) = reader.next()? {
            self.rows(part, &batch)?;
        }
        Ok(())
    }

    fn live(&mut self, part: Part, file: File) -> Result<(), String> {
        let Some(mut reader) = SegmentReader::open(file)? else { return Ok(()) };
        self.readable += 1;
        let schema = reader.schema();
        let version = schema.metadata().get(crate::schema::VERSION_KEY);
        self.check_version(part, version.map(String::as_str));
        while let Some(batch) = reader.next()? {
            self.rows(part, &batch)?;
        }
        Ok(())
    }

    fn check_version(&mut self, part: Part, version: Option<&str>) {
        let newer =
            version.and_then(|it| it.parse::<u32>().ok()).is_some_and(|it| it > SCHEMA_VERSION);
        if newer {
            self.note(part, "written by a newer whypause, may be misread".into(), 1);
        }
    }

    fn rows(&mut self, part: Part, batch: &RecordBatch) -> Result<(), String> {
        let rows = batch.num_rows() as u64;
        let bytes = bytes(batch).saturating_add(rows * ROW_BYTES);
        let Some(room) = self.room.checked_sub(bytes) else {
            self.note(part, "left out: the recording is too large for memory".into(), rows);
            return Ok(());
        };
        self.room = room;
        let facts = &mut self.facts;
        let decode = || (part.table.decode)(&Columns(batch), facts);
        match crate::quiet::catch(decode)? {
            0 => {}
            unknown => {
                self.note(part, "left out: a word this version does not know".into(), unknown)
            }
        }
        Ok(())
    }

    fn note(&mut self, part: Part, message: String, count: u64) {
        let item = part.name();
        match self.notes.iter_mut().find(|it| it.item == item && it.message == message) {
            Some(note) => note.count += count,
            None => self.notes.push(Note { item, message, count }),
        }
    }

    fn finish(self, path: &Path) -> Result<Recording, RecordingError> {
        let mut facts = self.facts;
        if self.readable == 0 && !self.notes.is_empty() {
            if let Some(error @ RecordingError::Permission { .. }) = self.refused {
                return Err(error);
            }
            let first = self.notes.into_iter().next();
            let why = first.map(|note| format!("`{}` is {}", note.item, note.message));
            return Err(RecordingError::Unreadable {
                path: path.into(),
                why: why.unwrap_or_default(),
            });
        }
        keep_last(&mut facts);
        if !self.notes.is_empty() {
            let coverage = facts.coverage.get_or_insert_default();
            self.notes.iter().for_each(|it| coverage.note(&it.item, &it.message, it.count));
        }
        Ok(Recording { path: path.into(), bytes: self.bytes, facts })
    }
}

/// What the columns of a batch take, without counting a buffer twice that they share.
fn bytes(batch: &RecordBatch) -> u64 {
    let size = |column: &ArrayRef| column.to_data().get_slice_memory_size().unwrap_or(usize::MAX);
    batch.columns().iter().fold(0, |sum: u64, column| sum.saturating_add(size(column) as u64))
}

/// Drops the rows that later ones replace. A row keeps the place of its first version.
fn keep_last(facts: &mut Facts) {
    replace_earlier(&mut facts.threads, |it| it.tid);
    replace_earlier(&mut facts.files, |it| -> FileKey { it.key });
    let mut seen = BTreeSet::new();
    facts.stacks.retain(|it| seen.insert(it.id));
}

fn replace_earlier<T, K: Ord>(rows: &mut Vec<T>, key: impl Fn(&T) -> K) {
    let mut places = BTreeMap::new();
    let mut kept: Vec<T> = Vec::with_capacity(rows.len());
    for row in rows.drain(..) {
        match places.entry(key(&row)) {
            std::collections::btree_map::Entry::Occupied(place) => kept[*place.get()] = row,
            std::collections::btree_map::Entry::Vacant(place) => {
                place.insert(kept.len());
                kept.push(row);
            }
        }
    }
    *rows = kept;
}
