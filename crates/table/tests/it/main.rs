//! Rows of real logs and recordings: what they add up to, and that it is the same everywhere.
mod again;
mod files;
mod hosts;
mod numbers;
mod read;
