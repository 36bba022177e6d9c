//! The usual records, concurrent phases and stops, each in one line, read in one go.
//!
//! Where nothing comes between, HotSpot writes a record as one line of a few forms, and most lines
//! of most logs are such. Here a line is taken only if every byte of it is as expected and no
//! record is open. It then becomes exactly what the walk over its brackets (`brackets`) would make
//! of it, at a fraction of the steps. Every other line is left to that, untouched.
//!
//! [`Whole::read`] reads and knows nothing of the lines before; `take` changes the state.
use super::{
    Legacy, Out,
    brackets::{cause_text, kept_cause},
    fixed::{heap, seconds},
    frames::Frame,
    held::parse_times,
    record::{Head, Record},
    stamps::{Prefix, skip_stamps},
};
use crate::{
    CpuTimes, Safepoint, Space, Stamp, Transition,
    possible::is_possible,
    scan::integer,
    unified::{STOPPED, STOPPING},
};
use std::time::Duration;

/// Lines of these forms are not longer, in bytes: there is something else in it.
const MAX_WHOLE: usize = 400;

/// Parts of one record: a full collection has three.
const MAX_PARTS: usize = 4;

/// A generation within a record: `[ParNew: 9856K->1216K(11072K), 0.0162379 secs]`.
#[derive(Clone, Copy)]
struct Part<'a> {
    name: &'a [u8],
    space: Space,
    sizes: Transition,
    took: Option<Duration>,
}

/// A record in one line, behind its stamps.
struct Whole<'a> {
    head: Head,
    cause: Option<&'a [u8]>,
    parts: [Option<Part<'a>>; MAX_PARTS],
    heap: Transition,
    /// The heap has a size before and one after.
    collected: bool,
    duration: Duration,
    cpu: Option<CpuTimes>,
}

impl Legacy {
    /// Reads the line if it is of a usual form. Whether it was.
    pub(super) fn whole(&mut self, line: &[u8], out: Out<'_>) -> bool {
        if line.len() > MAX_WHOLE || !self.reads_whole_lines() {
            return false;
        }
        let Some((begin, text)) = self.stamps.leading(line) else { return false };
        let read = match text {
            [b'[', b'C', b'M', b'S', b'-', text @ ..] => {
                self.whole_phase(text, true, begin.stamp, out)
            }
            [b'[', b'G', b'C', b' ', b'c', ..] => {
                self.whole_phase(&text[4..], false, begin.stamp, out)
            }
            [b'[', text @ ..] if self.outer.is_none() => {
                let stamps = &line[..line.len() - text.len() - 1];
                Whole::read(text, stamps).map(|whole| self.take(begin, whole, out))
            }
            [b'T', ..] => stop(text)
                .filter(|stop| is_possible(stop.total, &begin.stamp, None))
                .map(|stop| self.take_stop(stop, begin.stamp, out)),
            _ => None,
        };
        read.is_some()
    }

    /// `concurrent-mark: 0.005/0.005 secs] [Times: …] `, of CMS or G1. A record may be open, in
    /// which it changes nothing.
    fn whole_phase(&mut self, text: &[u8], is_cms: bool, stamp: Stamp, out: Out<'_>) -> Option<()> {
        let phase = text.strip_prefix(b"concurrent-")?;
        let end = phase.iter().position(|byte| matches!(byte, b'[' | b']'))?;
        let cpu = times(phase[end..].strip_prefix(b"]")?)?;
        self.phase(&phase[..end], is_cms, |_| stamp, out);
        if let Some(cpu) = cpu {
            self.cpu_times(cpu, out);
        }
        self.lost_begin = false;
        Some(())
    }

    /// Tests compare with a parser that reads every line by its brackets.
    #[inline]
    pub(super) fn reads_whole_lines(&self) -> bool {
        #[cfg(test)]
        return !self.only_brackets;
        #[cfg(not(test))]
        true
    }

    /// What `brackets` does from the begin of the record to its end.
    fn take(&mut self, begin: Prefix, whole: Whole<'_>, out: Out<'_>) {
        let cause = whole.cause.map(kept_cause);
        self.begin_record(whole.head, cause.as_deref());
        self.abandon();
        self.release_held(out);
        let mut record = Record::new(whole.head, begin, cause);
        record.generations = Vec::with_capacity(MAX_PARTS);
        for part in whole.parts.iter().flatten() {
            let frame = Frame::Space(part.space);
            record.enter(frame, part.name);
            self.learn_collector(frame, part.name);
            record.generation(part.space, part.sizes);
            record.leave(frame, part.took);
        }
        record.whole_heap(whole.heap, whole.collected);
        self.finish(record, whole.duration, false, out);
        if let Some(cpu) = whole.cpu {
            self.cpu_times(cpu, out);
        }
        self.lost_begin = false;
    }
}

impl<'a> Whole<'a> {
    /// Reads what is behind the first bracket, up to the end of the line. `stamps` are before it.
    fn read(text: &'a [u8], stamps: &[u8]) -> Option<Whole<'a>> {
        let (head, rest) = match text {
            [b'G', b'C', rest @ ..] => (Head::Gc, rest),
            [b'F', ..] => (Head::Full, text.strip_prefix(b"Full GC")?),
            _ => return None,
        };
        if !matches!(rest, [b' ' | b'(' | b'[' | b'0'..=b'9', ..]) {
            return None;
        }
        let (cause, mut rest) = cause(rest)?;
        let mut parts = [None; MAX_PARTS];
        let mut places = parts.iter_mut();
        while let Some(open) = opening(rest, stamps) {
            let (part, after) = part(open)?;
            (*places.next()?, rest) = (Some(part), after);
        }
        let ((heap, collected), mut rest) = heap(without_space(rest))?;
        if let Some(open) = rest.strip_prefix(b", [").or_else(|| rest.strip_prefix(b" [")) {
            let (part, after) = part(open)?;
            (*places.next()?, rest) = (Some(part), after);
        }
        if let Some(percent) = rest.strip_prefix(b" icms_dc=") {
            rest = integer(percent)?.1.strip_prefix(b" ")?;
        }
        let (duration, rest) = seconds(rest.strip_prefix(b", ")?)?;
        let cpu = times(rest.strip_prefix(b" secs]")?)?;
        Some(Whole { head, cause, parts, heap, collected, duration, cpu })
    }
}

fn without_space(text: &[u8]) -> &[u8] {
    text.strip_prefix(b" ").unwrap_or(text)
}

/// The GC cause, if there is one, and what follows. Nothing where it is an unusual one.
fn cause(text: &[u8]) -> Option<(Option<&[u8]>, &[u8])> {
    let text = without_space(text);
    if text.first() != Some(&b'(') {
        return Some((None, text));
    }
    let cause = cause_text(text)?;
    Some((Some(cause), &text[cause.len() + 2..]))
}

/// What is behind the bracket that opens next, if nothing but stamps is before it. Most are the
/// `same` as those before the record.
fn opening<'a>(text: &'a [u8], same: &[u8]) -> Option<&'a [u8]> {
    let text = without_space(text);
    let behind = text.strip_prefix(same).unwrap_or(text);
    behind.strip_prefix(b"[").or_else(|| skip_stamps(text).strip_prefix(b"["))
}

/// `ParNew: 9856K->1216K(11072K), 0.0162379 secs]`, the time being there or not.
fn part(text: &[u8]) -> Option<(Part<'_>, &[u8])> {
    let (name, space): (&[u8], Space) = match text {
        [b'P', b'a', b'r', b'N', ..] => (b"ParNew: ", Space::Young),
        [b'P', b'S', b'Y', ..] => (b"PSYoungGen: ", Space::Young),
        [b'D', ..] => (b"DefNew: ", Space::Young),
        [b'P', b'a', b'r', b'O', ..] => (b"ParOldGen: ", Space::Old),
        [b'P', b'S', b'O', ..] => (b"PSOldGen: ", Space::Old),
        [b'T', ..] => (b"Tenured: ", Space::Old),
        [b'C', b'M', b'S', b':', ..] => (b"CMS: ", Space::Old),
        [b'1', ..] => (b"1 CMS-initial-mark: ", Space::Old),
        [b'M', ..] => (b"Metaspace: ", Space::Metaspace),
        [b'P', b'S', b'P', ..] => (b"PSPermGen: ", Space::Metaspace),
        [b'P', b'e', ..] => (b"Perm : ", Space::Metaspace),
        [b'C', ..] => (b"CMS Perm : ", Space::Metaspace),
        _ => return None,
    };
    let ((sizes, _), rest) = heap(text.strip_prefix(name)?)?;
    let (took, rest) = match rest.strip_prefix(b", ") {
        Some(rest) => {
            let (took, rest) = seconds(rest)?;
            (Some(took), rest.strip_prefix(b" secs")?)
        }
        None => (None, rest),
    };
    Some((Part { name, space, sizes, took }, rest.strip_prefix(b"]")?))
}

/// ` [Times: user=0.01 sys=0.00, real=0.02 secs] `, or nothing but spaces.
pub(super) fn times(text: &[u8]) -> Option<Option<CpuTimes>> {
    let (cpu, rest) = match text.strip_prefix(b" [") {
        Some(text) => {
            let (cpu, rest) = parse_times(text)?;
            (Some(cpu), rest.strip_prefix(b"]")?)
        }
        None => (None, text),
    };
    rest.iter().all(|&byte| byte == b' ').then_some(cpu)
}

/// `Total time for which application threads were stopped: 0.0164658 seconds, Stopping threads
/// took: 0.0000333 seconds`; JDK 6 and 7 have the first half only.
fn stop(text: &[u8]) -> Option<Safepoint> {
    let (total, rest) = seconds(text.strip_prefix(STOPPED)?)?;
    let (time_to_safepoint, rest) = match rest.strip_prefix(b" seconds")?.strip_prefix(STOPPING) {
        Some(rest) => {
            let (took, rest) = seconds(rest)?;
            (Some(took), rest)
        }
        None => (None, rest),
    };
    (rest == b" seconds").then(|| Safepoint { total, time_to_safepoint, ..Safepoint::default() })
}

#[cfg(test)]
mod tests;
