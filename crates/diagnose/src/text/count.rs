//! Counts for people.

/// From here on a count's thousands are separated.
const SEPARATED_FROM: u64 = 10_000;

/// `n` for people: `7`, `9999`, `10,000`, `1,036,800`.
#[must_use]
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    if n < SEPARATED_FROM {
        return digits;
    }
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 stop`, `7 stops`, `12,345 stops`: `one` is the noun for one of them, and takes an `s`.
#[must_use]
pub fn counted(n: u64, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{} {one}s", count(n)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated_from_ten_thousand_on() {
        assert_eq!(count(0), "0");
        assert_eq!(count(9_999), "9999");
        assert_eq!(count(10_000), "10,000");
        assert_eq!(count(100_000), "100,000");
        assert_eq!(count(1_036_800), "1,036,800");
        assert_eq!(count(u64::MAX), "18,446,744,073,709,551,615");
    }

    #[test]
    fn one_has_no_plural() {
        assert_eq!(counted(0, "stop"), "0 stops");
        assert_eq!(counted(1, "stop"), "1 stop");
        assert_eq!(counted(86_400, "stop"), "86,400 stops");
    }
}
