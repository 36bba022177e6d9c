//! Who gets what was read of a host, and which of it is wanted.
use crate::{Hour, Table};
use arrow_array::RecordBatch;
use diagnose::Diagnosis;
use input::{Error, Input};
use recording::Recording;
use std::ops::ControlFlow::{self, Continue};

/// Which tables are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tables {
    /// `pauses`.
    pub pauses: bool,
    /// `stalls`.
    pub stalls: bool,
    /// `hours`.
    pub hours: bool,
}

impl Tables {
    /// One of them.
    #[must_use]
    pub fn only(table: Table) -> Tables {
        Tables {
            pauses: table == Table::Pauses,
            stalls: table == Table::Stalls,
            hours: table == Table::Hours,
        }
    }
}

/// Who gets the rows of a host.
pub trait Sink {
    /// A batch of one of the wanted tables. Says whether more are wanted.
    fn batch(&mut self, _: Table, _: RecordBatch) -> ControlFlow<()> {
        Continue(())
    }

    /// Whether batches are wanted, and not sums alone.
    fn takes_batches(&self) -> bool {
        true
    }

    /// The sums of one JVM and hour, where hours are wanted; in no order.
    fn hour(&mut self, _: Hour) {}

    /// Changes an event of a log before it is used: where names are to be replaced.
    fn event(&mut self, event: gclog::Event) -> gclog::Event {
        event
    }

    /// The same of a recording.
    fn recording(&mut self, _: &mut Recording) {}

    /// What the user knows an input by: the path of a recording, the name of a log.
    fn source(&mut self, path: &str) -> String {
        path.to_owned()
    }

    /// How many bytes of a log were read.
    fn progress(&mut self, _: u64) {}

    /// Something about the files of a log.
    fn note(&mut self, _: &logset::Note) {}

    /// An input that tells nothing, and why. The others are read.
    fn unread(&mut self, source: &str, error: &Error);

    /// What one input came to, after its rows.
    fn read(&mut self, _: &Input, _: &Diagnosis) {}
}
