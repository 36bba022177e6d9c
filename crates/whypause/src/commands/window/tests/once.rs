//! One stop is one row, in the order of time, whichever source reports it first.
use super::*;

/// Stops of 20 ms that begin at these times, in milliseconds, as probes or counters tell them.
fn stops(begins: &[u64]) -> Vec<SafepointFact> {
    begins.iter().map(|it| safepoint(it * 1_000_000, 20)).collect()
}

/// The lines of the same in a log whose uptime began at 0; each was read `late_ms` after the end.
fn lines(begins: &[u64], late_ms: u64) -> Vec<LogLine> {
    let of_stop = |begin: &u64| {
        let end = begin + 20;
        let stamp = format!("[{}.{:03}s]", end / 1_000, end % 1_000);
        let gc = format!(
            "{stamp}[info][gc] GC({begin}) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 19.000ms"
        );
        let stop = format!(
            "{stamp}[info][safepoint] Safepoint \"G1CollectForAllocation\", Time since last: 5 ns, Reaching safepoint: 1000 ns, At safepoint: 19999000 ns, Total: 20000000 ns"
        );
        [gc, stop].map(|text| LogLine { read: at(end + late_ms), offset: 0, text })
    };
    begins.iter().flat_map(of_stop).collect()
}

fn coverage(sources: &[Source]) -> Option<Coverage> {
    let mut coverage = Coverage::default();
    coverage.sources.extend(sources.iter().map(|it| (*it, SourceState::Recorded)));
    Some(coverage)
}

const PROBES: &[Source] = &[Source::SafepointProbes, Source::Scheduler, Source::GcLog];
const COUNTERS: &[Source] = &[Source::SafepointCounters, Source::ThreadSamples, Source::GcLog];

/// Batches of facts, each with the time at which it came, into a window of all stops; the begins of those
/// that are reported, rounded to 10 ms, in the order in which they are.
fn reported_starts(batches: Vec<(u64, Facts)>) -> Vec<u64> {
    let mut window = Window::new(Duration::from_millis(5), true);
    let mut reported = Vec::new();
    let mut take = |window: &mut Window, now: MonoTime| {
        let diagnoses = pauses(window.ended(now)).into_iter().chain(window.short(now));
        let pauses = diagnoses.flat_map(|it| it.pauses);
        reported.extend(pauses.map(|it| (it.pause.start_ns + 5_000_000) / 10_000_000 * 10));
    };
    for (now, facts) in batches {
        window.add(facts, at(now));
        take(&mut window, at(now));
    }
    take(&mut window, MonoTime(u64::MAX));
    reported
}

#[test]
fn lines_that_come_before_it_is_known_that_there_are_probes() {
    let begins = [1_000, 1_040, 1_100];
    let first = Facts { log_lines: lines(&begins, 5), ..Facts::default() };
    let second =
        Facts { safepoints: stops(&begins), coverage: coverage(PROBES), ..Facts::default() };
    assert_eq!(reported_starts(vec![(1_200, first), (1_800, second)]), begins);
}

#[test]
fn probes_that_come_late() {
    let (before, all) = ([1_000, 1_040, 1_100], [1_000, 1_040, 1_100, 1_900, 2_000]);
    let first = Facts {
        log_lines: lines(&before, 1),
        coverage: coverage(&[Source::Scheduler, Source::GcLog]),
        ..Facts::default()
    };
    let second = Facts {
        log_lines: lines(&all[3..], 1),
        safepoints: stops(&all),
        coverage: coverage(PROBES),
        ..Facts::default()
    };
    let batches = vec![(1_200, first), (1_800, Facts::default()), (2_100, second)];
    assert_eq!(reported_starts(batches), all);
}

#[test]
fn stops_that_counters_tell_until_the_log_does() {
    for late_ms in [0, 5, 90] {
        let all = [1_000, 1_040, 1_100, 1_900, 2_000, 2_050];
        let of_counters = |begins: &[u64]| Facts {
            safepoints: stops(begins),
            coverage: coverage(COUNTERS),
            ..Facts::default()
        };
        let first = of_counters(&all[..3]);
        // The lines of what counters told come only now.
        let second = Facts { log_lines: lines(&all, late_ms), ..of_counters(&all[3..]) };
        let batches = vec![(1_200, first), (1_700, Facts::default()), (2_160, second)];
        assert_eq!(reported_starts(batches).len(), all.len(), "{late_ms}");
    }
}

/// The log gives microseconds: of a hundred stops a second, some are of one length.
#[test]
fn stops_of_one_length_in_the_log_are_each_told() {
    let (before, after) = ([1_000, 1_040, 1_100], [1_150, 1_200]);
    let first = Facts {
        log_lines: lines(&before, 1),
        coverage: coverage(&[Source::GcLog]),
        ..Facts::default()
    };
    let second = Facts { log_lines: lines(&after, 1), ..Facts::default() };
    let batches = vec![(1_200, first), (1_800, Facts::default()), (1_900, second)];
    assert_eq!(reported_starts(batches), [1_000, 1_040, 1_100, 1_150, 1_200]);
}

#[test]
fn a_log_that_was_silent_for_long_goes_on_telling() {
    let of = |begins: &[u64], with_lines: bool| Facts {
        safepoints: stops(begins),
        log_lines: if with_lines { lines(begins, 5) } else { Vec::new() },
        coverage: coverage(COUNTERS),
        ..Facts::default()
    };
    let later = 80_000;
    let batches = vec![
        (1_100, of(&[1_000], true)),
        (1_700, Facts::default()),
        (later, of(&[later - 600], false)),
        // Its line comes after what counters wait for.
        (later + 100, Facts { log_lines: lines(&[later - 600], 700), ..Facts::default() }),
    ];
    assert_eq!(reported_starts(batches).len(), 2);
}

#[test]
fn stop_cut_by_the_watch_does_not_repeat_another() {
    let begins = [1_000, 1_040, 1_100];
    for (at_begin, at_end) in [(true, false), (false, true)] {
        let mut safepoints = stops(&begins);
        safepoints[0].cut.begin = at_begin;
        safepoints[2].cut.end = at_end;
        let facts = Facts {
            safepoints,
            log_lines: lines(&begins, 5),
            coverage: coverage(PROBES),
            ..Facts::default()
        };
        assert_eq!(reported_starts(vec![(1_200, facts)]), begins, "{at_begin} {at_end}");
    }
}

#[test]
fn a_stop_that_waits_for_its_evidence_keeps_back_those_after_it() {
    let begins = [1_000, 1_200];
    let mut window = Window::new(Duration::from_millis(5), false);
    let mut facts = Facts {
        safepoints: stops(&begins),
        coverage: coverage(&[Source::SafepointProbes]),
        ..Facts::default()
    };
    let sources = &mut facts.coverage.get_or_insert_default().sources;
    sources.insert(Source::GcLog, SourceState::Missing(String::new()));
    // Who wrote during the first is not known yet.
    facts.append(blocked(10));
    facts.slices[0].interval = Interval::new(at(1_000), at(1_015));
    window.add(facts, at(1_250));
    assert_eq!(reported(&mut window, 1_300).len(), 0);
    assert_eq!(reported(&mut window, 1_520).len(), 2);
}
