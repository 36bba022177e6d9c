//! Gates: a condition on one number of a run, such as `p99>200ms`, under which the run fails.
//!
//! A gate says what must not be. Where the input cannot tell the number, the gate neither passes
//! nor fails.
mod gate;
mod judge;
mod measure;
mod metrics;
mod parse;
mod quantity;

pub use gate::{Gate, GateError};
pub use judge::{Blame, Judgement, Outcome};
pub use metrics::{Metric, MetricKind, metrics};

#[cfg(test)]
mod tests;
