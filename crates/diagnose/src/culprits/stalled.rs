//! What the causes of stalls alone say alike: where the threads stood, and who did it.
use super::{
    readers,
    writers::{self, Waited},
};
use crate::{
    account::tally::Tally,
    cause::{Explanation, stall},
    facts::index::Index,
};

/// Of calls on files of a disk, which wait for what others write there too.
pub(crate) fn on_disk(tally: &Tally, index: &Index<'_>, reads: bool) -> Explanation {
    let waited = Waited { file: tally.main_site().and_then(|it| it.0.file), reads };
    Explanation {
        culprits: writers::writers(tally, index, waited),
        detail: writers::own_writes(tally, index, waited),
        ..elsewhere(tally, index)
    }
}

/// Of a wait for the process that reads a pipe or a terminal.
pub(crate) fn on_reader(tally: &Tally, index: &Index<'_>) -> Explanation {
    let readers = tally.stream(index).map(|it| readers::culprits(tally, index, it));
    Explanation { culprits: readers.unwrap_or_default(), ..elsewhere(tally, index) }
}

/// Of any other wait.
pub(crate) fn elsewhere(tally: &Tally, index: &Index<'_>) -> Explanation {
    Explanation {
        story: stall::story(tally, index),
        evidence: vec![stall::evidence(tally, index)],
        ..Explanation::default()
    }
}
