//! An independent measurement of blocked writes to the GC log.
//!
//! The recorder sees a blocked write at the scheduler: what a thread was in when it lost the CPU.
//! This sees it at the system call: a tracing instance of the kernel's own, with the tracepoints
//! of `write` and `writev` for the threads of one process and one file descriptor. The two share
//! nothing but the clock. It slows every system call of the host a little, so it is not for
//! production.
use crate::{Cleanup, LabError, Takes, Undo, WorkDir, explained::Pause};
use rustix::{fs::OFlags, mount::MountFlags};
use std::{
    collections::HashMap,
    fs::{File, OpenOptions},
    io::{ErrorKind, Read},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
    time::Duration,
};

/// Shorter calls are not blocked, only slow.
const BLOCKED_NS: u64 = 1_000_000;

/// Trace buffer per CPU, in KiB: some seconds of writes of a chatty log.
const BUFFER_KIB: u32 = 2048;

/// Blocked calls that are kept; at 1 ms each this is more than a minute of nothing else.
const MOST_CALLS: usize = 100_000;

/// A line of the trace is shorter; what is longer is not one.
const LONGEST_LINE_BYTES: usize = 4096;

/// How long the reader rests when there is nothing to read.
const REST: Duration = Duration::from_millis(20);

/// One blocked call, in nanoseconds of `CLOCK_MONOTONIC`. The trace has microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Call {
    /// When it began.
    pub start_ns: u64,
    /// When it returned.
    pub end_ns: u64,
}

impl Call {
    /// How long it took.
    #[must_use]
    pub fn time(&self) -> Duration {
        Duration::from_nanos(self.end_ns.saturating_sub(self.start_ns))
    }
}

/// A measurement under way.
#[derive(Debug)]
pub struct WriteTrace {
    instance: PathBuf,
    stop: Arc<AtomicBool>,
    /// Taken when it is joined.
    reader: Option<JoinHandle<Reader>>,
}

impl WriteTrace {
    /// Starts to measure the writes of process `pid` to the file `log`.
    ///
    /// # Errors
    /// [`LabError::Step`] where the kernel has no tracing, or where the process does not have the
    /// file open.
    pub fn start(
        cleanup: &mut Cleanup,
        dir: &WorkDir,
        pid: u32,
        log: &Path,
    ) -> Result<WriteTrace, LabError> {
        cleanup.needs(&Takes::Trace)?;
        // A log on standard output has a file only where another process saves it.
        let fd = fd_of(pid, log).or_else(|| is_pipe(pid).then_some(1)).ok_or_else(|| {
            let missing = std::io::Error::from(ErrorKind::NotFound);
            LabError::step(format!("find `{}` open in process {pid}", log.display()))(missing)
        })?;
        let tracefs = mount(cleanup, dir)?;
        let name = format!("instances/whypause-lab-{}", std::process::id());
        let instance = tracefs.join(name);
        cleanup.promise(Undo::RemoveKernelDir { path: instance.clone() })?;
        std::fs::create_dir(&instance).map_err(LabError::step("create a tracing instance"))?;
        set_up(&instance, pid, fd)?;
        let pipe = OpenOptions::new()
            .read(true)
            .custom_flags(OFlags::NONBLOCK.bits().cast_signed())
            .open(instance.join("trace_pipe"))
            .map_err(LabError::step("open the trace"))?;
        let stop = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&stop);
        let reader = std::thread::spawn(move || follow(pipe, &asked));
        let trace = WriteTrace { instance, stop, reader: Some(reader) };
        set(&trace.instance, "tracing_on", "1")?;
        Ok(trace)
    }

    /// Ends the measurement: the blocked calls in order of time, and the number of events that
    /// the kernel lost.
    ///
    /// # Errors
    /// [`LabError::Step`] where the kernel refuses.
    pub fn finish(mut self) -> Result<(Vec<Call>, u64), LabError> {
        set(&self.instance, "tracing_on", "0")?;
        let reader = self.join();
        let mut calls = reader.calls;
        calls.sort_unstable();
        Ok((calls, lost(&self.instance) + reader.dropped))
    }

    fn join(&mut self) -> Reader {
        self.stop.store(true, Ordering::Relaxed);
        self.reader.take().and_then(|it| it.join().ok()).unwrap_or_default()
    }
}

impl Drop for WriteTrace {
    fn drop(&mut self) {
        // the kernel does not remove an instance while its trace is open
        self.join();
    }
}

/// A mount of its own, because the usual place may be empty or in use by others.
fn mount(cleanup: &mut Cleanup, dir: &WorkDir) -> Result<PathBuf, LabError> {
    let target = dir.path().join("tracing");
    cleanup.promise(Undo::Remove { path: target.clone() })?;
    std::fs::create_dir_all(&target).map_err(LabError::step("create a mount point"))?;
    cleanup.promise(Undo::Unmount { target: target.clone() })?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    rustix::mount::mount("whypause-lab", &target, "tracefs", flags, None)
        .map_err(LabError::step("mount tracefs"))?;
    Ok(target)
}

fn set_up(instance: &Path, pid: u32, fd: u32) -> Result<(), LabError> {
    set(instance, "tracing_on", "0")?;
    set(instance, "trace_clock", "mono")?;
    set(instance, "buffer_size_kb", &BUFFER_KIB.to_string())?;
    // threads that start from now on are followed by the kernel, the others are listed
    set(instance, "options/event-fork", "1")?;
    set(instance, "set_event_pid", &threads(pid).join(" "))?;
    for call in ["write", "writev"] {
        let event = |what| format!("events/syscalls/sys_{what}_{call}");
        set(instance, &format!("{}/filter", event("enter")), &format!("fd == {fd}"))?;
        set(instance, &format!("{}/enable", event("enter")), "1")?;
        set(instance, &format!("{}/enable", event("exit")), "1")?;
    }
    Ok(())
}

fn set(instance: &Path, setting: &str, value: &str) -> Result<(), LabError> {
    std::fs::write(instance.join(setting), value)
        .map_err(LabError::step(format!("set `{setting}` of the tracing instance")))
}

/// The threads of the process whose writes can stop the others: not the one that writes the log
/// when it is asynchronous.
fn threads(pid: u32) -> Vec<String> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let name = |dir: &Path| std::fs::read_to_string(dir.join("comm")).unwrap_or_default();
    let writes_for_all = |dir: &Path| name(dir).starts_with("AsyncLog");
    let tasks = tasks.filter(|it| !writes_for_all(&it.path()));
    tasks.filter_map(|it| it.file_name().into_string().ok()).collect()
}

/// The descriptor under which the process has the file open.
fn fd_of(pid: u32, file: &Path) -> Option<u32> {
    let fds = std::fs::read_dir(format!("/proc/{pid}/fd")).ok()?;
    let found = fds.flatten().find(|it| std::fs::read_link(it.path()).is_ok_and(|to| to == file));
    found?.file_name().to_str()?.parse().ok()
}

/// Whether the standard output of the process is a pipe.
fn is_pipe(pid: u32) -> bool {
    let link = std::fs::read_link(format!("/proc/{pid}/fd/1"));
    link.is_ok_and(|it| it.to_string_lossy().starts_with("pipe:"))
}

/// Events that did not fit in the buffers of the CPUs.
fn lost(instance: &Path) -> u64 {
    let cpus = std::fs::read_dir(instance.join("per_cpu")).into_iter().flatten().flatten();
    let stats = cpus.filter_map(|it| std::fs::read_to_string(it.path().join("stats")).ok());
    stats.map(|it| it.lines().map(lost_in).sum::<u64>()).sum()
}

fn lost_in(line: &str) -> u64 {
    let count = line.strip_prefix("overrun: ").or_else(|| line.strip_prefix("dropped events: "));
    count.and_then(|it| it.trim().parse().ok()).unwrap_or(0)
}

/// Reads the trace until it is empty and `stop` is set.
fn follow(mut pipe: File, stop: &AtomicBool) -> Reader {
    let mut reader = Reader::default();
    let mut buffer = [0; 16384];
    loop {
        // looked at before reading, so that what came before the end is still read
        let last = stop.load(Ordering::Relaxed);
        match pipe.read(&mut buffer) {
            Ok(bytes) if bytes > 0 => reader.take(&buffer[..bytes]),
            Err(e) if !matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                return reader;
            }
            _ if last => return reader,
            _ => std::thread::sleep(REST),
        }
    }
}

/// Pairs the begins and ends of calls.
#[derive(Debug, Default)]
struct Reader {
    line: Vec<u8>,
    /// Begin of the call that each thread is in.
    begun: HashMap<u32, u64>,
    calls: Vec<Call>,
    /// Calls over [`MOST_CALLS`].
    dropped: u64,
}

impl Reader {
    fn take(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if byte != b'\n' {
                if self.line.len() < LONGEST_LINE_BYTES {
                    self.line.push(byte);
                }
                continue;
            }
            let line = std::mem::take(&mut self.line);
            if let Some((thread, time_ns, begins)) = std::str::from_utf8(&line).ok().and_then(event)
            {
                self.add(thread, time_ns, begins);
            }
        }
    }

    fn add(&mut self, thread: u32, time_ns: u64, begins: bool) {
        if begins {
            self.begun.insert(thread, time_ns);
            return;
        }
        let Some(start_ns) = self.begun.remove(&thread) else { return };
        if time_ns.saturating_sub(start_ns) < BLOCKED_NS {
            return;
        }
        if self.calls.len() < MOST_CALLS {
            self.calls.push(Call { start_ns, end_ns: time_ns });
        } else {
            self.dropped += 1;
        }
    }
}

/// Thread, time, and whether it begins a call:
/// `VM Thread-4242  [001] ..... 12345.678901: sys_write(fd: 4, …)` or `…: sys_write -> 0x6d`.
/// A thread's name may hold blanks, dashes and brackets, so this reads from the right.
fn event(line: &str) -> Option<(u32, u64, bool)> {
    let (head, call) = line.rsplit_once(": sys_write")?;
    let call = call.strip_prefix('v').unwrap_or(call);
    let begins = call.starts_with('(');
    if !begins && !call.starts_with(" -> ") {
        return None;
    }
    let mut fields = head.trim_end().rsplit(' ').filter(|it| !it.is_empty());
    let time = fields.next()?;
    let (_flags, _cpu) = (fields.next()?, fields.next()?);
    let thread = fields.next()?.rsplit_once('-')?.1.parse().ok()?;
    let (seconds, micros) = time.split_once('.')?;
    if micros.len() != 6 {
        return None;
    }
    let seconds: u64 = seconds.parse().ok()?;
    let micros: u64 = micros.parse().ok()?;
    Some((thread, seconds.checked_mul(1_000_000_000)? + micros * 1000, begins))
}

/// The time that calls took inside pauses. Where calls overlap, it counts once.
#[must_use]
pub fn inside(calls: &[Call], pauses: &[Pause]) -> Duration {
    let mut calls = calls.to_vec();
    calls.sort_unstable();
    let mut total = 0;
    for pause in pauses {
        let mut from = pause.start_ns;
        let end = pause.start_ns.saturating_add(pause.duration_ns);
        for call in &calls {
            let (start, stop) = (call.start_ns.max(from), call.end_ns.min(end));
            total += stop.saturating_sub(start);
            from = from.max(stop);
        }
    }
    Duration::from_nanos(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_trace_are_read_from_the_right() {
        let check = |line, expected| assert_eq!(event(line), expected, "{line}");
        let begin =
            " VM Thread-4242    [001] ..... 12345.678901: sys_write(fd: 4, buf: 7f, count: 6d)";
        check(begin, Some((4242, 12_345_678_901_000, true)));
        let end = "          a-b [x]-7       [000] ..... 1.000002: sys_writev -> 0x6d";
        check(end, Some((7, 1_000_002_000, false)));
        check("CPU:0 [LOST 12 EVENTS]", None);
        check("x-1 [000] ..... 1.000002: sys_writeback(1)", None);
        check("x-1 [000] ..... 1.2: sys_write -> 0x6d", None);
        check(": sys_write -> 0x6d", None);
    }

    #[test]
    fn only_calls_of_a_millisecond_count_however_the_bytes_are_cut() {
        let text = "t-1 [0] . 1.000000: sys_write(fd: 4)\nt-2 [0] . 1.000000: sys_write(fd: 4)\n\
                    t-1 [0] . 1.000999: sys_write -> 0x1\nt-2 [0] . 1.001000: sys_write -> 0x1\n\
                    t-3 [0] . 9.000000: sys_write -> 0x1\n";
        for cut in 0..text.len() {
            let mut reader = Reader::default();
            reader.take(&text.as_bytes()[..cut]);
            reader.take(&text.as_bytes()[cut..]);
            assert_eq!(reader.calls, [Call { start_ns: 1_000_000_000, end_ns: 1_001_000_000 }]);
        }
    }

    #[test]
    fn overlapping_calls_count_once_and_only_inside_pauses() {
        let call = |start_ns, end_ns| Call { start_ns, end_ns };
        let pause = |start_ns, duration_ns| Pause { start_ns, duration_ns, ..Pause::default() };
        let calls = [call(15, 30), call(10, 20), call(18, 19), call(95, 200)];
        let pauses = [pause(12, 10), pause(100, 50)];
        assert_eq!(inside(&calls, &pauses), Duration::from_nanos(10 + 50));
        assert_eq!(inside(&[], &pauses), Duration::ZERO);
    }
}
