//! The records of the kernel side, read by offset from bytes.
//!
//! The layout is `src/bpf/records.h`. Records come from our own program over a ring buffer, yet
//! one that is too short is refused and never read beyond its end.
use recording::{Interval, MonoTime, SafepointTotals};
use std::time::Duration;

/// Bytes of a slice record, the longest of those that are kept unread.
pub(crate) const SLICE_BYTES: usize = 120;
const COMM_BYTES: usize = 16;
const TOTALS: usize = 5;

const BEGIN: u16 = 1;
const OPERATION: u16 = 2;
const WAKE: u16 = 3;
const END: u16 = 4;
const SLICE: u16 = 5;
const WORK: u16 = 6;
const WRITER: u16 = 7;
const CODE: u16 = 8;
const RUN: u16 = 9;

/// One record. What is kept in great numbers stays bytes until it is wanted.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Record<'a> {
    /// `safepoint__begin` on this thread.
    Begin { vm_tid: u32, at: MonoTime },
    /// A VM operation that ended.
    Operation { interval: Interval, name: &'a str },
    /// The VM thread woke this thread, after an operation.
    Wake { tid: u32, at: MonoTime },
    /// `safepoint__end`.
    End(End),
    /// A [`Slice`], unread.
    Slice(&'a [u8]),
    /// A [`Work`], unread.
    Work(&'a [u8]),
    /// Where a thread was that had not stopped yet.
    Code { tid: u32, at: MonoTime, address: u64 },
    /// A process that wrote much has exited.
    Writer { pid: u32, parent: u32, at: MonoTime, bytes: u64, name: &'a str },
    /// Another process had a CPU in a stop.
    Run(Run<'a>),
}

/// A run of a thread of another process on one CPU, inside of a stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run<'a> {
    pub(crate) pid: u32,
    pub(crate) cpu: u16,
    pub(crate) interval: Interval,
    /// Name of the process (`comm`).
    pub(crate) name: &'a str,
}

/// The end of a safepoint, with what was summed over it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) vm_tid: u32,
    pub(crate) begin: MonoTime,
    pub(crate) end: MonoTime,
    pub(crate) cgroup_throttled: Duration,
    pub(crate) reaching: SafepointTotals,
    pub(crate) operating: SafepointTotals,
}

/// Time of a thread off a CPU and on it after that. Zero stands for "not here", see `records.h`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Slice<'a> {
    pub(crate) flags: SliceFlags,
    pub(crate) tid: u32,
    pub(crate) off: u64,
    pub(crate) wake: u64,
    pub(crate) on: u64,
    pub(crate) out: u64,
    pub(crate) merged_ns: u64,
    pub(crate) stack: i32,
    pub(crate) syscall: i32,
    pub(crate) fd: u32,
    pub(crate) waker: u32,
    pub(crate) inode: u64,
    pub(crate) device: u32,
    pub(crate) holder: u32,
    pub(crate) holder_name: &'a str,
    /// Of `[on, out)`: interrupts and the hypervisor had the CPU.
    pub(crate) taken_ns: u64,
    /// Where in the file of performance counters the fault is, if it is on that.
    pub(crate) fault_offset: Option<u64>,
    /// With [`released`](SliceFlags::released): the thread of `holder` that woke it.
    pub(crate) releaser: u32,
    /// And in which system call; negative where in none.
    pub(crate) release_call: i32,
}

/// `NO_OFFSET`.
const NO_OFFSET: u64 = u64::MAX;

/// `enum slice_flag`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SliceFlags(pub(crate) u16);

impl SliceFlags {
    pub(crate) fn blocked(self) -> bool {
        self.0 & 1 != 0
    }
    pub(crate) fn stopped(self) -> bool {
        self.0 & 2 != 0
    }
    pub(crate) fn throttled(self) -> bool {
        self.0 & 4 != 0
    }
    pub(crate) fn hiccup(self) -> bool {
        self.0 & 16 != 0
    }
    pub(crate) fn frozen(self) -> bool {
        self.0 & 32 != 0
    }
    pub(crate) fn stall(self) -> bool {
        self.0 & 128 != 0
    }
    /// `holder` is who woke it from an uninterruptible wait, and not who had the CPU after that.
    pub(crate) fn released(self) -> bool {
        self.0 & 256 != 0
    }
    /// In a system call that waits for work or for another thread.
    pub(crate) fn idle(self) -> bool {
        self.0 & 8 != 0
    }
}

/// Kernel work of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Work {
    pub(crate) tid: u32,
    /// 0 reclaim, 1 compaction.
    pub(crate) kind: u16,
    pub(crate) interval: Interval,
}

fn bytes<const N: usize>(data: &[u8], offset: usize) -> [u8; N] {
    let mut it = [0; N];
    if let Some(found) = data.get(offset..offset + N) {
        it.copy_from_slice(found);
    }
    it
}

fn half(data: &[u8], offset: usize) -> u16 {
    u16::from_ne_bytes(bytes(data, offset))
}

fn word(data: &[u8], offset: usize) -> u32 {
    u32::from_ne_bytes(bytes(data, offset))
}

fn signed(data: &[u8], offset: usize) -> i32 {
    i32::from_ne_bytes(bytes(data, offset))
}

fn long(data: &[u8], offset: usize) -> u64 {
    u64::from_ne_bytes(bytes(data, offset))
}

fn time(data: &[u8], offset: usize) -> MonoTime {
    MonoTime(long(data, offset))
}

/// The text up to the first NUL; empty where it is no UTF-8 or beyond the end.
fn text(data: &[u8], offset: usize, len: usize) -> &str {
    let field = data.get(offset..(offset + len).min(data.len())).unwrap_or_default();
    let end = memchr::memchr(0, field).unwrap_or(field.len());
    match std::str::from_utf8(&field[..end]) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&field[..error.valid_up_to()]).unwrap_or_default(),
    }
}

fn totals(data: &[u8], offset: usize) -> SafepointTotals {
    let nth = |n: usize| Duration::from_nanos(long(data, offset + 8 * n));
    SafepointTotals {
        on_cpu: nth(0),
        runnable: nth(1),
        throttled: nth(2),
        blocked: nth(3),
        waiting: nth(4),
    }
}

impl Record<'_> {
    /// Reads one record. `None` where it is too short or of no known kind.
    pub(crate) fn parse(data: &[u8]) -> Option<Record<'_>> {
        let (kind, tid, at) = (half(data, 0), word(data, 4), time(data, 8));
        let enough = |len: usize| data.len() >= len;
        Some(match kind {
            SLICE if enough(SLICE_BYTES) => Record::Slice(&data[..SLICE_BYTES]),
            WORK if enough(24) => Record::Work(&data[..24]),
            CODE if enough(24) => Record::Code { tid, at, address: long(data, 16) },
            BEGIN if enough(16) => Record::Begin { vm_tid: tid, at },
            WAKE if enough(16) => Record::Wake { tid, at },
            OPERATION if enough(88) => Record::Operation {
                interval: Interval::new(at, time(data, 16)),
                name: text(data, 24, 64),
            },
            END if enough(32 + 16 * TOTALS) => Record::End(End {
                vm_tid: tid,
                begin: time(data, 16),
                end: at,
                cgroup_throttled: Duration::from_nanos(long(data, 24)),
                reaching: totals(data, 32),
                operating: totals(data, 32 + 8 * TOTALS),
            }),
            WRITER if enough(48) => Record::Writer {
                pid: tid,
                parent: word(data, 40),
                at,
                bytes: long(data, 16),
                name: text(data, 24, COMM_BYTES),
            },
            RUN if enough(40) => Record::Run(Run {
                pid: tid,
                cpu: half(data, 2),
                interval: Interval::new(at, time(data, 16)),
                name: text(data, 24, COMM_BYTES),
            }),
            _ => return None,
        })
    }
}

impl Slice<'_> {
    /// Reads a slice from the bytes of [`Record::Slice`].
    pub(crate) fn parse(data: &[u8]) -> Slice<'_> {
        Slice {
            flags: SliceFlags(half(data, 2)),
            tid: word(data, 4),
            off: long(data, 8),
            wake: long(data, 16),
            on: long(data, 24),
            out: long(data, 32),
            merged_ns: long(data, 40),
            stack: signed(data, 48),
            syscall: signed(data, 52),
            fd: word(data, 56),
            waker: word(data, 60),
            inode: long(data, 64),
            device: word(data, 72),
            holder: word(data, 76),
            holder_name: text(data, 80, COMM_BYTES),
            taken_ns: long(data, 96),
            fault_offset: Some(long(data, 104)).filter(|it| *it != NO_OFFSET),
            releaser: word(data, 112),
            release_call: signed(data, 116),
        }
    }

    /// When it begins and ends, without reading the rest.
    pub(crate) fn span(data: &[u8]) -> Interval {
        let (off, on, out) = (long(data, 8), long(data, 24), long(data, 32));
        let start = if off == 0 { on } else { off };
        Interval::new(MonoTime(start), MonoTime(if out == 0 { on } else { out }))
    }
}

impl Work {
    /// Reads kernel work from the bytes of [`Record::Work`].
    pub(crate) fn parse(data: &[u8]) -> Work {
        let interval = Interval::new(time(data, 8), time(data, 16));
        Work { tid: word(data, 4), kind: half(data, 2), interval }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(kind: u16, flags: u16, tid: u32, at: u64) -> Vec<u8> {
        let mut data = Vec::new();
        data.extend(kind.to_ne_bytes());
        data.extend(flags.to_ne_bytes());
        data.extend(tid.to_ne_bytes());
        data.extend(at.to_ne_bytes());
        data
    }

    #[test]
    fn an_operation_has_its_name_up_to_the_first_nul() {
        let mut data = head(OPERATION, 0, 7, 100);
        data.extend(200u64.to_ne_bytes());
        data.extend(b"G1CollectForAllocation\0rest of an older name");
        data.resize(88, 0);
        let interval = Interval::new(MonoTime(100), MonoTime(200));
        let expected = Record::Operation { interval, name: "G1CollectForAllocation" };
        assert_eq!(Record::parse(&data), Some(expected));
    }

    #[test]
    fn a_record_cut_anywhere_is_refused() {
        for (kind, len) in [
            (BEGIN, 16),
            (OPERATION, 88),
            (END, 112),
            (SLICE, SLICE_BYTES),
            (WORK, 24),
            (WRITER, 48),
            (CODE, 24),
            (RUN, 40),
        ] {
            let mut data = head(kind, 0, 1, 1);
            data.resize(len, 0);
            assert!(Record::parse(&data).is_some(), "{kind}");
            for cut in 0..len {
                assert_eq!(Record::parse(&data[..cut]), None, "{kind} cut at {cut}");
            }
        }
        assert_eq!(Record::parse(&[0xff; 200]), None);
    }

    #[test]
    fn a_name_that_is_no_text_is_cut_where_it_stops_being_one() {
        let mut data = head(WRITER, 0, 9, 1);
        data.extend(5u64.to_ne_bytes());
        data.extend(b"dd\xff\xfe");
        data.resize(40, 0);
        data.extend(8u64.to_ne_bytes());
        assert_eq!(
            Record::parse(&data),
            Some(Record::Writer { pid: 9, parent: 8, at: MonoTime(1), bytes: 5, name: "dd" })
        );
    }
}
