//! What was found out, for people and for programs.
//!
//! A [`diagnose::Diagnosis`] goes in; text, JSON, Markdown, CSV, a page or a trace comes
//! out, and metrics of what a watch sees.
//! This is the only crate that serialises for others: the shapes in [`json`] are a contract,
//! the types of `diagnose` are not.
//!
//! Nothing here reads the environment, the terminal or the clock: the caller says in [`Options`]
//! how wide the terminal is, whether it shows colour, and in which zone it wants to see times.
pub mod cause;
pub mod check;
mod clean;
pub mod compare;
pub mod csv;
pub mod doctor;
mod event;
pub mod fix;
pub mod fleet;
mod format;
pub mod html;
pub mod json;
pub mod kept;
pub mod line;
pub mod markdown;
pub mod metrics;
mod options;
mod packed;
pub mod page;
mod pauses;
pub mod perfetto;
pub mod ps;
mod redact;
mod share;
pub mod terminal;
pub mod text;
mod value;
mod view;
mod when;
mod words;

pub use diagnose::text::{bytes, count, counted, duration};
pub use event::{Event, Receiver};
pub use format::Format;
pub use jiff::tz::TimeZone;
pub use options::{Options, Style};
pub use packed::PackedPauses;
pub use pauses::{Pauses, SORTED_BYTES, TakePause};
pub use redact::Redactor;
pub use share::percent;
pub use view::verdict;
