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
    Cause, Class, Culprit, CulpritKind, HazardKind, Likelihood, Nature, Scope,
    account::tally::Tally,
    case::{Case, Segment},
    cause::{
        Claims, Explanation,
        exposure::{Check, Exposed, Exposure},
    },
    culprits::stalled,
    facts::index::Index,
    wait::{Wait, outputs},
};
use recording::{OutputFact, OutputReaderFact, Source};

pub(super) static CAUSE: Cause = Cause {
    id: "output-write-blocked",
    title: "Write to a pipe or a terminal blocked",
    short: "pipe full",
    needs: &[Source::Scheduler, Source::KernelStacks],
    nature: Nature::Fault,
    class: Class::Disk,
    remedies: &["log-aside"],
    page: crate::page!("output_write_blocked.rs"),
    hazards: &[HazardKind {
        id: "output-reader-stopped",
        title: "The process that reads standard output is stopped",
        subject: "reader of standard output",
        about: "The JVM's standard output is a pipe or a terminal, and the process at its other end is stopped by a signal or a debugger. A pipe holds 64 KiB: when it is full, each thread that prints waits until that process goes on.",
        scope: Scope::Jvm,
        check: reader_stopped,
    }],
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

/// Where the GC log goes there, `gc-log-on-stdout` says it.
fn reader_stopped(exposure: &Exposure<'_>) -> Check {
    let facts = &exposure.survey.facts;
    let mut outputs = facts.outputs.iter().filter(|it| !it.gc_log).peekable();
    if outputs.peek().is_none() {
        return Check::Inapplicable;
    }
    let stopped = outputs.find_map(|output| {
        let reader = facts.output_readers.iter().rfind(|it| it.fd == output.fd)?;
        matches!(reader.state.as_str(), "T" | "t").then(|| of_stopped(output, reader))
    });
    Check::of(stopped)
}

fn of_stopped(output: &OutputFact, reader: &OutputReaderFact) -> Exposed {
    let name = outputs::name(output.fd).unwrap_or("a stream");
    let who = format!("{} (pid {})", reader.name, reader.pid);
    let kind = outputs::kind(output);
    let statement = format!(
        "The JVM writes {name} to a {kind}, and {who}, which reads it, is stopped: when it is full, threads that print wait."
    );
    Exposed {
        culprits: vec![Culprit {
            kind: CulpritKind::Process,
            name: reader.name.clone(),
            pid: Some(reader.pid),
            statement: format!("{who} is stopped, and reads nothing"),
        }],
        ..Exposed::new(Likelihood::Likely, statement)
    }
}

#[cfg(test)]
mod tests {
    use crate::hazards::check;

    #[test]
    fn a_reader_that_is_stopped_fills_the_pipe() {
        let hazard =
            |text: &str, expected: &str| check(text, &format!("output-write-blocked {expected}"));
        let pipe = "jvm 17.0.15 g1\noutput 1 pipe pipe:[9] looked 40 0\nreader 1 77 cat";
        let said = "likely output-reader-stopped: The JVM writes standard output to a pipe, and cat (pid 77), which reads it, is stopped: when it is full, threads that print wait.";
        hazard(&format!("{pipe} T 100ms"), said);
        hazard(&format!("{pipe} t 100ms"), said);
        hazard(&format!("{pipe} S 100ms"), "");
        hazard("jvm 17.0.15 g1", "");
        // another hazard
        hazard(&format!("{} T 100ms", pipe.replace(" looked", " log looked")), "");
    }
}
