//! Whether a job still does something: it prints, or a process of it computes.
//!
//! A limit on the whole would be a limit on the machine: a slow one needs hours for what hangs nowhere.
use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    time::{Duration, Instant},
};

/// CPU time that counts as a sign of life: more than what waiting takes, which looks again every
/// 5 ms, in the longest patience.
const COMPUTED: Duration = Duration::from_secs(10);

/// A tick of the times in `/proc/PID/stat` (`USER_HZ`, which is 100 on all architectures we know).
const TICK: Duration = Duration::from_millis(10);

/// When a job last gave a sign of life.
#[derive(Debug)]
pub(crate) struct Life {
    /// Of that time.
    at: Instant,
    /// What it had printed then, in bytes.
    printed: u64,
    /// What it had computed then.
    computed: Duration,
}

impl Life {
    pub(crate) fn begin(now: Instant) -> Life {
        Life { at: now, printed: 0, computed: Duration::ZERO }
    }

    /// For how long it has shown nothing, by what it has printed and computed so far.
    pub(crate) fn silent(&mut self, now: Instant, printed: u64, computed: Duration) -> Duration {
        // Less than before: a process ended whose parent did not wait for it.
        let is_other = computed < self.computed;
        if printed != self.printed || is_other || computed - self.computed >= COMPUTED {
            *self = Life { at: now, printed, computed };
        }
        now - self.at
    }
}

/// A process, as far as it says what it has computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Process {
    parent: u32,
    computed: Duration,
}

/// What a process, and all that it started and that is still below it, has computed, with those that
/// it waited for.
pub(crate) fn computed_below(root: u32) -> Duration {
    sum_below(root, &processes(Path::new("/proc")))
}

fn sum_below(root: u32, all: &BTreeMap<u32, Process>) -> Duration {
    let is_below = |mut pid: u32| {
        // A chain of parents that is longer than this has changed while it was read.
        for _ in 0..100 {
            match all.get(&pid) {
                _ if pid == root => return true,
                Some(it) => pid = it.parent,
                None => return false,
            }
        }
        false
    };
    all.iter().filter(|(pid, _)| is_below(**pid)).map(|(_, it)| it.computed).sum()
}

fn processes(proc: &Path) -> BTreeMap<u32, Process> {
    let entries = fs::read_dir(proc).into_iter().flatten().flatten();
    let pids = entries.filter_map(|it| it.file_name().to_str()?.parse().ok());
    let read = |pid: u32| {
        let stat = fs::read_to_string(proc.join(pid.to_string()).join("stat")).ok()?;
        Some((pid, process(&stat)?))
    };
    pids.filter_map(read).collect()
}

/// `pid (name) state ppid …`; utime, stime, cutime and cstime are fields 14 to 17 (`proc(5)`).
fn process(stat: &str) -> Option<Process> {
    // A name may have anything in it, blanks and brackets too.
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let ticks = fields.get(11..15)?.iter().map(|it| it.parse::<u32>().ok());
    let ticks = ticks.sum::<Option<u32>>()?;
    Some(Process { parent: fields.get(1)?.parse().ok()?, computed: TICK * ticks })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printing_or_computing_is_life_and_time_alone_is_not() {
        let begun = Instant::now();
        let after = |seconds| begun + Duration::from_secs(seconds);
        let mut life = Life::begin(begun);
        assert_eq!(life.silent(after(9), 0, Duration::ZERO), Duration::from_secs(9));
        assert_eq!(life.silent(after(10), 1, Duration::ZERO), Duration::ZERO);
        let a_little = COMPUTED - TICK;
        assert_eq!(life.silent(after(12), 1, a_little), Duration::from_secs(2));
        assert_eq!(life.silent(after(13), 1, COMPUTED), Duration::ZERO);
        // somebody ended that nobody waited for
        assert_eq!(life.silent(after(14), 1, TICK), Duration::ZERO);
        assert_eq!(life.silent(after(16), 1, TICK), Duration::from_secs(2));
    }

    #[test]
    fn all_below_a_process_count_and_nobody_else() {
        let of = |parent, seconds| Process { parent, computed: Duration::from_secs(seconds) };
        let all = [(1, of(0, 100)), (5, of(1, 1)), (6, of(5, 2)), (7, of(6, 4)), (8, of(1, 50))];
        assert_eq!(sum_below(5, &all.into()), Duration::from_secs(7));
        assert_eq!(sum_below(9, &all.into()), Duration::ZERO);
        // never so, but for pids that were used again while they were read
        let round = [(5, of(6, 1)), (6, of(5, 1))];
        assert_eq!(sum_below(4, &round.into()), Duration::ZERO);
    }

    #[test]
    fn a_name_with_brackets_and_blanks_is_read() {
        let stat = "42 (a) b ) R 7 42 42 0 -1 4194304 1 2 3 4 10 20 30 40 20 0 1 0 5";
        let computed = Duration::from_secs(1);
        assert_eq!(process(stat), Some(Process { parent: 7, computed }));
        assert_eq!(process("42 (a) R 7"), None);
    }

    #[test]
    fn this_process_computes() {
        let pid = std::process::id();
        let until = computed_below(pid) + 5 * TICK;
        let begun = Instant::now();
        while computed_below(pid) < until {
            assert!(begun.elapsed() < Duration::from_secs(60), "it counts nothing");
        }
    }
}
