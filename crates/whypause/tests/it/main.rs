//! The program as its users meet it: what it prints, where, and how it ends.
//!
//! Nothing here needs privilege.
mod all_pauses;
mod among_ordinary;
mod arguments;
mod bad_input;
mod check;
mod compare;
mod crafted;
mod damaged;
mod doctor;
mod field;
mod fleet;
mod generated;
mod kept;
mod labelled;
mod logs;
mod monitors;
mod mutated;
mod numbers;
mod output;
mod recordings;
mod redacted;
mod run;
mod schema;
mod segments;
mod starts;
mod stories;
mod verdict;
