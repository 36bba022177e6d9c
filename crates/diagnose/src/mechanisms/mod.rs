//! Mechanisms: how exactly a thread was blocked on its way to a disk, or to a reader. One file each.
//!
//! A mechanism refines a cause where both occur; it is recognised by the functions in the kernel
//! stack. Names differ between kernels and compilers inline some of them, so each mechanism
//! knows several and never relies on one.
use crate::index::Index;

mod block_queue_wait;
mod dirty_throttling;
mod file_system_freeze;
mod inode_lock;
mod journal_commit;
mod pipe_full;
mod space_reservation;
mod stable_page_writeback;

/// One mechanism.
#[derive(Debug)]
pub struct Mechanism {
    /// Name in text, JSON and file names.
    pub id: &'static str,
    /// For people, as a heading.
    pub title: &'static str,
    /// For the middle of a sentence: `waited for a journal commit`.
    pub phrase: &'static str,
    /// The text of the mechanism's file; its leading `//!` lines are its page.
    pub file: &'static str,
    /// Any of these functions in the stack shows it.
    pub(crate) frames: &'static [&'static str],
    /// Where not empty, one of these must be in the stack, too.
    pub(crate) below: &'static [&'static str],
}

/// All, in the order in which they are tried: the first that fits is taken.
///
/// The throttle comes first because the throttled task also holds a journal handle or a page in
/// some paths; then the freeze and the queue, which are where a thread sleeps whatever it came for.
/// The stable page comes before the journal because waiting for a page under writeback happens
/// inside an open transaction, and so does space, for which one is started; and the file's lock
/// comes last of these, as whoever waits for anything else in a write has it. A full pipe has no
/// file system.
pub(crate) static ALL: [&Mechanism; 8] = [
    &dirty_throttling::MECHANISM,
    &file_system_freeze::MECHANISM,
    &block_queue_wait::MECHANISM,
    &stable_page_writeback::MECHANISM,
    &space_reservation::MECHANISM,
    &journal_commit::MECHANISM,
    &inode_lock::MECHANISM,
    &pipe_full::MECHANISM,
];

impl Mechanism {
    /// The page in Markdown.
    #[must_use]
    pub fn page(&self) -> String {
        crate::page::of(self.file)
    }
}

/// The mechanism that a stack shows.
pub(crate) fn of_stack(index: &Index<'_>, stack: Option<u32>) -> Option<&'static Mechanism> {
    // Most segments of a pause have no stack.
    stack?;
    let found = ALL.into_iter().find(|it| {
        index.stack_has(stack, it.frames)
            && (it.below.is_empty() || index.stack_has(stack, it.below))
    });
    let sampled = || pipe_full::is_sample(index.frames(stack)).then_some(&pipe_full::MECHANISM);
    found.or_else(sampled)
}

/// Whether a stack shows a wait for the reader of a pipe, a terminal or a socket.
pub(crate) fn is_pipe_full(index: &Index<'_>, stack: Option<u32>) -> bool {
    of_stack(index, stack).is_some_and(|it| it.id == pipe_full::MECHANISM.id)
}

#[cfg(test)]
pub(crate) fn check(frames: &str, expected: &str) {
    use recording::{Facts, StackFact};
    let frames = frames.split_whitespace().map(str::to_owned).collect();
    let facts = Facts { stacks: vec![StackFact { id: 1, frames }], ..Facts::default() };
    let found = of_stack(&Index::new(&facts), Some(1)).map_or("none", |it| it.id);
    assert_eq!(found, expected);
}
