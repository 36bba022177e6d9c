//! From chunks of bytes to lines, in bounded memory.
use memchr::memchr;

/// The longest line that is read, in bytes, without its line end: 1 MiB.
///
/// HotSpot's own lines have at most some kilobytes, apart from heap and class histograms. A longer
/// "line" is text of another program or a file that is no log, and must not be held in memory.
pub const MAX_LINE: usize = 1 << 20;

/// Splits chunks of a log into lines, wherever the chunks are cut.
///
/// Holds at most [`MAX_LINE`] bytes. Longer lines are dropped and counted. Lines are given
/// without their line end, `\n` or `\r\n`. It does no IO, so it serves a file as well as a tail.
///
/// ```
/// let (mut splitter, mut lines) = (gclog::LineSplitter::new(), Vec::new());
/// splitter.push(b"one\ntw", &mut |line| lines.push(line.to_vec()));
/// splitter.push(b"o\r\nthree", &mut |line| lines.push(line.to_vec()));
/// splitter.finish(&mut |line| lines.push(line.to_vec()));
/// assert_eq!(lines, [&b"one"[..], b"two", b"three"]);
/// ```
#[derive(Debug, Default)]
pub struct LineSplitter {
    /// The begin of a line whose end was not seen yet.
    partial: Vec<u8>,
    /// Inside a line that is too long: everything up to its end is dropped.
    dropping: bool,
    too_long: u64,
}

impl LineSplitter {
    /// A splitter at the begin of a line.
    #[must_use]
    pub fn new() -> LineSplitter {
        LineSplitter::default()
    }

    /// Takes the next bytes and gives each line that ends in them to `on_line`.
    pub fn push(&mut self, chunk: &[u8], on_line: &mut impl FnMut(&[u8])) {
        let mut rest = chunk;
        while let Some(at) = memchr(b'\n', rest) {
            let (line, after) = (&rest[..at], &rest[at + 1..]);
            if self.partial.is_empty() && !self.dropping {
                self.whole(line, on_line);
            } else {
                self.hold(line);
                self.end_held(on_line);
            }
            rest = after;
        }
        self.hold(rest);
    }

    /// Gives the last line where the log does not end in a line end. The line may be cut short.
    pub fn finish(&mut self, on_line: &mut impl FnMut(&[u8])) {
        if self.dropping || !self.partial.is_empty() {
            self.end_held(on_line);
        }
    }

    /// How many lines were longer than [`MAX_LINE`] and dropped, including one that has not ended.
    #[must_use]
    pub fn too_long(&self) -> u64 {
        self.too_long
    }

    fn whole(&mut self, line: &[u8], on_line: &mut impl FnMut(&[u8])) {
        if line.len() > MAX_LINE {
            self.too_long += 1;
        } else {
            on_line(without_return(line));
        }
    }

    fn hold(&mut self, text: &[u8]) {
        if self.dropping {
            return;
        }
        if self.partial.len() + text.len() > MAX_LINE {
            self.dropping = true;
            self.too_long += 1;
            self.partial = Vec::new();
        } else {
            self.partial.extend_from_slice(text);
        }
    }

    fn end_held(&mut self, on_line: &mut impl FnMut(&[u8])) {
        if !self.dropping {
            on_line(without_return(&self.partial));
        }
        self.dropping = false;
        self.partial.clear();
    }
}

/// The line without the `\r` of a Windows line end.
#[inline]
pub(crate) fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(chunks: &[&[u8]]) -> (Vec<usize>, u64) {
        let (mut splitter, mut lengths) = (LineSplitter::new(), Vec::new());
        for chunk in chunks {
            splitter.push(chunk, &mut |line| lengths.push(line.len()));
            assert!(splitter.partial.len() <= MAX_LINE);
        }
        splitter.finish(&mut |line| lengths.push(line.len()));
        (lengths, splitter.too_long())
    }

    #[test]
    fn empty_lines_are_lines() {
        assert_eq!(split(&[b"a\n\n\r\nbb"]), (vec![1, 0, 0, 2], 0));
        assert_eq!(split(&[b""]), (vec![], 0));
    }

    #[test]
    fn a_return_may_be_in_another_chunk_than_its_newline() {
        assert_eq!(split(&[b"ab\r", b"\ncd"]), (vec![2, 2], 0));
    }

    #[test]
    fn the_longest_line_is_read_and_a_longer_one_dropped() {
        let longest = vec![b'x'; MAX_LINE];
        assert_eq!(split(&[&longest, b"\n", b"after\n"]), (vec![MAX_LINE, 5], 0));
        assert_eq!(split(&[&longest, b"x\n", b"after\n"]), (vec![5], 1));
        assert_eq!(split(&[&[&longest[..], b"x\nafter\n"].concat()]), (vec![5], 1));
    }

    #[test]
    fn a_line_without_end_holds_no_memory() {
        let chunk = vec![b'x'; 1 << 16];
        let chunks: Vec<&[u8]> = (0..100).map(|_| &chunk[..]).collect();
        assert_eq!(split(&chunks), (vec![], 1));
    }
}
