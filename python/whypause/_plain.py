"""Batches in types that Spark has: no dictionaries, and microseconds. Needs pyarrow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
import pyarrow as pa

from . import Rows, _rows
from ._files import Piece, at_hand

_TABLES = ("pauses", "hours", "stalls")

#: The column that says why a row has nothing else.
ERROR = "error"


def schema(table: str) -> pa.Schema:
    """Returns the columns of a table, and `error`."""
    if table not in _TABLES:
        raise ValueError(f"no table is called `{table}`; there are {', '.join(_TABLES)}")
    fields = [pa.field(it.name, _plain(it.type)) for it in pa.schema(_of(table, []))]
    return pa.schema([*fields, pa.field(ERROR, pa.string())])


def ddl(table: str) -> str:
    """Returns the same as Spark writes it."""
    return ", ".join(f"`{it.name}` {_word(it.type)}" for it in schema(table))


def read(
    piece: Piece,
    table: str,
    host: str | None,
    cluster: str | None,
    labels: Mapping[str, str],
) -> Iterator[pa.RecordBatch]:
    """Yields the rows of a piece, and a row for each of its inputs that cannot be read: nothing is raised."""
    wanted = schema(table)
    host = host or piece.host
    failed: list[tuple[str, str]] = []
    try:
        with at_hand(piece) as (paths, instead):
            rows = _of(table, paths, host, cluster, labels, piece.directory, instead)
            for batch in pa.RecordBatchReader.from_stream(rows):
                yield _changed(batch, wanted)
            failed = [(it.source, it.message) for it in rows.failed]
    except (OSError, ValueError, pa.ArrowException) as error:
        failed = [(piece.name, str(error).partition("\n")[0])]
    for source, message in failed:
        known = {"host": host or piece.directory, "cluster": cluster, "source": source, ERROR: message}
        yield pa.RecordBatch.from_pylist([known], schema=wanted)


def _of(
    table: str,
    paths: list[str],
    host: str | None = None,
    cluster: str | None = None,
    labels: Mapping[str, str] | None = None,
    otherwise: str | None = None,
    instead: tuple[str, str] | None = None,
) -> Rows:
    """Returns what one thread reads, as a task of a cluster has one CPU."""
    return _rows(table, paths, host, cluster, labels, 1, False, True, otherwise, instead)


def _changed(batch: pa.RecordBatch, wanted: pa.Schema) -> pa.RecordBatch:
    own = [it for it in wanted if it.name != ERROR]
    columns = [batch.column(it.name).cast(it.type, safe=False) for it in own]
    columns.append(pa.nulls(batch.num_rows, pa.string()))
    return pa.RecordBatch.from_arrays(columns, schema=wanted)


def _plain(kind: pa.DataType) -> pa.DataType:
    """Returns the type that Spark has for it."""
    if pa.types.is_dictionary(kind):
        return _plain(kind.value_type)
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us", kind.tz)
    if pa.types.is_map(kind):
        return pa.map_(_plain(kind.key_type), _plain(kind.item_type))
    if pa.types.is_struct(kind):
        fields = [kind.field(at) for at in range(kind.num_fields)]
        return pa.struct([pa.field(it.name, _plain(it.type)) for it in fields])
    if pa.types.is_list(kind):
        return pa.list_(pa.field(kind.value_field.name, _plain(kind.value_type)))
    return kind


_WORDS = {"int64": "bigint", "int32": "int", "bool": "boolean", "double": "double", "string": "string", "binary": "binary"}


def _word(kind: pa.DataType) -> str:
    if pa.types.is_timestamp(kind):
        return "timestamp"
    if pa.types.is_map(kind):
        return f"map<{_word(kind.key_type)}, {_word(kind.item_type)}>"
    if pa.types.is_struct(kind):
        fields = [kind.field(at) for at in range(kind.num_fields)]
        return "struct<" + ", ".join(f"`{it.name}`: {_word(it.type)}" for it in fields) + ">"
    if pa.types.is_list(kind):
        return f"array<{_word(kind.value_type)}>"
    return _WORDS[str(kind)]
