//! The log of one host: real pieces, one after the other, with times and numbers that go on.
use super::{Family, LogFile, Piece, piece::PieceLine};
use crate::{
    clock::{SECOND, iso},
    random::Random,
};
use anyhow::Result;
use std::{io::Write, path::PathBuf};

const MS: i64 = 1_000_000;
/// Number of pieces that are tried until one goes on where the heap is.
const TRIES: usize = 20;
/// One of this many pieces does not follow the one that it followed in the real log.
const JUMPS: u64 = 6;
/// Where there are collections for humongous objects, one of this many pieces is ordinary: it has as many of those as
/// other hosts, as its log gets this many times the bytes.
pub(crate) const ORDINARY_ONES: u64 = 2;

/// A log that grows.
#[derive(Debug)]
pub(crate) struct HostLog<'a> {
    file: LogFile,
    family: &'a Family,
    /// Whether collections for humongous objects are mixed in.
    is_humongous: bool,
    next_collection: u32,
    started_ns: i64,
    last_stop_end_ns: i64,
    heap_kib: u64,
    /// Place of the piece before.
    before: usize,
    date: DateCache,
    text: Vec<u8>,
}

/// The date of the second that was written last: most lines are of the same one.
#[derive(Debug, Default)]
struct DateCache {
    second: i64,
    text: String,
}

impl DateCache {
    /// The date up to the second: `2026-11-21T20:54:37`.
    fn of(&mut self, second: i64) -> &str {
        if self.second != second || self.text.is_empty() {
            self.second = second;
            self.text = iso(second * SECOND);
            self.text.truncate(19);
        }
        &self.text
    }
}

impl<'a> HostLog<'a> {
    /// A log that has nothing yet.
    pub(crate) fn new(file: LogFile, family: &'a Family, is_humongous: bool) -> HostLog<'a> {
        HostLog {
            file,
            family,
            is_humongous,
            next_collection: 0,
            started_ns: 0,
            last_stop_end_ns: 0,
            heap_kib: 0,
            before: 0,
            date: DateCache::default(),
            text: Vec::new(),
        }
    }

    /// Bytes so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.file.bytes()
    }

    /// The number of the next collection.
    pub(crate) fn next_collection(&self) -> u32 {
        self.next_collection
    }

    /// What a JVM writes when it starts.
    pub(crate) fn start_jvm(&mut self, started_ns: i64) -> Result<()> {
        self.started_ns = started_ns;
        (self.next_collection, self.heap_kib) = (0, 0);
        let init = Piece::of(&self.family.init);
        // As its first line is some milliseconds after the start, so are all.
        let first_ns = started_ns + init.origin_ns;
        self.last_stop_end_ns = first_ns + init.length_ns;
        self.piece(&init, first_ns)
    }

    /// Another piece, which fits behind the last one.
    pub(crate) fn choose(&mut self, random: &mut Random) -> &'a Piece {
        let humongous = &self.family.humongous;
        if self.is_humongous && !humongous.is_empty() && !random.one_of(ORDINARY_ONES) {
            // They go from the shortest to the longest: of three the last one makes more of the fault.
            let drawn = [(); 3].map(|()| random.index(humongous.len()));
            return &humongous[drawn.into_iter().max().unwrap_or(0)];
        }
        let pieces = &self.family.pieces;
        let mut next = (self.before + 1) % pieces.len();
        if random.one_of(JUMPS) {
            next = random.index(pieces.len());
        }
        for _ in 0..TRIES {
            // What is in use does not get less between two collections.
            if pieces[next].heap.is_none_or(|(before, _)| before >= self.heap_kib) {
                break;
            }
            next = random.index(pieces.len());
        }
        self.before = next;
        &pieces[next]
    }

    /// Adds a piece that begins then.
    pub(crate) fn piece(&mut self, piece: &Piece, begin_ns: i64) -> Result<()> {
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        let mut is_first_stop = true;
        for line in &piece.lines {
            let at_ns = begin_ns + line.at_ns;
            self.decorations(&mut text, at_ns, line)?;
            match line.stop_ns {
                Some(stop_ns) => {
                    let begin_ns = at_ns - stop_ns;
                    let since_ns = is_first_stop.then(|| begin_ns - self.last_stop_end_ns);
                    write_stop(&mut text, &line.message, since_ns)?;
                    (self.last_stop_end_ns, is_first_stop) = (at_ns, false);
                }
                None => text.extend(line.message.as_bytes()),
            }
            text.push(b'\n');
        }
        self.next_collection += piece.collections;
        if let Some((_, after)) = piece.heap {
            self.heap_kib = after;
        }
        self.file.write(&text)?;
        self.text = text;
        Ok(())
    }

    /// Everything before the message.
    fn decorations(&mut self, text: &mut Vec<u8>, at_ns: i64, line: &PieceLine) -> Result<()> {
        let (ms, up_ms) = (at_ns / MS, (at_ns - self.started_ns) / MS);
        let date = self.date.of(ms / 1000);
        write!(text, "[{date}.{:03}+0000][{}.{:03}s]", ms % 1000, up_ms / 1000, up_ms % 1000)?;
        text.extend(line.head.as_bytes());
        if let Some(collection) = line.collection {
            write!(text, "GC({})", self.next_collection + collection)?;
        }
        Ok(())
    }

    /// The log is complete. The file that it ends with.
    pub(crate) fn finish(self) -> Result<PathBuf> {
        self.file.finish()
    }
}

/// The message of a stop, with another time since the one before, where that is another one now.
fn write_stop(text: &mut Vec<u8>, message: &str, since_ns: Option<i64>) -> Result<()> {
    const SINCE: &str = "Time since last: ";
    let parts = message.split_once(SINCE).and_then(|(head, rest)| {
        let (_, tail) = rest.split_once(" ns")?;
        Some((head, tail))
    });
    match parts.zip(since_ns) {
        Some(((head, tail), ns)) => write!(text, "{head}{SINCE}{} ns{tail}", ns.max(0))?,
        None => text.extend(message.as_bytes()),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        clock::BEGIN,
        log::{Families, Form},
    };
    use std::fs;

    #[test]
    fn times_and_numbers_go_on_over_pieces_and_start_again_with_the_jvm() {
        let directory = tempfile::tempdir().expect("a directory");
        let families = Families::read(&crate::testdata()).expect("families");
        let file = LogFile::create(directory.path(), Form::Plain, 1 << 20).expect("a log");
        let mut log = HostLog::new(file, &families.all()[1], true);
        let mut random = Random::new(1, 1);
        for start in 0..2 {
            let started_ns = BEGIN + start * 3600 * SECOND;
            log.start_jvm(started_ns).expect("written");
            for at in 1..20 {
                let piece = log.choose(&mut random);
                log.piece(piece, started_ns + at * 10 * SECOND).expect("written");
            }
        }
        let text = fs::read_to_string(log.finish().expect("a log")).expect("text");
        assert_eq!(text.matches("Using G1").count(), 2);
        let lives = text.split_once("[2026-11-20T01:").expect("two lives");
        assert!(lives.0.contains(" GC(0) ") && lives.0.contains(" GC(18) "), "{text}");
        assert!(lives.1.contains(" GC(0) ") && lives.1.contains(" GC(18) "), "{text}");
        assert!(text.starts_with("[2026-11-20T00:00:00.005+0000][0.005s][info][gc] Using G1\n"));
        let dates: Vec<&str> = text.lines().map(|it| &it[1..24]).collect();
        assert!(dates.is_sorted());
    }
}
