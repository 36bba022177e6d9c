//! `slices`: one thread in one state.
use crate::{
    Facts, FileKey, Interval, MonoTime, OffCpuCause, Release, Source, ThreadSlice, ThreadState,
    columns::{
        Columns, bools, durations, optional, optional_i32s, optional_text, optional_texts,
        optional_u32s, optional_u64s, texts, u32s, u64s,
    },
    schema::{
        Kind::{Bool, I32, Text, U32, U64},
        Retention, SMALL_ROW_BYTES, Table, column, keep_newest, nullable,
    },
};
use arrow_array::{ArrayRef, BooleanArray, Int32Array, StringArray, UInt32Array, UInt64Array};
use std::{ops::Range, time::Duration};

pub(super) static TABLE: Table = Table {
    name: "slices",
    doc: "one thread in one state, kept around pauses and where it was long outside of them; a gap means not kept, never idle",
    columns: &[
        column("tid", U32, "thread id in the host's initial pid namespace"),
        column("start_ns", U64, "first instant of the slice"),
        column("end_ns", U64, "first instant after it"),
        column("state", Text, "on-cpu, runnable, throttled, blocked or stopped"),
        column("merged_wait_ns", U64, "on-cpu: time runnable in waits too short to keep apart"),
        nullable("syscall", I32, "number of the system call in which it left the CPU"),
        column("page_fault", Bool, "whether it left the CPU in a page fault"),
        nullable("fd", U32, "descriptor that the system call was about"),
        nullable("file_device", U64, "device number of the file behind fd or of the faulting page"),
        nullable("file_inode", U64, "inode number of that file"),
        nullable("fault_offset_bytes", U64, "where in the JVM's counters file the fault was"),
        nullable("stack", U32, "kernel stack at the switch-out, a key into stacks"),
        nullable("woken_by_tid", U32, "thread of this JVM that woke it, through a futex"),
        nullable(
            "cpu_holder_pid",
            U32,
            "runnable: process that was on the CPU longest in that \
                  time",
        ),
        nullable("cpu_holder_name", Text, "runnable: name of that process"),
        column("taken_ns", U64, "on-cpu: time in which the hypervisor or an interrupt had the CPU"),
        column("sampled", Bool, "whether it was put together from periodic samples"),
        column("frozen", Bool, "stopped: whether by a freezer, and not by a signal or a tracer"),
        nullable("released_by_pid", U32, "uninterruptible wait: process that woke it"),
        nullable("released_by_tid", U32, "thread of that process"),
        nullable("released_in_syscall", I32, "number of the system call in which that was"),
        nullable("released_by_name", Text, "name of that thread"),
    ],
    retention: Retention::Detail,
    feeds: &[
        Source::Scheduler,
        Source::KernelStacks,
        Source::CpuThrottling,
        Source::FileFaults,
        Source::CounterFaults,
        Source::ThreadSamples,
    ],
    row_bytes: SMALL_ROW_BYTES,
    rows: |facts| facts.slices.len(),
    keep_newest: |facts, most| keep_newest(&mut facts.slices, most),
    encode,
    decode,
};

fn encode(facts: &Facts, range: Range<usize>) -> Vec<ArrayRef> {
    let rows = &facts.slices[range];
    vec![
        u32s(rows, |it| it.tid),
        u64s(rows, |it| it.interval.start.0),
        u64s(rows, |it| it.interval.end.0),
        texts(rows, |it| it.state.id()),
        durations(rows, |it| it.merged_wait),
        optional_i32s(rows, |it| match it.entered {
            Some(OffCpuCause::Syscall(number)) => Some(number),
            _ => None,
        }),
        bools(rows, |it| it.entered == Some(OffCpuCause::PageFault)),
        optional_u32s(rows, |it| it.fd),
        optional_u64s(rows, |it| it.file.map(|file| file.device)),
        optional_u64s(rows, |it| it.file.map(|file| file.inode)),
        optional_u64s(rows, |it| it.fault_offset),
        optional_u32s(rows, |it| it.stack),
        optional_u32s(rows, |it| it.woken_by),
        optional_u32s(rows, |it| it.cpu_holder.as_ref().map(|holder| holder.0)),
        optional_texts(rows, |it| it.cpu_holder.as_ref().map(|holder| holder.1.as_str())),
        durations(rows, |it| it.taken),
        bools(rows, |it| it.sampled),
        bools(rows, |it| it.frozen),
        optional_u32s(rows, |it| it.released_by.as_ref().map(|by| by.pid)),
        optional_u32s(rows, |it| it.released_by.as_ref().map(|by| by.tid)),
        optional_i32s(rows, |it| it.released_by.as_ref().and_then(|by| by.call)),
        optional_texts(rows, |it| it.released_by.as_ref().map(|by| by.name.as_str())),
    ]
}

fn decode(columns: &Columns<'_>, facts: &mut Facts) -> Result<u64, String> {
    let slices = Slices::of(columns)?;
    let before = facts.slices.len();
    facts.slices.extend((0..columns.rows()).filter_map(|row| slices.at(row)));
    Ok((columns.rows() - (facts.slices.len() - before)) as u64)
}

/// The columns of a batch.
struct Slices<'a> {
    tid: &'a UInt32Array,
    start: &'a UInt64Array,
    end: &'a UInt64Array,
    state: &'a StringArray,
    merged_wait: &'a UInt64Array,
    syscall: &'a Int32Array,
    page_fault: &'a BooleanArray,
    fd: &'a UInt32Array,
    device: &'a UInt64Array,
    inode: &'a UInt64Array,
    stack: &'a UInt32Array,
    woken_by: &'a UInt32Array,
    holder_pid: &'a UInt32Array,
    holder_name: &'a StringArray,
    later: Later<'a>,
    /// Recordings made before it was kept lack it.
    frozen: Option<&'a BooleanArray>,
    /// Likewise.
    released: Option<Released<'a>>,
}

/// Who let the thread go on.
struct Released<'a> {
    pid: &'a UInt32Array,
    tid: &'a UInt32Array,
    call: &'a Int32Array,
    name: &'a StringArray,
}

impl<'a> Released<'a> {
    fn of(columns: &Columns<'a>) -> Result<Option<Released<'a>>, String> {
        if !columns.has("released_by_pid") {
            return Ok(None);
        }
        Ok(Some(Released {
            pid: columns.u32s("released_by_pid")?,
            tid: columns.u32s("released_by_tid")?,
            call: columns.i32s("released_in_syscall")?,
            name: columns.texts("released_by_name")?,
        }))
    }

    fn at(&self, row: usize) -> Option<Release> {
        Some(Release {
            pid: optional(self.pid, row)?,
            tid: optional(self.tid, row)?,
            call: optional(self.call, row),
            name: optional_text(self.name, row).unwrap_or_default().to_owned(),
        })
    }
}

/// Columns that recordings of version 0.1.0 lack.
#[derive(Default)]
struct Later<'a> {
    fault_offset: Option<&'a UInt64Array>,
    taken: Option<&'a UInt64Array>,
    sampled: Option<&'a BooleanArray>,
}

impl<'a> Later<'a> {
    fn of(columns: &Columns<'a>) -> Result<Later<'a>, String> {
        if !columns.has("sampled") {
            return Ok(Later::default());
        }
        Ok(Later {
            fault_offset: Some(columns.u64s("fault_offset_bytes")?),
            taken: Some(columns.u64s("taken_ns")?),
            sampled: Some(columns.bools("sampled")?),
        })
    }
}

impl<'a> Slices<'a> {
    fn of(columns: &Columns<'a>) -> Result<Slices<'a>, String> {
        Ok(Slices {
            tid: columns.u32s("tid")?,
            start: columns.u64s("start_ns")?,
            end: columns.u64s("end_ns")?,
            state: columns.texts("state")?,
            merged_wait: columns.u64s("merged_wait_ns")?,
            syscall: columns.i32s("syscall")?,
            page_fault: columns.bools("page_fault")?,
            fd: columns.u32s("fd")?,
            device: columns.u64s("file_device")?,
            inode: columns.u64s("file_inode")?,
            stack: columns.u32s("stack")?,
            woken_by: columns.u32s("woken_by_tid")?,
            holder_pid: columns.u32s("cpu_holder_pid")?,
            holder_name: columns.texts("cpu_holder_name")?,
            later: Later::of(columns)?,
            frozen: columns.has("frozen").then(|| columns.bools("frozen")).transpose()?,
            released: Released::of(columns)?,
        })
    }

    /// The slice at `row`, or `None` where its state is unknown to this version.
    fn at(&self, row: usize) -> Option<ThreadSlice> {
        let fault = self.page_fault.value(row).then_some(OffCpuCause::PageFault);
        let holder = optional_text(self.holder_name, row).map(str::to_owned);
        let state = ThreadState::from_id(self.state.value(row))?;
        Some(ThreadSlice {
            tid: self.tid.value(row),
            interval: Interval::new(MonoTime(self.start.value(row)), MonoTime(self.end.value(row))),
            state,
            merged_wait: Duration::from_nanos(self.merged_wait.value(row)),
            entered: optional(self.syscall, row).map(OffCpuCause::Syscall).or(fault),
            fd: optional(self.fd, row),
            file: optional(self.device, row)
                .zip(optional(self.inode, row))
                .map(|(device, inode)| FileKey { device, inode }),
            fault_offset: self.later.fault_offset.and_then(|it| optional(it, row)),
            stack: optional(self.stack, row),
            woken_by: optional(self.woken_by, row),
            cpu_holder: optional(self.holder_pid, row).zip(holder),
            taken: self
                .later
                .taken
                .map_or(Duration::ZERO, |it| Duration::from_nanos(it.value(row))),
            sampled: self.later.sampled.is_some_and(|it| it.value(row)),
            frozen: state == ThreadState::Stopped && self.is_frozen(row),
            released_by: self.released.as_ref().and_then(|it| it.at(row)),
        })
    }

    /// Of a thread that is stopped. Before this was kept, a freezer alone left one without a stack:
    /// one that slept already (Linux 6.1 and later).
    fn is_frozen(&self, row: usize) -> bool {
        let sampled = self.later.sampled.is_some_and(|it| it.value(row));
        let frozen_asleep = || !sampled && optional(self.stack, row).is_none();
        self.frozen.map_or_else(frozen_asleep, |it| it.value(row))
    }
}
