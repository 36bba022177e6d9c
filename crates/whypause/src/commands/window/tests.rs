//! What `watch` keeps, and when it tells.
use super::*;
use recording::{Coverage, LogLine, SafepointTotals, Sample, ThreadSlice, WriterFact};

const SECOND: u64 = 1_000_000_000;

/// The time in milliseconds.
fn at(ms: u64) -> MonoTime {
    MonoTime(ms * 1_000_000)
}

fn safepoint(begin_ns: u64, length_ms: u64) -> SafepointFact {
    let end = MonoTime(begin_ns) + Duration::from_millis(length_ms);
    SafepointFact {
        begin: MonoTime(begin_ns),
        resumed: Some(end),
        end_probe: end,
        vm_tid: 7,
        operations: Vec::new(),
        detailed: false,
        reaching: SafepointTotals::default(),
        operating: SafepointTotals::default(),
        cgroup_throttled: Duration::ZERO,
        cut: recording::Cut::WHOLE,
    }
}

fn facts(safepoints: Vec<SafepointFact>) -> Facts {
    let mut coverage = Coverage::default();
    coverage.sources.insert(Source::SafepointProbes, SourceState::Recorded);
    Facts { safepoints, coverage: Some(coverage), ..Facts::default() }
}

fn reported(window: &mut Window, now_ms: u64) -> Vec<Duration> {
    let diagnoses = pauses(window.ended(at(now_ms)));
    let pauses = diagnoses.iter().flat_map(|it| &it.pauses);
    pauses.map(|it| it.pause.duration).collect()
}

/// The diagnoses of pauses among those.
fn pauses(ended: Vec<Ended>) -> Vec<Diagnosis> {
    let of = |it| match it {
        Ended::Pauses(it) => Some(*it),
        Ended::Stall(..) => None,
    };
    ended.into_iter().filter_map(of).collect()
}

#[test]
fn both_sides_of_the_threshold() {
    let mut window = Window::new(Duration::from_millis(50), false);
    let both = facts(vec![safepoint(SECOND, 49), safepoint(2 * SECOND, 50)]);
    window.add(both, at(2_100));
    assert_eq!(reported(&mut window, 2_550), [Duration::from_millis(50)]);
}

#[test]
fn a_pause_waits_for_its_evidence_and_is_reported_once() {
    let mut window = Window::new(Duration::from_millis(50), false);
    assert_eq!(window.due(), None);
    window.add(facts(vec![safepoint(SECOND, 80)]), at(1_200));
    // From its end, however late it came.
    assert_eq!(window.due(), Some(at(1_580)));
    assert_eq!(reported(&mut window, 1_579), []);
    assert_eq!(reported(&mut window, 1_580), [Duration::from_millis(80)]);
    assert_eq!(reported(&mut window, 5_000), []);
    assert_eq!(window.due(), None);
}

#[test]
fn a_pause_that_comes_late_waits_for_what_is_as_late() {
    let mut window = Window::new(Duration::from_millis(50), false);
    window.add(facts(vec![safepoint(SECOND, 80)]), at(3_000));
    assert_eq!(window.due(), Some(at(3_150)));
    assert_eq!(reported(&mut window, 3_149), []);
    assert_eq!(reported(&mut window, 3_150).len(), 1);
}

/// When a pause from 1 s to 1.08 s is reported that came at 1.2 s with these facts beside it.
fn reported_at(log: SourceState, beside: Facts) -> u64 {
    let mut window = Window::new(Duration::from_millis(50), false);
    let mut facts = facts(vec![safepoint(SECOND, 80)]);
    let coverage = facts.coverage.get_or_insert_default();
    coverage.sources.insert(Source::GcLog, log);
    facts.append(beside);
    window.add(facts, at(1_200));
    let times = [1_200, 1_580];
    times.into_iter().find(|it| !reported(&mut window, *it).is_empty()).unwrap()
}

/// A log that was read at this time.
fn read(ms: u64) -> Facts {
    let line = LogLine { read: at(ms), offset: 0, text: String::new() };
    Facts { log_lines: vec![line], ..Facts::default() }
}

/// A thread that was blocked in the kernel for this much of the pause.
fn blocked(ms: u64) -> Facts {
    let interval = Interval::new(at(1_010), at(1_010 + ms));
    let slice = ThreadSlice {
        tid: 7,
        interval,
        state: ThreadState::Blocked,
        merged_wait: Duration::ZERO,
        entered: None,
        fd: None,
        file: None,
        fault_offset: None,
        stack: Some(1),
        frozen: false,
        woken_by: None,
        released_by: None,
        cpu_holder: None,
        taken: Duration::ZERO,
        sampled: false,
    };
    Facts { slices: vec![slice], ..Facts::default() }
}

fn writers_until(ms: u64) -> Facts {
    let writer = WriterFact {
        interval: Interval::new(at(ms - 500), at(ms)),
        pid: 9,
        name: String::new(),
        command_line: String::new(),
        cgroup: String::new(),
        bytes: 1 << 20,
        device: None,
        path: String::new(),
        read_bytes: 0,
        devices: Vec::new(),
    };
    Facts { writers: vec![writer], ..Facts::default() }
}

fn both(mut a: Facts, b: Facts) -> Facts {
    a.append(b);
    a
}

#[test]
fn a_pause_whose_evidence_is_there_does_not_wait() {
    let (log, none) = (SourceState::Recorded, SourceState::Missing(String::new()));
    assert_eq!(reported_at(none.clone(), Facts::default()), 1_200, "no log to wait for");
    assert_eq!(reported_at(log.clone(), read(1_085)), 1_200, "its line was read");
    assert_eq!(reported_at(log.clone(), read(1_084)), 1_580, "it may have been written later");
    assert_eq!(reported_at(log, Facts::default()), 1_580);
    assert_eq!(reported_at(none.clone(), blocked(7)), 1_200, "too short to matter");
    assert_eq!(reported_at(none.clone(), blocked(8)), 1_580, "who wrote is not known");
    assert_eq!(reported_at(none.clone(), both(blocked(8), writers_until(1_079))), 1_580);
    assert_eq!(reported_at(none, both(blocked(8), writers_until(1_080))), 1_200);
}

#[test]
fn at_the_end_all_is_reported() {
    let mut window = Window::new(Duration::from_millis(50), false);
    window.add(facts(vec![safepoint(SECOND, 80)]), at(1_100));
    assert_eq!(window.ended(MonoTime(u64::MAX)).len(), 1);
}

#[test]
fn what_is_older_than_the_window_goes() {
    let mut window = Window::new(Duration::ZERO, false);
    let sample = |second: u64| Sample {
        at: MonoTime(second * SECOND),
        counter: "vmstat.nr_dirty".into(),
        value: 1,
    };
    let samples = (0..=100).map(sample).collect();
    window.add(Facts { samples, ..Facts::default() }, at(1_000));
    assert_eq!(window.facts.samples.len(), 31);
}

#[test]
fn a_table_cannot_grow_without_bound() {
    let mut window = Window::new(Duration::ZERO, false);
    let line = |n: usize| LogLine { read: MonoTime(1), offset: n as u64, text: String::new() };
    let log_lines = (0..MAX_ROWS + 5).map(line).collect();
    window.add(Facts { log_lines, ..Facts::default() }, at(1_000));
    assert_eq!(window.facts.log_lines.len(), MAX_ROWS);
    assert_eq!(window.facts.log_lines[0].offset, 5);
}

#[test]
fn without_probes_the_log_tells_and_each_pause_once() {
    let mut window = Window::new(Duration::from_millis(5), false);
    let line = |at: u64, ms: u64| LogLine {
        read: MonoTime(100 * SECOND + at * SECOND),
        offset: 0,
        text: format!(
            "[{at}.500s][info][gc] GC({at}) Pause Young (Normal) (G1 Evacuation Pause) 20M->5M(64M) {ms}.000ms"
        ),
    };
    for (second, ms, expected) in [(1, 9, 1), (2, 8, 1), (3, 4, 0), (4, 7, 1)] {
        let coverage = Some(Coverage::default());
        let facts = Facts { log_lines: vec![line(second, ms)], coverage, ..Facts::default() };
        window.add(facts, at(second * 1_000));
        assert_eq!(reported(&mut window, second * 1_000 + 500).len(), expected, "{second}");
    }
    assert_eq!(reported(&mut window, 9_000).len(), 0);
}

/// Facts of a recording by samples of a JVM with this log.
fn counted(safepoints: Vec<SafepointFact>, log: &[&str]) -> Facts {
    let mut coverage = Coverage::default();
    for source in [Source::ThreadSamples, Source::SafepointCounters] {
        coverage.sources.insert(source, SourceState::Recorded);
    }
    let line =
        |text: &&str| LogLine { read: MonoTime(2 * SECOND), offset: 0, text: (*text).to_owned() };
    let log_lines = log.iter().map(line).collect();
    Facts { safepoints, log_lines, coverage: Some(coverage), ..Facts::default() }
}

#[test]
fn stops_that_the_jvm_counts_and_its_log_tells_are_reported_once() {
    let stop = "[2.000s][info][safepoint] Safepoint \"G1CollectForAllocation\", Time since last: 5 ns, Reaching safepoint: 1000 ns, At safepoint: 79999000 ns, Total: 80000000 ns";
    let gc = "[2.000s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 79.000ms";
    for (log, ms) in [(vec![gc, stop], 80), (vec![gc], 81), (vec![], 81)] {
        let mut window = Window::new(Duration::from_millis(50), false);
        window.add(counted(vec![safepoint(SECOND, 81)], &log), at(0));
        let reported = reported(&mut window, 5_000);
        assert_eq!(reported, [Duration::from_millis(ms)], "{log:?}");
    }
}

#[test]
fn a_stop_under_way_is_reported_and_not_kept() {
    let mut window = Window::new(Duration::from_millis(50), false);
    window.add(facts(Vec::new()), at(0));
    let mut stop = safepoint(SECOND, 2000);
    stop.cut.end = true;
    let now = Facts { safepoints: vec![stop], ..Facts::default() };
    let diagnosis = window.under_way(now);
    let reported_now: Vec<_> = diagnosis.pauses.iter().map(|it| it.pause.duration).collect();
    assert_eq!(reported_now, [Duration::from_secs(2)]);
    assert!(diagnosis.pauses[0].pause.cut.end);
    assert!(reported(&mut window, 5_000).is_empty());
    // Its end is reported as that of any.
    window.add(facts(vec![safepoint(SECOND, 3000)]), at(4_100));
    assert_eq!(reported(&mut window, 7_000), [Duration::from_secs(3)]);
}

#[test]
fn short_stops_are_counted_together_where_they_are_wanted() {
    let millis = |diagnosis: Option<Diagnosis>| {
        let pauses = diagnosis.map(|it| it.pauses).unwrap_or_default();
        pauses.iter().map(|it| it.pause.duration.as_millis()).collect::<Vec<_>>()
    };
    let all = vec![safepoint(SECOND, 49), safepoint(2 * SECOND, 50), safepoint(3 * SECOND, 1)];
    let mut window = Window::new(Duration::from_millis(50), true);
    window.add(facts(all.clone()), at(0));
    assert_eq!(window.due(), Some(at(1_000)));
    assert_eq!(millis(window.short(at(999))), []);
    assert_eq!(millis(window.short(at(1_000))), [49, 1]);
    assert_eq!(millis(window.short(at(9_000))), []);
    assert_eq!(reported(&mut window, 5_000), [Duration::from_millis(50)]);
    let mut window = Window::new(Duration::from_millis(50), false);
    window.add(facts(all), at(0));
    assert_eq!(millis(window.short(at(9_000))), []);
}

#[test]
fn many_short_stops_do_not_wait() {
    let mut window = Window::new(Duration::from_millis(50), true);
    let stops = |n: u64| (1..=n).map(|it| safepoint(it * SECOND, 1)).collect();
    window.add(facts(stops(MOST_SHORT as u64)), at(0));
    assert_eq!(window.short(at(0)).map(|it| it.pauses.len()), Some(MOST_SHORT));
}

mod once;
mod stalls;

#[test]
fn who_wrote_before_a_stop_of_a_minute_is_known_at_its_end() {
    let mut window = Window::new(Duration::from_millis(50), false).with_history();
    window.add(facts(Vec::new()), at(94_000));
    window.add(writers_until(92_500), at(94_500));
    let mut stop = safepoint(100 * SECOND, 2_000);
    stop.cut.end = true;
    window.under_way(Facts { safepoints: vec![stop], ..facts(Vec::new()) });
    for second in 95..162 {
        window.add(writers_until(second * 1_000), at(second * 1_000));
    }
    window.add(facts(vec![safepoint(100 * SECOND, 60_000)]), at(160_200));
    let snapshot = window.snapshot(Interval::new(at(100_000), at(160_000)));
    let first = snapshot.writers.iter().map(|it| it.interval.start).min();
    assert_eq!(first, Some(at(92_000)));
    assert_eq!(snapshot.safepoints.len(), 1);
    // Some seconds later it is a window as any.
    for second in 165..200 {
        window.add(writers_until(second * 1_000), at(second * 1_000));
    }
    let first = window.facts.writers.iter().map(|it| it.interval.start).min();
    assert_eq!(first, Some(at(168_500)));
}
