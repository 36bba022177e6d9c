//! Facts as text, for tests: a few lines that can be read aloud, and a verdict.
//!
//! ```text
//! jvm 17.0.15 g1 log gc.log flags -Xlog:gc*:file=gc.log
//! cpus 2 gc-threads 3
//! kernel 6.1.0
//! cgroup quota 100ms period 100ms burst 0ms limit 512 high 400 v2
//! memory 77 stress /app 100ms 900 20
//! counter sun.rt.safepoints 896
//! mapped /tmp/hsperfdata_app/42
//! file-system tcp 127.0.0.1:5005
//! log 1000ms [1.000s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 24M->4M(256M) 9.000ms
//! work 1 direct-reclaim 5ms 9ms
//! sample vmstat.pswpin 1000ms 77
//! output 1 pipe pipe:[9] log looked 40 2
//! reader 1 77 cat T 100ms
//! missing kernel-stacks
//! stalls 10ms
//! thread 1 vm-thread VM Thread
//! safepoint 0ms 100ms op G1CollectForAllocation 1ms 99ms vm 1
//! safepoint 0us 2000us op X 100us 1900us vm 1 totals 100 0 0 0 0 / 900 0 0 0 0
//! 1 on-cpu 0ms 5ms
//! 1 waiting 5ms 90ms by 2
//! 2 runnable 5ms 60ms held 77 stress
//! 2 blocked 60ms 90ms write gc.log stack do_get_write_access vfs_write
//! ```
//!
//! A block in something that is no file has `-` in its place, or `fd1` for a descriptor. Limits and memory are MiB (resident,
//! then swapped). Slices may end in `offset 896`, `taken 3ms` or `sampled`. Totals are microseconds
//! on a CPU, runnable, throttled, blocked and waiting. A stop that is cut ends in `begun-before` or
//! `unfinished`; `op - - -` had come to no operation. All sources were recorded unless one is missing.
#[cfg(test)]
use crate::{Cause, Certainty, Verdict};
use crate::{Diagnosis, diagnose_facts};
use recording::{
    Architecture, CgroupFact, CodeFact, Coverage, CpuUserFact, Cut, Facts, FileFact, FileKey,
    HostFact, Interval, JavaStackFact, JvmFact, KernelWork, KernelWorkKind, LogLine, MemoryFact,
    MonoTime, OffCpuCause, OutputFact, OutputKind, OutputReaderFact, PerfCounterFact, Release,
    SafepointFact, SafepointTotals, Sample, Source, SourceState, StackFact, ThreadFact, ThreadRole,
    ThreadSlice, ThreadState, VmOperationFact, WriterFact,
};
use std::time::Duration;

/// The verdict on `cause`: `absent`, `unknown SOURCE…`, or
/// `present TIME CERTAINTY [MECHANISM]`.
#[cfg(test)]
#[track_caller]
pub(crate) fn check(cause: &Cause, text: &str, expected: &str) {
    let diagnosis = diagnose(text);
    for attribution in &diagnosis.pauses {
        let parts: Duration = attribution.parts.iter().map(|it| it.time).sum();
        assert_eq!(
            parts + attribution.unattributed,
            attribution.pause.duration,
            "a pause adds up exactly"
        );
    }
    assert_eq!(verdict(&diagnosis, cause.id), expected);
}

/// The story of a cause, one line.
#[cfg(test)]
pub(crate) fn story_of(cause: &Cause, text: &str) -> String {
    let diagnosis = diagnose(text);
    let finding = diagnosis.findings.iter().find(|it| it.cause.id == cause.id);
    finding.expect("the cause struck").story.join(" ")
}

/// Whom a cause blames: `KIND NAME: STATEMENT`, one a line.
#[cfg(test)]
pub(crate) fn culprits_of(cause: &Cause, text: &str) -> String {
    let diagnosis = diagnose(text);
    let finding = diagnosis.findings.iter().find(|it| it.cause.id == cause.id);
    let culprits = &finding.expect("the cause struck").culprits;
    culprits.iter().map(|it| format!("{} {}: {}\n", it.kind.id(), it.name, it.statement)).collect()
}

/// What proves a cause, one statement a line.
#[cfg(test)]
pub(crate) fn evidence_of(cause: &Cause, text: &str) -> String {
    let diagnosis = diagnose(text);
    let finding = diagnosis.findings.iter().find(|it| it.cause.id == cause.id);
    let evidence = &finding.expect("the cause struck").evidence;
    evidence.iter().map(|it| format!("{}\n", it.statement)).collect()
}

/// Gives the first case of the facts to `inspect`.
#[cfg(test)]
pub(crate) fn case_of(text: &str, inspect: impl FnOnce(&crate::case::Case<'_>)) {
    let facts = facts(text);
    let index = crate::facts::index::Index::new(&facts);
    let case = crate::answer::from_recording::safepoint_cases(&facts, &index).into_iter().next();
    inspect(&case.expect("there is a safepoint"));
}

/// The diagnosis where threads were first looked at `since` then.
#[cfg(test)]
pub(crate) fn diagnosis_since(text: &str, since: &str) -> Diagnosis {
    let mut facts = facts(text);
    facts.threads.iter_mut().for_each(|it| it.first_seen = time(since));
    diagnose_facts(&facts)
}

/// The diagnosis of the facts.
#[must_use]
pub fn diagnose(text: &str) -> Diagnosis {
    diagnose_facts(&facts(text))
}

#[cfg(test)]
fn verdict(diagnosis: &Diagnosis, id: &str) -> String {
    let watched =
        diagnosis.watched.iter().find(|it| it.cause.id == id).expect("every cause has a verdict");
    match &watched.verdict {
        Verdict::Absent => "absent".into(),
        // The cause itself did not strike. That too much is unexplained to rule it out is tested
        // where that is decided (`doubt`).
        Verdict::Unknown(missing) if missing.is_empty() => "absent".into(),
        Verdict::Unknown(missing) => {
            let missing: Vec<_> = missing.iter().map(|it| it.id()).collect();
            format!("unknown {}", missing.join(" "))
        }
        Verdict::Present => {
            let finding =
                diagnosis.findings.iter().find(|it| it.cause.id == id).expect("a finding is there");
            let certainty =
                if finding.certainty == Certainty::Measured { "measured" } else { "inferred" };
            let mechanism =
                finding.mechanisms.first().map_or_else(String::new, |it| format!(" {}", it.id));
            format!("present {:?} {certainty}{mechanism}", finding.time)
        }
    }
}

/// Reads the facts. Panics on a line it does not know: it is a test's own text.
#[must_use]
pub fn facts(text: &str) -> Facts {
    let mut coverage = Coverage::default();
    let all = Source::ALL.iter().copied().filter(|it| *it != Source::ThreadSamples);
    coverage.sources.extend(all.map(|it| (it, SourceState::Recorded)));
    let mut facts = Facts { host: Some(HostFact::default()), ..Facts::default() };
    for line in text.lines().map(str::trim).filter(|it| !it.is_empty()) {
        let words: Vec<_> = line.split_whitespace().collect();
        match words[0] {
            "jvm" => jvm(&mut facts, &words),
            "cpus" => cpus(&mut facts, &words),
            "mapped" | "file-system" => known_file(&mut facts, &words),
            "stalls" => coverage.stalls_over = Some(time(words[1]).since(time("0ms"))),
            "kernel" => facts.host.get_or_insert_default().kernel = words[1].into(),
            "cgroup" => facts.cgroup = Some(cgroup(&words)),
            "writer" | "cpu-user" | "memory" | "allowed" => others(&mut facts, &words),
            "counter" => facts.perf_counters.push(PerfCounterFact {
                name: words[1].into(),
                offset: number(words[2]),
                length: 8,
            }),
            "sample" => facts.samples.push(sample(&words)),
            "log" => facts.log_lines.push(LogLine {
                read: time(words[1]),
                offset: 0,
                text: words[2..].join(" "),
            }),
            "work" => facts.kernel_work.push(work(&words)),
            "code" => facts.code.push(code(&words)),
            "java-stack" => facts.java_stacks.push(java_stack(&words)),
            "output" => facts.outputs.push(output(&words)),
            "reader" => facts.output_readers.push(reader(&words)),
            "missing" => {
                let source = Source::from_id(words[1]).expect("a source's id");
                coverage.sources.insert(source, SourceState::Missing("not there".into()));
            }
            "recorded" => {
                let source = Source::from_id(words[1]).expect("a source's id");
                coverage.sources.insert(source, SourceState::Recorded);
            }
            "thread" => facts.threads.push(ThreadFact {
                tid: number(words[1]),
                role: ThreadRole::from_id(words[2]).expect("a role"),
                name: words[3..].join(" "),
                first_seen: MonoTime(0),
            }),
            "safepoint" => facts.safepoints.push(safepoint(&words)),
            _ => slice(&mut facts, &words),
        }
    }
    facts.coverage = Some(coverage);
    facts
}

fn sample(words: &[&str]) -> Sample {
    Sample { counter: words[1].into(), at: time(words[2]), value: number(words[3]) }
}

/// What is known of other processes, and of the CPUs of the JVM.
fn others(facts: &mut Facts, words: &[&str]) {
    match words[0] {
        "writer" => facts.writers.push(writer(words)),
        "cpu-user" => facts.cpu_users.push(cpu_user(words)),
        "memory" => facts.memory.push(memory(words)),
        _ => facts.jvm.get_or_insert_default().cpus_allowed = words[1].into(),
    }
}

/// `output FD KIND NAME [log] [looked INSPECTED UNINSPECTED] [hidden WHY…]`.
fn output(words: &[&str]) -> OutputFact {
    let after = |word: &str| words.iter().position(|it| *it == word).map(|at| &words[at + 1..]);
    OutputFact {
        at: time("0ms"),
        fd: number(words[1]),
        kind: OutputKind::from_id(words[2]).expect("a kind of output"),
        name: words[3].into(),
        number: 9,
        gc_log: words.contains(&"log"),
        inspected: after("looked").map_or(0, |it| number(it[0])),
        uninspected: after("looked").map_or(0, |it| number(it[1])),
        hidden: after("hidden").map_or_else(String::new, |it| it.join(" ")),
    }
}

/// `reader FD PID NAME STATE AT`.
fn reader(words: &[&str]) -> OutputReaderFact {
    OutputReaderFact {
        at: time(words[5]),
        fd: number(words[1]),
        pid: number(words[2]),
        name: words[3].into(),
        command_line: String::new(),
        cgroup: String::new(),
        state: words[4].into(),
        function: String::new(),
    }
}

/// `work TID KIND START END`.
fn work(words: &[&str]) -> KernelWork {
    KernelWork {
        tid: number(words[1]),
        kind: KernelWorkKind::from_id(words[2]).expect("a kind of work"),
        interval: Interval::new(time(words[3]), time(words[4])),
    }
}

/// `code TID AT METHOD`.
fn code(words: &[&str]) -> CodeFact {
    CodeFact {
        tid: number(words[1]),
        at: time(words[2]),
        address: 1,
        method: words.get(3).copied().unwrap_or_default().into(),
    }
}

/// `java-stack TID BEGIN REACHED FRAME…`.
fn java_stack(words: &[&str]) -> JavaStackFact {
    JavaStackFact {
        tid: number(words[1]),
        reaching: Interval::new(time(words[2]), time(words[3])),
        frames: words[4..].iter().map(|it| (*it).to_owned()).collect(),
    }
}

fn jvm(facts: &mut Facts, words: &[&str]) {
    let after = |word: &str| words.iter().position(|it| *it == word).map(|at| &words[at + 1..]);
    let old = facts.jvm.take().unwrap_or_default();
    let log = after("log").map_or("", |it| it[0]);
    let gc_log_file = (!log.is_empty()).then(|| file(facts, log));
    facts.jvm = Some(JvmFact {
        pid: 4242,
        version: words[1].into(),
        collector: words[2].into(),
        gc_log: log.into(),
        gc_log_file,
        flags: after("flags").unwrap_or_default().iter().map(|it| (*it).to_owned()).collect(),
        ..old
    });
}

fn cpus(facts: &mut Facts, words: &[&str]) {
    facts.host.get_or_insert_default().cpus = number(words[1]);
    facts.jvm.get_or_insert_default().gc_threads = number(words[3]);
}

/// Version 2 unless the line ends in `v1`.
fn cgroup(words: &[&str]) -> CgroupFact {
    let after = |word: &str| words.iter().position(|it| *it == word).map(|at| words[at + 1]);
    let span = |word: &str| after(word).map(|it| time(it).since(time("0ms")));
    let mebibytes = |word: &str| after(word).map(|it| number::<u64>(it) << 20);
    CgroupFact {
        version: if words.contains(&"v1") { 1 } else { 2 },
        cpu_path: "/app".into(),
        cpu_quota: span("quota"),
        cpu_period: span("period").unwrap_or_default(),
        cpu_burst: span("burst").unwrap_or_default(),
        memory_path: "/app".into(),
        memory_max_bytes: mebibytes("limit"),
        memory_high_bytes: mebibytes("high"),
    }
}

fn memory(words: &[&str]) -> MemoryFact {
    MemoryFact {
        at: time(words[4]),
        pid: number(words[1]),
        name: words[2].into(),
        command_line: String::new(),
        cgroup: words[3].into(),
        resident_bytes: number::<u64>(words[5]) << 20,
        swapped_bytes: number::<u64>(words[6]) << 20,
    }
}

/// `writer PID NAME START END MB [read MB] [device N] [on DEVICES] [runs COMMAND…]`, of one file; the one that
/// others wait for in tests is on device 7, sdb1 and sdb.
fn writer(words: &[&str]) -> WriterFact {
    let after = |word: &str| words.iter().position(|it| *it == word).map(|at| &words[at + 1..]);
    let devices = after("on").map_or(Vec::new(), |it| it[0].split(',').map(Into::into).collect());
    WriterFact {
        interval: Interval::new(time(words[3]), time(words[4])),
        pid: number(words[1]),
        name: words[2].into(),
        command_line: after("runs").map_or_else(String::new, |it| it.join(" ")),
        cgroup: String::new(),
        bytes: number::<u64>(words[5]) * 1_000_000,
        read_bytes: after("read").map_or(0, |it| number::<u64>(it[0]) * 1_000_000),
        device: after("device").map(|it| number(it[0])),
        path: String::new(),
        devices,
    }
}

/// `cpu-user PID NAME START END [cpu N] [used SPAN] [allowed LIST] [in GROUP] [runs COMMAND…]`.
fn cpu_user(words: &[&str]) -> CpuUserFact {
    let after = |word: &str| words.iter().position(|it| *it == word).map(|at| &words[at + 1..]);
    let interval = Interval::new(time(words[3]), time(words[4]));
    CpuUserFact {
        interval,
        pid: number(words[1]),
        name: words[2].into(),
        command_line: after("runs").map_or_else(String::new, |it| it.join(" ")),
        cgroup: after("in").map_or("", |it| it[0]).into(),
        cpu: after("cpu").map(|it| number(it[0])),
        used: after("used").map_or(interval.duration(), |it| time(it[0]).since(time("0ms"))),
        cpus_allowed: after("allowed").map_or("", |it| it[0]).into(),
    }
}

/// `mapped [FILE-SYSTEM] NAME` and `file-system FILE-SYSTEM NAME`.
fn known_file(facts: &mut Facts, words: &[&str]) {
    let key = file(facts, words[words.len() - 1]);
    let known = facts.files.iter_mut().find(|it| it.key == key).expect("just added");
    known.mapped = words[0] == "mapped";
    if words.len() > 2 {
        known.file_system = words[1].into();
    }
}

fn file(facts: &mut Facts, name: &str) -> FileKey {
    if let Some(known) = facts.files.iter().find(|it| it.path == name) {
        return known.key;
    }
    let key = FileKey { device: 7, inode: facts.files.len() as u64 + 1 };
    facts.files.push(FileFact {
        key,
        path: name.into(),
        file_system: "ext4".into(),
        device_name: "sdb1".into(),
        mount_point: "/".into(),
        mapped: false,
        devices: vec!["sdb1".into(), "sdb".into()],
    });
    key
}

fn safepoint(words: &[&str]) -> SafepointFact {
    let totals = words.iter().position(|it| *it == "totals").map(|at| &words[at + 1..]);
    let end = time(words[2]);
    SafepointFact {
        begin: time(words[1]),
        resumed: Some(end),
        end_probe: end,
        vm_tid: number(words[8]),
        operations: operation(&words[4..7]).into_iter().collect(),
        detailed: totals.is_none(),
        reaching: totals.map_or_else(SafepointTotals::default, |it| totals_of(&it[..5])),
        operating: totals.map_or_else(SafepointTotals::default, |it| totals_of(&it[6..])),
        cgroup_throttled: Duration::ZERO,
        cut: Cut { begin: words.contains(&"begun-before"), end: words.contains(&"unfinished") },
    }
}

/// `NAME BEGIN END`; `- - -` where the stop had not come to one.
fn operation(words: &[&str]) -> Option<VmOperationFact> {
    let interval = (words[1] != "-").then(|| Interval::new(time(words[1]), time(words[2])))?;
    Some(VmOperationFact { name: words[0].into(), interval })
}

fn totals_of(words: &[&str]) -> SafepointTotals {
    let us = |i: usize| Duration::from_micros(number::<u64>(words[i]));
    let (on_cpu, runnable, throttled) = (us(0), us(1), us(2));
    SafepointTotals { on_cpu, runnable, throttled, blocked: us(3), waiting: us(4) }
}

fn slice(facts: &mut Facts, words: &[&str]) {
    let after = |word: &str| words.iter().position(|it| *it == word).map(|at| &words[at + 1..]);
    let stack = after("stack").map(|frames| {
        let id = facts.stacks.len() as u32 + 1;
        facts
            .stacks
            .push(StackFact { id, frames: frames.iter().map(|it| (*it).to_owned()).collect() });
        id
    });
    let blocked = words[1] == "blocked";
    let call = |name: &str| Architecture::X86_64.call_number(name);
    let entered = match words[1] {
        "blocked" if words[4] == "-" => None,
        "blocked" if words[4] == "fault" => Some(OffCpuCause::PageFault),
        "blocked" => Some(OffCpuCause::Syscall(call(words[4]).expect("a system call"))),
        "waiting" => call("futex").map(OffCpuCause::Syscall),
        _ => None,
    };
    let state = if words[1] == "waiting" { "blocked" } else { words[1] };
    let place = words.get(5).copied().filter(|it| blocked && *it != "-").unwrap_or_default();
    let fd = place.strip_prefix("fd").and_then(|it| it.parse().ok());
    let file = (!place.is_empty() && fd.is_none()).then(|| file(facts, place));
    facts.slices.push(ThreadSlice {
        tid: number(words[0]),
        interval: Interval::new(time(words[2]), time(words[3])),
        state: ThreadState::from_id(state).expect("a state"),
        merged_wait: Duration::ZERO,
        entered,
        fd,
        file,
        stack,
        woken_by: after("by").map(|it| number(it[0])),
        released_by: after("released").map(|it| Release {
            pid: number(it[0]),
            tid: number(it[1]),
            call: call(it[2]),
            name: it[3].to_owned(),
        }),
        cpu_holder: after("held").map(|it| (number(it[0]), it[1].to_owned())),
        fault_offset: after("offset").map(|it| number(it[0])),
        taken: after("taken").map_or(Duration::ZERO, |it| time(it[0]).since(time("0ms"))),
        sampled: words.contains(&"sampled"),
        frozen: words.contains(&"frozen"),
    });
}

/// `5ms`, `300us`. Tests begin at one minute, so that "before" exists.
fn time(text: &str) -> MonoTime {
    let split = text.find(|c: char| !c.is_ascii_digit()).expect("a unit");
    let unit = if &text[split..] == "ms" { 1_000_000 } else { 1_000 };
    MonoTime(60_000_000_000 + number::<u64>(&text[..split]) * unit)
}

fn number<T: std::str::FromStr<Err: std::fmt::Debug>>(text: &str) -> T {
    text.parse().expect("a number")
}
