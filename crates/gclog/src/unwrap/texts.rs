//! The quoted texts of a line, whatever the line is written in.
use super::Layer;
use memchr::{memchr, memmem};
use std::borrow::Cow;

/// Each quoted text of an object, a record or a row: `{"log":"…"}`, `{"result": {"_raw": "…"}}`,
/// `{"log"=>"…"}`, `time,host,"…"`, `["…", "…"]`; those of an array have its name. One that is cut short is
/// left out.
pub(super) fn texts(line: &[u8], most: usize) -> Vec<(Layer, Cow<'_, [u8]>)> {
    // In a row a quote is doubled, elsewhere it is escaped.
    let ends_name = |&at: &usize| !line[..at].ends_with(b"\"") && is_name(&line[at + 1..]);
    let is_array = line.trim_ascii_start().starts_with(b"[\"");
    let is_row = !is_array && memchr::memchr_iter(b'"', line).find(ends_name).is_none();
    let is_escaped = !is_row || memmem::find(line, b"\\\"").is_some();
    let (mut found, mut at) = (Vec::new(), 0);
    let mut name = is_array.then_some(Cow::Borrowed(&b""[..]));
    while found.len() < most {
        let Some(quote) = memchr(b'"', &line[at..]) else { break };
        let begin = at + quote + 1;
        let Some((inside, end)) = quoted(&line[begin..], !is_escaped) else { break };
        at = begin + end;
        if is_row {
            found.push((Layer::Quoted(found.len()), inside));
        } else if is_name(&line[at..]) {
            name = Some(inside);
        } else if let Some(name) = &name {
            found.push((Layer::Member(name.as_ref().into()), inside));
        }
    }
    found
}

/// Whether what stands before this is the name of a member.
fn is_name(behind: &[u8]) -> bool {
    let rest = behind.trim_ascii_start();
    rest.starts_with(b":") || rest.starts_with(b"=>")
}

/// The text up to the quote that ends it, and where what follows that begins.
fn quoted(text: &[u8], is_row: bool) -> Option<(Cow<'_, [u8]>, usize)> {
    if is_row {
        return quoted_in_row(text);
    }
    let end = memchr::memchr2(b'"', b'\\', text)?;
    if text[end] == b'"' {
        return Some((Cow::Borrowed(&text[..end]), end + 1));
    }
    let (read, end) = unescaped(text)?;
    Some((Cow::Owned(read), end))
}

fn quoted_in_row(text: &[u8]) -> Option<(Cow<'_, [u8]>, usize)> {
    let mut quotes = memchr::memchr_iter(b'"', text);
    let first = quotes.next()?;
    if text.get(first + 1) != Some(&b'"') {
        return Some((Cow::Borrowed(&text[..first]), first + 1));
    }
    let (mut read, mut at) = (Vec::new(), 0);
    loop {
        let quote = at + memchr(b'"', &text[at..])?;
        read.extend_from_slice(&text[at..quote]);
        at = quote + 1;
        if text.get(at) != Some(&b'"') {
            return Some((Cow::Owned(read), at));
        }
        read.push(b'"');
        at += 1;
    }
}

/// The text up to the quote that ends it. A line end at its end is left out.
fn unescaped(text: &[u8]) -> Option<(Vec<u8>, usize)> {
    let mut read = Vec::with_capacity(text.len());
    let mut rest = text;
    loop {
        rest = match rest {
            [] => return None,
            [b'"', after @ ..] => {
                rest = after;
                break;
            }
            [b'\\', b'u', a, b, c, d, after @ ..] => {
                push_unicode(&mut read, [*a, *b, *c, *d])?;
                after
            }
            [b'\\', escaped, after @ ..] => {
                read.push(match escaped {
                    b'n' => b'\n',
                    b't' => b'\t',
                    b'r' => b'\r',
                    other => *other,
                });
                after
            }
            [byte, after @ ..] => {
                read.push(*byte);
                after
            }
        };
    }
    while matches!(read.last(), Some(b'\n' | b'\r')) {
        read.pop();
    }
    Some((read, text.len() - rest.len()))
}

fn push_unicode(read: &mut Vec<u8>, digits: [u8; 4]) -> Option<()> {
    let code = u32::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?;
    let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    read.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    Some(())
}
