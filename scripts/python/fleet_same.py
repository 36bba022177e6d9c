"""What one engine says of a fleet, and what it took: fleet_same.py STEP FLEET RESULTS.
And whether all say the same: fleet_same.py --compare RESULTS [PAGE]. scripts/fleet-same.sh runs it."""

import collections
import gzip
import importlib
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

#: Columns that are summed up; `lengths` is merged.
HOURS = ("host", "kernel", "pauses", "stopped_ns", "longest_ns", "lengths")
PAUSES = ("host", "kernel", "duration_ns")
PARTS = ("logs", "kept", "damaged")
TICKS = os.sysconf("SC_CLK_TCK")


class Cost:
    """Wall time, CPU time and peak memory of a process and all below it while something runs."""

    def __init__(self, root):
        self.root, self.peak, self.is_over = root, 0, threading.Event()
        self.begun, self.before = time.monotonic(), self.cpu()
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()

    def processes(self):
        """Fields of /proc/PID/stat from the parent on, of all below the root."""
        stats = {}
        for it in Path("/proc").glob("[0-9]*/stat"):
            try:
                stats[int(it.parent.name)] = it.read_text().rpartition(")")[2].split()
            except OSError:
                continue
        children = collections.defaultdict(list)
        for pid, fields in stats.items():
            children[int(fields[1])].append(pid)
        left = [self.root]
        while left:
            pid = left.pop()
            left += children[pid]
            if pid in stats:
                yield pid, stats[pid]

    def cpu(self):
        # Their own time, and that of children that have ended.
        return sum(sum(map(int, it[11:15])) for _, it in self.processes()) / TICKS

    def watch(self):
        while not self.is_over.wait(0.2):
            self.peak = max(self.peak, sum(map(pss, (pid for pid, _ in self.processes()))))

    def ended(self):
        wall, cpu = time.monotonic() - self.begun, self.cpu() - self.before
        self.is_over.set()
        self.thread.join()
        return {"wall_s": wall, "cpu_s": cpu, "peak_bytes": self.peak}


def pss(pid):
    """Memory of a process, with its share of what is shared."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        return next(int(it.split()[1]) << 10 for it in text.splitlines() if it.startswith("Pss:"))
    except (OSError, StopIteration):
        return 0


class Sums:
    """Sums of all, of each host and of each kernel, from rows of hours or of pauses."""

    def __init__(self):
        self.groups = collections.defaultdict(lambda: [0, 0, 0, []])

    def add(self, host, kernel, pauses, stopped, longest, lengths):
        for group in ("all", f"host {host}", f"kernel {kernel}"):
            it = self.groups[group]
            it[:3] = it[0] + pauses, it[1] + stopped, max(it[2], longest)
            it[3].append(lengths)

    def done(self, quantile):
        return {key: [*it[:3], quantile(it[3])] for key, it in sorted(self.groups.items())}


def of_hours(rows):
    import whypause

    sums = Sums()
    for host, kernel, pauses, stopped, longest, lengths in rows:
        sums.add(host, kernel, pauses, stopped, longest, lengths)
    return sums.done(lambda it: whypause.quantile_ns(whypause.merge_hours(it), 0.999))


def of_pauses(rows):
    sums = Sums()
    for host, kernel, duration in rows:
        sums.add(host, kernel, 1, duration, duration, duration)
    return sums.done(lambda it: sorted(it)[max(0, math.ceil(0.999 * len(it) - 1e-9) - 1)])


def paths(fleet, step):
    wanted = PARTS[:1] if step.endswith("-logs") else PARTS
    return [str(fleet / it) for it in wanted if (fleet / it).is_dir()]


def cli(step, fleet, results):
    """The program: hosts, and no kernels."""
    done = subprocess.run(
        [os.environ["WHYPAUSE"], "fleet", *paths(fleet, step), "--format", "json"],
        stdout=subprocess.PIPE, timeout=2400, check=True,
    )  # fmt: skip
    answer = json.loads(done.stdout)
    names = ("pauses", "stopped_ns", "longest_ns", "p99_9_ns")
    groups = {"all": [answer["totals"][it] for it in names]}
    groups |= {f"host {it['host']}": [it[name] for name in names] for it in answer["hosts"]}
    return lambda: groups, [it["path"] for it in answer["unread"]]


def duckdb(step, fleet, results):
    import whypause.sql

    with whypause.sql.Fleet(paths(fleet, step)) as tables:
        table, columns = ("hours", HOURS) if step.endswith("hours") else ("pauses", PAUSES)
        rows = tables.query(f"select {', '.join(columns)} from {table}").fetchall()
        return lambda: summed(table)(rows), [it.source for it in tables.failed]


def polars(step, fleet, results):
    import polars

    import whypause

    table, columns = ("pauses", PAUSES) if step.endswith("pauses") else ("hours", HOURS)
    read = getattr(whypause, table)(paths(fleet, step), skip=True)
    frame = polars.DataFrame(read)
    if not step.endswith("-logs"):
        frame.write_parquet(results / f"{table}.parquet")
    return lambda: summed(table)(frame.select(columns).iter_rows()), [it.source for it in read.failed]


def spark(step, fleet, results):
    import pyarrow.parquet
    from pyspark.sql import SparkSession

    import whypause.spark

    builder = SparkSession.builder.master(os.environ["WHYPAUSE_SPARK"]).appName("fleet-same")
    settings = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.ui.enabled": "false"}
    settings |= {"spark.executor.memory": "1g", "spark.sql.shuffle.partitions": "4"}
    settings["spark.executor.extraJavaOptions"] = os.environ.get("WHYPAUSE_EXECUTOR_OPTIONS", "")
    session = builder.config(map=settings).getOrCreate()
    table, columns = ("hours", HOURS) if step.endswith("hours") else ("pauses", PAUSES)
    with tempfile.TemporaryDirectory() as folder:
        rows = whypause.spark.read(session, paths(fleet, step), table=table)
        rows.select(*columns, "source", "error").write.parquet(f"{folder}/rows")
        session.stop()
        found = pyarrow.parquet.read_table(f"{folder}/rows")
    unread = [it["source"] for it in found.filter(found["error"].is_valid()).to_pylist()]
    found = found.filter(found["error"].is_null()).select(columns)
    return lambda: summed(table)(zip(*(it.to_pylist() for it in found.columns))), unread


def summed(table):
    return of_hours if table == "hours" else of_pauses


def parquet(step, fleet, results):
    """A question to the rows of all, as Parquet: the best of three."""
    import duckdb as library

    best = math.inf
    for _ in range(3):
        begun = time.monotonic()
        rows = library.sql(f"""
            select kernel, cause, count(*), sum(duration_ns), max(duration_ns), quantile_disc(duration_ns, 0.999)
            from '{results}/pauses.parquet' group by all
        """).fetchall()
        best = min(best, time.monotonic() - begun)
    count = sum(it[2] for it in rows)
    groups = {"all": [count, sum(it[3] for it in rows), max(it[4] for it in rows), None]}
    return lambda: groups, None, {"query_s": best}


#: What an engine imports, before its time begins.
IMPORTS = {"duckdb": ("duckdb", "pyarrow", "whypause.sql"), "polars": ("polars", "whypause")}
#: How often logs alone are read: what that takes differs more between runs than other steps do.
TIMES = 9


def measure(step, fleet, results):
    name = step.partition("-")[0]
    engine = {"cli": cli, "duckdb": duckdb, "polars": polars, "spark": spark, "parquet": parquet}[name]
    for it in IMPORTS.get(name, ()):
        importlib.import_module(it)
    # The cluster is below the shell, and so is this.
    root = int(os.environ["WHYPAUSE_SHELL"]) if name == "spark" else os.getpid()
    costs = []
    for _ in range(TIMES if step.endswith("-logs") else 1):
        cost = Cost(root)
        groups, unread, *more = engine(step, fleet, results)
        costs.append(cost.ended())
    found = {"step": step, "fleet": str(fleet), **of_runs(costs), "groups": groups()}
    found["unread"] = None if unread is None else sorted(it.removeprefix(f"{fleet}/") for it in unread)
    if step == "cli-logs":
        found["log_bytes"] = sum(map(length, (fleet / "logs").rglob("gc.log*")))
    for it in more:
        found |= it
    partial = results / f"{step}.json.partial"
    partial.write_text(json.dumps(found))
    partial.rename(results / f"{step}.json")


def of_runs(costs):
    """The median of each cost, and the least CPU time of all runs."""
    middle = {name: statistics.median(it[name] for it in costs) for name in costs[0]}
    return middle | {"runs": len(costs), "least_cpu_s": min(it["cpu_s"] for it in costs)}


def length(path):
    if path.suffix != ".gz":
        return path.stat().st_size
    with gzip.open(path) as file:
        return sum(len(it) for it in iter(lambda: file.read(1 << 20), b""))


def differences(steps):
    """Lines about what is not the same. Histograms are exact to three digits, and otherwise all is exact."""
    first = steps["duckdb-hours"]
    for name, it in steps.items():
        # Of logs alone is compared with of logs alone.
        other = steps["cli-logs"] if name.endswith("-logs") else first
        if it["unread"] is not None and it["unread"] != other["unread"]:
            yield f"{name}: not read are {it['unread']}, and of {other['step']} {other['unread']}"
        of_kernels = any(key.startswith("kernel") for key in it["groups"])
        expected = {key for key in other["groups"] if name == "parquet" and key == "all" or of_kernels or key[:6] != "kernel"}
        if name == "parquet":
            expected = {"all"}
        if name != "polars-logs" and set(it["groups"]) != expected:
            yield f"{name}: other hosts or kernels: {sorted(set(it['groups']) ^ expected)[:5]}"
        for key in sorted(set(it["groups"]) & set(other["groups"])):
            (*sums, p), (*theirs, q) = it["groups"][key], other["groups"][key]
            if sums != theirs:
                yield f"{name}: {key}: {sums}, and of {other['step']} {theirs}"
            is_near = p is None or (p <= q <= p * 1.001 + 1 if name.endswith("pauses") else p == q)
            if not is_near:
                yield f"{name}: {key}: p99.9 is {p}, and of {other['step']} {q}"


LABELS = {
    "cli": "`whypause fleet`", "duckdb": "wheel, DuckDB", "polars": "wheel, Polars",
    "spark-1": "Spark, 1 worker", "spark-2": "Spark, 2 workers",
}  # fmt: skip


def table(steps):
    size = steps["cli-logs"]["log_bytes"]
    yield "| Who | What | Time | CPU time | Peak memory | MB/s a core |"
    yield "|---|---|--:|--:|--:|--:|"
    for name, it in steps.items():
        who, _, what = name.rpartition("-")
        if not who:
            continue
        rate = f"{size / 1e6 / it['cpu_s']:,.0f} (best {size / 1e6 / it['least_cpu_s']:,.0f})" if what == "logs" else ""
        what = {"logs": "hours of logs alone", "hours": "hours of all", "pauses": "pauses of all"}[what]
        yield f"| {LABELS[who]} | {what} | {it['wall_s']:.1f} s | {it['cpu_s']:.1f} s | {it['peak_bytes'] / 1e6:,.0f} MB | {rate} |"


def page(steps):
    groups, total = steps["duckdb-hours"]["groups"], steps["duckdb-hours"]["groups"]["all"]
    cpu = next((it.partition(":")[2].strip() for it in Path("/proc/cpuinfo").read_text().splitlines() if it.startswith("model name")), "")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)
    hosts = sum(key.startswith("host ") for key in groups)
    yield "# What it takes to read a fleet"
    yield ""
    yield "`scripts/fleet-same.sh` writes this page."
    yield "Everything in the table says the same of the same fleet, and the script fails where it does not: counts and sums of pauses, the longest, and p99.9, of all, of each host and of each kernel, and which inputs cannot be read."
    yield ""
    yield f"Measured on {cpu}, {os.cpu_count()} cores, {memory:.0f} GiB of memory, Linux {platform.release()}."
    yield f"The fleet: {hosts:,} hosts, {steps['cli-logs']['log_bytes'] / 1e6:,.0f} MB of logs as text, {total[0]:,} pauses of {total[1] / 1e9:,.0f} s together, {len(steps['duckdb-hours']['unread']):,} inputs that cannot be read."
    yield ""
    yield from table(steps)
    yield ""
    yield f"Of logs alone the row has medians of {steps['cli-logs']['runs']} runs, and the rate of the best of them."
    yield "CPU time and memory are those of all processes: of Spark, master, workers, executors and the driver, but for the start of master and workers. What DuckDB and Polars take to be imported is left out."
    yield f"A question to the rows of all pauses as Parquet (p99.9 by kernel and cause) takes DuckDB {steps['parquet']['query_s']:.2f} s."


ORDER = ["cli-logs", "polars-logs", "cli-hours", "duckdb-hours", "polars-hours", "spark-1-hours", "spark-2-hours"]
ORDER += ["duckdb-pauses", "polars-pauses", "spark-1-pauses", "spark-2-pauses", "parquet"]


def compare(results, target):
    files = {it: results / f"{it}.json" for it in ORDER}
    steps = {name: json.loads(it.read_text()) for name, it in files.items() if it.exists()}
    wrong = list(differences(steps))
    for it in wrong[:20]:
        print(f"DIFFERS: {it}", file=sys.stderr)
    print("\n".join(page(steps)))
    if steps["parquet"]["query_s"] >= 1:
        wrong.append(f"the question to Parquet took {steps['parquet']['query_s']:.2f} s, and not less than 1 s")
        print(f"SLOW: {wrong[-1]}", file=sys.stderr)
    if target and not wrong:
        target.write_text("\n".join(page(steps)) + "\n")
    return bool(wrong)


if __name__ == "__main__":
    if sys.argv[1] == "--compare":
        sys.exit(compare(Path(sys.argv[2]), Path(sys.argv[3]) if len(sys.argv) > 3 else None))
    measure(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
