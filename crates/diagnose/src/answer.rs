//! From accounts to an answer: dividing pauses among causes, findings, suspects, doubts, statistics.
//!
//! How an answer is shown is the crate `report`; how two are compared is `compare/`.
pub(crate) mod attribution;
pub(crate) mod counted;
pub(crate) mod diagnosis;
pub(crate) mod doubt;
pub(crate) mod finding;
pub(crate) mod findings;
pub(crate) mod from_log;
pub(crate) mod from_recording;
pub(crate) mod keep;
pub(crate) mod log_openings;
pub(crate) mod opened;
pub(crate) mod seen;
pub(crate) mod stalled;
pub(crate) mod stalls;
pub(crate) mod statistics;
pub(crate) mod suspects;
