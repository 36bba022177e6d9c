//! From the events of a GC log to pauses, each with its account.
//!
//! What a log tells over time is in `history/`, how lines become events in the crate `gclog`.
pub(crate) mod account;
pub(crate) mod clock;
pub(crate) mod heap;
pub(crate) mod joined;
pub(crate) mod longest;
pub(crate) mod monitors;
pub(crate) mod notes;
pub(crate) mod pause;
pub(crate) mod pauses;
pub(crate) mod stages;
pub(crate) mod times;
pub(crate) mod walk;
