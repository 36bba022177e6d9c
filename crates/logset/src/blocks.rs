//! The text of several files, one after the other, in pieces of whole lines.
use crate::{Error, LogFile, LogStream, Summary};
use gclog::MAX_LINE;
use memchr::{memchr, memrchr};
use std::{io::Read, path::Path, slice};

/// So large is a piece, unless a line is longer. Small enough to be still in the processor's cache
/// when it is parsed.
const BLOCK_BYTES: usize = 256 * 1024;

/// A piece with a line that has not ended grows by this much.
const GROW_BYTES: usize = 128 * 1024;

/// A piece of text: whole lines, each with its end.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// Larger than the text, and kept from piece to piece, so that it is cleared only once.
    bytes: Vec<u8>,
    length: usize,
    /// How much of the files had been read when this piece was.
    pub(crate) packed_bytes: u64,
}

impl Block {
    pub(crate) fn text(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// Reads files piece by piece. Holds the begin of one line.
#[derive(Debug)]
pub(crate) struct Blocks<'a> {
    files: slice::Iter<'a, LogFile>,
    current: Option<(&'a LogFile, LogStream)>,
    /// The begin of a line whose end is not in the piece before.
    partial: Vec<u8>,
    /// Inside of a line that is too long: everything up to its end is dropped.
    dropping: bool,
    packed_bytes: u64,
    summary: Summary,
}

impl<'a> Blocks<'a> {
    pub(crate) fn of(files: &'a [LogFile]) -> Blocks<'a> {
        Blocks {
            files: files.iter(),
            current: None,
            partial: Vec::new(),
            dropping: false,
            packed_bytes: 0,
            summary: Summary::default(),
        }
    }

    /// What is known at the end, without the counts of lines.
    pub(crate) fn summary(self) -> Summary {
        self.summary
    }

    /// Reads the next piece. Whether there was one.
    pub(crate) fn next(&mut self, block: &mut Block) -> Result<bool, Error> {
        block.length = 0;
        block.append(&self.partial);
        self.partial.clear();
        loop {
            let wanted = BLOCK_BYTES.max(block.length + GROW_BYTES);
            let ended = self.fill(block, wanted)?;
            if ended && block.length > 0 && block.bytes[block.length - 1] != b'\n' {
                block.append(b"\n");
            }
            self.drop_long(block);
            let whole = memrchr(b'\n', block.text()).map_or(0, |at| at + 1);
            if whole > 0 {
                self.partial.extend_from_slice(&block.text()[whole..]);
                block.length = whole;
                block.packed_bytes = self.packed_now();
                return Ok(true);
            }
            if ended && self.current.is_none() && self.files.len() == 0 {
                return Ok(false);
            }
        }
    }

    fn packed_now(&self) -> u64 {
        self.packed_bytes + self.current.as_ref().map_or(0, |(_, it)| it.packed_bytes())
    }

    /// Fills a piece up to `wanted` bytes. Whether a file ended before that.
    fn fill(&mut self, block: &mut Block, wanted: usize) -> Result<bool, Error> {
        if block.bytes.len() < wanted {
            block.bytes.resize(wanted, 0);
        }
        let before = block.length;
        let Some((file, stream)) = self.open()? else { return Ok(true) };
        let mut ended = false;
        while block.length < wanted && !ended {
            let read = stream.read(&mut block.bytes[block.length..wanted]);
            let read = read.map_err(|error| Error::file(Path::new(file.said()), &error))?;
            block.length += read;
            ended = read == 0;
        }
        self.summary.bytes += (block.length - before) as u64;
        if ended {
            self.close();
        }
        Ok(ended)
    }

    fn open(&mut self) -> Result<Option<&mut (&'a LogFile, LogStream)>, Error> {
        if self.current.is_none()
            && let Some(file) = self.files.next()
        {
            let stream =
                file.open().map_err(|error| Error::file(Path::new(file.said()), &error))?;
            self.current = Some((file, stream));
        }
        Ok(self.current.as_mut())
    }

    fn close(&mut self) {
        let Some((file, stream)) = self.current.take() else { return };
        self.packed_bytes += stream.packed_bytes();
        self.summary.damaged(file, stream.damage());
    }

    /// Drops what belongs to a line that is too long, as far as it is at the begin of the piece.
    fn drop_long(&mut self, block: &mut Block) {
        let end = memchr(b'\n', block.text());
        if !self.dropping && end.is_none() && block.length > MAX_LINE {
            self.dropping = true;
            self.summary.lines_too_long += 1;
        }
        if self.dropping {
            let dropped = end.map_or(block.length, |at| at + 1);
            block.bytes.copy_within(dropped..block.length, 0);
            block.length -= dropped;
            self.dropping = end.is_none();
        }
    }
}

impl Block {
    fn append(&mut self, text: &[u8]) {
        let end = self.length + text.len();
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        self.bytes[self.length..end].copy_from_slice(text);
        self.length = end;
    }
}

#[cfg(test)]
mod tests;
