//! Which processes send bytes towards storage.
//!
//! `write_bytes` of `/proc/PID/io` is counted when a process makes a page dirty
//! (`task_io_account_write` in `mm/page-writeback.c`), so it names the process and not the kernel
//! thread that writes the page back seconds later.
//! When a process waits for a child that has ended, all that the child wrote is added to its own
//! count (`wait_task_zombie` in `kernel/exit.c`). That was the child, and is taken off again.
//! Reading it may wait for a process in `execve` (`exec_update_lock`): it is read aside.
use super::{
    Roots,
    process::{DIRECTORY, ProcessDir, Stat, is_gone, pids, read_each},
    writer_details::{Details, Stored, details},
};
use recording::{Interval, MonoTime, WriterFact};
use rustix::{
    fd::{AsFd, OwnedFd},
    fs::Mode,
};
use std::{
    cmp::Reverse,
    collections::{HashMap, VecDeque},
    io,
    time::Duration,
};

/// A process that writes less in an interval delays no other.
pub(crate) const MIN_BYTES: u64 = 1024 * 1024;
/// Nor who reads less. Unlike a write, which goes to memory first, a read takes as long as the disk does:
/// one that is slow has its queue filled by a few of them.
const MIN_READ_BYTES: u64 = 64 * 1024;
/// Writers named per interval.
const TOP: usize = 8;
/// Processes whose directories stay open between rounds, so that a new process with the same id is
/// no surprise.
const MAX_HELD: usize = 256;
/// Kernel threads are looked at again after this many rounds: their pid may have a new owner.
const KERNEL_ROUNDS: u64 = 16;
/// A child that its parent has not waited for after this many rounds will not be waited for: the parent asked
/// the kernel to forget it, and its bytes are added to no parent.
const CHILD_ROUNDS: u64 = 4;
/// Ended processes that are remembered, since every recording reports each,
const MAX_REPORTED_EXITS: usize = 1024;
/// at nearly the same time.
const TOLD_WITHIN: Duration = Duration::from_secs(1);
/// How long the details of a process are taken to be true: a file changes, a name does not.
const DETAILS_VALID: Duration = Duration::from_secs(10);

/// A process that has ended, as the kernel side saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Exited {
    pub(crate) at: MonoTime,
    pub(crate) pid: u32,
    pub(crate) parent: u32,
    pub(crate) name: String,
    /// All it wrote in its life, and the children that it waited for in theirs.
    pub(crate) bytes: u64,
}

impl Exited {
    /// Whether both report the end of one process.
    fn is_same(&self, other: &Exited) -> bool {
        let apart = self.at.since(other.at).max(other.at.since(self.at));
        (self.pid, self.bytes, &self.name) == (other.pid, other.bytes, &other.name)
            && apart < TOLD_WITHIN
    }
}

/// Bytes that a process has sent towards storage, and had read from there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Io {
    pub(super) written: u64,
    pub(super) read: u64,
}

impl Io {
    /// Whether it is enough to delay other processes.
    fn is_much(self) -> bool {
        self.written >= MIN_BYTES || self.read >= MIN_READ_BYTES
    }
}

#[derive(Debug, Default)]
struct Process {
    dir: Option<ProcessDir>,
    /// Written so far.
    bytes: u64,
    /// Read so far, and whether that grew in the round before by as much as is reported.
    read: u64,
    reads: bool,
    /// What children wrote that have ended, as far as it was not seen in `bytes` yet.
    children: u64,
    /// The round in which the last of them ended.
    children_round: u64,
    /// In which round it was last seen.
    round: u64,
    /// The round in which it was found to be a thread of the kernel.
    kernel: Option<u64>,
    /// It was found to be none.
    user: bool,
    details: Option<(MonoTime, Details)>,
}

/// Counts what each process writes from one scan to the next.
#[derive(Debug)]
pub(crate) struct Writers {
    roots: Roots,
    /// `/proc`.
    proc: Option<OwnedFd>,
    processes: HashMap<u32, Process>,
    /// Processes that ended since the scan before: their exit may still be reported.
    gone: HashMap<u32, Process>,
    /// Those that ended last, and what came of it.
    reported_exits: VecDeque<(Exited, Option<WriterFact>)>,
    held: usize,
    round: u64,
    scanned: MonoTime,
    /// Processes that could not be read in the first scan.
    pub(crate) unreadable: Unreadable,
}

/// Processes of which it is not known what they write.
#[derive(Debug, Default)]
pub(crate) struct Unreadable {
    pub(crate) count: u64,
    /// The first of them, and why.
    first: Option<(u32, String, String)>,
}

impl Unreadable {
    fn add(&mut self, roots: &Roots, pid: u32, why: &io::Error) {
        self.count += 1;
        if self.first.is_none() {
            let dir = ProcessDir::open(roots, pid);
            let name = dir.and_then(|it| Stat::of(&it)).map(|it| it.name).unwrap_or_default();
            self.first = Some((pid, name, why.to_string()));
        }
    }

    /// What is not known because of them, in words; `None` where all could be read.
    pub(crate) fn message(&self) -> Option<String> {
        let (pid, name, why) = self.first.as_ref()?;
        let one =
            if name.is_empty() { format!("pid {pid}") } else { format!("{name} (pid {pid})") };
        Some(match self.count {
            1 => format!("what {one} writes is not known and it is never named: {why}"),
            many => format!(
                "what {many} processes such as {one} write is not known and they are never named: {why}"
            ),
        })
    }
}

impl Writers {
    pub(crate) fn new(roots: &Roots) -> Writers {
        Writers {
            roots: roots.clone(),
            proc: rustix::fs::open(&roots.proc, DIRECTORY, Mode::empty()).ok(),
            processes: HashMap::new(),
            gone: HashMap::new(),
            reported_exits: VecDeque::new(),
            held: 0,
            round: 0,
            scanned: MonoTime(0),
            unreadable: Unreadable::default(),
        }
    }

    /// Reads all counters. The first time there is nothing to compare with and no writer is named.
    pub(crate) fn scan(&mut self, now: MonoTime) -> Vec<WriterFact> {
        self.round += 1;
        let mut grown: Vec<(Io, u32)> = Vec::new();
        for (pid, io) in self.read_all() {
            if let Some(io) = self.written_by(pid, io).filter(|io| io.is_much()) {
                grown.push((io, pid));
            }
        }
        self.forget_ended();
        let interval = Interval::new(self.scanned, now);
        let first = std::mem::replace(&mut self.scanned, now) == MonoTime(0);
        if first {
            return Vec::new();
        }
        grown.sort_unstable_by_key(|(io, pid)| Reverse((io.written.max(io.read), *pid)));
        grown.truncate(TOP);
        grown.into_iter().map(|(io, pid)| self.fact(interval, pid, io)).collect()
    }

    /// The counter of each process that may have one of interest.
    fn read_all(&mut self) -> Vec<(u32, io::Result<Io>)> {
        let round = self.round;
        let mut wanted = Vec::new();
        for pid in pids(&self.roots).unwrap_or_default() {
            // Its pid may have been given to a new process.
            let gone = |it: &Process| it.dir.as_ref().is_some_and(|dir| !dir.is_there());
            if self.processes.get(&pid).is_some_and(gone) {
                self.drop_process(pid);
            }
            if let Some(known) = self.processes.get_mut(&pid) {
                known.round = round;
                if known.kernel.is_some_and(|since| round < since + KERNEL_ROUNDS) {
                    continue;
                }
            }
            wanted.push(pid);
        }
        let Some(proc) = &self.proc else { return Vec::new() };
        let read = read_each(proc.as_fd(), &wanted, "io").into_iter();
        let counted = |text: &[u8]| parse_io(text).ok_or_else(|| io::ErrorKind::InvalidData.into());
        read.map(|(pid, text)| (pid, text.and_then(|it| counted(&it)))).collect()
    }

    /// How much a process wrote since the last look; `None` where it is gone or not of interest.
    fn written_by(&mut self, pid: u32, io: io::Result<Io>) -> Option<Io> {
        match io {
            Ok(io) => match self.processes.get_mut(&pid) {
                Some(known) if known.dir.is_some() => Some(known.advance(io, self.round)),
                _ => self.first_reading(pid, io),
            },
            Err(error) => {
                if self.round == 1 && !is_gone(&error) {
                    self.unreadable.add(&self.roots, pid, &error);
                }
                None
            }
        }
    }

    fn first_reading(&mut self, pid: u32, io: Io) -> Option<Io> {
        let dir = ProcessDir::open(&self.roots, pid).ok()?;
        let known = self.processes.entry(pid).or_default();
        known.round = self.round;
        if !known.user {
            let kernel = Stat::of(&dir).is_ok_and(|stat| stat.kernel);
            known.kernel = kernel.then_some(self.round);
            known.user = !kernel;
            if kernel {
                return None;
            }
        }
        if self.held < MAX_HELD {
            self.held += 1;
            known.dir = Some(dir);
        }
        Some(known.advance(io, self.round))
    }

    fn drop_process(&mut self, pid: u32) {
        if let Some(process) = self.processes.remove(&pid) {
            self.held -= usize::from(process.dir.is_some());
            self.gone.insert(pid, Process { dir: None, ..process });
        }
    }

    fn forget_ended(&mut self) {
        let round = self.round;
        self.gone.retain(|_, process| process.round + 1 >= round);
        let ended: Vec<u32> = self
            .processes
            .iter()
            .filter(|(_, process)| process.round != round)
            .map(|(pid, _)| *pid)
            .collect();
        for pid in ended {
            self.drop_process(pid);
        }
    }

    fn fact(&mut self, interval: Interval, pid: u32, io: Io) -> WriterFact {
        let roots = &self.roots;
        let process = self.processes.entry(pid).or_default();
        let valid = |at: &MonoTime| interval.end.since(*at) < DETAILS_VALID;
        let details = match &process.details {
            Some((at, known)) if valid(at) => known.clone(),
            _ => details(roots, pid),
        };
        process.details.get_or_insert_with(|| (interval.end, details.clone()));
        if process.details.as_ref().is_some_and(|(at, _)| !valid(at)) {
            process.details = Some((interval.end, details.clone()));
        }
        fact(interval, pid, io, details)
    }

    /// Notes that the bytes of a process that has ended will be found with its parent.
    fn add_child(&mut self, exited: &Exited) {
        let parent = self.processes.entry(exited.parent).or_default();
        parent.children = parent.children.saturating_add(exited.bytes);
        parent.children_round = self.round;
        // One that is not known yet stays so until the next scan.
        parent.round = parent.round.max(self.round);
    }

    /// Counts what a process wrote between the last scan and its end. Several recordings may report it.
    pub(crate) fn exited(&mut self, exited: Exited) -> Option<WriterFact> {
        let mut reported_exits = self.reported_exits.iter();
        if let Some((_, fact)) = reported_exits.find(|(it, _)| it.is_same(&exited)) {
            return fact.clone();
        }
        let fact = self.exited_first(exited.clone());
        if self.reported_exits.len() == MAX_REPORTED_EXITS {
            self.reported_exits.pop_front();
        }
        self.reported_exits.push_back((exited, fact.clone()));
        fact
    }

    fn exited_first(&mut self, exited: Exited) -> Option<WriterFact> {
        // Before the first scan nobody knows how much of it was written in the recording.
        if self.scanned == MonoTime(0) {
            return None;
        }
        self.drop_process(exited.pid);
        let mut known = self.gone.remove(&exited.pid).unwrap_or_default();
        self.add_child(&exited);
        let bytes = known.own(exited.bytes.saturating_sub(known.bytes), self.round);
        if bytes < MIN_BYTES || known.kernel.is_some() {
            return None;
        }
        let details = known.details.map(|(_, details)| details).unwrap_or_default();
        let details = Details { name: exited.name, ..details };
        // The exit may be reported after the scan that missed the process.
        let start = self.scanned.min(exited.at);
        let io = Io { written: bytes, read: 0 };
        Some(fact(Interval::new(start, exited.at), exited.pid, io, details))
    }
}

impl Process {
    /// Takes a new count and says by how much the process itself made it grow; a smaller one is
    /// that of a new process with the same pid.
    fn advance(&mut self, io: Io, round: u64) -> Io {
        let before = std::mem::replace(&mut self.bytes, io.written);
        let written = match io.written.checked_sub(before) {
            Some(grown) => self.own(grown, round),
            None => {
                self.children = 0;
                io.written
            }
        };
        Io { written, read: self.advance_read(io.read) }
    }

    /// All that a child read is added to its parent at once, when that waits for it, and the kernel does not
    /// say how much that was: so reads count from the second round in a row on.
    fn advance_read(&mut self, read: u64) -> u64 {
        let grown = read.saturating_sub(std::mem::replace(&mut self.read, read));
        let before = std::mem::replace(&mut self.reads, grown >= MIN_READ_BYTES);
        if before { grown } else { 0 }
    }

    /// What is left of `grown` without the children.
    fn own(&mut self, grown: u64, round: u64) -> u64 {
        if round > self.children_round + CHILD_ROUNDS {
            self.children = 0;
        }
        let others = grown.min(self.children);
        self.children -= others;
        grown - others
    }
}

fn fact(interval: Interval, pid: u32, io: Io, details: Details) -> WriterFact {
    let Details { name, command_line, cgroup, file } = details;
    let Stored { device, path, devices } = file;
    let Io { written: bytes, read: read_bytes } = io;
    WriterFact {
        interval,
        pid,
        name,
        command_line,
        cgroup,
        bytes,
        read_bytes,
        device,
        path,
        devices,
    }
}

/// Bytes written less those of files that were removed or cut before they reached the disk, and bytes read.
pub(super) fn parse_io(text: &[u8]) -> Option<Io> {
    let text = std::str::from_utf8(text).ok()?;
    let field = |name: &str| {
        text.lines().find_map(|line| line.strip_prefix(name))?.trim().parse::<u64>().ok()
    };
    let written = field("write_bytes:")?;
    let written = written.saturating_sub(field("cancelled_write_bytes:").unwrap_or(0));
    Some(Io { written, read: field("read_bytes:").unwrap_or(0) })
}

#[cfg(test)]
mod tests;
