//! Keeps on disk what a JVM logs to memory.
//!
//! A JVM that writes its GC log to a disk waits for that disk within its pauses (Zhuang, Tran,
//! Zhang, Ramachandra, Sridharan: "Eliminating OS-Caused Large JVM Pauses for Latency-Sensitive
//! Java-Based Cloud Platforms", 2016). Written to tmpfs it does not, but then the log is bounded
//! and gone with the host. A [`Keeper`] reads what was appended since, every few seconds, and
//! appends it compressed to a file on a disk. Only the keeper waits for that disk.
//!
//! # What is written
//!
//! `gc.log` becomes `gc.log.zst`, `gc.log.2.zst`, …: plain files of zstd frames or gzip members,
//! whose concatenation, unpacked, is the log (`zstdcat`, `zcat`). Before the text of each round is
//! a record of how far the log was copied with it: in a skippable frame (RFC 8878, 3.1.2), or in
//! the extra field of the gzip member (RFC 1952, 2.3.1.1). So what was copied and how far cannot
//! disagree: a keeper that was killed goes on after the last whole entry, and cuts a torn one.
//!
//! # What is read
//!
//! One log file and those that HotSpot's rotation makes of it: `gc.log.N` and `gc.log.N.current`.
//! Files are distinguished by device, inode and first bytes, and the boot that they were seen in.
//! A rotated file is read to its end before the next one. What was rotated away unread is reported,
//! and kept in the record, with as many bytes as are known. Not followed is a JDK 8 with
//! `NumberOfGCLogFiles=1`, which overwrites its log from the begin without truncating it.
//!
//! # Promises
//!
//! - Nothing is lost or there twice, whenever the keeper is killed, as long as it is faster than
//!   the rotation; what was appended after the last round is not there yet.
//! - Memory is bounded: what cannot be written stays where it is. So are each file and all files
//!   of a log together: the oldest are removed, and no file that is not a keeper's.
//! - No link, FIFO or device is opened in place of a log, and no log of another user.
//! - A disk that is full, gone or read-only is reported once and tried again each period. Nothing is
//!   written to what is found in the place of a target that was unmounted.
//! - No decision depends on the wall clock on tmpfs (Linux 5.9 and later). Elsewhere one does: where
//!   nothing of a full ring is known, the file that was changed first is taken for the oldest.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod error;
mod event;
#[cfg(fuzzing)]
pub mod fuzzing;
mod keeper;
mod liveness;
mod options;
mod pack;
mod print;
mod process;
mod record;
mod ring;
mod source;
mod tail;
mod target;

pub use error::KeeperError;
pub use event::{Event, Outcome, Round};
pub use keeper::Keeper;
pub use liveness::Alive;
pub use options::{Compression, Options, boot};
pub use process::Process;
