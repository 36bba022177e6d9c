//! The brackets that are open, and what each of them is.
use crate::{Phase, Space};

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
    Phase(Phase),
    /// `[SoftReference, 0 refs, …`.
    Reference(ReferenceKind),
    /// Something else.
    Other,
}

/// The kinds of references in the order in which they are processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReferenceKind {
    Soft,
    Weak,
    Finalizable,
    Phantom,
    JniWeak,
}

/// What a bracket is from the text behind it. Prefixes of the adaptive CMS (`AS`) count as the
/// collectors they stand for.
///
/// # Source
///
/// The names of the generations, and the `TraceTime` and `GCTraceTime` titles in HotSpot
/// `gc_implementation`.
pub(super) fn frame(name: &[u8]) -> Frame {
    let known = match name.first() {
        Some(b'P' | b'D' | b'T' | b'A' | b'C' | b'M') => generation(name).map(Frame::Space),
        Some(b'1') => Some(Frame::Space(Space::Old)),
        Some(b'S' | b'W' | b'F' | b'J') => reference(name).map(Frame::Reference),
        _ => None,
    };
    known
        .or_else(|| reference(name).map(Frame::Reference))
        .or_else(|| phase(name).map(Frame::Phase))
        .unwrap_or(Frame::Other)
}

fn generation(name: &[u8]) -> Option<Space> {
    let name = name.strip_prefix(b"AS").unwrap_or(name);
    let is = |begin: &[u8]| name.starts_with(begin);
    if is(b"ParNew") || is(b"PSYoungGen") || is(b"DefNew") {
        Some(Space::Young)
    } else if is(b"CMS Perm") || is(b"Perm") || is(b"PSPermGen") || is(b"Metaspace") {
        Some(Space::Metaspace)
    } else if is(b"CMS") || is(b"ParOldGen") || is(b"PSOldGen") || is(b"Tenured") || is(b"Train") {
        Some(Space::Old)
    } else {
        None
    }
}

fn reference(name: &[u8]) -> Option<ReferenceKind> {
    let kinds: [(&[u8], ReferenceKind); 5] = [
        (b"SoftReference,", ReferenceKind::Soft),
        (b"WeakReference,", ReferenceKind::Weak),
        (b"FinalReference,", ReferenceKind::Finalizable),
        (b"PhantomReference,", ReferenceKind::Phantom),
        (b"JNI Weak Reference,", ReferenceKind::JniWeak),
    ];
    kinds.iter().find(|(begin, _)| name.starts_with(begin)).map(|(_, kind)| *kind)
}

fn phase(name: &[u8]) -> Option<Phase> {
    let phases: [(&[u8], Phase); 12] = [
        (b"Rescan", Phase::Marking),
        (b"weak refs processing", Phase::ReferenceProcessing),
        (b"class unloading", Phase::ClassUnloading),
        (b"scrub ", Phase::WeakRoots),
        (b"GC ref-proc", Phase::ReferenceProcessing),
        (b"Finalize Marking", Phase::Marking),
        (b"Unloading,", Phase::ClassUnloading),
        (b"Class Histogram", Phase::Other),
        (b"Heap Dump", Phase::Other),
        (b"dirty card ", Phase::Marking),
        (b"remark from roots", Phase::Marking),
        (b"Verify", Phase::Other),
    ];
    phases.iter().find(|(begin, _)| name.starts_with(begin)).map(|(_, phase)| *phase)
}

/// The open brackets, outermost first.
#[derive(Debug, Default)]
pub(super) struct Frames {
    stack: [Frame; MAX_DEPTH],
    depth: usize,
}

impl Frames {
    pub(super) fn push(&mut self, frame: Frame) {
        // Beyond the bound the log is damaged; the next record begins anew.
        if let Some(place) = self.stack.get_mut(self.depth) {
            *place = frame;
            self.depth += 1;
        }
    }

    pub(super) fn top(&self) -> Option<Frame> {
        self.stack[..self.depth].last().copied()
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
