//! A JVM with very many threads. The only test of its process, whose memory it measures.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may")]
mod common;

use common::{Java, newest};
use recorder::{Options, Session};
use recording::Facts;
use std::{
    collections::BTreeSet,
    fs,
    time::{Duration, Instant},
};
use testing::{PATIENCE, busy};

const THREADS: usize = 2000;
const MOST_BYTES: u64 = 32 << 20;
/// Five of each thread, which come in two seconds where no other process has the CPUs.
const WAKE_UPS: u64 = 5 * THREADS as u64;

/// How often the threads of a process have left their CPU, as the kernel counts it.
fn switches(pid: u32) -> u64 {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten();
    let statuses = tasks.filter_map(|it| fs::read_to_string(it.path().join("status")).ok());
    let number = |line: &str| line.split_once("ctxt_switches:")?.1.trim().parse::<u64>().ok();
    statuses.map(|it| it.lines().filter_map(number).sum::<u64>()).sum()
}

#[test]
fn two_thousand_threads_are_all_distinguished_and_nothing_is_lost() {
    let Some(jdk) = newest() else { return };
    let threads = THREADS.to_string();
    let java = Java::start(&jdk, &busy("-XX:+UseSerialGC"), "Crowd", &[&threads]);
    // Every stop in detail: many of the threads are in it.
    let options = Options { detail_over: Duration::ZERO, ..Options::default() };
    let mut session = Session::attach(&java.jvm(), options).unwrap();
    let (mut stops, mut facts) = (0, Facts::default());
    let mut acting = BTreeSet::new();
    let before = switches(java.child.id());
    let (end, mut looks) = (Instant::now() + PATIENCE, Instant::now());
    let mut counted;
    // Nothing is kept that is not needed: the memory that is measured is to be the recorder's.
    // Until the crowd has acted, as the kernel says.
    while stops <= 10
        || looks.elapsed() < Duration::from_secs(1)
        || !{
            looks = Instant::now();
            counted = switches(java.child.id()) - before;
            counted > WAKE_UPS + THREADS as u64
        }
    {
        assert!(Instant::now() < end, "{stops} stops");
        let mut step = session.step().facts;
        stops += step.safepoints.len();
        acting.extend(step.slices.drain(..).map(|it| it.tid));
        facts.threads.append(&mut step.threads);
    }
    facts.append(session.finish());
    let coverage = facts.coverage.as_ref().unwrap();
    println!(
        "{stops} stops, {} threads in them, {} switches, {} KiB",
        acting.len(),
        coverage.switches,
        coverage.recorder_rss_bytes >> 10
    );
    assert!(stops > 10, "{stops}");
    assert_eq!((coverage.lost_events, coverage.lost_stacks, coverage.lost_rows), (0, 0, 0));
    let crowd = |name: &str| name.starts_with("crowd-");
    let named: BTreeSet<&str> =
        facts.threads.iter().map(|it| it.name.as_str()).filter(|it| crowd(it)).collect();
    assert_eq!(named.len(), THREADS);
    let known: BTreeSet<u32> = facts.threads.iter().map(|it| it.tid).collect();
    assert!(acting.is_subset(&known), "a slice of an unknown thread");
    // One from a thread of the crowd to another one is both a switch from one and a switch to one: on a CPU
    // that they have to share with others, most are.
    assert!(coverage.switches >= counted, "{} of {counted}", coverage.switches);
    assert!(coverage.recorder_rss_bytes <= MOST_BYTES, "{}", coverage.recorder_rss_bytes);
}
