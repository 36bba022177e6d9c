//! # hsperfdata write blocked
//!
//! ## What happens
//! Every JVM keeps its counters, for `jps` and `jstat`, in a file that it has mapped: `/tmp/hsperfdata_USER/PID`.
//! It counts each safepoint and each collection there, from the VM thread, while the application is stopped or about to be.
//! That is a store to memory, until the kernel writes the page to the disk: then the next store is a page fault that must first notify the file system that the page changes, and waits for the journal or for the disk like any write.
//! All application threads wait for the update of one counter.
//! The disk need not be busy with the JVM's own data: writes of any other process to the file system of `/tmp` are enough.
//!
//! ## What proves it
//! A thread of the JVM that all others wait for is blocked in a page fault on that file, with `do_page_mkwrite` or `fault_dirty_shared_page` in its stack.
//! The address of the fault names the counter.
//! In the log the time may be anywhere: before the threads were stopped, inside the collection, or around it.
//!
//! ## What looks alike
//! `gc-log-write-blocked`: the same thread waits for the same disk, but in `write()` to the log.
//! `mapped-file-fault`: a thread of the application waits for a file of its own.
//! `late-java-thread`: the log shows a long time to safepoint there, too, but it is a Java thread that is late.
//!
//! ## References
//! HotSpot `os/posix/perfMemory_posix.cpp` (`create_sharedmem_file`), `runtime/perfMemory.hpp`, `services/runtimeService.cpp`; JDK-8076103.
//! Linux `mm/memory.c` (`do_page_mkwrite`, `fault_dirty_shared_page`), `fs/ext4/inode.c` (`ext4_page_mkwrite`).
//! Evan Jones: "The Four Month Bug: JVM statistics cause garbage collection pauses", 2015.
mod hazards;

use crate::{
    Cause, Class, Nature, WaitLocation,
    account::tally::Tally,
    case::{Case, LogPart, Segment},
    cause::{
        Claims, Explanation,
        clues::{Clues, Suspicion},
        os_evidence::spent,
    },
    culprits::{self, Waited},
    facts::index::Index,
    text,
    wait::Wait,
};
use recording::Source;
use std::time::Duration;

/// A page fault of this length waits for the disk.
const LONG: Duration = Duration::from_millis(250);

pub(super) static CAUSE: Cause = Cause {
    id: "hsperfdata-write-blocked",
    title: "hsperfdata write blocked",
    short: "hsperfdata write blocked",
    needs: &[Source::Scheduler, Source::KernelStacks],
    nature: Nature::Fault,
    class: Class::Disk,
    remedies: &[
        "perf-shared-mem-off",
        "hsperfdata-to-tmpfs",
        "compressed-logging",
        "background-io",
    ],
    hazards: &hazards::HAZARDS,
    page: crate::page!("hsperfdata_write_blocked.rs"),
    claims: Claims::AtLeast(MIN_BLOCKED, is_counter),
    suspicion: Some(suspicion),
    explain,
    ..Cause::BASE
};

/// Each safepoint may wait for its own journal a little. Less than this in a pause is
/// negligible.
const MIN_BLOCKED: Duration = Duration::from_millis(1);

fn is_counter(_case: &Case<'_>, segment: &Segment<'_>) -> bool {
    segment.waits_for(Wait::Counters)
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    let place = place(tally, index);
    let file = index.counters_file_on_disk().map(|it| it.key);
    let waited = Waited { file, reads: false };
    Explanation {
        story: story(tally, index, &place),
        culprits: culprits::writers(tally, index, waited),
        detail: culprits::own_writes(tally, index, waited),
        evidence: vec![spent(
            tally,
            Source::Scheduler,
            &format!("{} blocked in page faults on hsperfdata", place.thread),
        )],
    }
}

/// Where the kernel did not tell the file of the fault, it is named all the same.
fn place(tally: &Tally, index: &Index<'_>) -> WaitLocation {
    let mut place = tally.place(index).unwrap_or_default();
    if let Some(file) = index.counters_file_on_disk().filter(|_| place.path.is_empty()) {
        place.path.clone_from(&file.path);
        place.file_system.clone_from(&file.file_system);
        place.device.clone_from(&file.device_name);
    }
    place
}

fn story(tally: &Tally, index: &Index<'_>, place: &WaitLocation) -> Vec<String> {
    let why = tally
        .mechanism_shares()
        .first()
        .map_or_else(String::new, |it| format!(", waiting for {}", it.phrase));
    let counter = counter(tally, index)
        .map_or_else(|| "a counter".to_owned(), |name| format!("the counter `{name}`"));
    vec![
        format!(
            "{} stalled in a page fault while updating {counter} in {}{why}.",
            text::the_thread(&place.thread),
            text::file(place)
        ),
        who_waited(tally),
    ]
}

/// Counters are changed at safepoints, but also by threads that take new memory for themselves.
fn who_waited(tally: &Tally) -> String {
    let when = match (tally.hiccups, tally.pauses) {
        (0, _) => return "All application threads waited for this thread.".into(),
        (hiccups, pauses) if hiccups < pauses => format!("In {hiccups} of {pauses} pauses no"),
        _ => "No".into(),
    };
    format!(
        "{when} safepoint was under way: other threads ran on until they needed what this one held, \
         such as the lock of the heap."
    )
}

/// The counter at which most of the time was spent. A fault may be anywhere in its value.
fn counter<'a>(tally: &Tally, index: &Index<'a>) -> Option<&'a str> {
    let (&offset, _) = tally.offsets.iter().max_by_key(|it| it.1)?;
    let counters = &index.facts?.perf_counters;
    let inside = counters.iter().find(|it| it.offset <= offset && offset - it.offset < it.length);
    inside.map(|it| it.name.as_str())
}

/// A log cannot show the page fault, but that a few pauses waited long and the kernel did nothing.
fn suspicion(clues: &Clues<'_>) -> Option<Suspicion> {
    let is_reaching = clues.part == LogPart::Reaching;
    let base = match clues.part {
        LogPart::Reaching => 3,
        LogPart::Around | LogPart::Waiting | LogPart::Beyond => 2,
        _ => return None,
    };
    let is_off = clues.switch("PerfDisableSharedMem") == Some(true)
        || clues.switch("UsePerfData") == Some(false);
    let is_on = !clues.flags().is_empty() && !is_off;
    let test = "start with -XX:+PerfDisableSharedMem: if it stops, this was it";
    Some(
        Suspicion::new(base, test)
            .pro(1, is_on.then(|| "no -XX:+PerfDisableSharedMem among its flags".to_owned()))
            .pro(1, clues.idle_in_kernel().filter(|_| !is_reaching))
            .pro(1, clues.rare().filter(|_| is_reaching))
            .pro(1, clues.longest_from(LONG).filter(|_| is_reaching))
            .con(2, clues.waits_elsewhere().filter(|_| is_reaching))
            .con(4, clues.many_short())
            .con(2, clues.usual())
            .con(20, is_off.then(|| "its flags keep the counters out of any file".to_owned())),
    )
}

#[cfg(test)]
mod tests;
