"""Measures whether `whypause` names who had the CPUs, with the scheduler's own trace beside it as the truth.

Each case runs a G1 JVM whose collections have to wait for a CPU, and something else or nothing:

  compiler    a C compiler on each CPU
  jvm         a busy JVM of somebody else
  pinned      busy loops, pinned to one of the CPUs that the JVM may use
  alone       nothing else, but more GC threads than CPUs
  distractor  a compiler on each CPU, and a process that is awake one part in fifty

For some seconds it records, and reads `sched_switch` and `sched_wakeup` from tracefs in an instance of
its own. From the trace and the JVM's safepoint log alone it works out who had the CPUs while a GC thread
or the VM thread waited for one inside of a stop, and whether the JVM had more threads to run than
CPUs. The first culprit has to be the one with the most CPU time, and nobody may be named who had next
to none. Prints a Markdown table; exits with 1 where a case is wrong.

Needs root, a JDK with `javac`, and for the compiler cases `clang` or `cc`.
"""

import argparse
import bisect
import collections
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
CASES = ["compiler", "jvm", "pinned", "alone", "distractor"]
# Waits that whypause looks at; who had less than a twentieth of the others' time is an innocent.
LONG_WAIT_NS, INNOCENT, NEARLY = 1_000_000, 0.05, 0.75

ALLOCATES = """
import java.util.*;
public class Allocates {
    public static void main(String[] args) throws Exception {
        List<Object> live = new ArrayList<>();
        for (int i = 0; i < 300_000; i++) live.add(new long[8]);
        Random random = new Random(1);
        long until = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
        while (System.nanoTime() < until) {
            for (int i = 0; i < 2000; i++) live.set(random.nextInt(live.size()), new long[8]);
            if (random.nextInt(20) == 0) Thread.sleep(1);
        }
    }
}
"""
SPINS = """
public class Spins {
    public static void main(String[] args) throws Exception {
        long until = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
        for (int i = 1; i < 4; i++) new Thread(() -> { while (System.nanoTime() < until) ; }).start();
        while (System.nanoTime() < until) ;
    }
}
"""
NAPS = "import time\nwhile True:\n    t = time.monotonic()\n    while time.monotonic() - t < .002: pass\n    time.sleep(.098)\n"


def start(command, **more):
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL, **more)


class Others:
    """What runs beside the JVM; ended on exit."""

    def __init__(self, case, work, cpus, seconds):
        self.running, self.going = [], True
        self.thread = None
        if case in ("compiler", "distractor"):
            self.thread = threading.Thread(target=self.compile, args=(work, len(cpus)))
            self.thread.start()
        if case == "distractor":
            self.running.append(start([sys.executable, str(work / "naps.py")]))
        if case == "jvm":
            self.running.append(start(["java", "-cp", str(work), "Spins", str(seconds + 20)]))
        if case == "pinned":
            for _ in range(2):
                loop = start(["sh", "-c", "while :; do :; done"])
                os.sched_setaffinity(loop.pid, {cpus[-1]})
                self.running.append(loop)

    def compile(self, work, jobs):
        compiler = shutil.which("clang") or shutil.which("cc")
        command = [compiler, "-O2", "-c", str(work / "big.c"), "-o", "/dev/null"]
        running = []
        while self.going:
            running = [it for it in running if it.poll() is None]
            while len(running) < jobs:
                running.append(start(command))
            time.sleep(0.02)
        for it in running:
            it.kill()
            it.wait()

    def end(self):
        self.going = False
        if self.thread:
            self.thread.join()
        for it in self.running:
            it.kill()
            it.wait()


class Trace:
    """Switches and wake-ups of all CPUs, from an instance of tracefs."""

    def __init__(self, seconds):
        self.mount = pathlib.Path(tempfile.mkdtemp(prefix="whypause-trace-"))
        subprocess.run(["mount", "-t", "tracefs", "none", str(self.mount)], check=True)
        self.at = self.mount / "instances" / f"whypause-{os.getpid()}"
        self.at.mkdir()
        self.write("trace_clock", "mono")
        self.write("buffer_size_kb", str(min(65536, 8192 * seconds)))
        self.write("options/record-tgid", "1")
        for event in ("sched_switch", "sched_wakeup", "sched_wakeup_new"):
            self.write(f"events/sched/{event}/enable", "1")
        self.processes = {}

    def write(self, name, text):
        with contextlib.suppress(FileNotFoundError):
            (self.at / name).write_text(text)

    def note_processes(self):
        """Which process each thread belongs to, as far as it still runs."""
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                name = pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
                for tid in os.listdir(f"/proc/{pid}/task"):
                    self.processes[int(tid)] = (int(pid), name)

    def end(self):
        self.write("tracing_on", "0")
        text = (self.at / "trace").read_text(errors="replace")
        self.close()
        return text

    def close(self):
        with contextlib.suppress(OSError):
            self.at.rmdir()
        subprocess.run(["umount", str(self.mount)], check=False)
        with contextlib.suppress(OSError):
            self.mount.rmdir()


LINE = re.compile(r"\[(\d+)\]\s+\S+\s+(\d+)\.(\d+): (\w+): (.*)")
SWITCH = re.compile(r"prev_comm=(.*) prev_pid=(\d+) prev_prio=-?\d+ prev_state=(\S+) ==> "
                    r"next_comm=(.*) next_pid=(\d+)")
WAKEUP = re.compile(r"pid=(\d+)")


def timeline(text):
    """Of each thread: when it ran, on which CPU, and when it waited for one."""
    runs, waits, names = collections.defaultdict(list), collections.defaultdict(list), {}
    on, ready = {}, {}
    for line in text.splitlines():
        found = LINE.search(line)
        if not found:
            continue
        cpu, event, rest = int(found[1]), found[4], found[5]
        at = int(found[2]) * 1_000_000_000 + int(found[3].ljust(9, "0"))
        if event.startswith("sched_wakeup"):
            tid = int(WAKEUP.search(rest)[1])
            if tid not in on:
                ready.setdefault(tid, at)
            continue
        switch = SWITCH.search(rest)
        if not switch:
            continue
        out, to = int(switch[2]), int(switch[5])
        names[out], names[to] = switch[1], switch[4]
        if out and out in on:
            since, where = on.pop(out)
            runs[out].append((since, at, where))
        if out and switch[3].startswith("R"):
            ready[out] = at
        if to:
            on[to] = (at, cpu)
            if to in ready:
                waits[to].append((ready.pop(to), at))
    return runs, waits, names


def stops(log):
    """Stops of the safepoint log: the line is written at the end, with a monotonic time."""
    line = re.compile(r"\[(\d+)ns\].*Safepoint \"(\w+)\".*Total:\s+(\d+) ns")
    found = (line.search(it) for it in log.read_text(errors="replace").splitlines())
    return [(int(it[1]) - int(it[3]), int(it[1])) for it in found if it]


def overlap(a, b):
    return max(0, min(a[1], b[1]) - max(a[0], b[0]))


def truth(trace, processes, stops_, jvm, cpus, began, ended):
    """Who had the CPUs while the collection waited: CPU time by process, and how long the JVM was crowded."""
    runs, waits, names = timeline(trace)
    process = lambda tid: processes.get(tid, (tid, names.get(tid, "?")))
    own = [tid for tid in set(runs) | set(waits) if process(tid)[0] == jvm]
    collects = [tid for tid in own
                if names.get(tid, "").startswith(("GC Thread", "G1 ", "VM Thread"))]
    stops_ = sorted(it for it in stops_ if began < it[0] and it[1] < ended)
    spans = []
    for tid in collects:
        for wait in waits[tid]:
            if wait[1] - wait[0] < LONG_WAIT_NS:
                continue
            at = bisect.bisect_left(stops_, (wait[0], 0))
            spans += [(max(wait[0], it[0]), min(wait[1], it[1])) for it in stops_[max(0, at - 1):at + 2]
                      if overlap(wait, it) >= LONG_WAIT_NS]
    spans = union(spans)
    waited = sum(end - begin for begin, end in spans)
    used = collections.Counter()
    edges = []
    for tid, all_of in runs.items():
        for begin, end, cpu in all_of:
            if cpu not in cpus:
                continue
            for span in inside(spans, begin, end):
                used[process(tid)] += overlap(span, (begin, end))
    for tid in own:
        for begin, end in [it[:2] for it in runs[tid]] + waits[tid]:
            edges += [(begin, 1), (end, -1)]
    crowded = time_above(sorted(edges), len(cpus), spans)
    others = collections.Counter()
    for (pid, name), ns in used.items():
        if pid != jvm:
            others[name] += ns
    own_ns = sum(ns for (pid, _), ns in used.items() if pid == jvm)
    return waited, others, own_ns, crowded


def union(spans):
    out = []
    for begin, end in sorted(spans):
        if out and begin <= out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((begin, end))
    return out


def inside(spans, begin, end):
    at = bisect.bisect_left(spans, (begin, 0))
    for span in spans[max(0, at - 1):]:
        if span[0] >= end:
            return
        if span[1] > begin:
            yield span


def time_above(edges, cpus, spans):
    total, wanted, since = 0, 0, 0
    for at, change in edges:
        if wanted > cpus:
            total += sum(overlap(it, (since, at)) for it in inside(spans, since, at))
        wanted, since = wanted + change, at
    return total


def run(case, program, work, seconds, gc_threads):
    cpus = sorted(os.sched_getaffinity(0))
    threads = 4 * len(cpus) if case == "alone" else gc_threads or len(cpus)
    log = work / f"{case}.log"
    jvm = start(["java", "-XX:+UseG1GC", f"-XX:ParallelGCThreads={threads}", "-Xmx200m", "-Xmn60m",
                 f"-Xlog:safepoint*:file={log}:tn", "-cp", str(work), "Allocates", str(seconds + 20)])
    time.sleep(2)
    others = Others(case, work, cpus, seconds)
    recording = work / f"{case}.rec"
    trace = None
    try:
        time.sleep(1)
        record = start([program, "record", "-p", str(jvm.pid), "-d", f"{seconds}s", "-o", str(recording)])
        time.sleep(1.5)
        trace = Trace(seconds)
        began = time.monotonic_ns()
        while record.poll() is None:
            trace.note_processes()
            time.sleep(0.1)
        ended = time.monotonic_ns()
        text, trace_processes = trace.end(), trace.processes
        trace = None
    finally:
        if trace:
            trace.close()
        others.end()
        jvm.kill()
        jvm.wait()
    explained = json.loads(subprocess.run([program, "explain", str(recording), "--format", "json"],
                                          capture_output=True, check=False).stdout)
    found = next((it for it in explained["causes"] if it["id"] == "cpu-contention"), None)
    facts = truth(text, trace_processes, stops(log), jvm.pid, cpus, began, ended)
    return judge(case, found, *facts)


def judge(case, found, waited, others, own, crowded):
    culprits = found["culprits"] if found else []
    names = [it["name"] for it in culprits]
    most, most_ns = (others.most_common(1) or [("nobody", 0)])[0]
    own_is_party = crowded * 2 >= waited > 0
    all_others = sum(others.values())
    if all_others * 4 < waited:
        expected = ["the JVM itself"] if own_is_party else []
        right = names == expected or (case == "alone" and not names and not found)
    else:
        expected = ["the JVM itself" if own_is_party and own > all_others else most]
        first = names[0] if names else ""
        # Of two that had nearly the same either may come first.
        right = first == expected[0] or (expected[0] == most and others[first.split(" ")[0]] >= NEARLY * most_ns)
    innocents = [it for it in names if it != "the JVM itself"
                 and others[it.split(" ")[0]] < INNOCENT * max(all_others, 1)]
    ms = lambda ns: f"{ns / 1e6:.0f} ms"
    print(f"| {case} | {ms(waited)} | {', '.join(f'{n} {ms(t)}' for n, t in others.most_common(3)) or '-'} "
          f"| {ms(own)} | {ms(crowded)} | {', '.join(names) or '-'} "
          f"| {'right' if right and not innocents else 'WRONG, expected ' + str(expected)} |", flush=True)
    for it in culprits:
        print(f"    {it['statement']}", file=sys.stderr)
    return right and not innocents


def prepare(work):
    (work / "Allocates.java").write_text(ALLOCATES)
    (work / "Spins.java").write_text(SPINS)
    (work / "naps.py").write_text(NAPS)
    body = "".join(f"int f{n}(int *a, int b) {{ int s = 0; for (int i = 0; i < b; i++) "
                   f"s += a[i] * {n} ^ (s >> {n % 31}); return s; }}\n" for n in range(6000))
    (work / "big.c").write_text(body)
    subprocess.run(["javac", "-d", str(work), str(work / "Allocates.java"), str(work / "Spins.java")],
                   check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", default=CASES, help=f"of {', '.join(CASES)}; all of them")
    parser.add_argument("--program", default=str(ROOT / "target/release/whypause"))
    parser.add_argument("--seconds", type=int, default=6, help="of each recording")
    parser.add_argument("--gc-threads", type=int, help="of the JVM, but for `alone`; as many as CPUs")
    parser.add_argument("--keep", help="keep recordings and logs in this directory")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        work = pathlib.Path(options.keep or stack.enter_context(tempfile.TemporaryDirectory(prefix="whypause-who-")))
        work.mkdir(exist_ok=True)
        prepare(work)
        print("| case | waited for a CPU | others had, by the trace | the JVM had | more threads than CPUs for "
              "| named | |\n|---|---|---|---|---|---|---|", flush=True)
        right = [run(case, options.program, work, options.seconds, options.gc_threads)
                 for case in options.cases]
    return 0 if all(right) else 1


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main())
