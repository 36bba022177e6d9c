//! # Log from a thread that no request waits for
//!
//! ## What it changes
//! In the settings of the logger: an asynchronous appender with a bounded queue that drops what finds no room (`AsyncAppender` with `neverBlock`, `AsyncLogger` with `log4j2.asyncQueueFullPolicy=Discard`).
//! Or the log in a file of bounded size in place of standard output.
//!
//! ## What it costs
//! Lines that find no room are lost while the reader stands still.
//!
//! ## References
//! Logback `AsyncAppender` (`neverBlock`), Log4j 2 `AsyncQueueFullPolicy`.
use crate::{Advice, Remedy};
use diagnose::{Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "log-aside",
    title: "Log from a thread that no request waits for",
    summary: "An asynchronous appender with a bounded queue drops lines rather than hold up a request.",
    page: diagnose::page!("log_aside.rs"),
    advise,
    ..Remedy::BASE
};

fn advise(_situation: &Situation, _finding: &Finding) -> Vec<Advice> {
    vec![Advice::in_code(
        "log through an asynchronous appender with a bounded queue that does not block, or to a file",
        "lines that find no room are dropped while the reader stands still",
    )]
}
