"""Who takes a stream, and who of them without pyarrow: what README.md says, with the versions pinned."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BEGIN = """
import sys
if {without!r}:
    sys.modules["pyarrow"] = None
import whypause
rows = whypause.pauses({log!r}, host="h1")
"""

END = """
assert count == whypause.explain({log!r})["pauses"]["count"] > 0, count
"""

#: What is done, and whether it works without pyarrow.
CASES = {
    "duckdb by name": ("import duckdb\ncount = duckdb.sql('select count(*) from rows').fetchall()[0][0]", True),
    "duckdb twice in a query": (
        "import duckdb\n"
        "count = duckdb.sql('select count(*) from rows where duration_ns <= (select max(duration_ns) from rows)')"
        ".fetchall()[0][0]",
        True,
    ),
    "duckdb.from_arrow": ("import duckdb\ncount = len(duckdb.from_arrow(rows).fetchall())", True),
    "duckdb register": (
        "import duckdb\n"
        "connection = duckdb.connect()\n"
        "connection.register('pauses', rows)\n"
        "connection.execute('create table kept as select * from pauses')\n"
        "count = connection.execute('select count(*) from kept').fetchall()[0][0]",
        True,
    ),
    "polars.DataFrame": ("import polars\ncount = polars.DataFrame(rows).height", True),
    "polars.scan_arrow_c_stream": (
        "import polars\ncount = polars.scan_arrow_c_stream(rows).select(polars.len()).collect().item()",
        True,
    ),
    "nanoarrow": ("import nanoarrow\ncount = len(nanoarrow.ArrayStream(rows).read_all())", True),
    "pandas.DataFrame.from_arrow": ("import pandas\ncount = len(pandas.DataFrame.from_arrow(rows))", False),
    "pyarrow.table": ("import pyarrow\ncount = pyarrow.table(rows).num_rows", False),
    "pyarrow's reader": (
        "import pyarrow\ncount = sum(it.num_rows for it in pyarrow.RecordBatchReader.from_stream(rows))",
        False,
    ),
}


def run(body: str, log: Path, without: bool) -> subprocess.CompletedProcess[str]:
    code = (BEGIN + "{body}" + END).format(log=str(log), without=without, body=body)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("name", CASES)
def test_with_pyarrow(name: str, log: Path) -> None:
    done = run(CASES[name][0], log, without=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", CASES)
def test_without_pyarrow(name: str, log: Path) -> None:
    body, works = CASES[name]
    done = run(body, log, without=True)
    assert (done.returncode == 0) == works, done.stderr
