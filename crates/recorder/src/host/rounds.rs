//! What is read of the whole host again and again, once for all recordings of this process.
//!
//! Who writes and who uses memory is the same for each JVM of a host, and finding it out means to look at
//! every process. So whichever recording finds the next round due reads for all of them, and the others
//! take what came of it.
use super::{
    Roots, clocks, cpu_users::CpuUsers, memory::Memory, pace::Pace, sleeper::Sleeper,
    writers::Writers,
};
use recording::MonoTime;
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak},
    time::{Duration, Instant},
};

/// How long the result of a round is kept for recordings that have not taken it.
const KEPT: Duration = Duration::from_secs(60);
/// A round that is not older is as good as one of now.
const FRESH: Duration = Duration::from_millis(50);

/// Something that looks at all processes.
pub(crate) trait Reader {
    /// What it finds.
    type Fact: Clone;
    /// Reads all processes once.
    fn read(&mut self, at: MonoTime) -> Vec<Self::Fact>;
}

impl Reader for Writers {
    type Fact = recording::WriterFact;

    fn read(&mut self, at: MonoTime) -> Vec<Self::Fact> {
        self.scan(at)
    }
}

impl Reader for Memory {
    type Fact = recording::MemoryFact;

    fn read(&mut self, at: MonoTime) -> Vec<Self::Fact> {
        self.scan(at)
    }
}

impl Reader for CpuUsers {
    type Fact = recording::CpuUserFact;

    fn read(&mut self, at: MonoTime) -> Vec<Self::Fact> {
        self.scan(at)
    }
}

/// What was read in rounds, and when the next one is due.
#[derive(Debug)]
pub(crate) struct Rounds<R: Reader> {
    pub(crate) reader: R,
    pace: Pace,
    next: Instant,
    /// The number of rounds so far.
    count: u64,
    /// What the last ones have brought, the newest last.
    done: VecDeque<(Instant, Vec<R::Fact>)>,
}

/// How far one recording has taken what there is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Taken(u64);

impl<R: Reader> Rounds<R> {
    pub(crate) fn new(reader: R, pace: Pace) -> Rounds<R> {
        let next = Instant::now();
        Rounds { reader, pace, next, count: 0, done: VecDeque::new() }
    }

    /// Reads where a round is due.
    pub(crate) fn read_if_due(&mut self) {
        if self.next <= Instant::now() {
            self.read();
        }
    }

    /// Reads where the last round is not of now.
    pub(crate) fn read_now(&mut self) {
        if self.done.back().is_none_or(|(at, _)| at.elapsed() > FRESH) {
            self.read();
        }
    }

    /// When the next round is due.
    pub(crate) fn next(&self) -> Instant {
        self.next
    }

    /// What all rounds have brought that were not taken yet; `None` where there was no other round.
    pub(crate) fn take(&self, taken: &mut Taken) -> Option<Vec<R::Fact>> {
        let new = usize::try_from(self.count - taken.0).unwrap_or(usize::MAX);
        *taken = Taken(self.count);
        let rounds = self.done.iter().skip(self.done.len().saturating_sub(new));
        (new > 0).then(|| rounds.flat_map(|(_, facts)| facts.iter().cloned()).collect())
    }

    /// For a recording that begins: it takes what comes from the last round on, or after it.
    pub(crate) fn begin(&self, with_last: bool) -> Taken {
        Taken(self.count.saturating_sub(u64::from(with_last)))
    }

    fn read(&mut self) {
        self.pace.start_round();
        let facts = self.reader.read(clocks::now());
        let now = Instant::now();
        self.done.retain(|(at, _)| now.duration_since(*at) < KEPT);
        self.done.push_back((now, facts));
        self.count += 1;
        self.next = now + self.pace.after_round();
    }
}

/// All that is read so.
#[derive(Debug)]
pub(crate) struct HostRounds {
    roots: Roots,
    writers: Mutex<Rounds<Writers>>,
    memory: Mutex<Rounds<Memory>>,
    cpu_users: Mutex<Rounds<CpuUsers>>,
    /// Not read in rounds; here as there is one for all recordings, and no longer than one of them.
    sleeper: OnceLock<Result<Sleeper, String>>,
}

/// Least and most time between two rounds, and CPU time per second, in microseconds: who writes,
const WRITERS: (Duration, Duration, u32) = (Duration::from_secs(1), Duration::from_secs(10), 1_800);
/// and the memory of processes, which changes more slowly than a disk is filled.
const MEMORY: (Duration, Duration, u32) = (Duration::from_secs(3), Duration::from_secs(30), 800);

/// and the CPU time of processes.
const CPU_USERS: (Duration, Duration, u32) =
    (Duration::from_secs(1), Duration::from_secs(10), 1_000);

/// Those of the recordings that go on.
static GOING_ON: Mutex<Weak<HostRounds>> = Mutex::new(Weak::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A round that has panicked is not among those done.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl HostRounds {
    /// Those that all recordings have in common whose processes are under the same roots.
    pub(crate) fn of(roots: &Roots) -> Arc<HostRounds> {
        let mut known = lock(&GOING_ON);
        if let Some(rounds) = known.upgrade().filter(|it| it.roots == *roots) {
            return rounds;
        }
        let pace = |(shortest, longest, budget_us)| Pace::new(shortest, longest, budget_us);
        let rounds = Arc::new(HostRounds {
            roots: roots.clone(),
            writers: Mutex::new(Rounds::new(Writers::new(roots), pace(WRITERS))),
            memory: Mutex::new(Rounds::new(Memory::new(roots), pace(MEMORY))),
            cpu_users: Mutex::new(Rounds::new(CpuUsers::new(roots), pace(CPU_USERS))),
            sleeper: OnceLock::new(),
        });
        *known = Arc::downgrade(&rounds);
        rounds
    }

    /// Who writes.
    pub(crate) fn writers(&self) -> MutexGuard<'_, Rounds<Writers>> {
        lock(&self.writers)
    }

    /// Who uses memory.
    pub(crate) fn memory(&self) -> MutexGuard<'_, Rounds<Memory>> {
        lock(&self.memory)
    }

    /// Whether the host stands still, from the first call on; or why that cannot be seen.
    pub(crate) fn sleeper(&self) -> Result<&Sleeper, &str> {
        let sleeper = self.sleeper.get_or_init(|| Sleeper::start(&self.roots.proc));
        sleeper.as_ref().map_err(String::as_str)
    }

    /// Who uses CPU time.
    pub(crate) fn cpu_users(&self) -> MutexGuard<'_, Rounds<CpuUsers>> {
        lock(&self.cpu_users)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Finds the number of the round.
    struct Counting(u64);

    impl Reader for Counting {
        type Fact = u64;

        fn read(&mut self, _: MonoTime) -> Vec<u64> {
            self.0 += 1;
            vec![self.0]
        }
    }

    fn rounds(shortest: Duration) -> Rounds<Counting> {
        Rounds::new(Counting(0), Pace::new(shortest, Duration::from_secs(100), 1_000))
    }

    #[test]
    fn what_one_recording_reads_the_others_take_once() {
        let mut rounds = rounds(Duration::ZERO);
        let (mut first, mut second) = (rounds.begin(false), rounds.begin(false));
        rounds.read();
        rounds.read();
        assert_eq!(rounds.take(&mut first), Some(vec![1, 2]));
        assert_eq!(rounds.take(&mut first), None);
        rounds.read();
        assert_eq!(rounds.take(&mut second), Some(vec![1, 2, 3]));
        assert_eq!(rounds.take(&mut first), Some(vec![3]));
    }

    #[test]
    fn a_recording_that_begins_late_takes_the_last_round_at_most() {
        let mut rounds = rounds(Duration::ZERO);
        rounds.read();
        rounds.read();
        assert_eq!(rounds.take(&mut rounds.begin(true)), Some(vec![2]));
        assert_eq!(rounds.take(&mut rounds.begin(false)), None);
    }

    #[test]
    fn nothing_is_read_before_it_is_due_or_twice_at_a_time() {
        let mut rounds = rounds(Duration::from_secs(100));
        rounds.read_if_due();
        rounds.read_if_due();
        rounds.read_now();
        assert_eq!(rounds.reader.0, 1);
        std::thread::sleep(FRESH * 2);
        rounds.read_if_due();
        assert_eq!(rounds.reader.0, 1);
        rounds.read_now();
        assert_eq!(rounds.reader.0, 2);
    }

    #[test]
    fn recordings_of_one_host_have_one_reader() {
        let roots = Roots::default();
        let (first, second) = (HostRounds::of(&roots), HostRounds::of(&roots));
        assert!(Arc::ptr_eq(&first, &second));
        let other = Roots { proc: "/elsewhere".into(), ..roots };
        assert!(!Arc::ptr_eq(&first, &HostRounds::of(&other)));
    }
}
