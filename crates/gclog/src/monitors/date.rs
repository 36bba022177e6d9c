//! Dates in the lines of applications.
use crate::{Stamp, date_time::date_time_ns};

/// The date of a line stands within this many bytes, before or behind the report.
const NEAR: usize = 1_024;

/// As HotSpot would print it, in UTC.
const FORM: [u8; 28] = *b"0000-00-00T00:00:00.000+0000";

/// The date before the text, or else behind it, and whether its zone is known.
pub(super) fn stamp(head: &[u8], of_jvm: Option<[u8; 5]>, behind: &[u8]) -> (Stamp, bool) {
    let Some((mut text, zone)) = find(head).or_else(|| find(behind)) else {
        return (Stamp::default(), false);
    };
    let known = zone.or(of_jvm);
    text[23..].copy_from_slice(&known.unwrap_or(*b"+0000"));
    let wall_ns = date_time_ns(&text).or_else(|| date_time_ns(&text[..23]));
    (Stamp { wall_ns, ..Stamp::default() }, known.is_some())
}

/// The first date of a text as HotSpot would print it, and its zone where it has one:
/// `2023-08-25 08:23:33.328+0000`, `2019-06-24 16:47:28,787`, `2019-01-11T17:18:55Z`.
pub(super) fn find(text: &[u8]) -> Option<([u8; 28], Option<[u8; 5]>)> {
    let near = &text[..text.len().min(NEAR)];
    near.windows(19).enumerate().find_map(|(at, seconds)| {
        let is_date =
            seconds[4] == b'-' && seconds[7] == b'-' && matches!(seconds[10], b' ' | b'T');
        if !is_date || seconds[13] != b':' || seconds[16] != b':' {
            return None;
        }
        let mut date = FORM;
        date[..19].copy_from_slice(seconds);
        date[10] = b'T';
        let rest = decimals(&near[at + 19..], &mut date);
        date_time_ns(&date)?;
        Some((date, zone(rest)))
    })
}

/// Takes over what there is of `.328`, and gives what follows it.
fn decimals<'a>(text: &'a [u8], date: &mut [u8; 28]) -> &'a [u8] {
    let [b'.' | b',', digits @ ..] = text else { return text };
    let count = digits.iter().take_while(|it| it.is_ascii_digit()).count();
    let kept = count.min(3);
    date[20..20 + kept].copy_from_slice(&digits[..kept]);
    &digits[count..]
}

/// `+0100`, `+01:00`, `Z`.
fn zone(text: &[u8]) -> Option<[u8; 5]> {
    match text {
        [b'Z', ..] => Some(*b"+0000"),
        [sign @ (b'+' | b'-'), a, b, b':', c, d, ..] | [sign @ (b'+' | b'-'), a, b, c, d, ..] => {
            let zone = [*sign, *a, *b, *c, *d];
            zone[1..].iter().all(u8::is_ascii_digit).then_some(zone)
        }
        _ => None,
    }
}
