"""The wheel without any library but nanoarrow, which takes Arrow streams and is small: alone.py TESTDATA."""

import sys
from pathlib import Path

import nanoarrow as na

import whypause

testdata = Path(sys.argv[1])
log = testdata / "gclogs/jdk17/g1/mixed.log"
for module in ("pyarrow", "pandas", "numpy", "polars", "duckdb", "tqdm"):
    assert module not in sys.modules, module

stream = na.ArrayStream(whypause.pauses(log, host="h1"))
rows = stream.read_all().to_pylist()
answer = whypause.explain(log)
assert len(rows) == answer["pauses"]["count"] > 0, len(rows)
assert {row["host"] for row in rows} == {"h1"}
lengths = [row["lengths"] for row in na.ArrayStream(whypause.hours(log)).read_all().to_pylist()]
longest = max(row["duration_ns"] for row in rows)
assert longest <= whypause.quantile_ns(whypause.merge_hours(lengths), 1) <= longest * 1.001
print(f"Python {sys.version.split()[0]}, whypause {whypause.version()}: {len(rows)} pauses")
