//! A comparison as a page to look at: one HTML file, with the front end of the page of a run.
pub use crate::html::compared::{RunPauses, pauses_of, write};
