//! A number with its unit, for comparisons and gates.
use std::{cmp::Ordering, time::Duration};

/// A measured number, or a limit for one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A length of time.
    Time(Duration),
    /// A length of time in each second.
    TimePerSecond(Duration),
    /// A number of something.
    Count(u64),
    /// A number of something per second.
    PerSecond(f64),
    /// A part of a whole, from 0 to 1.
    Share(f64),
    /// A size in bytes.
    Bytes(u64),
    /// Bytes per second.
    BytesPerSecond(f64),
}

impl Value {
    /// The unit's name for programs: `ns`, `ns_per_second`, `count`, `per_second`, `share`, `bytes`,
    /// `bytes_per_second`.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            Value::Time(_) => "ns",
            Value::TimePerSecond(_) => "ns_per_second",
            Value::Count(_) => "count",
            Value::PerSecond(_) => "per_second",
            Value::Share(_) => "share",
            Value::Bytes(_) => "bytes",
            Value::BytesPerSecond(_) => "bytes_per_second",
        }
    }

    /// The number without its unit, to compute with: times in seconds.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "for quotients of two values")]
    pub fn number(self) -> f64 {
        match self {
            Value::Time(it) | Value::TimePerSecond(it) => it.as_secs_f64(),
            Value::Count(it) | Value::Bytes(it) => it as f64,
            Value::PerSecond(it) | Value::Share(it) | Value::BytesPerSecond(it) => it,
        }
    }
}

/// Exact for times, counts and sizes. Values of different units have no order.
impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Value) -> Option<Ordering> {
        match (self, other) {
            (Value::Time(a), Value::Time(b))
            | (Value::TimePerSecond(a), Value::TimePerSecond(b)) => a.partial_cmp(b),
            (Value::Count(a), Value::Count(b)) | (Value::Bytes(a), Value::Bytes(b)) => {
                a.partial_cmp(b)
            }
            (Value::PerSecond(a), Value::PerSecond(b))
            | (Value::Share(a), Value::Share(b))
            | (Value::BytesPerSecond(a), Value::BytesPerSecond(b)) => a.partial_cmp(b),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_values_of_one_unit_are_compared() {
        let (short, long) = (Duration::from_millis(1), Duration::from_millis(2));
        assert!(Value::Time(short) < Value::Time(long));
        assert!(Value::Count(u64::MAX) > Value::Count(u64::MAX - 1));
        assert_eq!(Value::Count(1).partial_cmp(&Value::Share(1.0)), None);
    }
}
