"""Which files one task of a cluster reads together."""

from __future__ import annotations

import collections
import shutil
from pathlib import Path

import pyarrow as pa
import pytest

import whypause
from whypause import _plain
from whypause._files import pieces


def found(tmp_path: Path, *names: str) -> dict[str, list[str]]:
    for name in names:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return {
        it.name.removeprefix(f"{tmp_path}/"): [path.removeprefix(f"{tmp_path}/") for path in it.paths]
        for it in pieces([str(tmp_path)])
    }


def test_all_of_a_host_is_one_where_it_has_a_recording(tmp_path: Path) -> None:
    names = ["date=1/host=a/gc.log", "date=1/host=b/gc.log", "date=2/host=a/gc.log", "date=2/host=a/r/slices-0000.parquet"]
    assert found(tmp_path, *names) == {
        "a": ["date=2/host=a/r", "date=1/host=a/gc.log", "date=2/host=a/gc.log"],
        "date=1/host=b/gc.log": ["date=1/host=b/gc.log"],
    }


def test_a_rotated_log_is_one(tmp_path: Path) -> None:
    names = ["x/gc.log", "x/gc.log.0.gz", "x/gc.log.1", "x/other.log", "y/gc.log"]
    assert found(tmp_path, *names) == {
        "x/gc.log": ["x/gc.log", "x/gc.log.0.gz", "x/gc.log.1"],
        "x/other.log": ["x/other.log"],
        "y/gc.log": ["y/gc.log"],
    }


def test_rows_of_a_host_are_read_beside_its_logs(tmp_path: Path) -> None:
    names = ["pauses/date=1/host=a/part-1.parquet", "hours/date=2/host=a/part-1.parquet", "logs/host=a/gc.log"]
    assert found(tmp_path, *names) == {"a": sorted(names[:2]) + names[2:]}


def test_a_recording_is_one(tmp_path: Path) -> None:
    names = ["r/coverage-0000.arrows.tmp", "r/jvm-0000.parquet", "r/slices-0001.arrows"]
    assert found(tmp_path, *names) == {"r": ["r"]}


def test_hosts_are_called_as_the_library_does_it(log: Path, recording: Path, tmp_path: Path) -> None:
    for folder in (".", "a", "a/old", "date=1/host=b", "date=1/host=b/old", "date=1/host=b/host=e", "date=1/c"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        shutil.copy(log, tmp_path / folder / "gc.log")
    shutil.copytree(recording, tmp_path / "a" / "recorded")
    whole = count(whypause.pauses(tmp_path))
    # The recording says how the host is called whose directory it is in.
    assert set(whole) == {"vm", "b", tmp_path.name}
    parts: collections.Counter[str] = collections.Counter()
    for it in pieces([str(tmp_path)]):
        for batch in _plain.read(it, "pauses", None, None, {}):
            parts.update(batch.column("host").to_pylist())
    assert parts == whole


def count(rows: whypause.Rows) -> collections.Counter[str]:
    return collections.Counter(pa.table(rows)["host"].to_pylist())


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "gc.log").symlink_to("/etc/passwd")
    (tmp_path / "folder").symlink_to("/etc")
    assert found(tmp_path) == {}


def test_what_is_not_there_is_read_to_say_so(tmp_path: Path) -> None:
    (only,) = pieces([str(tmp_path / "gc.log")])
    assert only.paths == (str(tmp_path / "gc.log"),)


def test_patterns_and_urls_of_files(tmp_path: Path) -> None:
    (tmp_path / "gc.log").touch()
    for given in (f"{tmp_path}/*.log", f"file://{tmp_path}/gc.log", f"file:{tmp_path}"):
        assert [it.paths for it in pieces([given])] == [(f"{tmp_path}/gc.log",)]


def test_a_store_that_is_not_there_is_an_error() -> None:
    pytest.importorskip("pyarrow.fs")
    with pytest.raises(OSError):
        pieces(["s3a://nothing/x?endpoint_override=127.0.0.1:1&scheme=http&region=us-east-1"])
