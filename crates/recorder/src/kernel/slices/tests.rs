//! Records in, slices out.
use super::*;
use crate::kernel::record::SliceFlags;

const BLOCKED: u16 = 1;
const STOPPED: u16 = 2;
const THROTTLED: u16 = 4;
const FROZEN: u16 = 32;

fn slice(flags: u16, off: u64, wake: u64, on: u64, out: u64) -> Slice<'static> {
    Slice {
        flags: SliceFlags(flags),
        tid: 7,
        off,
        wake,
        on,
        out,
        syscall: 1,
        stack: -1,
        fd: 4,
        ..Slice::default()
    }
}

fn check(slice: &Slice<'_>, expected: &str) {
    let text = |it: &ThreadSlice| {
        format!("{} {}-{}", it.state.id(), it.interval.start.0, it.interval.end.0)
    };
    let slices = thread_slices(slice, Resolved::default());
    assert_eq!(slices.iter().map(text).collect::<Vec<_>>().join(", "), expected);
}

#[test]
fn a_cycle_is_blocked_then_runnable_then_on_cpu() {
    check(&slice(BLOCKED, 10, 20, 25, 40), "blocked 10-20, runnable 20-25, on-cpu 25-40");
    check(&slice(0, 10, 10, 25, 40), "runnable 10-25, on-cpu 25-40");
    check(&slice(THROTTLED, 10, 10, 25, 40), "throttled 10-25, on-cpu 25-40");
    check(
        &slice(BLOCKED | THROTTLED, 10, 20, 25, 40),
        "blocked 10-20, throttled 20-25, on-cpu 25-40",
    );
    check(&slice(BLOCKED | STOPPED, 10, 20, 20, 40), "stopped 10-20, on-cpu 20-40");
}

#[test]
fn only_a_stopped_thread_is_frozen() {
    let frozen = |flags| {
        let slices = thread_slices(&slice(flags, 10, 20, 25, 40), Resolved::default());
        slices.iter().map(|it| it.frozen).collect::<Vec<_>>()
    };
    assert_eq!(frozen(BLOCKED | STOPPED | FROZEN), [true, false, false]);
    assert_eq!(frozen(BLOCKED | STOPPED), [false; 3]);
    assert_eq!(frozen(BLOCKED | FROZEN), [false; 3]);
}

#[test]
fn who_is_stopped_outside_of_a_call_is_in_no_page_fault() {
    let entered = |flags, syscall| {
        let slice = Slice { syscall, ..slice(flags, 10, 20, 25, 40) };
        thread_slices(&slice, Resolved::default())[0].entered
    };
    assert_eq!(entered(BLOCKED | STOPPED, -1), None);
    assert_eq!(entered(BLOCKED | STOPPED, 7), Some(OffCpuCause::Syscall(7)));
    assert_eq!(entered(BLOCKED, -1), Some(OffCpuCause::PageFault));
}

#[test]
fn parts_that_were_sent_before_or_come_later_are_not_made_up() {
    check(&slice(BLOCKED, 10, 20, 25, 0), "blocked 10-20, runnable 20-25");
    check(&slice(BLOCKED, 0, 20, 25, 40), "on-cpu 25-40");
    check(&slice(BLOCKED, 0, 0, 25, 0), "");
}

#[test]
fn a_wake_up_outside_its_wait_is_moved_to_the_edge() {
    check(&slice(BLOCKED, 10, 5, 25, 0), "runnable 10-25");
    check(&slice(BLOCKED, 10, 99, 25, 0), "blocked 10-25");
    check(&slice(BLOCKED, 30, 20, 10, 0), "");
}

#[test]
fn only_calls_on_descriptors_have_one() {
    let with = |syscall, fd| Slice { syscall, fd, ..slice(BLOCKED, 10, 20, 25, 0) };
    let number = |call: libc::c_long| i32::try_from(call).unwrap();
    let (write, futex) = (number(libc::SYS_write), number(libc::SYS_futex));
    assert_eq!(descriptor(&with(write, 4)), Some(4));
    assert_eq!(descriptor(&with(write, u32::MAX)), None);
    assert_eq!(descriptor(&with(futex, 4)), None);
    assert_eq!(descriptor(&with(-1, 4)), None);
}

#[test]
fn who_let_it_go_on_belongs_to_the_wait() {
    const RELEASED: u16 = 256;
    let of = |flags, release_call| {
        let with = Slice {
            holder: 99,
            holder_name: "ps",
            releaser: 98,
            release_call,
            ..slice(flags, 10, 20, 25, 0)
        };
        let slices = thread_slices(&with, Resolved::default());
        assert_eq!(slices[1].cpu_holder.is_some(), flags & RELEASED == 0);
        slices[0].released_by.clone()
    };
    let by = |call| Some(Release { pid: 99, tid: 98, call, name: "ps".into() });
    assert_eq!(of(BLOCKED | RELEASED, 5), by(Some(5)));
    assert_eq!(of(BLOCKED | RELEASED, -1), by(None));
    assert_eq!(of(BLOCKED, 5), None);
}

#[test]
fn who_had_the_cpu_and_who_woke_belong_to_their_own_part() {
    let it =
        Slice { holder: 99, holder_name: "stress", waker: 8, ..slice(BLOCKED, 10, 20, 25, 40) };
    let slices = thread_slices(&it, Resolved { stack: Some(3), file: None });
    assert_eq!(slices[0].woken_by, Some(8));
    assert_eq!(slices[0].stack, Some(3));
    assert_eq!(slices[1].cpu_holder, Some((99, "stress".into())));
    assert_eq!(slices[2].cpu_holder, None);
    assert_eq!(slices[2].stack, None);
}

/// The bytes of a slice record of tid 7 over `[off, out)`.
fn record(off: u64, out: u64) -> Vec<u8> {
    let mut bytes = vec![0; SLICE_BYTES];
    bytes[..2].copy_from_slice(&5u16.to_ne_bytes());
    bytes[4..8].copy_from_slice(&7u32.to_ne_bytes());
    bytes[8..16].copy_from_slice(&off.to_ne_bytes());
    bytes[24..32].copy_from_slice(&off.to_ne_bytes());
    bytes[32..40].copy_from_slice(&out.to_ne_bytes());
    bytes
}

fn window(start: u64, end: u64) -> Interval {
    Interval::new(MonoTime(start), MonoTime(end))
}

#[test]
fn a_record_is_taken_once() {
    let mut records = RawRecords::default();
    records.push(&record(10, 20));
    records.push(&record(15, 30));
    records.push(&record(30, 40));
    assert_eq!(records.count(window(12, 30)), 2);
    let mut taken = 0;
    records.take(window(12, 30), |_| taken += 1);
    records.take(window(12, 31), |_| taken += 1);
    assert_eq!(taken, 3);
    assert_eq!(records.count(window(0, 99)), 0);
}

#[test]
fn what_ended_before_the_oldest_safepoint_is_forgotten() {
    let mut records = RawRecords::default();
    records.push(&record(10, 20));
    records.push(&record(15, 30));
    let nothing = |it: Raw<'_>| panic!("{it:?} is no hiccup");
    records.forget(Some(MonoTime(20)), nothing);
    assert_eq!(records.count(window(0, 99)), 1);
    records.forget(None, nothing);
    assert_eq!(records.count(window(0, 99)), 0);
}

#[test]
fn beyond_its_bound_records_are_counted_as_lost() {
    let mut records = RawRecords::default();
    for _ in 0..MAX_RECORDS + 3 {
        records.push(&record(1, 2));
    }
    assert_eq!(records.lost(), 3);
    assert_eq!(records.count(window(0, 9)), MAX_RECORDS);
}

#[test]
fn kernel_work_shares_the_buffer() {
    let mut bytes = vec![0; 24];
    bytes[..2].copy_from_slice(&6u16.to_ne_bytes());
    bytes[2..4].copy_from_slice(&1u16.to_ne_bytes());
    bytes[8..16].copy_from_slice(&10u64.to_ne_bytes());
    bytes[16..24].copy_from_slice(&20u64.to_ne_bytes());
    let mut records = RawRecords::default();
    records.push(&bytes);
    let mut found = Vec::new();
    records.take(window(0, 99), |it| {
        if let Raw::Work(work) = it {
            found.extend(kernel_work(&work));
        }
    });
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].kind, found[0].interval), (KernelWorkKind::Compaction, window(10, 20)));
}

#[test]
fn what_others_took_of_a_cpu_is_no_more_than_the_thread_had_of_it() {
    let check = |taken_ns, expected| {
        let it = Slice { taken_ns, merged_ns: 5, ..slice(BLOCKED, 10, 20, 25, 40) };
        let slices = thread_slices(&it, Resolved::default());
        let taken: Vec<u128> = slices.iter().map(|it| it.taken.as_nanos()).collect();
        assert_eq!(taken, [0, 0, expected]);
    };
    check(0, 0);
    check(7, 7);
    check(10, 10);
    check(11, 10);
}

#[test]
fn a_fault_on_the_counters_is_reported_with_the_wait_for_it() {
    let it = Slice { fault_offset: Some(0x380), syscall: -1, ..slice(BLOCKED, 10, 20, 25, 40) };
    let slices = thread_slices(&it, Resolved::default());
    let offsets: Vec<Option<u64>> = slices.iter().map(|it| it.fault_offset).collect();
    assert_eq!(offsets, [Some(0x380), None, None]);
}

const HICCUP: u8 = 16;
const MILLISECOND: u64 = 1_000_000;

/// Pushes a slice with these flags and kernel work of this length, and says what is handed over
/// when they are forgotten.
fn check_hiccups(flags: u8, work_ns: u64, taken_before: bool, expected: usize) {
    let mut records = RawRecords::default();
    let mut slice = record(10, 20);
    slice[2] = flags;
    records.push(&slice);
    let mut work = vec![0; 24];
    work[..2].copy_from_slice(&6u16.to_ne_bytes());
    work[8..16].copy_from_slice(&10u64.to_ne_bytes());
    work[16..24].copy_from_slice(&(10 + work_ns).to_ne_bytes());
    records.push(&work);
    if taken_before {
        records.take(window(0, 99), |_| {});
    }
    let mut handed = 0;
    records.forget(None, |_| handed += 1);
    assert_eq!(handed, expected, "{flags} {work_ns} {taken_before}");
}

#[test]
fn hiccups_outlive_the_forgetting_unless_a_pause_took_them() {
    check_hiccups(0, 10 * MILLISECOND - 1, false, 0);
    check_hiccups(HICCUP, 10 * MILLISECOND - 1, false, 1);
    check_hiccups(0, 10 * MILLISECOND, false, 1);
    check_hiccups(HICCUP | 1, 10 * MILLISECOND, false, 2);
    check_hiccups(HICCUP, 10 * MILLISECOND, true, 0);
}
