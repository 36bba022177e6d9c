//! The parts of `-XX:+PrintReferenceGC` of the usual form, read in one go.
//!
//! There are five in each record, and with their stamps they are most of its text. What is read
//! here becomes exactly what the walk over brackets (`brackets`) would make of it; a part of
//! another form is left to that.
use super::{Legacy, fixed::seconds, stamps::skip_stamps};
use crate::{
    phase::ReferenceKind::{self, Final, JniWeak, Phantom, Soft, Weak},
    scan::integer,
};
use std::time::Duration;

/// One part: `SoftReference, 92 refs, 0.0000520 secs]`.
struct Part {
    kind: ReferenceKind,
    count: u64,
    took: Duration,
}

impl Legacy {
    /// Reads the part whose bracket is at `at`, and those right behind it with nothing but stamps
    /// before each. Gives where the last one ends.
    pub(super) fn references(&mut self, line: &[u8], at: usize) -> Option<usize> {
        // The walk opens a bracket for each, and at the bound it cannot.
        if !self.frames.has_room() || !self.reads_whole_lines() {
            return None;
        }
        let record = self.inner.as_mut().or(self.outer.as_mut())?;
        let (mut end, mut text, mut stamps): (_, _, &[u8]) = (None, &line[at..], b"");
        while let Some((part, rest)) = text.strip_prefix(b"[").and_then(part) {
            // Only a record has CPU times: a bracket was lost.
            if rest.starts_with(b" [Times: ") {
                break;
            }
            record.references_of(part.kind, part.count, Some(part.took));
            end = Some(line.len() - rest.len());
            text = match rest.strip_prefix(stamps) {
                Some(same @ [b'[', ..]) => same,
                _ => skip_stamps(rest),
            };
            stamps = &rest[..rest.len() - text.len()];
        }
        end
    }
}

/// Reads what is behind the bracket that opens, up to the one that closes, and gives what follows.
#[inline]
fn part(text: &[u8]) -> Option<(Part, &[u8])> {
    let (name, kind): (&[u8], _) = match text.first()? {
        b'S' => (b"SoftReference, ", Soft),
        b'W' => (b"WeakReference, ", Weak),
        b'F' => (b"FinalReference, ", Final),
        b'P' => (b"PhantomReference, ", Phantom),
        b'J' => (b"JNI Weak Reference, ", JniWeak),
        _ => return None,
    };
    let (mut rest, mut count) = (text.strip_prefix(name)?, 0_u64);
    while let Some((number, after)) = integer(rest)
        && let Some(after) = after.strip_prefix(b" refs, ")
    {
        (rest, count) = (after, count.saturating_add(number));
    }
    let (took, rest) = seconds(rest)?;
    Some((Part { kind, count, took }, rest.strip_prefix(b" secs]")?))
}
