//! Kinds of collections and of their steps.

/// What kind of pause a collection was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GcKind {
    /// The young generation.
    Young(YoungKind),
    /// The whole heap.
    Full,
    /// The begin of a concurrent cycle as a pause of its own.
    InitialMark,
    /// The end of concurrent marking.
    Remark,
    /// Accounting after marking (G1).
    Cleanup,
    /// The begin of marking (ZGC).
    MarkStart,
    /// The end of marking (ZGC).
    MarkEnd,
    /// The begin of moving objects (ZGC).
    RelocateStart,
    /// The end of marking and the begin of moving objects (Shenandoah).
    FinalMark,
    /// The end of moving objects (Shenandoah).
    FinalEvacuation,
    /// The begin of updating references (Shenandoah).
    InitialUpdateReferences,
    /// The end of updating references (Shenandoah).
    FinalUpdateReferences,
    /// The end of a cycle that found nothing to move (Shenandoah).
    FinalRoots,
    /// The begin of a traversal (Shenandoah until JDK 13).
    InitialTraversal,
    /// The end of a traversal (Shenandoah until JDK 13).
    FinalTraversal,
    /// A concurrent cycle that memory did not suffice for, ended in a pause (Shenandoah).
    Degenerated,
    /// A collection pause of a name not known here, such as one of a later JDK.
    Other,
}

impl GcKind {
    /// The name used in reports. Subkinds of young collections have one of their own.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            GcKind::Young(YoungKind::Normal) => "young",
            GcKind::Young(YoungKind::ConcurrentStart) => "young-concurrent-start",
            GcKind::Young(YoungKind::PrepareMixed) => "young-prepare-mixed",
            GcKind::Young(YoungKind::Mixed) => "young-mixed",
            GcKind::Full => "full",
            GcKind::InitialMark => "initial-mark",
            GcKind::Remark => "remark",
            GcKind::Cleanup => "cleanup",
            GcKind::MarkStart => "mark-start",
            GcKind::MarkEnd => "mark-end",
            GcKind::RelocateStart => "relocate-start",
            GcKind::FinalMark => "final-mark",
            GcKind::FinalEvacuation => "final-evacuation",
            GcKind::InitialUpdateReferences => "initial-update-references",
            GcKind::FinalUpdateReferences => "final-update-references",
            GcKind::FinalRoots => "final-roots",
            GcKind::InitialTraversal => "initial-traversal",
            GcKind::FinalTraversal => "final-traversal",
            GcKind::Degenerated => "degenerated",
            GcKind::Other => "other",
        }
    }
}

/// What a young collection was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum YoungKind {
    /// Nothing special; every young collection of Serial and Parallel.
    Normal,
    /// It also begins a concurrent cycle (G1; "initial mark" until JDK 11).
    ConcurrentStart,
    /// The last young one before mixed ones (G1).
    PrepareMixed,
    /// It also evacuates old regions (G1).
    Mixed,
}
