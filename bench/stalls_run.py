"""What the scripts that measure `stalls` have in common: options, processes, recordings, and their tables.

Jars are those of `bench/maven_jars.py`, what is true is from `bench/stalls_truth.py`.
"""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import maven_jars
from stalls_truth import ELSEWHERE, CannotMeasure, Locks, Trace, Truth, stops_of

ROOT = pathlib.Path(__file__).resolve().parent.parent
NEAR, NEAR_NS = 0.05, 50_000_000
TITLE = "| whypause: cause | threads | call | file | device | holder | waiting | episode | threads x time |"
OF_FILES = {"file-sync-blocked", "file-write-blocked", "file-read-blocked", "output-write-blocked",
            "socket-send-blocked", "remote-file-system-wait", "gc-log-write-blocked"}


class Failed(Exception):
    """What went wrong."""


def add_options(parser, seconds, warm_up):
    """The options that all of these scripts have."""
    parser.add_argument("--seconds", type=int, default=seconds, help=f"how long to record [{seconds}]")
    parser.add_argument("--warm-up", type=int, default=warm_up, help=f"seconds before [{warm_up}]")
    parser.add_argument("--rows", type=int, default=20, help="how long the tables are [20]")
    parser.add_argument("--keep", help="a directory for recordings, and all that was seen")
    parser.add_argument("--trace", help="a file for all that the tracepoints said")
    parser.add_argument("--java", default="java", help="the JVM to run with")
    parser.add_argument("--program", default=str(ROOT / "target/release/whypause"))


def run(measure):
    """The code to exit with after `measure`: says SKIPPED where something is missing, and what went wrong."""
    try:
        if os.geteuid() != 0:
            raise CannotMeasure("it needs root")
        Trace(os.getpid(), 1).end()
        return measure()
    except (CannotMeasure, maven_jars.NotThere) as why:
        print(f"SKIPPED: {why}", flush=True)
        return 0
    except Failed as why:
        print(f"error: {why}", file=sys.stderr)
        return 2


def compile_java(java, jars, work, name, source):
    """Compiles a class into `work`; returns the class path."""
    (work / f"{name}.java").write_text(source)
    javac = str(pathlib.Path(java).parent / "javac") if "/" in java else "javac"
    if not shutil.which(javac):
        raise CannotMeasure(f"there is no `{javac}`")
    done = subprocess.run([javac, "-cp", jars, "-d", str(work), str(work / f"{name}.java")], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed(f"{name}.java: {done.stderr[:1000]}")
    return f"{work}:{jars}"


def seen_by_both(options, jvm, recording, stops, locks=None, after=0.5, begun=lambda: None):
    """Records a JVM with whypause and with the tracepoints; what both saw, as plain data.

    With a file for `locks`, the JVM has the options of `Locks`.
    """
    program, seconds = options.program, options.seconds
    with contextlib.closing(Trace(jvm.pid, 64 + seconds // 10)) as trace:
        begin_ns, said = record(program, jvm.pid, seconds, recording, begun)
        time.sleep(after)
        waits = Locks()
        if locks:
            waits.read(options.java, jvm.pid, locks)
        truth = Truth(trace, stops_of(stops), waits, options.trace)
    explained = explain(program, recording)
    window = (begin_ns, begin_ns + explained["coverage"]["recorded_ns"])
    return {"said": said, "explained": explained, **of_truth(truth, window)}


def keep(options, name, recording, seen):
    if options.keep:
        at = pathlib.Path(options.keep) / name
        shutil.copytree(recording, at / "rec")
        (at / "seen.json").write_text(json.dumps(seen))


def judge(options, seen, judged):
    """Prints what both saw, and returns what `judged` says of the stalls."""
    print_truth(seen, options.rows)
    stalls = seen["explained"].get("stalls")
    if stalls is None:
        print("this whypause tells no stalls")
        return 3
    print_told(stalls, options.rows)
    return judged(stalls, seen)


@contextlib.contextmanager
def loop_disk(mebibytes=1024):
    """A disk as fast as memory: a file system on a loop device, mounted at what is returned."""
    memory = pathlib.Path(tempfile.mkdtemp(prefix="whypause-disk-", dir="/dev/shm"))
    image, at = memory / "image", memory / "disk"
    with open(image, "wb") as file:
        file.truncate(mebibytes << 20)
    at.mkdir()
    for command in (["mkfs.ext4", "-q", "-F", str(image)], ["mount", "-o", "loop", str(image), str(at)]):
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode:
            raise CannotMeasure(f"no disk in memory: {' '.join(command)}: {done.stderr.strip()}")
    try:
        yield at
    finally:
        for _ in range(50):
            if subprocess.run(["umount", str(at)], check=False, capture_output=True).returncode == 0:
                break
            time.sleep(0.1)
        image.unlink()
        at.rmdir()
        memory.rmdir()


def on_slow_disk(options, work, command):
    """Runs `command`, in which `%dir` is a directory on a slow disk of the lab, or with `options.healthy` on one in
    memory. Returns what it has left in `seen.json` of `work`."""
    with contextlib.ExitStack() as stack, open(work / "lab.log", "w", encoding="utf-8") as log:
        if options.healthy:
            disk = stack.enter_context(loop_disk())
            command = [it.replace("%dir", str(disk)) for it in command]
        else:
            lab = [options.program, "lab", "disk", "--on-this-host", "--write-limit", options.write_limit, "--"]
            command = lab + command
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, check=False,
                       timeout=options.seconds + options.warm_up + 600)
    if not (work / "seen.json").is_file():
        raise Failed((work / "lab.log").read_text()[-3000:])
    return json.loads((work / "seen.json").read_text())


@contextlib.contextmanager
def beside(command, **more):
    """A process and all that it starts; ended when the block is left."""
    running = subprocess.Popen(command, stdin=more.pop("stdin", subprocess.DEVNULL), start_new_session=True, **more)
    try:
        yield running
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()


def record(program, pid, seconds, out, begun=lambda: None):
    """Records, calls `begun` when the recorder says that it does, and returns when that was, with all it said."""
    said, begin_ns = [], None
    command = [program, "record", "-p", str(pid), "-d", f"{seconds}s", "-o", str(out)]
    with beside(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as running:
        for line in running.stderr:
            said.append(line)
            if begin_ns is None and line.startswith("recording "):
                begin_ns = time.monotonic_ns()
                begun()
        running.wait()
    if begin_ns is None or running.returncode:
        raise Failed("whypause did not record: " + "".join(said).strip())
    return begin_ns, "".join(said)


def explain(program, recording):
    done = subprocess.run([program, "explain", str(recording), "--format", "json"], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed("whypause does not explain: " + done.stderr.strip())
    return json.loads(done.stdout)


def of_truth(truth, window):
    """What the tracepoints say, as plain data."""
    stalls, late = truth.stalls(window), truth.late(window)
    runnable = [it for it in stalls if it[0] == "cpu-contention"]
    convoy = truth.convoy(stalls, window)
    count, whole, blocked = truth.of_calls(window)
    rows = {}

    def add(cause, wait, time_ns, what):
        call, file = (wait.call.name, wait.call.file) if wait.call else ("-", None)
        row = rows.setdefault((cause, what or call, file, truth.names[wait.tid]), [0, 0, 0])
        row[0] += 1
        row[1] += time_ns
        row[2] = max(row[2], wait.end - wait.begin)

    for cause, wait, time_ns in stalls + late:
        add(cause, wait, time_ns, "runnable" if cause == "cpu-contention" else None)
    for cause, wait, time_ns, what in convoy:
        add(cause, wait, time_ns, {"lock": "lock or answer", "idle": "idle", "polls": "polls"}[what])
    stalls = [it for it in stalls if it[0] != "cpu-contention"]
    counted = [*stalls, *(it for it in convoy if it[3] == "lock")]
    sums = {"calls": {}, "lock": {}, "idle": {}, "polls": {}}
    for cause, _, time_ns, what in [*((*it, "calls") for it in stalls), *convoy]:
        sums[what][cause] = sums[what].get(cause, 0) + time_ns
    return {
        "events": truth.lines,
        "stopped_ns": truth.stopped(*window),
        "sums": sums,
        "cpu_ns": sum(it[2] for it in runnable + late),
        "in_stops_ns": sum(truth.in_stops(it[1], window) for it in counted),
        "edges_ns": [sum(it[2] for it in counted if it[1].begin < window[0]),
                     sum(it[2] for it in counted if it[1].end > window[1])],
        "whole": {"count": count, "whole_ns": whole, "blocked_ns": blocked},
        # each wait, to look into a difference
        "stalls": [(cause, truth.names[wait.tid], wait.tid, wait.begin, wait.end, wait.call.name if wait.call else "-")
                   for cause, wait, _ in stalls],
        "convoy": [(what, cause, truth.names[wait.tid], wait.tid, wait.begin, wait.end, wait.waker)
                   for cause, wait, _, what in convoy],
        "rows": sorted(([*key, *row] for key, row in rows.items()), key=lambda it: -it[5]),
    }


def seconds(ns):
    return f"{ns / 1e9:.3f} s"


def print_truth(seen, most):
    print(f"tracepoints: {seen['events']} events; the JVM was stopped for {seconds(seen['stopped_ns'])}\n")
    print("| tracepoints: cause | call | file | thread | waits | time | longest |\n|---|---|---|---|---:|---:|---:|")
    for cause, call, file, thread, count, time_ns, longest in seen["rows"][:most]:
        print(f"| {cause} | {call} | {file or '-'} | {thread} | {count} | {seconds(time_ns)} | {seconds(longest)} |")
    rest = seen["rows"][most:]
    if rest:
        print(f"| {len(rest)} more | | | | {sum(it[4] for it in rest)} | {seconds(sum(it[5] for it in rest))} | |")
    calls = seen["whole"]
    print(f"\nwhole calls, of those blocked for 10 ms in all: {calls['count']}, "
          f"which took {seconds(calls['whole_ns'])}, blocked {seconds(calls['blocked_ns'])}")


def threads_of(pool):
    """Those of a pool that stood, and those that waited for one."""
    waiting = pool["waiting"]["threads"]
    stood = f"{pool['threads']} {pool['name']}" if pool["threads"] else pool["name"]
    return f"{stood} ({waiting} waiting)" if waiting else stood


def print_told(stalls, most):
    """The episodes that whypause tells."""
    print("\n" + TITLE + "\n|---|---|---|---|---|---|---:|---:|---:|")
    for it in stalls["longest"][:most]:
        place = it.get("place") or {}
        holder = it.get("holder") or {}
        pools = ", ".join(threads_of(pool) for pool in it["pools"])
        print(f"| {it['cause']} | {pools} | {place.get('call') or '-'} | {place.get('path') or '-'} "
              f"| {place.get('device') or '-'} | {holder.get('thread') or '-'} | {holder.get('waiting_threads', 0)} "
              f"| {seconds(it['duration_ns'])} | {seconds(it['time_ns'])} |")
    print(f"{stalls['episodes']} episodes, {stalls['threads']} threads, {seconds(stalls['time_ns'])}, "
          f"unattributed {seconds(stalls['unattributed_ns'])}")


def compare(stalls, seen, with_faults=False):
    """Prints both side by side; 0 where they agree on waits on files, or on those and on page faults together."""
    told = {it["id"]: it["time_ns"] for it in stalls["causes"]}
    parts = ["calls", "lock", "idle", "polls"]
    on_files = sorted(OF_FILES & {*told, *(cause for part in parts for cause in seen["sums"][part])})
    print("\n| threads x time | whypause | tracepoints | of it in calls | of it for a lock or answer of the caller "
          "| not counted: idle until then | not counted: polls |\n|---|---:|---:|---:|---:|---:|---:|")

    def row(name, ours, causes):
        sums = [sum(seen["sums"][part].get(cause, 0) for cause in causes) for part in parts]
        print(f"| {name} | {seconds(ours)} | {seconds(sums[0] + sums[1])} | {' | '.join(map(seconds, sums))} |")
        return sums[0] + sums[1]

    for cause in on_files:
        row(cause, told.get(cause, 0), [cause])
    files = sum(told.get(cause, 0) for cause in on_files)
    true = row("all that is on files", files, on_files)
    elsewhere = sum(time_ns for cause, time_ns in told.items() if cause not in OF_FILES and "cpu" not in cause)
    faults = row("uninterruptible elsewhere, as page faults", elsewhere, [ELSEWHERE])
    if with_faults:
        files, true = files + elsewhere, true + faults
    cpu = sum(time_ns for cause, time_ns in told.items() if "cpu" in cause)
    print(f"| runnable, without a CPU | {seconds(cpu)} | {seconds(seen['cpu_ns'])} | | | | |")
    for which, time_ns in zip(("begin", "end"), seen["edges_ns"]):
        print(f"| of all that, crossing the {which} of the recording | | {seconds(time_ns)} | | | | |")
    print(f"| time of those in stops: not counted | | {seconds(seen['in_stops_ns'])} | | | | |")
    counted = [*on_files, ELSEWHERE] if with_faults else on_files
    in_calls = sum(seen["sums"]["calls"].get(cause, 0) for cause in counted)
    waited = sum(seen["sums"]["lock"].get(cause, 0) for cause in counted)
    print(f"waits for a thread that stalls, be it for a lock or, idle, for work: {seconds(stalls['waiting']['time_ns'])}; "
          f"tracepoints: {seconds(waited)} for a lock or answer of the caller")
    return 0 if judged("of stalled time", files, in_calls) else 1


def judged(what, ours, true):
    """Whether both are near each other, which it prints."""
    share = off_by(ours, true)
    fine = share <= NEAR or abs(ours - true) <= NEAR_NS
    print(f"difference {what}: {seconds(ours)} against {seconds(true)}, {share:.1%}: {'fine' if fine else 'TOO MUCH'}",
          flush=True)
    return fine


def off_by(ours, true):
    """By which share of it they differ."""
    return abs(ours - true) / true if true else (0 if not ours else float("inf"))


def idle_code(stalls, seen):
    """The code to exit with where nothing should be told: 3 where the host was not quiet enough to say more."""
    cpu = sum(it["time_ns"] for it in stalls["causes"] if "cpu" in it["id"])
    true = sum(time_ns for part in ("calls", "lock") for time_ns in seen["sums"][part].values())
    if stalls["time_ns"] - cpu > true or (cpu and not seen["cpu_ns"]):
        print(f"told without reason: {seconds(stalls['time_ns'] - cpu)} besides waits for a CPU; "
              f"{seconds(true)} are true")
        return 1
    return 3 if stalls["episodes"] else 0
