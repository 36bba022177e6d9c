//! Every column of text of every table: it has no names after redaction, or it is harmless.
use super::*;
use recording::{
    CgroupFact, Coverage, CpuUserFact, FileFact, FileKey, HostFact, Interval, JvmFact as Jvm,
    Kind as Type, LogLine, MemoryFact, MonoTime, Note, OutputFact, OutputKind, OutputReaderFact,
    Release, Source, SourceState, Table, ThreadFact, ThreadRole, ThreadSlice, ThreadState,
    WriterFact,
};
use std::time::Duration;

/// Columns that stay as they are.
const HARMLESS: [(&str, &[&str]); 4] = [
    // Words of the recorder's own and letters of the kernel's.
    (
        "one of a few words",
        &[
            "jvm.collector",
            "jvm.cpus_allowed",
            // Names that the kernel gives.
            "files.devices",
            "writers.devices",
            "cpu_users.cpus_allowed",
            "clocks.from_clock",
            "clocks.to_clock",
            "threads.role",
            "slices.state",
            "kernel_work.kind",
            "outputs.kind",
            "output_readers.state",
            "coverage.sources",
            "coverage.tables",
        ],
    ),
    (
        "what anybody has who has the same release",
        &[
            "jvm.version",
            "jvm.vendor",
            "host.kernel",
            "host.os",
            "host.architecture",
            "host.recorder_version",
            "files.file_system",
            "perf_counters.name",
            "safepoints.operation_names",
            "stacks.frames",
            "output_readers.function",
        ],
    ),
    ("Java names stay, as main classes do", &["code.method", "java_stacks.frames"]),
    (
        "counters of the kernel, with names of devices and numbers of processes",
        &["samples.counter"],
    ),
];

fn is_harmless(column: &str) -> bool {
    HARMLESS.iter().any(|(_, columns)| columns.contains(&column))
}

/// `table.column` of all columns of text.
fn columns_of_text() -> Vec<String> {
    let of = |table: &&Table| {
        let text = table.columns.iter().filter(|it| matches!(it.kind, Type::Text | Type::Texts));
        text.map(|it| format!("{}.{}", table.name, it.name)).collect::<Vec<_>>()
    };
    Table::all().iter().flat_map(of).collect()
}

/// What stands in a column.
fn secret(column: &str) -> String {
    format!("/secret/{column}")
}

const AT: MonoTime = MonoTime(1);

fn interval() -> Interval {
    Interval::new(AT, MonoTime(2))
}

/// A secret in each column that is not harmless.
fn facts() -> Facts {
    Facts {
        jvm: Some(Jvm {
            main: secret("jvm.main"),
            command_line: secret("jvm.command_line"),
            flags: vec![format!("-XX:ErrorFile={}", secret("jvm.flags"))],
            libjvm: secret("jvm.libjvm"),
            gc_log: secret("jvm.gc_log"),
            cgroup: secret("jvm.cgroup"),
            ..Jvm::default()
        }),
        host: Some(HostFact {
            name: secret("host.name"),
            boot_id: secret("host.boot_id"),
            ..HostFact::default()
        }),
        cgroup: Some(CgroupFact {
            cpu_path: secret("cgroup.cpu_path"),
            memory_path: secret("cgroup.memory_path"),
            ..CgroupFact::default()
        }),
        threads: vec![ThreadFact {
            tid: 1,
            name: secret("threads.name"),
            role: ThreadRole::Java,
            first_seen: AT,
        }],
        files: vec![FileFact {
            key: FileKey { device: 1, inode: 1 },
            path: secret("files.path"),
            file_system: "ext4".into(),
            device_name: secret("files.device_name"),
            mount_point: secret("files.mount_point"),
            mapped: false,
            devices: vec!["sdb1".into(), "sdb".into()],
        }],
        log_lines: vec![LogLine {
            read: AT,
            offset: 0,
            text: format!(
                "[0.1s][info][gc,init] CommandLine flags: -Xloggc:{}",
                secret("log_lines.text")
            ),
        }],
        slices: vec![slice()],
        coverage: Some(coverage()),
        ..of_others()
    }
}

/// What is known of other processes.
fn of_others() -> Facts {
    Facts {
        writers: vec![WriterFact {
            interval: interval(),
            pid: 1,
            name: secret("writers.name"),
            command_line: secret("writers.command_line"),
            cgroup: secret("writers.cgroup"),
            bytes: 1,
            device: None,
            path: secret("writers.path"),
            read_bytes: 7,
            devices: vec!["sdb1".into(), "sdb".into()],
        }],
        memory: vec![MemoryFact {
            at: AT,
            pid: 1,
            name: secret("memory.name"),
            command_line: secret("memory.command_line"),
            cgroup: secret("memory.cgroup"),
            resident_bytes: 1,
            swapped_bytes: 0,
        }],
        cpu_users: vec![CpuUserFact {
            interval: interval(),
            pid: 1,
            name: secret("cpu_users.name"),
            command_line: secret("cpu_users.command_line"),
            cgroup: secret("cpu_users.cgroup"),
            cpu: None,
            used: Duration::ZERO,
            cpus_allowed: "0-1".into(),
        }],
        outputs: vec![OutputFact {
            at: AT,
            fd: 1,
            kind: OutputKind::Fifo,
            name: secret("outputs.name"),
            number: 0,
            gc_log: true,
            inspected: 0,
            uninspected: 0,
            hidden: format!("it is {}", secret("outputs.hidden")),
        }],
        output_readers: vec![OutputReaderFact {
            at: AT,
            fd: 1,
            pid: 1,
            name: secret("output_readers.name"),
            command_line: secret("output_readers.command_line"),
            cgroup: secret("output_readers.cgroup"),
            state: "S".into(),
            function: "pipe_read".into(),
        }],
        ..Facts::default()
    }
}

fn slice() -> ThreadSlice {
    ThreadSlice {
        tid: 1,
        interval: interval(),
        state: ThreadState::Runnable,
        merged_wait: Duration::ZERO,
        entered: None,
        fd: None,
        file: None,
        fault_offset: None,
        stack: None,
        woken_by: None,
        released_by: Some(Release {
            pid: 1,
            tid: 1,
            call: None,
            name: secret("slices.released_by_name"),
        }),
        cpu_holder: Some((1, secret("slices.cpu_holder_name"))),
        taken: Duration::ZERO,
        sampled: false,
        frozen: false,
    }
}

fn coverage() -> Coverage {
    let mut it = Coverage { end: secret("coverage.end"), ..Coverage::default() };
    let why = secret("coverage.sources_missing");
    it.sources.insert(Source::Files, SourceState::Missing(format!("cannot read {why}")));
    it.sources.insert(Source::GcLog, SourceState::Partial(format!("a part of {why} is gone")));
    let (item, message) = (secret("coverage.note_items"), secret("coverage.note_messages"));
    it.notes.push(Note { item, message, count: 1 });
    it
}

#[test]
fn no_column_of_text_of_any_table_keeps_a_name() {
    let before = format!("{:?}", facts());
    for column in columns_of_text().iter().filter(|it| !is_harmless(it)) {
        assert!(before.contains(&secret(column)), "`{column}` is not tried, and not harmless");
    }
    let mut recording = Recording { facts: facts(), ..Recording::default() };
    Redactor::new(true, None).recording(&mut recording);
    let after = format!("{recording:?}");
    assert!(!after.contains("secret"), "{after}");
    let mut facts = facts();
    Redactor::new(true, None).facts(&mut facts);
    assert!(!format!("{facts:?}").contains("secret"), "{facts:?}");
}

#[test]
fn what_is_called_harmless_is_a_column_of_text() {
    let columns = columns_of_text();
    for (why, harmless) in HARMLESS {
        for it in harmless {
            assert!(columns.iter().any(|column| column == it), "{it}: {why}");
        }
    }
}
