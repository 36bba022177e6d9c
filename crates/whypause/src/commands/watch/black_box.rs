//! `watch --keep`: the worst pauses and stalls, each as a recording of the seconds around it.
//!
//! The printing thread takes what is known of them from the window, a second after their end, and one thread of
//! low priority writes it for all JVMs that are watched. Only that thread ever waits for the disk, and it writes
//! nothing while a JVM is stopped: the disk may be what that waits for.
use super::stops::Stopped;
use crate::{
    Failure,
    args::KeepOptions,
    commands::{
        record,
        window::{self, Window},
    },
    console::Console,
};
use diagnose::{Attribution, Cause, Episode, Pause};
use jiff::Timestamp;
use recording::{Facts, Interval, Kept, KeptKind, KeptLimits, KeptStore, MonoTime, directory_of};
use std::{
    cmp::Reverse,
    path::PathBuf,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// Snapshots that wait for the disk; the shortest go first.
const MOST_QUEUED: usize = 8;
/// Rows of all of them, some fifteen megabytes,
const MOST_QUEUED_ROWS: usize = 96 << 10;
/// and of one.
const MOST_ROWS: usize = 48 << 10;
/// Pauses of one JVM that wait for the second after their end; the shortest go first.
const MOST_PENDING: usize = 32;
/// How long after that second what happened in it has come.
const GRACE: Duration = Duration::from_millis(400);
/// How often it is polled whether a JVM is still stopped.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// How long the end of a watch may take for what is still to be written.
const END_PATIENCE: Duration = Duration::from_secs(10);
/// The nice value that takes the CPU only where no other process wants it.
const NICE: i32 = 19;
/// What stands for a cause in the name of one that a person asked for.
const ON_REQUEST: &str = "on-request";

/// The directory of kept recordings, and the thread that writes them.
#[derive(Debug)]
pub(super) struct BlackBox {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    /// What is to be written, and what became of the rest.
    queue: Mutex<Queue>,
    changed: Condvar,
    /// The store as it was when it was last written to: no disk is asked for it.
    store: Mutex<KeptStore>,
    stopped: Stopped,
}

#[derive(Debug, Default)]
struct Queue {
    jobs: Vec<Job>,
    /// Nothing more comes.
    is_closed: bool,
    /// One is being written.
    is_writing: bool,
    /// Nothing is being written, and nothing waits for it.
    is_done: bool,
    kept: u64,
    failed: u64,
    /// Left out for want of memory, while the disk did not take them.
    left_out: u64,
}

#[derive(Debug)]
struct Job {
    kept: Kept,
    facts: Facts,
}

impl BlackBox {
    /// Opens the directory where one is asked for.
    pub(super) fn open(
        options: &KeepOptions,
        stopped: &Stopped,
        console: &Console,
    ) -> Result<Option<BlackBox>, Failure> {
        let Some(store) = store(options)? else { return Ok(None) };
        let to_others = record::is_of_another(store.path());
        let shared = Arc::new(Shared {
            queue: Mutex::default(),
            changed: Condvar::new(),
            store: Mutex::new(store.clone()),
            stopped: stopped.clone(),
        });
        let (console, own) = (*console, Arc::clone(&shared));
        let thread = thread::Builder::new().name("whypause-keep".into()).spawn(move || {
            let _ = recorder::keep_rights_to_write(to_others);
            let _ = rustix::process::setpriority_process(None, NICE);
            own.work(store, &console);
        })?;
        Ok(Some(BlackBox { shared, thread: Some(thread) }))
    }

    /// What the watch of one JVM hands its pauses to.
    pub(super) fn of(&self, main: &str) -> Keeping {
        Keeping { shared: Arc::clone(&self.shared), jvm: directory_of(main), pending: Vec::new() }
    }

    /// Waits for what is still to be written, but not for a disk that takes nothing; and says what was kept.
    pub(super) fn finish(mut self) -> Option<String> {
        let until = Instant::now() + END_PATIENCE;
        let mut queue = self.shared.queue();
        queue.is_closed = true;
        self.shared.changed.notify_all();
        while !queue.is_done && Instant::now() < until {
            let left = until.saturating_duration_since(Instant::now());
            let waited = self.shared.changed.wait_timeout(queue, left);
            queue = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let words = queue.words(&self.shared.store());
        let is_done = queue.is_done;
        drop(queue);
        if let Some(thread) = self.thread.take().filter(|_| is_done) {
            let _ = thread.join();
        }
        words
    }
}

/// The directory of kept recordings where one is asked for; that nothing can be kept there is an error.
pub(super) fn store(options: &KeepOptions) -> Result<Option<KeptStore>, Failure> {
    let limits = KeptLimits {
        bytes: options.keep_size,
        age: options.keep_age,
        an_hour: options.keep_worst.into(),
    };
    let open = |it: &PathBuf| KeptStore::open(it, limits);
    Ok(options.keep.as_ref().map(open).transpose()?)
}

impl Queue {
    /// What became of what was handed over; nothing where nothing was.
    fn words(&self, store: &KeptStore) -> Option<String> {
        let mut words = Vec::new();
        if self.kept > 0 {
            let s = if self.kept == 1 { "" } else { "s" };
            let there = match store.count() {
                count if count >= self.kept => String::new(),
                count => format!(", of which {count} are left"),
            };
            let directory = store.path().display();
            words.push(format!("kept {} recording{s} in {directory}{there}", self.kept));
        }
        let lost =
            self.failed + self.left_out + self.jobs.len() as u64 + u64::from(self.is_writing);
        if lost > 0 {
            words.push(format!("{lost} could not be kept"));
        }
        (!words.is_empty()).then(|| words.join("; "))
    }
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn store(&self) -> MutexGuard<'_, KeptStore> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a snapshot to write, and never waits for a disk.
    fn hand_over(&self, job: Job) {
        let mut queue = self.queue();
        queue.jobs.push(job);
        queue.jobs.sort_by_key(|it| (it.kept.kind == KeptKind::Asked, it.kept.length));
        let rows = |it: &Queue| it.jobs.iter().map(|it| it.facts.rows()).sum::<usize>();
        while queue.jobs.len() > MOST_QUEUED || rows(&queue) > MOST_QUEUED_ROWS {
            queue.jobs.remove(0);
            queue.left_out += 1;
        }
        drop(queue);
        self.changed.notify_all();
    }

    fn work(&self, mut store: KeptStore, console: &Console) {
        let mut fails = false;
        while let Some(job) = self.next() {
            let wanted = job.kept.kind == KeptKind::Asked || store.would_keep(&job.kept);
            let written = wanted.then(|| store.keep(&job.kept, &job.facts));
            *self.store() = store.clone();
            match written {
                Some(Ok(path)) => {
                    self.queue().kept += 1;
                    if job.kept.kind == KeptKind::Asked || fails {
                        console.say(&format!("kept in {}", path.display()));
                    }
                    fails = false;
                }
                Some(Err(error)) => {
                    self.queue().failed += 1;
                    if !fails {
                        console.say(&format!("cannot keep a recording: {error}"));
                    }
                    fails = true;
                }
                None => {}
            }
        }
        self.queue().is_done = true;
        self.changed.notify_all();
    }

    /// The longest of what is to be written, when no JVM is stopped; nothing at the end.
    fn next(&self) -> Option<Job> {
        let mut queue = self.queue();
        loop {
            let may_write = queue.is_closed || self.stopped.is_none();
            queue.is_writing = false;
            if let Some(job) = may_write.then(|| queue.jobs.pop()).flatten() {
                queue.is_writing = true;
                return Some(job);
            }
            if queue.is_closed {
                return None;
            }
            queue = match queue.jobs.is_empty() {
                true => self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner),
                false => {
                    let waited = self.changed.wait_timeout(queue, POLL_INTERVAL);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}

/// The pauses and stalls of one JVM that wait for the second after their end.
#[derive(Debug)]
pub(super) struct Keeping {
    shared: Arc<Shared>,
    jvm: String,
    pending: Vec<Pending>,
}

#[derive(Debug)]
struct Pending {
    kept: Kept,
    /// When the pause was.
    interval: Interval,
}

impl Pending {
    fn due(&self) -> MonoTime {
        self.interval.end + window::AFTER + GRACE
    }
}

impl Keeping {
    /// A pause has ended.
    pub(super) fn pause(&mut self, it: &Attribution) {
        let cause = it.parts.first().map(|it| it.cause);
        self.add(KeptKind::Pause, &it.pause, it.pause.duration, cause);
    }

    /// Threads stood, and go on.
    pub(super) fn stall(&mut self, it: &Episode) {
        self.add(KeptKind::Stall, &it.interval, it.longest(), it.cause);
    }

    fn add(&mut self, kind: KeptKind, pause: &Pause, length: Duration, cause: Option<&Cause>) {
        let start = MonoTime(pause.start_ns);
        let interval = Interval::new(start, start + pause.duration);
        let cause = cause.map_or("unexplained", |it| it.id);
        let at = pause.start_wall_ns.map(i128::from);
        let at = at.and_then(|it| Timestamp::from_nanosecond(it).ok());
        let kept = self.named(kind, at.unwrap_or_else(|| time_of(start)), length, cause);
        self.pending.push(Pending { kept, interval });
        if self.pending.len() > MOST_PENDING {
            self.pending.sort_by_key(|it| Reverse(it.kept.length));
            self.pending.truncate(MOST_PENDING);
        }
    }

    fn named(&self, kind: KeptKind, at: Timestamp, length: Duration, cause: &str) -> Kept {
        let cause = cause.to_owned();
        // As the line of it says.
        let length = Duration::from_millis((length.as_micros() as u64 + 500) / 1000);
        Kept { jvm: self.jvm.clone(), kind, at, length, cause, bytes: 0 }
    }

    /// When the next one is to be taken from the window.
    pub(super) fn due(&self) -> Option<MonoTime> {
        self.pending.iter().map(Pending::due).min()
    }

    /// Takes those from the window that are due and would stay.
    pub(super) fn take(&mut self, window: &Window, now: MonoTime) {
        let due = |it: &mut Pending| it.due() <= now;
        let mut due: Vec<Pending> = self.pending.extract_if(.., due).collect();
        due.retain(|it| self.shared.store().would_keep(&it.kept));
        due.sort_by_key(|it| Reverse(it.kept.length));
        // More than can wait need not be taken from the window: at the end of a watch many are due at once.
        let left_out = due.split_off(due.len().min(MOST_QUEUED));
        self.shared.queue().left_out += left_out.len() as u64;
        for it in due {
            self.shared.hand_over(Job { kept: it.kept, facts: snapshot(window, it.interval) });
        }
    }

    /// Takes the last seconds, whatever was in them.
    pub(super) fn ask(&self, window: &Window) {
        let now = recorder::now();
        let kept = self.named(KeptKind::Asked, Timestamp::now(), Duration::ZERO, ON_REQUEST);
        let facts = snapshot(window, Interval::new(now, now));
        self.shared.hand_over(Job { kept, facts });
    }
}

fn snapshot(window: &Window, interval: Interval) -> Facts {
    let mut facts = window.snapshot(interval);
    let lost = facts.shed(MOST_ROWS);
    if let Some(coverage) = &mut facts.coverage {
        coverage.lost_rows += lost;
    }
    facts
}

/// The time of day of an instant that was not long ago.
fn time_of(at: MonoTime) -> Timestamp {
    let now = Timestamp::now();
    now.checked_sub(recorder::now().since(at)).unwrap_or(now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Colour;

    fn open(directory: &std::path::Path) -> BlackBox {
        open_with(directory, &Stopped::default())
    }

    fn open_with(directory: &std::path::Path, stopped: &Stopped) -> BlackBox {
        let options = KeepOptions {
            keep: Some(directory.join("kept")),
            keep_size: KeptStore::LEAST_BYTES,
            keep_age: Duration::from_secs(3600),
            keep_worst: 100,
            keep_now: false,
        };
        BlackBox::open(&options, stopped, &Console::new(Colour::Never)).unwrap().unwrap()
    }

    fn job(keeping: &Keeping, ms: u64) -> Job {
        let length = Duration::from_millis(ms);
        let kept = keeping.named(KeptKind::Pause, Timestamp::now(), length, "gc-work");
        let host = Some(recording::HostFact::default());
        Job { kept, facts: Facts { host, ..Facts::default() } }
    }

    fn lengths(black_box: &BlackBox) -> Vec<u128> {
        let all = recording::kept_in(black_box.shared.store().path()).unwrap_or_default();
        let mut lengths: Vec<_> = all.iter().map(|(_, it)| it.length.as_millis()).collect();
        lengths.sort_unstable();
        lengths
    }

    #[test]
    fn nothing_is_written_while_a_jvm_is_stopped_and_the_longest_wait_for_it() {
        let directory = tempfile::tempdir().unwrap();
        let stopped = Stopped::default();
        let black_box = open_with(directory.path(), &stopped);
        let (keeping, mut first, mut second) =
            (black_box.of("orders.jar"), stopped.of_one(), stopped.of_one());
        first.set(true);
        second.set(true);
        let all: Vec<u64> = (1..=MOST_QUEUED as u64 + 2).map(|it| it * 7 % 31).collect();
        for ms in &all {
            black_box.shared.hand_over(job(&keeping, *ms));
        }
        first.set(false);
        thread::sleep(3 * POLL_INTERVAL);
        assert_eq!(lengths(&black_box), []);
        // A watch that ends is of no JVM that is stopped.
        drop(second);
        let mut longest: Vec<u128> = all.iter().map(|it| u128::from(*it)).collect();
        longest.sort_unstable();
        testing::until("they are written", || lengths(&black_box) == longest[2..]);
        let words = black_box.finish().unwrap();
        assert!(words.starts_with("kept 8 recordings in "), "{words}");
        assert!(words.ends_with("; 2 could not be kept"), "{words}");
    }

    #[test]
    fn the_end_of_a_watch_waits_for_what_is_to_be_written_also_while_a_jvm_is_stopped() {
        let directory = tempfile::tempdir().unwrap();
        let stopped = Stopped::default();
        let black_box = open_with(directory.path(), &stopped);
        let (keeping, mut stops) = (black_box.of("orders.jar"), stopped.of_one());
        stops.set(true);
        black_box.shared.hand_over(job(&keeping, 10));
        let words = black_box.finish().unwrap();
        assert!(words.starts_with("kept 1 recording in "), "{words}");
    }

    #[test]
    fn a_watch_that_kept_nothing_says_nothing() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(open(directory.path()).finish(), None);
    }
}
