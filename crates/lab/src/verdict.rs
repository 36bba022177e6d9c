//! Whether the lab saw what it knows to be true.
use crate::{
    JudgedBy, Privilege,
    class::{Class, happens_anyway},
    lengths::time,
    result::{BlockedWrites, LONG, RunResult},
    scenarios::{self, Role},
};
use serde::Serialize;
use std::time::Duration;

/// By how much the explained and the measured time of blocked writes may differ, as a share of
/// the larger.
const LARGEST_DIFFERENCE_PERCENT: u128 = 5;

/// How much of the time that the workload measured in calls must be in stalls of the right cause.
const LEAST_FOUND_PERCENT: u64 = 95;

/// From this length on a call of a request is held up as if nothing had been fixed: faults hold up for some
/// hundred milliseconds, and a busy host for some ten.
const STILL_HELD_UP: Duration = Duration::from_millis(100);

/// Everything that came out of a run of the lab.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Whether everything was as it must be.
    pub passed: bool,
    /// What was not, one line each: `jdk 17, fault, run 1: …`.
    pub failures: Vec<String>,
    /// What could not be run or judged, and why.
    pub notes: Vec<String>,
    /// Each run.
    pub results: Vec<RunResult>,
}

/// Compares each run with the truth.
#[must_use]
pub(crate) fn judge(results: Vec<RunResult>, mut notes: Vec<String>) -> Outcome {
    let shown = results.iter().filter(|it| it.role == Role::Shown);
    notes.extend(shown.map(|it| {
        let late = it.late_outside.unwrap_or_default();
        let what = format!(
            "a thread was late by up to {} ms; the others by no more than {} ms: no pause is demanded",
            late.as_millis(),
            it.observed_longest.as_millis()
        );
        located(it, &what)
    }));
    notes.extend(no_dearer(&results));
    let unseen = results.iter().filter(|it| has_no_stalls(it));
    let unseen = unseen.filter(|it| it.may_lack_stalls());
    notes.extend(unseen.map(|it| located(it, "stalls were not recorded: nothing is demanded")));
    let failures: Vec<_> = results
        .iter()
        .flat_map(|it| failures(it).into_iter().map(move |what| located(it, &what)))
        .collect();
    Outcome { passed: failures.is_empty() && !results.is_empty(), failures, notes, results }
}

/// Faults that stopped their JVM for no longer than their baseline did, by the medians of all runs.
///
/// What was named did happen, and was measured; but where the baseline pays as much for something
/// else, the fix would not help, and that must not be hidden behind a right name.
fn no_dearer(results: &[RunResult]) -> Vec<String> {
    let same_host = |a: &RunResult, b: &RunResult| {
        let place = |it: &RunResult| (it.scenario, it.jdk.clone(), it.collector, it.privilege);
        place(a) == place(b)
    };
    let mut reported: Vec<&RunResult> = Vec::new();
    let mut notes = Vec::new();
    for fault in results.iter().filter(|it| it.role == Role::Fault && !has_no_stalls(it)) {
        if reported.iter().any(|it| it.variant == fault.variant && same_host(it, fault)) {
            continue;
        }
        reported.push(fault);
        let runs = |role: Role, variant: Option<&str>| -> Vec<&RunResult> {
            let of_it = |it: &&RunResult| it.role == role && same_host(it, fault);
            let named = |it: &&RunResult| variant.is_none_or(|name| it.variant == name);
            results.iter().filter(of_it).filter(named).collect()
        };
        let faults = runs(Role::Fault, Some(fault.variant));
        let stopped = |runs: &[&RunResult]| median(runs.iter().map(|it| it.total).collect());
        let (Some(with), Some(without)) = (stopped(&faults), stopped(&runs(Role::Baseline, None)))
        else {
            continue;
        };
        if with <= without {
            let own = median(faults.iter().map(|it| it.own_time()).collect());
            let what = match fault.judged_by {
                JudgedBy::Pauses => "stops",
                JudgedBy::Stalls => "stalls",
            };
            notes.push(format!(
                "jdk {}, {}: no cost is seen on this host: {} of {what}, {} in the baseline; `{}` \
                 has {} of the first",
                fault.jdk,
                fault.variant,
                time(with),
                time(without),
                fault.cause,
                time(own.unwrap_or_default()),
            ));
        }
    }
    notes
}

/// The middle one, or the later of the two in the middle; `None` of nothing.
fn median(mut times: Vec<Duration>) -> Option<Duration> {
    times.sort_unstable();
    times.get(times.len() / 2).copied()
}

fn located(result: &RunResult, what: &str) -> String {
    format!("jdk {}, {}, run {}: {what}", result.jdk, result.variant, result.run)
}

fn failures(result: &RunResult) -> Vec<String> {
    let mut found = match result.role {
        _ if has_no_stalls(result) => match result.may_lack_stalls() {
            false => vec!["stalls were not recorded".to_owned()],
            true => Vec::new(),
        },
        Role::Fault => fault(result),
        Role::Baseline | Role::Fixed => clean(result),
        Role::Eased => Vec::new(),
        Role::Shown => shown(result),
    };
    if let Some(writes) = &result.blocked_writes
        && disagree(writes)
    {
        found.push(format!(
            "blocked writes: {:.0?} measured, {:.0?} explained",
            writes.measured_in_pauses, writes.explained,
        ));
    }
    found
}

/// Whether it is judged by its stalls, and there is nothing to judge.
fn has_no_stalls(result: &RunResult) -> bool {
    result.judged_by == JudgedBy::Stalls && result.stalled.is_none()
}

/// Of less than [`LONG`] in all there is too little to have an opinion on.
fn disagree(writes: &BlockedWrites) -> bool {
    let larger = writes.measured_in_pauses.max(writes.explained);
    let difference = writes.measured_in_pauses.abs_diff(writes.explained);
    larger >= LONG && difference.as_nanos() * 100 > larger.as_nanos() * LARGEST_DIFFERENCE_PERCENT
}

/// The fault must be observed by the application itself, be measured, and be named first.
fn fault(result: &RunResult) -> Vec<String> {
    let mut found = Vec::new();
    if result.observed_longest < LONG {
        found.push(format!("the fault did not strike: at most {:.0?}", result.observed_longest));
    } else if result.long.is_empty() {
        let (observed, noun) = (result.observed_longest, result.judged_by.noun());
        found.push(format!("the application observed {observed:.0?} and no {noun} was recorded"));
    } else if result.privilege == Privilege::Unprivileged {
        found.extend(wrong_class(result));
    } else if !result.first.as_deref().is_some_and(|it| result.is_right(it)) {
        let first = result.first.as_deref().unwrap_or("nothing");
        found.push(format!("`{first}` was named first, not `{}`", result.cause));
    } else if !result.causes.iter().any(|it| it.id == result.cause && it.certainty == "measured") {
        found.push(format!("`{}` was concluded and not measured", result.cause));
    } else {
        found.extend(wrong_mechanism(result));
        found.extend(lost_calls(result));
        found.extend(unconfirmed(result));
    }
    found
}

/// The calls that the workload measured must be found.
fn lost_calls(result: &RunResult) -> Option<String> {
    let it = result.stalled.as_ref()?;
    let (found, measured) = (it.found_ns / 1_000_000, it.measured_ns / 1_000_000);
    let is_lost =
        it.found_ns.saturating_mul(100) < it.measured_ns.saturating_mul(LEAST_FOUND_PERCENT);
    is_lost.then(|| format!("stalled calls: {measured} ms measured, {found} ms found"))
}

/// What no call confirms must not be said.
fn unconfirmed(result: &RunResult) -> Vec<String> {
    let all = result.stalled.iter().flat_map(|it| &it.unconfirmed);
    let what = |(cause, episodes): (&String, &u64)| {
        format!("`{cause}`: no call was measured in {episodes} of its stalls")
    };
    all.map(what).collect()
}

/// What is known to have been done must be reported, and not only that something was.
fn wrong_mechanism(result: &RunResult) -> Option<String> {
    let variant =
        scenarios::find(result.scenario).and_then(|it| it.variant(result.variant)).ok()?;
    let expected = variant.mechanism?;
    let cause = result.causes.iter().find(|it| it.id == result.cause)?;
    let reported = cause.mechanisms.first().map(String::as_str);
    let what = reported.map_or_else(|| "no mechanism".to_owned(), |it| format!("`{it}`"));
    (reported != Some(expected)).then(|| format!("{what} was reported, not `{expected}`"))
}

/// Without privilege samples tell what kind of thing it was, and not always which.
fn wrong_class(result: &RunResult) -> Option<String> {
    let first = result.first.as_deref().unwrap_or("nothing");
    let right = Class::same(first, result.cause);
    (!right).then(|| format!("`{first}` was named first, not the class of `{}`", result.cause))
}

/// A thread must be held up and the cause reported, also where no thread waited for that thread.
fn shown(result: &RunResult) -> Vec<String> {
    let late = result.late_outside.unwrap_or_default();
    if late < LONG {
        vec![format!("the fault did not strike: no thread was late by more than {late:.0?}")]
    } else if result.causes.iter().any(|it| it.id == result.cause) {
        Vec::new()
    } else {
        vec![format!("a thread was late by {late:.0?} and `{}` was not named", result.cause)]
    }
}

/// None of the causes that the lab can make may be named, but for those that happen anyway, for
/// the scenario's own where the variant tolerates pauses that are short, and for stalls that the workload
/// measured, too, as long as no request waits for them.
fn clean(result: &RunResult) -> Vec<String> {
    let variant = scenarios::find(result.scenario).and_then(|it| it.variant(result.variant));
    let tolerated = variant.ok().and_then(|it| it.tolerated);
    let is_own = |id: &str| tolerated.is_some() && id == result.cause;
    let made = |id: &str| scenarios::ALL.iter().any(|it| it.cause == id) && !happens_anyway(id);
    let stalled = result.stalled.as_ref();
    let is_confirmed = |id: &str| stalled.is_some_and(|it| it.confirms(id));
    let is_wrong = |id: &str| made(id) && !is_own(id) && !is_confirmed(id);
    let named = result.causes.iter().filter(|it| is_wrong(&it.id));
    let named = named.map(|it| format!("`{}` was named, with {:.0?}", it.id, it.time));
    let long = tolerated
        .filter(|it| result.longest > *it)
        .map(|it| format!("a pause of {} is longer than {}", time(result.longest), time(it)));
    let held_up = stalled.map(|it| Duration::from_nanos(it.request_longest_ns));
    let held_up = held_up
        .filter(|it| *it >= STILL_HELD_UP)
        .map(|it| format!("a request was still held up for {}", time(it)));
    named.chain(long).chain(held_up).chain(unconfirmed(result)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        explained::Explained,
        result::{Long, NamedCause, Stalled},
    };
    use std::{collections::BTreeMap, time::Duration};

    const ID: &str = "gc-log-write-blocked";

    /// Text in, verdict out: `VARIANT felt MS long N first CAUSE names CAUSE for MS
    /// jdk FEATURE [of SCENARIO] [by MECHANISM] [inferred] [measured MS found MS] [request MS]
    /// [unconfirmed CAUSE]`.
    fn check(text: &str, expected: &str) {
        let outcome = judge(vec![result(text)], Vec::new());
        let verdict = if outcome.passed { "passed" } else { &outcome.failures[0] };
        assert!(verdict.contains(expected), "{text}: {verdict}");
    }

    fn result(text: &str) -> RunResult {
        let words: Vec<_> = text.split(' ').collect();
        let after = |key| words.iter().position(|it| *it == key).and_then(|at| words.get(at + 1));
        let number = |key| after(key).map_or(0, |it| it.parse().unwrap());
        let id = if words[0] == "shown" { "deleted-file-unmap" } else { ID };
        let scenario = scenarios::find(after("of").unwrap_or(&id)).unwrap();
        let variant = scenario.variant(words[0]).unwrap();
        let mut result = RunResult::new(scenario, variant, &Explained::default(), &BTreeMap::new());
        result.jdk_feature = if after("jdk").is_some() { number("jdk") as u32 } else { 17 };
        result.observed_longest = Duration::from_millis(number("felt"));
        let long = Long { duration_ns: 50_000_000, first: "gc-work".to_owned() };
        result.long = vec![long; number("long") as usize];
        result.first = after("first").map(|it| (*it).to_owned());
        if words.contains(&"unprivileged") {
            result.privilege = Privilege::Unprivileged;
        }
        let ns = |key| number(key) * 1_000_000;
        result.stalled = words.contains(&"measured").then(|| Stalled {
            calls: 1,
            measured_ns: ns("measured"),
            found_ns: ns("found"),
            request_longest_ns: ns("request"),
            unconfirmed: after("unconfirmed").map(|it| ((*it).to_owned(), 1)).into_iter().collect(),
        });
        let certainty = if words.contains(&"inferred") { "inferred" } else { "measured" };
        result.causes.extend(after("names").map(|id| NamedCause {
            id: (*id).to_owned(),
            time: Duration::from_millis(number("for")),
            share: 0.0,
            nature: "fault".to_owned(),
            certainty: certainty.to_owned(),
            mechanisms: after("by").map(|it| (*it).to_owned()).into_iter().collect(),
            culprits: Vec::new(),
        }));
        result
    }

    #[test]
    fn a_fault_must_strike_and_be_measured_and_named_first() {
        let right = format!("first {ID} names {ID}");
        check(&format!("fault felt 50 long 1 {right}"), "passed");
        check(&format!("fault felt 49 long 1 {right}"), "did not strike");
        check("fault felt 900 long 0", "no pause was recorded");
        check(
            &format!("fault felt 900 long 3 first gc-work names {ID}"),
            "`gc-work` was named first",
        );
        check(&format!("fault felt 900 long 3 {right} inferred"), "not measured");
    }

    #[test]
    fn where_the_variant_has_a_mechanism_that_must_be_named_too() {
        let seen = format!("fault-slow-reader felt 900 long 3 first {ID} names {ID}");
        check(&format!("{seen} by pipe-full"), "passed");
        check(&format!("{seen} by journal-commit"), "`journal-commit` was reported, not");
        check(&seen, "no mechanism was reported, not `pipe-full`");
        check(&format!("fault felt 900 long 3 first {ID} names {ID} by journal-commit"), "passed");
    }

    #[test]
    fn a_freeze_that_is_reported_as_any_kind_of_stop_is_not_as_expected() {
        let right = "felt 900 long 3 first frozen-or-traced names frozen-or-traced";
        let of = |variant: &str| format!("{variant} of frozen-or-traced {right}");
        check(&of("fault"), "no mechanism was reported, not `control-group-freezer`");
        check(&format!("{} by stop-signal", of("fault")), "`stop-signal` was reported");
        check(&format!("{} by control-group-freezer", of("fault")), "passed");
        check(&format!("{} by stop-signal", of("fault-signal")), "passed");
        check(&format!("{} unprivileged", of("fault")), "passed");
    }

    #[test]
    fn without_privilege_the_class_is_enough() {
        let seen = "fault felt 900 long 3 first";
        check(&format!("{seen} hsperfdata-write-blocked unprivileged"), "passed");
        check(&format!("{seen} swap-in unprivileged"), "not the class of");
        check(&format!("{seen} hsperfdata-write-blocked"), "was named first");
    }

    #[test]
    fn what_stops_nobody_must_strike_a_thread_and_be_reported() {
        let check = |late_ms, names: &str, expected: &str| {
            let mut it = result(&format!("shown felt 9 long 0 {names}"));
            it.late_outside = Some(Duration::from_millis(late_ms));
            let outcome = judge(vec![it], Vec::new());
            let verdict = if outcome.passed { "passed" } else { &outcome.failures[0] };
            assert!(verdict.contains(expected), "{late_ms} {names}: {verdict}");
            assert!(outcome.notes[0].contains("no pause is demanded"), "{:?}", outcome.notes);
        };
        check(50, "names deleted-file-unmap", "passed");
        check(49, "names deleted-file-unmap", "did not strike");
        check(900, "names gc-work", "was not named");
        check(900, "names gc-work jdk 8", "was not named");
    }

    #[test]
    fn a_quiet_run_names_no_cause_of_the_lab() {
        check("baseline felt 40 long 0", "passed");
        check("baseline felt 90 long 1 first gc-work names gc-work", "passed");
        check(
            "baseline felt 40 long 0 names mapped-file-fault for 2",
            "`mapped-file-fault` was named",
        );
        check(&format!("fixed-async felt 40 long 0 names {ID} for 55"), "was named");
    }

    #[test]
    fn remedy_scenario_wants_its_cause_and_tolerates_short_pauses() {
        let fault = "fault of compressed-logging felt 900 long 3 first";
        check(&format!("{fault} {ID} names {ID}"), "passed");
        check(
            &format!("{fault} compressed-logging"),
            "was named first, not `gc-log-write-blocked`",
        );
        let fixed =
            format!("fixed-compressed of compressed-logging felt 90 long 1 names {ID} for 90");
        let judged = |text: &str, longest_ms| {
            let longest = Duration::from_millis(longest_ms);
            judge(vec![RunResult { longest, ..result(text) }], Vec::new()).failures
        };
        assert_eq!(judged(&fixed, 250), [""; 0]);
        assert!(judged(&fixed, 251)[0].ends_with("a pause of 251 ms is longer than 250 ms"));
        let other = fixed.replace(ID, "mapped-file-fault");
        assert!(judged(&other, 9)[0].contains("`mapped-file-fault` was named"));
        let busy = fixed.replace("fixed-compressed", "fixed-busy-disk");
        assert!(judged(&busy, 9)[0].contains("was named"));
    }

    #[test]
    fn a_jvm_without_probes_is_asked_for_the_same() {
        let seen = "fault felt 900 long 3 first";
        // builds of JDK 8 have none, those of 11 do
        for jdk in [8, 11] {
            check(&format!("{seen} {ID} names {ID} jdk {jdk}"), "passed");
            check(&format!("{seen} {ID} names {ID} inferred jdk {jdk}"), "not measured");
            check(&format!("{seen} inverted-parallelism jdk {jdk}"), "was named first");
            check(&format!("fault felt 900 long 0 jdk {jdk}"), "no pause was recorded");
        }
    }

    #[test]
    fn stalls_must_be_named_first_and_be_those_that_the_workload_measured() {
        let storm =
            "of fsync-storm felt 900 long 3 first file-sync-blocked names file-sync-blocked";
        let fault = format!("fault {storm}");
        check(&format!("{fault} measured 1000 found 950"), "passed");
        check(&format!("{fault} measured 1000 found 949"), "1000 ms measured, 949 ms found");
        check(&fault, "stalls were not recorded");
        check(&format!("{fault} unprivileged"), "passed");
        check(&format!("{fault} jdk 8"), "passed");
        check(&format!("{fault} jdk 11"), "stalls were not recorded");
        check(
            &format!("{fault} measured 1 found 1 unconfirmed file-sync-blocked"),
            "`file-sync-blocked`: no call was measured in 1 of its stalls",
        );
        // what else the workload measured may be first
        let write = fault.replace("first file-sync", "first file-write");
        check(&format!("{write} measured 1 found 1"), "passed");
        let read = fault.replace("first file-sync", "first file-read");
        check(&format!("{read} measured 1 found 1"), "`file-read-blocked` was named first");
        let none = "fault of fsync-storm felt 50 long 0 measured 100 found 0";
        check(none, "observed 50ms and no stall was recorded");
    }

    #[test]
    fn quiet_run_may_name_stalls_that_the_workload_measured_but_none_of_a_request() {
        let quiet =
            "baseline of fsync-storm felt 900 long 1 names file-sync-blocked for 9 measured 9";
        check(&format!("{quiet} found 9 request 99"), "passed");
        check(&format!("{quiet} found 9 request 100"), "still held up for 100 ms");
        check(&format!("{quiet} unconfirmed file-sync-blocked"), "was named");
        check("baseline of fsync-storm names mapped-file-fault measured 0", "was named");
        check("baseline of fsync-storm names file-write-blocked measured 0", "passed");
        let unconfirmed = "names file-write-blocked measured 0 unconfirmed file-write-blocked";
        check(&format!("baseline of fsync-storm {unconfirmed}"), "no call was measured in 1");
    }

    #[test]
    fn measured_and_explained_writes_agree_within_five_percent() {
        let check = |measured_ms, explained_ms, passed| {
            let mut it = result(&format!("fault felt 900 long 1 first {ID} names {ID}"));
            it.blocked_writes = Some(BlockedWrites {
                calls: 1,
                measured: Duration::from_millis(measured_ms),
                measured_in_pauses: Duration::from_millis(measured_ms),
                explained: Duration::from_millis(explained_ms),
                lost_events: 0,
            });
            assert_eq!(judge(vec![it], Vec::new()).passed, passed, "{measured_ms} {explained_ms}");
        };
        check(1000, 950, true);
        check(1000, 949, false);
        // too little to have an opinion on
        check(49, 0, true);
        check(50, 0, false);
    }

    #[test]
    fn a_fault_that_costs_no_more_than_its_baseline_is_said_to() {
        let of = |variant: &str, total_ms: &[u64]| -> Vec<RunResult> {
            let text = format!("{variant} felt 90 long 1 first {ID} names {ID} for 40");
            let run = |ms: &u64| RunResult { total: Duration::from_millis(*ms), ..result(&text) };
            total_ms.iter().map(run).collect()
        };
        let notes = |fault: &[u64], baseline: &[u64]| {
            let runs = of("fault", fault).into_iter().chain(of("baseline", baseline)).collect();
            judge(runs, Vec::new()).notes
        };
        let cheap = notes(&[700], &[700]);
        assert_eq!(cheap.len(), 1, "{cheap:?}");
        assert!(
            cheap[0].ends_with(
                "fault: no cost is seen on this host: 700 ms of stops, 700 ms in the \
                 baseline; `gc-log-write-blocked` has 40 ms of the first"
            ),
            "{cheap:?}"
        );
        assert_eq!(notes(&[701], &[700]), [""; 0]);
        // one odd run of three decides nothing
        assert_eq!(notes(&[100, 900, 900], &[700, 700, 2000]), [""; 0]);
        assert_eq!(notes(&[100, 600, 900], &[700, 700, 800]).len(), 1);
        // with nothing to compare with
        assert_eq!(notes(&[100], &[]), [""; 0]);
    }

    #[test]
    fn nothing_run_is_nothing_shown() {
        assert!(!judge(Vec::new(), Vec::new()).passed);
    }
}
