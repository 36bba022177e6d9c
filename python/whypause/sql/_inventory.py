"""What is known of hosts beside what they recorded: a CSV file, read as the program reads it."""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

#: A larger file is no list of hosts.
_MOST_BYTES = 64 << 20
#: Columns that fill those of the tables; all others are labels.
FILLED = ("cluster", "kernel", "boot")
_HINT = "an inventory is a CSV file whose first line names its columns, such as `host,rack,deploy`"


class QueryError(ValueError):
    """Wrong arguments, a wrong query, or input that is none: a line, and one about what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        #: One lower-case line without a full stop.
        self.message = message
        #: What to do about it; empty where there is nothing to say.
        self.hint = hint


@dataclass(frozen=True)
class Inventory:
    """A table of texts; an empty one is null."""

    columns: list[str]
    rows: list[list[str | None]]

    def write(self, connection: duckdb.DuckDBPyConnection, table: str, known: str) -> None:
        """Keeps it as it is, and as what it fills in rows. Names of columns are quoted, values are parameters."""
        values = [[row[at] for row in self.rows] for at in range(len(self.columns))]
        names = [f"unnest(?::varchar[]) as {_quoted(it)}" for it in self.columns]
        connection.execute(f"create table {table} as select {', '.join(names)}", values)
        filled = [values[self.columns.index(it)] if it in self.columns else [] for it in ("host", *FILLED)]
        filled = [it or [None] * len(self.rows) for it in filled]
        keys = [it for it in self.columns if it not in ("host", *FILLED)]
        pairs = [[(key, row[self.columns.index(key)]) for key in keys] for row in self.rows]
        labels = [[(key, value) for key, value in it if value is not None] for it in pairs]
        wanted = ", ".join(f"unnest(?::varchar[]) as {it}" for it in ("host", *FILLED))
        wanted += ", map(unnest(?::varchar[][]), unnest(?::varchar[][])) as labels"
        maps = [[[key for key, _ in it] for it in labels], [[value for _, value in it] for it in labels]]
        connection.execute(f"create table {known} as select {wanted}", [*filled, *maps])


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def read_inventory(path: str | os.PathLike[str]) -> Inventory:
    """Reads one.

    Raises:
        QueryError: it is no list of hosts.
    """
    name = os.fspath(path)
    try:
        with open(name, encoding="utf-8-sig", newline="") as file:
            return _inventory(file.read(_MOST_BYTES))
    except FileNotFoundError:
        raise QueryError(f"no such file or directory: `{name}`", _HINT) from None
    except OSError as error:
        raise QueryError(f"cannot read `{name}`: {error.strerror}", _HINT) from None
    except (ValueError, csv.Error) as error:
        raise QueryError(f"`{name}`: {error}", _HINT) from None


def _inventory(text: str) -> Inventory:
    rows = [[it.strip() for it in row] for row in csv.reader(text.splitlines(keepends=True), strict=True) if row]
    columns = rows[0] if rows else []
    if "host" not in columns:
        raise ValueError("it has no column `host`")
    folded = [it.lower() for it in columns]
    twice = next((it for it in columns if folded.count(it.lower()) > 1 or not it), None)
    if twice is not None:
        raise ValueError(f"the column `{twice}` is in it twice" if twice else "a column has no name")
    seen: set[str] = set()
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(columns):
            raise ValueError(f"row {number} has {len(row)} fields, and the first has {len(columns)}")
        host = row[columns.index("host")]
        if host in seen:
            raise ValueError(f"the host `{host}` is in it twice")
        seen.add(host)
    return Inventory(columns, [[it or None for it in row] for row in rows[1:]])
