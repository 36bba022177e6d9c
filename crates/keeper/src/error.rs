//! Why a log cannot be copied.
use std::{io, path::PathBuf};

/// Why a keeper cannot begin, or a round was not completed. After a round that was not completed
/// nothing is lost: the next one goes on where the last entry ended.
#[derive(Debug, thiserror::Error)]
pub enum KeeperError {
    /// An option that makes no sense.
    #[error("{0}")]
    Option(String),
    /// Another keeper writes the same copies.
    #[error("another keeper copies to `{}`", path.display())]
    Busy {
        /// Its lock file.
        path: PathBuf,
    },
    /// The system refuses something with the log.
    #[error("cannot {what} `{}`: {source}", path.display())]
    Source {
        /// What was tried.
        what: &'static str,
        /// The log, or its directory.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// There is something in the place of the log that is not read.
    #[error("`{}` is not read: {why}", path.display())]
    Refused {
        /// The name of the log.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The system refuses something with the target.
    #[error("cannot {what} `{}`: {source}", path.display())]
    Target {
        /// What was tried.
        what: &'static str,
        /// The directory, or a file in it.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// Others could change the copies.
    #[error("`{}` is no place for copies: {why}", path.display())]
    Unsafe {
        /// The directory.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// In the place of the target is another file system than at the begin: it was unmounted, or
    /// something was mounted over it.
    #[error("`{}` is on another file system now, nothing is written there", path.display())]
    Gone {
        /// The directory.
        path: PathBuf,
    },
}
