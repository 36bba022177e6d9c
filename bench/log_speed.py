"""Measures how fast `whypause explain` reads GC logs, beside `wc -l` and `grep -c` on the same file.

Makes its own large logs: a log of testdata is repeated, with uptimes, dates and numbers of
collections going on, and its head only once. Prints a Markdown table.

Every program runs as a user starts it, bound to no core, and they take turns. Of each the run with
the least CPU time counts, as the machine may do other things as well. The last column divides it
by that of `grep -c Pause`: the bar is 2 for unified G1, and 3 for every other.
"""

import argparse
import datetime
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
MIB = 1 << 20
# What is measured: a name, and where its logs are. The largest log there is repeated.
LOGS = [
    ("unified G1", ["jdk21/g1", "jdk17/g1"]),
    ("unified Parallel", ["jdk21/parallel", "jdk17/parallel"]),
    ("unified ZGC", ["jdk21/zgc", "jdk25/zgc"]),
    ("legacy G1", ["jdk8/g1"]),
    ("legacy CMS", ["jdk8/cms"]),
    ("legacy Parallel", ["jdk8/parallel"]),
]
DATE = rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d{4}"
TOKEN = re.compile(rb"(?m)(?P<date>" + DATE + rb")|\[(?P<unified>\d+\.\d+)s\]|GC\((?P<id>\d+)\)"
                   rb"|(?P<legacy>(?<![\d.:])\d+\.\d{3})(?=: )")
FIRST_COLLECTION = re.compile(rb"(?m)^.*(?:GC\(\d+\)|\[GC|\[Full GC).*$")


class Template:
    """A log as constant text and what changes from one repetition to the next."""

    def __init__(self, text):
        first = FIRST_COLLECTION.search(text)
        begin = first.start() if first else 0
        self.head, body = text[:begin], text[begin:]
        self.parts, self.span, self.ids, at = [], 0, 0, 0
        for token in TOKEN.finditer(body):
            kind = token.lastgroup
            value = token.group(kind)
            self.parts += [body[at:token.start(kind)], (kind, self.read(kind, value))]
            at = token.end(kind)
        self.parts.append(body[at:])

    def read(self, kind, value):
        if kind == "date":
            return datetime.datetime.strptime(value.decode(), "%Y-%m-%dT%H:%M:%S.%f%z")
        if kind == "id":
            self.ids = max(self.ids, int(value) + 1)
            return int(value)
        self.span = max(self.span, int(float(value) * 1000) + 1000)
        return round(float(value) * 1000)

    def repetition(self, number):
        """The text of one repetition."""
        ahead = datetime.timedelta(milliseconds=number * self.span)
        out = []
        for part in self.parts:
            if isinstance(part, bytes):
                out.append(part)
                continue
            kind, value = part
            if kind == "date":
                later = value + ahead
                out.append(f"{later:%Y-%m-%dT%H:%M:%S}.{later.microsecond // 1000:03}{later:%z}".encode())
            elif kind == "id":
                out.append(b"%d" % (value + number * self.ids))
            else:
                ms = value + number * self.span
                out.append(b"%d.%03d" % (ms // 1000, ms % 1000))
        return b"".join(out)


def make(source, to, size):
    """Writes a log of at least so many bytes."""
    template = Template(source.read_bytes())
    with open(to, "wb") as out:
        out.write(template.head)
        number = 0
        while out.tell() < size:
            out.write(template.repetition(number))
            number += 1


def run(command, stdin=None):
    """Wall seconds, CPU seconds and peak resident KiB of a command.

    The peak is never below that of this program itself, some 15 MiB, as a process begins as a
    copy of the one that starts it.
    """
    began = time.monotonic()
    # Not to /dev/null: grep sees that, and stops at the first match.
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(command, stdin=stdin, stdout=output)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - began
    # `grep -c` says 1 where nothing was found.
    if child.returncode not in (0, 1):
        sys.exit(f"error: `{command[0]}` ended with {child.returncode}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def best(commands, runs):
    """The best run of each command. They take turns, so that all meet the same machine."""
    rounds = [[run(command) for command in commands] for _ in range(runs)]
    return [min(runs_of_one, key=lambda it: it[1]) for runs_of_one in zip(*rounds)]


def row(log, what, size, measured, grep_cpu):
    """`grep_cpu`: CPU seconds of `grep` for a byte."""
    wall, cpu, rss = measured
    print(f"| {log} | {what} | {size / 1e6:.0f} | {wall:.2f} | {cpu:.3f} | "
          f"{size / 1e6 / max(cpu, 0.001):.0f} | {rss / 1024:.0f} | "
          f"{cpu / size / max(grep_cpu, 1e-15):.1f} |", flush=True)


def machine():
    model = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo")
                  if line.startswith("model name")), "unknown processor")
    return f"{model}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start"


def source_of(places):
    logs = [log for place in places
            for log in (ROOT / "testdata/gclogs" / place).glob("*.log")]
    return max(logs, key=lambda it: it.stat().st_size, default=None)


def measure(arguments, folder):
    for name, places in LOGS:
        source = source_of(places)
        if source is None:
            print(f"left out: {name} (no log in testdata/gclogs/{places[0]})", file=sys.stderr)
            continue
        log = folder / "gc.log"
        make(source, log, arguments.size * 1_000_000)
        size = log.stat().st_size
        explain = [arguments.program, "explain", "--format", "json"]
        commands = [["wc", "-l"], ["grep", "-c", "Pause"], explain]
        measured = best([[*command, str(log)] for command in commands], arguments.runs)
        grep_cpu = measured[1][1] / size
        for command, it in zip(["wc -l", "grep -c Pause", "whypause explain"], measured):
            row(name, f"`{command}`", size, it, grep_cpu)
        if arguments.big:
            big(name, log, arguments.big, explain, grep_cpu)
        log.unlink()


def big(name, log, gigabytes, explain, grep_cpu):
    """Much through a pipe: the log again and again, as if the JVM were started anew."""
    times = gigabytes * 1_000_000_000 // log.stat().st_size
    feed = subprocess.Popen(["cat", *[str(log)] * times], stdout=subprocess.PIPE)
    measured = run([*explain, "-"], stdin=feed.stdout)
    feed.stdout.close()
    feed.wait()
    row(name, f"`whypause explain -`, {gigabytes} GB", log.stat().st_size * times, measured, grep_cpu)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default=str(ROOT / "target/release/whypause"))
    parser.add_argument("--size", type=int, default=200, metavar="MB", help="of each log")
    parser.add_argument("--runs", type=int, default=5, help="of which the best counts")
    parser.add_argument("--big", action="store_const", const=10, default=0,
                        help="also 10 GB through a pipe")
    parser.add_argument("--check", action="store_true",
                        help="one run of 5 MB each, and 1 GB for 10, to see that it works")
    arguments = parser.parse_args()
    if arguments.check:
        arguments.size, arguments.runs, arguments.big = 5, 1, min(arguments.big, 1)
    memory = "/dev/shm"
    if "TMPDIR" in os.environ or shutil.disk_usage(memory).free < 4 * arguments.size * 1_000_000:
        memory = None
    print(f"{machine()}; as started, the best of {arguments.runs} runs\n")
    print("| log | read by | MB | wall s | CPU s | MB per CPU s | peak MiB | x grep |")
    print("|---|---|--:|--:|--:|--:|--:|--:|", flush=True)
    with tempfile.TemporaryDirectory(prefix="whypause-bench-", dir=memory) as folder:
        measure(arguments, pathlib.Path(folder))


if __name__ == "__main__":
    main()
