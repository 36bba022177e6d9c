//! The window of a stop agrees with what the JVM itself says, on its own clock.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may")]
mod common;

use common::{Java, all, record};
use recorder::{Options, Windows};
use recording::{Facts, Interval, SafepointFact, Source, ThreadState};
use std::time::Duration;
use testing::busy;

const MEDIAN_NS: u64 = 50_000;
const SAFEPOINTS: usize = 40;

fn end_ns(it: &SafepointFact) -> u64 {
    it.resumed.unwrap_or(it.end_probe).0
}

/// The middle difference between a recorded stop and the logged `Total` of the same stop.
fn median_difference_ns(facts: &Facts, logged: &[(u64, u64)]) -> u64 {
    let mut differences: Vec<u64> = facts
        .safepoints
        .iter()
        .filter(|it| !it.cut.is_part())
        .filter_map(|it| {
            let begins = |(stamp, total): &&(u64, u64)| (stamp - total).abs_diff(it.begin.0);
            let (stamp, total) = logged.iter().min_by_key(begins)?;
            let same = (stamp - total).abs_diff(it.begin.0) < 1_000_000;
            same.then(|| (end_ns(it) - it.begin.0).abs_diff(*total))
        })
        .collect();
    assert!(differences.len() >= SAFEPOINTS / 2, "only {} stops match the log", differences.len());
    differences.sort_unstable();
    differences[differences.len() / 2]
}

fn check(collector: &str, windows: Windows) {
    for jdk in all() {
        let java = Java::start(&jdk, &busy(collector), "Alloc", &["1", "2048"]);
        let options = Options { windows, ..Options::default() };
        let facts = record(&java.jvm(), options, |it| it.safepoints.len() >= SAFEPOINTS);
        let name = format!("JDK {:?} {collector} {windows:?}", jdk.major);
        assert!(facts.safepoints.len() >= SAFEPOINTS, "{name}: {} stops", facts.safepoints.len());
        let median = median_difference_ns(&facts, &java.logged());
        println!("{name}: median difference {median} ns over {} stops", facts.safepoints.len());
        assert!(median <= MEDIAN_NS, "{name}: {median} ns");
        check_consistency(&facts, &name);
    }
}

/// What must hold for every recording, whatever happened on the host.
fn check_consistency(facts: &Facts, name: &str) {
    let coverage = facts.coverage.as_ref().unwrap();

    assert_eq!(coverage.lost_events, 0, "{name}");
    assert!(coverage.has(Source::Scheduler), "{name}");
    assert!(coverage.switches > 0, "{name}");
    assert!(coverage.jvm_cpu > Duration::ZERO, "{name}");
    assert!(facts.safepoints.iter().any(|it| !it.cut.is_part()), "{name}: no whole stop");
    for it in facts.safepoints.iter().filter(|it| !it.cut.is_part()) {
        let in_totals = [it.reaching, it.operating]
            .iter()
            .map(|of| of.on_cpu + of.runnable + of.throttled + of.blocked + of.waiting)
            .sum::<Duration>();
        assert_eq!(
            in_totals,
            it.end_probe.since(it.begin),
            "{name}: the totals do not add up: {it:?}"
        );
        assert_eq!(it.operations.len(), 1, "{name}: {it:?}");
        // The functions of the symbol table are not given it.
        let named = it.operations.iter().all(|it| !it.name.is_empty());
        assert_eq!(named, coverage.has(Source::SafepointProbes), "{name}: {it:?}");
    }
    check_slices(facts, name);
}

/// What of `window` none of the parts covers, which are in order.
fn gaps(parts: impl Iterator<Item = Interval>, window: Interval) -> Vec<Interval> {
    let mut until = window.start;
    let mut gaps = Vec::new();
    for part in parts {
        gaps.extend((part.start > until).then(|| Interval::new(until, part.start)));
        until = until.max(part.end);
    }
    gaps.extend((window.end > until).then(|| Interval::new(until, window.end)));
    gaps
}

/// Slices of one thread do not overlap, and the VM thread's fill each detailed stop.
fn check_slices(facts: &Facts, name: &str) {
    let mut slices: Vec<_> = facts.slices.iter().collect();
    slices.sort_by_key(|it| (it.tid, it.interval.start));
    for pair in slices.windows(2) {
        let meet = pair[0].tid != pair[1].tid || pair[0].interval.end <= pair[1].interval.start;
        assert!(meet, "{name}: overlap: {pair:?}");
    }
    for stop in facts.safepoints.iter().filter(|it| it.detailed && !it.cut.is_part()) {
        let window = Interval::new(stop.begin, stop.end_probe);
        let of_vm: Vec<_> = slices
            .iter()
            .filter(|it| it.tid == stop.vm_tid && it.interval.intersect(window).is_some())
            .collect();
        let gaps = gaps(of_vm.iter().filter_map(|it| it.interval.intersect(window)), window);
        let notes = &facts.coverage.as_ref().unwrap().notes;
        let reported = format!("{name}: gaps {gaps:?} in {stop:?} {of_vm:#?} {notes:?}");
        assert!(gaps.is_empty(), "{reported}");
    }
    assert!(slices.iter().any(|it| it.state == ThreadState::OnCpu), "{name}");
}

#[test]
fn g1() {
    check("-XX:+UseG1GC", Windows::Auto);
}

#[test]
fn parallel() {
    check("-XX:+UseParallelGC", Windows::Auto);
}

#[test]
fn serial() {
    check("-XX:+UseSerialGC", Windows::Auto);
}

#[test]
fn functions_of_the_symbol_table_do_as_well() {
    check("-XX:+UseG1GC", Windows::Symbols);
}

/// A thread that waits for a disk is seen to do so, with the kernel's stack and the file.
#[test]
fn a_blocked_thread_has_its_stack_and_its_file() {
    let Some(jdk) = common::newest() else { return };
    let directory = tempfile::tempdir_in("/var/tmp").unwrap();
    let file = directory.path().join("synced");
    let java = Java::start(&jdk, &busy("-XX:+UseG1GC"), "Sync", &[&file.to_string_lossy()]);
    let syncing = |facts: &Facts| {
        let stack = |id: Option<u32>| facts.stacks.iter().find(|it| Some(it.id) == id);
        let file = |key| facts.files.iter().find(|it| Some(it.key) == key);
        facts.slices.iter().any(|it| {
            it.state == ThreadState::Blocked
                && stack(it.stack).is_some_and(|it| it.frames.iter().any(|it| it.contains("sync")))
                && file(it.file).is_some_and(|it| it.path.ends_with("/synced"))
        })
    };
    let facts = record(&java.jvm(), Options::default(), syncing);
    let innermost: Vec<&String> = facts.stacks.iter().filter_map(|it| it.frames.first()).collect();
    let own = innermost.iter().any(|it| it.contains("bpf") || it.ends_with("sched_switch"));
    assert!(!own, "{innermost:?}");
    assert!(syncing(&facts), "{:?} {:?}", facts.stacks, facts.files);
}
