//! What holds a JVM up outside of its safepoints is recorded as well.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may")]
mod common;

use common::{Java, newest, record, record_for, states, step_until};
use recorder::{Options, Session};
use recording::{CgroupFact, Facts, Interval, MemoryFact, Source, ThreadSlice, ThreadState};
use rustix::process::Signal;
use std::{
    collections::BTreeMap,
    fs,
    time::{Duration, Instant},
};
use testing::{Disk, Group, busy, signal, until};

/// A JVM that computes in two threads and has no reason for a safepoint.
fn spinning() -> Option<Java> {
    let flags = ["-Xmx64m", "-XX:+UseSerialGC", "-XX:CICompilerCount=2"];
    newest().map(|jdk| Java::start(&jdk, &flags, "Spin", &["2"]))
}

fn is_outside(facts: &Facts, slice: &ThreadSlice) -> bool {
    let stops = facts.safepoints.iter().map(|it| Interval::new(it.begin, it.end_probe));
    stops.into_iter().all(|stop| stop.intersect(slice.interval).is_none())
}

fn name_of(facts: &Facts, tid: u32) -> String {
    facts.threads.iter().rfind(|it| it.tid == tid).map(|it| it.name.clone()).unwrap_or_default()
}

/// What is recorded from now on for this long.
fn step_for(session: &mut Session, time: Duration) -> Facts {
    let end = Instant::now() + time;
    step_until(session, "the time is over", |_| Instant::now() >= end)
}

/// When threads were seen to be stopped.
fn stopped(facts: &Facts) -> impl Iterator<Item = &ThreadSlice> {
    facts.slices.iter().filter(|it| it.state == ThreadState::Stopped)
}

/// The threads of a spinning JVM that compute.
fn spinners(pid: u32) -> Vec<u32> {
    let name = |tid: u32| fs::read_to_string(format!("/proc/{pid}/task/{tid}/comm"));
    let is = |tid: &u32| name(*tid).is_ok_and(|it| it.starts_with("spinner-"));
    states(pid).into_iter().map(|it| it.0).filter(is).collect()
}

/// Records a spinning JVM that is held up for 300 ms: both its threads are seen to be stopped that
/// long, once, by a freezer or not, in a kernel function of this name.
fn check_stopped(
    java: &Java,
    hold: impl FnOnce(),
    release: impl FnOnce(),
    (frozen, frame): (bool, &str),
) {
    let mut session = Session::attach(&java.jvm(), Options::default()).unwrap();
    let mut facts = session.step().facts;
    let held = recorder::now();
    hold();
    // One that waits for its CPU is stopped when it has it.
    let pid = java.child.id();
    until("no thread runs", || states(pid).iter().all(|it| it.1 != 'R'));
    std::thread::sleep(Duration::from_millis(300));
    let released = recorder::now();
    release();
    // Of a thread that goes on, and of one that does not at the end of the recording.
    let spinners = spinners(pid);
    facts.append(step_until(&mut session, "both go on", |it| {
        spinners.iter().all(|tid| stopped(it).any(|it| it.tid == *tid))
    }));
    let going_on = recorder::now();
    facts.append(session.finish());
    for name in ["spinner-0", "spinner-1"] {
        let stopped: Vec<&ThreadSlice> =
            stopped(&facts).filter(|it| name_of(&facts, it.tid) == name).collect();
        let [one] = stopped[..] else { panic!("{name}: {stopped:?}") };
        let (start, end) = (one.interval.start, one.interval.end);
        assert!(one.interval.duration() > Duration::from_millis(250), "{one:?}");
        assert!(
            start >= held && end >= released && end <= going_on,
            "{held:?} {released:?} {one:?}"
        );
        assert_eq!(one.frozen, frozen, "{one:?}");
        let stack = facts.stacks.iter().find(|it| Some(it.id) == one.stack).unwrap();
        assert!(stack.frames.iter().any(|it| it == frame), "{stack:?}");
    }
}

#[test]
fn a_jvm_stopped_by_a_signal_is_seen_to_be_stopped() {
    let Some(java) = spinning() else { return };
    let pid = java.child.id();
    let send = |it| move || signal(pid, it);
    check_stopped(&java, send(Signal::STOP), send(Signal::CONT), (false, "do_signal_stop"));
}

/// The kernel counts a thread that a signal stopped as frozen as well (`do_signal_stop` calls
/// `cgroup_enter_frozen`), and has no function of the freezer in the stack of one that is frozen.
#[test]
fn cgroup_v2_freeze_is_distinguished_from_stop_signal() {
    let Some(group) = newest().and_then(|_| unified("unified")) else { return };
    let Some(java) = spinning() else { return };
    group.admit(java.child.id());
    let freeze = |it: &str| group.write("cgroup.freeze", it);
    check_stopped(&java, || freeze("1"), || freeze("0"), (true, "get_signal"));
    let pid = java.child.id();
    let send = |it| move || signal(pid, it);
    check_stopped(&java, send(Signal::STOP), send(Signal::CONT), (false, "do_signal_stop"));
}

#[test]
fn a_frozen_jvm_is_seen_to_be_stopped() {
    let Some(group) = newest().and_then(|_| group("freezer", "frozen")) else { return };
    let Some(java) = spinning() else { return };
    group.admit(java.child.id());
    let state = |it: &str| group.write("freezer.state", it);
    check_stopped(&java, || state("FROZEN"), || state("THAWED"), (true, "__refrigerator"));
}

/// All its threads sleep, so none of them is seen to be frozen; they are only seen to be let go.
#[test]
fn a_jvm_that_was_frozen_in_its_sleep_is_seen_to_have_been_stopped() {
    let Some(group) = newest().and_then(|_| group("freezer", "asleep")) else { return };
    let Some(jdk) = newest() else { return };
    let java = Java::start(&jdk, &["-Xmx64m", "-XX:+UseSerialGC"], "Spin", &["0"]);
    group.admit(java.child.id());
    let mut session = Session::attach(&java.jvm(), Options::default()).unwrap();
    let mut facts = step_for(&mut session, Duration::from_secs(1));
    let mut frozen = Vec::new();
    for _ in 0..3 {
        let before = recorder::now();
        group.write("freezer.state", "FROZEN");
        std::thread::sleep(Duration::from_millis(300));
        let thawed = recorder::now();
        group.write("freezer.state", "THAWED");
        let goes_on = |it: &Facts| stopped(it).any(|it| it.interval.end >= thawed);
        facts.append(step_until(&mut session, "it goes on", goes_on));
        facts.append(step_for(&mut session, Duration::from_millis(300)));
        frozen.push((before, thawed, recorder::now()));
    }
    facts.append(session.finish());
    let mut stopped: Vec<Interval> = stopped(&facts).map(|it| it.interval).collect();
    let all_frozen = facts.slices.iter().all(|it| it.frozen == (it.state == ThreadState::Stopped));
    assert!(all_frozen, "{:?}", facts.slices);
    stopped.sort();
    stopped.dedup_by(|next, before| next.start < before.end);
    assert_eq!(stopped.len(), 3, "{stopped:?}");
    // It is seen to have been asleep for some time before.
    let asleep = Duration::from_millis(500);
    let before = |n: usize| match n {
        0 => frozen[0].0 - asleep,
        _ => frozen[n - 1].2 - asleep,
    };
    for (n, it) in stopped.into_iter().enumerate() {
        let (_, thawed, after) = frozen[n];
        assert!(it.duration() > Duration::from_millis(240), "{it:?} {frozen:?}");
        let is_of_this = it.start >= before(n) && it.end >= thawed && it.end <= after;
        assert!(is_of_this, "{it:?} {frozen:?}");
    }
}

#[test]
fn a_spinning_jvm_has_no_hiccups() {
    let Some(java) = spinning() else { return };
    let before = waited_for_a_cpu(java.child.id());
    let facts = record_for(&java.jvm(), Options::default(), Duration::from_secs(2));
    let after = waited_for_a_cpu(java.child.id());
    let outside: Vec<&ThreadSlice> =
        facts.slices.iter().filter(|it| is_outside(&facts, it)).collect();
    // It may wait for a class to be read from a disk, for a CPU where others have it, as long as the
    // kernel says, and for nothing else.
    let mut waited: BTreeMap<u32, Duration> = BTreeMap::new();
    for it in outside.iter().filter(|it| it.state != ThreadState::Blocked) {
        assert_eq!(it.state, ThreadState::Runnable, "{outside:?}");
        *waited.entry(it.tid).or_default() += it.interval.duration();
    }
    for (tid, waited) in waited {
        let of = |it: &BTreeMap<u32, Duration>| it.get(&tid).copied().unwrap_or_default();
        let really = of(&after).saturating_sub(of(&before));
        assert!(waited <= really + Duration::from_millis(1), "{tid}: {really:?}: {outside:?}");
    }
}

/// How long each thread of a process has waited for a CPU so far (`schedstat`, second number).
fn waited_for_a_cpu(pid: u32) -> BTreeMap<u32, Duration> {
    let waited = |(tid, _): (u32, char)| {
        let text = fs::read_to_string(format!("/proc/{pid}/task/{tid}/schedstat")).ok()?;
        let nanos = text.split_ascii_whitespace().nth(1)?.parse().ok()?;
        Some((tid, Duration::from_nanos(nanos)))
    };
    states(pid).into_iter().filter_map(waited).collect()
}

/// A control group of version 1 with this controller; otherwise says that there is none.
fn group(controller: &str, name: &str) -> Option<Group> {
    let group = Group::v1(controller, name).ok();
    if group.is_none() {
        println!("SKIPPED: no {controller} controller of cgroup version 1");
    }
    group
}

/// One of version 2, in the same way.
fn unified(name: &str) -> Option<Group> {
    Group::v2(name).map_err(|_| println!("SKIPPED: no cgroup version 2")).ok()
}

#[test]
fn a_throttled_jvm_is_seen_to_be_throttled_and_why() {
    let Some(group) = newest().and_then(|_| group("cpu", "throttled")) else { return };
    let Some(java) = spinning() else { return };
    group.write("cpu.cfs_period_us", "100000");
    group.write("cpu.cfs_quota_us", "30000");
    group.admit(java.child.id());
    let throttled = |facts: &Facts| {
        let long = Duration::from_millis(30);
        let is = |it: &&ThreadSlice| {
            it.state == ThreadState::Throttled
                && it.interval.duration() > long
                && is_outside(facts, it)
        };
        facts.slices.iter().filter(is).count()
    };
    let cpus = |facts: &Facts| facts.cgroup.as_ref().and_then(CgroupFact::milli_cpus);
    let facts = record(&java.jvm(), Options::default(), |it| {
        if throttled(it) >= 10 && cpus(it) == Some(300) {
            group.write("cpu.cfs_quota_us", "60000");
        }
        throttled(it) >= 10 && cpus(it) == Some(600)
    });
    assert!(throttled(&facts) >= 10, "{:?}", facts.slices);
    assert_eq!(cpus(&facts), Some(600), "a limit that changes is read again");
    let limits = facts.cgroup.as_ref().unwrap();
    assert_eq!(limits.version, 1);
    assert!(group.path().ends_with(limits.cpu_path.trim_start_matches('/')), "{limits:?}");
    assert!(facts.coverage.unwrap().has(Source::CgroupLimits));
}

/// The counters file on a disk that waits: which counter, which file, and in the fault.
#[test]
fn a_fault_on_the_counters_file_names_the_counter() {
    let Some(jdk) = newest() else { return };
    let Some(disk) = Disk::ext4(common::DISK_BYTES) else { return };
    let mount = "mount --bind \"$0\" /tmp/hsperfdata_root && exec \"$@\"";
    fs::create_dir_all("/tmp/hsperfdata_root").unwrap();
    let mut command = spawn::command("unshare");
    command.args(["-m", "sh", "-c", mount]).arg(disk.path()).arg(jdk.tool("java"));
    let java = Java::start_by(command, &busy("-XX:+UseSerialGC"), "Alloc", &[]);
    let mut session = Session::attach(&java.jvm(), Options::default()).unwrap();
    let counters = |it: &Facts| !it.perf_counters.is_empty();
    let mut facts = step_until(&mut session, "its counters are known", counters);
    {
        let _frozen = disk.freeze();
        let waits = || states(java.child.id()).iter().any(|it| it.1 == 'D');
        until("a thread waits for the disk", waits);
        std::thread::sleep(Duration::from_millis(300));
    }
    let is_fault = |it: &&ThreadSlice| {
        it.fault_offset.is_some() && it.interval.duration() > Duration::from_millis(100)
    };
    let over = |it: &Facts| it.slices.iter().any(|it| is_fault(&it));
    facts.append(step_until(&mut session, "the fault is over", over));
    facts.append(session.finish());
    assert!(facts.coverage.as_ref().unwrap().has(Source::CounterFaults));
    let fault = facts.slices.iter().find(is_fault).unwrap();
    let file = facts.files.iter().find(|it| Some(it.key) == fault.file);
    let path = &file.unwrap_or_else(|| panic!("{:?}", facts.files)).path;
    assert!(path.ends_with(&format!("/{}", java.child.id())), "{path}");
    let offset = fault.fault_offset.unwrap();
    let counter = facts
        .perf_counters
        .iter()
        .find(|it| it.offset <= offset && offset < it.offset + it.length)
        .unwrap_or_else(|| panic!("{offset:#x} {:?}", facts.perf_counters));
    println!("the fault was on {} ({offset:#x})", counter.name);
    // A fault that is no longer under way marks nothing else.
    let others = facts.slices.iter().filter(|it| it.state != ThreadState::Blocked);
    assert!(others.into_iter().all(|it| it.fault_offset.is_none()));
}

/// Steal of all CPUs so far.
fn stolen() -> Duration {
    let stat = fs::read_to_string("/proc/stat").unwrap();
    let ticks = stat.lines().next().and_then(|it| it.split_ascii_whitespace().nth(8));
    let ticks: u64 = ticks.unwrap().parse().unwrap();
    Duration::from_millis(ticks * 1000 / rustix::param::clock_ticks_per_second())
}

fn on_cpu(facts: &Facts) -> impl Iterator<Item = &ThreadSlice> {
    facts.slices.iter().filter(|it| it.state == ThreadState::OnCpu)
}

/// A JVM that collects without end, so that most of its time is inside of stops.
#[test]
fn what_the_hypervisor_took_is_reported_and_no_more_than_that() {
    let Some(jdk) = newest() else { return };
    let flags =
        ["-Xmx200m", "-Xms200m", "-XX:+UseSerialGC", "-XX:CICompilerCount=2", "-XX:NewSize=2m"];
    let flags = [&flags[..], &["-XX:MaxNewSize=2m"]].concat();
    let java = Java::start(&jdk, &flags, "Alloc", &["2", "20000"]);
    let before = stolen();
    let options = Options { detail_over: Duration::ZERO, ..Options::default() };
    // Where others have the CPUs it takes longer until enough was seen.
    let seen = |it: &Facts| on_cpu(it).map(|it| it.interval.duration()).sum::<Duration>();
    let (least, is_enough) = (Instant::now() + Duration::from_secs(6), Duration::from_millis(100));
    let facts = record(&java.jvm(), options, |it| Instant::now() >= least && seen(it) > is_enough);
    let stolen = stolen() - before;
    let (mut had, mut taken) = (Duration::ZERO, Duration::ZERO);
    for it in on_cpu(&facts) {
        assert!(it.taken <= it.interval.duration() - it.merged_wait, "{it:?}");
        had += it.interval.duration();
        taken += it.taken;
    }
    println!("taken {taken:?} of {had:?} on a cpu in stops; stolen {stolen:?} on all cpus");
    assert!(had > Duration::from_millis(100), "{had:?}");
    assert!(taken <= 5 * stolen + Duration::from_millis(20), "{taken:?} {stolen:?}");
}

#[test]
fn the_jvm_is_among_the_users_of_memory() {
    let Some(jdk) = newest() else { return };
    let flags = ["-Xmx256m", "-Xms256m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC"];
    let java = Java::start(&jdk, &flags, "Spin", &["0"]);
    let pid = java.child.id();
    // What another session saw a moment ago is told first, and then the JVM was still starting.
    let whole = |it: &MemoryFact| it.pid == pid && it.resident_bytes > 256 << 20;
    let facts = record(&java.jvm(), Options::default(), |it| it.memory.iter().any(whole));
    let own = facts.memory.iter().find(|it| whole(it));
    let own = own.unwrap_or_else(|| panic!("{:?}", facts.memory));
    // The program and what it runs, and no argument.
    assert_eq!(own.command_line, format!("{} Spin.java", jdk.tool("java").display()));
    assert!(facts.coverage.unwrap().has(Source::MemoryUsers));
}
