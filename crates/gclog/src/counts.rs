//! What became of the lines of a log.
use std::time::Duration;

/// Why a line could not be used although it should have been, or was no line of a GC log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unrecognised {
    /// Neither decorations nor a message of the JVM: text of the application, a legacy line of a
    /// kind not read yet, or no GC log at all.
    NotALogLine,
    /// It begins like a line of interest, but cannot be read: cut short, damaged, or of a format
    /// not known.
    Malformed,
    /// A pause whose name is not known and which has no duration that can be read.
    UnknownPause,
}

/// What became of each line, so that a reader can say how much of a log was understood.
///
/// `lines = used + of_no_interest + unrecognised()`, always.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineCounts {
    /// Lines given.
    pub lines: u64,
    /// Lines that became an event or a part of one.
    pub used: u64,
    /// Of these, lines of an application that noticed a pause.
    pub of_applications: u64,
    /// Of `used`, lines in the forms of JDK 8 and before.
    pub legacy: u64,
    /// Events given out. Several lines may make one event.
    pub events: u64,
    /// Lines of the JVM that carry nothing this crate reports, and empty lines.
    pub of_no_interest: u64,
    /// Lines of [`Unrecognised::NotALogLine`].
    pub not_a_log_line: u64,
    /// Lines of [`Unrecognised::Malformed`].
    pub malformed: u64,
    /// Lines of [`Unrecognised::UnknownPause`].
    pub unknown_pause: u64,
    /// Messages that the JVM says it dropped because its buffer for asynchronous logging was full.
    /// They are in no line.
    pub dropped_messages: u64,
    /// How often a line was of another process than the one before, and that process had written
    /// before: JVMs that write to one place at once.
    pub jvm_turns: u64,
    /// Collections whose ends are not in the log, because it was cut short or edited. Their lines
    /// are among those used; their durations are unknown.
    pub unfinished: u64,
    /// The most that the parts of one of them took.
    pub unfinished_least: Duration,
}

impl LineCounts {
    /// Lines that could not be used, for whatever reason.
    #[must_use]
    pub fn unrecognised(&self) -> u64 {
        self.not_a_log_line + self.malformed + self.unknown_pause
    }

    /// What came since `earlier` was counted.
    #[must_use]
    pub fn less(&self, earlier: &LineCounts) -> LineCounts {
        let f = u64::saturating_sub;
        // Every field by name, so that a new one cannot be forgotten here.
        LineCounts {
            lines: f(self.lines, earlier.lines),
            used: f(self.used, earlier.used),
            of_applications: f(self.of_applications, earlier.of_applications),
            legacy: f(self.legacy, earlier.legacy),
            events: f(self.events, earlier.events),
            of_no_interest: f(self.of_no_interest, earlier.of_no_interest),
            not_a_log_line: f(self.not_a_log_line, earlier.not_a_log_line),
            malformed: f(self.malformed, earlier.malformed),
            unknown_pause: f(self.unknown_pause, earlier.unknown_pause),
            dropped_messages: f(self.dropped_messages, earlier.dropped_messages),
            jvm_turns: f(self.jvm_turns, earlier.jvm_turns),
            unfinished: f(self.unfinished, earlier.unfinished),
            unfinished_least: self.unfinished_least,
        }
    }

    pub(crate) fn count(&mut self, why: Unrecognised) {
        match why {
            Unrecognised::NotALogLine => self.not_a_log_line += 1,
            Unrecognised::Malformed => self.malformed += 1,
            Unrecognised::UnknownPause => self.unknown_pause += 1,
        }
    }
}
