//! What a recording promises, through its public functions alone.
mod damage;
mod full;
mod gone;
mod round_trip;
mod writing;

use crate::*;
use std::{
    path::{Path, PathBuf},
    time::Duration,
};
use tempfile::TempDir;

/// A directory that does not exist yet, and what removes it. In memory where there is some: the
/// tests write thousands of files, and some file systems sync a file that is written anew.
pub(crate) fn place() -> (TempDir, PathBuf) {
    let memory = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    let parent = memory.expect("a temporary directory");
    let path = parent.path().join("rec");
    (parent, path)
}

/// Names of the files in a directory, sorted.
fn files(path: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(path)
        .expect("a directory")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// A recording of these facts that was never sealed.
fn live(path: &Path, facts: &Facts) {
    let mut writer = Writer::create(path, Limits::default()).expect("a new recording");
    writer.write(facts).expect("writing");
    drop(writer);
}

fn open(path: &Path) -> Facts {
    Recording::open(path).expect("a recording").facts
}

fn interval(start: u64, end: u64) -> Interval {
    Interval::new(MonoTime(start), MonoTime(end))
}

/// Two rows of every table where it has two, the second one as odd as its types allow.
pub(crate) fn sample() -> Facts {
    Facts {
        jvm: Some(jvm()),
        host: Some(host()),
        clocks: clocks(),
        threads: vec![
            ThreadFact {
                tid: 7,
                name: "VM Thread".into(),
                role: ThreadRole::VmThread,
                first_seen: MonoTime(1),
            },
            ThreadFact {
                tid: u32::MAX,
                name: "größe 線程 \u{0}".into(),
                role: ThreadRole::Java,
                first_seen: MonoTime(u64::MAX),
            },
        ],
        safepoints: safepoints(),
        slices: slices(),
        stacks: vec![
            StackFact { id: 0, frames: vec![] },
            StackFact { id: 9, frames: vec!["io_schedule".into(), String::new(), "é".into()] },
        ],
        files: filed(),
        cgroup: Some(cgroup()),
        perf_counters: vec![PerfCounterFact {
            name: "sun.rt.safepoints".into(),
            offset: 0x380,
            length: 8,
        }],
        memory: vec![memory()],
        cpu_users: cpu_users(),
        outputs: vec![output()],
        output_readers: vec![output_reader()],
        kernel_work: vec![KernelWork {
            tid: 7,
            kind: KernelWorkKind::Compaction,
            interval: interval(3, 4),
        }],
        code: code(),
        java_stacks: java_stacks(),
        log_lines: vec![
            LogLine { read: MonoTime(5), offset: 0, text: "[gc] Pause \u{fffd} ½".into() },
            LogLine { read: MonoTime(6), offset: u64::MAX, text: String::new() },
        ],
        packed_lines: PackedLines::default(),
        samples: vec![Sample {
            at: MonoTime(5),
            counter: "disk.sdb1.write_ms".into(),
            value: u64::MAX,
        }],
        writers: written(),
        coverage: Some(coverage()),
    }
}

fn memory() -> MemoryFact {
    MemoryFact {
        at: MonoTime(9),
        pid: 5,
        name: "hog".into(),
        command_line: String::new(),
        cgroup: "/".into(),
        resident_bytes: u64::MAX,
        swapped_bytes: 0,
    }
}

fn cpu_users() -> Vec<CpuUserFact> {
    let sum = CpuUserFact {
        interval: interval(1, 9),
        pid: 5,
        name: "größe".into(),
        command_line: "/bin/hog".into(),
        cgroup: "/batch".into(),
        cpu: None,
        used: Duration::from_nanos(7),
        cpus_allowed: "0-3,8".into(),
    };
    let run = CpuUserFact { cpu: Some(u32::MAX), command_line: String::new(), ..sum.clone() };
    vec![sum, run]
}

fn output() -> OutputFact {
    OutputFact {
        at: MonoTime(9),
        fd: 1,
        kind: OutputKind::PseudoTerminal,
        name: "/dev/pts/3".into(),
        number: 3,
        gc_log: true,
        inspected: u32::MAX,
        uninspected: 0,
        hidden: String::new(),
    }
}

fn output_reader() -> OutputReaderFact {
    OutputReaderFact {
        at: MonoTime(9),
        fd: 1,
        pid: 7,
        name: "größe".into(),
        command_line: "tee é".into(),
        cgroup: "/".into(),
        state: "T".into(),
        function: String::new(),
    }
}

fn code() -> Vec<CodeFact> {
    vec![
        CodeFact { tid: 7, at: MonoTime(5), address: 1 << 40, method: "a.B.c(D)V".into() },
        CodeFact { tid: 8, at: MonoTime(6), address: u64::MAX, method: String::new() },
    ]
}

fn java_stacks() -> Vec<JavaStackFact> {
    let frames = vec!["a.B.c(B.java:12)".into(), "a.B$$Lambda.run(Unknown Source)".into()];
    vec![
        JavaStackFact { tid: 7, reaching: interval(1, 2), frames },
        JavaStackFact { tid: 8, reaching: interval(3, 3), frames: vec![] },
    ]
}

fn cgroup() -> CgroupFact {
    CgroupFact {
        version: 2,
        cpu_path: "/service".into(),
        cpu_quota: Some(Duration::from_millis(150)),
        cpu_period: Duration::from_millis(100),
        cpu_burst: Duration::ZERO,
        memory_path: "/".into(),
        memory_max_bytes: None,
        memory_high_bytes: Some(1 << 30),
    }
}

fn jvm() -> JvmFact {
    JvmFact {
        pid: 4242,
        pid_in_namespace: 1,
        uid: 1000,
        main: "kafka.Kafka".into(),
        command_line: "java -Xmx1g kafka.Kafka größe".into(),
        version: "17.0.15+6".into(),
        vendor: String::new(),
        collector: "g1".into(),
        flags: vec!["-Xmx1g".into(), String::new(), "-Dö=日本".into()],
        gc_threads: 2,
        libjvm: "/usr/lib/jvm/lib/server/libjvm.so".into(),
        gc_log: "/var/log/gc.log".into(),
        gc_log_file: Some(FileKey { device: u64::MAX, inode: 0 }),
        cgroup: "/system.slice".into(),
        cpus_allowed: "0-1".into(),
        started: MonoTime(12),
    }
}

fn host() -> HostFact {
    HostFact {
        name: "a".into(),
        cpus: 2,
        memory_bytes: 1 << 40,
        boot_id: "b".into(),
        ..HostFact::default()
    }
}

fn clocks() -> Vec<ClockOffset> {
    let offset = |to, offset_ns| ClockOffset {
        from: Clock::Monotonic,
        to,
        offset_ns,
        uncertainty: Duration::from_nanos(40),
        measured: MonoTime(77),
    };
    vec![offset(Clock::Wall, i64::MAX), offset(Clock::Uptime, i64::MIN)]
}

fn safepoints() -> Vec<SafepointFact> {
    let totals = |n: u64| SafepointTotals {
        on_cpu: Duration::from_nanos(n),
        runnable: Duration::from_nanos(n + 1),
        throttled: Duration::from_nanos(n + 2),
        blocked: Duration::from_nanos(n + 3),
        waiting: Duration::from_nanos(n + 4),
    };
    let operation =
        |name: &str, at| VmOperationFact { name: name.into(), interval: interval(at, at + 5) };
    let first = SafepointFact {
        begin: MonoTime(100),
        resumed: Some(MonoTime(190)),
        end_probe: MonoTime(200),
        vm_tid: 7,
        operations: vec![operation("G1CollectForAllocation", 120), operation("", 130)],
        detailed: true,
        reaching: totals(10),
        operating: totals(20),
        cgroup_throttled: Duration::from_nanos(3),
        cut: Cut { begin: true, end: false },
    };
    let second = SafepointFact {
        resumed: None,
        operations: vec![],
        detailed: false,
        begin: MonoTime(300),
        end_probe: MonoTime(300),
        cut: Cut { begin: false, end: true },
        ..first.clone()
    };
    vec![first, second]
}

fn slices() -> Vec<ThreadSlice> {
    let plain = ThreadSlice {
        tid: 7,
        interval: interval(100, 110),
        state: ThreadState::OnCpu,
        merged_wait: Duration::from_nanos(2),
        entered: None,
        fd: None,
        file: None,
        fault_offset: None,
        stack: None,
        woken_by: None,
        released_by: None,
        cpu_holder: None,
        taken: Duration::from_nanos(3),
        sampled: false,
        frozen: false,
    };
    let blocked = ThreadSlice {
        interval: interval(110, 150),
        state: ThreadState::Blocked,
        merged_wait: Duration::ZERO,
        entered: Some(OffCpuCause::Syscall(1)),
        fd: Some(0),
        file: Some(FileKey { device: 1, inode: u64::MAX }),
        stack: Some(0),
        woken_by: Some(8),
        ..plain.clone()
    };
    let fault = ThreadSlice {
        entered: Some(OffCpuCause::PageFault),
        fd: None,
        fault_offset: Some(0x380),
        released_by: Some(Release { pid: 9, tid: 10, call: Some(11), name: "ps".into() }),
        sampled: true,
        ..blocked.clone()
    };
    let runnable = ThreadSlice {
        state: ThreadState::Runnable,
        cpu_holder: Some((0, "ключ".into())),
        ..plain.clone()
    };
    let nameless = ThreadSlice { cpu_holder: Some((1, String::new())), ..runnable.clone() };
    let stopped = ThreadSlice { state: ThreadState::Stopped, ..plain.clone() };
    let frozen = ThreadSlice { frozen: true, ..stopped.clone() };
    vec![plain, blocked, fault, runnable, nameless, stopped, frozen]
}

fn filed() -> Vec<FileFact> {
    let file = FileFact {
        key: FileKey { device: 0, inode: 0 },
        path: "/a b/ü (deleted)".into(),
        file_system: "ext4".into(),
        device_name: "sdb1".into(),
        mount_point: "/".into(),
        mapped: true,
        devices: vec!["sdb1".into(), "sdb".into()],
    };
    let key = FileKey { device: 0, inode: 1 };
    vec![file.clone(), FileFact { key, mapped: false, path: String::new(), ..file }]
}

fn written() -> Vec<WriterFact> {
    let writer = WriterFact {
        interval: interval(0, 9),
        pid: 991,
        name: "dd".into(),
        command_line: "dd of=/x".into(),
        cgroup: "/".into(),
        bytes: 412 << 20,
        device: Some(0),
        path: "/x".into(),
        read_bytes: 7,
        devices: vec!["sdb1".into(), "sdb".into()],
    };
    vec![writer.clone(), WriterFact { device: None, path: String::new(), ..writer }]
}

fn coverage() -> Coverage {
    let mut coverage = Coverage {
        lost_events: 1,
        lost_stacks: 2,
        lost_rows: 3,
        switches: 4,
        kernel_time: Some(Duration::ZERO),
        recorder_cpu: Duration::from_millis(5),
        recorder_rss_bytes: 6,
        jvm_cpu: Duration::from_secs(7),
        recorded: Duration::from_secs(8),
        stalls_over: Some(Duration::from_millis(13)),
        end: "duration elapsed".into(),
        ..Coverage::default()
    };
    coverage.sources.insert(Source::GcLog, SourceState::Recorded);
    coverage.sources.insert(Source::Reclaim, SourceState::Missing("no tracepoint".into()));
    coverage.sources.insert(Source::Files, SourceState::Missing(String::new()));
    coverage.note("gc.log", "größe", 9);
    coverage
}
