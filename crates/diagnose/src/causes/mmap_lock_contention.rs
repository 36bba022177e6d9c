//! # mmap_lock contention
//!
//! ## What happens
//! All threads of a process share one lock over its address space, `mmap_lock`.
//! A thread that maps, unmaps or protects memory holds the lock for writing, and a page fault takes it for reading; Linux 6.4 and later often need only a lock per mapping, but not always.
//! A large `munmap`, a `madvise` over the whole heap, or a tool that reads `/proc/PID/smaps` keeps every other thread of the process waiting at its next page fault; a writer that waits for the lock blocks all later readers.
//! The probes of a recording take the lock for reading, and wait where another thread holds it for writing; the answer then says that a probe waited.
//! A collector that gives memory back to the system, and a monitoring agent that reads `smaps` each second, meet here.
//!
//! ## What proves it
//! The thread that all others wait for is blocked in a page fault before the fault is handled (`lock_mm_and_find_vma`, or `rwsem_down_read_slowpath` outside of `handle_mm_fault`), or in `mmap`, `munmap`, `mprotect`, `madvise` or `brk` with `rwsem_down_write_slowpath`.
//! Who held the lock is who let that thread go on, in the call it was in then: a thread of the JVM, or another process that looked into `/proc/PID`.
//!
//! ## What looks alike
//! `mapped-file-fault`: the lock is held, the page is waited for; a file's own lock lies below `handle_mm_fault`.
//! `swap-in`, `direct-reclaim`: likewise.
//!
//! ## References
//! Linux `mm/memory.c` (`lock_mm_and_find_vma`), `kernel/locking/rwsem.c`, `Documentation/mm/process_addrs.rst`.
use crate::{
    Cause, Class, Culprit, CulpritKind, Nature,
    account::{lock_holders, tally::Tally},
    case::{Case, Segment},
    cause::{Claims, Explanation, os_evidence::spent},
    facts::{index::Index, stacks::Sign, syscalls},
    text,
    wait::{Blocked, Wait},
};
use recording::{Interval, OffCpuCause, Source, ThreadSlice, ThreadState};
use std::{collections::BTreeMap, time::Duration};

pub(super) static CAUSE: Cause = Cause {
    id: "mmap-lock-contention",
    title: "mmap_lock contention",
    short: "mmap_lock contention",
    needs: &[Source::Scheduler, Source::KernelStacks],
    nature: Nature::Fault,
    class: Class::KernelLock,
    remedies: &["no-smaps", "keep-heap", "newer-kernel"],
    page: crate::page!("mmap_lock_contention.rs"),
    claims: Claims::AtLeast(MIN_BLOCKED, is_contended),
    explain,
    ..Cause::BASE
};

/// Faults queue for microseconds all the time. Less than this in a pause is negligible.
const MIN_BLOCKED: Duration = Duration::from_millis(1);

/// Number of the longest pauses in which the holder is looked for.
const MOST_WINDOWS: usize = 16;

fn is_contended(_case: &Case<'_>, segment: &Segment<'_>) -> bool {
    segment.waits_for(Wait::MmapLock)
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    let place = tally.place(index).unwrap_or_default();
    Explanation {
        story: vec![format!(
            "{} waited in {} for mmap_lock, the lock of the process's address space.",
            text::the_thread(&place.thread),
            if is_probe(&place.stack) { PROBE } else { place.call.as_str() }
        )],
        culprits: holder(tally, index).into_iter().collect(),
        evidence: vec![spent(tally, Source::Scheduler, "blocked on mmap_lock")],
        ..Explanation::default()
    }
}

/// A probe needs the lock, shared, while another thread holds it exclusively (`kernel/events/uprobes.c`,
/// `find_active_uprobe_rcu`). Without the recording the thread would have gone on to its next fault.
const PROBE: &str = "a probe of this recording";

fn is_probe(stack: &[String]) -> bool {
    stack.iter().any(|it| it == "uprobe_notify_resume")
}

/// The one that held it longest in these waits, by who let them go on. Where that is not known, the thread of the
/// JVM that was longest in a call that holds it.
fn holder(tally: &Tally, index: &Index<'_>) -> Option<Culprit> {
    let windows = tally.longest_windows(MOST_WINDOWS);
    seen_releasing(&windows, tally.these(), index)
        .or_else(|| seen_blocked(&windows, tally.these(), index))
}

fn seen_releasing(windows: &[Interval], these: &str, index: &Index<'_>) -> Option<Culprit> {
    let mut times: BTreeMap<(u32, u32, Option<i32>), (Duration, &str)> = BTreeMap::new();
    for &window in windows {
        for tid in index.threads_with_slices() {
            for (time, by) in lock_holders::in_window(index, tid, window) {
                let sum = times.entry((by.pid, by.tid, by.call)).or_default();
                *sum = (sum.0 + time, &by.name);
            }
        }
    }
    let (&(pid, tid, call), &(time, name)) = times.iter().max_by_key(|it| it.1.0)?;
    let is_own = index.jvm.is_some_and(|it| it.pid == pid);
    let entered = call.map_or(OffCpuCause::PageFault, OffCpuCause::Syscall);
    let call = syscalls::call(index.architecture(), Some(entered));
    let (kind, id, name) = match is_own {
        true => (CulpritKind::Thread, tid, index.thread_name(tid)),
        false => (CulpritKind::Process, pid, name.to_owned()),
    };
    let who = match name.as_str() {
        _ if is_own => text::the_thread(&name),
        "" => format!("process {pid}"),
        _ => format!("{name} (pid {pid})"),
    };
    let waited = text::duration(time);
    Some(Culprit {
        kind,
        statement: format!("{who} held it, in {call}, for {waited} of the waits of {these}"),
        pid: Some(id),
        name,
    })
}

fn seen_blocked(windows: &[Interval], these: &str, index: &Index<'_>) -> Option<Culprit> {
    let mut times: BTreeMap<(u32, OffCpuCause), Duration> = BTreeMap::new();
    for &window in windows {
        for tid in index.threads_with_slices() {
            for slice in index.slices_in(tid, window).iter().filter(|it| holds(index, it)) {
                let inside = slice.interval.intersect(window);
                if let (Some(inside), Some(entered)) = (inside, slice.entered) {
                    *times.entry((tid, entered)).or_default() += inside.duration();
                }
            }
        }
    }
    let (&(tid, entered), time) = times.iter().max_by_key(|it| *it.1)?;
    let name = index.thread_name(tid);
    Some(Culprit {
        kind: CulpritKind::Thread,
        statement: format!(
            "{} was in {}, which holds the lock, for {} of {these}",
            text::the_thread(&name),
            syscalls::call(index.architecture(), Some(entered)),
            text::duration(*time)
        ),
        pid: Some(tid),
        name,
    })
}

fn holds(index: &Index<'_>, slice: &ThreadSlice) -> bool {
    matches!(slice.entered, Some(OffCpuCause::Syscall(_)))
        && slice.state == ThreadState::Blocked
        && index.signs(slice.stack).has(Sign::MmapCalls)
        && !Blocked::of(index, slice).waits(index).has(Wait::MmapLock)
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::as_text::facts::{check, culprits_of, story_of};

    fn waits(us: u64, entered: &str, frames: &str) -> String {
        format!(
            "jvm 17.0.15 g1
             thread 1 vm-thread VM Thread
             safepoint 0us 90000us op G1CollectForAllocation 1us 89999us vm 1
             1 blocked 1000us {}us {entered} - stack {frames}",
            1000 + us
        )
    }

    #[test]
    fn a_fault_waits_before_it_is_looked_at() {
        for frames in [
            "rwsem_down_read_slowpath down_read_killable lock_mm_and_find_vma do_user_addr_fault",
            "rwsem_down_read_slowpath down_read do_user_addr_fault exc_page_fault",
            "rwsem_down_read_failed down_read __do_page_fault",
        ] {
            check(&CAUSE, &waits(50_000, "fault", frames), "present 50ms measured");
        }
    }

    #[test]
    fn a_call_waits_to_hold_it_alone() {
        for (call, frames) in [
            ("mmap", "rwsem_down_write_slowpath down_write_killable vm_mmap_pgoff"),
            ("munmap", "rwsem_down_write_slowpath down_write_killable __vm_munmap"),
            ("mprotect", "rwsem_down_write_failed_killable do_mprotect_pkey"),
            ("madvise", "rwsem_down_write_slowpath do_madvise"),
            ("mmap", "__vma_start_write vma_expand vma_merge_new_range vm_mmap_pgoff"),
        ] {
            check(&CAUSE, &waits(50_000, call, frames), "present 50ms measured");
        }
    }

    #[test]
    fn one_millisecond_counts_and_less_does_not() {
        check(&CAUSE, &waits(999, "fault", "lock_mm_and_find_vma"), "absent");
        check(&CAUSE, &waits(1000, "fault", "lock_mm_and_find_vma"), "present 1ms measured");
    }

    #[test]
    fn a_lock_of_a_file_is_another_one() {
        let frames = "rwsem_down_read_slowpath down_read ext4_filemap_fault handle_mm_fault";
        check(&CAUSE, &waits(50_000, "fault", frames), "absent");
        let frames = "rwsem_down_write_slowpath ext4_buffered_write_iter vfs_write";
        check(&CAUSE, &waits(50_000, "write", frames), "absent");
    }

    #[test]
    fn a_probe_of_the_recording_that_waits_is_called_that() {
        let story = |frames: &str| story_of(&CAUSE, &waits(50_000, "fault", frames));
        let probe =
            "rwsem_down_read_slowpath down_read find_active_uprobe_rcu uprobe_notify_resume";
        assert!(story(probe).contains("waited in a probe of this recording"));
        assert!(story("lock_mm_and_find_vma").contains("waited in a page fault"));
    }

    #[test]
    fn an_application_thread_outside_of_stops_is_a_hiccup() {
        let text = "5 blocked 0ms 40ms fault - stack rwsem_down_read_slowpath lock_mm_and_find_vma";
        check(&CAUSE, text, "present 40ms measured");
    }

    #[test]
    fn the_thread_in_a_call_that_holds_it_is_named() {
        let text = waits(50_000, "fault", "lock_mm_and_find_vma")
            + "\nthread 8 java unmapper
               8 blocked 0ms 60ms munmap - stack io_schedule truncate_inode_pages __vm_munmap
               9 blocked 0ms 70ms munmap - stack rwsem_down_write_slowpath __vm_munmap";
        assert_eq!(
            culprits_of(&CAUSE, &text),
            "thread unmapper: Thread `unmapper` was in munmap(), which holds the lock, for 60 ms of this stop\n"
        );
    }

    #[test]
    fn who_lets_a_thread_go_on_has_held_it() {
        let of = |by: &str| {
            let wait = "1 blocked 1ms 51ms fault - stack lock_mm_and_find_vma released";
            let stop = "safepoint 0ms 90ms op G1CollectForAllocation 1ms 89ms vm 1";
            let threads = "jvm 17.0.15 g1\nthread 1 vm-thread VM Thread\nthread 8 java unmapper";
            culprits_of(&CAUSE, &format!("{threads}\n{stop}\n{wait} {by}"))
        };
        assert_eq!(
            of("4242 8 munmap unmapper"),
            "thread unmapper: Thread `unmapper` held it, in munmap(), for 50 ms of the waits of this stop\n"
        );
        assert_eq!(
            of("200 201 read ps"),
            "process ps: ps (pid 200) held it, in read(), for 50 ms of the waits of this stop\n"
        );
        // who waited for it as well has not held it meanwhile: what both waited
        assert_eq!(
            of(
                "4242 8 mmap unmapper\n8 blocked 0ms 41ms mmap - stack rwsem_down_write_slowpath __vm_munmap released 200 201 read ps"
            ),
            "process ps: ps (pid 200) held it, in read(), for 81 ms of the waits of this stop\n"
        );
    }

    #[test]
    fn the_holder_is_looked_for_in_the_longest_pauses_not_in_the_first_ones() {
        let mut text = "
            jvm 17.0.15 g1
            thread 1 vm-thread VM Thread
            thread 7 java early
            thread 8 java late\n"
            .to_owned();
        // Short ones first, more than are looked at, and a long one at the end.
        for i in 0..=20 {
            let (begin, length, holder) = if i < 20 { (100 * i, 2, 7) } else { (100 * i, 80, 8) };
            let end = begin + length;
            text += &format!(
                "safepoint {begin}ms {end}ms op G1CollectForAllocation {begin}ms {end}ms vm 1
                 1 blocked {begin}ms {end}ms fault - stack lock_mm_and_find_vma
                 {holder} blocked {begin}ms {end}ms munmap - stack truncate_inode_pages __vm_munmap\n"
            );
        }
        assert!(
            culprits_of(&CAUSE, &text).starts_with("thread late: "),
            "{}",
            culprits_of(&CAUSE, &text)
        );
    }
}
