//! # Write to a pipe or a terminal blocked
//!
//! ## What happens
//! A thread writes to a pipe or a terminal that is full, and sleeps until the process at the other end reads.
//! Standard output of a container is such a pipe: a log line of the application (`System.out`, a console appender) waits for the container runtime's log driver.
//! Most loggers write under a lock, so that every thread that logs then waits for the first one.
//!
//! ## What proves it
//! The thread is blocked in the kernel in a write, with a stack through the pipe or the terminal, while no stop is under way.
//!
//! ## What looks alike
//! `gc-log-write-blocked`: the JVM's own log goes to the same pipe, and all threads stand still.
//! `socket-send-blocked`: the other end is a socket.
//! `file-write-blocked`: the output is a file.
//!
//! ## References
//! Linux `fs/pipe.c` (`pipe_write`), `drivers/tty/n_tty.c` (`n_tty_write`); `pipe(7)` on capacity.
use crate::{
    Cause, Class, Nature,
    account::tally::Tally,
    case::{Case, Segment},
    cause::{Claims, Explanation},
    culprits::stalled,
    facts::index::Index,
    wait::Wait,
};
use recording::Source;

pub(super) static CAUSE: Cause = Cause {
    id: "output-write-blocked",
    title: "Write to a pipe or a terminal blocked",
    short: "pipe full",
    needs: &[Source::Scheduler, Source::KernelStacks],
    nature: Nature::Fault,
    class: Class::Disk,
    remedies: &["log-aside"],
    page: crate::page!("output_write_blocked.rs"),
    of_stalls: true,
    claims: Claims::Segments(claims),
    explain,
    ..Cause::BASE
};

fn claims(case: &Case<'_>, segment: &Segment<'_>) -> bool {
    case.is_stall() && segment.waits_for(Wait::Output)
}

fn explain(tally: &Tally, index: &Index<'_>) -> Explanation {
    stalled::on_reader(tally, index)
}
