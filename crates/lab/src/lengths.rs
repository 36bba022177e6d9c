//! Lengths of time in tables.
use std::time::Duration;

/// A length as people read it, in whole milliseconds or hundredths of a second.
pub(crate) fn time(duration: Duration) -> String {
    if duration < Duration::from_secs(1) {
        return format!("{} ms", duration.as_millis());
    }
    format!("{:.2} s", duration.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(time(Duration::from_micros(999_900)), "999 ms");
        assert_eq!(time(Duration::from_millis(1000)), "1.00 s");
    }
}
