//! `cgroup`: the limits that bind the JVM.
use crate::{
    CgroupFact, Facts, Source,
    columns::{Columns, durations, optional, optional_u64s, texts, u32s},
    schema::{
        Kind::{Text, U32, U64},
        Retention, SMALL_ROW_BYTES, Table, column, nullable,
    },
};
use arrow_array::ArrayRef;
use std::{ops::Range, time::Duration};

pub(super) static TABLE: Table = Table {
    name: "cgroup",
    doc: "the strictest limits of the JVM's control groups; the last row counts",
    columns: &[
        column("version", U32, "1 or 2, by the hierarchy with the CPU controller; 0: unknown"),
        column("cpu_path", Text, "group whose CPU quota binds"),
        nullable("cpu_quota_ns", U64, "CPU time per period; null: no limit"),
        column("cpu_period_ns", U64, "length of a period"),
        column("cpu_burst_ns", U64, "CPU time that may be saved up"),
        column("memory_path", Text, "group whose memory limit binds"),
        nullable("memory_max_bytes", U64, "most memory; null: no limit"),
        nullable("memory_high_bytes", U64, "memory above which it is throttled; null: no limit"),
    ],
    retention: Retention::LastRow,
    feeds: &[Source::CgroupLimits, Source::CpuThrottling],
    row_bytes: SMALL_ROW_BYTES,
    rows: |facts| facts.cgroup.as_slice().len(),
    keep_newest: |facts, most| facts.cgroup = facts.cgroup.take().filter(|_| most > 0),
    encode,
    decode,
};

fn encode(facts: &Facts, range: Range<usize>) -> Vec<ArrayRef> {
    let rows = &facts.cgroup.as_slice()[range];
    vec![
        u32s(rows, |it| it.version),
        texts(rows, |it| &it.cpu_path),
        optional_u64s(rows, |it| it.cpu_quota.map(crate::columns::ns)),
        durations(rows, |it| it.cpu_period),
        durations(rows, |it| it.cpu_burst),
        texts(rows, |it| &it.memory_path),
        optional_u64s(rows, |it| it.memory_max_bytes),
        optional_u64s(rows, |it| it.memory_high_bytes),
    ]
}

fn decode(columns: &Columns<'_>, facts: &mut Facts) -> Result<u64, String> {
    let version = columns.u32s("version")?;
    let (cpu_path, memory_path) = (columns.texts("cpu_path")?, columns.texts("memory_path")?);
    let number = |name| columns.u64s(name);
    let (quota, period) = (number("cpu_quota_ns")?, number("cpu_period_ns")?);
    let (burst, max) = (number("cpu_burst_ns")?, number("memory_max_bytes")?);
    let high = number("memory_high_bytes")?;
    let Some(row) = columns.rows().checked_sub(1) else { return Ok(0) };
    facts.cgroup = Some(CgroupFact {
        version: version.value(row),
        cpu_path: cpu_path.value(row).into(),
        cpu_quota: optional(quota, row).map(Duration::from_nanos),
        cpu_period: Duration::from_nanos(period.value(row)),
        cpu_burst: Duration::from_nanos(burst.value(row)),
        memory_path: memory_path.value(row).into(),
        memory_max_bytes: optional(max, row),
        memory_high_bytes: optional(high, row),
    });
    Ok(0)
}
