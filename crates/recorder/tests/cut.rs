//! Recordings that begin or end in the middle of a stop, and a disk that does not answer.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may")]
mod common;

use common::{Java, newest, record, states, step_until};
use recorder::{Options, SampledSession, Session};
use recording::{
    BackgroundWriter, Facts, Interval, Limits, MonoTime, Recording, Source, ThreadState, Writer,
};
use rustix::process::Signal;
use std::{
    sync::mpsc::{Receiver, RecvTimeoutError},
    time::{Duration, Instant},
};
use testing::{Disk, Jdk, PATIENCE, busy, signal, until};

/// A JVM whose GC log is on `disk`. When that is frozen its VM thread waits for it inside of a
/// stop: where it writes the line of the collection.
fn logging_to(jdk: &Jdk, disk: &Disk) -> Java {
    let log = format!("-Xlog:gc*:file={}:tn", disk.path().join("gc.log").display());
    let mut flags = busy("-XX:+UseSerialGC");
    flags.push(&log);
    Java::start(jdk, &flags, "Alloc", &["1", "2048"])
}

fn wait_until_stuck(java: &Java) {
    until("the vm thread waits for the disk", || {
        states(java.child.id()).iter().any(|(_, state)| *state == 'D')
    });
}

#[test]
fn stop_under_way_at_the_start_is_not_taken_for_a_whole_one() {
    let Some(jdk) = newest() else { return };
    let Some(disk) = Disk::ext4(common::DISK_BYTES) else { return };
    let java = logging_to(&jdk, &disk);
    let frozen = disk.freeze();
    wait_until_stuck(&java);
    let mut session = Session::attach(&java.jvm(), Options::default()).unwrap();
    let attached = recorder::now();
    let mut facts = session.step().facts;
    std::thread::sleep(Duration::from_millis(300));
    // Before it thaws: the next stop may begin at once.
    let thawed = recorder::now();
    drop(frozen);
    let stops = |it: &Facts| it.safepoints.len();
    let before = stops(&facts);
    facts.append(step_until(&mut session, "it stops again", |it| before + stops(it) >= 5));
    facts.append(session.finish());
    assert!(facts.safepoints.len() >= 5);
    let (early, whole): (Vec<_>, Vec<_>) = facts.safepoints.iter().partition(|it| it.cut.begin);
    let [early] = early[..] else { panic!("{early:?}") };
    assert!(early.begin <= attached && early.end_probe >= thawed && !early.cut.end, "{early:?}");
    let not_whole = whole.iter().find(|it| it.begin < thawed);
    assert_eq!(not_whole, None, "attached {attached:?}, thawed {thawed:?}");
    // What held it up is reported from the begin of the recording on.
    let window = Interval::new(early.begin, thawed);
    let blocked = facts.slices.iter().filter(|it| it.state == ThreadState::Blocked);
    let blocked = blocked.filter(|it| it.tid == early.vm_tid && it.stack.is_some());
    let blocked: Duration =
        blocked.filter_map(|it| it.interval.intersect(window)).map(Interval::duration).sum();
    assert!(blocked * 10 >= window.duration() * 9, "{blocked:?} of {:?}", window.duration());
    // The next ones are whole: as long as the JVM says.
    let logged = java.logged();
    let first = whole[0];
    let same = logged.iter().map(|(stamp, total)| (stamp - total).abs_diff(first.begin.0)).min();
    assert!(same.unwrap() < 1_000_000, "{first:?}");
}

/// Of the first 60 ms nothing was known: files were opened and read before the threads were looked at.
#[test]
fn sampled_recording_reports_a_stop_under_way_from_the_start() {
    let Some(jdk) = newest() else { return };
    let Some(disk) = Disk::ext4(common::DISK_BYTES) else { return };
    let java = logging_to(&jdk, &disk);
    let frozen = disk.freeze();
    wait_until_stuck(&java);
    let mut session = SampledSession::start(&java.jvm(), Options::default()).unwrap();
    let mut facts = Facts::default();
    let until = Instant::now() + Duration::from_millis(300);
    while Instant::now() < until {
        facts.append(session.step().facts);
    }
    let thawed = recorder::now();
    drop(frozen);
    let until = Instant::now() + PATIENCE;
    while facts.safepoints.is_empty() {
        assert!(Instant::now() < until, "the stop is not reported");
        facts.append(session.step().facts);
    }
    facts.append(session.finish());
    let early = &facts.safepoints[0];
    assert!(early.cut.begin && early.end_probe >= thawed, "{early:?}");
    let window = Interval::new(early.begin, thawed);
    let blocked = facts.slices.iter().filter(|it| it.state == ThreadState::Blocked);
    let blocked = blocked.filter(|it| it.tid == early.vm_tid);
    let blocked: Duration =
        blocked.filter_map(|it| it.interval.intersect(window)).map(Interval::duration).sum();
    assert!(blocked * 100 >= window.duration() * 98, "{blocked:?} of {:?}", window.duration());
    // Of a stop that a log tells, what was before that is left out.
    let seen = facts.threads.iter().map(|it| it.first_seen).min();
    assert!(seen.unwrap() >= early.begin, "{seen:?} {early:?}");
}

#[test]
fn a_stop_that_the_end_of_the_jvm_cuts_is_said_to_be_cut() {
    let Some(jdk) = newest() else { return };
    let Some(disk) = Disk::ext4(common::DISK_BYTES) else { return };
    let mut java = logging_to(&jdk, &disk);
    let pid = java.child.id();
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let path = directory.path().join("recording");
    let mut writer = Writer::create(&path, Limits::default()).unwrap();
    let mut session = Session::attach(&java.jvm(), Options::default()).unwrap();
    let mut stops = 0;
    while stops == 0 {
        let facts = session.step().facts;
        stops = facts.safepoints.len();
        writer.write(&facts).unwrap();
    }
    let frozen = disk.freeze();
    wait_until_stuck(&java);
    let stuck = recorder::now();
    // It cannot end while it waits for the disk.
    signal(pid, Signal::KILL);
    std::thread::sleep(Duration::from_millis(200));
    drop(frozen);
    let end = Instant::now() + PATIENCE;
    loop {
        let step = session.step();
        writer.write(&step.facts).unwrap();
        if step.exited {
            break;
        }
        assert!(Instant::now() < end, "the end of the JVM is not noticed");
    }
    writer.write(&session.finish()).unwrap();
    writer.seal().unwrap();
    assert!(!java.runs());
    let facts = Recording::open(&path).unwrap().facts;
    assert!(!facts.safepoints.is_empty());
    assert_eq!(facts.coverage.as_ref().unwrap().end, "the JVM exited");
    let (cut, whole): (Vec<_>, Vec<_>) = facts.safepoints.iter().partition(|it| it.cut.end);
    assert!(whole.iter().all(|it| it.end_probe < stuck));
    let [cut] = cut[..] else { panic!("{cut:?}") };
    assert!(cut.begin < stuck && cut.end_probe >= stuck && !cut.cut.begin, "{cut:?}");
    assert_eq!(facts.coverage.unwrap().lost_events, 0);
}

/// This process's threads that wait for a disk now.
fn waiting_for_a_disk() -> Vec<String> {
    let stuck = states(std::process::id()).into_iter().filter(|(_, state)| *state == 'D');
    let name = |tid: u32| std::fs::read_to_string(format!("/proc/self/task/{tid}/comm"));
    stuck.filter_map(|(tid, _)| name(tid).ok()).collect()
}

/// Nothing saturates a disk like one that does not answer at all.
#[test]
fn a_disk_that_does_not_answer_holds_no_thread_of_the_recorder_up() {
    let Some(jdk) = newest() else { return };
    let Some(disk) = Disk::ext4(common::DISK_BYTES) else { return };
    let java = logging_to(&jdk, &disk);
    let mut session = Session::attach(&java.jvm(), Options::default()).unwrap();
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let path = directory.path().join("recording");
    let writer = Writer::create(&path, Limits::default()).unwrap();
    let mut writer = BackgroundWriter::start(writer).unwrap();
    // The log is followed.
    record_until(&mut session, &mut writer, |it| !it.log_lines.is_empty());
    let frozen = disk.freeze();
    wait_until_stuck(&java);
    let from = recorder::now();
    // A step that waits for the disk would never see this thread thaw it.
    let (over, watch) = std::sync::mpsc::channel::<()>();
    let to = std::thread::scope(|scope| {
        let watch = scope.spawn(move || {
            let stuck = held_up(&watch);
            drop(frozen);
            stuck
        });
        let sampled = |it: &Facts| samples(it).filter(|it| **it > from).count() >= 3;
        let long = |_: &Facts| recorder::now().since(from) > Duration::from_secs(4);
        record_until(&mut session, &mut writer, |it| sampled(it) && long(it));
        let to = recorder::now();
        drop(over);
        let stuck = watch.join().unwrap();
        assert!(stuck.is_empty(), "{stuck:?}");
        to
    });
    record_until(&mut session, &mut writer, |it| it.safepoints.iter().any(|it| it.begin > to));
    assert_eq!(writer.finish(session.finish()).unwrap().lost_rows, 0);
    let facts = Recording::open(&path).unwrap().facts;
    let samples = samples(&facts).filter(|it| **it > from && **it < to).count();
    // One a second, and no more where somebody was late.
    let seconds = usize::try_from(to.since(from).as_secs()).unwrap();
    assert!((3..=seconds + 1).contains(&samples), "{samples} samples in {seconds} s");
    // And the stop that the disk made is there, whole.
    let long = facts.safepoints.iter().find(|it| it.end_probe.since(it.begin).as_secs() >= 3);
    let long = long.unwrap_or_else(|| panic!("{:?}", facts.safepoints));
    let waits = facts.slices.iter().filter(|it| {
        it.tid == long.vm_tid
            && it.state == ThreadState::Blocked
            && it.interval.duration().as_secs() >= 3
    });
    assert_eq!(waits.count(), 1);
    assert!(facts.coverage.unwrap().has(Source::GcLog));
}

/// When a counter of the host was read that has nothing to do with the disk.
fn samples(facts: &Facts) -> impl Iterator<Item = &MonoTime> {
    facts.samples.iter().filter(|it| it.counter == "vmstat.nr_dirty").map(|it| &it.at)
}

/// Threads of the recorder, and of the test that steps it, which waited for a disk at two looks in a row,
/// until `over` has no other end, or [`PATIENCE`] is. The kernel shows the shortest wait for a lock of its
/// own in the same way, but not twice. Another test of this process may be making a file system.
fn held_up(over: &Receiver<()>) -> Vec<String> {
    const OWN: [&str; 5] = ["gc-log", "processes", "counters", "whypause-write", "a_disk_that_doe"];
    let (mut stuck, mut before) = (Vec::new(), Vec::new());
    let end = Instant::now() + PATIENCE;
    while over.recv_timeout(Duration::from_millis(100)) == Err(RecvTimeoutError::Timeout) {
        let mut now = waiting_for_a_disk();
        now.retain(|it| OWN.contains(&it.trim()));
        stuck.extend(now.iter().filter(|it| before.contains(*it)).cloned());
        before = now;
        if Instant::now() > end {
            stuck.push("a step".into());
            break;
        }
    }
    stuck
}

/// Steps, and has all that comes written, until `enough` of what has come by then.
#[track_caller]
fn record_until(
    session: &mut Session,
    writer: &mut BackgroundWriter,
    enough: impl Fn(&Facts) -> bool,
) {
    let end = Instant::now() + PATIENCE;
    let mut all = Facts::default();
    while !enough(&all) {
        assert!(Instant::now() < end, "{} stops", all.safepoints.len());
        let facts = session.step().facts;
        assert!(writer.send(facts.clone()));
        all.append(facts);
    }
}

#[test]
fn two_jvms_can_be_recorded_at_once() {
    let Some(jdk) = newest() else { return };
    let javas = ["-XX:+UseSerialGC", "-XX:+UseG1GC"]
        .map(|collector| Java::start(&jdk, &busy(collector), "Alloc", &["1", "2048"]));
    let both = std::thread::scope(|scope| {
        let recorders = javas.each_ref().map(|java| {
            let jvm = java.jvm();
            scope.spawn(move || record(&jvm, Options::default(), |it| it.safepoints.len() >= 20))
        });
        recorders.map(|it| it.join().unwrap())
    });
    for (java, facts) in javas.iter().zip(&both) {
        let pid = java.child.id();
        let own: Vec<u32> = states(pid).into_iter().map(|(tid, _)| tid).collect();
        assert_eq!(facts.jvm.as_ref().unwrap().pid, pid);
        assert!(facts.safepoints.len() >= 20);
        assert!(facts.safepoints.iter().all(|it| own.contains(&it.vm_tid)));
        assert!(facts.slices.iter().all(|it| own.contains(&it.tid)), "a slice of another JVM");
        assert_eq!(facts.coverage.as_ref().unwrap().lost_events, 0);
    }
}
