//! Lines read in one go and by their brackets: what becomes of them is the same.
use super::*;
use crate::{Event, LineSplitter, Parser};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Larger logs have no other lines than smaller ones.
const MAX_LOG: u64 = 8 << 20;

/// Two parsers of the same lines: one reads what it can in one go, the other does not.
struct Both {
    fast: Parser,
    slow: Parser,
}

impl Both {
    fn new() -> Both {
        let (fast, mut slow) = (Parser::new(), Parser::new());
        slow.legacy.only_brackets = true;
        Both { fast, slow }
    }

    /// Events, counts and all that is kept for later lines are the same.
    fn line(&mut self, line: &[u8], place: &dyn Fn() -> String) {
        self.each(|parser, sink| parser.line(line, &mut |event| sink(event)), &|| {
            format!("{}: {}", place(), String::from_utf8_lossy(line))
        });
    }

    fn finish(&mut self, place: &dyn Fn() -> String) {
        self.each(|parser, sink| parser.finish(&mut |event| sink(event)), place);
    }

    fn each(
        &mut self,
        step: impl Fn(&mut Parser, &mut dyn FnMut(Event)),
        place: &dyn Fn() -> String,
    ) {
        let (mut fast, mut slow) = (Vec::new(), Vec::new());
        step(&mut self.fast, &mut |event| fast.push(event));
        step(&mut self.slow, &mut |event| slow.push(event));
        assert_eq!(fast, slow, "{}", place());
        self.fast.legacy.only_brackets = true;
        let same = self.fast.legacy == self.slow.legacy && self.fast.counts() == self.slow.counts();
        self.fast.legacy.only_brackets = false;
        assert!(same, "{}\n{:#?}\n{:#?}", place(), self.fast, self.slow);
    }
}

/// Whether the line is read in one go where no record is open.
fn is_whole(line: &str) -> bool {
    Legacy::default().whole(line.as_bytes(), &mut |_| {})
}

fn files(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.metadata().is_ok_and(|it| it.len() <= MAX_LOG) {
            found.push(path);
        }
    }
}

/// The logs of this project, and the public ones where they are at hand.
fn logs() -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/gclogs/jdk8");
    files(&own, &mut found);
    if let Some(corpus) = std::env::var_os("WHYPAUSE_CORPUS") {
        files(Path::new(&corpus), &mut found);
    }
    found.sort();
    let read = |path: PathBuf| (path.display().to_string(), fs::read(path).expect("readable"));
    found.into_iter().map(read).collect()
}

#[test]
fn every_log_reads_the_same() {
    for (name, log) in logs() {
        let (mut both, mut splitter) = (Both::new(), LineSplitter::new());
        splitter.push(&log, &mut |line| both.line(line, &|| name.clone()));
        splitter.finish(&mut |line| both.line(line, &|| name.clone()));
        both.finish(&|| name.clone());
    }
}

/// One of each form.
const LINES: [&str; 20] = [
    "2026-11-22T00:16:47.756+0000: 0.256: [GC (Allocation Failure) 2026-11-22T00:16:47.756+0000: 0.256: [ParNew: 9856K->1216K(11072K), 0.0162379 secs] 9856K->5890K(47936K), 0.0163193 secs] [Times: user=0.01 sys=0.00, real=0.02 secs] ",
    "2026-11-22T00:16:47.773+0000: 0.272: Total time for which application threads were stopped: 0.0164658 seconds, Stopping threads took: 0.0000333 seconds",
    "0.272: Total time for which application threads were stopped: 0,0164658 seconds",
    "2026-11-22T00:16:47.773+0000: 0.272: #7: [GC (CMS Initial Mark) [1 CMS-initial-mark: 14707K(36864K)] 17037K(47936K), 0.0010599 secs] [Times: user=0.00 sys=0.00, real=0.00 secs] ",
    "0.188: #0: [GC (System.gc()) [PSYoungGen: 6140K->992K(7168K)] 6140K->5862K(23552K), 0.0095609 secs] [Times: user=0.00 sys=0.00, real=0.01 secs] ",
    "9.9: [GC 9.9: [ParNew: 9K->9K(9K), 9.9000000 secs] 9K->9K(9K) icms_dc=9 , 19.9000000 secs] [Times: user=29.90 sys=9.90, real=19.90 secs] ",
    "9.900: [GC 9.900: [ParNew: 9K->9K(9K), 9.9000000 secs] 9K->9K(9K) icms_dc=9 , 19.9000000 secs] [Times: user=29.90 sys=9.90, real=19.90 secs] ",
    "9.900: [GC 9K(9K), 9.9000000 secs]",
    "9.900: [Full GC 9K->9K(9K), 9.9000000 secs]",
    "[GC 511K->180K(1984K), 0.0095672 secs]",
    "9.900: [Full GC (System) 9.900: [CMS: 9K->9K(9K), 9.9000000 secs] 9K->9K(9K), [CMS Perm : 9K->9K(9K)], 9.9000000 secs] [Times: user=9.90 sys=9.90, real=9.90 secs] ",
    "9.900: [GC (GCLocker Initiated GC)9.900: [ParNew: 9K->9K(9K), 9.9000000 secs] 9K->9K(9K), 9.9000000 secs] ",
    "9.900: [Full GC (Ergonomics) [PSYoungGen: 9K->9K(9K)] [ParOldGen: 9K->9K(9K)] 9K->9K(9K) [PSPermGen: 9K->9K(9K)], 9.9000000 secs] [Times: user=9.90 sys=9.90, real=9.90 secs] ",
    "9.900: [Full GC (Ergonomics) [PSYoungGen: 9K->9K(9K)] [ParOldGen: 9K->9K(9K)] 9K->9K(9K), [Metaspace: 9K->9K(9K)], 9.9000000 secs]",
    "22.879: [GC 22.879: [DefNew: 1855K->125K(1856K), 0.0099038 secs]22.889: [Tenured: 14638K->9916K(14720K), 0.8038262 secs] 16358K->9916K(16576K), 0.8142078 secs]",
    "1.234: [Full GC (System.gc()) 1.234: [Tenured: 9K->9K(9K), 9.9000000 secs] 9K->9K(9K), [Metaspace: 9K->9K(9K)], 9.9000000 secs] [Times: user=9.90 sys=9.90, real=9.90 secs] ",
    "2026-11-22T00:16:47.975+0000: 0.474: [CMS-concurrent-mark-start]",
    "2026-11-22T00:16:47.980+0000: 0.479: [CMS-concurrent-mark: 0.005/0.005 secs] [Times: user=0.01 sys=0.00, real=0.01 secs] ",
    "9.900: #3: [CMS-concurrent-reset: 0.015/0.049 secs] [Times: user=0.02 sys=0.02, real=0.05 secs] ",
    "9.900: [GC concurrent-mark-end, 0.0437048 secs]",
];

/// Pieces of records, which leave some open.
const PIECES: [&str; 11] = [
    "9.900: [GC (Allocation Failure) 9.900: [ParNew",
    ": 9K->9K(9K), 0.0000001 secs] 9K->9K(9K), 0.0000001 secs]",
    "9.900: [GC [1 CMS-initial-mark: 9K(9K)] 9K(9K), 0.0000001 secs]",
    "9.900: [GC (CMS Final Remark) [YG occupancy: 9 K (9 K)]",
    "9.900: [Rescan (parallel) , 0.0000001 secs] [1 CMS-remark: 9K(9K)] 9K(9K), 0.0000001 secs]",
    "CMSCollect  [ 22 0 1 ]  [ 0 0 0 0 68 ]  0",
    "2026-11-22T00:17:48.122+0000: 0.144: #0: [ParNew2026-11-22T00:17:48.146+0000: 0.169: #0: [SoftReference, 0 refs, 0.0000355 secs]2026-11-22T00:17:48.146+0000: 0.169: #0: [WeakReference, 208 refs, 0.0000187 secs]",
    "9.900: [FinalReference, 9 refs, 0.0000001 secs]9.900: [PhantomReference, 9 refs, 9 refs, 0.0000001 secs]9.900: [JNI Weak Reference, 0.0000001 secs]: 9K->9K(9K), 0.0000001 secs] 9K->9K(9K), 0.0000001 secs] [Times: user=0.01 sys=0.00, real=0.03 secs] ",
    "9.900: [GC (CMS Final Remark) [YG occupancy: 9 K (9 K)]9.900: [GC (CMS Final Remark) 9.900: [ParNew",
    ": 9K->9K(9K), 0.0000001 secs] 9K->9K(9K), 0.0000001 secs] [Times: user=0.01 sys=0.00, real=0.03 secs] ",
    "9.900: [CMS[Phase[Of[Many[Brackets[That[Never[Close[In[This[Line[At[All",
];

#[test]
fn the_usual_forms_are_read_in_one_go() {
    let other: Vec<&str> = LINES.into_iter().filter(|line| !is_whole(line)).collect();
    assert_eq!(other, [LINES[5]], "its uptime has one decimal, which HotSpot does not write");
}

#[test]
fn the_usual_pieces_of_an_open_record_are_read_in_one_go() {
    let (mut legacy, out) = (Legacy::default(), &mut |_| {});
    assert_eq!(legacy.line(PIECES[0].as_bytes(), out), Ok(true));
    let parts =
        b"[SoftReference, 9 refs, 0.0000355 secs]9.900: [JNI Weak Reference, 0.0000001 secs]";
    assert_eq!(legacy.references(&[&parts[..], b"9.900: [x"].concat(), 0), Some(parts.len()));
    let tail = PIECES[9].as_bytes();
    assert_eq!(legacy.tail(tail, 0, out), Some(tail.len()));
    assert_eq!(legacy.tail(tail, 0, out), None, "no record is open any more");
}

#[test]
fn nothing_else_is_read_in_one_go() {
    for line in [
        "",
        "[GC",
        "1.234: [GC (young) 9K->9K(9K), 0.0000001 secs]",
        "1.234: [GC pause (young) 9M->9M(9M), 0.0000001 secs]",
        "1.234: [GC-- 9K->9K(9K), 0.0000001 secs]",
        "1.234: [GC [ParNew (promotion failed): 9K->9K(9K), 0.0000001 secs] 9K->9K(9K), 0.0000001 secs]",
        "1.234: [GC [PSYoungGen: 9K->9K(9K)] 9K->9K(9K), 0.0000001 secs] x",
        "1970-13-01T00:00:01.123+0000: [GC 9K->9K(9K), 0.0000001 secs]",
        "1.234: Total time for which application threads were stopped: 0.0000001 seconds, Stop",
    ] {
        assert!(!is_whole(line), "{line}");
    }
}

/// Marsaglia's xorshift: the same numbers on every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).expect("31 bits") % end.max(1)
    }
}

/// A line that is damaged in one way or another, or not at all.
fn damaged(numbers: &mut Numbers) -> Vec<u8> {
    if numbers.below(8) == 0 {
        return PIECES[numbers.below(PIECES.len())].as_bytes().to_vec();
    }
    let place = numbers.below(LINES.len() + PIECES.len());
    let text = LINES.get(place).unwrap_or_else(|| &PIECES[place - LINES.len()]);
    let mut line = text.as_bytes().to_vec();
    let other = LINES[numbers.below(LINES.len())].as_bytes();
    let (at, end) = (numbers.below(line.len()), numbers.below(other.len()));
    match numbers.below(9) {
        0 => line.truncate(at),
        1 => drop(line.drain(..at)),
        2 => line[at] = b"0 :.,-+[]()>{#TGK\n\xff"[numbers.below(19)],
        3 => line.insert(at, b"0 :.,-+[]()>{#TGK\n\xff"[numbers.below(19)]),
        4 => drop(line.remove(at)),
        5 => drop(line.splice(at..at, other[..end].iter().copied())),
        6 => line.extend_from_slice(&other[end..]),
        7 => line[at] ^= 1 << numbers.below(8),
        _ => {}
    }
    line
}

#[test]
fn damaged_lines_read_the_same() {
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    for _ in 0..1_500 {
        let mut both = Both::new();
        let mut log = Vec::new();
        for _ in 0..40 {
            let line = damaged(&mut numbers);
            log.push(String::from_utf8_lossy(&line).into_owned());
            both.line(&line, &|| log.join("\n"));
        }
        both.finish(&|| log.join("\n"));
    }
}
