//! The end of a young collection whose begin is in a line or text before, read in one go:
//! `: 9856K->1216K(11072K), 0.0162379 secs] 9856K->5890K(47936K), 0.0163193 secs] [Times: …] `.
//!
//! Options print between the two, so that no such record is a whole line. As in `whole`, every byte
//! up to the end of the line is as expected, and what becomes of it is what the walk over brackets
//! would make of it.
use super::{
    Legacy, Out,
    fixed::{heap, seconds},
    frames::Frame,
    whole::times,
};
use crate::{CpuTimes, Transition};
use std::time::Duration;

/// What stands behind the name of a generation: of it and of the heap.
struct Tail {
    generation: (Transition, Duration),
    heap: (Transition, bool),
    duration: Duration,
    cpu: Option<CpuTimes>,
}

impl Legacy {
    /// Reads the end of a record from `at` on, where a generation is open in it. Gives the end of
    /// the line.
    pub(super) fn tail(&mut self, line: &[u8], at: usize, out: Out<'_>) -> Option<usize> {
        let space = self.frames.generation().filter(|_| self.reads_whole_lines())?;
        let record = self.inner.as_mut().or(self.outer.as_mut())?;
        let tail = Tail::read(&line[at..])?;
        let (sizes, took) = tail.generation;
        record.generation(space, sizes);
        record.leave(Frame::Space(space), Some(took));
        record.whole_heap(tail.heap.0, tail.heap.1);
        self.frames.pop_record();
        self.finish_record(tail.duration, out);
        if let Some(cpu) = tail.cpu {
            self.cpu_times(cpu, out);
        }
        Some(line.len())
    }
}

impl Tail {
    fn read(text: &[u8]) -> Option<Tail> {
        let ((sizes, _), rest) = heap(text.strip_prefix(b": ")?)?;
        let (took, rest) = seconds(rest.strip_prefix(b", ")?)?;
        let (heap, rest) = heap(rest.strip_prefix(b" secs] ")?)?;
        let (duration, rest) = seconds(rest.strip_prefix(b", ")?)?;
        let cpu = times(rest.strip_prefix(b" secs]")?)?;
        Some(Tail { generation: (sizes, took), heap, duration, cpu })
    }
}
