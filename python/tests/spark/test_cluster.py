"""What a cluster reads is what the library reads here. `scripts/fleet-test.sh` starts the cluster."""

from __future__ import annotations

import collections
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import whypause

pytest.importorskip("pyspark")
MASTER = os.environ.get("WHYPAUSE_SPARK")
if not MASTER:
    pytest.skip("there is no cluster; scripts/fleet-test.sh starts one", allow_module_level=True)

import pyarrow as pa  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

import whypause.spark  # noqa: E402

WORKERS = int(os.environ.get("WHYPAUSE_WORKERS", "1"))


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    begun = time.monotonic()
    loopback = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    builder = SparkSession.builder.master(str(MASTER)).appName("whypause")
    builder = builder.config("spark.executor.memory", "1g").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "4").config(map=loopback)
    options = os.environ.get("WHYPAUSE_EXECUTOR_OPTIONS", "")
    builder = builder.config("spark.executor.extraJavaOptions", options)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    whypause.spark.register(session)
    took(begun, "a session")
    yield session
    session.stop()


def took(begun: float, what: str) -> None:
    print(f"\nTIME {WORKERS} worker(s): {what}: {time.monotonic() - begun:.1f} s")


@pytest.fixture(scope="session")
def fleet(tmp_path_factory: pytest.TempPathFactory, logs: list[Path], recording: Path) -> Path:
    """Hosts of the tests, or those that are given; and some files that are none."""
    if given := os.environ.get("WHYPAUSE_FLEET"):
        return Path(given)
    fleet = tmp_path_factory.mktemp("fleet")
    for at, path in enumerate(logs):
        folder = fleet / f"host=h{at}"
        folder.mkdir()
        shutil.copy(path, folder / "gc.log")
    shutil.copytree(recording, fleet / "host=recorded" / "recording")
    bad = fleet / "host=bad"
    bad.mkdir()
    (bad / "empty.log").touch()
    (bad / "foreign.log").write_text("to be or not to be\n" * 1000)
    (bad / "long.log").write_bytes(b"x" * (100 << 20))
    (bad / "damaged.log.gz").write_bytes(bytes(range(256)) * 100)
    return fleet


@pytest.fixture(scope="session")
def here(fleet: Path) -> pa.Table:
    begun = time.monotonic()
    rows = pa.table(whypause.pauses(files(fleet), skip=True))
    took(begun, f"{rows.num_rows} rows without a cluster")
    return rows


def files(fleet: Path) -> list[str]:
    return [path for it in whypause._files.pieces([str(fleet)]) for path in it.paths]


def sums(durations: Any) -> tuple[int, int, int]:
    return len(durations), sum(durations), max(durations)


def test_paths_become_rows(spark: SparkSession, fleet: Path, here: pa.Table) -> None:
    begun = time.monotonic()
    rows = whypause.spark.read(spark, str(fleet)).where("error is null").select("duration_ns").toArrow()
    took(begun, f"{rows.num_rows} rows by mapInArrow")
    assert sums(rows["duration_ns"].to_pylist()) == sums(here["duration_ns"].to_pylist())


def test_the_data_source_gives_the_same(spark: SparkSession, fleet: Path, here: pa.Table) -> None:
    begun = time.monotonic()
    frame = spark.read.format("whypause").option("cluster", "c").option("label.rack", "r7").load(str(fleet))
    found = frame.where("error is null").groupBy("cluster", "labels.rack").agg(
        {"duration_ns": "sum", "*": "count"}
    )
    assert [tuple(it) for it in found.collect()] == [("c", "r7", sum(here["duration_ns"].to_pylist()), here.num_rows)]
    took(begun, f"{here.num_rows} rows by the data source")


def test_a_task_reads_a_host(spark: SparkSession, fleet: Path) -> None:
    frame = spark.read.format("whypause").load(str(fleet))
    assert frame.rdd.getNumPartitions() == len(whypause._files.pieces([str(fleet)]))


def test_quantiles_are_exact_over_any_group(spark: SparkSession, fleet: Path) -> None:
    begun = time.monotonic()
    spark.read.format("whypause").option("table", "hours").load(str(fleet)).createOrReplaceTempView("hours")
    of_all = "select quantile_ns(merge_hours(lengths), 0.999) from hours where error is null"
    (found,) = spark.sql(of_all).collect()[0]
    took(begun, "p99.9 of all hours")
    hours = pa.table(whypause.hours(files(fleet), skip=True))
    merged = whypause.merge_hours(hours["lengths"].to_pylist())
    assert found == whypause.quantile_ns(merged, 0.999)


def test_sums_are_those_of_the_library(spark: SparkSession, fleet: Path, here: pa.Table) -> None:
    hours = spark.read.format("whypause").option("table", "hours").load(str(fleet))
    (whole,) = whypause.spark.sums(hours).collect()
    durations = here["duration_ns"].to_pylist()
    assert (whole.pauses, whole.stopped_ns, whole.longest_ns) == sums(durations)
    exact = sorted(durations)[-(-len(durations) * 999 // 1000) - 1]
    assert exact <= whole.p999_ns <= exact * 1.001
    by_host = {it.host: it.pauses for it in whypause.spark.sums(hours, "host").collect()}
    assert by_host == collections.Counter(here["host"].to_pylist())


def test_what_cannot_be_read_is_a_row(spark: SparkSession, fleet: Path) -> None:
    if "WHYPAUSE_FLEET" in os.environ and os.environ["WHYPAUSE_FLEET"]:
        pytest.skip("the hosts that were given may all be readable")
    bad = whypause.spark.read(spark, [str(fleet), f"{fleet}/missing.log"]).where("error is not null")
    found = {Path(it.source).name: it.error for it in bad.select("source", "error").collect()}
    assert set(found) == {"empty.log", "foreign.log", "long.log", "damaged.log.gz", "missing.log"}
    assert "is empty" in found["empty.log"]
    assert "is not a GC log" in found["foreign.log"]


def test_stalls_have_their_schema(spark: SparkSession, fleet: Path) -> None:
    frame = whypause.spark.read(spark, str(fleet), table="stalls")
    assert frame.columns == [*pa.schema(whypause.stalls([])).names, "error"]
    frame.collect()
    with pytest.raises(ValueError, match="no table is called"):
        whypause.spark.read(spark, str(fleet), table="other")
