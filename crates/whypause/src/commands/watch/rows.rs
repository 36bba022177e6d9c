//! `watch --rows`: a row of each pause and each stall, and sums by hour, as files of Parquet in partitions.
//!
//! The printing threads hand over what was reported and never wait. One thread of low priority makes files of it for
//! all JVMs that are watched, every ten minutes, when a day ends, before too much memory is held, and at the end of
//! the watch. Only that thread ever waits for the disk, and it writes nothing while a JVM is stopped: the disk may be
//! what that waits for. What it could not write it tries again with the next files.
use super::stops::Stopped;
use crate::{
    Failure,
    args::WatchArgs,
    commands::{
        record,
        window::{Ended, Window},
    },
    console::Console,
};
use jiff::{Timestamp, civil::Date, tz::TimeZone};
use recorder::Roots;
use recording::{Clock, Facts, HostFact, MonoTime, PartitionLimits, PartitionStore};
use report::Redactor;
use std::{
    collections::{BTreeMap, VecDeque},
    mem,
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};
use table::{Collected, Origin, Partition, PauseRow, StallRow, Table, Who};

/// The tables, by their ids.
const TABLES: &[&str] = &["pauses", "stalls", "hours"];
/// Bytes of rows from which on files are made at once: some 10,000 pauses,
const DUE_BYTES: usize = 4 << 20;
/// and beyond which rows are left out, while the disk takes nothing. The sums of their hours have them.
const MOST_BYTES: usize = 16 << 20;
/// What the sums of a JVM that has exited are taken for.
const BYTES_OF_ENDED: usize = 4 << 10;
/// Bytes of files that wait for a disk that took them not; the oldest go first, those of sums last.
const MOST_FILE_BYTES: usize = 8 << 20;
/// How often it is polled whether a JVM is still stopped,
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// and whether a day has ended: a clock may be set.
const DAY_POLL: Duration = Duration::from_secs(30);
/// How long the end of a watch may take for what is still to be written.
const END_PATIENCE: Duration = Duration::from_secs(10);
/// The nice value that takes the CPU only where no other process wants it.
const NICE: i32 = 19;

/// The directory of rows, and the thread that writes them.
#[derive(Debug)]
pub(super) struct RowWriter {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    /// What is to be written, and what became of the rest.
    state: Mutex<State>,
    changed: Condvar,
    stopped: Stopped,
    /// Where the files are.
    directory: PathBuf,
    /// What all rows say of the host.
    origin: Origin,
    every: Duration,
}

#[derive(Debug, Default)]
struct State {
    jvms: BTreeMap<u64, Watched>,
    /// How many there have been: no number is used twice.
    numbered: u64,
    /// Of JVMs whose watch has ended.
    ended: Vec<Collected>,
    /// Of the rows that wait to become files.
    waiting: Waiting,
    /// Rows of files that wait for the disk.
    backlog_rows: u64,
    pauses: u64,
    stalls: u64,
    /// Rows left out for want of memory, while the disk did not take them.
    left_out: u64,
    /// Nothing more comes.
    is_closed: bool,
    /// Nothing is being written, and nothing waits for it.
    is_done: bool,
}

#[derive(Debug, Default)]
struct Waiting {
    rows: u64,
    bytes: usize,
}

/// What is collected of one JVM.
#[derive(Debug)]
struct Watched {
    rows: Collected,
    /// From when until when all its pauses are in these rows and in no earlier ones.
    since: MonoTime,
    until: MonoTime,
}

impl Watched {
    /// Says in the sums of hours what time they are of: as long as it was by a clock that is never set.
    fn cover(&mut self, now: MonoTime, wall_ns: i64) {
        let ago = |at: MonoTime| i64::try_from(now.since(at).as_nanos()).unwrap_or(i64::MAX);
        if self.until > self.since {
            let (from, until) = (ago(self.since), ago(self.until));
            self.rows.cover((wall_ns.saturating_sub(from), wall_ns.saturating_sub(until)));
            self.since = self.until;
        }
    }
}

/// That rows can be written where they are asked for, of a watch in parts: a part writes them.
pub(super) fn check(args: &WatchArgs) -> Result<Option<RowWriter>, Failure> {
    Ok(store(args)?.and(None))
}

/// The directory of rows where one is asked for; that nothing can be written there is an error.
fn store(args: &WatchArgs) -> Result<Option<(PartitionStore, Origin)>, Failure> {
    let options = &args.rows;
    let Some(directory) = &options.rows else {
        return match options.origin.is_given() {
            true => Err(Failure::input(
                "`--host`, `--cluster` and `--label` are about rows",
                "add `--rows DIR`",
            )),
            false => Ok(None),
        };
    };
    let mut origin = options.origin.origin();
    if origin.host.is_empty() {
        origin.host = own_name(args.redact);
    }
    let limits = PartitionLimits { bytes: options.rows_size, age: options.rows_age };
    let store = PartitionStore::open(directory, TABLES, &origin.host, limits)?;
    Ok(Some((store, origin)))
}

/// The name of this host, as it may be shown.
fn own_name(redact: bool) -> String {
    let name = recorder::host_fact(&Roots::default()).name;
    let mut redactor = Redactor::new(redact, Some(&name));
    let host = Some(HostFact { name, ..HostFact::default() });
    let mut facts = Facts { host, ..Facts::default() };
    redactor.facts(&mut facts);
    facts.host.map(|it| it.name).unwrap_or_default()
}

impl RowWriter {
    /// Opens the directory where one is asked for.
    pub(super) fn open(
        args: &WatchArgs,
        stopped: &Stopped,
        console: &Console,
    ) -> Result<Option<RowWriter>, Failure> {
        let Some((store, origin)) = store(args)? else { return Ok(None) };
        let every = args.rows.rows_every;
        Ok(Some(RowWriter::start(store, origin, every, stopped, *console)?))
    }

    fn start(
        store: PartitionStore,
        origin: Origin,
        every: Duration,
        stopped: &Stopped,
        console: Console,
    ) -> Result<RowWriter, Failure> {
        let to_others = record::is_of_another(store.path());
        let (state, changed, stopped) = (Mutex::default(), Condvar::new(), stopped.clone());
        let directory = store.path().to_owned();
        let shared = Arc::new(Shared { state, changed, stopped, directory, origin, every });
        let own = Arc::clone(&shared);
        let thread = thread::Builder::new().name("whypause-rows".into()).spawn(move || {
            let _ = recorder::keep_rights_to_write(to_others);
            let _ = rustix::process::setpriority_process(None, NICE);
            own.work(Files { store, console, backlog: VecDeque::new(), fails: false });
        })?;
        Ok(RowWriter { shared, thread: Some(thread) })
    }

    /// What the watch of one JVM hands its pauses to; from now on it is watched. `name` is whom its rows are of.
    pub(super) fn of(&self, name: &str) -> Rows {
        let (shared, now) = (Arc::clone(&self.shared), recorder::now());
        let who = Who::watched(&shared.origin, name, &Facts::default());
        let mut state = shared.state();
        state.numbered += 1;
        let id = state.numbered;
        let rows = Collected::new(who);
        state.jvms.insert(id, Watched { rows, since: now, until: now });
        drop(state);
        Rows { shared, id, name: name.to_owned() }
    }

    /// Waits for what is still to be written, but not for a disk that takes nothing; and says what was written.
    pub(super) fn finish(mut self) -> Option<String> {
        let until = Instant::now() + END_PATIENCE;
        let mut state = self.shared.state();
        state.is_closed = true;
        self.shared.changed.notify_all();
        while !state.is_done && Instant::now() < until {
            let left = until.saturating_duration_since(Instant::now());
            let waited = self.shared.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let (words, is_done) = (state.words(&self.shared.directory), state.is_done);
        drop(state);
        if let Some(thread) = self.thread.take().filter(|_| is_done) {
            let _ = thread.join();
        }
        words
    }
}

impl State {
    /// What became of what was handed over; nothing where nothing was.
    fn words(&self, directory: &Path) -> Option<String> {
        let count = |number: u64, name: &str| match number {
            1 => format!("1 {name}"),
            n => format!("{n} {name}s"),
        };
        let mut words = Vec::new();
        if self.pauses + self.stalls > 0 {
            let (pauses, stalls) = (count(self.pauses, "pause"), count(self.stalls, "stall"));
            let directory = directory.display();
            words.push(format!("wrote rows of {pauses} and {stalls} to {directory}"));
        }
        let lost = self.left_out + self.backlog_rows + self.waiting.rows;
        if lost > 0 {
            words.push(format!("{} could not be written", count(lost, "row")));
        }
        (!words.is_empty()).then(|| words.join("; "))
    }

    /// Takes rows of a JVM, as far as there is room for them; its sums have room for all.
    fn add(&mut self, id: u64, news: News) {
        let State { jvms, waiting, left_out, .. } = self;
        let Some(it) = jvms.get_mut(&id) else { return };
        if it.rows.who != news.who {
            it.rows.who = news.who;
        }
        let now = wall_ns();
        for row in news.pauses {
            let room = waiting.bytes < MOST_BYTES;
            waiting.add(it.rows.pause(row, now, room), left_out);
        }
        for row in news.stalls {
            let room = waiting.bytes < MOST_BYTES;
            waiting.add(if room { it.rows.stall(row) } else { 0 }, left_out);
        }
        match news.sees_stops {
            Some(true) => it.until = news.at,
            // What is not seen is not observed.
            Some(false) => (it.since, it.until) = (news.at, news.at),
            None => {}
        }
    }
}

impl Waiting {
    /// One more row of this many bytes, or of none where it was left out.
    fn add(&mut self, bytes: usize, left_out: &mut u64) {
        match bytes {
            0 => *left_out += 1,
            _ => (self.rows, self.bytes) = (self.rows + 1, self.bytes + bytes),
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes files and writes them, again and again, until nothing more comes.
    fn work(&self, mut files: Files) {
        let mut begun = Timestamp::now();
        loop {
            let is_last = self.wait_until_due(date_of(begun));
            let now = Timestamp::now();
            let taken = self.take();
            let today = now.as_second().div_euclid(86_400);
            let made = table::partitions(&taken, today);
            drop(taken);
            match made {
                Ok(made) => files.backlog.extend(made.into_iter().map(|it| (begun, it))),
                Err(error) => files.failed(&error.to_string()),
            }
            begun = now;
            self.bound(&mut files.backlog);
            self.write(&mut files);
            if is_last {
                break;
            }
        }
        let sums = files.backlog.iter().filter(|it| it.1.table == Table::Hours);
        let mut state = self.state();
        state.left_out += sums.map(|it| it.1.rows).sum::<u64>();
        state.is_done = true;
        drop(state);
        self.changed.notify_all();
    }

    /// Waits until files are to be made of what has come since `day`; whether they are the last.
    fn wait_until_due(&self, day: Date) -> bool {
        let due = Instant::now() + self.every;
        let mut state = self.state();
        loop {
            let left = due.saturating_duration_since(Instant::now());
            let is_due = left.is_zero()
                || state.waiting.bytes >= DUE_BYTES
                || date_of(Timestamp::now()) != day;
            if state.is_closed || is_due {
                return state.is_closed;
            }
            let waited = self.changed.wait_timeout(state, left.min(DAY_POLL));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// All that was collected since this was last called.
    fn take(&self) -> Vec<Collected> {
        let (now, wall_ns) = (recorder::now(), wall_ns());
        let mut state = self.state();
        let mut all = mem::take(&mut state.ended);
        for it in state.jvms.values_mut() {
            it.cover(now, wall_ns);
            let next = Collected::new(it.rows.who.clone());
            all.push(mem::replace(&mut it.rows, next));
        }
        // Until they are on the disk they could not be written.
        state.backlog_rows += mem::take(&mut state.waiting).rows;
        all.retain(|it| !it.is_empty());
        all
    }

    /// Leaves out the oldest files where too much waits for the disk.
    fn bound(&self, backlog: &mut VecDeque<(Timestamp, Partition)>) {
        let bytes = |it: &VecDeque<(Timestamp, Partition)>| {
            it.iter().map(|it| it.1.bytes.len()).sum::<usize>()
        };
        while bytes(backlog) > MOST_FILE_BYTES {
            let rows = backlog.iter().position(|it| it.1.table != Table::Hours);
            let Some((_, gone)) = backlog.remove(rows.unwrap_or(0)) else { break };
            let mut state = self.state();
            if gone.table != Table::Hours {
                state.backlog_rows -= gone.rows;
            }
            state.left_out += gone.rows;
        }
    }

    /// Writes what waits, each file when no JVM is stopped, until the disk takes one not.
    fn write(&self, files: &mut Files) {
        while let Some((at, file)) = files.backlog.front() {
            self.wait_while_stopped();
            let (table, rows) = (file.table, file.rows);
            match files.store.add(table.id(), date(file.day), *at, &file.bytes) {
                Ok(_) => {
                    files.backlog.pop_front();
                    files.worked();
                    let mut state = self.state();
                    match table {
                        Table::Pauses => state.pauses += rows,
                        Table::Stalls => state.stalls += rows,
                        Table::Hours => continue,
                    }
                    state.backlog_rows -= rows;
                }
                Err(error) => return files.failed(&error.to_string()),
            }
        }
    }

    fn wait_while_stopped(&self) {
        let mut state = self.state();
        while !state.is_closed && !self.stopped.is_none() {
            let waited = self.changed.wait_timeout(state, POLL_INTERVAL);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// What the writing thread works with.
#[derive(Debug)]
struct Files {
    store: PartitionStore,
    console: Console,
    /// Files that are to be written, and when their rows begin.
    backlog: VecDeque<(Timestamp, Partition)>,
    /// The last one could not be written.
    fails: bool,
}

impl Files {
    fn failed(&mut self, why: &str) {
        if !mem::replace(&mut self.fails, true) {
            self.console.say(&format!("cannot write rows: {why}"));
        }
    }

    fn worked(&mut self) {
        if mem::replace(&mut self.fails, false) {
            let directory = self.store.path().display();
            self.console.say(&format!("rows can be written to {directory} again"));
        }
    }
}

/// What is new of one JVM.
#[derive(Debug)]
struct News {
    who: Who,
    pauses: Vec<PauseRow>,
    stalls: Vec<StallRow>,
    /// Whether stops are seen, where that is known,
    sees_stops: Option<bool>,
    /// and until when all is there that was reported.
    at: MonoTime,
}

/// Takes what one watch reports. Where it is dropped, that watch has ended.
#[derive(Debug)]
pub(super) struct Rows {
    shared: Arc<Shared>,
    id: u64,
    name: String,
}

impl Rows {
    /// Takes what has ended since this was last called.
    pub(super) fn take(&mut self, window: &mut Window, ended: &[Ended]) {
        let pauses = window.take_rows();
        let stalls = ended.iter().filter_map(|it| match it {
            Ended::Stall(it, _) => Some(StallRow::of(it, Clock::Monotonic)),
            Ended::Pauses(_) => None,
        });
        let facts = window.facts();
        let news = News {
            who: Who::watched(&self.shared.origin, &self.name, facts),
            pauses,
            stalls: stalls.collect(),
            sees_stops: facts.coverage.as_ref().map(diagnose::sees_stops),
            at: recorder::now(),
        };
        let mut state = self.shared.state();
        state.add(self.id, news);
        let is_due = state.waiting.bytes >= DUE_BYTES;
        drop(state);
        if is_due {
            self.shared.changed.notify_all();
        }
    }
}

impl Drop for Rows {
    fn drop(&mut self) {
        let (now, wall_ns) = (recorder::now(), wall_ns());
        let mut state = self.shared.state();
        if let Some(mut it) = state.jvms.remove(&self.id) {
            it.cover(now, wall_ns);
            state.ended.push(it.rows);
            state.waiting.bytes += BYTES_OF_ENDED;
        }
    }
}

fn wall_ns() -> i64 {
    i64::try_from(Timestamp::now().as_nanosecond()).unwrap_or(i64::MAX)
}

fn date_of(at: Timestamp) -> Date {
    at.to_zoned(TimeZone::UTC).date()
}

/// The day with this number since 1970-01-01.
fn date(day: i64) -> Date {
    let at = Timestamp::from_second(day.saturating_mul(86_400));
    date_of(at.unwrap_or_else(|_| Timestamp::now()))
}

#[cfg(test)]
mod tests;
