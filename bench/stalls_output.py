"""Measures whether `stalls` of `whypause` add up where standard output is a pipe whose reader does not keep up.

As in a container whose log driver is slow: threads print, each a line now and then, through `System.out` or through
the console appender of Logback; who reads them sleeps (`--reader sleeps`: three seconds of each four), is too slow
all the time (`--reader slow`), or stopped reading before the recording and goes on after it (`--reader stuck`). One thread waits in `write`, the others for the lock that it holds. The truth is read
from the kernel's tracepoints meanwhile (`bench/stalls_truth.py`).

Exits with 1 where both differ by more than 5 % (and by more than 50 ms), with 3 where the program knows no stalls.
Needs root, JDK 17 or newer with `javac`, a kernel with `CONFIG_FTRACE_SYSCALLS`, and for Logback Maven and what it
downloads; says SKIPPED and why where one is missing.
"""

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
import maven_jars
from stalls_run import Failed, beside, compare, explain, of_truth, print_told, print_truth, record
from stalls_truth import CannotMeasure, Trace, Truth, stops_of

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOGBACK = ["ch.qos.logback:logback-classic:1.5.34"]
PRINTS = """
public class Prints {
    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[0]);
        long everyMs = Long.parseLong(args[1]);
        String line = "x".repeat(200);
        %s
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(() -> {
                try {
                    while (true) {
                        Thread.sleep(everyMs);
                        %s;
                    }
                } catch (InterruptedException end) {
                    return;
                }
            }, "worker-" + i);
            thread.start();
        }
    }
}
"""
READERS = {"sleeps": "the reader sleeps", "slow": "the reader is slow", "stuck": "the reader is stuck"}
HOW = {
    "println": ("", "System.out.println(line)"),
    "logback": ('org.slf4j.Logger log = org.slf4j.LoggerFactory.getLogger(Prints.class);', "log.info(line)"),
}


def read_slowly(pipe, how, ended):
    """Reads as `how` says until the pipe ends."""
    if how == "stuck":
        os.read(pipe, 4096)
        ended.wait()
    while not ended.is_set():
        if how == "slow":
            time.sleep(0.1)
            if not os.read(pipe, 4096):
                return
        else:
            until = time.monotonic() + 1
            while time.monotonic() < until:
                if not os.read(pipe, 65536):
                    return
            ended.wait(3)


def measure(options, how, reader, work):
    jars = maven_jars.jars("logback", *LOGBACK) if how == "logback" else str(work)
    (work / "Prints.java").write_text(PRINTS % HOW[how])
    javac = str(pathlib.Path(options.java).parent / "javac") if "/" in options.java else "javac"
    subprocess.run([javac, "-cp", jars, "-d", str(work), str(work / "Prints.java")], stdin=subprocess.DEVNULL, check=True)
    command = [options.java, "-Xmx128m", f"-Xlog:safepoint:file={work}/safepoints.log:tn:filecount=0", "-cp", f"{work}:{jars}",
               "Prints", str(options.threads), str(options.every)]
    with contextlib.ExitStack() as stack:
        said = stack.enter_context(open(work / "said", "w", encoding="utf-8"))
        jvm = stack.enter_context(beside(command, stdout=subprocess.PIPE, stderr=said))
        ended = threading.Event()
        reads = threading.Thread(target=read_slowly, args=(jvm.stdout.fileno(), reader, ended), daemon=True)
        reads.start()
        stack.callback(reads.join)
        stack.callback(ended.set)
        time.sleep(options.warm_up)
        if jvm.poll() is not None:
            raise Failed("the JVM ended:\n" + (work / "said").read_text()[-2000:])
        with contextlib.closing(Trace(jvm.pid)) as trace:
            begin_ns, text = record(options.program, jvm.pid, options.seconds, work / "rec")
            time.sleep(4)
            truth = Truth(trace, stops_of(work / "safepoints.log"))
        # so that the thread that reads sees the end
        jvm.kill()
    explained = explain(options.program, work / "rec")
    seen = of_truth(truth, (begin_ns, begin_ns + explained["coverage"]["recorded_ns"]))
    if options.keep:
        keep = pathlib.Path(options.keep) / f"{how}-{reader}"
        shutil.copytree(work / "rec", keep / "rec")
        (keep / "seen.json").write_text(json.dumps({"explained": explained, **seen}))
    print(f"\n## {how}, {options.threads} threads, {READERS[reader]}\n")
    print(text)
    print_truth(seen, options.rows)
    stalls = explained.get("stalls")
    if stalls is None:
        print("this whypause tells no stalls")
        return 3
    print_told(stalls, options.rows)
    return 0 if compare(stalls, seen) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("how", nargs="*", default=list(HOW), help=f"of {', '.join(HOW)}; both")
    parser.add_argument("--reader", choices=[*READERS, "all"], default="all", help="who reads [all]")
    parser.add_argument("--seconds", type=int, default=20, help="how long to record [20]")
    parser.add_argument("--warm-up", type=int, default=8, help="seconds before [8]")
    parser.add_argument("--threads", type=int, default=8, help="how many print [8]")
    parser.add_argument("--every", type=int, default=5, help="milliseconds between two lines of each [5]")
    parser.add_argument("--rows", type=int, default=20, help="how long the tables are [20]")
    parser.add_argument("--keep", help="a directory for recordings, and all that was seen")
    parser.add_argument("--java", default="java", help="the JVM to run with")
    parser.add_argument("--program", default=str(ROOT / "target/release/whypause"))
    options = parser.parse_args()
    codes = [0]
    try:
        if os.geteuid() != 0:
            raise CannotMeasure("it needs root")
        Trace(os.getpid(), 1).end()
        for how in options.how:
            for reader in READERS if options.reader == "all" else [options.reader]:
                with tempfile.TemporaryDirectory(prefix="whypause-output-", dir="/dev/shm") as work:
                    codes.append(measure(options, how, reader, pathlib.Path(work)))
    except (CannotMeasure, maven_jars.NotThere) as why:
        print(f"SKIPPED: {why}", flush=True)
    except Failed as why:
        print(f"error: {why}", file=sys.stderr)
        return 2
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
