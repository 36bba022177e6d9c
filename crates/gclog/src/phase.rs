//! What a collection says of its own parts: phases, references, ages, and the free space of CMS.
use crate::Stamp;
use std::time::Duration;

/// A part of a collection pause that is worth telling apart. Names differ between collectors and
/// JDKs; these are what they have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GcPhase {
    /// Roots outside the heap (`Ext Root Scanning`).
    RootScanning,
    /// Regions or cards that point into what is collected (`Update RS`, `Scan RS`, `Merge Heap
    /// Roots`, `Scan Heap Roots`).
    RememberedSets,
    /// Copying live objects (`Object Copy`, `Evacuate Collection Set`).
    Copying,
    /// Marking live objects inside the pause.
    Marking,
    /// Moving objects of a full collection and what prepares it.
    Compacting,
    /// Soft, weak, final and phantom references (`Ref Proc`, `Reference Processing`).
    ReferenceProcessing,
    /// Putting found references on their queues (`Ref Enq`).
    ReferenceEnqueueing,
    /// Weak roots of the JVM itself: JNI handles, string and symbol tables (`Weak Processing`,
    /// `scrub string table`).
    WeakRoots,
    /// Fixing references to strings that are the same (`String Dedup Fixup`, `String Deduplication`).
    StringDeduplication,
    /// Unloading classes and code (`Class Unloading`).
    ClassUnloading,
    /// Waiting until threads have stopped work or begun it (`Termination`, `GC Worker Start`).
    Termination,
    /// Choosing what to collect (`Choose CSet`).
    CollectionSet,
    /// Giving back what was collected (`Free CSet`, `Post Evacuate Collection Set`).
    Freeing,
    /// Restoring regions after an evacuation failure (`Evacuation Failure`, `Restore Preserved
    /// Marks`).
    FailureRepair,
    /// The rest that the collector itself calls other.
    Other,
}

impl GcPhase {
    /// The name used in reports.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            GcPhase::RootScanning => "root-scanning",
            GcPhase::RememberedSets => "remembered-sets",
            GcPhase::Copying => "copying",
            GcPhase::Marking => "marking",
            GcPhase::Compacting => "compacting",
            GcPhase::ReferenceProcessing => "reference-processing",
            GcPhase::ReferenceEnqueueing => "reference-enqueueing",
            GcPhase::WeakRoots => "weak-roots",
            GcPhase::StringDeduplication => "string-deduplication",
            GcPhase::ClassUnloading => "class-unloading",
            GcPhase::Termination => "termination",
            GcPhase::CollectionSet => "collection-set",
            GcPhase::Freeing => "freeing",
            GcPhase::FailureRepair => "failure-repair",
            GcPhase::Other => "other",
        }
    }
}

/// How long one phase of a pause took on the clock. Of phases that several threads work on it is
/// the longest thread's time where the log gives that, else the average.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PhaseTime {
    /// Which.
    pub phase: GcPhase,
    /// How long.
    pub duration: Duration,
}

/// One of the steps of a pause that follow each other, under the name that the log gives it.
///
/// Together they are at most the pause: what is inside another step, or is the time of single
/// threads, is a [`PhaseTime`] only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// As the log has it: `Evacuate Collection Set`, `Phase 1: Mark live objects`.
    pub name: &'static str,
    /// How long.
    pub duration: Duration,
}

/// How many `java.lang.ref` objects a collection met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct References {
    /// `SoftReference`.
    pub soft: u64,
    /// `WeakReference`.
    pub weak: u64,
    /// Objects with a finalizer.
    pub finalizable: u64,
    /// `PhantomReference`, thus also `Cleaner`.
    pub phantom: u64,
    /// Weak references from native code.
    pub jni_weak: u64,
}

impl References {
    /// The count of a kind.
    pub(crate) fn of_mut(&mut self, kind: ReferenceKind) -> &mut u64 {
        match kind {
            ReferenceKind::Soft => &mut self.soft,
            ReferenceKind::Weak => &mut self.weak,
            ReferenceKind::Final => &mut self.finalizable,
            ReferenceKind::Phantom => &mut self.phantom,
            ReferenceKind::JniWeak => &mut self.jni_weak,
        }
    }
}

/// The kinds of references in the order in which they are processed. Weak references from native
/// code have a line of their own in legacy logs alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReferenceKind {
    Soft,
    Weak,
    Final,
    Phantom,
    JniWeak,
}

/// How long objects stay in the young generation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tenuring {
    /// Survivors should not be more than this, in bytes.
    pub desired_survivor_bytes: u64,
    /// Number of collections after which surviving objects are promoted.
    pub threshold: u32,
    /// The most that `threshold` may become.
    pub max_threshold: u32,
}

/// The free lists of CMS's old generation (`-XX:PrintFLSStatistics=1`): many bytes free and a small
/// largest block is what fragmentation looks like.
///
/// # Source
///
/// `BinaryTreeDictionary::report_statistics` and `AFLBinaryTreeDictionary` in HotSpot
/// `gc_implementation/concurrentMarkSweep`. It prints words; they are taken as 8 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FreeSpace {
    /// Of the record that it belongs to.
    pub stamp: Stamp,
    /// All free bytes on the lists.
    pub free_bytes: u64,
    /// The largest block in bytes.
    pub largest_bytes: u64,
}
