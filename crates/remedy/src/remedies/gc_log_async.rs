//! # Write the GC log from a thread of its own
//!
//! ## What it changes
//! `-Xlog:async`: the JVM puts each line into a buffer of 2 MiB (`-XX:AsyncLogBufferSize`), and a thread of its own writes it.
//! Only a start flag can do that; `jcmd` cannot.
//!
//! ## What it costs
//! Lines are dropped where the buffer is full, and the log says how many.
//! Since JDK 24 `-Xlog:async:stall` waits instead, which brings the pause back.
//! What is in the buffer is lost where the JVM crashes.
//!
//! ## How to see that it helped
//! No thread but `AsyncLog Thread` is seen in a write to the log: `whypause record`.
//!
//! ## How to undo it
//! Leave the flag out at the next start.
//!
//! ## References
//! HotSpot `logging/logAsyncWriter.cpp`; JDK-8229517.
//! Zhuang, Tran, Ramachandra, Sridharan: "OS-Caused Large JVM Pauses: Investigations and Solutions", 2016, approach 1.
use crate::{Action, Advice, Plan, Refusal, Remedy, Target, start_flags};
use diagnose::{Detail, Finding, Situation};

pub(super) static REMEDY: Remedy = Remedy {
    id: "gc-log-async",
    title: "Write the GC log from a thread of its own",
    summary: "JDK 17 and later hand the lines of the log to a thread that no other thread waits \
              for.",
    page: diagnose::page!("gc_log_async.rs"),
    advise,
    plan: Some(plan),
    ..Remedy::BASE
};

fn advise(situation: &Situation, finding: &Finding) -> Vec<Advice> {
    let knows = situation.feature().is_some_and(|it| it >= FIRST);
    // `-Xlog:async`, or `-Xlog:async:drop` and `-Xlog:async:stall` of later JDKs
    let is_async = |it: &String| it == "-Xlog:async" || it.starts_with("-Xlog:async:");
    if !knows || situation.flags().iter().any(is_async) {
        return Vec::new();
    }
    let instead = match finding.detail {
        Detail::Stream(_) => "instead, to keep the log there: ",
        _ => "",
    };
    vec![Advice::at_next_start(
        Action::flag("-Xlog:async"),
        format!(
            "{instead}lines are dropped, and the drop is logged, when its buffer of 2 MiB is full"
        ),
    )]
}

fn plan(target: &Target<'_>) -> Result<Plan, Refusal> {
    if target.situation.feature().is_some_and(|it| it < FIRST) {
        return Err(Refusal::new(
            format!("this JVM has no asynchronous log: that came with JDK {FIRST}"),
            "`whypause fix gc-log-to-tmpfs` moves the log of JDK 9 and later",
        ));
    }
    start_flags::plan(Plan::new(REMEDY.id), target, &["-Xlog:async"])
}

/// JEP 391.
const FIRST: u32 = 17;
