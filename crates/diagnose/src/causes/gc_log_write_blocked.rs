//! # GC log write blocked
//!
//! ## What happens
//! The JVM writes its GC log from the thread that stops the application, while the application is stopped.
//! The write goes to memory and is quick, until the file system makes the writer wait: for a journal commit, for a page that is on its way to the disk, or because too much memory is dirty.
//! Then every application thread waits for one line of log.
//! The disk need not be busy with the JVM's own data: writes of any process to the same file system are enough.
//! A collector thread that blocks in the write while it holds the log's lock stops the VM thread in the same way.
//! A log on standard output, as in most containers, needs no disk: the write waits where the process that reads the pipe does not keep up.
//!
//! ## What proves it
//! A thread of the JVM that all others wait for is blocked in `write()` to the GC log, with a kernel stack inside the file system, or in a write to a pipe, a terminal or a socket.
//! In the log itself the pause is long and its `User` and `Sys` times are short.
//!
//! ## What looks alike
//! `mapped-file-fault`: the thread waits for the disk in a page fault and not in a write.
//! `cpu-contention`: `Real` is far above `User` and `Sys` there too, but the thread was runnable.
//!
//! ## References
//! HotSpot `logging/logFileOutput.cpp`, `logging/logFileStreamOutput.cpp` (`FileLocker`), `runtime/vmThread.cpp`.
//! Zhuang, Tran, Ramachandra, Sridharan: "OS-Caused Large JVM Pauses: Investigations and Solutions", 2016, scenario II.
//! Linux `fs/jbd2/transaction.c`, `mm/page-writeback.c`, `fs/pipe.c`.
mod hazards;
mod stream;

use crate::{
    Cause, Class, Nature,
    account::tally::Tally,
    case::{Case, LogPart, Segment},
    cause::{
        Claims, Explanation,
        clues::{Clues, Suspicion},
        os_evidence::spent_in_stops,
    },
    culprits::{self, Waited},
    facts::index::Index,
    text,
    wait::Wait,
};
use recording::Source;
use std::time::Duration;

/// A write of a few bytes that takes this long waits for the disk.
const LONG: Duration = Duration::from_millis(500);

pub(super) static CAUSE: Cause = Cause {
    id: "gc-log-write-blocked",
    title: "GC log write blocked",
    short: "GC log write blocked",
    needs: &[Source::Scheduler],
    nature: Nature::Fault,
    class: Class::Disk,
    remedies: &[
        "gc-log-to-tmpfs",
        "gc-log-off-stdout",
        "gc-log-async",
        "gc-log-keeper",
        "compressed-logging",
        "background-io",
    ],
    hazards: &hazards::HAZARDS,
    page: crate::page!("gc_log_write_blocked.rs"),
    claims: Claims::AtLeast(MIN_BLOCKED, is_log_write),
    suspicion: Some(suspicion),
    explain,
    ..Cause::BASE
};

/// A log on a quiet disk of its own waits for its own journal now and then. Less than this in a
/// pause is negligible.
const MIN_BLOCKED: Duration = Duration::from_millis(1);

fn is_log_write(_case: &Case<'_>, segment: &Segment<'_>) -> bool {
    segment.waits_for(Wait::Log)
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    let place = tally.place(index).unwrap_or_default();
    let waited = Waited { file: tally.main_site().and_then(|it| it.0.file), reads: false };
    let blocked = format!("{} blocked in {}", place.thread, place.call);
    if let Some(output) = tally.stream(index) {
        return stream::explain(tally, index, output, &place);
    }
    Explanation {
        story: story(tally, &place),
        culprits: culprits::writers(tally, index, waited),
        detail: culprits::own_writes(tally, index, waited),
        evidence: vec![spent_in_stops(tally, &blocked)],
    }
}

fn story(tally: &Tally, place: &crate::WaitLocation) -> Vec<String> {
    let why = tally
        .mechanism_shares()
        .first()
        .map_or_else(String::new, |it| format!(" for {}", it.phrase));
    vec![
        format!(
            "{} waited in {} to {}{why}.",
            text::the_thread(&place.thread),
            place.call,
            text::file(place)
        ),
        "All application threads waited for this thread.".into(),
    ]
}

/// A log cannot show its own write, but that a few pauses waited long and the kernel did nothing.
fn suspicion(clues: &Clues<'_>) -> Option<Suspicion> {
    let base = match clues.part {
        LogPart::Around => 5,
        LogPart::Waiting | LogPart::Beyond => 4,
        LogPart::Reaching => 2,
        _ => return None,
    };
    let test = match clues.is_before(17) {
        true => "start with the GC log in /dev/shm: if it stops, this was it",
        false => {
            "start with -Xlog:async (JDK 17 and later) or the GC log in /dev/shm: if it stops, this \
             was it"
        }
    };
    let in_memory = recording::gc_log_file(clues.flags()).filter(|it| it.starts_with("/dev/shm/"));
    let path = recording::gc_log_file(clues.flags()).filter(|it| !it.starts_with("/dev/shm/"));
    let is_async = clues.flags().iter().any(|it| it == "-Xlog:async");
    let is_reaching = clues.part == LogPart::Reaching;
    let is_long = clues.longest_from(LONG).is_some();
    Some(
        Suspicion::new(base, test)
            .pro(2, path.map(|it| format!("it writes its log to {it}")))
            .pro(1, clues.rare().filter(|_| !is_reaching))
            .pro(1, clues.longest_from(LONG).filter(|_| !is_reaching))
            .pro(1, clues.idle_in_kernel())
            .pro(3, clues.waits_elsewhere().filter(|_| is_reaching))
            .con(4, clues.many_short())
            .con(2, clues.usual().filter(|_| !is_long))
            .con(20, in_memory.map(|it| format!("its log is in memory, {it}")))
            .con(
                20,
                is_async.then(|| "-Xlog:async: a thread of its own writes the log".to_owned()),
            ),
    )
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::as_text::facts::check;

    /// The VM thread blocks in the log write of a young collection.
    const BLOCKED: &str = "
        jvm 17.0.15 g1 log gc.log flags -Xlog:gc*:file=gc.log
        thread 1 vm-thread VM Thread
        safepoint 0ms 1000ms op G1CollectForAllocation 1ms 999ms vm 1
        1 on-cpu 0ms 10ms
        1 blocked 10ms 990ms write gc.log stack io_schedule do_get_write_access ext4_dirty_inode vfs_write
        1 on-cpu 990ms 1000ms";

    #[test]
    fn the_vm_thread_blocks_in_the_write() {
        check(&CAUSE, BLOCKED, "present 980ms measured journal-commit");
    }

    #[test]
    fn a_write_that_waits_for_memory_is_no_wait_for_the_disk_of_the_log() {
        let memory = BLOCKED.replace(
            "do_get_write_access ext4_dirty_inode",
            "reclaim_throttle try_to_free_mem_cgroup_pages shmem_write_begin",
        );
        check(&CAUSE, &memory, "absent");
    }

    #[test]
    fn one_millisecond_is_a_wait_and_less_is_not() {
        let blocked = |us: u64| {
            format!(
                "jvm 17.0.15 g1 log gc.log
                 thread 1 vm-thread VM Thread
                 safepoint 0us 9000us op G1CollectForAllocation 1us 8999us vm 1
                 1 blocked 100us {end}us write gc.log stack do_get_write_access vfs_write",
                end = 100 + us
            )
        };
        check(&CAUSE, &blocked(999), "absent");
        check(&CAUSE, &blocked(1000), "present 1ms measured journal-commit");
    }

    #[test]
    fn a_thread_that_holds_the_log_lock_counts_too() {
        check(
            &CAUSE,
            "jvm 17.0.15 g1 log gc.log
             thread 1 vm-thread VM Thread
             thread 2 gc-concurrent G1 Main Marker
             safepoint 0ms 900ms op G1CollectForAllocation 1ms 899ms vm 1
             1 on-cpu 0ms 10ms
             1 waiting 10ms 890ms by 2
             1 on-cpu 890ms 900ms
             2 blocked 0ms 880ms write gc.log stack balance_dirty_pages vfs_write
             2 on-cpu 880ms 895ms",
            "present 870ms measured dirty-throttling",
        );
    }

    #[test]
    fn the_thread_of_asynchronous_logging_holds_up_nobody() {
        check(
            &CAUSE,
            "jvm 17.0.15 g1 log gc.log
             thread 1 vm-thread VM Thread
             thread 2 vm-internal AsyncLog Threa
             safepoint 0ms 90ms op G1CollectForAllocation 1ms 89ms vm 1
             1 on-cpu 0ms 10ms
             1 waiting 10ms 80ms
             1 on-cpu 80ms 90ms
             2 blocked 0ms 900ms write gc.log stack do_get_write_access vfs_write",
            "absent",
        );
    }

    #[test]
    fn a_sample_of_the_wait_is_enough_where_it_can_be_no_other_file() {
        let sampled = BLOCKED
            .replace("write gc.log stack io_schedule", "- - sampled stack")
            .replace(" ext4_dirty_inode vfs_write", "");
        check(&CAUSE, &sampled, "present 980ms inferred journal-commit");
        let only =
            format!("missing scheduler\nmissing kernel-stacks\nrecorded thread-samples\n{sampled}");
        check(&CAUSE, &only, "present 980ms inferred journal-commit");
        check(&CAUSE, &format!("{sampled}\nmapped /tmp/hsperfdata_app/42"), "absent");
        check(&CAUSE, &sampled.replace("do_get_write_access", "something_else"), "absent");
        let file = BLOCKED.replace("write gc.log stack", "- gc.log sampled stack");
        check(&CAUSE, &file, "present 980ms inferred journal-commit");
    }

    #[test]
    fn samples_speak_for_the_pauses_of_a_log() {
        let text = "
            missing scheduler
            missing kernel-stacks
            recorded thread-samples
            jvm 17.0.15 g1 log gc.log
            thread 1 vm-thread VM Thread
            log 1000ms [1.000s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 900.000ms
            1 on-cpu 100ms 150ms sampled
            1 blocked 150ms 950ms - gc.log sampled stack do_get_write_access
            1 on-cpu 950ms 1000ms sampled";
        check(&CAUSE, text, "present 800ms inferred journal-commit");
    }

    #[test]
    fn holder_of_the_log_lock_is_found_in_samples() {
        let text = "
            missing scheduler
            missing kernel-stacks
            recorded thread-samples
            jvm 17.0.15 g1 log gc.log
            thread 1 vm-thread VM Thread
            thread 2 vm-internal G1 Service
            log 1000ms [1.000s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 900.000ms
            1 on-cpu 100ms 150ms sampled
            2 blocked 150ms 950ms write gc.log sampled stack balance_dirty_pages
            1 on-cpu 950ms 1000ms sampled";
        check(&CAUSE, text, "present 800ms inferred dirty-throttling");
        let unknown = "unknown scheduler";
        check(&CAUSE, &text.replace("G1 Service", "AsyncLog Threa"), unknown);
        check(&CAUSE, &text.replace("write gc.log", "write other.log"), unknown);
        // the VM thread was at work all the time
        check(&CAUSE, &text.replace("100ms 150ms sampled", "100ms 1000ms sampled"), unknown);
    }

    #[test]
    fn where_threads_have_no_names_the_one_that_writes_the_log_is_known() {
        let text = "
            missing safepoint-probes
            jvm 8.0.432 g1 log gc.log
            thread 1 java java
            thread 2 java java
            log 1000ms [1.000s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 900.000ms
            2 blocked 150ms 950ms write gc.log stack do_get_write_access vfs_write";
        check(&CAUSE, text, "present 800ms measured journal-commit");
        check(&CAUSE, &text.replace("write gc.log", "write app.log"), "absent");
    }

    #[test]
    fn an_application_thread_that_writes_its_own_file_is_none() {
        check(
            &CAUSE,
            "jvm 17.0.15 g1 log gc.log
             thread 1 vm-thread VM Thread
             thread 3 java http-1
             safepoint 0ms 500ms op G1CollectForAllocation 490ms 499ms vm 1
             1 waiting 0ms 490ms
             3 blocked 0ms 489ms write app.log stack do_get_write_access vfs_write
             1 on-cpu 490ms 500ms",
            "absent",
        );
    }

    #[test]
    fn a_page_fault_is_no_write() {
        check(
            &CAUSE,
            "jvm 17.0.15 g1 log gc.log
             thread 1 vm-thread VM Thread
             safepoint 0ms 500ms op G1CollectForAllocation 1ms 499ms vm 1
             1 blocked 0ms 500ms fault data.bin stack io_schedule filemap_fault",
            "absent",
        );
    }

    #[test]
    fn without_the_scheduler_nothing_is_claimed() {
        check(
            &CAUSE,
            "missing scheduler\nsafepoint 0ms 500ms op G1CollectForAllocation 1ms 499ms vm 1",
            "unknown scheduler",
        );
    }
}
