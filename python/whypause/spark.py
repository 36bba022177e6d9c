"""Tables of pauses of thousands of hosts in Spark 4: ``pip install whypause[spark]``.

Logs and recordings are read by the workers, each host or rotated log by one task: what moves between machines are
paths and rows, never lines. The wheel has to be on the workers, and so have the files, or they are in an object
store: of ``s3a://`` and other URLs a task fetches those of its host into a temporary directory.

An input that cannot be read is a row whose column ``error`` says why, with all others but ``host``, ``cluster`` and
``source`` empty. It fails no job: ``where("error is null")`` leaves such rows out.

Columns are those of `whypause.pauses` and the others, where Spark has their types: times have microseconds, and
text is text. Lengths are whole nanoseconds.

>>> import whypause.spark
>>> whypause.spark.register(spark)
>>> spark.read.format("whypause").load("/mnt/logs").groupBy("kernel", "cause").count().show()
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Union

import pyarrow as pa
from pyspark.sql import functions
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import BinaryType, DataType, LongType

import whypause

from . import _plain
from ._files import Piece, pieces

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

__all__ = ["WhypauseDataSource", "merge_hours", "quantile_ns", "read", "register", "sums"]


def register(spark: SparkSession) -> None:
    """Makes ``spark.read.format("whypause")`` known, and ``merge_hours`` and ``quantile_ns`` in SQL."""
    spark.dataSource.register(WhypauseDataSource)
    spark.udf.register("merge_hours", merge_hours)
    spark.udf.register("quantile_ns", quantile_ns)


def read(
    spark: SparkSession,
    paths: Union[str, Iterable[str]],
    *,
    table: str = "pauses",
    host: str | None = None,
    cluster: str | None = None,
    labels: Mapping[str, str] | None = None,
    tasks: int | None = None,
) -> DataFrame:
    """Returns the rows of a table as a DataFrame.

    Args:
        spark: the session.
        paths: files, recordings, directories, patterns, and URLs of object stores. Directories are listed by the
            driver; ``host=NAME/`` in a path says which host it is of, and all of one host is read by one task.
        table: ``pauses``, ``hours`` or ``stalls``.
        host, cluster, labels: as for `whypause.pauses`.
        tasks: number of tasks; one for each host or rotated log where it is not given.

    Raises:
        ValueError: no such table.
        OSError: an object store that does not list what is in it.
    """
    ddl, about = _plain.ddl(table), dict(labels or {})
    found = pieces([paths] if isinstance(paths, str) else paths)
    rows = [(it.name, it.host, it.directory, list(it.paths), it.url) for it in found]
    frame = spark.createDataFrame(rows, "name string, host string, directory string, paths array<string>, url string")

    def of_pieces(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for it in batch.to_pylist():
                piece = Piece(it["name"], it["host"], it["directory"], tuple(it["paths"]), it["url"])
                yield from _plain.read(piece, table, host, cluster, about)

    return frame.repartition(tasks or max(1, len(rows))).mapInArrow(of_pieces, ddl)


class WhypauseDataSource(DataSource):
    """``spark.read.format("whypause")``, once `register` was called.

    Options: ``table`` (``pauses``, ``hours`` or ``stalls``), ``host``, ``cluster``, ``label.NAME``, and ``paths``, a
    JSON list of paths where one is not enough. A partition is one host or one rotated log.
    """

    @classmethod
    def name(cls) -> str:
        return "whypause"

    def schema(self) -> str:
        return _plain.ddl(self._table)

    def reader(self, schema: StructType) -> DataSourceReader:
        options = dict(self.options)
        paths = json.loads(options["paths"]) if "paths" in options else []
        if "path" in options:
            paths.append(options["path"])
        if not paths:
            raise ValueError("no path: give one to `load`")
        prefix = "label."
        labels = {key[len(prefix) :]: it for key, it in options.items() if key.startswith(prefix)}
        return _Reader(paths, self._table, options.get("host"), options.get("cluster"), labels)

    @property
    def _table(self) -> str:
        return str(self.options.get("table", "pauses"))


class _Partition(InputPartition):
    def __init__(self, piece: Piece) -> None:
        super().__init__(piece)


class _Reader(DataSourceReader):
    def __init__(
        self,
        paths: list[str],
        table: str,
        host: str | None,
        cluster: str | None,
        labels: Mapping[str, str],
    ) -> None:
        self._paths = paths
        self._about = (table, host, cluster, labels)

    def partitions(self) -> list[InputPartition]:
        return [_Partition(it) for it in pieces(self._paths)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        return _plain.read(partition.value, *self._about)


def sums(hours: DataFrame, *by: str) -> DataFrame:
    """Returns what the rows of `hours` come to for each value of these columns; of none, for all.

    Columns: those of ``by``, then ``covered_ns``, ``recorded_ns``, ``pauses``, ``stopped_ns``, ``unexplained_ns``,
    ``longest_ns``, ``p50_ns``, ``p99_ns``, ``p999_ns``, and ``lengths``. Quantiles are exact to three digits.
    """
    kinds = {it.name: it.dataType.simpleString() for it in hours.schema}
    fields = [f"`{it}` {kinds[it]}" for it in by]
    fields += [f"{it} bigint" for it in (*_SUMS, "longest_ns", *_QUANTILES)]

    def of_group(rows: pa.Table) -> pa.Table:
        found = {it: rows[it].slice(0, 1) for it in by}
        for it in _SUMS:
            found[it] = pa.array([sum(rows[it].to_pylist())], pa.int64())
        found["longest_ns"] = pa.array([max(rows["longest_ns"].to_pylist())], pa.int64())
        merged = whypause.merge_hours(rows["lengths"].to_pylist())
        for name, q in _QUANTILES.items():
            found[name] = pa.array([whypause.quantile_ns(merged, q)], pa.int64())
        return pa.table({**found, "lengths": pa.array([merged], pa.binary())})

    wanted = hours.where("error is null").select(*by, *_SUMS, "longest_ns", "lengths")
    return wanted.groupBy(*by).applyInArrow(of_group, ", ".join([*fields, "lengths binary"]))


_SUMS = ("covered_ns", "recorded_ns", "pauses", "stopped_ns", "unexplained_ns")
_QUANTILES = {"p50_ns": 0.5, "p99_ns": 0.99, "p999_ns": 0.999}


def _merge_hours(lengths: pa.Array) -> bytes:
    return whypause.merge_hours(it for it in _values(lengths) if it is not None)


def _quantile_ns(lengths: pa.Array, share: pa.Array) -> pa.Array:
    pairs = zip(_values(lengths), _values(share))
    found = [None if of is None else whypause.quantile_ns(of, float(q)) for of, q in pairs]
    return pa.array(found, pa.int64()) if _HAS_ARROW_UDF else _series(found)


def _values(column: Any) -> Any:
    return column.to_pylist() if _HAS_ARROW_UDF else column


def _series(values: list[int | None]) -> Any:
    import pandas

    return pandas.Series(values, dtype="Int64")


def _udf(function: Any, result: DataType, of_pandas: str) -> Any:
    """Returns a function of columns. PySpark has those of Arrow from 4.1 on, and before that those of pandas."""
    if _HAS_ARROW_UDF:
        return functions.arrow_udf(function, result)
    return functions.pandas_udf(function, result, getattr(functions.PandasUDFType, of_pandas))


_HAS_ARROW_UDF = hasattr(functions, "arrow_udf")

#: Aggregate of the column ``lengths`` of `hours`: as `whypause.merge_hours`, exact to three digits over any group.
#: Spark has no other aggregates beside one in Python: `sums` has the usual ones.
merge_hours = _udf(_merge_hours, BinaryType(), "GROUPED_AGG")

#: Of such a column and a share, as ``quantile_ns(merge_hours(lengths), 0.999)``: as `whypause.quantile_ns`.
quantile_ns = _udf(_quantile_ns, LongType(), "SCALAR")
