//! # Unmap of a deleted file
//!
//! ## What happens
//! A file that was deleted while a program had it open or mapped lives on until the last use ends.
//! Then the thread that ends it, in `munmap` or `close`, frees all its blocks: the larger and the more scattered the file, the longer, and each step waits for the file system's journal.
//! Before Linux released files outside of `mmap_lock`, every other thread that needed memory waited too, and with them every safepoint.
//! On today's kernels only that thread is blocked, in native code where no safepoint waits for it; but other threads may wait for that thread.
//! Kafka and other logs that delete mapped segments are known for this.
//! In a JVM that thread is, unless the code releases its mappings itself, the one that handles references: no mapping is released before the collector has found its buffer.
//!
//! ## What proves it
//! A thread is blocked with `evict` (or `ext4_evict_inode`, `xfs_inactive`) below `__fput`, `task_work_run` or `__dentry_kill`.
//!
//! ## What looks alike
//! `mmap-lock-contention`: the threads that wait for the one that unmaps.
//! `gc-log-write-blocked`: the file is the JVM's own log, at its rotation.
//!
//! ## References
//! Linux `fs/inode.c` (`evict`), `fs/file_table.c` (`__fput`), `fs/ext4/inode.c` (`ext4_evict_inode`), `fs/xfs/xfs_inode.c` (`xfs_inactive`).
//! Apache Kafka issue KAFKA-4614.
mod hazards;

use crate::{
    Cause, Certainty, Class, Culprit, CulpritKind, Detail, Evidence, Nature,
    account::tally::Tally,
    case::{Case, Segment},
    cause::{Claims, Explanation, os_evidence::spent},
    facts::index::Index,
    text,
    wait::{Blocked, Wait},
};
use recording::{FileFact, Source, ThreadSlice, ThreadState};
use std::time::Duration;

pub(super) static CAUSE: Cause = Cause {
    id: "deleted-file-unmap",
    title: "Unmap of a deleted file",
    short: "unmap of a deleted file",
    needs: &[Source::Scheduler, Source::KernelStacks],
    nature: Nature::Fault,
    class: Class::Disk,
    remedies: &["explicit-unmap", "truncate-in-background"],
    hazards: &hazards::HAZARDS,
    page: crate::page!("deleted_file_unmap.rs"),
    claims: Claims::AtLeast(MIN_BLOCKED, is_release),
    outside_pauses: Some(|index| longest_outside(index).map(|_| Duration::ZERO)),
    explain,
    ..Cause::BASE
};

/// Less than this in a pause is negligible.
const MIN_BLOCKED: Duration = Duration::from_millis(1);

/// A thread that no thread waited for is reported from here on, like any hiccup.
const MIN_OUTSIDE: Duration = Duration::from_millis(20);

/// How many files are named.
const MOST: usize = 3;

fn is_release(_case: &Case<'_>, segment: &Segment<'_>) -> bool {
    segment.waits_for(Wait::Unmap)
}

/// The longest such block of any thread, whether another thread waited for it or not.
fn longest_outside<'a>(index: &Index<'a>) -> Option<&'a ThreadSlice> {
    let slices = &index.facts?.slices;
    let long = slices.iter().filter(|it| {
        it.state == ThreadState::Blocked
            && it.interval.duration() >= MIN_OUTSIDE
            && Blocked::of(index, it).waits(index).has(Wait::Unmap)
    });
    long.max_by_key(|it| it.interval.duration())
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    let mut explanation =
        if tally.pauses > 0 { held_up(tally, index) } else { outside_pauses(index) };
    let files = deleted_files(tally, index);
    explanation.culprits = files.iter().map(|it| culprit(it)).collect();
    let path = files.first().map(|it| it.path.trim_end_matches(" (deleted)").to_owned());
    explanation.detail = Detail::DeletedFile { path: path.unwrap_or_default() };
    explanation
}

fn held_up(tally: &Tally, index: &Index<'_>) -> Explanation {
    let place = tally.place(index).unwrap_or_default();
    Explanation {
        story: vec![format!(
            "{} freed the blocks of a deleted file in {} while the JVM was stopped.",
            text::the_thread(&place.thread),
            place.call
        )],
        evidence: vec![spent(tally, Source::Scheduler, "blocked freeing a deleted file")],
        ..Explanation::default()
    }
}

fn outside_pauses(index: &Index<'_>) -> Explanation {
    let Some(longest) = longest_outside(index) else { return Explanation::default() };
    let thread = text::the_thread(&index.thread_name(longest.tid));
    let time = text::duration(longest.interval.duration());
    let call = crate::facts::syscalls::call(index.architecture(), longest.entered);
    Explanation {
        story: vec![format!(
            "{thread} was blocked for {time}, freeing the blocks of a deleted file. Other threads \
             kept running."
        )],
        evidence: vec![Evidence {
            source: Source::Scheduler,
            certainty: if longest.sampled { Certainty::Inferred } else { Certainty::Measured },
            statement: format!(
                "{thread} blocked in {call} for up to {time} at a time; no pause waited for it"
            ),
            time: Duration::ZERO,
        }],
        ..Explanation::default()
    }
}

/// The file of the block; where the kernel did not tell it, the deleted files that were mapped.
fn deleted_files<'a>(tally: &Tally, index: &Index<'a>) -> Vec<&'a FileFact> {
    let in_pauses = tally.main_site().and_then(|it| it.0.file);
    let key = in_pauses.or_else(|| longest_outside(index).and_then(|it| it.file));
    if let Some(file) = key.and_then(|key| index.file(key)) {
        return vec![file];
    }
    let Some(facts) = index.facts else { return Vec::new() };
    let deleted = facts.files.iter().filter(|it| it.mapped && it.path.ends_with(" (deleted)"));
    deleted.take(MOST).collect()
}

fn culprit(file: &FileFact) -> Culprit {
    let path = file.path.trim_end_matches(" (deleted)");
    let state = if path == file.path { "" } else { "deleted and " };
    Culprit {
        kind: CulpritKind::File,
        name: path.into(),
        pid: None,
        statement: format!(
            "{path} ({} on {}) was {state}in use by the JVM",
            file.file_system, file.device_name
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::as_text::facts::{check, culprits_of, story_of};

    const STACK: &str = "stack io_schedule do_get_write_access ext4_evict_inode evict __dentry_kill __fput task_work_run";

    fn held(us: u64) -> String {
        format!(
            "thread 1 vm-thread VM Thread
             safepoint 0us 900000us op ThreadDump 1us 899000us vm 1
             1 blocked 1000us {}us munmap segment.log {STACK}",
            1000 + us
        )
    }

    #[test]
    fn one_millisecond_in_a_pause_counts_and_less_does_not() {
        check(&CAUSE, &held(1000), "present 1ms measured journal-commit");
        check(&CAUSE, &held(999), "absent");
    }

    #[test]
    fn a_thread_that_nobody_waited_for_is_reported_of_beside_the_pauses() {
        let outside_pauses = |end: u64| {
            format!("thread 5 java cleaner\n5 blocked 0ms {end}ms munmap segment.log {STACK}")
        };
        check(&CAUSE, &outside_pauses(20), "present 0ns inferred");
        check(&CAUSE, &outside_pauses(19), "absent");
        let story = story_of(&CAUSE, &outside_pauses(900));
        assert!(story.contains("Thread `cleaner` was blocked for 900 ms"), "{story}");
        assert!(story.contains("Other threads kept running"), "{story}");
        assert_eq!(
            culprits_of(&CAUSE, &outside_pauses(900)),
            "file segment.log: segment.log (ext4 on sdb1) was in use by the JVM\n"
        );
    }

    #[test]
    fn a_file_that_lives_on_is_not_released() {
        let stack = "stack io_schedule do_get_write_access ext4_dirty_inode __fput task_work_run";
        check(&CAUSE, &format!("5 blocked 0ms 900ms close a {stack}"), "absent");
        check(&CAUSE, "5 blocked 0ms 900ms unlink a stack io_schedule evict do_unlinkat", "absent");
    }
}
