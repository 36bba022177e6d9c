//! Follows the JVM's GC log while it is written.
//!
//! In a thread of its own: a slow or dead disk makes the log late and nothing else.
//! The file is reached through the JVM's own descriptor, so it does not matter how it is called,
//! in which mount namespace it lies, or whether it still has a name.
//!
//! Reading starts at the end that the file has when the recording starts.
//! Of what is older only the log's head is kept, up to the first line that speaks of a pause: it
//! says version, collector and workers. Older pauses are not part of the recording.
use super::{
    Roots, clocks,
    flags::{self, Named},
    gc_log::{self, GcLogFile, Search},
    inside::Unopened,
    jvm::Jvm,
    outbox::{Outbox, Row},
    process::{MAY_NOT_LIST_FILES, ProcessDir, key_of_fd, may_list_files},
};
use archive::Archive;
pub(super) use lines::Lines;
use recording::{LogLine, MonoTime, Source, SourceState};
use rustix::io::{Errno, ReadWriteFlags, pread, preadv2};
use std::{
    cmp::Ordering,
    fs::File,
    io::{self, IoSliceMut},
    os::fd::AsRawFd,
    time::{Duration, Instant, SystemTime},
};

mod archive;
mod lines;

/// How often the file is looked at.
const BETWEEN_POLLS: Duration = Duration::from_millis(100);
/// How often a log that was not there is looked for again, at first and later.
const BETWEEN_SEARCHES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(10)];
const EAGER_SEARCHES: u32 = 10;
const CHUNK_BYTES: usize = 64 * 1024;
/// Chunks read per look: 10 MB/s, more than any log writes.
const CHUNKS_PER_POLL: u32 = 16;
/// How long the rest may take to read when the recording ends.
const LAST_READ: Duration = Duration::from_secs(1);
/// A log that appears later is read from its start, unless it is too large to be new.
const NEW_LOG_BYTES: u64 = 1024 * 1024;
/// The item of notes about the log.
const ITEM: &str = "GC log";

/// Where to start reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    /// At the end, after the head.
    End,
    /// At the beginning.
    Beginning,
}

/// Reads one log, from one file to the next when it is rotated.
#[derive(Debug)]
struct Tail {
    log: GcLogFile,
    file: File,
    offset: u64,
    lines: Lines,
    buffer: Vec<u8>,
}

impl Tail {
    fn open(
        dir: &ProcessDir,
        log: GcLogFile,
        start: Start,
        rows: &mut Vec<Row>,
    ) -> io::Result<Tail> {
        let file = dir.open_fd(log.fd)?;
        let size = file.metadata()?.len();
        let mut tail =
            Tail { log, file, offset: 0, lines: Lines::at(0), buffer: vec![0; CHUNK_BYTES] };
        if start == Start::End || size > NEW_LOG_BYTES {
            tail.read_head(size, rows);
            tail.offset = size;
            tail.lines = Lines::at(size);
            // In the middle of a line there is no line to read: wait for the next one.
            let mut last = [0];
            let whole = size == 0 || (tail.at(&mut last, size - 1).is_ok() && last == *b"\n");
            tail.lines.skip_first = !whole;
        }
        Ok(tail)
    }

    fn at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        Ok(pread(&self.file, buffer, offset)?)
    }

    /// Keeps the first lines up to the first pause, if the page cache has them: reading them from
    /// the disk is not worth it (`RWF_NOWAIT`; file systems that cannot tell are in memory).
    fn read_head(&mut self, size: u64, rows: &mut Vec<Row>) {
        let mut buffer = std::mem::take(&mut self.buffer);
        let wanted = usize::try_from(size).unwrap_or(usize::MAX).min(buffer.len());
        let part = &mut buffer[..wanted];
        let read = preadv2(&self.file, &mut [IoSliceMut::new(part)], 0, ReadWriteFlags::NOWAIT);
        let read = match read {
            Err(Errno::OPNOTSUPP | Errno::NOSYS) if self.in_memory() => pread(&self.file, part, 0),
            other => other,
        };
        if let Ok(read) = read {
            let now = clocks::now();
            let mut in_head = true;
            Lines::at(0).feed(&buffer[..read], now, &mut |line| {
                in_head = in_head && !speaks_of_a_pause(&line.text);
                if in_head {
                    rows.push(Row::Line(line));
                }
            });
        }
        self.buffer = buffer;
    }

    fn in_memory(&self) -> bool {
        const TMPFS_MAGIC: u64 = 0x0102_1994;
        rustix::fs::fstatfs(&self.file).is_ok_and(|it| it.f_type as u64 == TMPFS_MAGIC)
    }

    /// Reads what is new, at most `chunks` chunks. Says whether the end was reached.
    fn read(&mut self, chunks: u32, rows: &mut Vec<Row>) -> io::Result<bool> {
        for _ in 0..chunks {
            let read = pread(&self.file, &mut self.buffer[..], self.offset)?;
            let now = clocks::now();
            self.lines.feed(&self.buffer[..read], now, &mut |line| rows.push(Row::Line(line)));
            self.offset += read as u64;
            if read < self.buffer.len() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Reads what is new, if anything is: says how the file's length compares with what had been read,
    /// and whether the end was reached.
    fn read_news(&mut self, rows: &mut Vec<Row>) -> io::Result<(Ordering, bool)> {
        let news = self.file.metadata()?.len().cmp(&self.offset);
        let at_end = news != Ordering::Greater || self.read(CHUNKS_PER_POLL, rows)?;
        Ok((news, at_end))
    }

    /// Starts again where the file was cut to less than has been read (`copytruncate`).
    fn notice_truncation(&mut self) -> io::Result<bool> {
        let truncated = self.file.metadata()?.len() < self.offset;
        if truncated {
            self.offset = 0;
            self.lines = Lines::at(0);
        }
        Ok(truncated)
    }

    /// Whether the JVM now writes another file. `None` where its descriptor is closed: between
    /// two files, or for good.
    fn rotated(&self, dir: &ProcessDir) -> Option<bool> {
        let now = dir.behind(&format!("fd/{}", self.log.fd)).ok()?;
        Some(now.regular() != Some(self.log.key))
    }

    /// The number that rotation has given to the file, from its present name. JDK 8 numbers the one
    /// that it writes too (`gc.log.0.current`).
    fn archive(&self) -> Archive {
        let link = std::fs::read_link(format!("/proc/self/fd/{}", self.file.as_raw_fd()));
        let path = link.map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
        Archive::of(path.strip_suffix(".current").unwrap_or(&path))
    }

    fn written(&self) -> Option<SystemTime> {
        self.file.metadata().and_then(|it| it.modified()).ok()
    }
}

/// Whether a line belongs to a pause, and so to a time before the recording.
fn speaks_of_a_pause(line: &str) -> bool {
    const MARKS: [&str; 6] =
        ["GC(", "Pause ", "afepoint", "[GC", "[Full GC", "Total time for which"];
    MARKS.iter().any(|mark| line.contains(mark))
}

/// What is said where the log may be one of the files that could not be looked at.
const DENIED: &str =
    "may not be read and may be its GC log: that needs root or CAP_DAC_READ_SEARCH";

/// Looks at a closed descriptor after which the log is searched for again.
const CLOSED_POLLS: u32 = 10;
/// A log that is this old is not rotated every moment. Of a younger one is asked at each look.
const YOUNG: Duration = Duration::from_secs(10);
/// Once the JVM writes no more to a file, every this many polls it is checked which file it writes
/// now: that takes longer than all the rest of a poll.
const IDLE_POLLS: u32 = 5;

/// Finds the log, follows it, finds it again. Lives in a background thread.
#[derive(Debug)]
pub(crate) struct LogFollower<'a> {
    dir: ProcessDir,
    flags: Vec<String>,
    outbox: &'a Outbox,
    tail: Option<Tail>,
    searches: u32,
    /// Files that were found to be no log.
    others: gc_log::Others,
    /// Looks in a row at which the descriptor was closed.
    closed_polls: u32,
    /// Looks in a row at which there was nothing new.
    idle_polls: u32,
    /// When the present one was opened.
    opened: Instant,
    /// Of the file before the present one.
    archive: Archive,
    /// When the JVM wrote to that one for the last time.
    written: Option<SystemTime>,
    /// The highest number that rotation has given so far.
    highest: u32,
    /// The log that is followed, for the caller to describe.
    pub(crate) found: Option<GcLogFile>,
}

impl<'a> LogFollower<'a> {
    pub(crate) fn new(roots: &Roots, jvm: &Jvm, outbox: &'a Outbox) -> io::Result<LogFollower<'a>> {
        let dir = ProcessDir::open(roots, jvm.pid)?.trusted();
        let flags = flags::read(&dir, jvm, Named::Read).flags;
        let missing = match gc_log::standard_streams(&flags)[..] {
            [] if !may_list_files(&dir) => MAY_NOT_LIST_FILES,
            [] => "the JVM writes no GC log to a file",
            [2] => "the JVM writes its GC log to standard error, which cannot be read back",
            _ => "the JVM writes its GC log to standard output, which cannot be read back",
        };
        outbox.state(Source::GcLog, SourceState::Missing(missing.into()));
        Ok(LogFollower {
            dir,
            flags,
            outbox,
            tail: None,
            searches: 0,
            others: gc_log::Others::default(),
            closed_polls: 0,
            idle_polls: 0,
            opened: Instant::now(),
            archive: Archive::Other,
            written: None,
            highest: 0,
            found: None,
        })
    }

    /// Does what there is to do; says how long to wait for the next round.
    pub(crate) fn round(&mut self) -> Duration {
        match self.tail.take() {
            Some(tail) => {
                self.tail = self.follow(tail);
                BETWEEN_POLLS
            }
            None => {
                self.search();
                match self.tail {
                    Some(_) => BETWEEN_POLLS,
                    None => BETWEEN_SEARCHES[usize::from(self.searches > EAGER_SEARCHES)],
                }
            }
        }
    }

    fn search(&mut self) {
        let start = if self.searches == 0 { Start::End } else { Start::Beginning };
        self.searches = self.searches.saturating_add(1);
        match gc_log::find_again(&self.dir, &self.flags, &mut self.others) {
            Search::Found(log) => self.open(log, start),
            Search::Denied(_) if !may_list_files(&self.dir) => {
                self.missing(MAY_NOT_LIST_FILES.into());
            }
            Search::Denied(1) => self.missing(format!("a file that the JVM writes {DENIED}")),
            Search::Denied(files) => {
                self.missing(format!("{files} files that the JVM writes {DENIED}"));
            }
            Search::None => {}
        }
    }

    fn open(&mut self, log: GcLogFile, start: Start) {
        let mut rows = Vec::new();
        match Tail::open(&self.dir, log.clone(), start, &mut rows) {
            Ok(tail) => {
                self.found = Some(log);
                self.tail = Some(tail);
                self.opened = Instant::now();
                self.outbox.state(Source::GcLog, SourceState::Recorded);
            }
            Err(error) => self.failed(&error),
        }
        self.outbox.push(ITEM, rows);
    }

    fn failed(&self, error: &io::Error) {
        self.missing(match error.kind() {
            io::ErrorKind::PermissionDenied => {
                "the GC log may not be read: that needs root or CAP_DAC_READ_SEARCH, and the JVM's \
                 own right to read it"
                    .into()
            }
            _ => format!("the GC log cannot be read: {error}"),
        });
    }

    fn missing(&self, why: String) {
        self.outbox.state(Source::GcLog, SourceState::Missing(why));
    }

    /// Reads on; gives the tail back if it is still the one to follow.
    fn follow(&mut self, mut tail: Tail) -> Option<Tail> {
        let mut rows = Vec::new();
        let kept = match tail.read_news(&mut rows) {
            Ok((news, true)) if self.may_be_rotated(news) => self.at_end(tail, &mut rows),
            Ok(_) => Some(tail),
            Err(error) => {
                self.failed(&error);
                None
            }
        };
        self.outbox.push(ITEM, rows);
        kept
    }

    /// Whether to ask, after a poll that found this change of the file's length. One that grows is
    /// written still, or was a moment ago: then the next poll finds nothing new.
    fn may_be_rotated(&mut self, news: Ordering) -> bool {
        self.idle_polls = if news == Ordering::Equal { self.idle_polls + 1 } else { 0 };
        news == Ordering::Less
            || self.closed_polls > 0
            || self.idle_polls % IDLE_POLLS == 1
            || self.opened.elapsed() < YOUNG
    }

    fn at_end(&mut self, mut tail: Tail, rows: &mut Vec<Row>) -> Option<Tail> {
        if tail.notice_truncation().unwrap_or(false) {
            self.outbox.note(ITEM, "was truncated while it was read", 1);
        }
        let rotated = tail.rotated(&self.dir);
        self.closed_polls = if rotated.is_none() { self.closed_polls + 1 } else { 0 };
        if rotated == Some(true) || self.closed_polls >= CLOSED_POLLS {
            self.closed_polls = 0;
            return self.next_file(tail, rows);
        }
        Some(tail)
    }

    /// Leaves a file that the JVM writes no more for the one it writes now. Stays with the old
    /// one where there is none (yet).
    fn next_file(&mut self, mut tail: Tail, rows: &mut Vec<Row>) -> Option<Tail> {
        // What came in between the last reading and the rotation.
        let _ = tail.read(CHUNKS_PER_POLL, rows);
        let path = self.dir.link(&format!("fd/{}", tail.log.fd)).unwrap_or_default();
        let key = super::files::regular_file(&self.dir, tail.log.fd).ok().flatten();
        // The descriptor's number may by now belong to a file that is no log.
        let next = match key {
            Some(key) if path == tail.log.path => Some(GcLogFile { fd: tail.log.fd, path, key }),
            _ => gc_log::find(&self.dir, &self.flags).found(),
        };
        let Some(next) = next.filter(|it| it.key != tail.log.key) else { return Some(tail) };
        self.count_dropped(&tail);
        self.count_missed(&tail);
        self.outbox.push(ITEM, rows.drain(..));
        self.open(next, Start::Beginning);
        self.tail.take()
    }

    fn count_missed(&mut self, tail: &Tail) {
        let archive = tail.archive();
        if let Archive::Number(number) = archive {
            self.highest = self.highest.max(number);
        }
        if self.archive.misses_some_before(archive, self.highest) {
            self.say_missed();
        }
        self.archive = archive;
        self.written = tail.written();
    }

    /// The same before the file that the JVM still writes: that one has no number yet, so the file
    /// with the next number is looked for beside it.
    fn count_missed_at_end(&mut self, tail: &Tail) {
        match (self.archive, tail.archive()) {
            (Archive::Number(number), Archive::Other) => {
                // After the highest number rotation begins again.
                let next = [number.saturating_add(1), 0];
                if next.iter().any(|it| self.is_between(tail, &format!("{}.{it}", tail.log.path))) {
                    self.say_missed();
                }
            }
            _ => self.count_missed(tail),
        }
    }

    /// Whether a file was written after the last one that was left and before the present one.
    fn is_between(&self, tail: &Tail, path: &str) -> bool {
        let Ok(Unopened { found, .. }) = self.dir.find_inside(path) else { return false };
        let Some(key) = key_of_fd(&found) else { return false };
        let written = File::from(found).metadata().and_then(|it| it.modified()).ok();
        key != tail.log.key && written > self.written
    }

    fn say_missed(&self) {
        self.outbox.note(ITEM, "was rotated faster than it was read; lines are missing", 1);
    }

    fn count_dropped(&self, tail: &Tail) {
        if tail.lines.dropped > 0 {
            self.outbox.note(ITEM, "lines over 1 MiB were dropped", tail.lines.dropped);
        }
    }

    /// Reads what is left, for at most a second.
    pub(crate) fn finish(mut self) {
        let Some(mut tail) = self.tail.take() else { return };
        let started = Instant::now();
        while started.elapsed() < LAST_READ {
            let mut rows = Vec::new();
            let read = tail.read(1, &mut rows);
            self.outbox.push(ITEM, rows);
            match read {
                Ok(false) => {}
                Ok(true) if tail.rotated(&self.dir) == Some(true) => {
                    let mut rows = Vec::new();
                    let next = self.at_end(tail, &mut rows);
                    // What was read where there is no next file is of the old one.
                    self.outbox.push(ITEM, rows);
                    match next {
                        Some(next) => tail = next,
                        None => return,
                    }
                }
                Ok(true) | Err(_) => break,
            }
        }
        self.count_dropped(&tail);
        self.count_missed_at_end(&tail);
    }
}

#[cfg(test)]
mod tests;
