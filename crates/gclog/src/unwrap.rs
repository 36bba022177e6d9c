//! Lines to which a container runtime, syslog or another program has added something in front.
//!
//! A wrapped log is told by its first line of a JVM; until then each line is tried. In a plain log
//! that costs nothing from its first line on. Two layers are taken off, such as the name and the
//! time that `kubectl logs --prefix --timestamps` adds.
use crate::{scan::integer, unified::decorations};
use memchr::{memchr, memmem};
use std::borrow::Cow;

/// How lines may be wrapped.
const FORMS: [Form; 8] = [cri, json, pod, syslog, wrapper, compose, time, anything];

/// What is inside a line of this form; `None` where it is of another.
type Form = fn(&[u8]) -> Option<Cow<'_, [u8]>>;

/// Layers that are taken off.
const MAX_LAYERS: usize = 2;

/// The longest name of a service or host with its padding, in bytes.
const MAX_NAME: usize = 256;

/// What is known of how a log is wrapped.
#[derive(Debug, Default)]
pub(crate) struct Wrapping {
    /// The forms of the layers, the outermost first.
    layers: Option<Vec<Form>>,
}

impl Wrapping {
    /// Whether lines are what the JVM wrote, so that [`unwrap`](Wrapping::unwrap) is needless.
    pub(crate) fn is_plain(&self) -> bool {
        self.layers.as_ref().is_some_and(Vec::is_empty)
    }

    /// A line was understood as it was.
    pub(crate) fn understood(&mut self) {
        self.layers.get_or_insert_default();
    }

    /// What the JVM wrote; the line itself where it is not wrapped like the others.
    pub(crate) fn unwrap<'a>(
        &mut self,
        line: &'a [u8],
        is_of_jvm: impl Fn(&[u8]) -> bool,
    ) -> Cow<'a, [u8]> {
        if let Some(layers) = &self.layers {
            return peel(line, layers).unwrap_or(Cow::Borrowed(line));
        }
        match any(line, is_of_jvm) {
            Some((inside, layers)) => {
                self.layers = Some(layers);
                inside
            }
            None => Cow::Borrowed(line),
        }
    }
}

/// What is inside a line and how it was wrapped, where that is a line of a JVM.
pub(crate) fn any(
    line: &[u8],
    is_of_jvm: impl Fn(&[u8]) -> bool,
) -> Option<(Cow<'_, [u8]>, Vec<Form>)> {
    // As HotSpot decorates a line.
    if matches!(line, [] | [b'[', b'0'..=b'9', ..]) {
        return None;
    }
    let mut layers = Vec::new();
    let mut inside = Cow::Borrowed(line);
    while layers.len() < MAX_LAYERS {
        let form = FORMS.into_iter().find(|form| form(&inside).is_some())?;
        layers.push(form);
        inside = peel(line, &layers)?;
        if is_of_jvm(&inside) {
            return Some((inside, layers));
        }
    }
    None
}

fn peel<'a>(line: &'a [u8], layers: &[Form]) -> Option<Cow<'a, [u8]>> {
    layers.iter().try_fold(Cow::Borrowed(line), |inside, form| match inside {
        Cow::Borrowed(text) => form(text),
        Cow::Owned(text) => form(&text).map(|it| Cow::Owned(it.into_owned())),
    })
}

/// `2024-01-01T00:00:00.000000000Z stdout F …`: the format of Kubernetes' container runtimes.
fn cri(line: &[u8]) -> Option<Cow<'_, [u8]>> {
    let (_, rest) = date_time(line)?;
    let rest = rest.strip_prefix(b"stdout ").or_else(|| rest.strip_prefix(b"stderr "))?;
    match rest {
        [b'F' | b'P', b' ', inside @ ..] => Some(Cow::Borrowed(inside)),
        _ => None,
    }
}

/// `2024-01-01T00:00:00.000000000Z …`: `kubectl logs --timestamps`, `docker logs -t`.
fn time(line: &[u8]) -> Option<Cow<'_, [u8]>> {
    date_time(line).map(|(_, inside)| Cow::Borrowed(inside))
}

/// `[pod/name/container] …`: `kubectl logs --prefix`.
fn pod(line: &[u8]) -> Option<Cow<'_, [u8]>> {
    let name = line.strip_prefix(b"[pod/")?;
    let end = memchr(b']', &name[..name.len().min(MAX_NAME)])?;
    name[end + 1..].strip_prefix(b" ").map(Cow::Borrowed)
}

/// `web_1  | …`: `docker compose logs`.
fn compose(line: &[u8]) -> Option<Cow<'_, [u8]>> {
    let end = memchr(b'|', &line[..line.len().min(MAX_NAME)])?;
    let name = line[..end].strip_suffix(b" ")?.trim_ascii_end();
    let of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_./".contains(byte);
    (!name.is_empty() && name.iter().all(of_name)).then_some(())?;
    line[end + 1..].strip_prefix(b" ").map(Cow::Borrowed)
}

/// `INFO   | jvm 1    | 2024/01/01 00:00:00 | …`: the Java Service Wrapper.
fn wrapper(line: &[u8]) -> Option<Cow<'_, [u8]>> {
    let level = memchr(b'|', &line[..line.len().min(MAX_NAME)])?;
    let rest = line[level + 1..].strip_prefix(b" jvm ")?;
    let jvm = memchr(b'|', &rest[..rest.len().min(MAX_NAME)])?;
    let rest = &rest[jvm + 1..];
    let time = memchr(b'|', &rest[..rest.len().min(MAX_NAME)])?;
    rest[time + 1..].strip_prefix(b" ").map(Cow::Borrowed)
}

/// Whatever stands before the first decoration, such as the name of the file that `grep` found the
/// line in.
fn anything(line: &[u8]) -> Option<Cow<'_, [u8]>> {
    // Of an object that is cut short.
    if line.first() == Some(&b'{') {
        return None;
    }
    let begin = &line[..line.len().min(MAX_NAME)];
    // Legacy records have brackets before digits, too, such as `[1 CMS-initial-mark: …`.
    let decorated = |at: &usize| !decorations::split(&line[*at..]).0.is_empty();
    let brackets = begin.windows(2).enumerate().filter(|(_, two)| two[0] == b'[');
    let digits = brackets.filter(|(_, two)| two[1].is_ascii_digit()).map(|(at, _)| at);
    digits.take(4).find(decorated).map(|at| Cow::Borrowed(&line[at..]))
}

/// `Jan 01 00:00:00 host java[123]: …`, as `journalctl` and syslog daemons write it; the time may
/// be that of ISO 8601.
fn syslog(line: &[u8]) -> Option<Cow<'_, [u8]>> {
    let rest = match date_time(line) {
        Some((_, rest)) => rest,
        None => month_day_time(line)?,
    };
    let host = memchr(b' ', &rest[..rest.len().min(MAX_NAME)])?;
    let tag = &rest[host + 1..];
    let end = memmem::find(&tag[..tag.len().min(MAX_NAME)], b": ")?;
    let name = tag[..end].split(|&byte| byte == b'[').next()?;
    let of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_./@".contains(byte);
    (!name.is_empty() && name.iter().all(of_name)).then_some(Cow::Borrowed(&tag[end + 2..]))
}

/// What follows `Jan 01 00:00:00 ` or `Jan  1 00:00:00.123456 `.
fn month_day_time(line: &[u8]) -> Option<&[u8]> {
    let (month, rest) = line.split_at_checked(3)?;
    month.iter().all(u8::is_ascii_alphabetic).then_some(())?;
    let (_, rest) = integer(rest.trim_ascii_start())?;
    let (_, after_hour) = integer(rest.strip_prefix(b" ")?)?;
    let rest = after_hour.strip_prefix(b":")?;
    let end = memchr(b' ', &rest[..rest.len().min(MAX_NAME)])?;
    Some(&rest[end + 1..])
}

/// A time of ISO 8601 that ends in a space, and what follows it. The legacy form of HotSpot, which
/// ends in a colon, is none.
fn date_time(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let [b'0'..=b'9', _, _, _, b'-', _, _, b'-', _, _, b'T', ..] = line else { return None };
    let end = memchr(b' ', &line[..line.len().min(40)])?;
    let zoned = matches!(line[end - 1], b'Z' | b'0'..=b'9');
    zoned.then(|| (&line[..end], &line[end + 1..]))
}

/// `{"log":"…\n","stream":"stdout",…}` of Docker's `json-file`, and other objects with a text.
fn json(line: &[u8]) -> Option<Cow<'_, [u8]>> {
    const KEYS: [&[u8]; 4] = [b"\"log\":\"", b"\"message\":\"", b"\"MESSAGE\":\"", b"\"msg\":\""];
    if line.first() != Some(&b'{') {
        return None;
    }
    let key = |key: &&[u8]| memmem::find(line, key).map(|at| at + key.len());
    let text = &line[KEYS.iter().find_map(key)?..];
    let end = memchr::memchr2(b'"', b'\\', text)?;
    if text[end] == b'"' {
        return Some(Cow::Borrowed(&text[..end]));
    }
    Some(Cow::Owned(unescaped(text)?))
}

/// The text up to the quote that ends it. A line end at its end is left out.
fn unescaped(text: &[u8]) -> Option<Vec<u8>> {
    let mut read = Vec::with_capacity(text.len());
    let mut rest = text;
    loop {
        rest = match rest {
            [] => return None,
            [b'"', ..] => break,
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
    Some(read)
}

fn push_unicode(read: &mut Vec<u8>, digits: [u8; 4]) -> Option<()> {
    let code = u32::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?;
    let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    read.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, wanted: &str) {
        let is_of_jvm =
            |text: &[u8]| text.starts_with(b"[0.003s]") || text.starts_with(b"1.234: [GC");
        let inside = any(line.as_bytes(), is_of_jvm).map(|(inside, _)| inside.into_owned());
        let text = inside.map_or("none".into(), |it| String::from_utf8_lossy(&it).into_owned());
        assert_eq!(text, wanted, "{line}");
    }

    #[test]
    fn what_puts_something_before_a_line() {
        let line = "[0.003s][info][gc] Using G1";
        check(&format!("2024-01-01T00:00:00.000000000Z stdout F {line}"), line);
        check(&format!("2024-01-01T00:00:00.000000000+02:00 stderr F {line}"), line);
        check(&format!("2024-01-01T00:00:00.000000000Z {line}"), line);
        check(&format!("web_1  | {line}"), line);
        check(&format!("web-1 | {line}"), line);
        check(&format!("[pod/app-7d/jvm] {line}"), line);
        check(&format!("[pod/app-7d/jvm] 2024-01-01T00:00:00.000000000Z {line}"), line);
        check(&format!("Jan 01 00:00:00 host java[123]: {line}"), line);
        check(&format!("Jan  1 00:00:00.123456 host app.service: {line}"), line);
        check(&format!("2024-01-01T00:00:00+0000 host java[123]: {line}"), line);
        check("Jan 01 00:00:00 host java[123]: 1.234: [GC 1K", "1.234: [GC 1K");
        check(&format!("INFO   | jvm 1    | 2024/01/01 00:00:00 | {line}"), line);
        check(&format!("logs/gc.log:12:{line}"), line);
    }

    #[test]
    fn json_is_unescaped() {
        check(
            r#"{"log":"[0.003s][info][gc] GC(0) 3M-\u003e2M\n","stream":"stdout","time":"2024"}"#,
            "[0.003s][info][gc] GC(0) 3M->2M",
        );
        check(r#"{"level":"info","message":"[0.003s] x \"a\" \\"}"#, "[0.003s] x \"a\" \\");
        check(r#"{"log":"[0.003s] cut"#, "none");
        check(r#"{"log":"[0.003s] cut\u00"#, "none");
    }

    #[test]
    fn other_lines_are_not_wrapped() {
        check("[0.003s][info][gc] a | b", "none");
        check("2024-01-01T00:00:00.123+0000: 1.234: [GC 1K", "none");
        check("Exception in thread main: [GC", "none");
        check("", "none");
    }

    #[test]
    fn once_told_every_line_is_unwrapped() {
        let mut wrapping = Wrapping::default();
        let mut unwrap = |line: &str| {
            let inside = wrapping.unwrap(line.as_bytes(), |text| text.starts_with(b"[0"));
            String::from_utf8_lossy(&inside).into_owned()
        };
        assert_eq!(unwrap("web_1 | hello"), "web_1 | hello", "it is not known yet");
        assert_eq!(unwrap("web_1 | [0.1s] x"), "[0.1s] x");
        assert_eq!(unwrap("web_1 | hello"), "hello");
        assert_eq!(unwrap("foreign"), "foreign");
    }
}
