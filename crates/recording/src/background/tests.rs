//! The thread that samples never waits.
use super::*;
use crate::{
    Coverage, HostFact, Limits, LogLine, MonoTime, Recording, ThreadFact, ThreadRole, tests::place,
};

fn lines(count: u64) -> Facts {
    let line = |offset| LogLine { read: MonoTime(offset), offset, text: "x".into() };
    Facts { log_lines: (0..count).map(line).collect(), ..Facts::default() }
}

fn thread_named(name: &str, tid: u32) -> ThreadFact {
    ThreadFact { tid, name: name.into(), role: ThreadRole::Java, first_seen: MonoTime(1) }
}

/// A writer into `path` that takes nothing until something is sent or its gate is dropped.
fn stuck(path: &std::path::Path) -> (BackgroundWriter, SyncSender<()>) {
    let writer = Writer::create(path, Limits::default()).expect("a new recording");
    let (gate, wait) = sync_channel::<()>(1);
    let shared = Arc::new(Shared::default());
    let theirs = Arc::clone(&shared);
    let background = BackgroundWriter::spawn(shared, move |receiver| {
        let _ = wait.recv();
        run(writer, &receiver, &theirs)
    });
    (background.expect("a thread"), gate)
}

#[test]
fn everything_sent_is_read() {
    let (_parent, path) = place();
    let writer = Writer::create(&path, Limits::default()).expect("a new recording");
    let mut background = BackgroundWriter::start(writer).expect("a thread");
    for _ in 0..10 {
        assert!(background.send(lines(100)));
    }
    let host = HostFact { cpus: 2, ..HostFact::default() };
    let summary = background.finish(Facts { host: Some(host.clone()), ..Facts::default() });
    assert_eq!(summary.expect("a summary").lost_rows, 0);
    let facts = Recording::open(&path).expect("a recording").facts;
    assert_eq!((facts.log_lines.len(), facts.host), (1000, Some(host)));
}

#[test]
fn rows_are_on_storage_within_the_flush_time_though_nobody_finishes() {
    let (_parent, path) = place();
    let limits = Limits { flush_after: Duration::from_millis(1), ..Limits::default() };
    let writer = Writer::create(&path, limits).expect("a new recording");
    let mut background = BackgroundWriter::start(writer).expect("a thread");
    background.send(lines(3));
    let deadline = Instant::now() + Duration::from_secs(600);
    let read = || Recording::open(&path).map_or(0, |it| it.facts.log_lines.len());
    while read() < 3 {
        assert!(Instant::now() < deadline, "not written");
        thread::yield_now();
    }
    drop(background);
}

#[test]
fn a_stuck_disk_costs_detail_and_never_waits() {
    let (_parent, path) = place();
    let (mut background, gate) = stuck(&path);
    // Far more than fits: sending must come back every time although nothing is taken.
    let taken = (0..1000).filter(|_| background.send(lines(1000))).count() as u64;
    assert!((1..1000).contains(&taken), "{taken} taken");
    let kept = background.kept.log_lines.len() as u64;
    assert!((1..=KEEP_ROWS as u64).contains(&kept), "{kept} kept");
    assert_eq!(background.dropped_rows(), (1000 - taken) * 1000 - kept);
    drop(gate);
    let coverage = Coverage { switches: 1, ..Coverage::default() };
    let last = Facts { coverage: Some(coverage), ..Facts::default() };
    let lost = background.finish(last).expect("a summary").lost_rows;
    let facts = Recording::open(&path).expect("a recording").facts;
    let read = taken * 1000 + kept;
    assert_eq!((facts.log_line_count() as u64, lost), (read, 1_000_000 - read));
    let coverage = facts.coverage.expect("coverage");
    assert_eq!((coverage.switches, coverage.lost_rows), (1, lost));
}

#[test]
fn many_small_batches_are_bounded_too() {
    let (_parent, path) = place();
    let (mut background, gate) = stuck(&path);
    let taken = (0..1000).filter(|_| background.send(lines(1))).count();
    assert_eq!(taken, QUEUE_BATCHES);
    drop(gate);
    background.finish(Facts::default()).expect("a summary");
}

#[test]
fn what_others_refer_to_waits_for_the_next_batch() {
    let (_parent, path) = place();
    let (mut background, gate) = stuck(&path);
    assert!(background.send(lines(QUEUE_ROWS)));
    let mut facts = lines(10);
    facts.threads = vec![thread_named("kept", 1)];
    assert!(!background.send(facts));
    drop(gate);
    background.finish(Facts::default()).expect("a summary");
    let facts = Recording::open(&path).expect("a recording").facts;
    assert_eq!(facts.threads, [thread_named("kept", 1)]);
}

#[test]
fn what_waits_is_bounded() {
    let (_parent, path) = place();
    let (mut background, gate) = stuck(&path);
    assert!(background.send(lines(QUEUE_ROWS)));
    let many = |count| Facts {
        threads: (0..count).map(|tid| thread_named("x", tid)).collect(),
        ..Facts::default()
    };
    let before = background.dropped_rows();
    background.send(many(4096));
    assert_eq!((background.kept.rows(), background.dropped_rows()), (4096, before));
    background.send(Facts { threads: vec![thread_named("new", 5000)], ..Facts::default() });
    assert_eq!((background.kept.rows(), background.dropped_rows()), (4096, before + 1));
    // One that is renamed is no other row.
    background.send(Facts { threads: vec![thread_named("renamed", 5000)], ..Facts::default() });
    assert_eq!((background.kept.rows(), background.dropped_rows()), (4096, before + 1));
    drop(gate);
    background.finish(Facts::default()).expect("a summary");
}

#[test]
fn overflow_of_one_table_keeps_rows_that_others_refer_to() {
    let (_parent, path) = place();
    let (mut background, gate) = stuck(&path);
    assert!(background.send(lines(QUEUE_ROWS)));
    let sample = crate::tests::sample();
    let Facts { cgroup, clocks, threads, stacks, files, .. } = sample.clone();
    let (safepoints, outputs) = (sample.safepoints.clone(), sample.outputs.clone());
    let referred =
        Facts { cgroup, clocks, threads, stacks, files, safepoints, outputs, ..Facts::default() };
    assert!(!background.send(referred.clone()));
    let memory = vec![sample.memory[0].clone(); KEEP_ROWS];
    assert!(!background.send(Facts { memory, ..Facts::default() }));
    let mut kept = background.kept.clone();
    assert_eq!(kept.rows(), KEEP_ROWS);
    kept.memory.clear();
    assert_eq!(kept, referred);
    drop(gate);
    background.finish(Facts::default()).expect("a summary");
}

#[test]
fn without_finish_the_segments_are_left_for_recovery() {
    let (_parent, path) = place();
    let writer = Writer::create(&path, Limits::default()).expect("a new recording");
    let mut background = BackgroundWriter::start(writer).expect("a thread");
    background.send(lines(3));
    let BackgroundWriter { sender, thread, .. } = background;
    drop(sender);
    let error = thread.join().expect("no panic").expect_err("nobody finished");
    assert!(matches!(error, RecordingError::WriterGone { .. }));
    assert_eq!(Recording::open(&path).expect("a recording").facts.log_lines.len(), 3);
    assert!(path.join("log_lines-0000.arrows").exists());
}
