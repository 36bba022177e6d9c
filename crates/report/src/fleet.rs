//! What many hosts have in common, for people and for programs.
//!
//! | I want to change … | go to |
//! |---|---|
//! | what is said of a difference, in all formats | `words.rs` |
//! | the text on a terminal | `text.rs`, and its tables in `tables.rs` |
//! | the JSON and its schema | `json.rs` |
//! | the page | `html.rs`, its pictures in `heat.rs` and `multiples.rs`, its style in `page.css` |
mod heat;
mod html;
mod json;
mod markup;
mod multiples;
mod tables;
mod text;
mod words;

pub use html::html;
pub use json::{json, schema};
pub use text::text;
