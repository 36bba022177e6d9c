//! # Stop signal
//!
//! ## What happens
//! A process sent the JVM `SIGSTOP`, or a terminal `SIGTSTP`, `SIGTTIN` or `SIGTTOU`; no thread of it runs until it gets `SIGCONT`.
//! Tools that limit CPU use (`cpulimit`), job control of a shell and some watchdogs do that.
//!
//! ## What proves it
//! The thread is stopped, with `do_signal_stop` in its kernel stack.
//!
//! ## What looks alike
//! `control-group-freezer`: the control group was frozen; the threads are not in the state `T` then.
//! `tracer`: a debugger holds the threads; the state is `t`.
//!
//! ## Remedies
//! Find the process that sends the signal (`signal:signal_generate`) and exclude the JVM there; limit CPU with a quota.
//!
//! ## References
//! Linux `kernel/signal.c` (`do_signal_stop`); `signal(7)`.
use crate::Mechanism;

pub(super) static MECHANISM: Mechanism = Mechanism {
    id: "stop-signal",
    title: "Stop signal",
    phrase: "a signal (SIGSTOP or the like)",
    causes: &["frozen-or-traced"],
    page: crate::page!("stop_signal.rs"),
    frames: &["do_signal_stop", "do_group_exit_stop"],
    below: &[],
};

#[cfg(test)]
mod tests {
    use crate::mechanisms::check_stop;

    #[test]
    fn a_signal_that_a_tracer_passed_on_is_a_signal() {
        check_stop("do_signal_stop get_signal", "stop-signal");
        check_stop("do_signal_stop ptrace_signal get_signal", "stop-signal");
    }
}
