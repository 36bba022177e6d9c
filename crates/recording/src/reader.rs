//! Reading a recording: sealed parts and live segments, nothing written. How much memory its rows may take is
//! decided here.
use crate::{
    Facts, Note, Recording, RecordingError,
    columns::Columns,
    cost,
    directory::Directory,
    manifest::{self, AllSeen, Bad},
    part::{Form, Part},
    schema::SCHEMA_VERSION,
    sealed::SealedReader,
    segment::{SegmentReader, TORN_BATCH},
    thinning::{self, Thinning},
};
use arrow_array::RecordBatch;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    fs::File,
    path::Path,
};

const NO_TABLE: &str = "holds no table of a recording";

/// What the rows of a recording may take until all of them are explained, if its files are smaller.
const KEPT_BYTES: u64 = 200 << 20;
/// The most that rows may take, however large the files are.
const MOST_KEPT_BYTES: u64 = 2 << 30;
/// Of that, what slices may have at least, however much the other rows take.
const SLICES_KEPT_BYTES: u64 = 48 << 20;
/// What slices leave free of that: to choose among more than there is room for takes memory, too.
const SLICES_SPARE_BYTES: u64 = 4 << 20;
/// And what the lines of the log may have at least, once the other rows are read.
const LOG_KEPT_BYTES: u64 = 40 << 20;
/// Number of slices that any recording may have; one with more has a byte for each.
const MOST_SLICES: u64 = 1 << 20;
/// The table of the GC log's lines.
const LOG: &str = "log_lines";
/// What lines of a log may take before they are packed.
const UNPACKED_BYTES: u64 = 12 << 20;
/// Number of distinct notes about parts; of more only their number.
const MAX_NOTES: usize = 64;

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
    /// All rows are kept in memory, as many as 200 MiB hold, or about as much as the files have
    /// where that is more; the rest is left out and noted. Of slices those of the longest stops are
    /// kept. Whatever is in the files, reading them takes at most 96 MiB in addition to that.
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
        let sizes = parts.iter().map(|part| directory.stored_bytes(&part.name()));
        let stored = sizes.fold(0, u64::saturating_add);
        reading.budget =
            stored.clamp(KEPT_BYTES, MOST_KEPT_BYTES) - SLICES_KEPT_BYTES - LOG_KEPT_BYTES;
        reading.slices_left = stored.max(MOST_SLICES);
        let (slices, others): (Vec<Part>, Vec<Part>) =
            parts.iter().partition(|it| it.table.name == thinning::TABLE);
        let (log, mut others): (Vec<Part>, Vec<Part>) =
            others.iter().partition(|it| it.table.name == LOG);
        others.sort_by_key(|it| Reverse(it.table.retention));
        others.iter().for_each(|part| reading.part(*part));
        // A JVM may write any number of lines: they do not take the place of the stops.
        reading.budget += LOG_KEPT_BYTES;
        log.iter().for_each(|part| reading.part(*part));
        // Last, as how long they are kept depends on the stops.
        let budget = reading.budget + SLICES_KEPT_BYTES - SLICES_SPARE_BYTES;
        reading.thinning = Some(Thinning::new(&reading.facts.safepoints, budget));
        slices.iter().for_each(|part| reading.part(*part));
        reading.finish(path)
    }
}

/// A recording that is being read.
struct Reading<'a> {
    directory: &'a Directory,
    facts: Facts,
    /// Losses, by item and message.
    notes: Notes,
    bytes: u64,
    /// Bytes that may still be taken by rows other than slices.
    budget: u64,
    /// Of what was taken, what the lines of the log take that are not packed.
    unpacked: u64,
    /// Slices that may still be read.
    slices_left: u64,
    /// What becomes of slices that do not fit. `None` while other tables are read.
    thinning: Option<Thinning>,
    /// Parts of which at least the schema was read.
    readable: u64,
    refused: Option<RecordingError>,
    /// Table and number of the sealed parts that were read: segments of the same are copies.
    done: BTreeSet<(&'static str, u32)>,
    /// How much of each table was read, to be compared with what was written.
    seen: AllSeen,
}

impl<'a> Reading<'a> {
    fn new(directory: &'a Directory) -> Reading<'a> {
        Reading {
            directory,
            facts: Facts::default(),
            notes: Notes::default(),
            bytes: 0,
            budget: KEPT_BYTES,
            unpacked: 0,
            slices_left: MOST_SLICES,
            thinning: None,
            readable: 0,
            refused: None,
            done: BTreeSet::new(),
            seen: AllSeen::new(),
        }
    }

    fn part(&mut self, part: Part) {
        if self.done.contains(&(part.table.name, part.number)) {
            return;
        }
        self.seen.entry(part.table.name).or_default().is_there = true;
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
        self.bad(part, why);
        self.refused.get_or_insert(error);
    }

    /// A part that cannot be read to its end.
    fn bad(&mut self, part: Part, why: String) {
        let bad = Bad { name: part.name(), is_torn: why.starts_with(TORN_BATCH), why: why.clone() };
        self.seen.entry(part.table.name).or_default().bad.insert(part.number, bad);
        self.note(part, why, 1);
    }

    fn file(&mut self, part: Part, file: File) {
        let bytes = file.metadata().map_or(0, |status| status.len());
        self.bytes = self.bytes.saturating_add(bytes);
        let result = match part.form {
            Form::Sealed => self.sealed(part, file),
            Form::Live => self.live(part, file),
        };
        match result {
            Err(why) => self.bad(part, why),
            // A segment stands in for its damaged sealed form.
            Ok(()) => {
                self.seen.entry(part.table.name).or_default().bad.remove(&part.number);
            }
        }
    }

    fn sealed(&mut self, part: Part, file: File) -> Result<(), String> {
        let mut reader = SealedReader::open(file, part.table)?;
        self.readable += 1;
        self.done.insert((part.table.name, part.number));
        let version = reader.version().map(str::to_owned);
        self.check_version(part, version.as_deref());
        let mut rows = reader.rows();
        while let Some(batch) = reader.next()? {
            if !self.rows(part, &batch)? {
                // A few bytes may stand for any number of them.
                self.leave_out(part, rows);
                break;
            }
            rows = rows.saturating_sub(batch.num_rows() as u64);
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
            if !self.rows(part, &batch)? {
                self.leave_out(part, batch.num_rows() as u64);
            }
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

    /// Adds the rows of a batch; `false` where there is no room for them.
    fn rows(&mut self, part: Part, batch: &RecordBatch) -> Result<bool, String> {
        let rows = batch.num_rows() as u64;
        let cost = cost::of(part.table, batch);
        let left = match self.thinning {
            Some(_) => (&mut self.slices_left, rows),
            None => (&mut self.budget, cost),
        };
        let Some(rest) = left.0.checked_sub(left.1) else { return Ok(false) };
        *left.0 = rest;
        let facts = &mut self.facts;
        let slices = facts.slices.len();
        let unknown = (part.table.decode)(&Columns(batch), facts)?;
        if let Some(thinning) = &mut self.thinning {
            thinning.take_in(&mut self.facts.slices, slices);
        }
        if part.table.name == LOG {
            self.unpacked += cost;
            self.pack();
        }
        self.seen.entry(part.table.name).or_default().add(part, rows);
        if unknown > 0 {
            // A source that a newer version watched takes nothing from those known here.
            if part.table.name != "coverage" {
                self.seen.entry(part.table.name).or_default().left_out += unknown;
            }
            self.note(part, "left out: unknown value".into(), unknown);
        }
        Ok(true)
    }

    /// Packs the lines of the log that are not, where they take much.
    fn pack(&mut self) {
        if self.unpacked < UNPACKED_BYTES {
            return;
        }
        let facts = &mut self.facts;
        let lines = facts.log_lines.len();
        let bytes = facts.pack_log_lines();
        let packed = cost::packed(lines, bytes, !facts.safepoints.is_empty());
        self.budget = (self.budget + std::mem::take(&mut self.unpacked)).saturating_sub(packed);
    }

    fn leave_out(&mut self, part: Part, rows: u64) {
        self.seen.entry(part.table.name).or_default().left_out += rows;
        self.note(part, "left out: the recording is too large for memory".into(), rows);
    }

    fn note(&mut self, part: Part, message: String, count: u64) {
        self.notes.add(part.name(), message, count);
    }

    /// Says how much was given up of slices, and of which stops.
    fn finish_slices(&mut self) {
        let Some(thinning) = &self.thinning else { return };
        let Some(longest) = thinning.longest_given_up() else { return };
        let ms = longest.as_secs_f64() * 1e3;
        let message = format!("left out for want of memory: those of stops up to {ms:.1} ms");
        self.notes.add(thinning::TABLE.into(), message, thinning.given_up);
        self.seen.entry(thinning::TABLE).or_default().left_out += thinning.given_up;
        thinning.mark(&mut self.facts.safepoints);
    }

    fn finish(mut self, path: &Path) -> Result<Recording, RecordingError> {
        self.finish_slices();
        let mut facts = self.facts;
        let notes = self.notes.into_list();
        if self.readable == 0 && !notes.is_empty() {
            if let Some(error @ RecordingError::Permission { .. }) = self.refused {
                return Err(error);
            }
            let first = notes.into_iter().next();
            let why = first.map(|note| format!("`{}` is {}", note.item, note.message));
            return Err(RecordingError::Unreadable {
                path: path.into(),
                why: why.unwrap_or_default(),
            });
        }
        facts.drop_replaced();
        facts.safepoints.shrink_to_fit();
        if let Some(coverage) = &mut facts.coverage {
            let gone = manifest::gone(coverage, &self.seen);
            manifest::mark(coverage, &gone);
            coverage.manifest = None;
        }
        if !notes.is_empty() {
            let coverage = facts.coverage.get_or_insert_default();
            notes.iter().for_each(|it| coverage.note(&it.item, &it.message, it.count));
        }
        Ok(Recording { path: path.into(), bytes: self.bytes, facts })
    }
}

/// What is to be said of parts. A directory may hold any number of bad ones.
#[derive(Debug, Default)]
struct Notes {
    list: Vec<Note>,
    places: BTreeMap<(String, String), usize>,
    /// How often something else was to be said.
    more: u64,
}

impl Notes {
    fn add(&mut self, item: String, message: String, count: u64) {
        let key = (item, message);
        if let Some(place) = self.places.get(&key) {
            self.list[*place].count = self.list[*place].count.saturating_add(count);
        } else if self.list.len() < MAX_NOTES {
            let (item, message) = key.clone();
            self.places.insert(key, self.list.len());
            self.list.push(Note { item, message, count });
        } else {
            self.more = self.more.saturating_add(1);
        }
    }

    fn into_list(mut self) -> Vec<Note> {
        self.list.sort_by(|a, b| a.item.cmp(&b.item));
        if self.more > 0 {
            let (item, message) = ("more parts".to_owned(), "damaged or left out".to_owned());
            self.list.push(Note { item, message, count: self.more });
        }
        self.list
    }
}
