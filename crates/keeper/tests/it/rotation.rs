//! Rotation as HotSpot does it, between two rounds and between two keepers.
use super::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// Which HotSpot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// `gc.log` becomes `gc.log.N` (`LogFileOutput::rotate`).
    Unified,
    /// `gc.log.N.current` becomes `gc.log.N` (`gcLogFileStream::rotate_log`).
    Jdk8,
}

/// The log of a JVM.
struct Jvm<'a> {
    bench: &'a Bench,
    style: Style,
    count: usize,
    at: usize,
    /// All that was ever written.
    log: String,
    lines: usize,
}

impl Jvm<'_> {
    fn new(bench: &Bench, style: Style, count: usize) -> Jvm<'_> {
        let jvm = Jvm { bench, style, count, at: 0, log: String::new(), lines: 0 };
        fs::write(jvm.written(), "").unwrap();
        jvm
    }

    fn written(&self) -> PathBuf {
        match self.style {
            Style::Unified => self.bench.log(),
            Style::Jdk8 => self.bench.rotated(&format!("{}.current", self.at)),
        }
    }

    fn write(&mut self, count: usize) {
        let text = lines(self.lines, count);
        self.lines += count;
        append(&self.written(), &text);
        self.log += &text;
    }

    fn rotate(&mut self) {
        let digits = (self.count - 1).to_string().len();
        let rotated = match self.style {
            Style::Unified => self.bench.rotated(&format!("{:01$}", self.at, digits)),
            Style::Jdk8 => self.bench.rotated(&self.at.to_string()),
        };
        let _ = fs::remove_file(&rotated);
        fs::rename(self.written(), rotated).unwrap();
        self.at = (self.at + 1) % self.count;
        fs::write(self.written(), "").unwrap();
    }
}

const STYLES: [Style; 2] = [Style::Unified, Style::Jdk8];

#[test]
fn rotations_between_rounds_lose_nothing() {
    for style in STYLES {
        for rotations in 1..4 {
            let bench = Bench::new();
            let mut jvm = Jvm::new(&bench, style, 4);
            let mut keeper = bench.keeper();
            for _ in 0..9 {
                jvm.write(3);
                keeper.round().unwrap();
                for n in 0..rotations {
                    jvm.write(2);
                    jvm.rotate();
                    jvm.write(n % 2);
                }
            }
            let (_, reported) = round(&mut keeper);
            assert_eq!(reported, ["copying to `gc.log.zst`"], "{style:?} {rotations}");
            assert_eq!(bench.text(), jvm.log, "{style:?} {rotations}");
        }
    }
}

/// Sets the wall clock of the host for all files of the log, to any time in sixty years: what a file
/// has of the clock is when it was changed.
fn jump(bench: &Bench, random: &mut Random) {
    let files = fs::read_dir(bench.log().parent().unwrap()).unwrap().flatten();
    for file in files.filter(|it| it.file_name().to_string_lossy().starts_with("gc.log")) {
        let file = fs::File::options().write(true).open(file.path()).unwrap();
        let at = Duration::from_secs(random.below(60 * 365 * 86_400));
        file.set_modified(std::time::UNIX_EPOCH + at).unwrap();
    }
}

#[test]
fn whatever_happens_in_whichever_order_the_copy_is_the_log() {
    in_any_order(|_, _| ());
}

#[test]
fn the_copy_is_the_log_however_the_clock_jumps() {
    in_any_order(jump);
}

/// Writes, rotates, copies and restarts in orders that a seed makes; the clock does what `tick` makes it
/// do after each.
fn in_any_order(tick: fn(&Bench, &mut Random)) {
    for seed in 0..300 {
        let mut random = Random(seed);
        let style = STYLES[usize::try_from(random.below(2)).unwrap()];
        let bench = Bench::new();
        let count = 3 + usize::try_from(random.below(10)).unwrap();
        let mut jvm = Jvm::new(&bench, style, count);
        let mut keeper = bench.keeper();
        let mut rotations = 0;
        for _ in 0..60 {
            match random.below(10) {
                0..4 => jvm.write(1 + usize::try_from(random.below(4)).unwrap()),
                4..7 if rotations + 1 < count => {
                    rotations += 1;
                    jvm.rotate();
                }
                7 => {
                    drop(keeper);
                    keeper = bench.keeper();
                }
                _ => {
                    rotations = 0;
                    keeper.round().unwrap();
                }
            }
            tick(&bench, &mut random);
        }
        keeper.round().unwrap();
        let reported = said(&mut keeper);
        assert_eq!(bench.text(), jvm.log, "seed {seed} {style:?} {count} {reported:?}");
        assert!(!reported.iter().any(|it| it.contains("lost")), "seed {seed} {reported:?}");
    }
}

#[test]
fn a_ring_that_was_there_before_is_copied_from_its_oldest_file() {
    for style in STYLES {
        let bench = Bench::new();
        let mut jvm = Jvm::new(&bench, style, 4);
        for _ in 0..3 {
            jvm.write(5);
            jvm.rotate();
        }
        jvm.write(5);
        bench.keeper().round().unwrap();
        assert_eq!(bench.text(), jvm.log, "{style:?}");
    }
}

#[test]
fn file_rotated_away_is_reported_with_its_details() {
    for style in STYLES {
        let bench = Bench::new();
        let mut jvm = Jvm::new(&bench, style, 3);
        let mut keeper = bench.keeper();
        jvm.write(4);
        round(&mut keeper);
        for _ in 0..9 {
            jvm.write(4);
            jvm.rotate();
        }
        let (_, reported) = round(&mut keeper);
        let wanted = "the log was rotated away before it was read: 0 bytes or more are not copied";
        assert_eq!(reported, [wanted], "{style:?}");
        let text = bench.text();
        assert!(text.ends_with(&jvm.log[jvm.log.len() - 60..]) && text.len() < jvm.log.len());
        assert_eq!(round(&mut keeper).1, [""; 0]);
        jvm.write(1);
        jvm.rotate();
        jvm.write(1);
        assert_eq!(round(&mut keeper).1, [""; 0]);
        assert!(bench.text().ends_with(&lines(jvm.lines - 2, 2)));
    }
}

#[test]
fn file_rotated_away_between_two_keepers_is_reported() {
    let bench = Bench::new();
    let mut jvm = Jvm::new(&bench, Style::Unified, 2);
    jvm.write(4);
    bench.keeper().round().unwrap();
    for _ in 0..5 {
        jvm.write(4);
        jvm.rotate();
    }
    let mut keeper = bench.keeper();
    assert!(round(&mut keeper).1[0].starts_with("the log was rotated away before"));
}

#[test]
fn a_log_that_is_truncated_or_overwritten_is_read_from_its_begin() {
    for new in [lines(500, 2), lines(500, 90)] {
        let bench = Bench::new();
        append(&bench.log(), &lines(0, 20));
        let mut keeper = bench.keeper();
        round(&mut keeper);
        // The same file, as a JVM with `filecount=0` does it.
        fs::write(bench.log(), &new).unwrap();
        let wanted = "`gc.log` was truncated or replaced, it is read from its begin";
        assert_eq!(round(&mut keeper).1, [wanted]);
        assert_eq!(bench.text(), lines(0, 20) + &new);
        drop(keeper);
        fs::write(bench.log(), lines(700, 50)).unwrap();
        assert_eq!(round(&mut bench.keeper()).1, [wanted]);
        assert_eq!(bench.text(), lines(0, 20) + &new + &lines(700, 50));
    }
}

#[test]
fn replaced_file_is_read_after_the_end_of_the_old_one() {
    let bench = Bench::new();
    append(&bench.log(), &lines(0, 20));
    let mut keeper = bench.keeper();
    round(&mut keeper);
    append(&bench.log(), &lines(20, 5));
    fs::remove_file(bench.log()).unwrap();
    append(&bench.log(), &lines(600, 5));
    let wanted = "`gc.log` was truncated or replaced, it is read from its begin";
    assert_eq!(round(&mut keeper).1, [wanted]);
    assert_eq!(bench.text(), lines(0, 25) + &lines(600, 5));
}

#[test]
fn a_copy_by_somebody_else_is_not_taken_for_a_rotated_file() {
    let bench = Bench::new();
    append(&bench.log(), &lines(0, 20));
    let mut keeper = bench.keeper();
    round(&mut keeper);
    // As logrotate does it with `copytruncate`.
    fs::copy(bench.log(), bench.rotated("1")).unwrap();
    fs::write(bench.log(), "").unwrap();
    append(&bench.log(), &lines(600, 5));
    round(&mut keeper);
    assert_eq!(bench.text(), lines(0, 20) + &lines(600, 5));
}

#[test]
fn a_copy_by_somebody_else_does_not_end_the_file_of_a_jvm_8() {
    let bench = Bench::new();
    let mut jvm = Jvm::new(&bench, Style::Jdk8, 3);
    let mut keeper = bench.keeper();
    jvm.write(4);
    round(&mut keeper);
    fs::write(bench.rotated("2"), "somebody's\n").unwrap();
    for _ in 0..3 {
        jvm.write(4);
        assert_eq!(round(&mut keeper).1, [""; 0]);
        assert_eq!(bench.text(), jvm.log);
    }
}

#[test]
fn rotations_within_a_round_lose_nothing() {
    for style in STYLES {
        let bench = Bench::new();
        let mut jvm = Jvm::new(&bench, style, 300);
        let mut keeper = bench.keeper();
        let over = AtomicBool::new(false);
        let (log, mut reported) = std::thread::scope(|scope| {
            let writing = scope.spawn(|| {
                for _ in 0..290 {
                    jvm.write(2);
                    jvm.rotate();
                    // Some rounds are between two rotations, and some are not.
                    std::thread::sleep(Duration::from_micros(100));
                }
                over.store(true, Ordering::Relaxed);
                jvm.log
            });
            let mut reported = Vec::new();
            while !over.load(Ordering::Relaxed) {
                reported.extend(round(&mut keeper).1);
            }
            (writing.join().unwrap(), reported)
        });
        reported.extend(round(&mut keeper).1);
        assert_eq!(reported, ["copying to `gc.log.zst`"], "{style:?}");
        assert_eq!(bench.text(), log, "{style:?}");
    }
}

#[test]
fn the_file_of_a_jvm_8_that_was_killed_does_not_hide_that_of_the_next() {
    let bench = Bench::new();
    let mut jvm = Jvm::new(&bench, Style::Jdk8, 3);
    let mut keeper = bench.keeper();
    for _ in 0..2 {
        jvm.write(4);
        jvm.rotate();
    }
    jvm.write(4);
    round(&mut keeper);
    jvm.at = 0;
    fs::remove_file(bench.rotated("0")).unwrap();
    for _ in 0..4 {
        jvm.write(4);
        round(&mut keeper);
        jvm.rotate();
    }
    jvm.write(4);
    let (_, reported) = round(&mut keeper);
    assert_eq!(reported, [""; 0]);
    assert_eq!(bench.text(), jvm.log);
}
