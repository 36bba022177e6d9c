//! What is copied, to where, and within which bounds.
use std::{path::PathBuf, time::Duration};

/// What the copies are compressed with. Both can be concatenated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// Frames of RFC 8878 with checksums, `*.zst`.
    #[default]
    Zstd,
    /// Members of RFC 1952, `*.gz`.
    Gzip,
}

impl Compression {
    /// What the names of the copies end with, without a dot.
    #[must_use]
    pub fn suffix(self) -> &'static str {
        match self {
            Compression::Zstd => "zst",
            Compression::Gzip => "gz",
        }
    }
}

/// One process, as no later process with its number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// Process id.
    pub pid: u32,
    /// When it was started, in clock ticks since boot: field 22 of `/proc/PID/stat` (`proc(5)`).
    pub start_ticks: u64,
}

/// What a [`Keeper`](crate::Keeper) does. [`Options::new`] has the defaults.
#[derive(Clone, Debug)]
pub struct Options {
    /// The log, as the JVM names it without what rotation adds. It need not be there yet.
    pub from: PathBuf,
    /// The directory that the copies go to. It must be there.
    pub to: PathBuf,
    /// Time between two rounds; 5 s by default.
    pub period: Duration,
    /// zstd by default.
    pub compression: Compression,
    /// A copy that would be larger than this is ended, and a new one begun; in bytes, 64 MiB by
    /// default, and never more than half of `max_bytes`.
    pub max_file_bytes: u64,
    /// So large are all copies of the log together at most; in bytes, 1 GiB by default and 4 MiB
    /// at least. The oldest are removed.
    pub max_bytes: u64,
    /// Permissions of the copies, 0600 by default.
    pub mode: u32,
    /// The user to whom the log belongs. `None`: to the user that this process runs as.
    pub source_uid: Option<u32>,
    /// The JVM. When it has ended and everything is copied, the keeper ends.
    pub while_alive: Option<Process>,
}

impl Options {
    /// Copies the log `from` to the directory `to`.
    #[must_use]
    pub fn new(from: impl Into<PathBuf>, to: impl Into<PathBuf>) -> Options {
        Options {
            from: from.into(),
            to: to.into(),
            period: Duration::from_secs(5),
            compression: Compression::default(),
            max_file_bytes: 64 << 20,
            max_bytes: 1 << 30,
            mode: 0o600,
            source_uid: None,
            while_alive: None,
        }
    }
}
