//! Amounts as people write them: `1G` bytes, `1%` of the files.
use anyhow::{Context, Result, bail};

/// Reads a number of bytes: digits, and `K`, `M` or `G` behind them for powers of 1024.
///
/// # Errors
///
/// Where it is none.
pub fn bytes(text: &str) -> Result<u64> {
    let (digits, factor) = match text.char_indices().next_back() {
        Some((at, 'K' | 'k')) => (&text[..at], 1 << 10),
        Some((at, 'M' | 'm')) => (&text[..at], 1 << 20),
        Some((at, 'G' | 'g')) => (&text[..at], 1 << 30),
        _ => (text, 1),
    };
    let number: u64 = digits.parse().context("not a number of bytes such as `4M`")?;
    number.checked_mul(factor).context("too many bytes")
}

/// Reads a share: `1%`, `0.5%`. In millionths.
///
/// # Errors
///
/// Where it is none, or more than `100%`.
pub fn share(text: &str) -> Result<u64> {
    let number = text.strip_suffix('%').context("not a share such as `1%`")?;
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    if part.len() > 4 || !part.bytes().all(|it| it.is_ascii_digit()) {
        bail!("a share has at most 4 digits behind the point");
    }
    let whole: u64 = whole.parse().context("not a share such as `1%`")?;
    let part: u64 = format!("{part:0<4}").parse().context("not a share such as `1%`")?;
    let millionths = whole.saturating_mul(10_000).saturating_add(part);
    if millionths > 1_000_000 {
        bail!("a share is at most `100%`");
    }
    Ok(millionths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_a_unit_or_none() {
        let read = |text| bytes(text).ok();
        assert_eq!(read("1G"), Some(1 << 30));
        assert_eq!(read("4M"), Some(4 << 20));
        assert_eq!(read("12k"), Some(12 << 10));
        assert_eq!(read("7"), Some(7));
        assert_eq!([read(""), read("M"), read("1T"), read("99999999999G"), read("-1")], [None; 5]);
    }

    #[test]
    fn a_share_is_at_most_all() {
        let read = |text| share(text).ok();
        assert_eq!(read("1%"), Some(10_000));
        assert_eq!(read("0.5%"), Some(5_000));
        assert_eq!(read("100%"), Some(1_000_000));
        assert_eq!([read("101%"), read("1"), read("%"), read("0.00001%"), read("1.-%")], [None; 5]);
    }
}
