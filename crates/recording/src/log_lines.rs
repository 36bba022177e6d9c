//! The lines of the GC log; those of a long one compressed in memory.
//!
//! A JVM that collects once a second writes a million lines a day, 100 MB. They say much the same
//! again and again, and who explains a recording goes through them from the first to the last.
use crate::MonoTime;

/// One line of the GC log, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// When the recorder read it: an upper bound of when it was written.
    pub read: MonoTime,
    /// Byte offset of the line in its file.
    pub offset: u64,
    /// The line without its line end; bytes that are no UTF-8 are replaced.
    pub text: String,
}

/// As compressed as it gets without time: a day's lines take a tenth.
const LEVEL: i32 = 1;

/// Lines of a GC log in their order, compressed by blocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PackedLines {
    blocks: Vec<Block>,
    lines: usize,
}

#[derive(Clone, Debug, PartialEq)]
struct Block {
    /// Of the lines one after the other.
    length: usize,
    bytes: Box<[u8]>,
}

impl PackedLines {
    /// How many they are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lines
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines == 0
    }

    /// Adds lines behind the others. How many bytes they take.
    pub fn push(&mut self, lines: &[LogLine]) -> u64 {
        let mut text = Vec::new();
        let mut before = LogLine { read: MonoTime(0), offset: 0, text: String::new() };
        for it in lines {
            // Differences repeat, and what repeats is short.
            text.extend(it.read.0.wrapping_sub(before.read.0).to_le_bytes());
            text.extend(it.offset.wrapping_sub(before.offset).to_le_bytes());
            text.extend((it.text.len() as u64).to_le_bytes());
            text.extend(it.text.as_bytes());
            (before.read, before.offset) = (it.read, it.offset);
        }
        // In memory nothing can fail but the allocation, which ends the program anyway.
        let bytes = zstd::bulk::compress(&text, LEVEL).expect("compressing in memory");
        let taken = bytes.len() as u64;
        self.blocks.push(Block { length: text.len(), bytes: bytes.into() });
        self.lines += lines.len();
        taken
    }

    /// Adds those of `other` behind them.
    pub fn append(&mut self, mut other: PackedLines) {
        self.blocks.append(&mut other.blocks);
        self.lines += other.lines;
    }

    /// The lines, block by block, from the first to the last.
    pub fn blocks(&self) -> impl Iterator<Item = Vec<LogLine>> {
        self.blocks.iter().map(Block::unpacked)
    }

    /// Changes lines, and leaves out those for which `keep` is false.
    pub fn retain_mut(&mut self, mut keep: impl FnMut(&mut LogLine) -> bool) {
        let mut kept = PackedLines::default();
        for block in std::mem::take(&mut self.blocks) {
            let mut lines = block.unpacked();
            lines.retain_mut(&mut keep);
            kept.push(&lines);
        }
        *self = kept;
    }
}

impl Block {
    fn unpacked(&self) -> Vec<LogLine> {
        let text = zstd::bulk::decompress(&self.bytes, self.length).expect("what was compressed");
        let mut lines = Vec::new();
        let mut rest = text.as_slice();
        let (mut read, mut offset) = (0_u64, 0_u64);
        while let (Some(later), Some(further), Some(length)) =
            (number(&mut rest), number(&mut rest), number(&mut rest))
        {
            (read, offset) = (read.wrapping_add(later), offset.wrapping_add(further));
            let length = usize::try_from(length).expect("it was in memory");
            let (line, behind) = rest.split_at(length);
            rest = behind;
            let text = String::from_utf8_lossy(line).into_owned();
            lines.push(LogLine { read: MonoTime(read), offset, text });
        }
        lines
    }
}

fn number(rest: &mut &[u8]) -> Option<u64> {
    let (bytes, behind) = rest.split_first_chunk()?;
    *rest = behind;
    Some(u64::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(read: u64, offset: u64, text: &str) -> LogLine {
        LogLine { read: MonoTime(read), offset, text: text.into() }
    }

    fn all(packed: &PackedLines) -> Vec<LogLine> {
        packed.blocks().flatten().collect()
    }

    #[test]
    fn what_went_in_comes_out_in_its_order() {
        let first = vec![line(5, 0, "[0.1s] a"), line(7, 9, ""), line(7, u64::MAX, "ä")];
        // A log that was rotated begins at its first byte again.
        let second = vec![line(u64::MAX, 0, "b")];
        let mut packed = PackedLines::default();
        assert!(packed.is_empty() && all(&packed).is_empty());
        packed.push(&first);
        packed.push(&[]);
        packed.push(&second);
        assert_eq!(packed.len(), 4);
        assert_eq!(all(&packed), [first, second].concat());
    }

    #[test]
    fn lines_are_changed_and_left_out() {
        let mut packed = PackedLines::default();
        packed.push(&[line(1, 0, "keep"), line(2, 5, "drop")]);
        packed.push(&[line(3, 10, "keep")]);
        packed.retain_mut(|it| {
            it.text.push('!');
            it.text.starts_with("keep")
        });
        assert_eq!(all(&packed), [line(1, 0, "keep!"), line(3, 10, "keep!")]);
        assert_eq!(packed.len(), 2);
    }

    #[test]
    fn a_log_takes_a_tenth_and_less() {
        let text = |it: u64| format!("[{it}.123s][info][gc] GC({it}) Pause Young (Normal) 5.1ms");
        let lines: Vec<_> = (0..8192).map(|it| line(it * 1000, it * 60, &text(it))).collect();
        let bytes: usize = lines.iter().map(|it| it.text.len()).sum();
        let taken = PackedLines::default().push(&lines);
        assert!(taken * 10 < bytes as u64 * 2, "{taken} of {bytes}");
    }
}
