//! What a mechanism is: how exactly a thread was blocked, which refines a cause.
use std::time::Duration;

/// One mechanism.
#[derive(Debug)]
pub struct Mechanism {
    /// Name in text, JSON and file names.
    pub id: &'static str,
    /// For people, as a heading.
    pub title: &'static str,
    /// For the middle of a sentence: `waited for a journal commit`.
    pub phrase: &'static str,
    /// Ids of the causes that it refines, the most usual first; at least one.
    pub causes: &'static [&'static str],
    /// The leading `//!` lines of the mechanism's file.
    pub(crate) page: &'static str,
    /// Any of these functions in the stack shows it.
    pub(crate) frames: &'static [&'static str],
    /// Where not empty, one of these must be in the stack, too.
    pub(crate) below: &'static [&'static str],
}

impl Mechanism {
    /// Whether this function of the kernel is one of those that show it.
    pub(crate) fn is_shown_by(&self, frame: &str) -> bool {
        self.frames.contains(&frame)
    }

    /// The page in Markdown.
    #[must_use]
    pub fn page(&self) -> String {
        self.page.to_owned()
    }
}

/// A refinement of a cause: how exactly the time was lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MechanismShare {
    /// `journal-commit`, `stable-page-writeback`, `dirty-throttling`, `block-queue-wait`, …
    pub id: &'static str,
    /// For the middle of a sentence: `a journal commit`.
    pub phrase: &'static str,
    /// How much of the cause's time.
    pub time: Duration,
}
