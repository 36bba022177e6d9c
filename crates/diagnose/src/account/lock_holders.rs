//! Who held the `mmap_lock` while a thread waited for it: the one that let it go on when the wait was over.
//!
//! # Source
//!
//! Linux `kernel/locking/rwsem.c`: `up_read` and `up_write` wake who waits next from the task that gives the lock
//! back, in its system call or page fault.
use crate::{
    facts::index::Index,
    wait::{Blocked, Wait},
};
use recording::{Interval, MonoTime, Release, ThreadSlice, ThreadState};
use std::time::Duration;

/// How many holders, one after the other, are looked for in one wait.
const MOST: usize = 16;

/// The waits of a thread for the lock in this window: how long, and for whom. What is not known is left out.
pub(crate) fn in_window<'a>(
    index: &Index<'a>,
    tid: u32,
    window: Interval,
) -> Vec<(Duration, &'a Release)> {
    let waits = index.slices_in(tid, window).iter().copied().filter(|it| is_wait(index, it));
    waits.flat_map(|it| of_wait(index, it, window)).collect()
}

/// The holders of one wait, the last one first: who let this thread go on may itself have waited for another.
fn of_wait<'a>(
    index: &Index<'a>,
    wait: &'a ThreadSlice,
    window: Interval,
) -> Vec<(Duration, &'a Release)> {
    let Some(wait_in) = wait.interval.intersect(window) else { return Vec::new() };
    let (mut found, mut end) = (Vec::new(), wait.interval.end);
    let mut holder = wait.released_by.as_ref();
    for _ in 0..MOST {
        let Some(of) = holder else { break };
        let before = own_wait(index, of, Interval::new(wait.interval.start, end));
        let start = before.map_or(wait.interval.start, |it| it.interval.end);
        if let Some(had) = Interval::new(start, end).intersect(wait_in) {
            found.push((had.duration(), of));
        }
        (end, holder) = (start, before.and_then(|it| it.released_by.as_ref()));
    }
    found
}

/// The last wait for the lock that a holder had itself, which ended inside of this time.
fn own_wait<'a>(index: &Index<'a>, of: &Release, inside: Interval) -> Option<&'a ThreadSlice> {
    let is_inside = |end: MonoTime| inside.start < end && end < inside.end;
    let slices = index.slices_in(of.tid, inside).iter().copied().rev();
    let mut waits = slices.filter(|it| is_inside(it.interval.end) && is_wait(index, it));
    waits.next()
}

fn is_wait(index: &Index<'_>, slice: &ThreadSlice) -> bool {
    slice.state == ThreadState::Blocked
        && Blocked::of(index, slice).waits(index).has(Wait::MmapLock)
}
