"""Tables: from what, of what, and what happens to what cannot be read."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import subprocess
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import whypause


def table(rows: whypause.Rows) -> pa.Table:
    return pa.table(rows)


def test_paths_bytes_and_files_give_the_same(log: Path, tmp_path: Path) -> None:
    def rows(source: Any) -> pa.Table:
        return table(whypause.pauses(source, host="h1")).drop_columns(["source"])

    text = log.read_bytes()
    packed = tmp_path / "gc.log.gz"
    packed.write_bytes(gzip.compress(text))
    expected = rows(log)
    assert expected.num_rows > 10
    for source in (str(log), [log], text, bytearray(text), memoryview(text)):
        assert rows(source) == expected
    for file in (log.open("rb"), packed.open("rb"), gzip.open(packed), io.BytesIO(packed.read_bytes())):
        assert rows(file) == expected


def test_the_source_is_what_was_given(log: Path) -> None:
    def source(rows: whypause.Rows) -> str:
        (only,) = set(table(rows)["source"].to_pylist())
        return str(only)

    assert source(whypause.pauses(log)) == str(log)
    assert source(whypause.pauses(log.read_bytes())) == "<bytes>"
    assert source(whypause.pauses(log.open("rb"))) == str(log)
    assert source(whypause.pauses(io.BytesIO(log.read_bytes()))) == "<file>"


def test_a_file_that_memory_does_not_hold_is_read_as_well(log: Path) -> None:
    text = log.read_bytes()
    times = (65 << 20) // len(text) + 1

    class Repeated(io.RawIOBase):
        left = times

        def read(self, size: int = -1) -> bytes:
            self.left -= 1
            return text if self.left >= 0 else b""

    rows = whypause.hours(Repeated())
    one = table(whypause.pauses(log)).num_rows
    for _ in range(2):
        assert sum(table(rows)["pauses"].to_pylist()) == one * times


def test_what_is_known_of_the_host_is_in_each_row(log: Path, recording: Path) -> None:
    rows = table(whypause.pauses([log, recording], host="h1", cluster="c", labels={"rack": "r7", "deploy": "b"}))
    assert set(rows["cluster"].to_pylist()) == {"c"}
    assert rows["labels"][0].as_py() == [("deploy", "b"), ("rack", "r7")]
    of_log = rows.filter(pa.compute.equal(rows["source"].cast(pa.string()), str(log)))
    assert set(of_log["host"].to_pylist()) == {"h1"}


def test_a_path_says_the_host(log: Path, tmp_path: Path) -> None:
    for host in ("h1", "h2"):
        folder = tmp_path / "date=2026-11-30" / f"host={host}"
        folder.mkdir(parents=True)
        (folder / "gc.log").write_bytes(log.read_bytes())
    rows = table(whypause.pauses(sorted(tmp_path.glob("*/host=*/gc.log"))))
    # Each batch has its own texts, which pyarrow does not group by itself.
    rows = rows.unify_dictionaries()
    assert rows.group_by("host").aggregate([([], "count_all")]).num_rows == 2


def test_threads_change_neither_rows_nor_their_order(logs: list[Path]) -> None:
    assert len(logs) > 3
    one = table(whypause.pauses(logs, threads=1))
    places = [str(logs.index(Path(it))) for it in one["source"].to_pylist()]
    assert places == sorted(places, key=int) and len(set(places)) > 3
    for threads in (2, 3, 8):
        assert table(whypause.pauses(logs, threads=threads)) == one


def test_rows_are_read_anew_each_time(log: Path) -> None:
    rows = whypause.pauses(log)
    assert table(rows) == table(rows)


def test_what_is_not_taken_ends(logs: list[Path]) -> None:
    before = threads()
    stream = pa.RecordBatchReader.from_stream(whypause.pauses(logs * 50, threads=4))
    assert stream.read_next_batch().num_rows > 0
    assert threads() > before
    del stream
    for _ in range(200):
        if threads() <= before:
            return
        time.sleep(0.05)
    pytest.fail(f"{threads()} threads are left of {before}")


def threads() -> int:
    return len(list(Path("/proc/self/task").iterdir()))


def test_the_first_that_cannot_be_read_ends_the_stream(log: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.log"
    empty.touch()
    rows = whypause.pauses([log, empty, log])
    with pytest.raises(Exception, match="(?s)empty.log` is empty.*hint: give a log"):
        table(rows)
    assert [it.source for it in rows.failed] == [str(empty)]


def test_what_cannot_be_read_can_be_skipped(log: Path, tmp_path: Path) -> None:
    empty, text, missing = tmp_path / "empty.log", tmp_path / "text.log", tmp_path / "missing.log"
    empty.touch()
    text.write_text("to be or not to be\n" * 100)
    rows = whypause.pauses([missing, empty, log, text], skip=True)
    assert table(rows).num_rows == table(whypause.pauses(log)).num_rows
    assert [it.source for it in rows.failed] == [str(it) for it in (missing, empty, text)]
    assert all(it.message and it.hint for it in rows.failed[1:])


def test_what_a_directory_has_besides_is_skipped(log: Path, tmp_path: Path) -> None:
    (tmp_path / "gc.log").write_bytes(log.read_bytes())
    (tmp_path / "notes").write_text("to be or not to be\n" * 100)
    expected = table(whypause.pauses(log)).num_rows
    for source in (tmp_path, str(tmp_path / "*")):
        rows = whypause.pauses(source)
        assert table(rows).num_rows == expected
        assert [Path(it.source).name for it in rows.failed] == ["notes"]
    with pytest.raises(Exception, match="not a GC log"):
        table(whypause.pauses(tmp_path, skip=False))


def test_a_path_that_is_not_there_is_an_error_at_once(tmp_path: Path) -> None:
    with pytest.raises(whypause.WhypauseError) as raised:
        whypause.pauses(tmp_path / "gc.log")
    assert raised.value.message in str(raised.value)
    assert isinstance(raised.value, ValueError)


def test_what_is_no_source_is_a_type_error(log: Path) -> None:
    for wrong in (None, 3, log.open(), [3]):
        with pytest.raises(TypeError):
            whypause.pauses(wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="threads"):
        whypause.pauses(log, threads=0)


def test_a_file_object_that_fails_says_so() -> None:
    class Failing(io.RawIOBase):
        def read(self, size: int = -1) -> bytes:
            raise OSError("no disk")

    with pytest.raises(OSError, match="no disk"):
        whypause.pauses(Failing())


def test_schemas_say_their_version(log: Path) -> None:
    for of in (whypause.pauses, whypause.hours, whypause.stalls):
        rows = of(log)
        assert rows.schema_version == 1
        assert pa.schema(rows) == table(rows).schema


def test_the_program_writes_the_same_rows(program: Path, logs: list[Path], recording: Path) -> None:
    for of, paths in itertools.product(("pauses", "hours", "stalls"), (logs, [recording])):
        words = [program, "explain", *paths, "--format", "arrow", "--table", of, "--host", "h1"]
        written = subprocess.run(words, capture_output=True, timeout=300, check=True).stdout
        theirs = pa.ipc.open_stream(written).read_all()
        ours = table(getattr(whypause, of)(paths, host="h1"))
        assert ours.to_pylist() == theirs.to_pylist()


def test_rows_in_parquet_are_read_again(log: Path, recording: Path, tmp_path: Path) -> None:
    # Beside what they were made of they count once; the directory says of whom they are.
    for path in (log, recording):
        folder = tmp_path / path.parent.name / "host=h1"
        folder.mkdir(parents=True)
        for name in ("pauses", "hours", "stalls"):
            rows = table(getattr(whypause, name)(path, host="someone"))
            pq.write_table(rows, folder / f"{name}.parquet")
        for name in ("pauses", "stalls"):
            made, again = (table(getattr(whypause, name)(it)) for it in (path, folder))
            assert made.drop_columns(["host"]).to_pylist() == again.drop_columns(["host"]).to_pylist()
            assert set(again["host"].to_pylist()) <= {"h1"}
        beside = [folder, path]
        assert table(whypause.pauses(beside, host="h1")).num_rows == table(whypause.pauses(path)).num_rows
        hours = table(whypause.hours(beside, host="h1"))
        assert sum(hours["pauses"].to_pylist()) == table(whypause.pauses(path)).num_rows


def test_other_parquet_is_named_and_left_out(log: Path, tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1]}), tmp_path / "other.parquet")
    (tmp_path / "gc.log").write_bytes(log.read_bytes())
    rows = whypause.pauses(tmp_path)
    assert table(rows).num_rows == table(whypause.pauses(log)).num_rows
    (failure,) = rows.failed
    assert failure.source.endswith("other.parquet") and "no table of pauses" in failure.message


def test_the_program_gives_the_same_answers(program: Path, testdata: Path, logs: list[Path]) -> None:
    for path in [*logs, *sorted((testdata / "recordings").glob("*/recording"))]:
        words = [program, "explain", path, "--format", "json"]
        printed = subprocess.run(words, capture_output=True, timeout=300)
        assert whypause.explain(path) == json.loads(printed.stdout), path


def test_an_answer_is_of_one_input(testdata: Path) -> None:
    with pytest.raises(whypause.WhypauseError, match="several JVMs"):
        whypause.explain(testdata / "gclogs/jdk17/g1")
