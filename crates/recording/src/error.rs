//! What can go wrong with a recording as a whole.
//!
//! A damaged part is no error: it becomes a note in [`Coverage`](crate::Coverage).
use std::{io, path::PathBuf};

/// Why a recording could not be created, sealed or opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordingError {
    /// The directory, or the one it was to be created in, is not there.
    #[error("no such directory: `{}`", path.display())]
    NoSuchDirectory {
        /// The path that was asked for.
        path: PathBuf,
    },
    /// There is something, but it holds no table of a recording.
    #[error("not a recording: `{}` {why}", path.display())]
    NotARecording {
        /// The path that was asked for.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A directory was asked for to write into, and there is something else.
    #[error("`{}` is not a directory", path.display())]
    NotADirectory {
        /// What was asked for.
        path: PathBuf,
    },
    /// The tables are there, and not one of them can be read.
    #[error("nothing readable in the recording `{}`: {why}", path.display())]
    Unreadable {
        /// The path that was asked for.
        path: PathBuf,
        /// What was wrong with the first table.
        why: String,
    },
    /// The user may not do this.
    #[error("no permission to {wanted} `{}`", path.display())]
    Permission {
        /// The file or directory.
        path: PathBuf,
        /// What was wanted of it.
        wanted: &'static str,
    },
    /// A new recording needs a new or an empty directory.
    #[error("the directory `{}` is not empty", path.display())]
    NotEmpty {
        /// The directory.
        path: PathBuf,
    },
    /// The directory is one that another user may have planted.
    #[error("refusing to write to `{}`: {why}", path.display())]
    Unsafe {
        /// The directory.
        path: PathBuf,
        /// What is suspicious.
        why: &'static str,
    },
    /// Another user can change a directory on the way to it.
    #[error("refusing to write to `{}`: {why} `{}`", path.display(), above.display())]
    UnsafePath {
        /// The path that was asked for.
        path: PathBuf,
        /// Who can do what to the directory or link on the way.
        why: &'static str,
        /// That directory or link.
        above: PathBuf,
    },
    /// The directory was removed while it was written to.
    #[error("the directory `{}` was removed while it was written to, nothing of it is left", path.display())]
    Removed {
        /// Where it was.
        path: PathBuf,
    },
    /// A live recorder writes this recording.
    #[error("the recording `{}` is being written", path.display())]
    InUse {
        /// The directory.
        path: PathBuf,
    },
    /// The system refused.
    #[error("cannot {wanted} `{}`: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What was wanted of it.
        wanted: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The writing thread ended before its time.
    #[error("the thread that writes the recording ended: {why}")]
    WriterGone {
        /// What it said.
        why: String,
    },
}

impl RecordingError {
    /// What the user can do about it: one lower-case line, or `None` where the message says all.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            RecordingError::NotARecording { .. } => {
                Some("give the directory that `whypause record` wrote, not one above or below it")
            }
            RecordingError::Permission { .. } => {
                Some("a recording belongs to the user who made it, mostly root: try sudo")
            }
            RecordingError::NotADirectory { .. } => {
                Some("give a directory; one that does not exist is made in one that does")
            }
            RecordingError::NotEmpty { .. } => Some("give a directory that does not exist yet"),
            RecordingError::InUse { .. } => {
                Some("stop the recorder first; reading works meanwhile")
            }
            RecordingError::Unsafe { .. } => {
                Some("give a directory of your own that is no symbolic link")
            }
            RecordingError::UnsafePath { .. } => Some(
                "give a directory that only you and root can change, from `/` down, or none: \
                 then it is kept in memory",
            ),
            RecordingError::Removed { .. } => Some("record again, into a directory that stays"),
            _ => None,
        }
    }

    /// The error for what the system said when `wanted` was wanted of `path`.
    pub(crate) fn io(
        path: impl Into<PathBuf>,
        wanted: &'static str,
        source: impl Into<io::Error>,
    ) -> RecordingError {
        let (path, source) = (path.into(), source.into());
        match source.kind() {
            io::ErrorKind::PermissionDenied => RecordingError::Permission { path, wanted },
            _ => RecordingError::Io { path, wanted, source },
        }
    }
}
