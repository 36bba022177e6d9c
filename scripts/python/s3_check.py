"""Rows in an object store: made, and read from there with pyarrow.

s3_check.py --make DIR: some rows, laid out as `whypause watch --rows` does it
s3_check.py --same DIR URL PATH: whether those of the store are those of the directory
s3_check.py --logs DIR URL PATH: the same of logs, which the library for Python reads as a task of Spark does
"""

import sys
from pathlib import Path
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from pyarrow import fs


def make(folder: Path) -> None:
    for day, host in [("2026-11-29", "h1"), ("2026-11-30", "h1"), ("2026-11-30", "h2")]:
        part = folder / f"date={day}" / f"host={host}"
        part.mkdir(parents=True)
        rows = pa.table({"duration_ns": range(1_000), "cause": ["gc"] * 1_000})
        pq.write_table(rows, part / "part-0000.parquet")


def rows(dataset: ds.Dataset) -> pa.Table:
    table = dataset.to_table(columns=["date", "host", "duration_ns"])
    return table.sort_by([("date", "ascending"), ("host", "ascending"), ("duration_ns", "ascending")])


def same(folder: str, url: str, path: str) -> None:
    parts = urlsplit(url)
    store = fs.S3FileSystem(endpoint_override=parts.netloc, scheme=parts.scheme)
    hive = {"format": "parquet", "partitioning": "hive"}
    here, there = rows(ds.dataset(folder, **hive)), rows(ds.dataset(path, filesystem=store, **hive))
    print(here.num_rows, "rows here,", there.num_rows, "there")
    if here.num_rows == 0 or here != there:
        sys.exit("they differ")


def logs(folder: str, url: str, path: str) -> None:
    from whypause import _plain
    from whypause._files import pieces

    def read(given: str) -> list[dict[str, object]]:
        parts = [_plain.read(it, "pauses", None, None, {}) for it in pieces([given])]
        return [row for part in parts for batch in part for row in batch.to_pylist()]

    parts = urlsplit(url)
    there = read(f"s3a://{path}?endpoint_override={parts.netloc}&scheme={parts.scheme}&region=us-east-1")
    here = read(folder)
    for row in here:
        for name in ("source", "error"):
            row[name] = row[name] and str(row[name]).replace(folder, f"s3a://{path}")
    print(len(here), "rows here,", len(there), "there")
    if not here or here != there:
        sys.exit("they differ")


if sys.argv[1] == "--logs":
    logs(*sys.argv[2:5])
elif sys.argv[1] == "--make":
    make(Path(sys.argv[2]))
else:
    same(*sys.argv[2:5])
