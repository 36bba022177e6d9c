//! GC logs wherever they are: files, compressed files, archives, rotated sets, directories,
//! patterns and standard input; found, put in order and read.
//!
//! [`find`] turns what a user named into [`LogSet`]s, one for each JVM's log. A set is read
//! as events ([`LogSet::events`]), by the thread that asks for them.
//!
//! # Which files belong together
//!
//! Those of one directory whose names differ only in what rotation adds: a number
//! (`gc.log.3`), a date (`gc-2026-01-01.log`), `.current`, and a suffix of compression.
//!
//! # Their order
//!
//! By the wall-clock time of their first lines; where there is none, by uptime along the numbers
//! of the ring, so that a restart of the JVM in between does no harm; where there is none either,
//! by name. Modification times are not used: copying changes them.
//!
//! # Promises
//!
//! - What a file is, its bytes decide and not its name.
//! - Memory is bounded, whatever the size of the input and whatever it expands to. Nothing is
//!   written to disk.
//! - Damage is no failure: what can be read of a file that was cut is used, and the rest noted.
//! - From a directory or a pattern only regular files are read, and no symbolic link is followed:
//!   another user may have put it there. A path that the user names is followed.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod archive;
mod begin;
mod candidate;
mod container;
mod error;
mod events;
mod file;
mod find;
mod folder;
mod group;
mod links;
mod name;
mod order;
mod pattern;
mod set;
mod stream;

pub use error::Error;
pub use events::Summary;
pub use file::LogFile;
pub use find::find;
pub use name::stem;
pub use set::{LogSet, Note};
