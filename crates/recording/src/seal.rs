//! Sealing: live segments become Parquet, and what a crash left is put in order.
use crate::{
    Coverage, Facts, RecordingError,
    directory::Directory,
    part::{Form, Part},
    quiet, reader,
    schema::{Table, Worth},
    sealed::{self, SealedWriter},
    segment::SegmentReader,
};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use std::{fs::File, path::Path};

/// What sealing did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sealed {
    /// Parts that are Parquet now.
    pub parts: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Segments of which a damaged end was given up: file name and why.
    pub torn: Vec<(String, String)>,
    /// Segments that stay as they are, because nothing in them can be read or the Parquet file
    /// could not be written: file name and why.
    pub left: Vec<(String, String)>,
}

/// Seals what a killed recorder left in `directory`.
///
/// Reading does not need it: a recording opens as it is. It makes the files readable for programs
/// that know Parquet only. Running it again changes nothing. What a torn batch cost is added to
/// the notes of [`Coverage`].
///
/// # Errors
///
/// [`RecordingError::InUse`] while a recorder writes there; others where the directory cannot be
/// read or written.
pub fn seal(directory: &Path) -> Result<Sealed, RecordingError> {
    let directory = Directory::open_to_write(directory)?;
    let parts = directory.parts()?;
    if parts.is_empty() {
        let why = reader::NO_TABLE;
        return Err(RecordingError::NotARecording { path: directory.path().into(), why });
    }
    for name in directory.unfinished()? {
        directory.remove(&name)?;
    }
    let sealed = seal_before(&directory, u32::MAX)?;
    note_damage(&directory, &sealed)?;
    Ok(sealed)
}

/// Seals all segments with a lower number.
pub(crate) fn seal_before(directory: &Directory, number: u32) -> Result<Sealed, RecordingError> {
    let mut sealed = Sealed::default();
    let live = |part: &Part| part.form == Form::Live && part.number < number;
    for part in directory.parts()?.into_iter().filter(live) {
        if let Err(error) = seal_part(directory, part, &mut sealed) {
            sealed.left.push((part.name(), error.to_string()));
        }
    }
    Ok(sealed)
}

fn seal_part(directory: &Directory, part: Part, sealed: &mut Sealed) -> Result<(), RecordingError> {
    let (from, to) = (part.name(), part.in_form(Form::Sealed).name());
    // A crash between renaming and removing leaves both.
    if directory.open_file(&to).is_ok_and(|file| sealed::verify(&file).is_ok()) {
        return directory.remove(&from);
    }
    let mut segment = match SegmentReader::open(directory.open_file(&from)?) {
        Ok(Some(segment)) => segment,
        Ok(None) => return directory.remove(&from),
        Err(why) => {
            sealed.left.push((from, why));
            return Ok(());
        }
    };
    let schema = segment.schema();
    let copy = |writer: &mut SealedWriter| copy(&mut segment, part.table, writer);
    let (bytes, damage) = write_aside(directory, part, schema, copy)?;
    sealed.parts += 1;
    sealed.bytes += bytes;
    sealed.torn.extend(damage.map(|why| (from.clone(), why)));
    // The new name must be on storage before the old file goes.
    directory.sync()?;
    directory.remove(&from)
}

/// Writes an empty part for a table that has none, so that every table of a sealed recording can
/// be named in a query.
pub(crate) fn seal_empty(directory: &Directory, part: Part) -> Result<u64, RecordingError> {
    write_aside(directory, part, part.table.schema(), |_| Ok(None)).map(|(bytes, _)| bytes)
}

/// Writes a part under another name and renames it when it is complete.
fn write_aside(
    directory: &Directory,
    part: Part,
    schema: SchemaRef,
    fill: impl FnOnce(&mut SealedWriter) -> Result<Option<String>, String>,
) -> Result<(u64, Option<String>), RecordingError> {
    let part = part.in_form(Form::Sealed);
    let aside = part.unfinished_name();
    directory.remove(&aside)?;
    let result = write_file(directory.create_file(&aside)?, part.table, schema, fill);
    let written = result
        .map_err(|why| directory.error(&aside, "write", std::io::Error::other(why)))
        .and_then(|written| directory.rename(&aside, &part.name()).map(|()| written));
    if written.is_err() {
        // Nothing half written may stay; the error that is reported is the first one.
        let _ = directory.remove(&aside);
    }
    written
}

fn write_file(
    file: File,
    table: &Table,
    schema: SchemaRef,
    fill: impl FnOnce(&mut SealedWriter) -> Result<Option<String>, String>,
) -> Result<(u64, Option<String>), String> {
    // A damaged segment may have a schema that Parquet cannot hold.
    quiet::catch(|| {
        let mut writer =
            SealedWriter::new(file, table, schema).map_err(|error| error.to_string())?;
        let damage = fill(&mut writer)?;
        let bytes = writer.finish().map_err(|error| error.to_string())?;
        Ok((bytes, damage))
    })
}

/// Copies batch by batch. `Ok(Some(why))` where the segment is damaged behind what was copied.
fn copy(
    segment: &mut SegmentReader,
    table: &Table,
    writer: &mut SealedWriter,
) -> Result<Option<String>, String> {
    let mut write = |batch: &RecordBatch| writer.write(batch).map_err(|error| error.to_string());
    let mut last: Option<RecordBatch> = None;
    let damage = loop {
        match segment.next() {
            Ok(None) => break None,
            Err(why) => break Some(why),
            Ok(Some(batch)) if table.worth == Worth::LastRow => {
                last = batch.num_rows().checked_sub(1).map(|row| batch.slice(row, 1)).or(last);
            }
            Ok(Some(batch)) => write(&batch)?,
        }
    };
    last.iter().try_for_each(&mut write)?;
    Ok(damage)
}

/// Adds to the coverage what sealing could not save.
fn note_damage(directory: &Directory, sealed: &Sealed) -> Result<(), RecordingError> {
    if sealed.torn.is_empty() {
        return Ok(());
    }
    let table = Table::named("coverage").expect("the table of coverage is one of the tables");
    let parts = directory.parts()?;
    let number = parts.iter().map(|part| part.number).max().unwrap_or(0).saturating_add(1);
    let mut coverage: Coverage = reader::read_table(directory, table).coverage.unwrap_or_default();
    for (item, why) in &sealed.torn {
        coverage.note(item, why, 1);
    }
    let facts = Facts { coverage: Some(coverage), ..Facts::default() };
    let batch = table.batch(&facts, 0..1);
    let part = Part { table, number, form: Form::Sealed };
    write_aside(directory, part, table.schema(), |writer| {
        writer.write(&batch).map(|()| None).map_err(|error| error.to_string())
    })?;
    directory.sync()
}
