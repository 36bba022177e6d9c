//! Durations in messages, in milliseconds.
use crate::scan::{MILLISECOND_NS, decimal_ns};
use memchr::memchr;
use std::time::Duration;

/// The first word of a message that is a duration in milliseconds.
pub(crate) fn first_ms(text: &[u8]) -> Option<Duration> {
    at_ms(text).map(|(_, duration, _)| duration)
}

/// The word that the text begins with, if it is one of milliseconds, and what follows it.
pub(super) fn ms(text: &[u8]) -> Option<(Duration, &[u8])> {
    match decimal_ns(text, MILLISECOND_NS)? {
        (ns, [b'm', b's', rest @ ..]) => {
            let is_word = !rest.first().is_some_and(u8::is_ascii_alphanumeric);
            is_word.then_some((Duration::from_nanos(ns), rest))
        }
        _ => None,
    }
}

/// What stands before the first word that is a duration in milliseconds, that duration, and what follows
/// it.
///
/// What follows a unit may be anything that cannot be a part of the word, as where a quote or a comma was
/// left there.
pub(crate) fn at_ms(text: &[u8]) -> Option<(&[u8], Duration, &[u8])> {
    let mut at = 0;
    loop {
        if text.get(at)?.is_ascii_digit()
            && let Some((duration, rest)) = ms(&text[at..])
        {
            return Some((&text[..at.saturating_sub(1)], duration, rest));
        }
        at += memchr(b' ', &text[at..])? + 1;
    }
}
