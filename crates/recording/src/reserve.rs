//! Space that is kept for the row which says what was lost.
//!
//! On a full disk nothing can be written any more, and a recording that does not say what it lacks
//! would be read as one that lacks nothing. So two files are filled before recording begins: one
//! for the row that reports the first loss, should the recorder be killed after it, and one for
//! the last row. The row is written over the blocks that a file has already; then the file gets
//! the name of a part.
use crate::{
    Facts, RecordingError,
    directory::Directory,
    part::{Form, Part},
    schema::Table,
    segment,
};
use rustix::{
    fs::{FallocateFlags, fallocate},
    io::Errno,
};
use std::{fs::File, io, os::unix::fs::FileExt, sync::Arc};

/// Files that are kept.
const SLOTS: u32 = 2;
/// Bytes of each. The head of the table takes 4 KiB and a row mostly 2 KiB, with a few hundred
/// notes 30 KiB.
const SLOT_BYTES: usize = 64 << 10;

/// Files with blocks and without a meaning yet. Dropped, they are removed.
#[derive(Debug)]
pub(crate) struct Reserve {
    directory: Arc<Directory>,
    table: &'static Table,
    slots: Vec<Slot>,
}

#[derive(Debug)]
struct Slot {
    name: String,
    file: File,
}

impl Reserve {
    /// Takes the space for rows of `table`.
    ///
    /// # Errors
    ///
    /// Where the file system has not even that much: then it has no room for a recording.
    pub(crate) fn take(
        directory: &Arc<Directory>,
        table: &'static Table,
    ) -> Result<Reserve, RecordingError> {
        let mut reserve = Reserve { directory: Arc::clone(directory), table, slots: Vec::new() };
        for number in 0..SLOTS {
            let name = Part { table, number, form: Form::Live }.unfinished_name();
            let file = directory.create_file(&name)?;
            let slot = Slot { name, file };
            let filled = fill(&slot.file);
            let failed = |error| directory.error(&slot.name, "reserve space for", error);
            let filled = filled.map_err(failed);
            reserve.slots.push(slot);
            filled?;
        }
        Ok(reserve)
    }

    /// Makes a row the part with this number, in space that was taken for it.
    ///
    /// # Errors
    ///
    /// Where no space is left here, the row is larger than it, or the directory is gone.
    pub(crate) fn write(&mut self, number: u32, row: &Facts) -> Result<(), RecordingError> {
        let part = Part { table: self.table, number, form: Form::Live };
        let failed = |error| self.directory.error(&part.name(), "write", error);
        let batch = self.table.batch(row, 0..1);
        let bytes = segment::whole(self.table, &batch).map_err(failed)?;
        let slot = self.slots.pop().ok_or_else(|| failed(io::ErrorKind::StorageFull.into()))?;
        let written = if bytes.len() > SLOT_BYTES {
            Err(failed(io::ErrorKind::FileTooLarge.into()))
        } else {
            slot.file
                .write_all_at(&bytes, 0)
                .and_then(|()| slot.file.set_len(bytes.len() as u64))
                .map_err(failed)
                .and_then(|()| self.directory.rename(&slot.name, &part.name()))
        };
        if written.is_err() {
            let _ = self.directory.remove(&slot.name);
        }
        written
    }
}

impl Drop for Reserve {
    fn drop(&mut self) {
        for slot in &self.slots {
            // What cannot be removed is ignored by readers.
            let _ = self.directory.remove(&slot.name);
        }
    }
}

/// Gives a file its blocks. Where the file system cannot reserve, zeros are written.
fn fill(file: &File) -> io::Result<()> {
    loop {
        return match fallocate(file, FallocateFlags::empty(), 0, SLOT_BYTES as u64) {
            Ok(()) => Ok(()),
            Err(Errno::INTR) => continue,
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => file.write_all_at(&[0; SLOT_BYTES], 0),
            Err(error) => Err(error.into()),
        };
    }
}
