//! Facts, logs and accounts as text, for tests: a few lines that can be read aloud, and a verdict.
pub mod facts;
pub mod log;
pub mod segments;
