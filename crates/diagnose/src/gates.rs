//! Gates: a condition on one number of a run, such as `p99>200ms`, under which the run fails.
//!
//! A gate says what must not be. Where the input cannot tell the number, the gate neither passes
//! nor fails.
mod judge;
mod measure;
mod metrics;
mod parse;
mod quantity;

pub use judge::{Blame, Judgement, Outcome};
pub use metrics::{Metric, MetricKind, metrics};

use crate::Value;
use std::time::Duration;

/// One condition: the run fails where it is true.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// As it was typed, without spaces around it.
    pub text: String,
    metric: &'static Metric,
    argument: Argument,
    operator: Operator,
    /// What the number is compared with.
    pub limit: Value,
}

impl Gate {
    /// The id of the cause that it is about, where it is about one.
    #[must_use]
    pub fn cause(&self) -> Option<&'static str> {
        match self.argument {
            Argument::Cause(id) => Some(id),
            Argument::None | Argument::Time(_) => None,
        }
    }
}

/// What stands in the parentheses after a metric's name.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Argument {
    None,
    Time(Duration),
    Cause(&'static str),
}

/// How a number is compared with its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
}

/// Operators as they are written, longer ones first, so that `>=` is not read as `>`.
const OPERATORS: [(&str, Operator); 6] = [
    (">=", Operator::GreaterOrEqual),
    ("<=", Operator::LessOrEqual),
    ("==", Operator::Equal),
    ("!=", Operator::NotEqual),
    (">", Operator::Greater),
    ("<", Operator::Less),
];

impl Operator {
    fn holds(self, actual: Value, limit: Value) -> bool {
        match self {
            Operator::Greater => actual > limit,
            Operator::GreaterOrEqual => actual >= limit,
            Operator::Less => actual < limit,
            Operator::LessOrEqual => actual <= limit,
            Operator::Equal => actual == limit,
            Operator::NotEqual => actual != limit,
        }
    }
}

/// Why a text is no gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateError {
    /// One lower-case line.
    pub message: String,
    /// What to write instead.
    pub hint: String,
}

#[cfg(test)]
mod tests;
