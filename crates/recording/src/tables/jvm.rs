//! `jvm`: the JVM that was recorded.
use crate::{
    Facts, FileKey, JvmFact, MonoTime, Source,
    columns::{Columns, optional, optional_u64s, text_lists, texts, u32s, u64s},
    masked, masked_flag,
    schema::{
        Kind::{Text, Texts, U32, U64},
        Retention, SMALL_ROW_BYTES, Table, column, nullable,
    },
};
use arrow_array::ArrayRef;
use std::ops::Range;

/// Recordings before it came lack it.
const CPUS_ALLOWED: &str = "cpus_allowed";

pub(super) static TABLE: Table = Table {
    name: "jvm",
    doc: "the JVM that was recorded; the last row counts",
    columns: &[
        column("pid", U32, "process id in the host's initial pid namespace"),
        column("pid_in_namespace", U32, "process id as the JVM itself sees it"),
        column("uid", U32, "user id of the process"),
        column("main", Text, "main class or jar, without path"),
        column(
            "command_line",
            Text,
            "the program and its main class or jar; of earlier recorders the whole command line",
        ),
        column("version", Text, "version as the JVM prints it; empty where unknown"),
        column("vendor", Text, "vendor or distribution; empty where unknown"),
        column("collector", Text, "g1, parallel, serial, cms, zgc, shenandoah, epsilon or empty"),
        column("flags", Texts, "flags given, in the order in which the JVM reads them"),
        column("gc_threads", U32, "stop-the-world GC threads; 0 where unknown"),
        column("libjvm", Text, "path of libjvm.so as the JVM sees it"),
        column("gc_log", Text, "path of the GC log as the JVM sees it; empty where there is none"),
        nullable("gc_log_device", U64, "device number of the GC log, as in st_dev"),
        nullable("gc_log_inode", U64, "inode number of the GC log"),
        column("cgroup", Text, "cgroup path of the process"),
        column("started_ns", U64, "when the process started, within 10 ms"),
        column(CPUS_ALLOWED, Text, "CPUs on which it may run, such as 0-3,8; empty where unknown"),
    ],
    retention: Retention::LastRow,
    feeds: Source::ALL,
    row_bytes: SMALL_ROW_BYTES,
    rows: |facts| facts.jvm.as_slice().len(),
    keep_newest: |facts, most| facts.jvm = facts.jvm.take().filter(|_| most > 0),
    encode,
    decode,
};

fn encode(facts: &Facts, range: Range<usize>) -> Vec<ArrayRef> {
    let rows = &facts.jvm.as_slice()[range];
    vec![
        u32s(rows, |it| it.pid),
        u32s(rows, |it| it.pid_in_namespace),
        u32s(rows, |it| it.uid),
        texts(rows, |it| &it.main),
        texts(rows, |it| &it.command_line),
        texts(rows, |it| &it.version),
        texts(rows, |it| &it.vendor),
        texts(rows, |it| &it.collector),
        text_lists(rows, |it| it.flags.iter().map(|flag| Some(flag.as_str()))),
        u32s(rows, |it| it.gc_threads),
        texts(rows, |it| &it.libjvm),
        texts(rows, |it| &it.gc_log),
        optional_u64s(rows, |it| it.gc_log_file.map(|file| file.device)),
        optional_u64s(rows, |it| it.gc_log_file.map(|file| file.inode)),
        texts(rows, |it| &it.cgroup),
        u64s(rows, |it| it.started.0),
        texts(rows, |it| &it.cpus_allowed),
    ]
}

fn decode(columns: &Columns<'_>, facts: &mut Facts) -> Result<u64, String> {
    let number = |name| columns.u32s(name);
    let text = |name| columns.texts(name);
    let (pid, inside, uid) = (number("pid")?, number("pid_in_namespace")?, number("uid")?);
    let (main, command_line) = (text("main")?, text("command_line")?);
    let (version, vendor, collector) = (text("version")?, text("vendor")?, text("collector")?);
    let (flags, gc_threads) = (columns.text_lists("flags")?, number("gc_threads")?);
    let (libjvm, gc_log, cgroup) = (text("libjvm")?, text("gc_log")?, text("cgroup")?);
    let (device, inode) = (columns.u64s("gc_log_device")?, columns.u64s("gc_log_inode")?);
    let started = columns.u64s("started_ns")?;
    let cpus = columns.has(CPUS_ALLOWED).then(|| text(CPUS_ALLOWED)).transpose()?;
    let Some(row) = columns.rows().checked_sub(1) else { return Ok(0) };
    facts.jvm = Some(JvmFact {
        pid: pid.value(row),
        pid_in_namespace: inside.value(row),
        uid: uid.value(row),
        main: main.value(row).into(),
        command_line: masked(command_line.value(row)),
        version: version.value(row).into(),
        vendor: vendor.value(row).into(),
        collector: collector.value(row).into(),
        flags: flags.plain_at(row).iter().map(|it| masked_flag(it)).collect(),
        gc_threads: gc_threads.value(row),
        libjvm: libjvm.value(row).into(),
        gc_log: gc_log.value(row).into(),
        gc_log_file: optional(device, row)
            .zip(optional(inode, row))
            .map(|(device, inode)| FileKey { device, inode }),
        cgroup: cgroup.value(row).into(),
        started: MonoTime(started.value(row)),
        cpus_allowed: cpus.map_or("", |it| it.value(row)).into(),
    });
    Ok(0)
}
