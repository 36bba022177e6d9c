//! Kinds of collections.
use gclog::{GcEvent, GcKind, YoungKind};

/// Whether the old generation was collected in a pause.
pub(crate) fn is_full(gc: &GcEvent) -> bool {
    gc.kind == GcKind::Full
}

/// Whether a pause of this kind ends marking.
pub(crate) fn is_remark(kind: GcKind) -> bool {
    matches!(kind, GcKind::Remark | GcKind::FinalMark | GcKind::MarkEnd)
}

/// What a collection is counted as: young collections that begin a cycle are young ones.
pub(crate) fn kind(gc: &GcEvent) -> &'static str {
    match gc.kind {
        GcKind::Young(YoungKind::Mixed) => "mixed",
        GcKind::Young(_) => "young",
        other => other.id(),
    }
}
