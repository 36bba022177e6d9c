//! The state of one log: lines in, events out.
use crate::{
    Collector, Event, InitFact, LineCounts, Unrecognised, clean,
    jvms::Jvms,
    kind,
    legacy::Legacy,
    monitors::{self, Monitors},
    unified::{self, Message, decorations},
    unwrap::Wrapping,
};

/// Reads one log line by line and gives out events.
///
/// Holds a handful of lines' worth of state, whatever the size of the log, and allocates nothing
/// for a line that is of no interest. Events come in the order of the log; a collection is held
/// until the line with its CPU times or a line that shows that there is none. A reader that
/// follows a live log calls [`settle`](Parser::settle) when no line has come for a while.
///
/// One parser reads one log, or the files of a rotated one from the oldest to the newest. Several
/// JVMs may have written to it, one after another or, distinguished by the `pid` decorator, at the
/// same time. Lines may begin with what a container runtime or syslog puts before them.
///
/// ```
/// let mut parser = gclog::Parser::new();
/// let mut events = Vec::new();
/// parser.line(b"[0.3s][info][gc    ] GC(7) Pause Remark 31M->28M(600M) 1.250ms", &mut |it| events.push(it));
/// parser.line(b"[0.3s][info][gc,cpu] GC(7) User=0.01s Sys=0.00s Real=0.00s", &mut |it| events.push(it));
/// parser.finish(&mut |it| events.push(it));
/// let [gclog::Event::Gc(remark)] = &events[..] else { panic!("one collection") };
/// assert_eq!(remark.duration, std::time::Duration::from_micros(1_250));
/// assert_eq!(remark.cpu.expect("logged").user, std::time::Duration::from_millis(10));
/// ```
#[derive(Debug, Default)]
pub struct Parser {
    counts: LineCounts,
    wrapping: Wrapping,
    layout: decorations::Layout,
    jvms: Jvms,
    pub(crate) legacy: Legacy,
    monitors: Monitors,
    /// The line before was of the JVM, so that an indented one may belong to it.
    continues: bool,
}

impl Parser {
    /// A parser at the begin of a log.
    #[must_use]
    pub fn new() -> Parser {
        Parser::default()
    }

    /// Reads one line, given without its line end. Blanks at its end, escape sequences of colours and what
    /// a container runtime or another program put around it do no harm; where several lines stand in it,
    /// each of them counts as one.
    pub fn line(&mut self, line: &[u8], sink: &mut impl FnMut(Event)) {
        let text = clean::ends(line);
        if !self.wrapping.is_plain() {
            let plain = clean::plain(text);
            let inside = self.wrapping.unwrap(&plain, kind::is_of_jvm);
            return self.dirty(&inside, sink);
        }
        // As most lines are.
        if let Some((decorations, message)) = self.layout.known(text)
            && (!clean::may_be_more(message) || clean::is_one(message))
        {
            return self.one(text, decorations, message, sink);
        }
        if clean::is_dirty(text) {
            return self.dirty(text, sink);
        }
        self.glued(text, sink);
    }

    /// Reads a line that may have escape sequences, and line ends within it.
    fn dirty(&mut self, text: &[u8], sink: &mut impl FnMut(Event)) {
        let plain = clean::plain(text);
        if plain.is_empty() {
            return self.one(b"", b"", b"", sink);
        }
        for line in clean::at_returns(&plain) {
            self.glued(line, sink);
        }
    }

    /// Reads a line that may consist of several, with nothing between them.
    fn glued(&mut self, mut line: &[u8], sink: &mut impl FnMut(Event)) {
        loop {
            let (decorations, text) = self.layout.split(line);
            let next = if decorations.is_empty() { None } else { clean::glued(text) };
            let Some(at) = next else { return self.one(line, decorations, text, sink) };
            let behind = line.len() - text.len() + at;
            self.one(&line[..behind], decorations, clean::ends(&text[..at]), sink);
            line = &line[behind..];
        }
    }

    /// Reads one line, of which the decorations and the message are known.
    fn one(&mut self, line: &[u8], decorations: &[u8], text: &[u8], sink: &mut impl FnMut(Event)) {
        self.counts.lines += 1;
        let read = self.read(line, decorations, text, sink);
        if read == Ok(true) && !self.wrapping.is_plain() {
            self.wrapping.understood();
        }
        if !line.is_empty() {
            self.continues = read != Err(Unrecognised::NotALogLine);
        }
        if read == Err(Unrecognised::NotALogLine) {
            self.monitors.of_application(line);
        }
        match self.or_of_monitor(line, read, sink) {
            Ok(true) => self.counts.used += 1,
            Ok(false) => self.counts.of_no_interest += 1,
            Err(why) => self.counts.count(why),
        }
    }

    /// Gives out what waits for lines that may still come. Right for a live log that has fallen
    /// silent; a CPU line that comes later is lost.
    pub fn settle(&mut self, sink: &mut impl FnMut(Event)) {
        let Parser { counts, jvms, legacy, monitors, .. } = self;
        let out = &mut counted(&mut counts.events, sink);
        monitors.release(out);
        jvms.each().for_each(|jvm| jvm.release(out));
        legacy.release(out);
    }

    /// The log has ended: gives out everything that is left.
    pub fn finish(&mut self, sink: &mut impl FnMut(Event)) {
        self.settle(sink);
        let out = &mut counted(&mut self.counts.events, sink);
        self.jvms.each().for_each(|jvm| jvm.end(out));
    }

    /// How the lines so far were wrapped, the outermost layer first: `as docker compose writes them`. Empty
    /// where they were not.
    #[must_use]
    pub fn wrapping(&self) -> Vec<String> {
        self.wrapping.said()
    }

    /// The earliest and the latest date of lines that an application wrote, in nanoseconds since 1970.
    #[must_use]
    pub fn application_dates(&self) -> Option<(i64, i64)> {
        self.monitors.dates
    }

    /// What became of the lines so far.
    #[must_use]
    pub fn counts(&self) -> LineCounts {
        let (legacy, least) = self.legacy.unfinished();
        let (unified, least_unified) = self.jvms.unfinished();
        let (unfinished, unfinished_least) = (legacy + unified, least.max(least_unified));
        let jvm_turns = self.jvms.turns();
        LineCounts { jvm_turns, unfinished, unfinished_least, ..self.counts }
    }

    /// The collector, as far as the log has said or shown it; that of the JVM which wrote last,
    /// where there are several.
    #[must_use]
    pub fn collector(&self) -> Option<Collector> {
        self.jvms.current().collector.or(self.legacy.collector())
    }

    /// How many JVMs have written to the log, as far as it shows; one that was started again counts
    /// again. At least 1.
    #[must_use]
    pub fn jvms(&self) -> usize {
        self.jvms.count()
    }

    /// What became of a line, if it is of no JVM but of an application that noticed a pause.
    fn or_of_monitor(
        &mut self,
        line: &[u8],
        read: Result<bool, Unrecognised>,
        sink: &mut impl FnMut(Event),
    ) -> Result<bool, Unrecognised> {
        let Parser { counts, monitors, .. } = self;
        let out = &mut counted(&mut counts.events, sink);
        // Brackets of Elasticsearch, which without its own head look like decorations.
        let perhaps = read.is_err() || read == Ok(false) && line.starts_with(b"[gc][");
        match read {
            _ if perhaps && monitors.line(line, out) => {
                counts.of_applications += 1;
                if monitors::loses_one(line) {
                    // It stands in the same line.
                    counts.lines += 1;
                    counts.malformed += 1;
                }
                return Ok(true);
            }
            Err(Unrecognised::NotALogLine) if monitors::loses_one(line) => {
                return Err(Unrecognised::Malformed);
            }
            Ok(true) => {
                monitors.of_jvm(line);
                monitors.release(out);
            }
            _ => {}
        }
        read
    }

    /// Whether the line was used.
    fn read(
        &mut self,
        line: &[u8],
        decorations: &[u8],
        text: &[u8],
        sink: &mut impl FnMut(Event),
    ) -> Result<bool, Unrecognised> {
        let may_be_legacy = decorations.is_empty() || self.legacy.is_active();
        if may_be_legacy && self.legacy.claims(line) {
            return self.legacy(line, sink);
        }
        if let Some(message) = unified::read(text)? {
            self.legacy.end(&mut counted(&mut self.counts.events, sink));
            return self.message(line, decorations, message, sink);
        }
        match (decorations, text) {
            // As most lines are.
            ([_, ..], [b'G', b'C', b'(', ..]) => Ok(false),
            // Unified messages of several lines have no decorations from the second on.
            (b"", b"") => Ok(false),
            (b"", [b' ', ..]) if self.continues => Ok(false),
            (b"", _) => match self.legacy(line, sink) {
                Err(Unrecognised::NotALogLine) if unified::is_known_text(text) => Ok(false),
                read => read,
            },
            _ if self.layout.are_of_hotspot(decorations) => Ok(false),
            _ => self.legacy(line, sink),
        }
    }

    fn legacy(&mut self, line: &[u8], sink: &mut impl FnMut(Event)) -> Result<bool, Unrecognised> {
        let Parser { counts, legacy, .. } = self;
        let read = legacy.line(line, &mut counted(&mut counts.events, sink));
        counts.legacy += u64::from(read == Ok(true));
        read
    }

    fn message(
        &mut self,
        line: &[u8],
        decorations: &[u8],
        message: Message<'_>,
        sink: &mut impl FnMut(Event),
    ) -> Result<bool, Unrecognised> {
        match message {
            // Without decorations they are the head of a legacy log.
            Message::Jvm(InitFact::Flags(_) | InitFact::Swap { .. }) if decorations.is_empty() => {
                return self.legacy(line, sink);
            }
            Message::Dropped(count) => {
                self.counts.dropped_messages = self.counts.dropped_messages.saturating_add(count);
            }
            _ => {}
        }
        let Parser { counts, jvms, .. } = self;
        let out = &mut counted(&mut counts.events, sink);
        jvms.of(decorations, &message, out).message(decorations, message, out)
    }
}

/// The sink, counting what goes into it.
fn counted(events: &mut u64, sink: &mut impl FnMut(Event)) -> impl FnMut(Event) {
    move |event| {
        *events += 1;
        sink(event);
    }
}

#[cfg(test)]
mod tests;
