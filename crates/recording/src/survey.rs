//! What is found of a JVM and its host at one moment, without recording: rows of the tables, and
//! settings that no table keeps. A setting that a hazard is to know is a field here.
use crate::{Facts, FileKey};

/// A JVM and its host, looked at twice within a second or so.
///
/// The rows are those of a recording: the JVM, its host and limits, its GC log, its file of counters
/// and its deleted files; two samples of each counter, and who wrote between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Survey {
    /// Rows of the tables.
    pub facts: Facts,
    /// Settings of the host.
    pub host: HostSettings,
    /// What binds or protects the memory of the JVM.
    pub memory: MemorySettings,
    /// Deleted files that the JVM has mapped and that are on a disk, largest first. Their paths are
    /// in [`Facts::files`]. No code: a library that an update replaced is unmapped at the end alone.
    pub deleted: Vec<DeletedFile>,
    /// Whether the mappings of the JVM were read, so that a file that is not here is not mapped.
    pub mappings_read: bool,
    /// What could not be looked at, and why; a phrase each, for people.
    pub unseen: Vec<String>,
}

/// Settings of the kernel and the state of its memory. `None` and empty are what could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostSettings {
    /// Which memory gets huge pages: `always`, `madvise` or `never`
    /// (`/sys/kernel/mm/transparent_hugepage/enabled`).
    pub huge_pages: String,
    /// Who makes room for them: `always`, `defer`, `defer+madvise`, `madvise` or `never` (`defrag`
    /// beside it).
    pub huge_pages_defrag: String,
    /// Bytes of a huge page (`hpage_pmd_size`).
    pub huge_page_bytes: Option<u64>,
    /// Free memory in blocks of at least a huge page (`/proc/buddyinfo`), in bytes.
    pub free_huge_bytes: Option<u64>,
    /// `vm.swappiness`, 0 to 200.
    pub swappiness: Option<u64>,
    /// Swap space on disks, not in compressed memory (zram), in bytes (`/proc/swaps`).
    pub swap_bytes: Option<u64>,
    /// `vm.zone_reclaim_mode`, a set of bits.
    pub zone_reclaim: Option<u64>,
    /// NUMA nodes online.
    pub nodes: Option<u32>,
    /// Whether the kernel counts for how long tasks wait (`/proc/pressure`).
    pub pressure: Option<bool>,
}

/// What binds or protects the memory of one process. `None` is what could not be read or is not there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemorySettings {
    /// Locked into memory (`VmLck`), in bytes.
    pub locked_bytes: Option<u64>,
    /// Memory of its control group that is not reclaimed while there is other (`memory.low` or
    /// `memory.min`, whichever is more; version 2), in bytes.
    pub protected_bytes: Option<u64>,
    /// Swap that its control groups may use (`memory.swap.max`; version 2), in bytes.
    pub swap_max_bytes: Option<u64>,
    /// `memory.swappiness` of its control group (version 1), 0 to 100.
    pub swappiness: Option<u64>,
}

/// A deleted file of which a process has mappings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeletedFile {
    /// Device and inode.
    pub key: FileKey,
    /// All mappings of it together, in bytes.
    pub mapped_bytes: u64,
}
