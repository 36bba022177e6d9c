//! Damaged logs: cut, flipped, chopped. Nothing panics, and nothing is made up.
use super::{logs, parse, unified_logs};
use gclog::{Event, LineSplitter, LogKind, Parser};
use std::time::Duration;

/// Logs up to this size are cut at every byte; the time grows with its square.
const CUT_EVERYWHERE: usize = 6_000;

/// What must not change when a log is cut.
fn essence(event: &Event) -> Option<(u64, Duration)> {
    match event {
        Event::Gc(it) => Some((it.gc_id, it.duration)),
        Event::Safepoint(it) => Some((u64::MAX, it.total)),
        Event::Jvm(_)
        | Event::ConcurrentCycle(_)
        | Event::AllocationStall(_)
        | Event::HumongousAllocation(_)
        | Event::FreeSpace(_)
        | Event::MonitorPause(_)
        | Event::CollectionShare(_)
        | Event::ClockJump(_) => None,
    }
}

#[test]
fn a_log_cut_at_any_byte_is_a_shorter_log() {
    let small = logs().into_iter().filter(|(_, log)| log.len() <= CUT_EVERYWHERE);
    let mut cut = 0;
    for (path, log) in small {
        let whole: Vec<_> = parse(&log).0.iter().filter_map(essence).collect();
        for end in 0..log.len() {
            let (events, counts) = parse(&log[..end]);
            let part: Vec<_> = events.iter().filter_map(essence).collect();
            assert!(whole.starts_with(&part), "{} cut at {end}", path.display());
            let lines = counts.used + counts.of_no_interest + counts.unrecognised();
            assert_eq!(counts.lines, lines, "{} cut at {end}", path.display());
        }
        cut += 1;
    }
    assert!(cut >= 8, "only {cut} logs are small enough");
}

#[test]
fn a_line_cut_at_any_byte_never_becomes_another_event() {
    for (path, log) in logs() {
        for line in log.split(|&byte| byte == b'\n') {
            let whole: Vec<_> = parse(line).0.iter().filter_map(essence).collect();
            for end in 0..line.len() {
                let (events, _) = parse(&line[..end]);
                let part: Vec<_> = events.iter().filter_map(essence).collect();
                assert!(
                    part.is_empty() || part == whole,
                    "{}: {}",
                    path.display(),
                    String::from_utf8_lossy(&line[..end])
                );
            }
        }
    }
}

/// Marsaglia's xorshift: the same numbers on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).expect("smaller than a usize")
    }
}

#[test]
fn flipped_bytes_do_not_panic() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for (_, log) in logs() {
        for _ in 0..40 {
            let mut damaged = log.clone();
            for _ in 0..damaged.len() / 50 {
                let at = random.below(damaged.len());
                damaged[at] = u8::try_from(random.below(256)).expect("a byte");
            }
            let (_, counts) = parse(&damaged);
            let lines = counts.used + counts.of_no_interest + counts.unrecognised();
            assert_eq!(counts.lines, lines);
            let _: LogKind = LogKind::detect(&damaged);
        }
    }
}

#[test]
fn lines_in_any_order_do_not_panic_and_every_pause_comes_out() {
    let mut random = Random(42);
    for (path, log) in unified_logs() {
        let mut lines: Vec<&[u8]> = log.split(|&byte| byte == b'\n').collect();
        for at in (1..lines.len()).rev() {
            lines.swap(at, random.below(at + 1));
        }
        let pauses = |log: &[u8]| {
            let (events, _) = parse(log);
            events.iter().filter(|it| matches!(it, Event::Gc(_))).count()
        };
        assert_eq!(pauses(&lines.join(&b'\n')), pauses(&log), "{}", path.display());
    }
}

#[test]
fn chunks_of_any_size_give_the_same_lines() {
    let mut random = Random(7);
    for (path, log) in logs() {
        let whole: Vec<Vec<u8>> = split(&log, || usize::MAX);
        for size in [1, 2, 3, 64, 4_096] {
            assert_eq!(split(&log, || size), whole, "{} by {size}", path.display());
        }
        assert_eq!(split(&log, || 1 + random.below(300)), whole, "{}", path.display());
    }
}

fn split(log: &[u8], mut size: impl FnMut() -> usize) -> Vec<Vec<u8>> {
    let (mut splitter, mut lines) = (LineSplitter::new(), Vec::new());
    let mut rest = log;
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at(size().min(rest.len()));
        splitter.push(chunk, &mut |line| lines.push(line.to_vec()));
        rest = after;
    }
    splitter.finish(&mut |line| lines.push(line.to_vec()));
    lines
}

#[test]
fn endless_unfinished_legacy_records_hold_no_memory() {
    let mut parser = Parser::new();
    for _ in 0..20_000 {
        for line in [
            "1.0: [GC (CMS Final Remark)[YG occupancy: 1 K (2 K)]1.0: [Rescan [weak refs processing",
            "1.0: [ParNew: 1K->1K(2K)[CMS: 1K->1K(2K)[Metaspace: 1K->1K(2K)",
            "[SoftReference, 1 refs, 0.0 secs][class unloading, 0.1 secs]",
            "   [Ref Proc: 0.1 ms] [Eden: 1K(1K)->0B(1K) Survivors: 0B->1K Heap: 1K(1K)->1K(1K)]",
        ] {
            parser.line(line.as_bytes(), &mut |_| {});
        }
    }
    let held = format!("{parser:?}").len();
    assert!(held < 60_000, "{held} bytes as text");
}

/// The time that this thread was on a CPU: what others have the CPUs for is not in it (`proc_pid_schedstat(5)`).
fn cpu_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("/proc");
    Duration::from_nanos(text.split(' ').next().expect("a number").parse().expect("a number"))
}

#[test]
fn long_lines_without_sense_take_linear_time() {
    let parts = [
        "[",
        "]",
        "[GC",
        "[GC (",
        "[GC pause (",
        "1.0: [GC ",
        "1.1",
        "1K(1K)",
        "1K->1K(1K)",
        "(",
        "[P",
        "[Pause ",
        "[Concurrent ",
        "[Times: ",
        "[0x",
        "[Eden: ",
        "[G1Ergonomics (",
        "T",
        "Total time ",
        "[CMS-concurrent-",
        "#1: ",
        "--",
        "->",
        "1.0: ",
        " secs",
        ", 1.0 secs]",
        "   [",
    ];
    for part in parts {
        for start in ["", "1.0: [GC 1.0: [ParNew", "   ", "x"] {
            let line = start.to_owned() + &part.repeat(200_000 / part.len());
            let (mut parser, begun) = (Parser::new(), cpu_time());
            parser.line(b"1.0: [GC pause (young), 0.1 secs]", &mut |_| {});
            parser.line(line.as_bytes(), &mut |_| {});
            let took = cpu_time() - begun;
            assert!(took < Duration::from_secs(2), "{start}{part}…: {took:?}");
        }
    }
}

#[test]
fn endless_unfinished_pauses_hold_no_memory() {
    let mut parser = Parser::new();
    let mut events = 0_u32;
    for id in 0..100_000 {
        for line in [
            format!("GC({id}) Pause Young (Normal) (G1 Evacuation Pause)"),
            format!("GC({id}) Eden regions: 30->0(26)"),
            format!("GC({id}) To-space exhausted"),
        ] {
            parser.line(line.as_bytes(), &mut |_| events += 1);
        }
    }
    parser.finish(&mut |_| events += 1);
    assert_eq!(events, 0);
    let held = format!("{parser:?}").len();
    assert!(held < 20_000, "{held} bytes as text");
}
