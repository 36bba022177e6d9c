//! From the files of a set to events.
use crate::{Error, LogFile, LogSet, Note, stream::Damage};
use gclog::{Event, LineCounts, LineSplitter, Parser};
use std::{io::Read, ops::ControlFlow, path::Path};

/// Size of a read of the text.
const CHUNK_BYTES: usize = 64 * 1024;

/// What became of a set that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Of text, unpacked.
    pub bytes: u64,
    /// What became of each line that was parsed.
    pub counts: LineCounts,
    /// What another program had put around the lines, the outermost layer first.
    pub wrapping: Vec<String>,
    /// The earliest and the latest date of lines that an application wrote, in nanoseconds since 1970.
    pub application_dates: Option<(i64, i64)>,
    /// Lines beyond [`gclog::MAX_LINE`], left out. They are not in `counts`.
    pub lines_too_long: u64,
    /// Files that were damaged or cut.
    pub damaged_files: u64,
    /// What is to be said, such as which files were damaged.
    pub notes: Vec<Note>,
}

/// Damaged files are named one by one up to this many.
const MAX_NOTES: usize = 20;

impl Summary {
    /// Notes what is wrong with a file.
    pub(crate) fn damaged(&mut self, file: &LogFile, damage: Option<Damage>) {
        let Some(damage) = damage else { return };
        self.damaged_files += 1;
        if self.notes.len() < MAX_NOTES {
            self.notes.push(Note::new(format!("`{}` {damage}", file.said()), ""));
        }
    }
}

impl LogSet {
    /// Gives every event to `on_event`, in the order of the log, and tells `on_progress` how many
    /// bytes of the files were read, packed or not; it says whether to read on.
    ///
    /// The calling thread reads, unpacks and parses it all, one file after the other. A parser must
    /// know what came before; several that guess it would cost more CPU time than they save.
    /// Memory is bounded, whatever the size.
    ///
    /// # Errors
    ///
    /// What the system says about a file. Damaged ones are read as far as possible, and noted in
    /// the summary.
    pub fn events(
        &self,
        on_progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
        on_event: &mut dyn FnMut(Event),
    ) -> Result<Summary, Error> {
        let (mut splitter, mut parser) = (LineSplitter::new(), Parser::new());
        let mut summary = self.text(on_progress, &mut |chunk| {
            splitter.push(chunk, &mut |line| parser.line(line, &mut |event| on_event(event)));
        })?;
        splitter.finish(&mut |line| parser.line(line, &mut |event| on_event(event)));
        parser.finish(&mut |event| on_event(event));
        summary.counts = parser.counts();
        summary.wrapping = parser.wrapping();
        summary.application_dates = parser.application_dates();
        summary.lines_too_long = splitter.too_long();
        Ok(summary)
    }

    /// Gives the text of all files to `sink`, in order, cut anywhere. Where one file ends without
    /// a line end and another follows, a line end is put between them.
    fn text(
        &self,
        on_progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
        sink: &mut dyn FnMut(&[u8]),
    ) -> Result<Summary, Error> {
        let (mut summary, mut packed_bytes) = (Summary::default(), 0);
        let (mut chunk, mut line_ended) = (vec![0; CHUNK_BYTES], true);
        for file in &self.files {
            let failed = |error| Error::file(Path::new(file.said()), &error);
            let mut stream = file.open().map_err(failed)?;
            if !line_ended {
                sink(b"\n");
                line_ended = true;
            }
            loop {
                let read = stream.read(&mut chunk).map_err(failed)?;
                let Some(last) = chunk[..read].last() else { break };
                line_ended = *last == b'\n';
                summary.bytes += read as u64;
                sink(&chunk[..read]);
                if on_progress(packed_bytes + stream.packed_bytes()).is_break() {
                    return Ok(summary);
                }
            }
            packed_bytes += stream.packed_bytes();
            summary.damaged(file, stream.damage());
        }
        Ok(summary)
    }
}

#[cfg(test)]
mod tests;
