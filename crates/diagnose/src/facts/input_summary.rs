//! What was read, and what became of its lines.
use gclog::LineCounts;
use std::time::Duration;

/// One file or directory that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputSummary {
    /// As the user named it.
    pub path: String,
    /// `gc-log` or `recording`.
    pub kind: &'static str,
    /// Bytes read.
    pub bytes: u64,
    /// Log lines read (also those inside a recording).
    pub lines: u64,
    /// Log lines that no reader understood and that are not known to be of no interest.
    pub lines_unrecognised: u64,
    /// Of these, lines that are no lines of a JVM's log: text of the application, mostly.
    pub lines_foreign: u64,
    /// Lines in which an application reports a pause.
    pub lines_of_application: u64,
    /// Of those not recognised, lines that are damaged or cut short.
    pub lines_malformed: u64,
    /// Of those not recognised, pauses of a form that is not known.
    pub lines_unknown_pause: u64,
    /// Lines longer than [`gclog::MAX_LINE`], which were not read; foreign ones, too.
    pub lines_too_long: u64,
    /// Log lines in the forms of JDK 8 and before.
    pub lines_legacy: u64,
    /// Messages that the JVM says it dropped (asynchronous logging).
    pub messages_dropped: u64,
    /// How often a line was of another JVM than the one before, and that JVM had written before, as
    /// far as the log has process ids.
    pub jvm_turns: u64,
    /// Collections whose length is not in the log, since their end is missing.
    pub unfinished: u64,
    /// The most that the parts of one of them took.
    pub unfinished_least: Duration,
    /// What another program had put around the lines, the outermost layer first.
    pub wrapping: Vec<String>,
    /// The earliest and the latest date of lines that an application wrote, in nanoseconds since 1970.
    pub application_dates: Option<(i64, i64)>,
    /// Numbers of files of a rotated set that are not there though those around them are.
    pub files_missing: Vec<u32>,
}

impl InputSummary {
    /// Lines of a GC log that were not understood, or only in part: each may have shown a stop.
    #[must_use]
    pub fn lines_not_read(&self) -> u64 {
        self.lines_malformed + self.lines_unknown_pause
    }

    /// What became of the lines of a log. Lines longer than [`gclog::MAX_LINE`] were not read.
    #[must_use]
    pub fn of_log(path: String, bytes: u64, counts: &LineCounts, too_long: u64) -> InputSummary {
        InputSummary {
            path,
            kind: "gc-log",
            bytes,
            lines: counts.lines + too_long,
            lines_unrecognised: counts.unrecognised() + too_long,
            lines_foreign: counts.not_a_log_line + too_long,
            lines_of_application: counts.of_applications,
            lines_malformed: counts.malformed,
            lines_unknown_pause: counts.unknown_pause,
            lines_too_long: too_long,
            lines_legacy: counts.legacy,
            messages_dropped: counts.dropped_messages,
            jvm_turns: counts.jvm_turns,
            unfinished: counts.unfinished,
            unfinished_least: counts.unfinished_least,
            ..InputSummary::default()
        }
    }
}
