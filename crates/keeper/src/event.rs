//! What a keeper has to say.
use crate::KeeperError;
use std::{fmt, path::PathBuf};

/// An event that the user of the keeper should see. As text it is one line.
#[derive(Debug)]
pub enum Event {
    /// A new copy was begun.
    Began {
        /// Its file.
        path: PathBuf,
    },
    /// An old copy was removed, so that all of them stay within their bound.
    Removed {
        /// Its file.
        path: PathBuf,
        /// Its size in bytes.
        bytes: u64,
    },
    /// An entry that a killed keeper had not completed was cut off. What it had in it is copied anew.
    Repaired {
        /// The copy.
        path: PathBuf,
        /// What was cut off, in bytes.
        bytes: u64,
    },
    /// The rotation was faster than the keeper: files were removed before they were read.
    Lost {
        /// As many bytes were seen and not read; how many were never seen is not known.
        at_least_bytes: u64,
    },
    /// The log was truncated or overwritten, or another file is in its place; it is read from its
    /// begin. What was appended to the old one after the last round is not known.
    Replaced {
        /// The log.
        path: PathBuf,
    },
    /// Copying does not work. It is reported once, and tried again each period.
    Failing {
        /// The error.
        error: KeeperError,
    },
    /// Copying works again.
    Recovered {
        /// For how many rounds it did not.
        rounds: u64,
    },
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Began { path } => write!(f, "copying to `{}`", path.display()),
            Event::Removed { path, bytes } => {
                write!(f, "removed the oldest copy `{}` of {bytes} bytes", path.display())
            }
            Event::Repaired { path, bytes } => {
                write!(f, "cut {bytes} bytes of an incomplete entry off `{}`", path.display())
            }
            Event::Lost { at_least_bytes } => write!(
                f,
                "the log was rotated away before it was read: {at_least_bytes} bytes or more are not copied"
            ),
            Event::Replaced { path } => {
                write!(
                    f,
                    "`{}` was truncated or replaced, it is read from its begin",
                    path.display()
                )
            }
            Event::Failing { error } => write!(f, "not copied for now: {error}"),
            Event::Recovered { rounds } => write!(f, "copying again after {rounds} rounds"),
        }
    }
}

/// What one round has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// Copied from the log, in bytes.
    pub copied_bytes: u64,
    /// Appended to the target, in bytes.
    pub written_bytes: u64,
    /// There is more than one round may read; the next one goes on with it.
    pub is_behind: bool,
    /// The JVM had ended before the round began, and everything is copied.
    pub ended: bool,
}

/// Why a keeper has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was asked to; a last round was made, or tried.
    Stopped,
    /// The JVM has ended and everything is copied.
    Ended,
}
