//! # Control group freezer
//!
//! ## What happens
//! The control group of the process was frozen: every thread of it stays where it is until the group is thawed.
//! `docker pause`, a checkpoint, a backup of a container and batch systems do that; suspending a host freezes in the same way.
//!
//! ## What proves it
//! The kernel marks the thread as frozen (`frozen` in its `task_struct` with version 2 of control groups, the state `TASK_FROZEN` or the flag `PF_FROZEN` with version 1).
//! Where that was not recorded, `do_freezer_trap` or `__refrigerator` in its kernel stack says so; on most kernels since 6.1 the first is inlined.
//! Samples without privilege take it from the group's own file: `frozen 1` in `cgroup.events`, `FROZEN` in `freezer.state`.
//!
//! ## What looks alike
//! `stop-signal`: stopped by a signal.
//! A group that is to be frozen then counts as frozen, too, but the thread is in the state `T`.
//! `tracer`: a debugger holds one thread after the other.
//!
//! ## Remedies
//! Find the process that freezes (`cgroup:cgroup_freeze`), and let it do so when no request waits for the JVM, or not at all.
//!
//! ## References
//! Linux `kernel/cgroup/freezer.c` (`cgroup_enter_frozen`), `kernel/signal.c` (`do_freezer_trap`), `kernel/freezer.c` (`__refrigerator`, `__freeze_task`).
use crate::Mechanism;

/// Version 2 has a trap of its own since Linux 5.2; version 1 uses the refrigerator of suspending.
pub(super) static MECHANISM: Mechanism = Mechanism {
    id: "control-group-freezer",
    title: "Control group freezer",
    phrase: "the freezer of its control group",
    causes: &["frozen-or-traced"],
    page: crate::page!("control_group_freezer.rs"),
    frames: &[
        "do_freezer_trap",
        "cgroup_enter_frozen",
        "__refrigerator",
        "try_to_freeze",
        "freezing_slow_path",
    ],
    below: &[],
};

#[cfg(test)]
mod tests {
    use crate::facts::index::Index;
    use crate::mechanisms::{check_stop, of_stop};
    use recording::Facts;

    #[test]
    fn both_versions_of_the_freezer() {
        check_stop("cgroup_enter_frozen do_freezer_trap get_signal", "control-group-freezer");
        check_stop("__refrigerator get_signal", "control-group-freezer");
    }

    #[test]
    fn the_freezer_is_inlined_on_most_kernels_and_then_the_flag_tells() {
        check_stop("get_signal arch_do_signal_or_restart", "none");
        let facts = Facts::default();
        let found = of_stop(&Index::new(&facts), None, true).map(|it| it.id);
        assert_eq!(found, Some("control-group-freezer"));
    }
}
