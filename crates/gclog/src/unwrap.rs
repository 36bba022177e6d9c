//! Lines to which a container runtime, syslog or another program has added something: another way of
//! wrapping is read here, what is glued to a line itself by `clean.rs`.
//!
//! A wrapped log is recognized by its first line of a JVM; until then each line is tried. In a plain log
//! that costs nothing from its first line on. Several layers are removed, such as the name and the
//! time that `kubectl logs --prefix --timestamps` adds.
//!
//! What an object, a record or a table holds is found by its content and not by its name: whichever of
//! its texts is a line of a JVM. Its name, or its place, is kept for the lines that follow, some of which
//! are none by themselves.
mod texts;

use self::texts::texts;
use crate::{clean, scan::integer, unified::decorations};
use memchr::{memchr, memmem};
use std::borrow::Cow;

/// How lines may be wrapped, the most particular first.
const FORMS: [(Form, &str); 11] = [
    (cri, "a container runtime's"),
    (pod, "kubectl's"),
    (syslog, "syslog's"),
    (wrapper, "the Java Service Wrapper's"),
    (compose, "docker compose's"),
    (time, "with a time before them"),
    (bracketed, "with a time in brackets before them"),
    (labels, "Loki's"),
    (colours, "with colours"),
    (grep, "grep's"),
    (anything, "with text before them"),
];

/// [`anything`] among [`FORMS`], the last that is tried.
const ANYTHING: usize = FORMS.len() - 1;

/// What is inside a line of this form; `None` where it is of another.
type Form = fn(&[u8]) -> Option<Cow<'_, [u8]>>;

/// One thing that was put around a line.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Layer {
    /// One of [`FORMS`].
    Form(usize),
    /// The text with this name in an object, which may be inside another.
    Member(Box<[u8]>),
    /// The quoted text at this place of a line, counted from 0.
    Quoted(usize),
}

/// Layers that are taken off.
const MAX_LAYERS: usize = 3;

/// The longest name of a service or host with its padding, in bytes.
const MAX_NAME: usize = 256;

/// Texts of an object that are looked at.
const MAX_TEXTS: usize = 64;

/// What is known of how a log is wrapped.
#[derive(Debug, Default)]
pub(crate) struct Wrapping {
    /// The outermost first.
    layers: Option<Vec<Layer>>,
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
        let peeled = self.layers.as_ref().map(|layers| peel(line, layers));
        if let Some(Some(inside)) = peeled {
            return inside;
        }
        // The first one of this log, or one that is wrapped in another way.
        if peeled.is_some() && !may_be_of_jvm(line) {
            return Cow::Borrowed(line);
        }
        match any(line, is_of_jvm) {
            Some((inside, layers)) => {
                self.layers = Some(layers);
                inside
            }
            None => Cow::Borrowed(line),
        }
    }

    /// How the lines were wrapped, the outermost layer first: words that follow "the lines are".
    pub(crate) fn said(&self) -> Vec<String> {
        let each = self.layers.iter().flatten();
        let said = each.map(|layer| match layer {
            Layer::Form(at) => FORMS[*at].1.to_owned(),
            Layer::Member(name) => format!("in `{}` of objects", String::from_utf8_lossy(name)),
            Layer::Quoted(_) => "in quotes".to_owned(),
        });
        said.collect()
    }
}

/// A quick look, for logs of applications in which few lines are a JVM's.
fn may_be_of_jvm(line: &[u8]) -> bool {
    [&b"GC"[..], b"Pause ", b"afepoint"].iter().any(|it| memmem::find(line, it).is_some())
}

/// What is inside a line and how it was wrapped, where that is a line of a JVM.
fn any(line: &[u8], is_of_jvm: impl Fn(&[u8]) -> bool) -> Option<(Cow<'_, [u8]>, Vec<Layer>)> {
    // As HotSpot decorates a line.
    let is_plain = matches!(line, [] | [b'[', b'0'..=b'9', ..]);
    if is_plain && !is_record(line) && !bracketed(line).is_some_and(|it| is_of_jvm(&it)) {
        return None;
    }
    let mut layers = Vec::new();
    search(line, &is_of_jvm, &mut layers).then_some(())?;
    let inside = peel(line, &layers)?;
    Some((inside, layers))
}

/// What is inside a line, where that is a line of a JVM.
pub(crate) fn inside_of(line: &[u8], is_of_jvm: impl Fn(&[u8]) -> bool) -> Option<Cow<'_, [u8]>> {
    any(line, is_of_jvm).map(|(inside, _)| inside)
}

/// `[0] name: [[1.0, {}], {"log"=>"…"}]` of fluent-bit begins as a decoration does.
fn is_record(line: &[u8]) -> bool {
    memmem::find(&line[..line.len().min(MAX_NAME)], b": [").is_some()
}

/// Finds the layers around a line of a JVM; whether there are some.
fn search(line: &[u8], is_of_jvm: &impl Fn(&[u8]) -> bool, layers: &mut Vec<Layer>) -> bool {
    if layers.len() == MAX_LAYERS {
        return false;
    }
    let mut quoted = Vec::new();
    if line.len() > 1 && line.contains(&b'"') {
        quoted = texts(line, MAX_TEXTS);
    }
    for (layer, inside) in quoted.into_iter().chain(forms(line)) {
        layers.push(layer);
        if is_of_jvm(&inside) {
            search_deeper(&inside, is_of_jvm, layers);
            return true;
        }
        if search(&inside, is_of_jvm, layers) {
            return true;
        }
        layers.pop();
    }
    false
}

/// Finds further layers around a line that is known without taking them off, as legacy lines are known
/// by what stands within them.
fn search_deeper(line: &[u8], is_of_jvm: &impl Fn(&[u8]) -> bool, layers: &mut Vec<Layer>) {
    if layers.len() == MAX_LAYERS {
        return;
    }
    let all = texts(line, MAX_TEXTS).into_iter().chain(forms(line));
    let mut particular = all.filter(|(layer, _)| *layer != Layer::Form(ANYTHING));
    if let Some((layer, inside)) = particular.find(|(_, inside)| is_of_jvm(inside)) {
        layers.push(layer);
        search_deeper(&inside, is_of_jvm, layers);
    }
}

fn forms(line: &[u8]) -> impl Iterator<Item = (Layer, Cow<'_, [u8]>)> {
    let each = FORMS.iter().enumerate();
    each.filter_map(|(at, (form, _))| Some((Layer::Form(at), form(line)?)))
}

fn peel<'a>(line: &'a [u8], layers: &[Layer]) -> Option<Cow<'a, [u8]>> {
    layers.iter().try_fold(Cow::Borrowed(line), |inside, layer| match inside {
        Cow::Borrowed(text) => layer.inside(text),
        Cow::Owned(text) => layer.inside(&text).map(|it| Cow::Owned(it.into_owned())),
    })
}

impl Layer {
    fn inside<'a>(&self, text: &'a [u8]) -> Option<Cow<'a, [u8]>> {
        match self {
            Layer::Form(at) => FORMS[*at].0(text),
            wanted => {
                let texts = texts(text, usize::MAX).into_iter();
                let mut found =
                    texts.filter(|(layer, _)| layer == wanted).map(|(_, inside)| inside);
                let first = found.next()?;
                // Those of an array are lines of their own.
                Some(
                    found
                        .fold(first, |all, next| Cow::Owned([&all[..], b"\n", &next[..]].concat())),
                )
            }
        }
    }
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

/// `[2024-01-01T00:00:00.000Z] …` before stamps or decorations, as build servers write it. A decoration of
/// HotSpot is followed by a message.
fn bracketed(line: &[u8]) -> Option<Cow<'_, [u8]>> {
    let date = line.strip_prefix(b"[")?;
    let [b'0'..=b'9', _, _, _, b'-', _, _, b'-', _, _, b'T' | b' ', ..] = date else { return None };
    let end = memmem::find(&date[..date.len().min(40)], b"] ")?;
    let rest = &date[end + 2..];
    matches!(rest, [b'[' | b'0'..=b'9', ..]).then_some(Cow::Borrowed(rest))
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
    let of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_./@".contains(byte);
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

/// `gc.log:…`, `12:…`, `gc.log:12:…`: the name of the file and the number of the line, of which one is
/// taken off. The legacy form of a time, `1.234: …`, is none.
fn grep(line: &[u8]) -> Option<Cow<'_, [u8]>> {
    let end = memchr(b':', &line[..line.len().min(MAX_NAME)])?;
    let (name, rest) = (&line[..end], &line[end + 1..]);
    let is_number = !name.is_empty() && name.iter().all(u8::is_ascii_digit);
    let is_file = name.iter().any(u8::is_ascii_alphabetic)
        && name.iter().any(|byte| b"./".contains(byte))
        && !name.iter().any(|byte| b" \"[]{}()|".contains(byte));
    // A line of blanks and text is one, too.
    let of_number = is_number && (!rest.starts_with(b" ") || rest.starts_with(b"  "));
    (of_number || is_file).then_some(Cow::Borrowed(rest))
}

/// Whatever stands before the first decoration, such as the name of a host.
fn anything(line: &[u8]) -> Option<Cow<'_, [u8]>> {
    // Of an object that is cut short.
    if matches!(line.trim_ascii_start(), [b'{', b'"', ..]) {
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
    // A legacy line whose date ends in a colon.
    (!rest[..host].ends_with(b":")).then_some(())?;
    let tag = &rest[host + 1..];
    let end = memmem::find(&tag[..tag.len().min(MAX_NAME)], b": ")?;
    let name = tag[..end].split(|&byte| byte == b'[').next()?;
    let of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_./@".contains(byte);
    let is_name = name.iter().all(of_name) && name.iter().any(u8::is_ascii_alphabetic);
    is_name.then_some(Cow::Borrowed(&tag[end + 2..]))
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

/// `{app="orders", pod="orders-0"} …`: lines of Loki with their labels.
fn labels(line: &[u8]) -> Option<Cow<'_, [u8]>> {
    let inside = line.strip_prefix(b"{")?;
    inside.first().is_some_and(u8::is_ascii_alphabetic).then_some(())?;
    let end = memmem::find(inside, b"\"}")?;
    let rest = inside[end + 2..].trim_ascii_start();
    (!rest.is_empty()).then_some(Cow::Borrowed(rest))
}

/// Escape sequences, as they are inside an object or where they were written out.
fn colours(line: &[u8]) -> Option<Cow<'_, [u8]>> {
    match clean::plain(line) {
        Cow::Owned(plain) => Some(Cow::Owned(plain)),
        Cow::Borrowed(_) => clean::plain_of_text(line),
    }
}

#[cfg(test)]
mod tests;
