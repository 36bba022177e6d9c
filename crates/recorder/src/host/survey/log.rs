//! The beginning and the end of a GC log: what it says of the JVM, and of the last collections.
use crate::host::{Roots, clocks, process::ProcessDir, tail::Lines};
use recording::LogLine;
use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    sync::mpsc::channel,
    thread,
    time::Duration,
};

/// The first lines say how large a region is.
const HEAD_BYTES: u64 = 16 * 1024;
/// Some thousand lines.
const TAIL_BYTES: u64 = 256 * 1024;
/// Its disk may be the one that blocks: then the rest of the answer does not wait for it.
const PATIENCE: Duration = Duration::from_millis(500);

/// Lines of the log that descriptor `fd` of the JVM is open on; `None` where they do not come in time, or
/// cannot be read.
pub(super) fn lines(roots: &Roots, pid: u32, fd: u32) -> Option<Vec<LogLine>> {
    let (sender, reported) = channel();
    let roots = roots.clone();
    let read = move || {
        // Nobody may wait for it any more.
        let _ = sender.send(ProcessDir::open(&roots, pid).and_then(|dir| read(dir.open_fd(fd)?)));
    };
    thread::Builder::new().name("gc-log".into()).spawn(read).ok()?;
    reported.recv_timeout(PATIENCE).ok()?.ok()
}

fn read(mut file: File) -> io::Result<Vec<LogLine>> {
    let length = file.metadata()?.len();
    let mut lines = Vec::new();
    let tail = length.saturating_sub(TAIL_BYTES);
    if tail > HEAD_BYTES {
        part(&mut file, 0, HEAD_BYTES, &mut lines)?;
        part(&mut file, tail, TAIL_BYTES, &mut lines)?;
    } else {
        part(&mut file, 0, HEAD_BYTES + TAIL_BYTES, &mut lines)?;
    }
    Ok(lines)
}

/// Whole lines of `most` bytes from `at` on.
fn part(file: &mut File, at: u64, most: u64, lines: &mut Vec<LogLine>) -> io::Result<()> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(at))?;
    file.take(most).read_to_end(&mut bytes)?;
    let mut cut = Lines::at(at);
    cut.skip_first = at > 0;
    cut.feed(&bytes, clocks::now(), &mut |it| lines.push(it));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn read_back(text: &str) -> Vec<String> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        read(file).unwrap().into_iter().map(|it| it.text).collect()
    }

    #[test]
    fn a_short_log_is_read_whole_and_once() {
        assert_eq!(read_back("a\nb\nhalf"), ["a", "b"]);
        let lines = read_back(&"x\n".repeat(100_000));
        assert_eq!(lines.len(), 100_000);
    }

    #[test]
    fn of_a_long_log_the_beginning_and_the_end_are_read() {
        let text = format!("first\n{}last\n", "0123456789\n".repeat(100_000));
        let lines = read_back(&text);
        assert!(lines.len() < 30_000);
        assert_eq!((lines[0].as_str(), lines.last().unwrap().as_str()), ("first", "last"));
        let whole = |it: &String| matches!(it.as_str(), "first" | "last" | "0123456789");
        assert!(lines.iter().all(whole), "half a line is none");
    }
}
