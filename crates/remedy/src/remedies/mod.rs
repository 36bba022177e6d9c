//! All remedies, one file each, in the order of their ids.
use crate::Remedy;

mod attach_gently;
mod background_io;
mod bounded_send;
mod break_up_late_code;
mod cfs_advice;
mod compressed_logging;
mod concurrent_collector;
mod concurrent_explicit_gc;
mod counted_loop_safepoints;
mod cpu_burst;
mod cpu_headroom;
mod cpu_quota;
mod cpu_times;
mod earlier_cycles;
mod earlier_reclaim;
mod explicit_unmap;
mod fewer_references;
mod find_host_pauses;
mod find_late_code;
mod find_who_stops;
mod g1_advice;
mod g1_earlier_cycles;
mod g1_region_size;
mod g1_reserve;
mod g1_young_floor;
mod gc_log_async;
mod gc_log_keeper;
mod gc_log_off_stdout;
mod gc_log_to_tmpfs;
mod gc_threads;
mod generational_zgc;
mod heap_residency;
mod host_headroom;
mod hsperfdata_to_tmpfs;
mod huge_page_collapse;
mod keep_heap;
mod larger_heap;
mod less_live_data;
mod local_files;
mod log_aside;
mod log_object_sizes;
mod memory_high;
mod memory_room;
mod metaspace_size;
mod more_concurrent_threads;
mod more_gc_threads;
mod move_interrupts;
mod name_operations;
mod newer_jdk;
mod newer_kernel;
mod no_explicit_gc;
mod no_huge_pages;
mod no_smaps;
mod no_swap;
mod numa_balancing;
mod parallel_references;
mod perf_shared_mem_off;
mod pretouch;
mod read_through_channel;
mod region_pinning;
mod safepoint_log;
mod safepoint_timeout;
mod scavenge_before_remark;
mod shorter_critical_sections;
mod smaller_objects;
mod sync_aside;
mod thp_defrag;
mod thp_tuner;
mod truncate_in_background;
mod warm_mapping;

pub use cfs_advice::sentence as quota_sentence;

/// In the order of their ids.
pub(crate) static ALL: [&Remedy; 70] = [
    &attach_gently::REMEDY,
    &background_io::REMEDY,
    &bounded_send::REMEDY,
    &break_up_late_code::REMEDY,
    &cfs_advice::REMEDY,
    &compressed_logging::REMEDY,
    &concurrent_collector::REMEDY,
    &concurrent_explicit_gc::REMEDY,
    &counted_loop_safepoints::REMEDY,
    &cpu_burst::REMEDY,
    &cpu_headroom::REMEDY,
    &cpu_quota::REMEDY,
    &cpu_times::REMEDY,
    &earlier_cycles::REMEDY,
    &earlier_reclaim::REMEDY,
    &explicit_unmap::REMEDY,
    &fewer_references::REMEDY,
    &find_host_pauses::REMEDY,
    &find_late_code::REMEDY,
    &find_who_stops::REMEDY,
    &g1_advice::REMEDY,
    &g1_earlier_cycles::REMEDY,
    &g1_region_size::REMEDY,
    &g1_reserve::REMEDY,
    &g1_young_floor::REMEDY,
    &gc_log_async::REMEDY,
    &gc_log_keeper::REMEDY,
    &gc_log_off_stdout::REMEDY,
    &gc_log_to_tmpfs::REMEDY,
    &gc_threads::REMEDY,
    &generational_zgc::REMEDY,
    &heap_residency::REMEDY,
    &host_headroom::REMEDY,
    &hsperfdata_to_tmpfs::REMEDY,
    &huge_page_collapse::REMEDY,
    &keep_heap::REMEDY,
    &larger_heap::REMEDY,
    &less_live_data::REMEDY,
    &local_files::REMEDY,
    &log_aside::REMEDY,
    &log_object_sizes::REMEDY,
    &memory_high::REMEDY,
    &memory_room::REMEDY,
    &metaspace_size::REMEDY,
    &more_concurrent_threads::REMEDY,
    &more_gc_threads::REMEDY,
    &move_interrupts::REMEDY,
    &name_operations::REMEDY,
    &newer_jdk::REMEDY,
    &newer_kernel::REMEDY,
    &no_explicit_gc::REMEDY,
    &no_huge_pages::REMEDY,
    &no_smaps::REMEDY,
    &no_swap::REMEDY,
    &numa_balancing::REMEDY,
    &parallel_references::REMEDY,
    &perf_shared_mem_off::REMEDY,
    &pretouch::REMEDY,
    &read_through_channel::REMEDY,
    &region_pinning::REMEDY,
    &safepoint_log::REMEDY,
    &safepoint_timeout::REMEDY,
    &scavenge_before_remark::REMEDY,
    &shorter_critical_sections::REMEDY,
    &smaller_objects::REMEDY,
    &sync_aside::REMEDY,
    &thp_defrag::REMEDY,
    &thp_tuner::REMEDY,
    &truncate_in_background::REMEDY,
    &warm_mapping::REMEDY,
];
