//! Sealing: the live segments of a writer become Parquet.
use crate::{
    RecordingError,
    directory::Directory,
    part::{Form, Part},
    schema::{Retention, Table},
    sealed::{self, SealedWriter},
    segment::SegmentReader,
};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use std::fs::File;

/// Segments that stay as they are, because they cannot be read to their end or the Parquet file
/// could not be written: file name and why.
pub(crate) type Left = Vec<(String, String)>;

/// Seals all segments with a lower number.
pub(crate) fn seal_before(directory: &Directory, number: u32) -> Result<Left, RecordingError> {
    let mut left = Left::new();
    let live = |part: &Part| part.form == Form::Live && part.number < number;
    for part in directory.parts()?.into_iter().filter(live) {
        if let Err(error) = seal_part(directory, part) {
            left.push((part.name(), error.to_string()));
        }
    }
    Ok(left)
}

fn seal_part(directory: &Directory, part: Part) -> Result<(), RecordingError> {
    let (from, to) = (part.name(), part.in_form(Form::Sealed).name());
    // What could not be removed in a rotation is tried again at the end.
    if directory.open_file(&to).is_ok_and(|file| sealed::verify(&file).is_ok()) {
        return directory.remove(&from);
    }
    let damaged = |why| directory.error(&from, "read", std::io::Error::other(why));
    let segment = SegmentReader::open(directory.open_file(&from)?).map_err(damaged)?;
    let Some(mut segment) = segment else { return directory.remove(&from) };
    let schema = segment.schema();
    write_aside(directory, part, schema, |writer| copy(&mut segment, part.table, writer))?;
    // The new name must be on storage before the old file goes.
    directory.sync()?;
    directory.remove(&from)
}

/// Writes an empty part for a table that has none, so that every table of a sealed recording can
/// be named in a query.
pub(crate) fn seal_empty(directory: &Directory, part: Part) -> Result<(), RecordingError> {
    write_aside(directory, part, part.table.schema(), |_| Ok(()))
}

/// Writes a part under another name and renames it when it is complete.
fn write_aside(
    directory: &Directory,
    part: Part,
    schema: SchemaRef,
    fill: impl FnOnce(&mut SealedWriter) -> Result<(), String>,
) -> Result<(), RecordingError> {
    let part = part.in_form(Form::Sealed);
    let aside = part.unfinished_name();
    directory.remove(&aside)?;
    let file = directory.create_file(&aside)?;
    let result = write_file(file, part.table, schema, directory.syncs(), fill);
    let written = result
        .map_err(|why| directory.error(&aside, "write", std::io::Error::other(why)))
        .and_then(|()| directory.rename(&aside, &part.name()));
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
    sync: bool,
    fill: impl FnOnce(&mut SealedWriter) -> Result<(), String>,
) -> Result<(), String> {
    let mut writer = SealedWriter::new(file, table, schema).map_err(|error| error.to_string())?;
    fill(&mut writer)?;
    writer.finish(sync).map_err(|error| error.to_string())
}

/// Copies batch by batch.
fn copy(
    segment: &mut SegmentReader,
    table: &Table,
    writer: &mut SealedWriter,
) -> Result<(), String> {
    let mut write = |batch: &RecordBatch| writer.write(batch).map_err(|error| error.to_string());
    let mut last: Option<RecordBatch> = None;
    while let Some(batch) = segment.next()? {
        if table.retention == Retention::LastRow {
            last = batch.num_rows().checked_sub(1).map(|row| batch.slice(row, 1)).or(last);
        } else {
            write(&batch)?;
        }
    }
    last.iter().try_for_each(&mut write)
}
