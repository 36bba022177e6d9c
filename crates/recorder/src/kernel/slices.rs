//! Slices and kernel work as they came, unread, until the pause they belong to is over.
use super::record::{SLICE_BYTES, Slice, Work};
use recording::{
    Architecture, FileKey, Interval, KernelWork, KernelWorkKind, MonoTime, OffCpuCause, Release,
    ThreadSlice, ThreadState,
};
use std::time::Duration;

/// Records kept at most, 3.8 MiB of them, and five times that as slices.
const MAX_RECORDS: usize = 32 * 1024;
/// Memory that stays allocated between pauses.
const KEPT_RECORDS: usize = 4 * 1024;

/// A bounded buffer of raw records, in the order they came: by their end, roughly.
#[derive(Debug, Default)]
pub(crate) struct RawRecords {
    /// Records of [`SLICE_BYTES`] each; of kind 0 where it has been taken out.
    bytes: Vec<u8>,
    /// Records that did not fit.
    lost: u64,
}

const TAKEN: [u8; 2] = [0, 0];
const WORK_KIND: [u8; 2] = 6u16.to_ne_bytes();

/// When the record begins and ends.
fn span(record: &[u8]) -> Interval {
    if record[..2] == WORK_KIND { Work::parse(record).interval } else { Slice::span(record) }
}

fn overlaps(record: &[u8], window: Interval) -> bool {
    let span = span(record);
    record[..2] != TAKEN && span.start < window.end && span.end > window.start
}

impl RawRecords {
    /// Appends the bytes of a slice or of kernel work.
    pub(crate) fn push(&mut self, record: &[u8]) {
        if self.bytes.len() >= MAX_RECORDS * SLICE_BYTES {
            self.lost += 1;
            return;
        }
        let end = self.bytes.len() + SLICE_BYTES;
        self.bytes.extend_from_slice(&record[..record.len().min(SLICE_BYTES)]);
        self.bytes.resize(end, 0);
    }

    pub(crate) fn lost(&self) -> u64 {
        self.lost
    }

    /// How many records overlap `window`.
    pub(crate) fn count(&self, window: Interval) -> usize {
        self.bytes.chunks_exact(SLICE_BYTES).filter(|it| overlaps(it, window)).count()
    }

    /// Takes out the records that overlap `window`.
    pub(crate) fn take(&mut self, window: Interval, mut each: impl FnMut(Raw<'_>)) {
        for record in self.bytes.chunks_exact_mut(SLICE_BYTES) {
            if !overlaps(record, window) {
                continue;
            }
            if record[..2] == WORK_KIND {
                each(Raw::Work(Work::parse(record)));
            } else {
                each(Raw::Slice(Slice::parse(record)));
            }
            record[..2].copy_from_slice(&TAKEN);
        }
    }

    /// Shows the records that overlap `window` and leaves them where they are.
    pub(crate) fn visit(&self, window: Interval, mut each: impl FnMut(Raw<'_>)) {
        for record in self.bytes.chunks_exact(SLICE_BYTES).filter(|it| overlaps(it, window)) {
            if record[..2] == WORK_KIND {
                each(Raw::Work(Work::parse(record)));
            } else {
                each(Raw::Slice(Slice::parse(record)));
            }
        }
    }

    /// Forgets what ended before `oldest`, or everything where nothing is under way. Of that,
    /// `each` gets what may be a hiccup or a stall and has not been taken out.
    pub(crate) fn forget(&mut self, oldest: Option<MonoTime>, mut each: impl FnMut(Raw<'_>)) {
        let keep = oldest.map_or(self.bytes.len(), |oldest| {
            let old = self.bytes.chunks_exact(SLICE_BYTES).take_while(|it| span(it).end <= oldest);
            old.count() * SLICE_BYTES
        });
        self.bytes[..keep].chunks_exact(SLICE_BYTES).filter_map(hiccup).for_each(&mut each);
        self.bytes.drain(..keep);
        if self.bytes.is_empty() {
            self.bytes.shrink_to(KEPT_RECORDS * SLICE_BYTES);
        }
    }
}

/// A record of the buffer, read.
#[derive(Debug)]
pub(crate) enum Raw<'a> {
    Slice(Slice<'a>),
    Work(Work),
}

/// Shorter kernel work outside of stops is ignored: `HICCUP_NS`.
const LONG_WORK: Duration = Duration::from_millis(10);

/// The record, if it is part of a hiccup or a stall.
fn hiccup(record: &[u8]) -> Option<Raw<'_>> {
    if record[..2] == TAKEN {
        return None;
    }
    if record[..2] == WORK_KIND {
        let work = Work::parse(record);
        return (work.interval.duration() >= LONG_WORK).then_some(Raw::Work(work));
    }
    let slice = Slice::parse(record);
    (slice.flags.hiccup() || slice.flags.stall()).then_some(Raw::Slice(slice))
}

/// What the numbers in a record stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Resolved {
    /// The stack's key in the recording.
    pub(crate) stack: Option<u32>,
    /// The file behind the descriptor, or the mapped file that faulted.
    pub(crate) file: Option<FileKey>,
}

/// How the thread entered the kernel before it blocked.
pub(crate) fn entered(slice: &Slice<'_>) -> OffCpuCause {
    if slice.syscall < 0 { OffCpuCause::PageFault } else { OffCpuCause::Syscall(slice.syscall) }
}

/// The slices of one record, in order: at most blocked, waiting for a CPU, and on it.
pub(crate) fn thread_slices(slice: &Slice<'_>, resolved: Resolved) -> Vec<ThreadSlice> {
    let mut slices = Vec::with_capacity(3);
    if slice.off != 0 {
        let wake = if slice.flags.blocked() {
            slice.wake.clamp(slice.off, slice.on.max(slice.off))
        } else {
            slice.off
        };
        push(&mut slices, blocked(slice, resolved, wake));
        push(&mut slices, waiting(slice, wake));
    }
    if slice.out != 0 {
        let mut on_cpu = plain(slice, ThreadState::OnCpu, slice.on, slice.out);
        on_cpu.merged_wait = Duration::from_nanos(slice.merged_ns);
        let had = on_cpu.interval.duration().saturating_sub(on_cpu.merged_wait);
        on_cpu.taken = Duration::from_nanos(slice.taken_ns).min(had);
        push(&mut slices, on_cpu);
    }
    slices
}

fn push(slices: &mut Vec<ThreadSlice>, slice: ThreadSlice) {
    if slice.interval.start < slice.interval.end {
        slices.push(slice);
    }
}

fn plain(slice: &Slice<'_>, state: ThreadState, start: u64, end: u64) -> ThreadSlice {
    ThreadSlice {
        tid: slice.tid,
        interval: Interval::new(MonoTime(start), MonoTime(end)),
        state,
        merged_wait: Duration::ZERO,
        entered: None,
        fd: None,
        file: None,
        fault_offset: None,
        stack: None,
        frozen: false,
        woken_by: None,
        released_by: None,
        cpu_holder: None,
        taken: Duration::ZERO,
        sampled: false,
    }
}

fn blocked(slice: &Slice<'_>, resolved: Resolved, wake: u64) -> ThreadSlice {
    let state = if slice.flags.stopped() { ThreadState::Stopped } else { ThreadState::Blocked };
    let mut it = plain(slice, state, slice.off, wake);
    // One that is stopped has left its call: arm64 has taken the number off then, x86 has not.
    let in_call = slice.syscall >= 0 || state == ThreadState::Blocked;
    it.entered = in_call.then(|| entered(slice));
    it.stack = resolved.stack;
    it.frozen = slice.flags.stopped() && slice.flags.frozen();
    it.file = resolved.file;
    it.fault_offset = slice.fault_offset;
    if state == ThreadState::Blocked {
        it.fd = descriptor(slice);
        it.woken_by = (slice.waker != 0).then_some(slice.waker);
        it.released_by = released_by(slice);
    }
    it
}

fn waiting(slice: &Slice<'_>, wake: u64) -> ThreadSlice {
    let throttled = slice.flags.throttled();
    let state = if throttled { ThreadState::Throttled } else { ThreadState::Runnable };
    let mut it = plain(slice, state, wake, slice.on);
    if !throttled && slice.holder != 0 && !slice.flags.released() {
        it.cpu_holder = Some((slice.holder, slice.holder_name.into()));
    }
    it
}

fn released_by(slice: &Slice<'_>) -> Option<Release> {
    (slice.flags.released() && slice.holder != 0).then(|| Release {
        pid: slice.holder,
        tid: slice.releaser,
        call: (slice.release_call >= 0).then_some(slice.release_call),
        name: slice.holder_name.into(),
    })
}

/// The fact of a record of kernel work; `None` for a kind that this version does not know.
pub(crate) fn kernel_work(work: &Work) -> Option<KernelWork> {
    let kind = match work.kind {
        0 => KernelWorkKind::DirectReclaim,
        1 => KernelWorkKind::Compaction,
        _ => return None,
    };
    Some(KernelWork { tid: work.tid, kind, interval: work.interval })
}

/// The descriptor that the thread gave to its system call.
pub(crate) fn descriptor(slice: &Slice<'_>) -> Option<u32> {
    (Architecture::HERE.takes_descriptor(slice.syscall) && i32::try_from(slice.fd).is_ok())
        .then_some(slice.fd)
}

#[cfg(test)]
mod tests;
