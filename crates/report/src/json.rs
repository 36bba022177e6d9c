//! A diagnosis as JSON, schema version 1.
//!
//! The schema only grows: names never change their meaning and never go away within a version.
//! All times are integer nanoseconds, all sizes bytes, all shares numbers from 0 to 1; a value
//! that is not known is `null`. The types of this module mirror the schema and nothing else; the
//! types of `diagnose` may change without it.
mod build;
mod escape;
mod log;
mod schema;

use crate::Options;
use diagnose::Diagnosis;
use std::io::{self, Write};

pub use escape::write_document;
pub use schema::SCHEMA_VERSION;

/// So many pauses are in `longest` unless all are wanted.
const MOST_LISTED: usize = 20;

/// Writes the diagnosis, indented, with a line end.
///
/// # Errors
///
/// Those of `out`.
pub fn write(diagnosis: &Diagnosis, options: &Options, out: &mut dyn Write) -> io::Result<()> {
    let most = if options.all_pauses { usize::MAX } else { MOST_LISTED };
    let mirror = build::diagnosis(diagnosis, most);
    write_document(&mirror, out)
}
