//! Where the JVM's standard output and standard error lead, where that is no file, and who holds
//! the other end.
//!
//! A write to a full pipe, terminal or socket waits until its reader reads. The descriptors of all
//! processes are compared once where the GC log goes there, or when a wait in such a write was
//! recorded, and again where a reader has gone; never once per pause. What that costs and how far
//! it goes is bounded, and what was left out is counted. Between such searches a look at the readers
//! that are known costs three short reads each.
use super::{
    Roots, clocks,
    jvm::Jvm,
    outbox::{Outbox, Row},
    process::ProcessDir,
    writer_details::details,
};
use ends::{End, end_of};
use recording::{FileFact, FileKey, OutputFact, OutputKind, OutputReaderFact, Sample};
use search::Target;
use std::time::{Duration, Instant};

mod ends;
pub(super) mod search;

/// The fact of a socket: its path is the address of its peer, its file system the protocol. `None` where that is
/// not known.
fn socket(dir: &ProcessDir, key: FileKey) -> Option<FileFact> {
    let end = ends::of_socket(dir, key.inode)?;
    let protocol = match end.kind {
        OutputKind::TcpSocket => "tcp",
        OutputKind::UnixSocket => "unix",
        _ => return None,
    };
    Some(FileFact {
        key,
        path: end.name,
        file_system: protocol.into(),
        device_name: String::new(),
        mount_point: String::new(),
        mapped: false,
        devices: Vec::new(),
    })
}

/// The streams that are looked at: standard output and standard error.
pub(crate) const STREAMS: [u32; 2] = [1, 2];
/// How often the readers that are known are looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// A reader of which nothing has changed is reported at least so often.
const BETWEEN_REPORTED: Duration = Duration::from_secs(1);
/// Least time between two searches.
const BETWEEN_SEARCHES: Duration = Duration::from_secs(10);
/// The wait is this many times what a search took, which keeps it at a thousandth of a CPU.
const SEARCH_COST_FACTOR: u32 = 1000;
/// Readers looked at per stream; more hold none of them up less.
const MAX_READERS: usize = 4;
/// The item of notes about them.
const ITEM: &str = "readers of standard output";

/// A standard stream that is no file.
#[derive(Debug)]
struct Stream {
    fd: u32,
    end: End,
    gc_log: bool,
    /// Whether its readers matter.
    wanted: bool,
    searched: bool,
    readers: Vec<Reader>,
}

/// A process that holds the other end.
#[derive(Debug)]
struct Reader {
    dir: ProcessDir,
    fact: OutputReaderFact,
    reported: Option<Instant>,
}

/// Looks at the streams. Lives in a background thread.
#[derive(Debug)]
pub(crate) struct Outputs<'a> {
    roots: &'a Roots,
    pid: u32,
    outbox: &'a Outbox,
    streams: Vec<Stream>,
    next_search: Instant,
    next_poll: Instant,
}

impl<'a> Outputs<'a> {
    /// Finds out what the streams are; `gc_log` has those that GC lines are sent to.
    pub(crate) fn new(
        roots: &'a Roots,
        jvm: &Jvm,
        gc_log: &[u32],
        outbox: &'a Outbox,
    ) -> Outputs<'a> {
        let dir = ProcessDir::open(roots, jvm.pid).ok();
        let ends = STREAMS.into_iter().filter_map(|fd| Some((fd, end_of(dir.as_ref()?, fd)?)));
        let streams = ends.map(|(fd, end)| {
            let gc_log = gc_log.contains(&fd);
            Stream { fd, end, gc_log, wanted: gc_log, searched: false, readers: Vec::new() }
        });
        let now = Instant::now();
        let (streams, pid) = (streams.collect(), jvm.pid);
        let outputs = Outputs { roots, pid, outbox, streams, next_search: now, next_poll: now };
        outputs.report_streams(&search::Found::default());
        outputs
    }

    /// A thread of the JVM waited in a write to this descriptor.
    pub(crate) fn want(&mut self, fd: u32) {
        if let Some(stream) = self.streams.iter_mut().find(|it| it.fd == fd) {
            stream.wanted = true;
        }
    }

    /// A thread of the JVM waited to send on this socket.
    pub(crate) fn report_socket(&self, key: FileKey) {
        let dir = ProcessDir::open(self.roots, self.pid).ok();
        let fact = dir.and_then(|dir| socket(&dir, key));
        self.outbox.push("files", fact.map(Row::File));
    }

    /// When there is something to do; `None` where there is no request.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.streams.iter().any(|it| it.wanted).then_some(self.next_poll)
    }

    /// Does what is due.
    pub(crate) fn round(&mut self) {
        let now = Instant::now();
        if self.due().is_none_or(|due| now < due) {
            return;
        }
        self.next_poll = now + POLL_INTERVAL;
        let mut lost = false;
        for stream in self.streams.iter_mut().filter(|it| it.wanted) {
            let before = stream.readers.len();
            stream.readers.retain_mut(|it| it.poll(self.outbox, now));
            lost |= stream.readers.len() < before || !stream.searched;
        }
        if lost && self.next_search <= now {
            self.search();
        }
    }

    fn search(&mut self) {
        let before = clocks::thread_cpu();
        let wanted: Vec<usize> =
            (0..self.streams.len()).filter(|&it| self.streams[it].wanted).collect();
        let targets: Vec<Target> =
            wanted.iter().map(|&it| self.streams[it].end.target.clone()).collect();
        let found = search::search(self.roots, self.pid, &targets);
        for (nth, &place) in wanted.iter().enumerate() {
            let pids = found.holders.iter().filter(|it| it.0 == nth).map(|it| it.1);
            let stream = &mut self.streams[place];
            stream.searched = true;
            let readers =
                pids.take(MAX_READERS).filter_map(|pid| Reader::open(self.roots, stream.fd, pid));
            stream.readers = readers.collect();
            stream.readers.retain_mut(|it| it.poll(self.outbox, Instant::now()));
        }
        if found.uninspected > 0 {
            let message =
                "processes that could not be inspected, or not in time, for the other end";
            self.outbox.note(ITEM, message, found.uninspected.into());
        }
        self.report_streams(&found);
        let cost = clocks::thread_cpu().saturating_sub(before) * SEARCH_COST_FACTOR;
        self.next_search = Instant::now() + cost.max(BETWEEN_SEARCHES);
    }

    /// Hands over what is known of the streams.
    fn report_streams(&self, found: &search::Found) {
        let facts = self.streams.iter().map(|it| {
            let hidden = it.end.hidden.clone();
            let counts = it.searched && hidden.is_empty();
            OutputFact {
                at: clocks::now(),
                fd: it.fd,
                kind: it.end.kind,
                name: it.end.name.clone(),
                number: it.end.number,
                gc_log: it.gc_log,
                inspected: if counts { found.inspected } else { 0 },
                uninspected: if counts { found.uninspected } else { 0 },
                hidden,
            }
        });
        self.outbox.push("outputs", facts.map(Row::Output));
    }
}

impl Reader {
    fn open(roots: &Roots, fd: u32, pid: u32) -> Option<Reader> {
        let dir = ProcessDir::open(roots, pid).ok()?;
        let details = details(roots, pid);
        let fact = OutputReaderFact {
            at: clocks::now(),
            fd,
            pid,
            name: details.name,
            command_line: details.command_line,
            cgroup: details.cgroup,
            state: String::new(),
            function: String::new(),
        };
        Some(Reader { dir, fact, reported: None })
    }

    /// Looks at what it does, and hands that over where it is new. Says whether it is still there.
    fn poll(&mut self, outbox: &Outbox, now: Instant) -> bool {
        let stat = self.dir.text("stat", 1024).unwrap_or_default();
        let Some(stat) = Doing::parse(&stat) else { return false };
        let at = clocks::now();
        let function = self.dir.text("wchan", 256).unwrap_or_default();
        let function = function.trim().trim_matches('\0');
        let function = if function == "0" { "" } else { function };
        let same = self.fact.state == stat.state && self.fact.function == function;
        if same && self.reported.is_some_and(|reported| now < reported + BETWEEN_REPORTED) {
            return stat.state != "Z";
        }
        self.reported = Some(now);
        self.fact.at = at;
        self.fact.state = stat.state.into();
        self.fact.function = function.into();
        let name = |what: &str| format!("output_reader.{}.{what}", self.fact.pid);
        let sample = |what: &str, value| Row::Sample(Sample { at, counter: name(what), value });
        let io = self.dir.text("io", 512).unwrap_or_default();
        let read = io.lines().find_map(|it| it.strip_prefix("rchar:")?.trim().parse().ok());
        let cpu = sample("cpu_ms", stat.cpu_ms);
        let samples = [cpu].into_iter().chain(read.map(|it| sample("read_bytes", it)));
        outbox.push("outputs", samples.chain([Row::OutputReader(self.fact.clone())]));
        stat.state != "Z"
    }
}

/// Milliseconds of a tick of `/proc/PID/stat` (`USER_HZ` is 100 on every architecture that HotSpot
/// runs on).
const TICK_MS: u64 = 10;

/// What `/proc/PID/stat` says of a process.
pub(super) struct Doing<'a> {
    pub(super) state: &'a str,
    cpu_ms: u64,
}

impl Doing<'_> {
    /// Fields 3, 14 and 15; the name before them may hold anything.
    pub(super) fn parse(stat: &str) -> Option<Doing<'_>> {
        let (_, after) = stat.rsplit_once(") ")?;
        let mut fields = after.split_ascii_whitespace();
        let state = fields.next()?;
        let (user, system): (u64, u64) =
            (fields.nth(10)?.parse().ok()?, fields.next()?.parse().ok()?);
        Some(Doing { state, cpu_ms: user.saturating_add(system).saturating_mul(TICK_MS) })
    }
}

#[cfg(test)]
mod tests {
    use super::Doing;

    #[test]
    fn state_and_cpu_time_are_found_behind_any_name() {
        let stat = "7 (a) S (b) T 1 7 7 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 777";
        let doing = Doing::parse(stat).unwrap();
        assert_eq!((doing.state, doing.cpu_ms), ("T", 110));
        assert!(Doing::parse("7 (a) S 1").is_none());
    }
}
