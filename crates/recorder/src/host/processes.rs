//! The background thread that looks at other processes: who writes, which files the JVM has, what
//! the JVM is. It may have to wait for locks of those processes.
use super::{
    Roots,
    counters_file::CountersFile,
    files::{Catalogue, Wanted},
    flags::{self, Named},
    gc_log::{self, GcLogFile},
    jvm::Jvm,
    jvm_fact::jvm_fact_with_log,
    outbox::{Outbox, Row},
    outputs::Outputs,
    process::{MAY_NOT_LIST_FILES, ProcessDir},
    rounds::{HostRounds, Taken},
    writers::Exited,
};
use recording::{FileKey, JvmFact, Source, SourceState};
use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, RecvTimeoutError},
    },
    time::{Duration, Instant},
};

/// What the sampling thread asks of this one. Small: there is room for a thousand.
#[derive(Debug)]
pub(crate) enum Request {
    /// Describe a file.
    File(Box<Wanted>),
    /// Count what an ended process wrote.
    Exited(Box<Exited>),
    /// A thread waited in a write to this standard stream, which is no file.
    Output(u32),
    /// A thread waited to send on this socket.
    Socket(FileKey),
}

/// GC threads start lazily, and counters are added: the JVM is looked at again after this time.
const SECOND_READING: Duration = Duration::from_secs(2);
/// Once more, where what holds its flags could not be read: a process that does not respond is not asked
/// again before.
const LAST_READING: Duration = Duration::from_secs(6);
/// The GC log is found at about the same time by another thread.
const FIRST_ROUND: Duration = Duration::from_millis(200);
/// The item of notes about writers.
const ITEM: &str = "writers";

/// The state of the thread.
#[derive(Debug)]
pub(crate) struct Processes<'a> {
    roots: &'a Roots,
    jvm: &'a Jvm,
    outbox: &'a Outbox,
    shared: &'a Shared,
    catalogue: Option<Catalogue>,
    outputs: Outputs<'a>,
    host: Arc<HostRounds>,
    writers: Taken,
    /// `None` where the memory of processes is not wanted.
    memory: Option<Taken>,
    /// Likewise, of their CPU time.
    cpu_users: Option<Taken>,
    fact: JvmFact,
    log: Option<GcLogFile>,
    readings: JvmReadings,
}

/// The looks at the JVM.
#[derive(Debug, Default)]
struct JvmReadings {
    done: u32,
    next: Option<Instant>,
    /// What may hold flags and was not read at any of them; 0 once all was read.
    unread: u64,
}

impl JvmReadings {
    /// Takes in one of `now` that could not read `unread` files. Whether it is of use: what an earlier
    /// one has read a later one does not take back.
    fn took(&mut self, now: Instant, unread: usize, says_nothing: bool) -> bool {
        let all_was_read = self.done > 0 && self.unread == 0;
        self.done += 1;
        if !all_was_read && !says_nothing {
            self.unread = unread as u64;
        }
        self.next = match self.done {
            1 => Some(now + SECOND_READING),
            2 if self.unread > 0 => Some(now + LAST_READING),
            _ => None,
        };
        !says_nothing
    }
}

impl<'a> Processes<'a> {
    pub(crate) fn new(
        roots: &'a Roots,
        jvm: &'a Jvm,
        scope: Scope,
        outbox: &'a Outbox,
        shared: &'a Shared,
    ) -> Processes<'a> {
        let catalogue = Catalogue::new(roots, jvm.pid);
        let files = match &catalogue {
            Ok(it) if it.may_list_files() => SourceState::Recorded,
            Ok(_) => SourceState::Missing(MAY_NOT_LIST_FILES.into()),
            Err(error) => {
                SourceState::Missing(format!("cannot read the files of the JVM: {error}"))
            }
        };
        outbox.state(Source::Files, files);
        Processes {
            roots,
            jvm,
            outbox,
            shared,
            catalogue: catalogue.ok(),
            outputs: Outputs::new(roots, jvm, &log_streams(roots, jvm), outbox),
            host: HostRounds::of(roots),
            writers: Taken::default(),
            memory: (scope == Scope::All).then(Taken::default),
            cpu_users: (scope == Scope::All).then(Taken::default),
            fact: JvmFact::default(),
            log: None,
            readings: JvmReadings::default(),
        }
    }

    /// Works until no client is left.
    pub(crate) fn run(mut self, requests: &Receiver<Request>) {
        self.read_jvm();
        self.start_writers();
        self.start_memory();
        self.start_cpu_users();
        let mut next = Instant::now() + FIRST_ROUND;
        loop {
            let due = self.outputs.due().map_or(next, |due| due.min(next));
            match requests.recv_timeout(due.saturating_duration_since(Instant::now())) {
                Ok(request) => self.serve(request),
                Err(RecvTimeoutError::Timeout) if Instant::now() < next => {}
                Err(RecvTimeoutError::Timeout) => next = Instant::now() + self.round(),
                Err(RecvTimeoutError::Disconnected) => break,
            }
            self.outputs.round();
        }
        self.notice_log();
        self.host.writers().read_now();
        self.take_writers();
        if self.memory.is_some() {
            self.host.memory().read_now();
            self.take_memory();
        }
        if self.cpu_users.is_some() {
            self.host.cpu_users().read_now();
            self.take_cpu_users();
        }
        self.find_mapped_files();
        if self.readings.done < 2 {
            self.read_counters();
        }
        self.report_unread();
    }

    fn serve(&mut self, request: Request) {
        match request {
            Request::Exited(exited) => {
                let fact = self.host.writers().reader.exited(*exited);
                self.outbox.push(ITEM, fact.map(Row::Writer));
            }
            Request::Output(fd) => self.outputs.want(fd),
            Request::Socket(key) => self.outputs.report_socket(key),
            Request::File(wanted) => {
                let fact = self.catalogue.as_mut().and_then(|it| it.want(*wanted));
                self.outbox.push("files", fact.map(Row::File));
                self.find_mapped_files();
            }
        }
    }

    /// Says how long to wait for the next round.
    fn round(&mut self) -> Duration {
        self.notice_log();
        self.find_mapped_files();
        if self.readings.next.is_some_and(|at| at <= Instant::now()) {
            self.read_jvm();
            if self.readings.done == 2 {
                self.read_counters();
            }
            if self.readings.next.is_none() {
                self.report_unread();
            }
        }
        if self.memory.is_some() {
            self.host.memory().read_if_due();
            self.take_memory();
        }
        if self.cpu_users.is_some() {
            self.host.cpu_users().read_if_due();
            self.take_cpu_users();
        }
        let next = {
            let mut writers = self.host.writers();
            writers.read_if_due();
            writers.next()
        };
        self.take_writers();
        next.saturating_duration_since(Instant::now())
    }

    fn start_writers(&mut self) {
        let mut writers = self.host.writers();
        writers.read_if_due();
        self.writers = writers.begin(false);
        self.outbox.state(Source::Writers, SourceState::Recorded);
        if let Some(message) = writers.reader.unreadable.message() {
            self.outbox.note(ITEM, &message, 1);
        }
    }

    fn take_writers(&mut self) {
        let facts = self.host.writers().take(&mut self.writers).unwrap_or_default();
        self.outbox.push(ITEM, facts.into_iter().map(Row::Writer));
    }

    fn start_memory(&mut self) {
        if let Some(taken) = &mut self.memory {
            let mut memory = self.host.memory();
            memory.read_if_due();
            *taken = memory.begin(true);
            drop(memory);
            self.take_memory();
        }
    }

    fn take_memory(&mut self) {
        let Some(taken) = &mut self.memory else { return };
        let Some(facts) = self.host.memory().take(taken) else { return };
        let state = match facts.is_empty() {
            true => SourceState::Missing("the memory of no process can be read".into()),
            false => SourceState::Recorded,
        };
        self.outbox.state(Source::MemoryUsers, state);
        self.outbox.push("memory", facts.into_iter().map(Row::Memory));
    }

    fn start_cpu_users(&mut self) {
        if let Some(taken) = &mut self.cpu_users {
            let mut users = self.host.cpu_users();
            // Nobody is reported of the first look, but the time from here on counts.
            users.read_now();
            *taken = users.begin(false);
            self.outbox.state(Source::CpuUsers, SourceState::Recorded);
        }
    }

    fn take_cpu_users(&mut self) {
        let Some(taken) = &mut self.cpu_users else { return };
        let facts = self.host.cpu_users().take(taken).unwrap_or_default();
        self.outbox.push("cpu users", facts.into_iter().map(Row::CpuUser));
    }

    /// Hands over where each of the JVM's performance counters lies, if faults on them are watched.
    fn read_counters(&self) {
        let file = CountersFile::find(self.roots, self.jvm.pid);
        let Some(file) = file.filter(|it| it.watched().is_some()) else { return };
        let Ok(dir) = ProcessDir::open(self.roots, self.jvm.pid) else { return };
        self.outbox.push("counters", file.layout(&dir).into_iter().map(Row::Counter));
    }

    fn find_mapped_files(&mut self) {
        let Some(catalogue) = &mut self.catalogue else { return };
        self.outbox.push("files", catalogue.find_mapped().into_iter().map(Row::File));
        self.shared.set_devices(catalogue.devices());
    }

    fn read_jvm(&mut self) {
        let (fact, unread) = jvm_fact_with_log(self.roots, self.jvm, self.log.as_ref());
        // A JVM that has ended meanwhile says nothing; what it said before stays true.
        let says_nothing = !self.fact.version.is_empty() && fact.collector.is_empty();
        if self.readings.took(Instant::now(), unread.len(), says_nothing) {
            let known = std::mem::replace(&mut self.fact, fact);
            if !unread.is_empty() && self.readings.unread == 0 {
                self.fact.flags = known.flags;
            }
            self.outbox.push("jvm", [Row::Jvm(Box::new(self.fact.clone()))]);
        }
    }

    /// Says once how much there is that may hold flags and was not read at any look.
    fn report_unread(&mut self) {
        let unread = std::mem::take(&mut self.readings.unread);
        if unread > 0 {
            let what = "that may hold flags of the JVM could not be read with its rights";
            self.outbox.note("files", what, unread);
        }
    }

    /// Describes the GC log when it has been found, and again when it is a new file.
    fn notice_log(&mut self) {
        let log = self.shared.gc_log();
        if log == self.log {
            return;
        }
        if let (Some(log), Some(catalogue)) = (&log, &mut self.catalogue) {
            let fact = catalogue.want(Wanted::Open(log.key, log.path.clone()));
            self.outbox.push("files", fact.map(Row::File));
            self.fact.gc_log = log.path.clone();
            self.fact.gc_log_file = Some(log.key);
            self.outbox.push("jvm", [Row::Jvm(Box::new(self.fact.clone()))]);
        }
        self.log = log;
    }
}

/// The standard streams that the flags send the GC log to.
fn log_streams(roots: &Roots, jvm: &Jvm) -> Vec<u32> {
    let dir = ProcessDir::open(roots, jvm.pid);
    dir.map_or_else(
        |_| Vec::new(),
        |dir| gc_log::standard_streams(&flags::read(&dir, jvm, Named::Read).flags),
    )
}

/// How much the background threads read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Everything.
    All,
    /// Who writes, and the JVM's files.
    Writers,
}

/// What the threads tell each other.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    pub(super) gc_log: Mutex<Option<GcLogFile>>,
    pub(super) devices: Mutex<BTreeSet<String>>,
}

impl Shared {
    /// The GC log that is followed.
    pub(crate) fn gc_log(&self) -> Option<GcLogFile> {
        lock(&self.gc_log).clone()
    }

    /// Sets the block devices whose counters matter.
    pub(crate) fn set_devices(&self, devices: &BTreeSet<String>) {
        let mut known = lock(&self.devices);
        if known.len() != devices.len() {
            known.clone_from(devices);
        }
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Values are replaced whole, so a panic elsewhere leaves none half written.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_later_reading_keeps_known_flags() {
        let (now, mut readings) = (Instant::now(), JvmReadings::default());
        assert!(readings.took(now, 0, false) && readings.took(now, 2, false));
        assert_eq!((readings.unread, readings.next), (0, None));
    }

    #[test]
    fn what_could_not_be_read_is_asked_for_a_third_time_and_no_more() {
        let (now, mut readings) = (Instant::now(), JvmReadings::default());
        assert!(readings.took(now, 2, false) && readings.took(now, 2, false));
        assert_eq!((readings.unread, readings.next), (2, Some(now + LAST_READING)));
        assert!(readings.took(now, 1, false));
        assert_eq!((readings.unread, readings.next), (1, None));
    }

    #[test]
    fn a_jvm_that_has_ended_has_nothing_unread() {
        let (now, mut readings) = (Instant::now(), JvmReadings::default());
        assert!(readings.took(now, 0, false) && !readings.took(now, 1, true));
        assert_eq!(readings.unread, 0);
    }
}
