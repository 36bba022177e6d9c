"""The wheel without any library but nanoarrow, which takes Arrow streams and is small: alone.py TESTDATA."""

import sys
from pathlib import Path

import nanoarrow as na

import whypause

testdata = Path(sys.argv[1])
log = testdata / "gclogs/jdk17/g1/mixed.log"
for module in ("pyarrow", "pandas", "numpy", "polars", "duckdb", "tqdm"):
    assert module not in sys.modules, module

def column(rows: whypause.Rows, name: str) -> list:
    """The values of a column: nanoarrow makes no rows of maps."""
    all_of_it = na.ArrayStream(rows).read_all()
    names = [it.name for it in all_of_it.schema.fields]
    return all_of_it.child(names.index(name)).to_pylist()


pauses = whypause.pauses(log, host="h1")
durations = column(pauses, "duration_ns")
answer = whypause.explain(log)
assert len(durations) == answer["pauses"]["count"] > 0, len(durations)
assert set(column(pauses, "host")) == {"h1"}
merged = whypause.merge_hours(column(whypause.hours(log), "lengths"))
assert max(durations) <= whypause.quantile_ns(merged, 1) <= max(durations) * 1.001
print(f"Python {sys.version.split()[0]}, whypause {whypause.version()}: {len(durations)} pauses")
