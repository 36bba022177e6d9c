//! What many hosts have in common, for people and for programs.
//!
//! | I want to change … | go to |
//! |---|---|
//! | what is said of a difference, in all formats | `words.rs` |
//! | the text on a terminal | `text.rs`, and its tables in `tables.rs` |
//! | the JSON and its schema | `json.rs` |
mod json;
mod tables;
mod text;
mod words;

pub use json::{json, schema};
pub use text::text;
