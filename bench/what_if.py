#!/usr/bin/env python3
"""Compares what `whypause fix cfs-advice` predicts of CPU quotas and GC threads with what they do.

A load allocates at full speed in a control group, once for each quota and number of GC threads, and is
recorded each time. One of the recordings is the base: from it alone the throttled time of all others is
predicted, by `--quota` and `--gc-threads`, and compared with what the kernel counted for them. Each
recording is also compared with what the model says of its own limits.

Needs root and a JDK; some 20 s for each pair. Not for a production host. A host that is busy with
something else throttles less than the model says: it assumes that nobody else wants the CPUs.
"""

import argparse
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import tempfile
import time

PERIOD_US = 100_000
ROOT = pathlib.Path(__file__).resolve().parent.parent
WORKLOADS = ROOT / "java/workloads/src/main/java"


def group(name):
    """A CPU control group of either version, which nobody else's weight holds back."""
    v1 = pathlib.Path("/sys/fs/cgroup/cpu")
    if v1.is_dir():
        path = v1 / name
        path.mkdir()
        (path / "cpu.shares").write_text("50000")
        return path
    root = pathlib.Path("/sys/fs/cgroup")
    (root / "cgroup.subtree_control").write_text("+cpu")
    path = root / name
    path.mkdir()
    (path / "cpu.weight").write_text("10000")
    return path


def limit(path, milli_cpus):
    quota = milli_cpus * PERIOD_US // 1000
    if (path / "cpu.max").exists():
        (path / "cpu.max").write_text(f"{quota} {PERIOD_US}")
    else:
        (path / "cpu.cfs_quota_us").write_text(str(quota))


def run(args, classes, work, milli_cpus, threads):
    """Records the load under these limits; the recording's directory."""
    recording = work / f"{milli_cpus}-{threads}"
    path = group(f"whypause-what-if-{os.getpid()}")
    java = None
    try:
        limit(path, milli_cpus)
        command = [
            args.java, "-Xms1024m", "-Xmx1024m", "-Xmn256m", "-XX:+UseParallelGC",
            f"-XX:ParallelGCThreads={threads}", "-XX:-UseDynamicNumberOfGCThreads",
            "-XX:ActiveProcessorCount=2", "-XX:-UsePerfData", "-cp", str(classes),
            "whypause.workloads.AllocLoad", "rate=0", "queue=10000", "drop=5000",
            f"seconds={args.seconds + 10}",
        ]

        def join():
            (path / "cgroup.procs").write_text("0")

        java = subprocess.Popen(
            command, preexec_fn=join, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        time.sleep(3)
        subprocess.run(
            [args.whypause, "record", "-p", str(java.pid), "-d", f"{args.seconds}s",
             "-o", str(recording)],
            check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, timeout=args.seconds + 60,
        )
    finally:
        if java:
            java.send_signal(signal.SIGKILL)
            java.wait()
        for _ in range(50):
            try:
                path.rmdir()
                break
            except OSError:
                time.sleep(0.1)
    return recording


def advice(args, recording, *more):
    command = [args.whypause, "fix", "cfs-advice", "--from", str(recording), "--format", "json"]
    out = subprocess.run(command + list(more), check=True, capture_output=True, timeout=120)
    return json.loads(out.stdout) if out.stdout else None


def share(it):
    """Throttled time in a second of wall time."""
    return it["throttled_ns"] / it["wall_ns"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--whypause", default=str(ROOT / "target/release/whypause"))
    parser.add_argument("--java", default=shutil.which("java"))
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--quotas", default="400,600,800,1000", help="thousandths of a CPU")
    parser.add_argument("--threads", default="2,4,8", help="stop-the-world GC threads")
    parser.add_argument("--base", default="1000-4", help="what all others are predicted from")
    args = parser.parse_args()
    work = pathlib.Path(tempfile.mkdtemp(prefix="whypause-what-if-", dir="/dev/shm"))
    try:
        classes = work / "classes"
        classes.mkdir()
        # Others of the lab's workloads need libraries.
        load = WORKLOADS / "whypause/workloads/AllocLoad.java"
        javac = str(pathlib.Path(os.path.realpath(args.java)).with_name("javac"))
        subprocess.run([javac, "-sourcepath", str(WORKLOADS), "-d", str(classes), str(load)], check=True)
        pairs = [(int(q), int(n)) for q in args.quotas.split(",") for n in args.threads.split(",")]
        base = tuple(map(int, args.base.split("-")))
        recordings = {pair: run(args, classes, work, *pair) for pair in dict.fromkeys([base, *pairs])}
        print(f"{os.cpu_count()} CPUs, {args.seconds} s each; throttled time in ms per second of wall time")
        print("quota  threads  measured  own model  from the base")
        errors = {"own": [], "base": []}
        for pair in pairs:
            own = advice(args, recordings[pair])
            other = advice(
                args, recordings[base], "--quota", str(pair[0] / 1000), "--gc-threads", str(pair[1])
            )
            measured = share(own["measured"])
            row = [share(own["today"]["predicted"]), share(other["asked"]["predicted"])]
            for name, value in zip(errors, row):
                errors[name].append(100 * value / measured - 100)
            texts = [f"{1000 * it:.0f} ({100 * it / measured - 100:+.0f} %)" for it in row]
            print(f"{pair[0]:5}  {pair[1]:7}  {1000 * measured:8.0f}  {texts[0]:>13}  {texts[1]:>13}", flush=True)
        for name, all_errors in errors.items():
            size = [abs(it) for it in all_errors]
            within = sum(it <= 15 for it in size)
            print(f"{name}: median error {statistics.median(size):.0f} %, {within} of {len(size)} within 15 %")
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
