#!/usr/bin/env python3
"""Measures how long after its end a pause is on the page of `whypause watch --serve`.

One JVM collects a few times a second and writes a GC log; for each nice value that is given a watch of
its own is beside it, so that all see the same pauses. A row for each of them, idle and with a
`sha1sum /dev/zero` for each CPU: pauses, those with a cause, and the delay from the end of a pause to
its event.

The nice value is that of the thread that diagnoses. `own` is what the program chooses itself.

Needs root, a JDK and a built whypause. Uses nothing but Python's standard library.
"""

import argparse
import contextlib
import json
import os
import platform
import re
import socket
import statistics
import subprocess
import tempfile
import threading
import time
from pathlib import Path

COLLECTS = """
public class Collects {
    static Object[] kept = new Object[200_000];
    public static void main(String[] args) throws Exception {
        for (int i = 0; i < kept.length; i++) kept[i] = new byte[32];
        while (true) {
            System.gc();
            Thread.sleep(100 + (long) (Math.random() * 200));
        }
    }
}
"""
PRINTER = "whypause-print"
SETTLE_SECONDS = 3
START_SECONDS = 60


class Watch:
    """A watch with its page, read by a thread of this process."""

    def __init__(self, whypause, jvm, nice, scratch):
        self.nice = nice
        self.events = []
        self.said = Path(scratch) / f"watch-{nice}"
        command = [whypause, "watch", "-p", str(jvm), "--over", "1ms", "--serve", "0"]
        with self.said.open("wb") as said:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said
            )
        self.stream = self.connect()
        threading.Thread(target=self.read, daemon=True).start()
        self.renice()

    def until(self, found):
        begun = time.monotonic()
        while time.monotonic() - begun < START_SECONDS:
            if self.process.poll() is not None:
                break
            if (it := found()) is not None:
                return it
            time.sleep(0.05)
        raise SystemExit(f"error: the watch did not begin: {self.said.read_text()}")

    def connect(self):
        page = re.compile(r"live page at http://([^/:]+):(\d+)(/\w+/)")
        host, port, path = self.until(lambda: page.search(self.said.read_text())).groups()
        self.until(lambda: re.search("watching .*pid", self.said.read_text()))
        stream = socket.create_connection((host, int(port)))
        stream.sendall(f"GET {path}events HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        return stream

    def renice(self):
        """Gives the thread that diagnoses its nice value, once it is there."""
        def tells():
            tasks = Path(f"/proc/{self.process.pid}/task").iterdir()
            names = {int(it.name): (it / "comm").read_text().strip() for it in tasks}
            return next((tid for tid, name in names.items() if name == PRINTER), None)

        tid = self.until(tells)
        time.sleep(0.2)
        if self.nice != "own":
            os.setpriority(os.PRIO_PROCESS, tid, int(self.nice))

    def read(self):
        name = ""
        for line in self.stream.makefile("r", encoding="utf-8"):
            if line.startswith("event: "):
                name = line[7:].strip()
            elif line.startswith("data: ") and name == "pause":
                self.take(time.time() * 1e3, json.loads(line[6:]))

    def take(self, now_ms, event):
        pauses = event["pauses"]
        start_ms = pauses["origin_wall_ms"] + pauses["start_us"][0] / 1e3
        length_ms = pauses["length_us"][0] / 1e3
        self.events.append((now_ms - start_ms - length_ms, bool(event["causes"])))

    def end(self):
        self.process.terminate()
        self.process.wait(30)


def row(load, watch, events):
    delays = sorted(it[0] for it in events)
    p95 = delays[min(len(delays) - 1, int(len(delays) * 0.95))]
    numbers = f"{statistics.median(delays):.0f} ms | {p95:.0f} ms | {delays[-1]:.0f} ms"
    caused = sum(it[1] for it in events)
    print(f"| {load} | {watch.nice} | {len(events)} | {caused} | {numbers} |", flush=True)


def measure(load, watches, pauses):
    time.sleep(SETTLE_SECONDS)
    first = [len(it.events) for it in watches]
    begun = time.monotonic()
    while any(len(it.events) - n < pauses for it, n in zip(watches, first)):
        if time.monotonic() - begun > 10 * pauses:
            raise SystemExit("error: the pauses do not come")
        time.sleep(0.1)
    for watch, n in zip(watches, first):
        row(load, watch, watch.events[n : n + pauses])


def cpu_name():
    names = re.findall(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return names[0] if names else platform.machine()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pauses", type=int, default=100, help="for each row [%(default)s]")
    parser.add_argument("--check", action="store_const", dest="pauses", const=5,
                        help="five pauses for each row, to see that it works")
    parser.add_argument("nice", nargs="*", default=["own"], help="nice values to compare [own]")
    arguments = parser.parse_args()
    whypause = os.environ.get("WHYPAUSE", "target/release/whypause")
    cpus = os.cpu_count()
    print(f"Machine: {cpu_name()}, {cpus} CPUs, Linux {platform.release()}\n")
    print("| CPUs | nice | pauses | with a cause | median | p95 | max |")
    print("|---|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as scratch, contextlib.ExitStack() as stack:
        source = Path(scratch) / "Collects.java"
        source.write_text(COLLECTS)
        log = f"-Xlog:gc*,safepoint:file={scratch}/gc.log"
        jvm = subprocess.Popen(
            ["java", "-Xmx128m", "-XX:+UseSerialGC", log, str(source)], stdin=subprocess.DEVNULL
        )
        stack.callback(jvm.kill)
        time.sleep(SETTLE_SECONDS)
        watches = []
        for nice in arguments.nice:
            watches.append(Watch(whypause, jvm.pid, nice, scratch))
            stack.callback(watches[-1].end)
        measure("idle", watches, arguments.pauses)
        for _ in range(cpus):
            hog = subprocess.Popen(["sha1sum", "/dev/zero"], stdin=subprocess.DEVNULL)
            stack.callback(hog.kill)
        measure("busy", watches, arguments.pauses)


if __name__ == "__main__":
    main()
