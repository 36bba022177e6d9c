//! The known causes, one file each. The order is the order in which they claim a pause.
use crate::Cause;

mod allocation_stall;
mod cfs_throttling;
mod concurrent_mode_failure;
mod cpu_contention;
mod cpu_steal;
mod deleted_file_unmap;
mod direct_reclaim;
mod eden_shrunk;
mod evacuation_failure;
mod explicit_gc;
mod file_read_blocked;
mod file_sync_blocked;
mod file_write_blocked;
mod frozen_or_traced;
mod full_gc;
mod gc_locker;
mod gc_log_write_blocked;
mod gc_work;
mod heap_pressure;
mod hiccup_without_gc;
mod host_stood_still;
mod hsperfdata_write_blocked;
mod humongous_allocation;
mod inverted_parallelism;
mod late_java_thread;
mod long_remark;
mod mapped_file_fault;
mod memory_high_throttling;
mod metaspace_gc;
mod mmap_lock_contention;
mod outlier_collection;
mod output_write_blocked;
mod page_migration_wait;
mod promotion_failure;
mod reference_processing;
mod remote_file_system_wait;
mod slow_time_to_safepoint;
mod socket_send_blocked;
mod stop_beyond_gc;
mod swap_in;
mod system_time;
mod thp_compaction;
mod vm_operation;

/// All causes. Faults of the surroundings claim first, then faults of the application; what a GC
/// log shows goes from the particular to the general; then the ordinary cost of collections and
/// operations; and the symptoms, which explain nothing, last.
pub(crate) static ALL: [&Cause; 43] = [
    &frozen_or_traced::CAUSE,
    // Whatever a thread seemed to do then, it did nothing.
    &host_stood_still::CAUSE,
    &cfs_throttling::CAUSE,
    &hsperfdata_write_blocked::CAUSE,
    &swap_in::CAUSE,
    &memory_high_throttling::CAUSE,
    &thp_compaction::CAUSE,
    &direct_reclaim::CAUSE,
    // A write may wait for memory like anything else.
    &gc_log_write_blocked::CAUSE,
    &page_migration_wait::CAUSE,
    // A mapped file may be with a server as well.
    &remote_file_system_wait::CAUSE,
    &mapped_file_fault::CAUSE,
    &deleted_file_unmap::CAUSE,
    &mmap_lock_contention::CAUSE,
    &output_write_blocked::CAUSE,
    &socket_send_blocked::CAUSE,
    &file_sync_blocked::CAUSE,
    &file_write_blocked::CAUSE,
    &file_read_blocked::CAUSE,
    &cpu_contention::CAUSE,
    &cpu_steal::CAUSE,
    &late_java_thread::CAUSE,
    &concurrent_mode_failure::CAUSE,
    &promotion_failure::CAUSE,
    &explicit_gc::CAUSE,
    &metaspace_gc::CAUSE,
    &heap_pressure::CAUSE,
    &humongous_allocation::CAUSE,
    &evacuation_failure::CAUSE,
    &allocation_stall::CAUSE,
    &full_gc::CAUSE,
    &gc_locker::CAUSE,
    &reference_processing::CAUSE,
    &long_remark::CAUSE,
    &eden_shrunk::CAUSE,
    &gc_work::CAUSE,
    &vm_operation::CAUSE,
    &inverted_parallelism::CAUSE,
    &outlier_collection::CAUSE,
    &system_time::CAUSE,
    &slow_time_to_safepoint::CAUSE,
    &stop_beyond_gc::CAUSE,
    &hiccup_without_gc::CAUSE,
];

#[cfg(test)]
mod tests {
    use super::ALL;
    use crate::mechanisms;

    #[test]
    fn a_mechanism_names_causes_that_there_are() {
        for mechanism in mechanisms::all() {
            assert!(!mechanism.causes.is_empty(), "{}", mechanism.id);
            for id in mechanism.causes {
                assert!(ALL.iter().any(|it| it.id == *id), "{}: {id}", mechanism.id);
            }
        }
    }

    #[test]
    fn each_cause_says_what_it_is() {
        for cause in ALL {
            for text in [cause.id, cause.title, cause.short, cause.page] {
                assert!(!text.is_empty(), "{cause:?}");
            }
        }
    }

    #[test]
    fn ids_are_unique() {
        let mut ids: Vec<_> =
            ALL.iter().map(|it| it.id).chain(mechanisms::all().map(|it| it.id)).collect();
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all);
    }
}
