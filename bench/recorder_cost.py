#!/usr/bin/env python3
"""Measures what `whypause record` costs, and prints it as Markdown tables.

Four things, each against the bar the project has set itself:

* the time the kernel spends in the recorder's programs, per CPU second of the JVM,
  from the recorder's own account and, independently, from the kernel's counters
  (`/proc/PID/fdinfo`, filled while `kernel.bpf_stats_enabled` is 1);
* the CPU time of the recorder's own threads, from `/proc/PID/task/*/schedstat`;
* the throughput that a JVM loses which has every core busy, with and without the
  recorder alternated in one and the same JVM, from the bytes its GC log says it allocated;
* resident memory, and events lost.

Needs root, a JDK and a built whypause. Uses nothing but Python's standard library.
"""

import argparse
import contextlib
import json
import os
import platform
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORKLOADS = ROOT / "java/workloads/src/main/java"
LOADS = ["AllocLoad", "Handoff"]
STATS = Path("/proc/sys/kernel/bpf_stats_enabled")
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
# Attaching, loading and sealing cost once; what is asked for here is the cost while recording.
SETTLE_SECONDS = 3
# Makes some 200,000 switches a second of the 270,000 that this load makes at full speed.
HANDOFF_WORK_NS = 3000
HEAP = ["-Xms768m", "-Xmx768m", "-XX:+UseG1GC", "-XX:ParallelGCThreads=2"]


class CannotMeasure(Exception):
    """Why there is no number."""


class Load:
    """A JVM under one load; its GC log is in memory, with times of the monotonic clock."""

    def __init__(self, classes, java, scratch, settle, options, main, arguments):
        self.settle = settle
        self.log = Path(scratch) / "gc.log"
        self.log.unlink(missing_ok=True)
        command = [java, *HEAP, *options, f"-Xlog:gc:file={self.log}:tn:filecount=0"]
        command += ["-cp", str(classes), f"whypause.workloads.{main}", *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        if self.process.stdout.readline().strip() != "ready=1":
            self.__exit__()
            raise CannotMeasure("the load did not start")
        time.sleep(self.settle)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def collections(self, begin_ns, end_ns):
        """Time, heap before and heap after, in MiB, of each young collection between two instants."""
        line = re.compile(r"^\[(\d+)ns\].* Pause Young .* (\d+)M->(\d+)M\(")
        found = (line.match(text) for text in self.log.read_text().splitlines())
        rows = (tuple(map(int, match.groups())) for match in found if match)
        return [row for row in rows if begin_ns <= row[0] <= end_ns]

    def rates(self, begin_ns, end_ns):
        """MiB allocated per second, and collections per second, between two instants."""
        rows = self.collections(begin_ns, end_ns)
        if len(rows) < 10:
            raise CannotMeasure(f"only {len(rows)} collections in a slice of the load")
        allocated = sum(after[1] - before[2] for before, after in zip(rows, rows[1:]))
        seconds = (rows[-1][0] - rows[0][0]) / 1e9
        return allocated / seconds, (len(rows) - 1) / seconds


class Recorder:
    """`whypause record`, for a number of seconds or until it is stopped."""

    def __init__(self, program, scratch, pid, seconds):
        self.directory = Path(scratch) / "recording"
        shutil.rmtree(self.directory, ignore_errors=True)
        self.program = program
        command = [program, "record", "-p", str(pid), "-d", f"{seconds}s", "--self-cost"]
        self.process = subprocess.Popen(
            [*command, "-o", str(self.directory)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def cpu_seconds(self):
        """CPU time of the process so far, to the nanosecond: a tick is more than it takes in a second."""
        ran_ns = 0
        for thread in Path(f"/proc/{self.process.pid}/task").iterdir():
            with contextlib.suppress(OSError):
                ran_ns += int((thread / "schedstat").read_text().split()[0])
        return ran_ns / 1e9

    def kernel_seconds(self):
        """Time in the programs this process has loaded, from the kernel's own counters."""
        times = {}
        for entry in Path(f"/proc/{self.process.pid}/fdinfo").iterdir():
            with contextlib.suppress(OSError):
                text = entry.read_text()
                identity = re.search(r"^prog_id:\s*(\d+)$", text, re.MULTILINE)
                run_time = re.search(r"^run_time_ns:\s*(\d+)$", text, re.MULTILINE)
                if identity and run_time:
                    times[identity[1]] = int(run_time[1])
        return sum(times.values()) / 1e9

    def finish(self):
        """Waits for the end, and gives what the recording says of itself."""
        _, messages = self.process.communicate(timeout=120)
        if self.process.returncode != 0:
            raise CannotMeasure(f"whypause record failed: {messages.strip()}")
        explained = subprocess.run(
            [self.program, "explain", "--format", "json", str(self.directory)],
            check=False,
            capture_output=True,
            text=True,
        )
        if explained.returncode != 0:
            raise CannotMeasure(f"whypause explain failed: {explained.stderr.strip()}")
        return json.loads(explained.stdout)

    def kill(self):
        """Ends it if it still runs."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(10)
                return
            self.process.kill()
            self.process.wait()


def jvm_cpu_seconds(pid):
    """CPU time of the JVM so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND


@contextlib.contextmanager
def kernel_counts_run_time():
    """Has the kernel measure the run time of its programs, and puts the switch back."""
    before = STATS.read_text()
    STATS.write_text("1")
    try:
        yield
    finally:
        STATS.write_text(before)


def steady_cost(program, scratch, load, seconds):
    """One recording: what it says of itself, and what was seen of it from outside."""
    recorder = Recorder(program, scratch, load.process.pid, seconds)
    try:
        time.sleep(load.settle)
        begin = (time.monotonic(), recorder.cpu_seconds(), recorder.kernel_seconds())
        jvm_begin, begin_ns = jvm_cpu_seconds(load.process.pid), time.monotonic_ns()
        # Some way before the end, when sealing begins.
        time.sleep(max(1, seconds - 2 * load.settle))
        end = (time.monotonic(), recorder.cpu_seconds(), recorder.kernel_seconds())
        jvm_cpu, end_ns = jvm_cpu_seconds(load.process.pid) - jvm_begin, time.monotonic_ns()
        document = recorder.finish()
    finally:
        recorder.kill()
    wall, cpu, kernel = (after - before for before, after in zip(begin, end))
    return {
        "recorder_share": cpu / wall,
        "kernel_share_outside": kernel / jvm_cpu if kernel else None,
        "jvm_cores": jvm_cpu / wall,
        "interval_ns": (begin_ns, end_ns),
        "coverage": document["coverage"],
    }


def throughput_loss(program, scratch, load, rounds, seconds):
    """Alternates recording and not recording, and compares neighbours. Shares of throughput."""
    rates = {True: [], False: []}
    recorder_shares, lost = [], 0
    # on off off on on off off on …: a drift of the machine falls on both alike.
    order = [turn for index in range(rounds) for turn in ((True, False), (False, True))[index % 2]]
    for recorded in order:
        if recorded:
            cost = steady_cost(program, scratch, load, seconds + 2 * load.settle)
            interval = cost["interval_ns"]
            recorder_shares.append(cost["recorder_share"])
            lost += cost["coverage"]["lost_events"]
        else:
            time.sleep(load.settle)
            begin = time.monotonic_ns()
            time.sleep(seconds)
            interval = (begin, time.monotonic_ns())
        rates[recorded].append(load.rates(*interval))
    pairs = zip(rates[True], rates[False])
    losses = [1 - with_it[0] / without[0] for with_it, without in pairs]
    return {
        "losses": losses,
        "collections_per_second": statistics.median(rate[1] for rate in rates[False]),
        "recorder_share": statistics.median(recorder_shares),
        "lost_events": lost,
    }


def machine(java):
    """The machine in one line."""
    model = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    version = subprocess.run([java, "-version"], check=True, capture_output=True, text=True).stderr
    runtime = re.search(r'version "([^"]+)"', version)
    return ", ".join([
        model[1] if model else platform.machine(),
        f"{os.cpu_count()} CPUs",
        f"Linux {platform.release()}",
        f"JDK {runtime[1] if runtime else '?'}",
    ])


def percent(share):
    """A share as text; too small ones keep two places."""
    return "not measured" if share is None else f"{share * 100:.2f} %"


def kernel_row(name, cost, bar):
    """One row of the table of in-kernel time."""
    own = cost["coverage"]["cost"]
    recorded = cost["coverage"]["recorded_ns"] / 1e9
    inside = own["kernel_time_ns"]
    share = inside / own["jvm_cpu_ns"] if inside is not None and own["jvm_cpu_ns"] else None
    cells = [
        name,
        f"{own['switches'] / recorded:,.0f}",
        f"{own['jvm_cpu_ns'] / 1e9 / recorded:.2f}",
        percent(share),
        percent(cost["kernel_share_outside"]),
        bar,
        percent(cost["recorder_share"]),
        f"{own['recorder_rss_bytes'] / 2**20:.1f} MiB",
        str(cost["coverage"]["lost_events"]),
    ]
    return "| " + " | ".join(cells) + " |"


def compile_workloads(javac, target):
    """Compiles the loads into `target`; others of the lab's workloads need libraries."""
    sources = [str(WORKLOADS / "whypause/workloads" / f"{name}.java") for name in LOADS]
    command = [javac, "-nowarn", "-sourcepath", str(WORKLOADS), "-d", str(target), *sources]
    if subprocess.run(command, check=False).returncode != 0:
        raise CannotMeasure("the workloads could not be compiled")


def say(message):
    """Progress, on stderr."""
    print(message, file=sys.stderr, flush=True)


def measure(arguments, scratch):
    """Runs all loads, and prints the tables."""
    arguments.scratch = scratch
    classes = Path(scratch) / "classes"
    classes.mkdir()
    compile_workloads(arguments.javac, classes)

    def load(main, options=(), *workload):
        return Load(classes, arguments.java, scratch, arguments.settle, options, main, workload)

    program, seconds = str(arguments.whypause), arguments.seconds
    rows = []
    with kernel_counts_run_time():
        for name, workload in (
            ("allocation at full speed", ["rate=0", "size=2048", "queue=4000", "drop=2000"]),
            ("allocation, mostly waiting", []),
        ):
            say(f"in-kernel time: {name}")
            with load("AllocLoad", ["-Xmn64m"], *workload) as running:
                cost = steady_cost(program, scratch, running, seconds)
                rows.append(kernel_row(name, cost, "≤ 0.4 % at 6,000 switches/s"))
        # How many switches a machine makes at full speed is its own affair; with some work between
        # them there are about as many as the bar speaks of.
        for name, workload in (
            ("handoff at full speed", []),
            (f"handoff, {HANDOFF_WORK_NS} ns of work each", [f"work_ns={HANDOFF_WORK_NS}"]),
        ):
            say(f"in-kernel time: {name}")
            with load("Handoff", (), *workload) as running:
                cost = steady_cost(program, scratch, running, seconds)
                rows.append(kernel_row(name, cost, "≤ 4 % at 190,000 switches/s"))

    print(f"Measured on {machine(arguments.java)}.\n")
    print("| Load | Switches of the JVM per second | JVM's CPU, in cores | In-kernel time of JVM CPU, own account | the kernel's counters | Bar | Recorder's process, of one core | Its memory (bar 32 MiB) | Events lost |")
    print("|---|---|---|---|---|---|---|---|---|")
    print("\n".join(rows))
    print(flush=True)
    if arguments.rounds > 0:
        measure_throughput(arguments, load)


def measure_throughput(arguments, load):
    """Runs saturating loads with and without the recorder in turn, and prints the table."""
    outcomes = []
    program, seconds = str(arguments.whypause), arguments.seconds
    for name, bar, young, rate in (
        ("about 20 collections a second", "≤ 1 % of a core", "-Xmn256m", 0),
        ("all cores, about 100 collections a second", "≤ 3 % of a core", "-Xmn32m", 0),
    ):
        say(f"throughput: {name}, {arguments.rounds} alternations")
        sized = ["threads=2", f"rate={rate}", "size=2048", "queue=4000", "drop=2000"]
        with load("AllocLoad", [young], *sized) as running:
            outcomes.append(
                (name, bar, throughput_loss(program, arguments.scratch, running, arguments.rounds, seconds))
            )

    print("| Load | Collections per second | Recorder's process | Bar | Throughput lost, median (bar 1 %) | Quartiles | Alternations | Events lost |")
    print("|---|---|---|---|---|---|---|---|")
    for name, bar, outcome in outcomes:
        losses = sorted(outcome["losses"])
        low, middle, high = statistics.quantiles(losses, n=4)
        cells = [
            name,
            f"{outcome['collections_per_second']:.0f}",
            percent(outcome["recorder_share"]),
            bar,
            percent(middle),
            f"{percent(low)} to {percent(high)}",
            str(len(losses)),
            str(outcome["lost_events"]),
        ]
        print("| " + " | ".join(cells) + " |")


def parse_arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description="Measure what `whypause record` costs.")
    parser.add_argument("--whypause", type=Path, default=ROOT / "target/release/whypause",
                        help="the program to measure (default: %(default)s)")
    parser.add_argument("--seconds", type=int, default=15,
                        help="length of one measurement, 5 or more (default: %(default)s)")
    parser.add_argument("--check", action="store_true",
                        help="everything once and for 3 s, to see that it works; the numbers are worth nothing")
    parser.add_argument("--rounds", type=int, default=9,
                        help="alternations with and without the recorder; 0 leaves them out, 7 or more for a "
                             "number worth quoting (default: %(default)s)")
    parser.add_argument("--java", default="java", help="the JVM (default: %(default)s)")
    parser.add_argument("--javac", default="javac", help="its compiler (default: %(default)s)")
    arguments = parser.parse_args()
    if arguments.seconds < 5 or 0 < arguments.rounds < 2:
        parser.error("--seconds must be 5 or more, --rounds 0 or 2 and more")
    arguments.settle = SETTLE_SECONDS
    if arguments.check:
        # Quartiles need two.
        arguments.seconds, arguments.rounds, arguments.settle = 3, 2, 1
    return arguments


def main():
    """Measures; exit code 2 where that was not possible."""
    arguments = parse_arguments()
    # In memory: neither the load nor the recording may wait for a disk.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
    try:
        with tempfile.TemporaryDirectory(prefix="whypause-bench-", dir=memory) as scratch:
            measure(arguments, scratch)
    except (CannotMeasure, OSError, subprocess.SubprocessError) as error:
        say(f"error: could not measure: {error}")
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
