//! `safepoints`: safepoints and the VM operations run inside them.
//!
//! The operations are three lists of one length in the safepoint's own row and not a table of
//! their own: a safepoint must never be read without its operations, whatever was cut off.
use crate::{
    Cut, Facts, Interval, MonoTime, SafepointFact, SafepointTotals, Source, VmOperationFact,
    columns::{
        Columns, bools, durations, optional, optional_u64s, text_lists, u32s, u64_lists, u64s,
    },
    schema::{
        Column,
        Kind::{Bool, Texts, U32, U64, U64s},
        Retention, Table, column, keep_newest, nullable,
    },
};
use arrow_array::{ArrayRef, UInt64Array};
use std::{ops::Range, time::Duration};

pub(super) static TABLE: Table = Table {
    name: "safepoints",
    doc: "a safepoint as the probes saw it",
    columns: &COLUMNS,
    retention: Retention::Fact,
    feeds: &[Source::SafepointProbes, Source::SafepointSymbols, Source::SafepointCounters],
    row_bytes: 900,
    rows: |facts| facts.safepoints.len(),
    keep_newest: |facts, most| keep_newest(&mut facts.safepoints, most),
    encode,
    decode,
};

static COLUMNS: [Column; 22] = [
    column("begin_ns", U64, "probe safepoint__begin"),
    nullable("resumed_ns", U64, "first wake-up of a Java thread after the last operation"),
    column("end_probe_ns", U64, "probe safepoint__end"),
    column("vm_tid", U32, "the thread that fired the probes"),
    column("operation_names", Texts, "VM operations run inside, in order"),
    column("operation_begin_ns", U64s, "vmops__begin of each operation"),
    column("operation_end_ns", U64s, "vmops__end of each operation"),
    column("detailed", Bool, "whether the slices of this safepoint were kept"),
    column("reaching_on_cpu_ns", U64, "VM thread on a CPU, before the first operation"),
    column("reaching_runnable_ns", U64, "VM thread runnable, before the first operation"),
    column("reaching_throttled_ns", U64, "VM thread throttled, before the first operation"),
    column("reaching_blocked_ns", U64, "VM thread blocked, before the first operation"),
    column("reaching_waiting_ns", U64, "VM thread waiting for a thread, before it"),
    column("operating_on_cpu_ns", U64, "VM thread on a CPU, from the first operation on"),
    column("operating_runnable_ns", U64, "VM thread runnable, from the first operation on"),
    column("operating_throttled_ns", U64, "VM thread throttled, from the first operation on"),
    column("operating_blocked_ns", U64, "VM thread blocked, from the first operation on"),
    column("operating_waiting_ns", U64, "VM thread waiting for a thread, from it on"),
    column("cgroup_throttled_ns", U64, "growth of the cgroups' throttled time, over all CPUs"),
    column("operations", U32, "number of VM operations run inside"),
    column(
        "begin_cut",
        Bool,
        "whether it had begun before the recording; begin_ns is that of the part seen",
    ),
    column("end_cut", Bool, "whether it was not over at the end of the recording; likewise"),
];

fn encode(facts: &Facts, range: Range<usize>) -> Vec<ArrayRef> {
    let rows = &facts.safepoints[range];
    let mut columns = vec![
        u64s(rows, |it| it.begin.0),
        optional_u64s(rows, |it| it.resumed.map(|at| at.0)),
        u64s(rows, |it| it.end_probe.0),
        u32s(rows, |it| it.vm_tid),
        text_lists(rows, |it| it.operations.iter().map(|op| Some(op.name.as_str()))),
        u64_lists(rows, |it| it.operations.iter().map(|op| op.interval.start.0)),
        u64_lists(rows, |it| it.operations.iter().map(|op| op.interval.end.0)),
        bools(rows, |it| it.detailed),
    ];
    columns.extend(totals(rows, |it| &it.reaching));
    columns.extend(totals(rows, |it| &it.operating));
    columns.push(durations(rows, |it| it.cgroup_throttled));
    columns.push(u32s(rows, |it| u32::try_from(it.operations.len()).unwrap_or(u32::MAX)));
    columns.push(bools(rows, |it| it.cut.begin));
    columns.push(bools(rows, |it| it.cut.end));
    columns
}

fn totals(
    rows: &[SafepointFact],
    of: impl Fn(&SafepointFact) -> &SafepointTotals + Copy,
) -> [ArrayRef; 5] {
    [
        durations(rows, move |it| of(it).on_cpu),
        durations(rows, move |it| of(it).runnable),
        durations(rows, move |it| of(it).throttled),
        durations(rows, move |it| of(it).blocked),
        durations(rows, move |it| of(it).waiting),
    ]
}

fn decode(columns: &Columns<'_>, facts: &mut Facts) -> Result<u64, String> {
    let (begin, resumed) = (columns.u64s("begin_ns")?, columns.u64s("resumed_ns")?);
    let (end_probe, vm_tid) = (columns.u64s("end_probe_ns")?, columns.u32s("vm_tid")?);
    let names = columns.text_lists("operation_names")?;
    let starts = columns.u64_lists("operation_begin_ns")?;
    let ends = columns.u64_lists("operation_end_ns")?;
    let detailed = columns.bools("detailed")?;
    let (reaching, operating) =
        (Totals::of(columns, "reaching")?, Totals::of(columns, "operating")?);
    let throttled = columns.u64s("cgroup_throttled_ns")?;
    // Recordings of version 0.1.0 lack these: it left such stops out.
    let cut = |name| columns.has(name).then(|| columns.bools(name)).transpose();
    let (begin_cut, end_cut) = (cut("begin_cut")?, cut("end_cut")?);
    facts.safepoints.extend((0..columns.rows()).map(|row| SafepointFact {
        begin: MonoTime(begin.value(row)),
        resumed: optional(resumed, row).map(MonoTime),
        end_probe: MonoTime(end_probe.value(row)),
        vm_tid: vm_tid.value(row),
        operations: operations(names.plain_at(row), &starts.at(row), &ends.at(row)),
        detailed: detailed.value(row),
        reaching: reaching.at(row),
        operating: operating.at(row),
        cgroup_throttled: Duration::from_nanos(throttled.value(row)),
        cut: Cut {
            begin: begin_cut.is_some_and(|it| it.value(row)),
            end: end_cut.is_some_and(|it| it.value(row)),
        },
    }));
    Ok(0)
}

fn operations(names: Vec<String>, starts: &[u64], ends: &[u64]) -> Vec<VmOperationFact> {
    let intervals =
        starts.iter().zip(ends).map(|(start, end)| Interval::new(MonoTime(*start), MonoTime(*end)));
    names
        .into_iter()
        .zip(intervals)
        .map(|(name, interval)| VmOperationFact { name, interval })
        .collect()
}

/// The five columns of one [`SafepointTotals`].
struct Totals<'a>([&'a UInt64Array; 5]);

impl<'a> Totals<'a> {
    fn of(columns: &Columns<'a>, part: &str) -> Result<Totals<'a>, String> {
        let column = |what: &str| columns.u64s(&format!("{part}_{what}_ns"));
        Ok(Totals([
            column("on_cpu")?,
            column("runnable")?,
            column("throttled")?,
            column("blocked")?,
            column("waiting")?,
        ]))
    }

    fn at(&self, row: usize) -> SafepointTotals {
        let [on_cpu, runnable, throttled, blocked, waiting] =
            self.0.map(|column| Duration::from_nanos(column.value(row)));
        SafepointTotals { on_cpu, runnable, throttled, blocked, waiting }
    }
}
