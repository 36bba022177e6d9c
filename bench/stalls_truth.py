"""What the kernel's own tracepoints say of the waits of one process: the truth beside `stalls` of `whypause`.

Used by `bench/stalls_kafka.py` and the scripts like it. `Trace` reads system calls, `sched_switch` and
`sched_waking` of the threads of one process from tracefs, in an instance of its own; whypause reads none of
that. `Truth` makes waits and calls of them. It needs root and a kernel with `CONFIG_FTRACE_SYSCALLS`, and no
program besides Python.

What counts: a wait is the time from a switch away from a thread that cannot run to the switch back. It counts
with 10 ms and more, so a call of 12 ms that computes for 3 ms of them does not, and a call that waits twice for
6 ms does not. Time inside of stops, which the JVM's safepoint log tells, is taken out first.
"""

import bisect
import collections
import contextlib
import datetime
import json
import os
import pathlib
import platform
import re
import subprocess
import tempfile
import threading
import time

LONG_NS = 10_000_000
# So many processes and threads may start meanwhile before one of ours is missed.
MORE_THREADS = 200
# How often one looks what descriptors stand for.
LOOK_SECONDS = 0.2
SYNC = ["fsync", "fdatasync", "sync_file_range", "msync", "sync", "syncfs"]
WRITE = ["write", "pwrite64", "writev", "pwritev", "pwritev2", "ftruncate", "truncate", "unlink", "unlinkat",
         "rename", "renameat", "renameat2", "open", "openat", "openat2", "creat", "fallocate", "mkdir", "mkdirat",
         "rmdir", "link", "linkat", "symlink", "symlinkat", "copy_file_range"]
READ = ["read", "pread64", "readv", "preadv", "preadv2", "getdents64", "sendfile64"]
SEND = ["sendto", "sendmsg"]
# Who waits in them waits for work, or for the network.
POLL = ["epoll_wait", "epoll_pwait", "epoll_pwait2", "poll", "ppoll", "select", "pselect6"]
CALLS = [*SYNC, *WRITE, *READ, *SEND, *POLL]
WITHOUT_FILE = {*POLL, "sync", "msync", "truncate", "unlink", "unlinkat", "rename", "renameat", "renameat2", "open",
                "openat", "openat2", "creat", "mkdir", "mkdirat", "rmdir", "link", "linkat", "symlink", "symlinkat"}
# Numbers of calls on x86-64, to know in which one a thread was when the trace began; other machines miss those.
NUMBERS = {0: "read", 1: "write", 7: "poll", 17: "pread64", 18: "pwrite64", 19: "readv", 20: "writev", 23: "select",
           26: "msync", 44: "sendto", 46: "sendmsg", 74: "fsync", 75: "fdatasync", 77: "ftruncate", 82: "rename",
           87: "unlink", 232: "epoll_wait", 257: "openat", 270: "pselect6", 271: "ppoll", 281: "epoll_pwait",
           285: "fallocate"}
# In no call on files: a page fault, `mmap_lock`, or something that only the kernel knows.
ELSEWHERE = "uninterruptible elsewhere"
# Threads of the JVM itself: they run no application's code.
OF_THE_JVM = re.compile(r"GC Thread|G1 |VM Thread|VM Peri|C[12] Comp|Sweeper|Service Thread|Monitor Defl|Monitor\.\."
                        r"|Signal Disp|Signal \.\.|ConcGC|Concurrent|Shenandoah|Z[A-Z]|CMS|Parallel|Notification|java$")

LINE = re.compile(r"^.{16}-(\d+) +\[\d+\] +\S+ +(\d+)\.(\d{6}): (\w+)(.*)$")
SWITCH = re.compile(r"prev_pid=(\d+) prev_prio=\d+ prev_state=(\S+) ==> .* next_pid=(\d+) next_prio=")
WAKING = re.compile(r" pid=(\d+) prio=")
FIRST = re.compile(r"\(\w+: (?:0x)?([0-9a-f]+)")
STOP = re.compile(r"^\[(\d+)ns\].*Total: +(\d+) ns")


class CannotMeasure(Exception):
    """Why there is no number."""


class Files:
    """What the descriptors of a process stood for, as far as it was seen: they are used again soon."""

    def __init__(self):
        self.seen = collections.defaultdict(list)

    def see(self, fd, path, now):
        stretches = self.seen[fd]
        if stretches and stretches[-1][2] == path:
            stretches[-1][1] = now
        else:
            stretches.append([now, now, path])

    def of(self, fd, begin, end):
        """What it stood for from `begin` to `end`, where that is certain."""
        stretches = self.seen.get(fd, ())
        during = {path for first, last, path in stretches if first <= end and last >= begin}
        return during.pop() if len(during) == 1 else f"descriptor {fd}"


class Trace:
    """System calls and switches of the threads of a process, also of those that start meanwhile."""

    def __init__(self, pid, mebibytes_per_cpu=64):
        self.pid, self.names, self.files = pid, {}, Files()
        self.mount = pathlib.Path(tempfile.mkdtemp(prefix="whypause-trace-"))
        self.at = None
        self.sampling = threading.Event()
        self.sampler = threading.Thread(target=self.sample, daemon=True)
        try:
            self.begin(mebibytes_per_cpu)
        except (OSError, subprocess.CalledProcessError) as error:
            self.close()
            raise CannotMeasure(f"the kernel's tracepoints cannot be read: {error}") from error

    def begin(self, mebibytes_per_cpu):
        subprocess.run(["mount", "-t", "tracefs", "none", str(self.mount)], check=True,
                       stderr=subprocess.DEVNULL)
        at = self.mount / "instances" / f"whypause-{os.getpid()}"
        at.mkdir()
        self.at = at
        self.write("tracing_on", "0")
        self.write("trace_clock", "mono")
        self.write("buffer_size_kb", str(mebibytes_per_cpu << 10))
        self.write("options/overwrite", "0")
        # Not by `set_event_pid`: now and then it loses a switch. Threads that start later have the next numbers.
        last = max(map(int, os.listdir(f"/proc/{self.pid}/task"))) + MORE_THREADS
        calls = 0
        for name in CALLS:
            for way in ("enter", "exit"):
                calls += self.enable(f"syscalls/sys_{way}_{name}", f"common_pid >= {self.pid} && common_pid <= {last}")
        if not calls:
            raise OSError("it has none of system calls (CONFIG_FTRACE_SYSCALLS)")
        switched = " || ".join(f"({it} >= {self.pid} && {it} <= {last})" for it in ("prev_pid", "next_pid"))
        self.enable("sched/sched_switch", switched)
        self.enable("sched/sched_waking", f"pid >= {self.pid} && pid <= {last}")
        self.write("tracing_on", "1")
        self.begin_ns = time.monotonic_ns()
        self.first = self.look_at_threads() if platform.machine() == "x86_64" else {}
        self.sampler.start()

    def write(self, name, text):
        (self.at / name).write_text(text)

    def enable(self, event, only):
        """How many events that is: none where this kernel has it not."""
        if not (self.at / "events" / event).is_dir():
            return 0
        self.write(f"events/{event}/filter", only)
        self.write(f"events/{event}/enable", "1")
        return 1

    def look_at_threads(self):
        """The threads that wait now: the state of each, and its call with the first argument."""
        found = {}
        for tid in os.listdir(f"/proc/{self.pid}/task"):
            with contextlib.suppress(OSError, ValueError):
                at = pathlib.Path(f"/proc/{self.pid}/task/{tid}")
                state = (at / "stat").read_text(errors="replace").rpartition(")")[2].split()[0]
                words = (at / "syscall").read_text().split()
                if state in "SD" and words[0].lstrip("-").isdigit():
                    found[int(tid)] = (state, NUMBERS.get(int(words[0])), int(words[1], 16))
        return found

    def sample(self):
        """Names of threads and files, as far as they are there when one looks."""
        while True:
            with contextlib.suppress(OSError):
                for tid in os.listdir(f"/proc/{self.pid}/task"):
                    with contextlib.suppress(OSError):
                        name = pathlib.Path(f"/proc/{self.pid}/task/{tid}/comm").read_text(errors="replace")
                        self.names[int(tid)] = name.rstrip("\n")
                now = time.monotonic_ns()
                for fd in os.listdir(f"/proc/{self.pid}/fd"):
                    with contextlib.suppress(OSError):
                        self.files.see(int(fd), os.readlink(f"/proc/{self.pid}/fd/{fd}"), now)
            if self.sampling.wait(LOOK_SECONDS):
                return

    def end(self):
        """All lines, in the order of time."""
        self.write("tracing_on", "0")
        self.end_ns = time.monotonic_ns()
        self.sampling.set()
        self.sampler.join()
        lost = 0
        for stats in (self.at / "per_cpu").glob("cpu*/stats"):
            lost += sum(int(it) for it in re.findall(r"(?:overrun|dropped events): (\d+)", stats.read_text()))
        with open(self.at / "trace", encoding="latin-1") as file:
            lines = file.readlines()
        self.close()
        if lost:
            raise CannotMeasure(f"the kernel's buffer was too small: {lost} events are lost")
        return lines

    def close(self):
        self.sampling.set()
        if self.at:
            with contextlib.suppress(OSError):
                self.at.rmdir()
            self.at = None
        subprocess.run(["umount", str(self.mount)], check=False, stderr=subprocess.DEVNULL)
        with contextlib.suppress(OSError):
            self.mount.rmdir()


class Call:
    """A system call of one thread."""

    def __init__(self, tid, name, fd, begin):
        self.tid, self.name, self.fd, self.begin, self.end = tid, name, fd, begin, None
        self.file, self.waits = None, []


class Wait:
    """One thread off the CPU, from `begin` to `end`: `runnable` all the time, or woken at `woken` by `waker`."""

    def __init__(self, tid, begin, state, call):
        self.tid, self.begin, self.state, self.call = tid, begin, state, call
        self.woken = self.waker = self.end = None
        self.runnable = state.startswith("R")


class Locks:
    """Which threads waited for locks or answers, by the JVM's own account: events of its flight recorder.

    A wait in `Object.wait`, or for a condition, as a queue has one, is one for work.
    """

    EVENT = """<event name="jdk.{}"><setting name="enabled">true</setting>
        <setting name="stackTrace">false</setting><setting name="threshold">5 ms</setting></event>"""
    FOR_WORK = re.compile(r"ConditionObject|ConditionNode|SynchronousQueue|TransferQueue|ForkJoinPool|Exchanger")

    def __init__(self):
        self.waits = collections.defaultdict(list)

    @staticmethod
    def options(directory):
        """The options of a JVM from JDK 11 on that keeps those events, in this directory."""
        settings = pathlib.Path(directory) / "locks.jfc"
        events = "".join(Locks.EVENT.format(name) for name in ("JavaMonitorEnter", "ThreadPark"))
        settings.write_text(f'<configuration version="2.0">{events}</configuration>')
        return [f"-XX:StartFlightRecording:settings={settings}", f"-XX:FlightRecorderOptions:repository={directory}"]

    def read(self, java, pid, file):
        """Takes them from the JVM, which stops for that."""
        tool = str(pathlib.Path(java).parent) + "/" if "/" in java else ""
        dump = [tool + "jcmd", str(pid), "JFR.dump", f"filename={file}"]
        subprocess.run(dump, stdin=subprocess.DEVNULL, capture_output=True, check=True)
        text = subprocess.run([tool + "jfr", "print", "--json", "--stack-depth", "1", str(file)],
                              stdin=subprocess.DEVNULL, capture_output=True, check=True).stdout
        offset = time.time_ns() - time.monotonic_ns()
        for event in json.loads(text)["recording"]["events"]:
            values = event["values"]
            parked = (values.get("parkedClass") or {}).get("name", "-")
            thread = values.get("eventThread")
            if thread and (event["type"] == "jdk.JavaMonitorEnter" or not self.FOR_WORK.search(parked)):
                begin = wall_ns(values["startTime"]) - offset
                end = begin + round(float(values["duration"][2:-1]) * 1e9) if "M" not in values["duration"] else None
                self.waits[thread["osThreadId"]].append((begin, end))

    def has(self, wait):
        """Whether most of a wait was one for a lock or an answer; all, where nothing is known."""
        if not self.waits:
            return True
        for begin, end in self.waits.get(wait.tid, ()):
            shared = min(end or wait.end, wait.end) - max(begin, wait.begin)
            if shared > 0.8 * (wait.end - wait.begin):
                return True
        return False


def wall_ns(text):
    """Nanoseconds since 1970 of `2026-01-02T03:04:05.678901234Z`, or with `+01:00` at its end."""
    found = re.match(r"(.*?)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$", text)
    whole = datetime.datetime.fromisoformat(found[1] + found[3].replace("Z", "+00:00"))
    return round(whole.timestamp()) * 10**9 + int((found[2] or "0").ljust(9, "0"))


class Truth:
    """The waits of a process; times are those of the monotonic clock, in nanoseconds."""

    def __init__(self, trace, stops=(), locks=None, keep=None):
        lines = trace.end()
        if keep:
            pathlib.Path(keep).write_text("".join(lines))
        self.locks = locks or Locks()
        self.names, self.files, self.lines = trace.names, trace.files, len(lines)
        self.stops = sorted(stops)
        self.ends = [end for _, end in self.stops]
        self.calls, self.waits = [], []
        self.read(lines, trace)

    def read(self, lines, trace):
        mine, last = self.names, trace.end_ns
        off, calls = {}, {}
        for tid, (state, name, fd) in trace.first.items():
            if name:
                calls[tid] = Call(tid, name, None if name in WITHOUT_FILE else fd, trace.begin_ns)
            off[tid] = Wait(tid, trace.begin_ns, state, calls.get(tid))

        def wait_ends(tid, at):
            wait = off.pop(tid, None)
            if wait is None:
                return
            wait.end = at
            if wait.call is not None:
                wait.call.waits.append(wait)
            if at - wait.begin >= LONG_NS // 10:
                self.waits.append(wait)

        def came_back(tid):
            """It has a CPU, and the switch to it was not seen: the kernel loses some that come out of idleness."""
            wait = off.get(tid)
            if wait is not None:
                wait_ends(tid, wait.woken or wait.begin)

        def call_ends(tid, at):
            call = calls.pop(tid, None)
            if call is not None:
                call.end = at
                if call.waits and at - call.begin >= LONG_NS // 10:
                    if call.fd is not None:
                        call.file = self.files.of(call.fd, call.begin, at)
                    self.calls.append(call)

        for line in lines:
            found = LINE.match(line)
            if not found:
                continue
            tid, at, what, rest = int(found[1]), int(found[2]) * 10**9 + int(found[3]) * 1000, found[4], found[5]
            if what == "sched_switch":
                both = SWITCH.search(rest)
                before, after = int(both[1]), int(both[3])
                if before in mine:
                    came_back(before)
                    off[before] = Wait(before, at, both[2], calls.get(before))
                if after in mine:
                    wait_ends(after, at)
            elif what == "sched_waking":
                woken = int(WAKING.search(rest)[1])
                wait = off.get(woken)
                if wait is not None and wait.woken is None and not wait.runnable:
                    wait.woken, wait.waker = at, tid
            elif what.startswith("sys_") and tid in mine:
                came_back(tid)
                if rest.startswith("("):
                    calls[tid] = Call(tid, what[4:], self.descriptor(what[4:], rest), at)
                else:
                    call_ends(tid, at)
        for tid in list(off):
            wait_ends(tid, last)
        for tid in list(calls):
            call_ends(tid, last)

    @staticmethod
    def descriptor(name, rest):
        number = FIRST.match(rest)
        return None if name in WITHOUT_FILE or not number else int(number[1], 16)

    def runs_java(self, tid):
        return not OF_THE_JVM.match(self.names.get(tid, ""))

    @staticmethod
    def cause(call):
        """The cause that a wait in this call has; `None` for waits that nobody minds, as for a connection."""
        file = call.file or ""
        if call.name in POLL:
            return None
        pipe, socket = file.startswith("pipe:"), file.startswith("socket:")
        if call.name in SYNC:
            return "file-sync-blocked"
        if call.name in SEND or (socket and call.name in WRITE):
            return "socket-send-blocked"
        if call.name in WRITE:
            terminal = pipe or file.startswith(("/dev/pts", "/dev/tty"))
            return "output-write-blocked" if terminal else "file-write-blocked"
        return None if pipe or socket or file.startswith("anon_inode") else "file-read-blocked"

    def stopped(self, begin, end):
        """How much of a stretch the JVM was stopped."""
        at, time_ns = bisect.bisect_right(self.ends, begin), 0
        while at < len(self.stops) and self.stops[at][0] < end:
            time_ns += min(end, self.stops[at][1]) - max(begin, self.stops[at][0])
            at += 1
        return time_ns

    def time(self, begin, end, window):
        """How much of a stretch lies in the window and outside of stops."""
        begin, end = max(begin, window[0]), min(end, window[1])
        return end - begin - self.stopped(begin, end) if end > begin else 0

    def in_stops(self, wait, window):
        begin, end = max(wait.begin, window[0]), min(wait.end, window[1])
        return self.stopped(begin, end) if end > begin else 0

    def stalls(self, window):
        """The stalls that begin or end in the window, as (cause, wait, time in the window)."""
        found = []
        for wait in self.waits:
            if not self.runs_java(wait.tid):
                continue
            cause = None
            if wait.runnable:
                cause = "cpu-contention"
            elif wait.call is not None:
                cause = self.cause(wait.call)
            elif wait.state.startswith("D"):
                cause = ELSEWHERE
            if cause and wait.end - wait.begin - self.stopped(wait.begin, wait.end) >= LONG_NS:
                time_ns = self.time(wait.begin, wait.end, window)
                if time_ns:
                    found.append((cause, wait, time_ns))
        return found

    def late(self, window):
        """What of other waits is the time until a thread that had been woken got a CPU, of 10 ms and more."""
        found, known = [], {id(wait) for _, wait, _ in self.stalls(window)}
        for wait in self.waits:
            is_late = wait.woken is not None and wait.end - wait.woken >= LONG_NS
            if is_late and id(wait) not in known and self.runs_java(wait.tid):
                time_ns = self.time(wait.woken, wait.end, window)
                if time_ns:
                    found.append(("cpu-contention", wait, time_ns))
        return found

    def convoy(self, stalls, window):
        """Waits that end because a stalled thread goes on, as (root's cause, wait, time, what it waited for).

        A thread that waits in no call on files, and is woken by a stalled one within 10 ms after its stall. Where
        the JVM says so (`Locks`), it waited for a `lock` that the stalled one had, or for its answer; else it was
        `idle`. One that `polls` waited for the network, or for work. Stalls of a thread with less than 10 ms
        between them are one to who waits for it.
        """
        ended = collections.defaultdict(list)
        for cause, wait, _ in sorted(stalls, key=lambda it: it[1].begin):
            since = wait.begin
            if ended[wait.tid] and wait.begin - ended[wait.tid][-1][1] <= LONG_NS:
                since = ended[wait.tid][-1][0]
            ended[wait.tid].append((since, wait.end, cause))
        found = []
        for wait in sorted(self.waits, key=lambda it: it.end):
            polls = wait.call is not None and wait.call.name in POLL
            calm = (polls or wait.call is None) and wait.state.startswith("S")
            if not calm or not wait.woken or not self.runs_java(wait.tid) or wait.end - wait.begin < LONG_NS:
                continue
            of_waker = [it for it in ended.get(wait.waker, ()) if it[1] <= wait.woken <= it[1] + LONG_NS]
            begin, end, cause = max(of_waker, key=lambda it: it[1], default=(0, 0, None))
            if cause is None or end - wait.begin < LONG_NS:
                continue
            what = "polls" if polls else "lock" if self.locks.has(wait) else "idle"
            # who waits for a lock since before has waited for another one that had it
            begin = wait.begin if what == "lock" else max(begin, wait.begin)
            time_ns = self.time(begin, wait.end, window)
            if time_ns:
                found.append((cause, wait, time_ns, what))
            if what == "lock":
                # who waits for this one waits for the stalled one, too
                ended[wait.tid].append((begin, wait.end, cause))
        return found

    def of_calls(self, window):
        """Sums over the calls on files that were blocked for 10 ms and more: how many, their time, blocked time."""
        count = whole = blocked = 0
        for call in self.calls:
            if not self.runs_java(call.tid) or not self.cause(call):
                continue
            off = sum(it.end - it.begin for it in call.waits if not it.runnable)
            if off >= LONG_NS and self.time(call.begin, call.end, window):
                count += 1
                whole += self.time(call.begin, call.end, window)
                blocked += sum(self.time(it.begin, it.end, window) for it in call.waits if not it.runnable)
        return count, whole, blocked


def stops_of(log):
    """The stops that a safepoint log with the decoration `tn` has, as (begin, end) of the monotonic clock."""
    found = (STOP.match(line) for line in pathlib.Path(log).read_text(errors="replace").splitlines())
    return [(int(it[1]) - int(it[2]), int(it[1])) for it in found if it]
