//! Cuts bytes into lines, wherever they are cut.
use super::{LogLine, MonoTime};
use recording::masked_log_line;

/// Longer lines are dropped: no JVM writes them, and memory is bounded.
const MAX_LINE_BYTES: usize = 1024 * 1024;

/// The state between two chunks.
#[derive(Debug)]
pub(in crate::host) struct Lines {
    /// Offset of the next byte in its file.
    next: u64,
    /// Where the line at hand starts.
    start: u64,
    partial: Vec<u8>,
    /// Whether the line at hand is too long, and only its end is waited for.
    too_long: bool,
    /// Whether reading starts within a line, of which nothing is kept.
    pub(in crate::host) skip_first: bool,
    /// Lines dropped for their length.
    pub(super) dropped: u64,
}

impl Lines {
    /// Starts at an offset.
    pub(in crate::host) fn at(offset: u64) -> Lines {
        Lines {
            next: offset,
            start: offset,
            partial: Vec::new(),
            too_long: false,
            skip_first: false,
            dropped: 0,
        }
    }

    /// Takes the bytes that follow and hands over each line that they complete.
    pub(in crate::host) fn feed(
        &mut self,
        bytes: &[u8],
        read: MonoTime,
        see: &mut dyn FnMut(LogLine),
    ) {
        for part in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.next += part.len() as u64;
            match part.strip_suffix(b"\n") {
                Some(end) => {
                    self.take(end);
                    self.finish(read, see);
                }
                None => self.take(part),
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.too_long |= self.partial.len() + bytes.len() > MAX_LINE_BYTES;
        match self.too_long {
            true => self.partial = Vec::new(),
            false => self.partial.extend_from_slice(bytes),
        }
    }

    fn finish(&mut self, read: MonoTime, see: &mut dyn FnMut(LogLine)) {
        let start = std::mem::replace(&mut self.start, self.next);
        if std::mem::take(&mut self.too_long) {
            self.dropped += 1;
        } else if !self.skip_first {
            // A file truncated under a writer that does not append is filled up with zeros.
            let zeros = self.partial.iter().take_while(|&&byte| byte == 0).count();
            let line = &self.partial[zeros..];
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let text = String::from_utf8_lossy(line).into_owned();
            let text = masked_log_line(text);
            see(LogLine { read, offset: start + zeros as u64, text });
        }
        self.skip_first = false;
        self.partial.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(chunks: &[&[u8]], skip_first: bool, expected: &str) {
        let mut lines = Lines::at(100);
        lines.skip_first = skip_first;
        let mut shown = Vec::new();
        for chunk in chunks {
            lines.feed(chunk, MonoTime(1), &mut |it| {
                shown.push(format!("{} {}", it.offset, it.text))
            });
        }
        assert_eq!(shown.join("|"), expected);
    }

    #[test]
    fn lines_are_the_same_wherever_they_are_cut() {
        let text = b"first\nsecond\r\n\nlast\nrest";
        for at in 0..=text.len() {
            check(&[&text[..at], &text[at..]], false, "100 first|106 second|114 |115 last");
        }
    }

    #[test]
    fn the_rest_of_a_line_is_no_line() {
        check(&[b"rest", b" of it\nfirst\n"], true, "111 first");
    }

    #[test]
    fn zeros_before_a_line_are_a_hole() {
        check(&[b"\0\0\0", b"\0line\n"], false, "104 line");
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        check(&[b"a\xffb\n"], false, "100 a\u{fffd}b");
    }

    #[test]
    fn a_line_with_the_command_line_loses_its_arguments() {
        let line = b"[info][arguments] java_command: Main --token hunter2\n";
        check(&[line], false, "100 [info][arguments] java_command: Main \u{2026}");
        let line = b"[info][arguments] jvm_args: -Xmx1g -Dpassword=hunter2\n";
        check(&[line], false, "100 [info][arguments] jvm_args: -Xmx1g");
    }

    #[test]
    fn length_both_sides() {
        for (length, kept, dropped) in [(MAX_LINE_BYTES, 1, 0), (MAX_LINE_BYTES + 1, 0, 1)] {
            let mut lines = Lines::at(0);
            let mut count = 0;
            let long = vec![b'x'; length];
            for chunk in long.chunks(60_000) {
                lines.feed(chunk, MonoTime(1), &mut |_| count += 1);
            }
            lines.feed(b"\nnext\n", MonoTime(1), &mut |_| count += 1);
            assert_eq!((count, lines.dropped), (kept + 1, dropped));
        }
    }
}
