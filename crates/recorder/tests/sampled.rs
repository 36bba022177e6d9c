//! A JVM watched without eBPF and without any capability, by its own user.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may")]
mod common;

use common::Java;
use recorder::{Options, SampledSession};
use recording::{Facts, Source, ThreadState};
use rustix::process::Signal;
use std::{
    sync::mpsc::channel,
    time::{Duration, Instant},
};
use testing::{Jdk, PATIENCE, busy, is_root, runs, signal};

/// How late the sampler may be on a busy host.
const NEAR_NS: u64 = 500_000_000;

/// A JVM that has no more rights than any user's: where the tests run as root it must not have the
/// capabilities of root, or no process without them may inspect it.
fn start(flags: &[&str], name: &str, arguments: &[&str]) -> Option<Java> {
    let jdk = Jdk::any()?;
    if !is_root() {
        return Some(Java::start_by(jdk.java(), flags, name, arguments));
    }
    if !runs("setpriv", ["--version"]) {
        println!("SKIPPED: there is no `setpriv` to take the rights of root away");
        return None;
    }
    let mut command = spawn::command("setpriv");
    command.args(["--bounding-set=-all", "--inh-caps=-all"]).arg(jdk.tool("java"));
    Some(Java::start_by(command, flags, name, arguments))
}

/// Takes all capabilities from the thread that samples; files of the own user stay readable.
fn without_capabilities() {
    let none = rustix::thread::CapabilitySets {
        effective: rustix::thread::CapabilitySet::empty(),
        permitted: rustix::thread::CapabilitySet::empty(),
        inheritable: rustix::thread::CapabilitySet::empty(),
    };
    rustix::thread::set_capabilities(None, none).unwrap();
}

/// Records from a thread without capabilities until `enough` has come since the begin, and does something
/// once it samples.
fn record(
    java: &Java,
    enough: impl Fn(&Facts, Duration) -> bool + Send,
    meanwhile: impl FnOnce(),
) -> Facts {
    let jvm = java.jvm();
    let (sender, received) = channel();
    std::thread::scope(|scope| {
        let recorder = scope.spawn(move || {
            without_capabilities();
            let mut session = SampledSession::start(&jvm, Options::default()).unwrap();
            let (begun, mut all) = (Instant::now(), Facts::default());
            while !enough(&all, begun.elapsed()) {
                assert!(begun.elapsed() < PATIENCE, "{} stops", all.safepoints.len());
                all.append(session.step().facts);
                let _ = sender.send(());
            }
            all.append(session.finish());
            all
        });
        // A few times, and so not only as it began.
        (0..5).for_each(|_| received.recv().unwrap());
        meanwhile();
        recorder.join().unwrap()
    })
}

/// The longest slice in a state, in milliseconds.
fn longest(facts: &Facts, state: ThreadState) -> u128 {
    let slices = facts.slices.iter().filter(|it| it.state == state);
    slices.map(|it| it.interval.duration().as_millis()).max().unwrap_or(0)
}

#[test]
fn stops_are_counted_and_slices_do_not_overlap() {
    let Some(java) = start(&busy("-XX:+UseSerialGC"), "Alloc", &["1", "2048"]) else { return };
    let enough = |it: &Facts, time| it.safepoints.len() >= 20 && time > Duration::from_secs(2);
    let mut facts = record(&java, enough, || ());
    let coverage = facts.coverage.clone().unwrap();
    assert!(coverage.has(Source::ThreadSamples) && !coverage.has(Source::Scheduler));
    assert!(coverage.has(Source::SafepointCounters), "{coverage:?}");
    assert!(facts.safepoints.len() >= 10, "{} stops", facts.safepoints.len());
    let logged = java.logged();
    // Of how many the recording says itself that they came and went between two readings.
    let unresolved =
        |it: &&recording::Note| it.item == "safepoints" && it.message.contains("neighbours");
    let unresolved = coverage.notes.iter().find(unresolved).map_or(0, |it| it.count);
    let together = 4.max(1 + usize::try_from(unresolved).unwrap());
    let total = |it: &recording::SafepointFact| it.end_probe.since(it.begin).as_nanos();
    // The log has a line of the whole stop, where the recording cuts one.
    for stop in facts.safepoints.iter().filter(|it| !it.cut.is_part()) {
        // Totals of the log have the same edges within the JVM's own bookkeeping. Where a stop ended
        // and others came and went before the next reading, they are reported as one.
        let then = |it: &&[(u64, u64)]| it[0].0.abs_diff(stop.end_probe.0) < NEAR_NS;
        let near = (1..=together).flat_map(|many| logged.windows(many).filter(then));
        let mut sums = near.map(|it| it.iter().map(|it| u128::from(it.1)).sum::<u128>());
        let close = |it: u128| it.abs_diff(total(stop)) < 500_000;
        assert!(
            sums.any(close),
            "no stop of {} ns in the log then, {unresolved} untold",
            total(stop)
        );
    }
    facts.slices.sort_by_key(|it| (it.tid, it.interval));
    for pair in facts.slices.windows(2).filter(|it| it[0].tid == it[1].tid) {
        assert!(pair[0].interval.end <= pair[1].interval.start, "{pair:?}");
    }
    assert!(!facts.slices.is_empty(), "nothing of any thread was kept");
    assert!(facts.slices.iter().all(|it| it.sampled && !it.interval.duration().is_zero()));
}

#[test]
fn a_jvm_that_is_stopped_by_a_signal_is_seen_to_be() {
    let Some(java) = start(&busy("-XX:+UseSerialGC"), "Alloc", &["1", "2048"]) else { return };
    let pid = java.child.id();
    let (mut least, mut most) = (0, 0);
    // It goes on, so it stops again, which only ends when the signal does.
    let goes_on = |it: &Facts, _| {
        let stopped = it.slices.iter().filter(|it| it.state == ThreadState::Stopped);
        stopped
            .map(|it| it.interval.end)
            .max()
            .is_some_and(|end| it.safepoints.iter().any(|it| it.begin > end))
    };
    let facts = record(&java, goes_on, || {
        let before = Instant::now();
        signal(pid, Signal::STOP);
        let stopped = Instant::now();
        std::thread::sleep(Duration::from_millis(500));
        least = stopped.elapsed().as_millis();
        signal(pid, Signal::CONT);
        most = before.elapsed().as_millis();
    });
    let seen = longest(&facts, ThreadState::Stopped);
    let may_be = least - 200..=most + 400;
    assert!(may_be.contains(&seen), "stopped for {least} to {most} ms, seen for {seen} ms");
}

#[test]
fn it_costs_little() {
    let Some(java) = start(&["-Xmx64m", "-Xss256k"], "Crowd", &["500"]) else { return };
    let facts = record(&java, |_, time| time >= Duration::from_secs(5), || ());
    let coverage = facts.coverage.unwrap();
    // What the background threads use comes to the hundredth that the samples may.
    let share = coverage.recorder_cpu.as_secs_f64() / coverage.recorded.as_secs_f64();
    println!("{:.2} % of a CPU for 500 threads", share * 100.0);
    assert!(share < 0.10, "{share}");
}
