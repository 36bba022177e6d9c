//! `cpu_users`: who used CPUs.
use crate::{
    CpuUserFact, Facts, Interval, MonoTime, Source,
    columns::{Columns, durations, optional, optional_u32s, texts, u32s, u64s},
    masked,
    schema::{
        Kind::{Text, U32, U64},
        Retention, SMALL_ROW_BYTES, Table, column, keep_newest, nullable,
    },
};
use arrow_array::ArrayRef;
use std::{ops::Range, time::Duration};

pub(super) static TABLE: Table = Table {
    name: "cpu_users",
    doc: "CPU time of one process: a run on one CPU while the JVM waited for one, or a sum of a second",
    columns: &[
        column("start_ns", U64, "first instant"),
        column("end_ns", U64, "first instant after it"),
        column("pid", U32, "process id in the host's initial pid namespace"),
        column("name", Text, "process name"),
        column("command_line", Text, "program and at most its script's name, cut at 256 bytes"),
        column("cgroup", Text, "cgroup path in the hierarchy with the CPU controller"),
        nullable("cpu", U32, "the CPU that one of its threads had all that time; null: a sum"),
        column("used_ns", U64, "CPU time of its threads together"),
        column(
            "cpus_allowed",
            Text,
            "CPUs on which it may run, such as 0-3,8; empty where unknown",
        ),
    ],
    retention: Retention::Fact,
    feeds: &[Source::CpuUsers],
    row_bytes: SMALL_ROW_BYTES,
    rows: |facts| facts.cpu_users.len(),
    keep_newest: |facts, most| keep_newest(&mut facts.cpu_users, most),
    encode,
    decode,
};

fn encode(facts: &Facts, range: Range<usize>) -> Vec<ArrayRef> {
    let rows = &facts.cpu_users[range];
    vec![
        u64s(rows, |it| it.interval.start.0),
        u64s(rows, |it| it.interval.end.0),
        u32s(rows, |it| it.pid),
        texts(rows, |it| &it.name),
        texts(rows, |it| &it.command_line),
        texts(rows, |it| &it.cgroup),
        optional_u32s(rows, |it| it.cpu),
        durations(rows, |it| it.used),
        texts(rows, |it| &it.cpus_allowed),
    ]
}

fn decode(columns: &Columns<'_>, facts: &mut Facts) -> Result<u64, String> {
    let (start, end) = (columns.u64s("start_ns")?, columns.u64s("end_ns")?);
    let (pid, name) = (columns.u32s("pid")?, columns.texts("name")?);
    let (command_line, cgroup) = (columns.texts("command_line")?, columns.texts("cgroup")?);
    let (cpu, used) = (columns.u32s("cpu")?, columns.u64s("used_ns")?);
    let allowed = columns.texts("cpus_allowed")?;
    facts.cpu_users.extend((0..columns.rows()).map(|row| CpuUserFact {
        interval: Interval::new(MonoTime(start.value(row)), MonoTime(end.value(row))),
        pid: pid.value(row),
        name: name.value(row).into(),
        command_line: masked(command_line.value(row)),
        cgroup: cgroup.value(row).into(),
        cpu: optional(cpu, row),
        used: Duration::from_nanos(used.value(row)),
        cpus_allowed: allowed.value(row).into(),
    }));
    Ok(0)
}
