//! From tallies to findings and verdicts.
use crate::{
    Cause, Evidence, Finding, Nature, Rhythm, Stalls, Verdict, Watched,
    account::tally::{Tallies, Tally},
    answer::{diagnosis::lacks_for_stops, suspects},
    cause::{log_evidence, rhythm},
    causes,
    facts::index::Index,
    text,
};
use recording::Source;
use std::{cmp::Reverse, time::Duration};

/// Findings in the order of reports: most time first, so that none stands above a larger one. A fault
/// that shows outside the pauses, and has no time of its own, follows the other faults.
pub(crate) fn of(tallies: &Tallies, index: &Index<'_>, stopped: Duration) -> Vec<Finding> {
    let nothing = Tally::default();
    let mut findings: Vec<_> = causes::ALL
        .iter()
        .enumerate()
        .filter(|&(order, cause)| struck(order, cause, tallies, index))
        .map(|(order, cause)| {
            let tally = tallies.get(&order).unwrap_or(&nothing);
            let suspects = suspects::of(cause, tally, tallies, index);
            Finding { suspects, ..finding(cause, tally, index, stopped) }
        })
        .collect();
    let timed = findings.iter().filter(|it| it.cause.is_fault() && !it.time.is_zero());
    let least = timed.map(|it| it.time).min().unwrap_or_default();
    findings.sort_by_key(|it| {
        let is_outside = it.cause.is_fault() && it.time.is_zero();
        let place = if is_outside { least } else { it.time };
        // What the application lost counts, in pauses or not.
        let place = place.max(it.lost_outside);
        (Reverse(place), !it.cause.is_fault(), Reverse(it.time))
    });
    add_rhythm(&mut findings, tallies);
    findings
}

/// In a log with this many times as much running time as waiting, what shows only as a symptom is no finding:
/// 36 ms in an hour.
const TRIFLE: u32 = 100_000;
/// Nor is one of them this long.
const TRIFLE_AT_ONCE: Duration = Duration::from_millis(10);

/// Leaves out the symptoms that are negligible in a log of this span; zero where it is not known.
pub(crate) fn leave_out_trifles(tallies: &mut Tallies, span: Duration) {
    tallies.retain(|&order, tally| {
        let is_trifle = tally.longest < TRIFLE_AT_ONCE && tally.time * TRIFLE < span;
        !is_trifle || causes::ALL[order].nature != Nature::Symptom
    });
}

/// Whether a cause took part in a pause, or shows outside them.
fn struck(order: usize, cause: &Cause, tallies: &Tallies, index: &Index<'_>) -> bool {
    tallies.contains_key(&order) || lost_outside(cause, index).is_some()
}

/// What a cause that shows outside the pauses cost the threads there.
fn lost_outside(cause: &Cause, index: &Index<'_>) -> Option<Duration> {
    cause.outside_pauses.and_then(|shows| shows(index))
}

/// What is said of a cause of which `tally` has all.
pub(crate) fn of_one(cause: &'static Cause, tally: &Tally, index: &Index<'_>) -> Finding {
    finding(cause, tally, index, tally.time)
}

fn finding(cause: &'static Cause, tally: &Tally, index: &Index<'_>, stopped: Duration) -> Finding {
    let explanation = (cause.explain)(tally, index);
    Finding {
        cause,
        certainty: tally.certainty(),
        pauses: tally.pauses,
        hiccups: tally.hiccups,
        time: tally.time,
        in_hiccups: tally.in_hiccups,
        longest: tally.longest,
        squares: tally.squares,
        share: if stopped.is_zero() {
            0.0
        } else {
            tally.time.as_secs_f64() / stopped.as_secs_f64()
        },
        mechanisms: tally.mechanism_shares(),
        place: cause.is_fault().then(|| tally.place(index)).flatten(),
        story: explanation.story,
        culprits: explanation.culprits,
        evidence: explanation.evidence,
        rhythm: None,
        lost_outside: lost_outside(cause, index).unwrap_or_default(),
        suspects: Vec::new(),
        detail: explanation.detail,
    }
}

/// The verdict on every cause. Where nothing in a recording shows stops, none is ruled out: what
/// was seen of the threads may have been in a stop or not. Nor is any where `partial` sources are
/// there only in part: the missing rows may have been a stop, or show which thread delayed it. A cause of
/// stalls alone is one of `stalls`, where threads were watched for those.
pub(crate) fn verdicts(
    tallies: &Tallies,
    index: &Index<'_>,
    recorded: &dyn Fn(Source) -> bool,
    partial: &[Source],
    pauses: bool,
    stalls: Option<&Stalls>,
) -> Vec<Watched> {
    let unseen = index.facts.and_then(|_| lacks_for_stops(pauses, recorded));
    let of_stalls = |cause: &Cause| match stalls {
        None => Verdict::Unknown(cause.needs.to_vec()),
        Some(it) if it.has(cause) => Verdict::Present,
        Some(_) => Verdict::Absent,
    };
    let verdict = |order: usize, cause: &Cause| {
        if cause.of_stalls {
            return of_stalls(cause);
        }
        let lacks = |source: &Source| !recorded(*source);
        let mut missing: Vec<_> = cause.needs.iter().copied().filter(lacks).collect();
        if let (Some(unseen), true) = (unseen, missing.is_empty()) {
            missing.push(unseen);
        }
        if missing.is_empty() {
            missing.extend(partial);
        }
        match (struck(order, cause, tallies, index), missing.is_empty()) {
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

/// Tells the rhythm of all pauses that a log does not explain, as evidence of the largest of the
/// symptoms that show them. Where they have none together, one alone may have.
fn add_rhythm(findings: &mut [Finding], tallies: &Tallies) {
    let tally = |it: &Finding| {
        let order = causes::ALL.iter().position(|cause| cause.id == it.cause.id)?;
        tallies.get(&order).filter(|_| is_symptom(it))
    };
    let all: Vec<_> =
        findings.iter().filter_map(tally).flat_map(|it| it.windows.iter().copied()).collect();
    if let Some(rhythm) = rhythm::of(&all) {
        let largest = findings.iter_mut().find(|it| is_symptom(it));
        if let Some(it) = largest {
            it.evidence.push(evidence_of(rhythm));
            it.rhythm = Some(rhythm);
        }
        return;
    }
    for it in findings {
        if let Some(rhythm) = tally(it).and_then(|it| rhythm::of(&it.windows)) {
            it.evidence.push(evidence_of(rhythm));
            it.rhythm = Some(rhythm);
            return;
        }
    }
}

fn is_symptom(it: &Finding) -> bool {
    it.cause.nature == Nature::Symptom
}

/// `they come every 2 h 00 min, 5 times: check what the host does then`.
fn evidence_of(Rhythm { period, times, missing }: Rhythm) -> Evidence {
    let every = text::duration(period);
    let missing = match missing {
        0 => String::new(),
        n => format!(" (and {n} time{} none)", if n == 1 { "" } else { "s" }),
    };
    let text =
        format!("they come every {every}, {times} times{missing}: check what the host does then");
    log_evidence::seen(Duration::ZERO, text)
}

#[cfg(test)]
mod tests {
    use crate::as_text::facts::diagnose;

    /// One stop of 100 ms, in which the VM thread waited this long for a CPU and collected otherwise.
    fn ranked(without_cpu_ms: u64) -> Vec<&'static str> {
        let text = format!(
            "jvm 17.0.15 g1
             thread 1 vm-thread VM Thread
             safepoint 0ms 100ms op G1CollectForAllocation 0ms 100ms vm 1
             1 runnable 0ms {without_cpu_ms}ms held 77 stress
             1 on-cpu {without_cpu_ms}ms 100ms"
        );
        diagnose(&text).findings.iter().map(|it| it.cause.id).collect()
    }

    #[test]
    fn a_smaller_finding_does_not_stand_above_a_larger_one() {
        assert_eq!(ranked(49), ["gc-work", "cpu-contention"]);
        assert_eq!(ranked(51), ["cpu-contention", "gc-work"]);
        // Of two that are as large the fault comes first.
        assert_eq!(ranked(50), ["cpu-contention", "gc-work"]);
    }
}
