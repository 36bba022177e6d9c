//! Whether the host stands still: a thread that sleeps, and how late it is woken.
//!
//! A hypervisor that pauses a virtual machine (live migration, snapshot), and firmware that takes all CPUs away
//! (SMI), leave no trace in the kernel: time goes on, and each thread is where it was. A thread that sleeps
//! until a time that it knows notices: it is woken late, and did not wait for a CPU meanwhile. One thread
//! sees one CPU, so what it says is no proof that the others stood, too.
//!
//! It is one for all recordings of this process, and its lateness is handed over as counters:
//!
//! * `host.stood_still_ns`: the time it was late so far. Where it grew, it grew by as much as the clock.
//! * `cpu.steal_ms`: as in [`counters`](super::counters), read right after it was late: a CPU that the kernel
//!   knows was with another guest did not stand still.
use super::{
    clocks::{now, thread_cpu},
    counters::steal_ms,
};
use recording::{Interval, MonoTime, Sample};
use rustix::{
    io::pread,
    thread::{clock_nanosleep_absolute, set_current_timer_slack},
    time::{ClockId, Timespec},
};
use std::{
    collections::VecDeque,
    fs::File,
    num::NonZeroU64,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread,
    time::Duration,
};

/// Lateness below this is that of any timer on a busy host.
pub(crate) const LEAST: Duration = Duration::from_millis(10);

/// Shortest and longest sleep, and what it may cost: this part of a CPU.
///
/// Measured for 8 s each on a virtual machine (Firecracker on an AMD EPYC, Linux 6.18, others at work beside
/// it), where each wake-up of a CPU leaves the guest: 19 µs of CPU time for each sleep, which is 1.9 % of a core
/// with 1 ms, 1.0 % with 2 ms, 0.5 % with 4 ms and 0.2 to 0.3 % with 10 ms. Where nothing is emulated a sleep
/// costs a tenth of that. So the thread measures what its sleeps cost where it is, and sleeps for as long as
/// the part allows.
const SHORTEST: Duration = Duration::from_millis(1);
const LONGEST: Duration = Duration::from_millis(10);
const PART_OF_A_CPU: u32 = 500;
/// The number of sleeps after which that is measured again.
const MEASURED_EVERY: u32 = 256;

/// How late the kernel may wake it, in nanoseconds: its own default. The thread that starts this one may
/// have chosen a longer one, which is inherited.
const SLACK: NonZeroU64 = NonZeroU64::new(50_000).expect("not 0");

/// Times in which it was late that are kept for recordings that have not taken them. They take each tenth
/// of a second, and each of these lasts a hundredth.
const MOST: usize = 256;

/// The thread, which ends with this.
#[derive(Debug)]
pub(crate) struct Sleeper {
    shared: Arc<Shared>,
    thread: Option<thread::JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    ends: AtomicBool,
    seen: Mutex<Seen>,
}

/// What the thread has seen.
#[derive(Debug, Default)]
struct Seen {
    /// When it was awake last.
    awake: MonoTime,
    /// How late it was so far.
    total: Duration,
    /// The last times in which it was late.
    late: VecDeque<Late>,
    /// How many there were.
    count: u64,
}

/// A time in which it was late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Late {
    interval: Interval,
    /// How late it was in all before.
    before: Duration,
    /// Steal of all CPUs so far, and when it was read.
    steal: Option<(MonoTime, u64)>,
}

/// How far one recording has taken what there is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Taken(u64);

impl Sleeper {
    /// Starts it, where the kernel counts how long a thread waits for a CPU. Otherwise it says why not.
    pub(crate) fn start(proc: &Path) -> Result<Sleeper, String> {
        // Of this thread, which has run for some time.
        let counted = Scheduled::open().and_then(|it| Scheduled::read(&it));
        if counted.is_none_or(|it| it.runs == 0) {
            return Err("the kernel does not count how long a thread waits for a CPU".into());
        }
        let shared = Arc::new(Shared::default());
        lock(&shared.seen).awake = now();
        let (of_thread, stat) = (shared.clone(), proc.join("stat"));
        let started =
            thread::Builder::new().name("sleeper".into()).spawn(move || run(&of_thread, stat));
        match started {
            Ok(thread) => Ok(Sleeper { shared, thread: Some(thread) }),
            Err(error) => Err(format!("cannot start a thread: {error}")),
        }
    }

    /// For a recording that begins: it takes what comes from now on.
    pub(crate) fn begin(&self) -> Taken {
        Taken(lock(&self.shared.seen).count)
    }

    /// What was seen since the last time; with `all` also that it was awake.
    pub(crate) fn take(&self, taken: &mut Taken, all: bool) -> Vec<Sample> {
        lock(&self.shared.seen).take(taken, all)
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        self.shared.ends.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            // It sleeps for a hundredth of a second at most.
            let _ = thread.join();
        }
    }
}

fn lock(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Seen {
    fn add(&mut self, interval: Interval, steal: Option<(MonoTime, u64)>) {
        if self.late.len() >= MOST {
            self.late.pop_front();
        }
        self.late.push_back(Late { interval, before: self.total, steal });
        self.count += 1;
        self.total += interval.duration();
    }

    fn take(&self, taken: &mut Taken, all: bool) -> Vec<Sample> {
        let new = usize::try_from(self.count - taken.0).unwrap_or(usize::MAX);
        *taken = Taken(self.count);
        let mut samples = Vec::new();
        for it in self.late.iter().skip(self.late.len().saturating_sub(new)) {
            samples.push(stood(it.interval.start, it.before));
            samples.push(stood(it.interval.end, it.before + it.interval.duration()));
            let steal =
                it.steal.map(|(at, value)| Sample { at, counter: "cpu.steal_ms".into(), value });
            samples.extend(steal);
        }
        if all {
            samples.push(stood(self.awake, self.total));
        }
        samples
    }
}

fn stood(at: MonoTime, total: Duration) -> Sample {
    let value = u64::try_from(total.as_nanos()).unwrap_or(u64::MAX);
    Sample { at, counter: "host.stood_still_ns".into(), value }
}

/// What the kernel counts of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Scheduled {
    /// How long it could have run and had no CPU, or no quota left.
    waited: Duration,
    /// How often it got a CPU.
    runs: u64,
}

impl Scheduled {
    /// That of the calling thread: `/proc/thread-self/schedstat` (`proc_pid_schedstat` in `fs/proc/base.c`).
    fn open() -> Option<File> {
        File::open("/proc/thread-self/schedstat").ok()
    }

    fn read(file: &File) -> Option<Scheduled> {
        let mut buffer = [0; 96];
        let read = pread(file, &mut buffer, 0).ok()?;
        Scheduled::parse(std::str::from_utf8(&buffer[..read]).ok()?)
    }

    /// `RUN_NS WAITED_NS RUNS`
    fn parse(text: &str) -> Option<Scheduled> {
        let mut numbers = text.split_ascii_whitespace().skip(1).map(str::parse);
        let (waited, runs) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
        Some(Scheduled { waited: Duration::from_nanos(waited), runs })
    }
}

/// The time in which the CPU of a thread must have stood that was to sleep until `deadline` and was `woken`
/// then. What it waited for a CPU came after that.
///
/// A thread that got a CPU more than once meanwhile was woken in between, as by a signal that stops it, the
/// freezer of its control group, or a tracer, or had to wait for its own memory: the host did not stand.
fn stood_in(
    deadline: MonoTime,
    woken: MonoTime,
    [before, after]: [Scheduled; 2],
) -> Option<Interval> {
    let stood = Interval::new(deadline, woken - after.waited.saturating_sub(before.waited));
    (after.runs == before.runs + 1 && stood.duration() >= LEAST).then_some(stood)
}

/// How long to sleep where this number of sleeps took this CPU time.
fn period(cpu: Duration, sleeps: u32) -> Duration {
    let each = cpu.checked_div(sleeps).unwrap_or_default();
    (each * PART_OF_A_CPU).clamp(SHORTEST, LONGEST)
}

fn run(shared: &Shared, stat: PathBuf) {
    // Without it, it is late by some milliseconds at worst.
    let _ = set_current_timer_slack(Some(SLACK));
    let Some(file) = Scheduled::open() else { return };
    let Some(mut before) = Scheduled::read(&file) else { return };
    let stat = File::open(stat).ok();
    let (mut sleep, mut sleeps, mut spent) = (LONGEST, 0, thread_cpu());
    while !shared.ends.load(Relaxed) {
        let deadline = now() + sleep;
        let slept = sleep_until(deadline);
        let woken = now();
        let Some(after) = Scheduled::read(&file) else { return };
        let stood = stood_in(deadline, woken, [before, after]).filter(|_| slept);
        before = after;
        let steal = stood.and(stat.as_ref()).and_then(steal_ms).map(|it| (now(), it));
        let mut seen = lock(&shared.seen);
        seen.awake = woken;
        if let Some(stood) = stood {
            seen.add(stood, steal);
        }
        drop(seen);
        sleeps += 1;
        if sleeps == MEASURED_EVERY {
            sleep = period(thread_cpu().saturating_sub(spent), sleeps);
            (sleeps, spent) = (0, thread_cpu());
        }
    }
}

/// Whether it slept to the end.
fn sleep_until(at: MonoTime) -> bool {
    const PER_SECOND: u64 = 1_000_000_000;
    let (seconds, nanoseconds) = (at.0 / PER_SECOND, at.0 % PER_SECOND);
    let until = Timespec {
        tv_sec: i64::try_from(seconds).unwrap_or(i64::MAX),
        tv_nsec: i64::try_from(nanoseconds).unwrap_or_default(),
    };
    clock_nanosleep_absolute(ClockId::Monotonic, &until).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> MonoTime {
        MonoTime(ms * 1_000_000)
    }

    fn scheduled(waited_ms: u64, runs: u64) -> Scheduled {
        Scheduled { waited: Duration::from_millis(waited_ms), runs }
    }

    /// Of a thread that was to sleep until 100 ms, waited this long for a CPU and got one so often.
    fn late(woken_ms: u64, waited_ms: u64, runs: u64) -> Option<(u64, u64)> {
        let counted = [scheduled(7, 40), scheduled(7 + waited_ms, 40 + runs)];
        let stood = stood_in(ms(100), ms(woken_ms), counted)?;
        Some((stood.start.0 / 1_000_000, stood.end.0 / 1_000_000))
    }

    #[test]
    fn lateness_from_10_ms_on_counts() {
        assert_eq!(late(110, 0, 1), Some((100, 110)));
        assert_eq!(late(109, 0, 1), None);
        assert_eq!(late(2100, 0, 1), Some((100, 2100)));
    }

    #[test]
    fn waiting_for_a_cpu_is_taken_off_the_end() {
        assert_eq!(late(150, 40, 1), Some((100, 110)));
        assert_eq!(late(150, 41, 1), None);
        assert_eq!(late(150, 999, 1), None);
    }

    #[test]
    fn a_thread_that_was_woken_in_between_did_not_stand_with_its_host() {
        assert_eq!(late(2100, 0, 2), None);
        assert_eq!(late(2100, 0, 0), None);
    }

    #[test]
    fn what_the_kernel_counts() {
        assert_eq!(Scheduled::parse("123 9000000 40\n"), Some(scheduled(9, 40)));
        assert_eq!(Scheduled::parse("123 9000000"), None);
        assert_eq!(Scheduled::parse(""), None);
        assert_eq!(Scheduled::parse("1 x 3"), None);
    }

    #[test]
    fn sleeps_are_as_long_as_they_cost() {
        let of =
            |each_us: u64| period(Duration::from_micros(each_us) * MEASURED_EVERY, MEASURED_EVERY);
        assert_eq!(of(1), SHORTEST);
        assert_eq!(of(4), Duration::from_millis(2));
        assert_eq!(of(19), Duration::from_micros(9_500));
        assert_eq!(of(40), LONGEST);
    }

    #[test]
    fn each_time_is_a_reading_before_and_one_after() {
        let mut seen = Seen { awake: ms(90), ..Seen::default() };
        let (mut first, mut second) = (Taken::default(), Taken::default());
        let shown = |samples: Vec<Sample>| {
            let one = |it: &Sample| format!("{} {}={}", it.at.0 / 1_000_000, it.counter, it.value);
            samples.iter().map(one).collect::<Vec<_>>().join(", ")
        };
        assert_eq!(shown(seen.take(&mut first, false)), "");
        assert_eq!(shown(seen.take(&mut first, true)), "90 host.stood_still_ns=0");
        seen.add(Interval::new(ms(100), ms(120)), Some((ms(121), 5)));
        seen.awake = ms(121);
        let late =
            "100 host.stood_still_ns=0, 120 host.stood_still_ns=20000000, 121 cpu.steal_ms=5";
        assert_eq!(shown(seen.take(&mut first, false)), late);
        assert_eq!(shown(seen.take(&mut first, false)), "");
        assert_eq!(shown(seen.take(&mut first, true)), "121 host.stood_still_ns=20000000");
        assert_eq!(shown(seen.take(&mut second, false)), late, "each recording takes all");
        assert_eq!(shown(seen.take(&mut Taken(seen.count), false)), "", "but what was before it");
    }

    #[test]
    fn no_more_is_kept_than_is_taken_in_time() {
        let mut seen = Seen::default();
        for at in 0..1000 {
            seen.add(Interval::new(ms(20 * at), ms(20 * at + 10)), None);
        }
        assert_eq!(seen.late.len(), MOST);
        assert_eq!(seen.take(&mut Taken::default(), false).len(), 2 * MOST);
        assert_eq!(seen.total, Duration::from_secs(10));
    }

    #[test]
    fn the_thread_sleeps_and_ends_with_its_owner() {
        let sleeper = Sleeper::start(Path::new("/proc")).unwrap();
        let begun = lock(&sleeper.shared.seen).awake;
        while lock(&sleeper.shared.seen).awake == begun {
            thread::sleep(LONGEST);
        }
        let weak = Arc::downgrade(&sleeper.shared);
        drop(sleeper);
        assert!(weak.upgrade().is_none());
    }
}
