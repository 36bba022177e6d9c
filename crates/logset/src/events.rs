//! From the files of a set to events.
use crate::{
    Damage, Error, LogFile, LogSet, Note,
    blocks::{Block, Blocks},
    speculate,
};
use gclog::{Event, LineCounts, MAX_LINE, Parser};
use memchr::memchr_iter;
use std::{ops::ControlFlow, thread};

/// More threads than this would wait for the disk, for the one that unpacks, or for who takes the
/// events; and each has up to four pieces and their events, some megabytes.
const MAX_THREADS: usize = 4;

/// A file below this is read before other threads would have begun.
const SMALL_BYTES: u64 = 4 << 20;

/// What became of a set that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Of text, unpacked.
    pub bytes: u64,
    /// What became of each line that was parsed.
    pub counts: LineCounts,
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
    /// A single small file that is not packed is read by the calling thread alone. Otherwise other
    /// threads read, unpack and parse ahead; the events, their order and the counts are the same,
    /// also for a collection whose lines are in two files. Memory is bounded: a few megabytes for
    /// each thread, and at most four such threads.
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
        let small = |bytes: u64| bytes < SMALL_BYTES;
        let alone = matches!(&self.files[..], [only] if !only.is_packed() && only.size_bytes().is_some_and(small));
        let threads = thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
        if alone || threads == 1 {
            return self.one_after_the_other(on_progress, on_event);
        }
        speculate::events(&self.files, threads, on_progress, on_event)
    }

    fn one_after_the_other(
        &self,
        on_progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
        on_event: &mut dyn FnMut(Event),
    ) -> Result<Summary, Error> {
        let (mut blocks, mut block) = (Blocks::of(&self.files), Block::default());
        let (mut parser, mut too_long) = (Parser::new(), 0);
        while blocks.next(&mut block)? {
            too_long += parse(&mut parser, block.text(), &mut |event| on_event(event));
            if on_progress(block.packed_bytes).is_break() {
                break;
            }
        }
        parser.finish(&mut |event| on_event(event));
        Ok(with_counts(blocks.summary(), &parser, too_long))
    }
}

pub(crate) fn with_counts(summary: Summary, parser: &Parser, too_long: u64) -> Summary {
    let lines_too_long = summary.lines_too_long + too_long;
    Summary { counts: parser.counts(), lines_too_long, ..summary }
}

/// Parses whole lines, and returns how many were too long.
pub(crate) fn parse(parser: &mut Parser, text: &[u8], sink: &mut impl FnMut(Event)) -> u64 {
    let (mut begin, mut too_long) = (0, 0);
    for end in memchr_iter(b'\n', text) {
        let line = &text[begin..end];
        if line.len() > MAX_LINE {
            too_long += 1;
        } else {
            parser.line(line, sink);
        }
        begin = end + 1;
    }
    too_long
}
