//! What a thread may wait for in the kernel.
use crate::facts::index::Index;
use recording::{Interval, KernelWorkKind};

/// Something that a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Another thread, a timer, or work.
    Thread,
    /// A page of the JVM's file of counters.
    Counters,
    /// Memory that comes back from swap.
    Swap,
    /// To be below `memory.high` again.
    MemoryHigh,
    /// Pages that are put together for a large one.
    Compaction,
    /// Memory that is freed.
    Reclaim,
    /// The file or stream that the GC log is written to.
    Log,
    /// A page that another task moves, or that is moved nearer.
    Migration,
    /// A page of a file that the application has mapped.
    MappedPage,
    /// The blocks of a deleted file to be given back.
    Unmap,
    /// The `mmap_lock`.
    MmapLock,
}

/// All that a stretch waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Waits(u16);

impl Waits {
    /// Of a stretch of which no more is known than whether it is a wait for a thread.
    pub(crate) fn for_thread(is_idle: bool) -> Waits {
        Waits::default().with(Wait::Thread, is_idle)
    }

    /// Whether this is among them.
    pub(crate) fn has(self, wait: Wait) -> bool {
        self.0 & bit(wait) != 0
    }

    /// And what the kernel's work, which it did itself, was for.
    pub(crate) fn with_work(
        self,
        index: &Index<'_>,
        work: KernelWorkKind,
        interval: Interval,
    ) -> Waits {
        let reclaims = work == KernelWorkKind::DirectReclaim;
        self.with(Wait::Compaction, work == KernelWorkKind::Compaction)
            .with(Wait::Reclaim, reclaims)
            .with(Wait::MemoryHigh, reclaims && only_for_soft_limit(index, interval))
    }

    pub(super) fn with(self, wait: Wait, is_shown: bool) -> Waits {
        if is_shown { Waits(self.0 | bit(wait)) } else { self }
    }
}

fn bit(wait: Wait) -> u16 {
    1 << wait as u16
}

/// Whether a thread that frees memory in `interval` does so for the soft limit, as there is no other
/// limit and the host has enough. The kernel counts reclaim for a group nowhere else (`mm/vmscan.c`,
/// `do_try_to_free_pages`).
fn only_for_soft_limit(index: &Index<'_>, interval: Interval) -> bool {
    let group = index.facts.and_then(|it| it.cgroup.as_ref());
    group.is_some_and(|it| it.memory_high_bytes.is_some() && it.memory_max_bytes.is_none())
        && index.growth("vmstat.allocstall", &[interval]) == Some(0)
}
