//! The brackets that are open, and what each of them is.
use crate::{GcPhase, Space, phase::ReferenceKind};

/// Brackets that may be open at once. HotSpot nests four deep; damaged logs leave more open.
const MAX_DEPTH: usize = 12;

/// One open bracket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Frame {
    /// The record itself, or one inside it.
    #[default]
    Record,
    /// A generation: `[ParNew`, `[CMS`, `[Metaspace`.
    Space(Space),
    /// A part that takes time: `[Rescan`.
    Phase(GcPhase),
    /// `[SoftReference, 0 refs, …`.
    Reference(ReferenceKind),
    /// Something else.
    Other,
}

/// What a bracket is from the text behind it. Prefixes of the adaptive CMS (`AS`) count as the
/// collectors they stand for.
///
/// # Source
///
/// The names of the generations, and the `TraceTime` and `GCTraceTime` titles in HotSpot
/// `gc_implementation`.
pub(super) fn frame(name: &[u8]) -> Frame {
    let name = name.strip_prefix(b"AS").unwrap_or(name);
    let is = |begin: &[u8]| name.starts_with(begin);
    match name.first() {
        Some(b'P') => parallel(name),
        Some(b'C') if is(b"CMS Perm") => Frame::Space(Space::Metaspace),
        Some(b'C') if is(b"CMS") => Frame::Space(Space::Old),
        Some(b'D') if is(b"DefNew") => Frame::Space(Space::Young),
        Some(b'T') if is(b"Tenured") || is(b"Train") => Frame::Space(Space::Old),
        Some(b'M') if is(b"Metaspace") => Frame::Space(Space::Metaspace),
        Some(b'1') if is(b"1 ") => Frame::Space(Space::Old),
        Some(b'S') if is(b"SoftReference,") => Frame::Reference(ReferenceKind::Soft),
        Some(b'W') if is(b"WeakReference,") => Frame::Reference(ReferenceKind::Weak),
        Some(b'F') if is(b"FinalReference,") => Frame::Reference(ReferenceKind::Final),
        Some(b'J') if is(b"JNI Weak Reference,") => Frame::Reference(ReferenceKind::JniWeak),
        _ => phase(name).map_or(Frame::Other, Frame::Phase),
    }
}

/// `ParNew`, which is CMS's or Serial's, and what begins like it.
fn parallel(name: &[u8]) -> Frame {
    let is = |begin: &[u8]| name.starts_with(begin);
    if is(b"ParNew") || is(b"PSYoungGen") {
        Frame::Space(Space::Young)
    } else if is(b"ParOldGen") || is(b"PSOldGen") {
        Frame::Space(Space::Old)
    } else if is(b"PSPermGen") || is(b"Perm") {
        Frame::Space(Space::Metaspace)
    } else if is(b"PhantomReference,") {
        Frame::Reference(ReferenceKind::Phantom)
    } else {
        Frame::Other
    }
}

fn phase(name: &[u8]) -> Option<GcPhase> {
    let is = |begin: &[u8]| name.starts_with(begin);
    match name.first()? {
        b'R' if is(b"Rescan") => Some(GcPhase::Marking),
        b'F' if is(b"Finalize Marking") => Some(GcPhase::Marking),
        b'd' if is(b"dirty card ") => Some(GcPhase::Marking),
        b'r' if is(b"remark from roots") => Some(GcPhase::Marking),
        b'w' if is(b"weak refs processing") => Some(GcPhase::ReferenceProcessing),
        b'G' if is(b"GC ref-proc") => Some(GcPhase::ReferenceProcessing),
        b'c' if is(b"class unloading") => Some(GcPhase::ClassUnloading),
        b'U' if is(b"Unloading,") => Some(GcPhase::ClassUnloading),
        b's' if is(b"scrub ") => Some(GcPhase::WeakRoots),
        b'C' if is(b"Class Histogram") => Some(GcPhase::Other),
        b'H' if is(b"Heap Dump") => Some(GcPhase::Other),
        b'V' if is(b"Verify") => Some(GcPhase::Other),
        _ => None,
    }
}

/// The open brackets, outermost first.
#[derive(Debug, Default)]
pub(super) struct Frames {
    stack: [Frame; MAX_DEPTH],
    depth: usize,
}

#[cfg(test)]
impl PartialEq for Frames {
    /// What was open once does not matter.
    fn eq(&self, other: &Frames) -> bool {
        self.stack[..self.depth] == other.stack[..other.depth]
    }
}

impl Frames {
    pub(super) fn push(&mut self, frame: Frame) {
        // Beyond the bound the log is damaged; the next record begins anew.
        if let Some(place) = self.stack.get_mut(self.depth) {
            *place = frame;
            self.depth += 1;
        }
    }

    /// Whether one more can be opened.
    pub(super) fn has_room(&self) -> bool {
        self.depth < MAX_DEPTH
    }

    pub(super) fn top(&self) -> Option<Frame> {
        self.stack[..self.depth].last().copied()
    }

    /// The generation that is open right in its record, if one is.
    pub(super) fn generation(&self) -> Option<Space> {
        match self.stack[..self.depth] {
            [.., Frame::Record, Frame::Space(space)] => Some(space),
            _ => None,
        }
    }

    pub(super) fn pop(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Closes the innermost record and all that is open in it.
    pub(super) fn pop_record(&mut self) {
        let open = &self.stack[..self.depth];
        self.depth = open.iter().rposition(|it| *it == Frame::Record).unwrap_or(0);
    }

    pub(super) fn clear(&mut self) {
        self.depth = 0;
    }
}
