//! What a collection says of its own parts: phases, references, ages, and the free space of CMS.
use crate::Stamp;
use std::time::Duration;

/// A part of a collection pause that is worth telling apart. Names differ between collectors and
/// JDKs; these are what they have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Phase {
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

impl Phase {
    /// The name used in reports.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Phase::RootScanning => "root-scanning",
            Phase::RememberedSets => "remembered-sets",
            Phase::Copying => "copying",
            Phase::Marking => "marking",
            Phase::Compacting => "compacting",
            Phase::ReferenceProcessing => "reference-processing",
            Phase::ReferenceEnqueueing => "reference-enqueueing",
            Phase::WeakRoots => "weak-roots",
            Phase::ClassUnloading => "class-unloading",
            Phase::Termination => "termination",
            Phase::CollectionSet => "collection-set",
            Phase::Freeing => "freeing",
            Phase::FailureRepair => "failure-repair",
            Phase::Other => "other",
        }
    }
}

/// How long one phase of a pause took on the clock. Of phases that several threads work on it is
/// the longest thread's time where the log gives that, else the average.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PhaseTime {
    /// Which.
    pub phase: Phase,
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

/// How long objects stay in the young generation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tenuring {
    /// Survivors should not be more than this, in bytes.
    pub desired_survivor_bytes: u64,
    /// Objects that survived so many collections are promoted.
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
