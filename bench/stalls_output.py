"""Measures whether `stalls` of `whypause` add up where standard output is a pipe whose reader does not keep up.

As in a container whose log driver is slow: threads print, each a line now and then, through `System.out` or through
the console appender of Logback. Who reads them sleeps for three seconds of each four (`--reader sleeps`), is too slow
all the time (`slow`), or reads nothing while it is recorded (`stuck`). One thread waits in `write`, the others for the
lock that it holds. The truth is read from the kernel's tracepoints meanwhile (`bench/stalls_truth.py`); of a reader
that is stuck they show the thread in `write` alone, as nobody is woken.

Exits with 1 where both differ by more than 5 % (and by more than 50 ms), with 3 where the program knows no stalls.
Needs root, JDK 17 or newer with `javac`, a kernel with `CONFIG_FTRACE_SYSCALLS`, and for Logback Maven and what it
downloads; says SKIPPED and why where one is missing.
"""

import argparse
import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
import maven_jars
from stalls_run import Failed, add_options, beside, compare, compile_java, judge, keep, run, seen_by_both
from stalls_truth import Locks

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
    classes = compile_java(options.java, jars, work, "Prints", PRINTS % HOW[how])
    stops = work / "safepoints.log"
    command = [options.java, "-Xmx128m", f"-Xlog:safepoint:file={stops}:tn:filecount=0",
               *Locks.options(work), "-cp", classes, "Prints", str(options.threads), str(options.every)]
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
        seen = seen_by_both(options, jvm, work / "rec", stops, work / "locks.jfr", after=4)
        # so that the thread that reads sees the end
        jvm.kill()
    keep(options, f"{how}-{reader}", work / "rec", seen)
    print(f"\n## {how}, {options.threads} threads, {READERS[reader]}\n\n{seen['said']}")
    return judge(options, seen, compare)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("how", nargs="*", default=list(HOW), help=f"of {', '.join(HOW)}; both")
    parser.add_argument("--reader", choices=[*READERS, "all"], default="all", help="who reads [all]")
    parser.add_argument("--threads", type=int, default=8, help="how many print [8]")
    parser.add_argument("--every", type=int, default=5, help="milliseconds between two lines of each [5]")
    add_options(parser, seconds=20, warm_up=8)
    options = parser.parse_args()

    def all_of_them():
        codes = []
        for how in options.how:
            for reader in READERS if options.reader == "all" else [options.reader]:
                with tempfile.TemporaryDirectory(prefix="whypause-output-", dir="/dev/shm") as work:
                    codes.append(measure(options, how, reader, pathlib.Path(work)))
        return max(codes)

    return run(all_of_them)


if __name__ == "__main__":
    sys.exit(main())
