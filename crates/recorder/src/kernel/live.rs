//! The kernel side's own account of the stop under way, which user space reads and, where a stop had
//! begun before the programs ran, begins.
use super::OpenStop;
use libbpf_rs::{AsRawLibbpf, MapCore, Object, libbpf_sys};
use recording::{Interval, MonoTime, SafepointTotals, VmOperationFact};
use std::{
    ptr::NonNull,
    sync::atomic::{AtomicU32, AtomicU64, Ordering},
    time::Duration,
};

/// Offsets in `safepoint` of `state.bpf.h`: change both.
mod offset {
    pub(super) const BEGIN: usize = 0;
    pub(super) const OPEN: usize = 24;
    pub(super) const VM_TID: usize = 28;
    pub(super) const ASSUMED: usize = 32;
    pub(super) const WATCHED_SINCE: usize = 40;
    pub(super) const CURSOR: usize = 64;
    pub(super) const OPERATION_BEGIN: usize = 80;
    pub(super) const PHASE: usize = 88;
    pub(super) const DEPTH: usize = 92;
    pub(super) const WAKES_WANTED: usize = 96;
    pub(super) const TOTALS: usize = 104;
    pub(super) const NAME: usize = 184;
    pub(super) const END: usize = 248;
}
const NAME_BYTES: usize = 64;

/// The memory that the programs and this process share.
#[derive(Debug)]
pub(super) struct LiveStop(NonNull<u8>);

#[expect(unsafe_code, reason = "a pointer into a mapping is no thread's own")]
// SAFETY: the mapping belongs to the object, which lives in the same `Kernel`; all access is atomic.
unsafe impl Send for LiveStop {}

impl LiveStop {
    /// `None` where this kernel cannot share it (before 5.5).
    #[expect(unsafe_code, reason = "libbpf-rs has no wrapper for the memory of a loaded map")]
    pub(super) fn of(object: &mut Object) -> Option<LiveStop> {
        let map = object
            .maps_mut()
            .find(|it| it.name().to_string_lossy().ends_with(".data.safepoint"))?;
        let mut size = 0;
        // SAFETY: the map belongs to a loaded object; libbpf answers with its mapping, or null.
        let at = unsafe {
            libbpf_sys::bpf_map__initial_value(map.as_libbpf_object().as_ptr(), &raw mut size)
        };
        let at = NonNull::new(at.cast::<u8>())?;
        (usize::try_from(size).ok()? >= offset::END).then_some(LiveStop(at))
    }

    #[expect(unsafe_code, reason = "atomic access to shared memory")]
    fn word(&self, offset: usize) -> &AtomicU32 {
        // SAFETY: inside the mapping (checked in `of`), aligned to 4 bytes as the mapping is to a page,
        // and shared with others that only the kernel's programs are.
        unsafe { AtomicU32::from_ptr(self.0.as_ptr().add(offset).cast()) }
    }

    #[expect(unsafe_code, reason = "atomic access to shared memory")]
    fn long(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: as in `word`; the offsets are multiples of 8.
        unsafe { AtomicU64::from_ptr(self.0.as_ptr().add(offset).cast()) }
    }

    /// Begins a stop that had begun before: false where one is under way already.
    pub(super) fn assume(&self, vm_tid: u32, operating: bool, at: MonoTime) -> bool {
        if self.word(offset::OPEN).load(Ordering::Acquire) != 0 {
            return false;
        }
        for n in 0..10 {
            self.long(offset::TOTALS + 8 * n).store(0, Ordering::Relaxed);
        }
        for n in 0..NAME_BYTES / 8 {
            self.long(offset::NAME + 8 * n).store(0, Ordering::Relaxed);
        }
        self.word(offset::VM_TID).store(vm_tid, Ordering::Relaxed);
        self.word(offset::ASSUMED).store(1, Ordering::Relaxed);
        self.word(offset::PHASE).store(operating.into(), Ordering::Relaxed);
        // The operation under way ends one day, and its end is an operation's only then.
        self.word(offset::DEPTH).store(operating.into(), Ordering::Relaxed);
        self.word(offset::WAKES_WANTED).store(0, Ordering::Relaxed);
        let begun = if operating { at.0 } else { 0 };
        self.long(offset::OPERATION_BEGIN).store(begun, Ordering::Relaxed);
        self.long(offset::CURSOR).store(at.0, Ordering::Relaxed);
        self.long(offset::BEGIN).store(at.0, Ordering::Relaxed);
        self.word(offset::OPEN).compare_exchange(0, 1, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Notes when the programs began.
    pub(super) fn begin(&self, at: MonoTime) {
        self.long(offset::WATCHED_SINCE).store(at.0, Ordering::Release);
    }

    /// Takes back the stop that was assumed at this time, where no other has begun since.
    pub(super) fn retract(&self, at: MonoTime) {
        if self.long(offset::BEGIN).load(Ordering::Acquire) == at.0 {
            self.word(offset::OPEN).store(0, Ordering::Release);
        }
    }

    /// The stop under way.
    pub(super) fn read(&self) -> Option<OpenStop> {
        (self.word(offset::OPEN).load(Ordering::Acquire) != 0).then_some(())?;
        let begin = MonoTime(self.long(offset::BEGIN).load(Ordering::Acquire));
        let total = |phase: usize, n: usize| {
            let at = offset::TOTALS + 8 * (5 * phase + n);
            Duration::from_nanos(self.long(at).load(Ordering::Relaxed))
        };
        let totals = |phase| SafepointTotals {
            on_cpu: total(phase, 0),
            runnable: total(phase, 1),
            throttled: total(phase, 2),
            blocked: total(phase, 3),
            waiting: total(phase, 4),
        };
        let operating = self.word(offset::DEPTH).load(Ordering::Relaxed) > 0;
        let operation = operating.then(|| {
            let start = MonoTime(self.long(offset::OPERATION_BEGIN).load(Ordering::Relaxed));
            VmOperationFact { name: self.name(), interval: Interval::new(start, start) }
        });
        Some(OpenStop {
            begin,
            vm_tid: self.word(offset::VM_TID).load(Ordering::Relaxed),
            operation,
            reaching: totals(0),
            operating: totals(1),
        })
    }

    fn name(&self) -> String {
        let words = (0..NAME_BYTES / 8).map(|n| self.long(offset::NAME + 8 * n));
        let bytes: Vec<u8> =
            words.flat_map(|it| it.load(Ordering::Relaxed).to_ne_bytes()).collect();
        let end = bytes.iter().position(|it| *it == 0).unwrap_or(bytes.len());
        String::from_utf8_lossy(&bytes[..end]).into_owned()
    }
}
