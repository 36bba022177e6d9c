//! What a gate is.
use super::metrics::Metric;
use crate::Value;
use std::time::Duration;

/// One condition: the run fails where it is true.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// As it was typed, without spaces around it.
    pub text: String,
    pub(super) metric: &'static Metric,
    pub(super) argument: Argument,
    pub(super) operator: Operator,
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
pub(super) enum Argument {
    None,
    Time(Duration),
    Cause(&'static str),
}

/// How a number is compared with its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
}

/// Operators as they are written, longer ones first, so that `>=` is not read as `>`.
pub(super) const OPERATORS: [(&str, Operator); 6] = [
    (">=", Operator::GreaterOrEqual),
    ("<=", Operator::LessOrEqual),
    ("==", Operator::Equal),
    ("!=", Operator::NotEqual),
    (">", Operator::Greater),
    ("<", Operator::Less),
];

impl Operator {
    pub(super) fn holds(self, actual: Value, limit: Value) -> bool {
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
