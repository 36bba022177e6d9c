//! From tallies to findings, verdicts and what remains unexplained.
use crate::{
    Attribution, Cause, Finding, Unexplained, Verdict, Watched, attribution::Tallies,
    case::Segment, causes, index::Index, syscalls, tally::Tally,
};
use recording::{Source, ThreadState};
use std::{collections::BTreeMap, time::Duration};

/// How many unexplained things are listed.
const MOST: usize = 10;

/// Findings in the order of reports: faults before ordinary costs, most time first.
pub(crate) fn of(tallies: &Tallies, index: &Index<'_>, stopped: Duration) -> Vec<Finding> {
    let mut findings: Vec<_> = tallies
        .iter()
        .map(|(&order, tally)| finding(causes::ALL[order], tally, index, stopped))
        .collect();
    findings.sort_by_key(|it| (!it.cause.is_fault, std::cmp::Reverse(it.time)));
    findings
}

fn finding(cause: &'static Cause, tally: &Tally, index: &Index<'_>, stopped: Duration) -> Finding {
    let mut explanation = (cause.explain)(tally, index);
    explanation.advice.sort_by_key(|it| it.when);
    Finding {
        cause,
        certainty: tally.certainty(),
        pauses: tally.pauses,
        time: tally.time,
        longest: tally.longest,
        share: if stopped.is_zero() {
            0.0
        } else {
            tally.time.as_secs_f64() / stopped.as_secs_f64()
        },
        mechanisms: tally.mechanism_shares(),
        place: cause.is_fault.then(|| tally.place(index)).flatten(),
        story: explanation.story,
        culprits: explanation.culprits,
        evidence: explanation.evidence,
        advice: explanation.advice,
    }
}

/// The verdict on every cause.
pub(crate) fn verdicts(tallies: &Tallies, recorded: &dyn Fn(Source) -> bool) -> Vec<Watched> {
    let verdict = |order: usize, cause: &Cause| {
        let missing: Vec<_> =
            cause.needs.iter().copied().filter(|&source| !recorded(source)).collect();
        match (tallies.contains_key(&order), missing.is_empty()) {
            (true, _) => Verdict::Present,
            (false, true) => Verdict::Absent,
            (false, false) => Verdict::Unknown(missing),
        }
    };
    causes::ALL
        .iter()
        .enumerate()
        .map(|(order, cause)| Watched { cause, verdict: verdict(order, cause) })
        .collect()
}

/// Stopped time that no cause claimed, by what was seen.
#[derive(Debug, Default)]
pub(crate) struct Remainder {
    by_what: BTreeMap<String, Duration>,
}

impl Remainder {
    /// Adds a piece.
    pub(crate) fn add(&mut self, segment: &Segment, index: &Index<'_>, time: Duration) {
        *self.by_what.entry(what(segment, index)).or_default() += time;
    }

    /// Most time first.
    pub(crate) fn finish(self) -> Vec<Unexplained> {
        let mut list: Vec<_> =
            self.by_what.into_iter().map(|(what, time)| Unexplained { what, time }).collect();
        list.sort_by(|a, b| b.time.cmp(&a.time).then_with(|| a.what.cmp(&b.what)));
        list.truncate(MOST);
        list
    }
}

fn what(segment: &Segment, index: &Index<'_>) -> String {
    if segment.tid == 0 {
        return "a log cannot tell what happened".into();
    }
    let thread = index.thread_name(segment.tid);
    match segment.state {
        None => format!("{thread} was not seen"),
        Some(ThreadState::OnCpu) => format!("{thread} ran"),
        Some(ThreadState::Runnable) => format!("{thread} had no CPU"),
        Some(ThreadState::Throttled) => format!("{thread} was throttled by its CPU quota"),
        Some(ThreadState::Stopped) => {
            format!("{thread} was stopped by a signal, a debugger or the freezer")
        }
        Some(ThreadState::Blocked) if segment.idle => {
            format!("{thread} waited, nobody saw for whom")
        }
        Some(ThreadState::Blocked) => blocked(segment, &thread, index),
    }
}

fn blocked(segment: &Segment, thread: &str, index: &Index<'_>) -> String {
    let frames: Vec<_> = index.frames(segment.stack).iter().take(6).map(String::as_str).collect();
    let stack = if frames.is_empty() { String::new() } else { format!(": {}", frames.join(" < ")) };
    format!("{thread} blocked in {}{stack}", syscalls::call(segment.entered))
}

/// Sum of the unattributed parts.
pub(crate) fn unattributed(pauses: &[Attribution]) -> Duration {
    pauses.iter().map(|it| it.unattributed).sum()
}
