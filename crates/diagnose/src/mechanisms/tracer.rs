//! # Tracer
//!
//! ## What happens
//! A debugger or tracer is attached to the process (`gdb`, `strace`, `gcore`, `jstack -F`, `jmap -F`) and holds its threads, one by one, while it inspects them.
//!
//! ## What proves it
//! The thread is in a trace stop, with `ptrace_stop` or what calls it in its kernel stack.
//!
//! ## What looks alike
//! `stop-signal`: a signal stops the whole process at once; the state is `T` and not `t`.
//!
//! ## Remedies
//! `jcmd`, and `jstack` and `jmap` without `-F`, attach to the JVM and stop it for a safepoint only.
//!
//! ## References
//! Linux `kernel/signal.c` (`ptrace_stop`, `do_jobctl_trap`); `ptrace(2)`.
use crate::Mechanism;

/// Linux 4.18 to 6.18: also under `do_jobctl_trap` and `ptrace_notify`.
pub(super) static MECHANISM: Mechanism = Mechanism {
    id: "tracer",
    title: "Tracer",
    phrase: "a debugger or tracer",
    causes: &["frozen-or-traced"],
    page: crate::page!("tracer.rs"),
    frames: &[
        "ptrace_stop",
        "ptrace_do_notify",
        "ptrace_notify",
        "do_jobctl_trap",
        "ptrace_signal",
    ],
    below: &[],
};

#[cfg(test)]
mod tests {
    use crate::mechanisms::check_stop;

    #[test]
    fn a_thread_at_a_system_call_or_a_trap() {
        check_stop("ptrace_stop ptrace_notify", "tracer");
        check_stop("ptrace_stop do_jobctl_trap get_signal", "tracer");
    }
}
