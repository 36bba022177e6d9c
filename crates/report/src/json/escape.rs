//! JSON by RFC 8259, in which no string contains a terminal control.
use crate::clean::misleads;
use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter, PrettyFormatter, Serializer};
use std::io::{self, Write};

/// Number of characters kept of a string from elsewhere; an ellipsis follows.
const MOST_CHARS: usize = 16_384;

/// Writes a document, indented, with a line end.
///
/// What a terminal obeys and what reorders text is escaped, also where JSON does not demand it:
/// a parser yields the same value. A string longer than 16,384 characters is cut there and
/// ends in `…`.
///
/// # Errors
///
/// Those of `out`, and of a value that has no form in JSON.
pub fn write_document<T: Serialize>(document: &T, out: &mut dyn Write) -> io::Result<()> {
    let formatter = Escaping::new(PrettyFormatter::new());
    document.serialize(&mut Serializer::with_formatter(&mut *out, formatter))?;
    out.write_all(b"\n")
}

/// The same as text.
///
/// # Panics
///
/// As [`on_one_line`].
pub(crate) fn text<T: Serialize>(document: &T) -> String {
    let mut out = Vec::new();
    write_document(document, &mut out).expect("strings and numbers serialise, and a Vec takes all");
    String::from_utf8(out).expect("JSON is UTF-8")
}

/// The same on one line, without a line end.
///
/// # Panics
///
/// Where a value has no form in JSON, which none of this crate's shapes has.
pub(crate) fn on_one_line<T: Serialize>(document: &T) -> String {
    let mut out = Vec::new();
    let formatter = Escaping::new(CompactFormatter);
    let written = document.serialize(&mut Serializer::with_formatter(&mut out, formatter));
    written.expect("memory takes all, and each key is a string");
    String::from_utf8(out).expect("JSON is UTF-8")
}

/// Escapes more than JSON demands, and cuts strings.
struct Escaping<F> {
    layout: F,
    /// How many characters the string under way may still have.
    left: usize,
    units: [u16; 2],
}

impl<F> Escaping<F> {
    fn new(layout: F) -> Escaping<F> {
        Escaping { layout, left: MOST_CHARS, units: [0; 2] }
    }

    /// Whether one more character of the string has room; says once where it ends.
    fn has_room<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<bool> {
        match self.left {
            0 => return Ok(false),
            1 => out.write_all("…".as_bytes())?,
            _ => {}
        }
        self.left -= 1;
        Ok(self.left > 0)
    }
}

impl<F: Formatter> Formatter for Escaping<F> {
    fn begin_string<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        // One more, in whose place the ellipsis stands.
        self.left = MOST_CHARS + 1;
        self.layout.begin_string(out)
    }

    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut written = 0;
        for (at, c) in fragment.char_indices() {
            if self.left == 0 {
                return Ok(());
            }
            if !misleads(c) && self.left > 1 {
                self.left -= 1;
                continue;
            }
            out.write_all(&fragment.as_bytes()[written..at])?;
            if !self.has_room(out)? {
                return Ok(());
            }
            for unit in c.encode_utf16(&mut self.units) {
                write!(out, "\\u{unit:04x}")?;
            }
            written = at + c.len_utf8();
        }
        out.write_all(&fragment.as_bytes()[written..])
    }

    fn write_char_escape<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        escape: CharEscape,
    ) -> io::Result<()> {
        if self.has_room(out)? { self.layout.write_char_escape(out, escape) } else { Ok(()) }
    }

    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.layout.begin_array(out)
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.layout.end_array(out)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.layout.begin_array_value(out, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.layout.end_array_value(out)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.layout.begin_object(out)
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.layout.end_object(out)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.layout.begin_object_key(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.layout.begin_object_value(out)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.layout.end_object_value(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> String {
        let mut out = Vec::new();
        write_document(&[text], &mut out).expect("a Vec takes all");
        String::from_utf8(out).expect("UTF-8")
    }

    fn parsed(json: &str) -> String {
        let [text] = serde_json::from_str::<[String; 1]>(json).expect("valid JSON");
        text
    }

    #[test]
    fn what_a_terminal_obeys_is_escaped_and_keeps_its_value() {
        let text = "a\u{9b}2J\u{202e}b\u{e0041}\"\\\u{1b}\u{7f}é 😀\u{2028}";
        let json = written(text);
        assert_eq!(parsed(&json), text);
        assert!(!json.chars().any(|c| misleads(c) && c != '\n'), "{json:?}");
        assert!(json.contains(r"\u009b") && json.contains(r"\udb40\udc41"), "{json}");
    }

    #[test]
    fn both_sides_of_the_longest_string() {
        for unit in ["x", "é", "\u{202e}", "\n", "a\u{9b}"] {
            let chars = unit.chars().count();
            let whole = unit.repeat(MOST_CHARS / chars);
            assert_eq!(parsed(&written(&whole)), whole, "{unit:?}");
            let longer = unit.repeat(900_000);
            let cut: String = longer.chars().take(MOST_CHARS).chain(['…']).collect();
            assert_eq!(parsed(&written(&longer)), cut, "{unit:?}");
        }
    }
}
