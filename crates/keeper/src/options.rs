//! What is copied, to where, and within which bounds.
use crate::Alive;
use rustix::fs::{CWD, Mode, OFlags, openat};
use std::{
    fs::File,
    io::{self, Read},
    os::fd::OwnedFd,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

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

/// What a [`Keeper`](crate::Keeper) does. [`Options::new`] has the defaults.
#[derive(Clone, Debug)]
pub struct Options {
    /// The log, as the JVM names it without what rotation adds. It need not be there yet.
    pub from: PathBuf,
    /// The directory that the copies go to. It must be there.
    pub to: PathBuf,
    /// That directory itself, where it is held already: then nothing is looked up by its path, which only
    /// names it.
    pub to_held: Option<Arc<OwnedFd>>,
    /// `/proc/self/fd`, where this process has another `/proc` by now than its own.
    pub descriptors: Option<Arc<OwnedFd>>,
    /// How `to` is opened where it is not held, now and whenever another directory may be there.
    pub open_to: fn(&Path) -> io::Result<OwnedFd>,
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
    /// The running of the host, so that a log of an earlier one is not taken for this one's.
    pub boot: [u8; 16],
    /// The JVM. When it has ended and everything is copied, the keeper ends.
    pub while_alive: Option<Alive>,
}

impl Options {
    /// Copies the log `from` to the directory `to`.
    #[must_use]
    pub fn new(from: impl Into<PathBuf>, to: impl Into<PathBuf>) -> Options {
        Options {
            from: from.into(),
            to: to.into(),
            to_held: None,
            open_to: by_path,
            descriptors: None,
            period: Duration::from_secs(5),
            compression: Compression::default(),
            max_file_bytes: 64 << 20,
            max_bytes: 1 << 30,
            mode: 0o600,
            source_uid: None,
            boot: boot(),
            while_alive: None,
        }
    }
}

fn by_path(directory: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(openat(CWD, directory, flags, Mode::empty())?)
}

/// The running of the host, as the kernel names it (`man 4 random`); zeros where it does not.
#[must_use]
pub fn boot() -> [u8; 16] {
    let mut text = String::new();
    let read = File::open("/proc/sys/kernel/random/boot_id")
        .and_then(|it| it.take(LONGEST_ID_BYTES).read_to_string(&mut text));
    let digits: String = text.chars().filter(char::is_ascii_hexdigit).collect();
    let number = read.ok().and_then(|_| u128::from_str_radix(&digits, 16).ok());
    number.unwrap_or(0).to_be_bytes()
}

/// A UUID has 36.
const LONGEST_ID_BYTES: u64 = 64;
