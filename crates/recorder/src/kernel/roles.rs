//! What a thread of HotSpot is for, by its name.
//!
//! The kernel keeps 15 bytes of a name (`TASK_COMM_LEN`), so these are beginnings.
//! The names are given in HotSpot's `*Thread::name`, `WorkerThreads` and `ConcurrentGCThread`
//! constructors. JDK 8 gives none to the kernel: all its threads are `java`.
use recording::ThreadRole;

/// The first beginning that fits decides.
const BEGINNINGS: &[(&str, ThreadRole)] = &[
    ("VM Thread", ThreadRole::VmThread),
    // Serial has none; Parallel and G1 since JDK 11, JDK 9 and 10, CMS.
    ("GC Thread#", ThreadRole::GcWorker),
    ("ParGC Thread", ThreadRole::GcWorker),
    ("Gang worker#", ThreadRole::GcWorker),
    ("GC task thread", ThreadRole::GcWorker),
    ("Shenandoah GC T", ThreadRole::GcWorker),
    ("ZWorker", ThreadRole::GcWorker),
    ("Safepoint Clean", ThreadRole::GcWorker),
    ("G1 Service", ThreadRole::VmInternal),
    ("G1 Young RemSet", ThreadRole::VmInternal),
    ("G1 ", ThreadRole::GcConcurrent),
    ("CMS ", ThreadRole::GcConcurrent),
    ("Concurrent Mark", ThreadRole::GcConcurrent),
    ("Shenandoah", ThreadRole::GcConcurrent),
    ("RuntimeWorker#", ThreadRole::GcConcurrent),
    ("ZDirector", ThreadRole::GcConcurrent),
    ("ZDriver", ThreadRole::GcConcurrent),
    ("ZStat", ThreadRole::VmInternal),
    ("ZUncommitter", ThreadRole::VmInternal),
    ("ZUnmapper", ThreadRole::VmInternal),
    ("C1 CompilerThre", ThreadRole::Compiler),
    ("C2 CompilerThre", ThreadRole::Compiler),
    ("JVMCI", ThreadRole::Compiler),
    ("VM Periodic Tas", ThreadRole::VmInternal),
    ("AsyncLog", ThreadRole::VmInternal),
    ("JFR Sampler", ThreadRole::VmInternal),
    ("JFR Thread Samp", ThreadRole::VmInternal),
    ("StringDedupProc", ThreadRole::VmInternal),
    ("StrDedup", ThreadRole::VmInternal),
];

/// The role of a thread with this name.
pub(crate) fn role_of(name: &str) -> ThreadRole {
    BEGINNINGS
        .iter()
        .find(|(beginning, _)| name.starts_with(beginning))
        .map_or(ThreadRole::Java, |(_, role)| *role)
}

/// Whether a thread with this name sleeps while the application runs. The workers of ZGC and
/// Shenandoah do not, which collect beside it.
pub(crate) fn works_only_in_stops(name: &str) -> bool {
    let beside = ["Shenandoah", "ZWorker"];
    role_of(name) == ThreadRole::GcWorker && !beside.iter().any(|it| name.starts_with(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concurrent_gc_threads_do_not_work_only_in_stops() {
        for name in ["GC Thread#0", "ParGC Thread#1", "Gang worker#2"] {
            assert!(works_only_in_stops(name), "{name}");
        }
        for name in ["ZWorkerYoung#0", "Shenandoah GC T", "G1 Conc#0", "VM Thread", "main"] {
            assert!(!works_only_in_stops(name), "{name}");
        }
    }

    fn check(role: ThreadRole, names: &[&str]) {
        for name in names {
            assert_eq!(role_of(name), role, "{name}");
        }
    }

    #[test]
    fn names_tell_roles() {
        check(ThreadRole::VmThread, &["VM Thread"]);
        check(
            ThreadRole::GcWorker,
            &["GC Thread#0", "GC Thread#17", "ParGC Thread#1", "ZWorkerYoung#0"],
        );
        check(
            ThreadRole::GcConcurrent,
            &["G1 Conc#0", "G1 Main Marker", "G1 Refine#0", "CMS Main Thread"],
        );
        check(ThreadRole::Compiler, &["C1 CompilerThre", "C2 CompilerThre"]);
        check(ThreadRole::VmInternal, &["VM Periodic Tas", "G1 Service", "AsyncLog Threa"]);
    }

    #[test]
    fn threads_that_stop_at_a_safepoint_are_java_threads() {
        let stops = ["Monitor Deflati", "Signal Dispatch", "Service Thread", "Finalizer", "main"];
        check(ThreadRole::Java, &stops);
        check(ThreadRole::Java, &["java", "", "GC thread of ours", "pool-1-thread-1"]);
    }
}
