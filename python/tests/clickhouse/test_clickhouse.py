"""What ClickHouse reads of our Parquet is what DuckDB reads. `scripts/fleet-clickhouse.sh` runs this with chdb."""

from __future__ import annotations

import datetime
import json
import subprocess
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

import whypause.sql

pytest.importorskip("chdb")
duckdb = pytest.importorskip("duckdb")
from chdb import session  # noqa: E402

TABLES = ("pauses", "hours", "stalls")


@pytest.fixture(scope="module")
def written(program: Path, logs: list[Path], recording: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with files of each table, as the program writes them: of logs, and of a recording."""
    folder = tmp_path_factory.mktemp("written")
    for table in TABLES:
        for at, path in enumerate([*logs, recording]):
            words = [program, "explain", path, "--host", f"h{at}", "--format", "parquet", "--table", table]
            with (folder / f"{table}-{at}.parquet").open("wb") as out:
                subprocess.run(words, stdout=out, timeout=300, check=True)
    made_up(folder / "stalls-0.parquet", folder / "stalls-made-up.parquet")
    return folder


def made_up(like: Path, path: Path) -> None:
    """Writes a file with a row: no recording of the tests has stalls."""
    connection = duckdb.connect()
    connection.execute(f"create table rows as from '{like}'")
    kinds = connection.execute("select column_name, data_type from duckdb_columns() where table_name = 'rows'").fetchall()
    values = {"VARCHAR": "'x'", "BIGINT": "12345678901", "MAP(VARCHAR, VARCHAR)": "map {'rack': 'r7'}"}
    time = "'2026-11-30 12:00:00.123456789+00'::timestamptz_ns"
    row = ", ".join(f"{values.get(kind, time)} as {name}" for name, kind in kinds)
    connection.execute(f"copy (select {row}) to '{path}'")


class ClickHouse:
    """A server within this process."""

    def __init__(self, folder: Path) -> None:
        self.session = session.Session(str(folder))
        self.session.query("create database whypause")
        self.session.query("use whypause")
        ddl = resources.files("whypause.sql").joinpath("clickhouse.sql").read_text()
        for statement in statements(ddl):
            self.session.query(statement)

    def rows(self, sql: str) -> list[dict[str, Any]]:
        text = str(self.session.query(f"{sql} settings output_format_json_quote_64bit_integers = 0", "JSONEachRow"))
        return [json.loads(it) for it in text.splitlines()]


def statements(ddl: str) -> list[str]:
    """The statements of a file without comments."""
    text = "\n".join(it for it in ddl.splitlines() if not it.startswith("--"))
    return [it.strip() for it in text.split(";\n") if it.strip()]


@pytest.fixture(scope="module")
def clickhouse(written: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClickHouse]:
    server = ClickHouse(tmp_path_factory.mktemp("clickhouse"))
    for table in TABLES:
        for path in sorted(written.glob(f"{table}-*.parquet")):
            server.session.query(f"insert into {table} from infile '{path}' format Parquet")
    yield server
    server.session.close()


@pytest.fixture(scope="module")
def duck(written: Path) -> Any:
    connection = duckdb.connect()
    connection.execute("set timezone = 'UTC'")
    for table in TABLES:
        connection.execute(f"create table {table} as from '{written}/{table}-*.parquet'")
    whypause.sql.register(connection)
    connection.execute(whypause.sql.views())
    return connection


def in_duck(duck: Any, sql: str) -> list[dict[str, Any]]:
    answer = duck.execute(sql)
    names = [it[0] for it in answer.description]
    return [dict(zip(names, map(same, row))) for row in answer.fetchall()]


def same(value: Any) -> Any:
    """A value as ClickHouse writes it in JSON, but for digits that Python's times do not have."""
    if isinstance(value, datetime.datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S.%f")
    return str(value) if isinstance(value, datetime.date) else value


def micros(row: dict[str, Any]) -> dict[str, Any]:
    return {key: it[:26] if key in ("start", "hour") and it else it for key, it in row.items()}


@pytest.mark.parametrize("table", TABLES)
def test_each_column_has_the_same_values(table: str, clickhouse: ClickHouse, duck: Any) -> None:
    columns = in_duck(duck, f"select column_name as name, data_type as kind from duckdb_columns() where table_name = '{table}'")
    theirs = clickhouse.rows(f"select name from system.columns where database = 'whypause' and table = '{table}' order by position")
    assert [it["name"] for it in theirs] == [it["name"] for it in columns]
    for it in columns:
        name, kind = it["name"], it["kind"]
        wanted = f'count("{name}") as known, count(distinct "{name}") as different'
        if kind == "BIGINT":
            wanted += f', coalesce(sum("{name}"), 0) as sum, coalesce(max("{name}"), 0) as most'
        if kind.endswith("[]") or kind.startswith("MAP"):
            wanted = f'coalesce(sum({{length}}("{name}")), 0) as length'
        ours = in_duck(duck, f"select {wanted} from {table}".replace("{length}", "cardinality" if kind[0] == "M" else "len"))
        assert clickhouse.rows(f"select {wanted} from {table}".replace("{length}", "length")) == ours, name


def test_times_have_their_nanoseconds(clickhouse: ClickHouse, duck: Any) -> None:
    (theirs,) = clickhouse.rows("select sum(toUnixTimestamp64Nano(start) % 1000000007) as sum from pauses")
    (ours,) = in_duck(duck, "select sum(epoch_ns(start) % 1000000007)::bigint as sum from pauses")
    assert theirs == ours


def test_histograms_are_the_same_bytes(clickhouse: ClickHouse, duck: Any) -> None:
    theirs = [bytes.fromhex(it["h"]) for it in clickhouse.rows("select hex(lengths) as h from hours")]
    ours = [it["lengths"] for it in in_duck(duck, "select lengths from hours")]
    assert sorted(theirs) == sorted(ours)


@pytest.mark.parametrize(
    "view",
    ["worst_hosts", "longest_pauses", "causes", "causes_by_host", "causes_by_hour", "culprits", "by_kernel", "daily", "new_causes"],
)
def test_views_are_those_of_duckdb(view: str, clickhouse: ClickHouse, duck: Any) -> None:
    theirs = clickhouse.rows(f"select * from {view}")
    ours = [
        {key: it for key, it in row.items() if not key.startswith("p") or key == "pauses"}
        for row in in_duck(duck, f"select * from {view}")
    ]
    assert [micros(it) for it in theirs] == [micros(it) for it in ours]
    assert theirs or view == "new_causes"


def test_quantiles_are_lengths_of_pauses(clickhouse: ClickHouse, duck: Any) -> None:
    ours = {it["host"]: it for it in in_duck(duck, "from worst_hosts")}
    for row in clickhouse.rows("select * from pause_lengths"):
        assert (row["pauses"], row["longest_ns"]) == (ours[row["host"]]["pauses"], ours[row["host"]]["longest_ns"])
