//! # Direct reclaim
//!
//! ## What happens
//! A thread that needs memory when there is none free must free some itself before it gets any: it looks for pages that can be dropped, written out or swapped, and may wait for the disk meanwhile.
//! It happens when the host's background thread (`kswapd`) cannot keep up, and whenever a control group is at its limit: a group has no background thread.
//! Cached files count towards that limit, so a JVM in a group that reads or writes many files is at its limit for most of its life.
//! A collection that copies objects into fresh regions allocates memory from all its threads at once.
//! The JVM's log shows much `Sys` time, or a `Real` time far above both.
//!
//! ## What proves it
//! The kernel's tracepoints at the begin and the end of direct reclaim, in the thread that all others wait for; most of it is spent on a CPU.
//! Where it waits: a stack with `try_to_free_pages`, or with `try_to_free_mem_cgroup_pages` for a group's limit.
//! Without privilege: a thread of the JVM waits for a page in a page fault, the host reads none meanwhile, and the kernel counts pressure for memory (`/proc/pressure/memory`).
//!
//! ## What looks alike
//! `memory-high-throttling`: the soft limit puts the thread to sleep.
//! `swap-in`: the thread needs a page that was swapped out before.
//! `thp-compaction`: there is memory, but not in one piece.
//!
//! ## References
//! Linux `mm/vmscan.c` (`try_to_free_pages`, `try_to_free_mem_cgroup_pages`), `Documentation/admin-guide/sysctl/vm.rst` (`watermark_scale_factor`).
mod hazards;

use crate::{
    Cause, Certainty, Class, Culprit, CulpritKind, Detail, Nature,
    account::tally::Tally,
    case::{Case, LogPart, Segment},
    cause::{
        Claims, Explanation,
        clues::{Clues, Suspicion},
        os_evidence::{self, counted, spent},
    },
    culprits,
    facts::{index::Index, stacks::Sign},
    text,
    wait::Wait,
};
use recording::Source;
use std::time::Duration;

pub(super) static CAUSE: Cause = Cause {
    id: "direct-reclaim",
    title: "Direct reclaim",
    short: "direct reclaim",
    needs: &[Source::Scheduler, Source::Reclaim],
    nature: Nature::Fault,
    class: Class::Memory,
    remedies: &["memory-room", "earlier-reclaim", "pretouch"],
    hazards: &hazards::HAZARDS,
    page: crate::page!("direct_reclaim.rs"),
    claims: Claims::AtLeast(MIN_TIME, is_reclaim),
    suspicion: Some(suspicion),
    explain,
    ..Cause::BASE
};

/// A few pages are freed in microseconds. Less than this in a pause is negligible.
const MIN_TIME: Duration = Duration::from_millis(1);

/// For whom memory was freed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum For {
    Group,
    Host,
    Unknown,
}

fn is_reclaim(_case: &Case<'_>, segment: &Segment<'_>) -> bool {
    segment.waits_for(Wait::Reclaim)
}

/// By the stacks where there are any; else a group with a limit is what runs full first.
fn for_whom(tally: &Tally, index: &Index<'_>) -> For {
    let time = |sign: Sign| -> Duration {
        let shows = tally.sites.values().filter(|it| index.signs(it.1).has(sign));
        shows.map(|it| it.0).sum()
    };
    let (group, host) = (time(Sign::ForGroup), time(Sign::ForHost));
    let limited = os_evidence::cgroup(index).is_some_and(|it| it.memory_max_bytes.is_some());
    match group.cmp(&host) {
        std::cmp::Ordering::Greater => For::Group,
        std::cmp::Ordering::Less => For::Host,
        std::cmp::Ordering::Equal if limited => For::Group,
        std::cmp::Ordering::Equal => For::Unknown,
    }
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    let place = tally.place(index).unwrap_or_default();
    let whom = for_whom(tally, index);
    let why = match whom {
        For::Group => "because its control group was at its memory limit",
        For::Host => "because the host had no free memory",
        For::Unknown => "because no memory was free",
    };
    let mut evidence = vec![match tally.certainty() {
        Certainty::Measured => spent(tally, Source::Reclaim, "freeing memory (direct reclaim)"),
        Certainty::Inferred => {
            spent(tally, Source::ThreadSamples, "waiting for a page while memory was short")
        }
    }];
    evidence.extend(counted(tally, index, "vmstat.allocstall", |times| {
        format!("threads of this host entered direct reclaim {times} times around these pauses")
    }));
    Explanation {
        story: vec![format!(
            "{} had to free memory before its allocation could go on, {why}.",
            text::the_thread(&place.thread)
        )],
        culprits: culprits(tally, index, whom),
        evidence,
        detail: Detail::MemoryShort { of_group: whom == For::Group, of_host: whom == For::Host },
    }
}

/// The group with its limit, who took memory, and who filled the cache with files.
fn culprits(tally: &Tally, index: &Index<'_>, whom: For) -> Vec<Culprit> {
    let mut culprits = Vec::new();
    culprits.extend(group(index).filter(|_| whom == For::Group));
    culprits.extend(culprits::memory_takers(tally, index));
    culprits.extend(culprits::fillers(tally, index));
    culprits
}

fn group(index: &Index<'_>) -> Option<Culprit> {
    let cgroup = os_evidence::cgroup(index)?;
    let name = cgroup.memory_path.clone();
    let statement = format!(
        "{name} may have {} of memory, cached files included",
        text::memory(cgroup.memory_max_bytes?)
    );
    Some(Culprit { kind: CulpritKind::Cgroup, name, pid: None, statement })
}

/// A collection that needs memory and finds none frees it itself, in the kernel.
fn suspicion(clues: &Clues<'_>) -> Option<Suspicion> {
    let base = match clues.part {
        LogPart::Kernel => 3,
        LogPart::Waiting | LogPart::Beyond => 2,
        LogPart::Reaching => 1,
        _ => return None,
    };
    let is_known = clues.part == LogPart::Kernel;
    Some(
        Suspicion::new(base, "allocstall in /proc/vmstat: it grows with each such pause")
            .pro(3, clues.busy_in_kernel(30).filter(|_| !is_known))
            .pro(1, clues.not_pre_touched().filter(|_| is_known))
            .con(1, clues.pre_touched())
            .con(1, clues.many_short()),
    )
}

#[cfg(test)]
mod tests;
