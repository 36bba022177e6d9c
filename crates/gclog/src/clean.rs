//! Lines as the JVM wrote them: what terminals, editors and pasting add is taken off once, before
//! anything looks at a line.
//!
//! Trailing blanks and carriage returns, a byte order mark, and escape sequences of colours are removed;
//! several lines joined into one, by a carriage return or by nothing at all, are separated.
use crate::{
    dates::Dates,
    stamp::Stamp,
    unified::{self, decorations},
};
use memchr::{memchr, memchr2, memmem};
use std::borrow::Cow;

/// What introduces an escape sequence.
const ESCAPE: &[u8] = b"\x1b";

/// How syslog daemons and `cat -v` write it.
const ESCAPE_AS_TEXT: [&[u8]; 2] = [b"#033", b"^["];

/// The text without blanks at its end, and without a byte order mark and zeros at its begin, which file
/// systems put there after a crash.
#[inline]
pub(crate) fn ends(line: &[u8]) -> &[u8] {
    let line = match line {
        [0xef, 0xbb, 0xbf, rest @ ..] => rest,
        _ => line,
    };
    match line {
        [0, ..] | [.., 0..=b' '] => {
            let begin = line.iter().position(|&byte| byte != 0).unwrap_or(line.len());
            let end = line.iter().rposition(|&byte| byte > b' ').map_or(begin, |at| at + 1);
            &line[begin..end.max(begin)]
        }
        _ => line,
    }
}

/// Whether [`plain`] and [`at_returns`] would find something.
#[inline]
pub(crate) fn is_dirty(text: &[u8]) -> bool {
    memchr2(b'\r', 0x1b, text).is_some()
}

/// Number of bytes that the compiler compares in one step.
const STEP: usize = 16;

/// Whether the message of a decorated line may have escape sequences, or may be several: whether
/// [`is_dirty`] or [`glued`] might be true.
///
/// Each line is asked, and few are longer than some steps: they are faster than to call a search.
#[inline]
pub(crate) fn may_be_more(message: &[u8]) -> bool {
    let of_byte = |byte: u8| u8::from(byte < b' ') | u8::from(byte == b'[');
    let of_step = |step: &[u8; STEP]| u128::from_ne_bytes(step.map(of_byte)) != 0;
    match message.last_chunk() {
        Some(last) => of_step(last) || message.as_chunks().0.iter().any(of_step),
        None => message.iter().any(|&byte| of_byte(byte) != 0),
    }
}

/// Whether the message of a decorated line is neither dirty nor several.
pub(crate) fn is_one(message: &[u8]) -> bool {
    !is_dirty(message) && glued(message).is_none()
}

/// The text without escape sequences.
pub(crate) fn plain(text: &[u8]) -> Cow<'_, [u8]> {
    without(text, |text| memchr(ESCAPE[0], text).map(|at| (at, ESCAPE.len())))
}

/// The text without sequences of colours whose escape was written out; `None` where it has none.
pub(crate) fn plain_of_text(text: &[u8]) -> Option<Cow<'_, [u8]>> {
    let plain = without(text, |text| {
        let of = |it: &&[u8]| {
            let mut found = memmem::find_iter(text, it);
            found.find(|at| is_colour(&text[at + it.len()..])).map(|at| (at, it.len()))
        };
        ESCAPE_AS_TEXT.iter().filter_map(of).min()
    });
    matches!(plain, Cow::Owned(_)).then_some(plain)
}

/// `next` finds where a sequence begins, and how long its introducer is.
fn without(text: &[u8], next: impl Fn(&[u8]) -> Option<(usize, usize)>) -> Cow<'_, [u8]> {
    let Some(mut found) = next(text) else { return Cow::Borrowed(text) };
    let (mut kept, mut rest) = (Vec::with_capacity(text.len()), text);
    loop {
        let (at, introducer) = found;
        kept.extend_from_slice(&rest[..at]);
        rest = behind_sequence(&rest[at + introducer..]);
        match next(rest) {
            Some(it) => found = it,
            None => break,
        }
    }
    kept.extend_from_slice(rest);
    Cow::Owned(kept)
}

/// `[32m` or `[1;31m`.
fn is_colour(text: &[u8]) -> bool {
    let Some(inside) = text.strip_prefix(b"[") else { return false };
    let end = inside.iter().position(|byte| !byte.is_ascii_digit() && *byte != b';');
    end.is_some_and(|end| matches!(inside[end], b'm' | b'K'))
}

/// What follows a sequence whose introducer was taken off: `[`, parameters and a letter; anything up to
/// a bell of a title; or one letter.
fn behind_sequence(text: &[u8]) -> &[u8] {
    match text {
        [b'[', inside @ ..] => {
            let end = inside.iter().position(|byte| (b'@'..=b'~').contains(byte));
            &inside[end.map_or(inside.len(), |end| end + 1)..]
        }
        [b']', inside @ ..] => &inside[memchr(7, inside).map_or(inside.len(), |end| end + 1)..],
        [_, rest @ ..] => rest,
        [] => text,
    }
}

/// The lines between returns and line ends, without the empty ones.
pub(crate) fn at_returns(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = text.split(|byte| matches!(byte, b'\r' | b'\n')).map(ends);
    lines.filter(|line| !line.is_empty())
}

/// Where in the message of a decorated line the decorations of another line begin, which was glued to it.
///
/// The message is searched only where it has a bracket, as few have. A bracket with a time may be a part
/// of a message, as in `spent [760ms] collecting`; so decorations are several, or a known message follows.
#[inline]
pub(crate) fn glued(message: &[u8]) -> Option<usize> {
    let first = memchr(b'[', message)?;
    glued_from(message, first)
}

#[cold]
fn glued_from(message: &[u8], first: usize) -> Option<usize> {
    let brackets = memchr::memchr_iter(b'[', &message[first..]).map(|at| first + at);
    let mut digits = brackets.filter(|at| message.get(at + 1).is_some_and(u8::is_ascii_digit));
    digits.find(|&at| {
        let (found, text) = decorations::split(&message[at..]);
        let is_spaced = message[at + found.len()..].starts_with(b" ");
        let stamp = decorations::stamp(found, &mut Dates::default());
        let is_known =
            || unified::is_known_text(text) || matches!(unified::read(text), Ok(Some(_)));
        is_spaced
            && !text.is_empty()
            && stamp != Stamp::default()
            && (memmem::find(found, b"][").is_some() || is_known())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_plain(text: &str, wanted: &str) {
        assert_eq!(String::from_utf8_lossy(&plain(text.as_bytes())), wanted);
    }

    #[test]
    fn blanks_at_the_end_and_marks_at_the_begin() {
        assert_eq!(ends(b"a b \t\r\r"), b"a b");
        assert_eq!(ends(b"\xef\xbb\xbfa"), b"a");
        assert_eq!(ends(b"\0\0a"), b"a");
        assert_eq!(ends(b" \0 "), b"");
        assert_eq!(ends(b"  a"), b"  a");
        assert_eq!(ends(b""), b"");
    }

    #[test]
    fn escape_sequences_are_no_text() {
        check_plain("\x1b[32m[0.1s] x\x1b[0m", "[0.1s] x");
        check_plain("\x1b]0;title\x07[0.1s] x\x1b[1;31my\x1b[K", "[0.1s] xy");
        check_plain("cut \x1b[3", "cut ");
        check_plain("cut \x1b", "cut ");
    }

    #[test]
    fn escape_sequences_may_be_written_out() {
        let of_text = |text: &str| {
            plain_of_text(text.as_bytes()).map(|it| String::from_utf8_lossy(&it).into_owned())
        };
        assert_eq!(of_text("#033[32m[0.1s] x#033[0m"), Some("[0.1s] x".into()));
        assert_eq!(of_text("^[[32m[0.1s] x^[[0m"), Some("[0.1s] x".into()));
        assert_eq!(of_text("item #0331 and ^[ stay"), None);
    }

    #[test]
    fn whether_a_message_may_be_more_is_seen_at_any_of_its_bytes() {
        for length in 0..50 {
            let mut message = vec![b'x'; length];
            assert!(!may_be_more(&message));
            for at in 0..length {
                for suspect in [b'[', b'\r', 0x1b] {
                    message[at] = suspect;
                    assert!(may_be_more(&message), "{length} {at}");
                }
                message[at] = b' ';
            }
        }
    }

    #[test]
    fn a_return_ends_a_line() {
        let lines: Vec<&[u8]> = at_returns(b"a\r\r\nb \rc\r").collect();
        assert_eq!(lines, [&b"a"[..], b"b", b"c"]);
    }

    #[test]
    fn a_line_that_was_glued_to_another_shows_by_its_time() {
        let glued = |text: &str| glued(text.as_bytes());
        assert_eq!(glued("GC(0) Pause Full 1.0ms[2.200s][info][gc] GC(1) x"), Some(22));
        assert_eq!(
            glued("Leaving safepoint region[2026-09-22T10:31:59.077-0500][1ms] x"),
            Some(24)
        );
        assert_eq!(glued("GC(0) 1.0ms [2.200s] GC(1) Pause Remark"), Some(12));
        assert_eq!(glued("spent [760ms] collecting in the last [1s] of it"), None);
        // no time, nothing behind it, or no bracket
        assert_eq!(glued("table [12] of [3][4] x"), None);
        assert_eq!(glued("ends at [2.200s]"), None);
        assert_eq!(glued("Using G1"), None);
    }
}
