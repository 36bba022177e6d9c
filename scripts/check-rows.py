#!/usr/bin/env python3
"""Whether the rows of one `whypause watch --over 1ms --utc` tell each stop once.

    check-rows.py NAME PREFIX LOG

PREFIX.rows is what was printed, PREFIX.said what was said, PREFIX.metrics, where it is there, what the
metrics said after the last row. LOG is the JVM's own log of its stops, with dates. Exits with 1 where two
rows overlap, rows are not in the order of time, or the sums differ.
"""
import re
import sys
from datetime import datetime, timezone
from pathlib import Path

UNITS = {"ns": 1e-6, "µs": 1e-3, "ms": 1.0, "s": 1e3}
ROW = re.compile(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d\.\d{3})\S*\s+(at least )?([\d.,]+) (ns|µs|ms|s)  ")
STOP = re.compile(r"\[(\S+?)\+0000\].*Total: +(\d+) ns")
# A stop of the log counts from here on: what is just below the limit may be above it by the probes' clock.
NEARLY_MS = 0.8
# Without probes a row's time is inferred from when the line was read, so it may be this late.
LATE_MS = 250


def wall_ms(text):
    return datetime.fromisoformat(text).replace(tzinfo=timezone.utc).timestamp() * 1e3


def length_ms(number, unit):
    """A length and what its last digit leaves open."""
    digits = number.replace(",", "")
    step = 10.0 ** -(len(digits.partition(".")[2]))
    if "." not in digits:
        step = max(1.0, 10.0 ** (len(digits) - 3))
    return float(digits) * UNITS[unit], step / 2 * UNITS[unit]


def read_rows(path):
    for line in path.read_text().splitlines()[1:]:
        if "still stopped after" in line:
            continue
        found = ROW.match(line)
        if not found:
            raise SystemExit(f"not a row: {line}")
        date, time, _, number, unit = found.groups()
        yield (wall_ms(f"{date}T{time}"), *length_ms(number, unit), line)


def logged(path, since, until):
    for line in path.read_text().splitlines():
        found = STOP.match(line)
        if found and int(found[2]) >= NEARLY_MS * 1e6 and since <= wall_ms(found[1]) <= until:
            yield line


def metric(text, name):
    """The sum of a metric over its labels."""
    return sum(float(it) for it in re.findall(rf"^{name}(?:{{[^}}]*}})? (\S+)", text, re.M))


def check(prefix, log, late):
    rows = list(read_rows(Path(f"{prefix}.rows")))
    said = Path(f"{prefix}.said").read_text()
    for before, after in zip(rows, rows[1:]):
        # Times are whole milliseconds.
        if after[0] < before[0]:
            yield f"not in order:\n  {before[3]}\n  {after[3]}"
        elif before[0] + before[1] - before[2] > after[0] + 1:
            yield f"overlap:\n  {before[3]}\n  {after[3]}"
    closing = re.search(r": (no pause|1 pause|(\d+) pauses)(?:, ([\d.,]+) (ns|µs|ms|s|min)\b)?", said)
    if not closing:
        yield f"no closing sum: {said}"
        return
    count = {"no pause": 0, "1 pause": 1}.get(closing[1]) if not closing[2] else int(closing[2])
    if count != len(rows):
        yield f"{len(rows)} rows, and the closing sum says {count}"
    if rows and closing[4] in UNITS:
        total, unsure = length_ms(closing[3], closing[4])
        if abs(sum(it[1] for it in rows) - total) > unsure + sum(it[2] for it in rows):
            yield f"rows of {sum(it[1] for it in rows):.1f} ms, and the closing sum says {total:.1f} ms"
    if rows:
        stops = len(list(logged(log, rows[0][0] - 1 - late, rows[-1][0] + rows[-1][1] + 20)))
        if len(rows) > stops + 1:
            yield f"{len(rows)} rows, and the JVM logged {stops} stops"
    metrics = Path(f"{prefix}.metrics")
    if metrics.exists():
        # The last one may have been cut by the end, when the metrics were read.
        cut = sum("  at least " in it[3] for it in rows[-1:])
        counted = metric(metrics.read_text(), "whypause_stw_limit_exceeded_total")
        if counted not in (len(rows), len(rows) - cut):
            yield f"{len(rows)} rows, and the metrics count {counted:.0f}"


def main():
    name, prefix, log = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    wrong = list(check(prefix, log, 0 if name.startswith("root") else LATE_MS))
    rows = len(list(read_rows(Path(f"{prefix}.rows"))))
    print(f"{name}: {rows} rows" + "".join(f"\nWRONG: {it}" for it in wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
