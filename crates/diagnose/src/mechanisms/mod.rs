//! Mechanisms: how exactly a thread was blocked on its way to a disk, or to a reader, or stopped
//! from outside. One file each.
//!
//! A mechanism refines a cause where both occur; it is recognised by the functions in the kernel
//! stack. Names differ between kernels and compilers inline some of them, so each mechanism
//! knows several and never relies on one; what stops a thread from outside the kernel also says
//! itself.
use crate::{Mechanism, facts::index::Index};
use recording::{ThreadSlice, ThreadState};

mod block_queue_wait;
mod control_group_freezer;
mod dirty_throttling;
mod file_system_freeze;
mod inode_lock;
mod journal_commit;
mod pipe_full;
mod space_reservation;
mod stable_page_writeback;
mod stop_signal;
mod tracer;

/// On the way to a disk, in the order in which they are tried: the first that fits is taken.
///
/// The throttle comes first because the throttled task also holds a journal handle or a page in
/// some paths; then the freeze and the queue, which are where a thread sleeps whatever it came for.
/// The stable page comes before the journal because waiting for a page under writeback happens
/// inside an open transaction, and so does space, for which one is started; and the file's lock
/// comes last of these, as a thread that waits for anything else in a write holds it. A full pipe has no
/// file system.
static BLOCKS: [&Mechanism; 8] = [
    &dirty_throttling::MECHANISM,
    &file_system_freeze::MECHANISM,
    &block_queue_wait::MECHANISM,
    &stable_page_writeback::MECHANISM,
    &space_reservation::MECHANISM,
    &journal_commit::MECHANISM,
    &inode_lock::MECHANISM,
    &pipe_full::MECHANISM,
];

/// What stops a thread from outside, in the order in which they are tried. The tracer comes last: a
/// signal that stops a traced thread comes through `ptrace_signal`.
static STOPS: [&Mechanism; 3] =
    [&control_group_freezer::MECHANISM, &stop_signal::MECHANISM, &tracer::MECHANISM];

/// All of them.
pub(crate) fn all() -> impl Iterator<Item = &'static Mechanism> {
    BLOCKS.into_iter().chain(STOPS)
}

/// The mechanism that a slice of a thread shows.
pub(crate) fn of(index: &Index<'_>, slice: &ThreadSlice) -> Option<&'static Mechanism> {
    match slice.state {
        ThreadState::Stopped => of_stop(index, slice.stack, slice.frozen),
        _ => of_stack(index, slice.stack),
    }
}

/// The mechanism that a stack shows on the way to a disk or to a reader.
pub(crate) fn of_stack(index: &Index<'_>, stack: Option<u32>) -> Option<&'static Mechanism> {
    let sampled = || pipe_full::is_sample(index.frames(stack)).then_some(&pipe_full::MECHANISM);
    first(&BLOCKS, index, stack).or_else(sampled)
}

/// What stopped a thread. What the kernel says of itself comes before its stack, in which the
/// freezer's functions may all be inlined.
pub(crate) fn of_stop(
    index: &Index<'_>,
    stack: Option<u32>,
    frozen: bool,
) -> Option<&'static Mechanism> {
    if frozen { Some(&control_group_freezer::MECHANISM) } else { first(&STOPS, index, stack) }
}

/// Whether a thread that is stopped is held by a tracer, which need not hold the others.
pub(crate) fn is_traced(index: &Index<'_>, slice: &ThreadSlice) -> bool {
    let stop = of_stop(index, slice.stack, slice.frozen);
    stop.is_some_and(|it| it.id == tracer::MECHANISM.id)
}

fn first(
    mechanisms: &[&'static Mechanism],
    index: &Index<'_>,
    stack: Option<u32>,
) -> Option<&'static Mechanism> {
    // Most segments of a pause have no stack.
    stack?;
    mechanisms.iter().copied().find(|it| {
        index.stack_has(stack, it.frames)
            && (it.below.is_empty() || index.stack_has(stack, it.below))
    })
}

/// Whether a stack shows a wait for the reader of a pipe, a terminal or a socket.
pub(crate) fn is_pipe_full(index: &Index<'_>, stack: Option<u32>) -> bool {
    of_stack(index, stack).is_some_and(|it| it.id == pipe_full::MECHANISM.id)
}

#[cfg(test)]
pub(crate) fn check(frames: &str, expected: &str) {
    check_with(frames, expected, |index| of_stack(index, Some(1)));
}

#[cfg(test)]
pub(crate) fn check_stop(frames: &str, expected: &str) {
    check_with(frames, expected, |index| of_stop(index, Some(1), false));
}

#[cfg(test)]
fn check_with(
    frames: &str,
    expected: &str,
    find: impl FnOnce(&Index<'_>) -> Option<&'static Mechanism>,
) {
    use recording::{Facts, StackFact};
    let names = frames.split_whitespace().map(str::to_owned).collect();
    let facts = Facts { stacks: vec![StackFact { id: 1, frames: names }], ..Facts::default() };
    let found = find(&Index::new(&facts)).map_or("none", |it| it.id);
    assert_eq!(found, expected, "{frames}");
}
