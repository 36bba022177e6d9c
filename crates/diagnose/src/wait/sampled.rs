//! What a page fault was for that was only sampled.
//!
//! A sample has at most one function of the kernel's stack, and faults on swapped memory, on a mapped
//! file and on the JVM's counters sleep in the same ones. So each is distinguished by more than that: which
//! thread it was, what it has mapped, and what the host counted at that moment.
use crate::{
    facts::{index::Index, stacks::Sign},
    mechanisms,
};
use recording::{Interval, OffCpuCause, ThreadRole};
use std::time::Duration;

/// What a page fault waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Memory that comes back from swap.
    Swap,
    /// The JVM's file of counters.
    Counters,
    /// A file that the application has mapped.
    Mapped,
    /// Memory that others' pages must be written out for.
    Reclaim,
}

/// What a sample of a page fault waits for, where that can be concluded.
pub(super) fn fault(
    index: &Index<'_>,
    role: ThreadRole,
    entered: Option<OffCpuCause>,
    stack: Option<u32>,
    interval: Interval,
) -> Option<Fault> {
    // More than one function, or none, is no sample of a place.
    let [_] = index.frames(stack) else { return None };
    let signs = index.signs(stack);
    let is_fault = entered == Some(OffCpuCause::PageFault);
    let for_page = signs.has(Sign::Page);
    if signs.has(Sign::SwapAlone) {
        return Some(Fault::Swap);
    }
    let for_room = is_fault && signs.has(Sign::Queue);
    let for_swap = for_room || (for_page && (is_fault || entered.is_none()));
    if for_swap && swaps(index, interval) {
        return Some(Fault::Swap);
    }
    let for_disk = for_page || mechanisms::of_stack(index, stack).is_some();
    let counters = index.counters_file_on_disk().is_some();
    match role {
        _ if !is_fault || !for_disk => None,
        // The JVM's own threads write to no other mapping of a file.
        role if role != ThreadRole::Java && counters => Some(Fault::Counters),
        role if role != ThreadRole::Java => {
            (for_page && reclaims(index, interval)).then_some(Fault::Reclaim)
        }
        _ if !counters => Some(Fault::Mapped),
        // A Java thread counts, too: unless it read a page, which the counters are never out of.
        _ if for_page => reads(index, interval).then_some(Fault::Mapped),
        // It wrote, and so to the only file that it can write to.
        _ => (!signs.has(Sign::Queue) && index.maps_counters_alone()).then_some(Fault::Counters),
    }
}

/// Whether the JVM has memory in swap and the host read from there at that time.
fn swaps(index: &Index<'_>, interval: Interval) -> bool {
    let own = index.jvm.map(|jvm| jvm.pid);
    let rows = index.facts.map_or(&[][..], |facts| &facts.memory);
    let own = rows.iter().filter(|it| Some(it.pid) == own).map(|it| it.swapped_bytes).max();
    own != Some(0) && grew(index, "vmstat.pswpin", interval)
}

/// Whether threads waited for want of memory meanwhile, and none of the host for a page to be read.
/// A page that is waited for then is on its way out: the kernel waits for that in reclaim for a group
/// of version 1 (`mm/vmscan.c`, `shrink_folio_list`), and counts the wait as pressure. The kernel's
/// count may be read a little before the wait ends, so half of the wait is enough.
fn reclaims(index: &Index<'_>, interval: Interval) -> bool {
    let pressure = index.growth("psi.memory.some_us", &[interval]).map(Duration::from_micros);
    let read = index.growth("vmstat.pgmajfault", &[interval]);
    let group = index.facts.and_then(|it| it.cgroup.as_ref());
    let limited = group.is_some_and(|it| it.version == 1 && it.memory_max_bytes.is_some());
    limited && read == Some(0) && pressure.is_some_and(|it| it * 2 >= interval.duration())
}

fn reads(index: &Index<'_>, interval: Interval) -> bool {
    grew(index, "vmstat.pgmajfault", interval)
}

fn grew(index: &Index<'_>, counter: &str, interval: Interval) -> bool {
    index.growth(counter, &[interval]).is_some_and(|it| it > 0)
}

#[cfg(test)]
mod tests {
    use crate::{as_text::facts::check, causes};

    /// A worker of the collector waits for a page, seen by samples alone.
    const WORKER: &str = "
        missing scheduler
        missing kernel-stacks
        recorded thread-samples
        jvm 17.0.15 g1
        thread 1 vm-thread VM Thread
        thread 2 gc-worker GC Thread#0
        safepoint 0ms 500ms op G1CollectForAllocation 1ms 499ms vm 1
        2 blocked 10ms 490ms fault - sampled stack folio_wait_bit_common";
    const SWAPPED: &str = "
        memory 4242 java /app 0ms 900 20
        sample vmstat.pswpin 0ms 100
        sample vmstat.pswpin 500ms 101";
    const COUNTERS: &str = "mapped ext4 /tmp/hsperfdata_app/4242";

    /// A Java thread, while threads are being stopped.
    const JAVA: &str = "
        missing scheduler
        missing kernel-stacks
        recorded thread-samples
        jvm 17.0.15 g1
        thread 1 vm-thread VM Thread
        thread 7 java reader
        safepoint 0ms 500ms op ThreadDump 490ms 499ms vm 1
        7 blocked 10ms 490ms fault - sampled stack folio_wait_bit_common";

    /// What `cause` says of `text`: its time, and that it is only concluded.
    #[track_caller]
    fn holds(id: &str, text: &str, expected: &str) {
        let cause = causes::ALL.iter().find(|it| it.id == id).expect("the cause is known");
        check(cause, text, expected);
    }

    #[test]
    fn journal_wait_of_java_thread_is_a_write_to_its_only_mapped_file() {
        let text = "
            missing scheduler
            missing kernel-stacks
            recorded thread-samples
            jvm 17.0.15 g1
            thread 7 java writer
            7 blocked 10ms 490ms fault - sampled stack do_get_write_access";
        let with = |files: &str| format!("{text}\n{files}");
        let id = "hsperfdata-write-blocked";
        let present = "present 480ms inferred journal-commit";
        holds(id, &with(COUNTERS), present);
        holds(id, &with(&format!("{COUNTERS}\nmapped tmpfs /dev/shm/queue")), present);
        let unknown = "unknown scheduler kernel-stacks";
        holds(id, &with(&format!("{COUNTERS}\nmapped ext4 /data/index")), unknown);
        holds(id, text, unknown);
        let read = text.replace("do_get_write_access", "folio_wait_bit_common");
        holds(id, &format!("{read}\n{COUNTERS}"), unknown);
    }

    #[test]
    fn a_page_from_swap_where_the_jvm_is_swapped_and_the_host_reads() {
        holds("swap-in", &format!("{WORKER}{SWAPPED}"), "present 480ms inferred");
        let java = format!("{JAVA}{SWAPPED}");
        holds("swap-in", &java, "present 480ms inferred");
        holds("mapped-file-fault", &java, "unknown scheduler kernel-stacks");
    }

    #[test]
    fn a_function_of_swap_alone_is_enough() {
        let text = WORKER.replace("folio_wait_bit_common", "__read_swap_cache_async");
        holds("swap-in", &text, "present 480ms inferred");
        let queue = WORKER.replace("folio_wait_bit_common", "rq_qos_wait");
        holds("swap-in", &queue, "unknown scheduler kernel-stacks");
        let queue = format!("{queue}{SWAPPED}");
        holds("swap-in", &queue, "present 480ms inferred block-queue-wait");
    }

    #[test]
    fn without_either_it_is_no_swap() {
        let unknown = "unknown scheduler kernel-stacks";
        holds("swap-in", WORKER, unknown);
        let still = format!("{WORKER}{SWAPPED}").replace("500ms 101", "500ms 100");
        holds("swap-in", &still, unknown);
        let none = format!("{WORKER}{SWAPPED}").replace("0ms 900 20", "0ms 900 0");
        holds("swap-in", &none, unknown);
    }

    /// While the kernel counted this pressure and this number of pages read.
    fn under_pressure(text: &str, pressure_us: u64, reads: u64) -> String {
        format!(
            "{text}
             cgroup v1 limit 512
             sample psi.memory.some_us 0ms 7
             sample psi.memory.some_us 500ms {}
             sample vmstat.pgmajfault 0ms 9
             sample vmstat.pgmajfault 500ms {}",
            7 + pressure_us,
            9 + reads
        )
    }

    #[test]
    fn unread_page_is_written_out_where_memory_is_short() {
        let (id, unknown) = ("direct-reclaim", "unknown scheduler");
        holds(id, WORKER, unknown);
        holds(id, &under_pressure(WORKER, 240_000, 0), "present 480ms inferred");
        holds(id, &under_pressure(WORKER, 239_999, 0), unknown);
        holds(id, &under_pressure(WORKER, 240_000, 1), unknown);
        let swapped = format!("{}{SWAPPED}", under_pressure(WORKER, 240_000, 0));
        holds(id, &swapped, unknown);
        let counters = format!("{}\n{COUNTERS}", under_pressure(WORKER, 240_000, 0));
        holds(id, &counters, unknown);
        holds(id, &under_pressure(JAVA, 240_000, 0), unknown);
        let pressed = under_pressure(WORKER, 240_000, 0);
        holds(id, &pressed.replace("cgroup v1", "cgroup v2"), unknown);
        holds(id, &pressed.replace(" limit 512", ""), unknown);
        let other = WORKER.replace("folio_wait_bit_common", "do_get_write_access");
        holds(id, &under_pressure(&other, 240_000, 0), unknown);
    }

    #[test]
    fn the_jvms_own_threads_fault_on_its_counters_where_these_are_on_a_disk() {
        let id = "hsperfdata-write-blocked";
        holds(id, &format!("{WORKER}\n{COUNTERS}"), "present 480ms inferred");
        let memory = COUNTERS.replace("ext4", "tmpfs");
        holds(id, &format!("{WORKER}\n{memory}"), "unknown scheduler kernel-stacks");
        let journal = WORKER.replace("folio_wait_bit_common", "do_get_write_access");
        holds(id, &format!("{journal}\n{COUNTERS}"), "present 480ms inferred journal-commit");
    }

    #[test]
    fn a_java_thread_faults_on_a_file_of_the_application() {
        holds("mapped-file-fault", JAVA, "present 480ms inferred");
        let both = format!("{JAVA}\n{COUNTERS}");
        let unknown = "unknown scheduler kernel-stacks";
        holds("mapped-file-fault", &both, unknown);
        holds("hsperfdata-write-blocked", &both, unknown);
        let reads = "sample vmstat.pgmajfault 0ms 1\nsample vmstat.pgmajfault 500ms 2";
        holds("mapped-file-fault", &format!("{both}\n{reads}"), "present 480ms inferred");
    }

    #[test]
    fn other_functions_prove_nothing() {
        let text = JAVA.replace("folio_wait_bit_common", "something_new");
        holds("mapped-file-fault", &text, "unknown scheduler kernel-stacks");
    }

    #[test]
    fn a_call_is_no_fault() {
        let text = JAVA.replace("fault -", "read data.bin");
        holds("mapped-file-fault", &text, "unknown scheduler kernel-stacks");
    }

    #[test]
    fn outside_of_stops_the_applications_own_files_are_its_own_affair() {
        let hiccup = "
            missing scheduler
            missing kernel-stacks
            recorded thread-samples
            jvm 17.0.15 g1
            thread 7 java reader
            7 blocked 10ms 490ms fault - sampled stack folio_wait_bit_common";
        holds("mapped-file-fault", hiccup, "unknown scheduler kernel-stacks");
        holds("swap-in", &format!("{hiccup}{SWAPPED}"), "present 480ms inferred");
    }
}
