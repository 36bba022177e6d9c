"""Measures whether `whypause` names who wrote to the disk that a JVM waited for, and nobody else.

Each case makes a JVM wait for a slow disk of the lab. Meanwhile `python3` writes ten times as much to another
disk, a loop device in memory. What is true is known, as this script started all of them:

  log           another process keeps the log's disk busy; the lab's `dd` is the culprit
  log-on-loop   the log is on a loop device whose file is on that disk; who writes to the disk itself is
  reads         page faults on a mapped file of a slow disk, which nobody else uses: nobody is
  reads-filled  the same, and another process reads that disk past the page cache: that one is

A device of the device mapper and a RAID lie on their disks as a loop device does; where the kernel has
neither, as here, only the tests of `block_devices.rs` show it.

Prints a Markdown table; exits with 1 where a case is wrong. Needs root and a JDK.
"""

import argparse
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SECONDS = 12
NOISE = """
import os, sys, time
block = b'x' * (1 << 20)
while True:
    with open(sys.argv[1], 'wb') as file:
        for _ in range(200):
            file.write(block)
            time.sleep(0.01)
        os.fsync(file.fileno())
"""


def quiet(command, **more):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False, **more).returncode == 0


def start(command, out=subprocess.DEVNULL):
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.DEVNULL)


@contextlib.contextmanager
def loop_disk(image, at, mebibytes):
    """A file system on a loop device, mounted at `at`."""
    with open(image, "wb") as file:
        file.truncate(mebibytes << 20)
    if not quiet(["mkfs.ext4", "-q", "-F", str(image)]):
        sys.exit("cannot make a file system on " + str(image))
    at.mkdir()
    if not quiet(["mount", "-o", "loop", str(image), str(at)]):
        sys.exit("cannot mount " + str(image))
    try:
        yield at
    finally:
        for _ in range(50):
            if quiet(["umount", str(at)]):
                break
            time.sleep(0.1)
        os.unlink(image)


@contextlib.contextmanager
def beside(command):
    running = start(command)
    try:
        yield running
    finally:
        running.kill()
        running.wait()


def record(program, pid, out):
    quiet([program, "record", "-p", str(pid), "-d", f"{SECONDS}s", "-o", str(out)], timeout=SECONDS + 60)


def inner(options):
    """Runs inside of a fault of the lab."""
    work = pathlib.Path(options.inside)
    if options.case in ("log", "reads"):
        record(options.program, options.pid, work / "rec")
    elif options.case == "reads-filled":
        mapped = mapped_file(options.pid)
        read = ["sh", "-c", 'while :; do dd "if=$1" of=/dev/null bs=64k iflag=direct; done', "sh", mapped]
        with beside(read):
            time.sleep(3)
            record(options.program, options.pid, work / "rec")
        quiet(["pkill", "-f", f"dd if={mapped}"])
    else:
        log_on_loop(options, work)


def mapped_file(pid):
    """The largest mapped file of the lab's disk."""
    sizes = {}
    for line in pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines():
        words = line.split(None, 5)
        if len(words) == 6 and words[3] not in ("00:00",) and "jdk" not in words[5] and ".so" not in words[5]:
            begin, end = (int(it, 16) for it in words[0].split("-"))
            sizes[words[5]] = sizes.get(words[5], 0) + end - begin
    files = {path: size for path, size in sizes.items() if "/lib" not in path and "modules" not in path}
    return max(files, key=files.get)


def log_on_loop(options, work):
    disk = pathlib.Path(options.dir)
    (work / "Alloc.java").write_text((ROOT / "crates/testing/java/Alloc.java").read_text())
    quiet(["javac", "-d", str(work), str(work / "Alloc.java")])
    with loop_disk(disk / "image", work / "loop", 64) as at:
        writer = ["sh", "-c", 'while :; do dd if=/dev/zero "of=$1" bs=1M count=40 conv=fsync; done', "sh",
                  str(disk / "big")]
        java = ["java", "-Xmx64m", "-XX:+UseG1GC", f"-Xlog:gc*=debug,safepoint*=debug:file={at}/gc.log",
                "-cp", str(work), "Alloc"]
        with beside(java) as jvm, beside(writer):
            time.sleep(4)
            record(options.program, jvm.pid, work / "rec")
        quiet(["pkill", "-f", f"of={disk}/big"])


def run(case, program):
    with contextlib.ExitStack() as stack:
        work = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="whypause-who-", dir="/dev/shm")))
        noise = stack.enter_context(loop_disk(work / "other.img", work / "other", 512))
        (work / "noise.py").write_text(NOISE)
        stack.enter_context(beside([sys.executable, str(work / "noise.py"), str(noise / "big")]))
        again = [sys.executable, __file__, case, "--program", program, "--inside", str(work)]
        scenario = {"log": "gc-log-write-blocked"}.get(case, "mapped-file-fault")
        if case == "log-on-loop":
            command = [program, "lab", "disk", "--on-this-host", "--", *again, "--dir", "%dir"]
        else:
            command = [program, "lab", "hold", scenario, "--on-this-host", "--", *again, "--pid", "%pid"]
        with open(work / "lab.log", "w", encoding="utf-8") as log:
            subprocess.run(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, check=False, timeout=240)
        text = subprocess.run([program, "explain", str(work / "rec"), "--format", "json"],
                              capture_output=True, check=False).stdout
        if not text:
            print((work / "lab.log").read_text()[-2000:], file=sys.stderr)
            return judge(case, None)
        return judge(case, json.loads(text))


def judge(case, explained):
    causes = [it for it in (explained or {"causes": []})["causes"]
              if it["id"] in ("gc-log-write-blocked", "mapped-file-fault", "hsperfdata-write-blocked")]
    found = max(causes, key=lambda it: it["time_ns"], default=None)
    names = [it["name"] for it in found["culprits"]] if found else []
    expected = {"reads": []}.get(case, ["dd"])
    right = found is not None and names[:1] == expected and "python3" not in " ".join(names)
    print(f"| {case} | {found['id'] if found else 'nothing found'} | {', '.join(names) or '-'} "
          f"| {'right' if right else f'WRONG, expected {expected}'} |", flush=True)
    for it in found["culprits"] if found else []:
        print(f"    {it['statement']}", file=sys.stderr)
    return right


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cases = ["log", "log-on-loop", "reads", "reads-filled"]
    parser.add_argument("case", nargs="*", default=cases, help=f"of {', '.join(cases)}; all of them")
    parser.add_argument("--program", default=str(ROOT / "target/release/whypause"))
    for hidden in ("--inside", "--dir"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    parser.add_argument("--pid", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        options.case = options.case[0]
        inner(options)
        return 0
    print("| case | cause | named | |\n|---|---|---|---|", flush=True)
    return 0 if all([run(case, options.program) for case in options.case]) else 1


if __name__ == "__main__":
    sys.exit(main())
