//! A diagnosis as JSON, schema version 1.
//!
//! The schema only grows: names never change their meaning and never go away within a version.
//! All times are integer nanoseconds, all sizes bytes, all shares numbers from 0 to 1; a value
//! that is not known is `null`. The types of this module mirror the schema and nothing else; the
//! types of `diagnose` may change without it.
mod build;
mod count;
mod escape;
mod event;
mod log;
mod longest;
mod numbers;
mod schema;
mod schema_log;
mod schema_pause;
mod several;
mod stalls;

use crate::{Options, Pauses, view::sentence};
use diagnose::Diagnosis;
use longest::Longest;
use schemars::{JsonSchema, generate::SchemaSettings};
use std::io::{self, Write};

pub(crate) use build::{culprit, place, remedy};
pub use escape::write_document;
pub(crate) use escape::{on_one_line, text};
pub(crate) use event::{pause_event, stall_event};
pub(crate) use numbers::{Numbers, numbers};
pub use schema::SCHEMA_VERSION;
pub use several::Several;

/// Number of pauses in `longest`, and of episodes of stalls, unless all are wanted.
const MOST_LISTED: usize = 20;

/// The JSON Schema (draft 2020-12) of what [`write`] and [`Several`] write, indented, with a line end.
#[must_use]
pub fn schema() -> String {
    schema_of::<several::Answer<'static>>()
}

/// The same of one [event](crate::Event): a line of `watch --json`, and what an alert is.
#[must_use]
pub fn event_schema() -> String {
    schema_of::<event::Event<'static>>()
}

fn schema_of<T: JsonSchema>() -> String {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    format!("{:#}\n", settings.into_generator().into_root_schema_for::<T>().as_value())
}

/// Writes the diagnosis, indented, with a line end. Where all pauses are to be listed, `longest`
/// has those of `pauses`, which are neither copied nor in memory all at once.
///
/// # Errors
///
/// Those of `out` and of `pauses`.
pub fn write(
    diagnosis: &Diagnosis,
    pauses: &mut dyn Pauses,
    options: &Options,
    out: &mut dyn Write,
) -> io::Result<()> {
    let longest = if options.all_pauses {
        Longest::all(diagnosis.clock, pauses)
    } else {
        Longest::few(diagnosis.clock, &diagnosis.pauses, MOST_LISTED)
    };
    let (advice, of_stalls) = (remedy::advise(diagnosis), remedy::advise_stalls(diagnosis));
    let verdict = sentence(diagnosis, options.over);
    let most = if options.all_pauses { usize::MAX } else { MOST_LISTED };
    let stalls = stalls::stalls(diagnosis, &of_stalls, most);
    write_document(&build::diagnosis(diagnosis, verdict, &advice, longest, stalls), out)
}
