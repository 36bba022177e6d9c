//! # Page fault on a mapped file (major fault)
//!
//! ## What happens
//! A Java thread reads (or writes) memory that is mapped to a file, as with `MappedByteBuffer`.
//! If the page is not in memory, the kernel reads it from the disk, and the thread sleeps inside an ordinary load instruction.
//! The JVM counts it as running Java code, so it must come to the safepoint before the safepoint can begin.
//! Every other application thread stands still for as long as the disk takes.
//! The GC log shows a short collection and a long time to safepoint, or nothing at all.
//!
//! ## What proves it
//! The last application thread to stop is blocked in a page fault with a stack through `filemap_fault` (or through `do_page_mkwrite`, for a write).
//! The file is named by the tracepoint `filemap:mm_filemap_fault` (Linux 6.12 and later), on older kernels at the entry of `filemap_fault`, where the kernel lets programs run there (fentry).
//!
//! ## What looks alike
//! `late-java-thread`: the last thread to stop runs on a CPU and needs no disk.
//! `gc-log-write-blocked`: the VM thread waits in a write, after the application has stopped.
//! `cpu-contention`: the last thread to stop is runnable and waits for a CPU.
//! `deleted-file-unmap`: a mapping of a deleted file ends.
//! Its remedy, the library of `java/unmap/README.md`, prevents no page fault on a file that is in use.
//!
//! ## References
//! HotSpot `runtime/safepoint.cpp`, `runtime/safepointMechanism.hpp` (`_thread_in_Java`, `_thread_in_native`).
//! Linux `mm/filemap.c` (`filemap_fault`), `mm/memory.c` (`do_page_mkwrite`).
//! Apache Kafka pull request 7540 and Apache ActiveMQ Artemis ARTEMIS-2317 met it in production.
use crate::{
    Cause, Class, Nature, WaitLocation,
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

/// Reading a page takes this long only from a busy disk.
const LONG: Duration = Duration::from_millis(50);

pub(super) static CAUSE: Cause = Cause {
    id: "mapped-file-fault",
    title: "Page fault on a mapped file (major fault)",
    short: "page fault on a mapped file",
    needs: &[Source::Scheduler, Source::KernelStacks],
    nature: Nature::Fault,
    class: Class::Disk,
    remedies: &["read-through-channel", "warm-mapping", "compressed-logging", "background-io"],
    page: crate::page!("mapped_file_fault.rs"),
    claims: Claims::AtLeast(MIN_BLOCKED, is_file_fault),
    suspicion: Some(suspicion),
    explain,
    ..Cause::BASE
};

/// A page that is in memory, but not yet mapped, is a fault too, and so is one from a fast disk.
/// Less than this in a pause is negligible.
const MIN_BLOCKED: Duration = Duration::from_millis(1);

fn is_file_fault(_case: &Case<'_>, segment: &Segment<'_>) -> bool {
    segment.waits_for(Wait::MappedPage)
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    let place = tally.place(index).unwrap_or_default();
    let file = tally.main_site().and_then(|it| it.0.file);
    // A page that is to be written waits for the journal, or for its way to the disk.
    let mechanisms = tally.mechanism_shares();
    let reads = mechanisms.first().is_none_or(|it| it.id == "block-queue-wait");
    let waited = Waited { file, reads };
    let blocked = format!("{} blocked in page faults", place.thread);
    let culprits = culprits::writers(tally, index, waited);
    Explanation {
        story: story(tally, &place),
        culprits,
        detail: culprits::own_writes(tally, index, waited),
        evidence: vec![spent_in_stops(tally, &blocked)],
    }
}

fn story(tally: &Tally, place: &WaitLocation) -> Vec<String> {
    let why = tally.mechanism_shares().first().map_or_else(
        || " until the page had been read from the disk".to_owned(),
        |it| format!(", waiting for {}", it.phrase),
    );
    vec![
        format!(
            "{} stalled in a page fault on {}{why}.",
            text::the_thread(&place.thread),
            text::file(place)
        ),
        "The thread counts as running Java code, so every other application thread waited for \
         it."
        .into(),
    ]
}

/// A thread that reads mapped files does so all the time: most stops meet it.
fn suspicion(clues: &Clues<'_>) -> Option<Suspicion> {
    if clues.part != LogPart::Reaching {
        return None;
    }
    Some(Suspicion::new(2, "start with -XX:+SafepointTimeout: it names the thread; mapped files are in /proc/PID/maps").pro(3, clues.usual()).pro(1, clues.longest_from(LONG)))
}

#[cfg(test)]
mod tests {
    use super::CAUSE;
    use crate::{
        as_text::facts::{case_of, check},
        case::PausePhase,
    };

    const FAULT: &str = "
        jvm 17.0.15 g1
        thread 1 vm-thread VM Thread
        thread 7 java mmap-reader
        safepoint 0ms 640ms op G1CollectForAllocation 630ms 639ms vm 1
        1 waiting 0ms 630ms
        7 on-cpu 0ms 1ms
        7 blocked 1ms 629ms fault index.bin stack io_schedule folio_wait_bit_common filemap_fault __do_fault
        7 on-cpu 629ms 630ms
        1 on-cpu 630ms 640ms";

    #[test]
    fn the_straggler_waits_for_a_page() {
        check(&CAUSE, FAULT, "present 628ms measured");
        case_of(FAULT, |case| {
            let faults = case.segments.iter().filter(|it| super::is_file_fault(case, it));
            assert!(faults.map(|it| it.phase).all(|it| it == PausePhase::Reaching));
        });
    }

    #[test]
    fn one_millisecond_is_a_wait_and_less_is_not() {
        let fault = |us: u64| {
            format!(
                "jvm 17.0.15 g1
                 thread 1 vm-thread VM Thread
                 thread 7 java reader
                 safepoint 0us 9000us op ThreadDump 5000us 8999us vm 1
                 1 waiting 0us 5000us
                 7 blocked 0us {us}us fault index.bin stack filemap_fault"
            )
        };
        check(&CAUSE, &fault(999), "absent");
        check(&CAUSE, &fault(1000), "present 1ms measured");
    }

    #[test]
    fn a_write_to_a_mapping_waits_for_the_journal() {
        let write = FAULT.replace(
            "folio_wait_bit_common filemap_fault",
            "do_get_write_access ext4_page_mkwrite do_page_mkwrite",
        );
        check(&CAUSE, &write, "present 628ms measured journal-commit");
    }

    #[test]
    fn from_samples_the_file_is_enough() {
        let sampled = FAULT
            .replace("stack io_schedule", "sampled stack")
            .replace(" filemap_fault __do_fault", "");
        check(&CAUSE, &sampled, "present 628ms inferred");
        check(&CAUSE, &sampled.replace("sampled", ""), "absent");
    }

    #[test]
    fn memory_swapped_out_is_no_file() {
        check(&CAUSE, &FAULT.replace("filemap_fault", "do_swap_page"), "absent");
    }

    #[test]
    fn a_thread_that_only_reads_through_a_channel_holds_up_nobody() {
        check(
            &CAUSE,
            "jvm 17.0.15 g1
             thread 1 vm-thread VM Thread
             thread 7 java reader
             safepoint 0ms 10ms op G1CollectForAllocation 1ms 9ms vm 1
             1 on-cpu 0ms 10ms
             7 blocked 0ms 600ms read index.bin stack io_schedule folio_wait_bit_common filemap_read",
            "absent",
        );
    }

    #[test]
    fn without_stacks_nothing_is_claimed() {
        check(&CAUSE, &format!("missing kernel-stacks\n{FAULT}"), "unknown kernel-stacks");
    }
}
