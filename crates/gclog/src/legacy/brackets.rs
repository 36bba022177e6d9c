//! Walks over the brackets of a line, wherever the record that they belong to began.
//!
//! HotSpot opens a bracket when something begins and closes it with the duration when it ends. In
//! between it, or another of its threads, may print anything, line ends included. So there are no
//! patterns of lines here but a stack of open brackets that lives from line to line.
use super::{
    Legacy, Out,
    find::{find, has},
    frames::{Frame, frame},
    record::{Head, Record},
    safepoint::stop_length,
    sizes::{closing_seconds, number_start, occupancy, transition},
    stamps::Prefix,
};
use crate::{
    Collector, YoungKind,
    scan::{name, parenthesised},
    unified::STOPPED,
};
use memchr::{memchr, memchr2, memchr3};

/// The longest GC cause looked for, in bytes. The longest of JDK 8 has 36.
const MAX_CAUSE: usize = 128;

impl Legacy {
    /// Reads a line from `from` on. Whether anything in it was of use.
    pub(super) fn scan(&mut self, line: &[u8], from: usize, out: Out<'_>) -> bool {
        let (mut at, mut used) = (from, false);
        while let Some(found) = memchr2(b'[', b']', &line[at..]) {
            if line[at] == b':'
                && let Some(next) = self.tail(line, at, out)
            {
                (at, used) = (next, true);
                continue;
            }
            let bracket = at + found;
            let text = &line[at..bracket];
            if line[bracket] == b'[' {
                used |= self.text(text, out);
                let (next, opened) = self.open(line, bracket, out);
                (at, used) = (next, used | opened);
            } else {
                used |= self.close(text, &line[bracket + 1..], out);
                at = bracket + 1;
            }
        }
        used | self.text(&line[at..], out)
    }

    /// Reads a line that begins with stamps and the record they belong to, while none is open. Such
    /// a line needs no search for them. Whether it was one.
    pub(super) fn leading_record(&mut self, line: &[u8], out: Out<'_>) -> bool {
        if self.outer.is_some() || !self.reads_whole_lines() {
            return false;
        }
        let Some((prefix, [b'[', name @ ..])) = self.stamps.leading(line) else { return false };
        let Some((head, length)) = record_head(name) else { return false };
        self.lost_begin = false;
        let after = line.len() - name.len() + length;
        let next = self.begin_at(prefix, line, head, after, out);
        self.scan(line, next, out);
        true
    }

    /// A bracket opens at `at`. Where to go on, and whether it is known.
    fn open(&mut self, line: &[u8], at: usize, out: Out<'_>) -> (usize, bool) {
        let name = &line[at + 1..];
        if let Some(end) = self.references(line, at) {
            return (end, true);
        }
        if let Some((head, length)) = record_head(name) {
            return (self.begin(line, at, head, at + 1 + length, out), true);
        }
        if name.starts_with(b"Times: ") {
            let (text, end) = inside(line, at);
            return (end, self.times(text, out));
        }
        if name.starts_with(b"0x") {
            return (line.len().min(at + 1 + inside(line, at).0.len()), false);
        }
        if let Some(end) = self.concurrent(line, at, out) {
            return (end, true);
        }
        if let Some(end) = self.detail(line, at) {
            return (end, true);
        }
        if self.outer.is_none() {
            return (at + 1, false);
        }
        let frame = frame(name);
        self.enter(frame, name);
        self.frames.push(frame);
        (at + 1, frame != Frame::Other)
    }

    /// A record begins. Where to go on.
    fn begin(&mut self, line: &[u8], at: usize, head: Head, after: usize, out: Out<'_>) -> usize {
        let prefix = self.stamps.before(line, at);
        self.begin_at(prefix, line, head, after, out)
    }

    /// A record begins, behind stamps that have been read.
    fn begin_at(
        &mut self,
        prefix: Prefix,
        line: &[u8],
        head: Head,
        after: usize,
        out: Out<'_>,
    ) -> usize {
        let (cause, after) = cause(line, after);
        self.begin_record(head, cause.as_deref());
        let record = Record::new(head, prefix, cause);
        let is_inner = self.inner.is_none()
            && self.outer.as_ref().is_some_and(|it| it.may_contain(head, prefix.start > 0));
        if is_inner {
            self.inner = Some(record);
        } else {
            self.abandon();
            self.release_held(out);
            self.outer = Some(record);
        }
        self.frames.push(Frame::Record);
        after
    }

    /// Notes what the begin of a record says about the log.
    pub(super) fn begin_record(&mut self, head: Head, cause: Option<&str>) {
        if matches!(head, Head::Pause | Head::Remark | Head::Cleanup) {
            self.collector = Some(Collector::G1);
        } else if cause.is_some_and(|it| it.starts_with("CMS ")) {
            self.collector = Some(Collector::Cms);
        }
        self.active = true;
    }

    /// Notes what the begin of a part says about its record.
    fn enter(&mut self, frame: Frame, name: &[u8]) {
        let Some(record) = self.inner.as_mut().or(self.outer.as_mut()) else { return };
        record.enter(frame, name);
        self.learn_collector(frame, name);
    }

    /// Generations have names of their own in each collector. `ParNew` and `DefNew` serve two, and
    /// then the old generation tells.
    pub(super) fn learn_collector(&mut self, frame: Frame, name: &[u8]) {
        let Frame::Space(_) = frame else { return };
        match name {
            [b'P', b'S', ..] | [b'P', b'a', b'r', b'O', ..] => {
                self.collector = Some(Collector::Parallel);
            }
            [b'C', ..] | [b'1', ..] | [b'A', b'S', ..] => self.collector = Some(Collector::Cms),
            [b'P', b'a', ..] if self.collector.is_none() => self.collector = Some(Collector::Cms),
            [b'T', ..] => self.collector = Some(Collector::Serial),
            [b'D', ..] if self.collector.is_none() => self.collector = Some(Collector::Serial),
            _ => {}
        }
    }

    /// A bracket closes behind `text`; `after` is the rest of the line.
    fn close(&mut self, text: &[u8], after: &[u8], out: Out<'_>) -> bool {
        let used = self.text(text, out);
        let duration = closing_seconds(text);
        let Some(frame) = self.frames.top() else {
            self.lost_begin |= duration.is_some() && has(text, b"->");
            return used;
        };
        // CPU times follow a record, never one of its parts: a bracket was lost.
        let is_end = frame == Frame::Record || after.starts_with(b" [Times: ");
        if let Some(duration) = duration.filter(|_| is_end) {
            self.frames.pop_record();
            self.finish_record(duration, out);
            return true;
        }
        // A generation ends with its sizes or its time, and a record with its time: this bracket
        // is one of another text.
        let is_torn = matches!(frame, Frame::Space(_)) && !used && duration.is_none();
        if frame == Frame::Record || is_torn {
            return used;
        }
        self.frames.pop();
        let Some(record) = self.inner.as_mut().or(self.outer.as_mut()) else { return used };
        match frame {
            Frame::Reference(kind) => record.reference(kind, text, duration),
            _ => record.leave(frame, duration),
        }
        true
    }

    /// Text between brackets: sizes and remarks in parentheses.
    #[inline]
    fn text(&mut self, text: &[u8], out: Out<'_>) -> bool {
        // Most is too short for a stop to be in it.
        if text.len() > STOPPED.len() { self.long_text(text, out) } else { self.plain_text(text) }
    }

    /// Text in which a stop may be.
    fn long_text(&mut self, text: &[u8], out: Out<'_>) -> bool {
        let (mut text, mut used) = (text, false);
        while text.len() > STOPPED.len()
            && let Some(at) = find(text, STOPPED)
        {
            used |= self.plain_text(&text[..at]);
            used |= self.stopped(text, at, out);
            text = &text[at + stop_length(&text[at..])..];
        }
        used | self.plain_text(text)
    }

    #[inline]
    fn plain_text(&mut self, text: &[u8]) -> bool {
        // Sizes and remarks are not inside other parts.
        let Some(frame @ (Frame::Record | Frame::Space(_))) = self.frames.top() else {
            return false;
        };
        let Some(record) = self.inner.as_mut().or(self.outer.as_mut()) else { return false };
        read_text(record, frame, text)
    }
}

/// What is inside the bracket at `at`, as far as the line goes, and where the text behind it is.
pub(super) fn inside(line: &[u8], at: usize) -> (&[u8], usize) {
    let text = &line[at + 1..];
    match memchr(b']', text) {
        Some(end) => (&text[..end], at + end + 2),
        None => (text, line.len()),
    }
}

/// Whether a bracket begins a record, and how long that begin is.
fn record_head(name: &[u8]) -> Option<(Head, usize)> {
    if !matches!(name.first(), Some(b'F' | b'I' | b'G')) {
        return None;
    }
    if name.starts_with(b"Full GC") {
        return Some((Head::Full, 7));
    }
    // The train collector of JDK 1.3 and 1.4, `-Xincgc`.
    if name.starts_with(b"Inc GC") {
        return Some((Head::Gc, 6));
    }
    let rest = name.strip_prefix(b"GC")?;
    let g1: [(&[u8], Head); 3] =
        [(b" pause", Head::Pause), (b" remark", Head::Remark), (b" cleanup", Head::Cleanup)];
    if let Some((begin, head)) = g1.iter().find(|(begin, _)| rest.starts_with(begin)) {
        return Some((*head, 2 + begin.len()));
    }
    follows_head(rest).then_some((Head::Gc, 2))
}

/// Whether this stands behind `[GC` of a record, and not of a part (`[GC Worker Start (ms): …`),
/// a phase (`[GC concurrent-mark-start]`) or a name (`[GCInspector]`).
fn follows_head(rest: &[u8]) -> bool {
    // Options print between the begin and what was to follow it, in versions without a GC cause
    // even without a space.
    let options: [&[u8]; 5] = [b"Before GC:", b"Adaptive", b"PSAdaptive", b"TLAB: ", b"Desired "];
    match rest {
        [] | [b'-', b'-', ..] | [b'[' | b'(' | b'{' | b'0'..=b'9', ..] => true,
        _ => {
            let text = rest.trim_ascii_start();
            let is_word = text.first().is_some_and(u8::is_ascii_alphabetic);
            (rest[0] == b' ' && !is_word) || options.iter().any(|it| text.starts_with(it))
        }
    }
}

/// The GC cause behind the begin of a record, and where it ends.
fn cause(line: &[u8], after: usize) -> (Option<Box<str>>, usize) {
    let text = line[after..].trim_ascii_start();
    let Some(cause) = cause_text(text) else { return (None, after) };
    (Some(kept_cause(cause)), line.len() - text.len() + cause.len() + 2)
}

/// The GC cause that the text begins with, in parentheses.
pub(super) fn cause_text(text: &[u8]) -> Option<&[u8]> {
    // Causes are short; a parenthesis that never closes must not be searched for again and again.
    let near = &text[..text.len().min(MAX_CAUSE)];
    let inside = near.strip_prefix(b"(")?;
    let cause = match inside.iter().position(|byte| matches!(byte, b'(' | b')' | b'[')) {
        Some(end) if inside[end] == b')' => &inside[..end],
        _ => Some(parenthesised(near)?.0).filter(|cause| !cause.contains(&b'['))?,
    };
    let marks: [&[u8]; 5] = [b"young", b"mixed", b"partial", b"initial-mark", b"to-space"];
    let is_mark = cause.first().is_some_and(u8::is_ascii_lowercase)
        && marks.iter().any(|mark| cause.starts_with(mark));
    (!is_mark).then_some(cause)
}

/// A GC cause as an event has it.
pub(super) fn kept_cause(cause: &[u8]) -> Box<str> {
    name(if cause == b"System" { b"System.gc()" } else { cause })
}

fn read_text(record: &mut Record, frame: Frame, text: &[u8]) -> bool {
    let (mut at, mut used) = (0, false);
    while let Some(found) = memchr3(b'(', b'>', b'{', &text[at..]) {
        let mark = at + found;
        at = mark + 1;
        let before = mark.checked_sub(1).map(|it| text[it]);
        let sizes = match (text[mark], before) {
            (b'>', Some(b'-')) => {
                transition(&text[number_start(text, mark - 1)..]).map(|it| (it, true))
            }
            (b'(', Some(b'K' | b'M' | b'G' | b'B')) => {
                let number = &text[number_start(text, mark)..];
                let collected = transition(number).map(|it| (it, true));
                collected.or_else(|| occupancy(number).map(|it| (it, false)))
            }
            (b'(', _) => {
                used |= read_mark(record, &text[at..]);
                None
            }
            (b'{', _) => {
                let is_heap = frame == Frame::Record && text[at..].starts_with(b"Heap before");
                record.heap_printed |= is_heap;
                None
            }
            _ => None,
        };
        if let Some(((sizes, rest), collected)) = sizes {
            at = text.len() - rest.len();
            used = true;
            match frame {
                Frame::Space(space) => record.generation(space, sizes),
                _ => record.whole_heap(sizes, collected),
            }
        }
    }
    if frame == Frame::Record && has_dashes(text) {
        used |= record.failed_to_copy();
    }
    used
}

/// Whether there is a `--` by itself.
fn has_dashes(text: &[u8]) -> bool {
    // Dates have dashes as well, and to stop at each of them takes longer than not to stop at all.
    let pairs = text.iter().zip(text.iter().skip(1));
    if !pairs.fold(false, |any, (a, b)| any | ((*a == b'-') & (*b == b'-'))) {
        return false;
    }
    let Some(at) = find(text, b"--") else { return false };
    !matches!(text.get(at + 2), Some(byte) if *byte != b' ')
}

/// What stands in parentheses: `(promotion failed)`.
fn read_mark(record: &mut Record, text: &[u8]) -> bool {
    let is = |begin: &[u8]| text.starts_with(begin);
    if is(b"promotion failed") {
        record.failures.promotion = true;
    } else if is(b"concurrent mode failure") {
        record.failures.concurrent_mode = true;
    } else if is(b"concurrent mode interrupted") {
        record.interrupted = true;
    } else if is(b"to-space ") {
        record.failures.evacuation = true;
    } else if is(b"mixed)") || is(b"partial)") {
        record.young = YoungKind::Mixed;
    } else if is(b"initial-mark)") {
        record.young = YoungKind::ConcurrentStart;
    } else {
        return is(b"young)");
    }
    true
}
